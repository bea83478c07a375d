"""Runs functions of the small IR over arrays of inputs, compiled natively by LLVM: its semantics are the reference."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from llvmlite import binding as llvm

from numba_vulkan.abi import HIGH_F64, HIGH_I64, JOIN_F64, JOIN_I64, LOW_F64, LOW_I64, MULHI_U32
from numba_vulkan.llvmir.model import Argument, Function, Instruction
from numba_vulkan.llvmir.printing import print_function
from numba_vulkan.llvmir.types import I32, PTR, VOID, FloatType, IntType, Type

__all__ = ["guard_shifts", "run_over"]

_WORDS = f"""
@undefined_shifts = global i32 0
define void @check.distance(i32 %distance) alwaysinline {{
  %is_undefined = icmp uge i32 %distance, 32
  %one = zext i1 %is_undefined to i32
  %before = load i32, ptr @undefined_shifts
  %after = add i32 %before, %one
  store i32 %after, ptr @undefined_shifts
  ret void
}}
define i64 @"{JOIN_I64}"(i32 %l, i32 %h) alwaysinline {{
  %a = zext i32 %l to i64
  %b = zext i32 %h to i64
  %c = shl i64 %b, 32
  %d = or i64 %a, %c
  ret i64 %d
}}
define i32 @"{LOW_I64}"(i64 %x) alwaysinline {{
  %a = trunc i64 %x to i32
  ret i32 %a
}}
define i32 @"{HIGH_I64}"(i64 %x) alwaysinline {{
  %s = lshr i64 %x, 32
  %a = trunc i64 %s to i32
  ret i32 %a
}}
define double @"{JOIN_F64}"(i32 %l, i32 %h) alwaysinline {{
  %a = call i64 @"{JOIN_I64}"(i32 %l, i32 %h)
  %b = bitcast i64 %a to double
  ret double %b
}}
define i32 @"{LOW_F64}"(double %x) alwaysinline {{
  %a = bitcast double %x to i64
  %b = call i32 @"{LOW_I64}"(i64 %a)
  ret i32 %b
}}
define i32 @"{HIGH_F64}"(double %x) alwaysinline {{
  %a = bitcast double %x to i64
  %b = call i32 @"{HIGH_I64}"(i64 %a)
  ret i32 %b
}}
define i32 @"{MULHI_U32}"(i32 %x, i32 %y) alwaysinline {{
  %a = zext i32 %x to i64
  %b = zext i32 %y to i64
  %c = mul i64 %a, %b
  %d = call i32 @"{HIGH_I64}"(i64 %c)
  ret i32 %d
}}
"""


def _dtype(type: Type) -> np.dtype:
    if isinstance(type, IntType):
        return np.dtype(f"u{max(type.bits, 8) // 8}")
    assert isinstance(type, FloatType)
    return np.dtype(f"f{type.bits // 8}")


def _driver(function: Function, inputs: list[Argument], outputs: list[tuple[Argument, Type]]) -> str:
    """Return a function that calls ``function`` for every element of its input arrays."""
    pointers = ", ".join(f"ptr %p{i}" for i in range(len(inputs) + len(outputs)))
    lines = [f"define void @drive(i64 %n, {pointers}) {{", "entry:", "  br label %loop", "loop:"]
    lines.append("  %i = phi i64 [ 0, %entry ], [ %next, %loop ]")
    arguments = dict[str, str]()
    for k, argument in enumerate(inputs):
        storage = "i8" if str(argument.type) == "i1" else str(argument.type)
        lines.append(f"  %q{k} = getelementptr {storage}, ptr %p{k}, i64 %i")
        lines.append(f"  %v{k} = load {storage}, ptr %q{k}")
        if storage != str(argument.type):
            lines.append(f"  %t{k} = trunc i8 %v{k} to i1")
        arguments[argument.name] = f"{argument.type} %{'v' if storage == str(argument.type) else 't'}{k}"
    for k, (argument, type) in enumerate(outputs, len(inputs)):
        lines.append(f"  %q{k} = getelementptr {type}, ptr %p{k}, i64 %i")
        arguments[argument.name] = f"ptr %q{k}"
    actual = ", ".join(arguments[a.name] for a in function.arguments)
    lines += [f"  call void @{function.name}({actual})", "  %next = add i64 %i, 1"]
    lines += [
        "  %more = icmp ult i64 %next, %n",
        "  br i1 %more, label %loop, label %end",
        "end:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines)


def _intrinsics(function: Function) -> str:
    """Return declarations of the LLVM intrinsics that ``function`` calls."""
    declared = dict[str, str]()
    for instruction in function.instructions():
        if instruction.opcode == "call" and instruction.callee.startswith("llvm."):
            types = ", ".join(str(operand.type) for operand in instruction.operands)
            declared[instruction.callee] = f"declare {instruction.type} @{instruction.callee}({types})"
    return "\n".join(declared.values())


def _stored_types(function: Function) -> dict[Argument, Type]:
    result = dict[Argument, Type]()
    for instruction in function.instructions():
        if instruction.opcode == "store" and isinstance(instruction.operands[1], Argument):
            result[instruction.operands[1]] = instruction.operands[0].type
    return result


def run_over(function: Function, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Call ``function`` for every element of ``inputs``; return one array for each of its pointer arguments.

    The arguments of the function are one for each input and then pointers that it stores its results to.
    """
    stored = _stored_types(function)
    values = [a for a in function.arguments if a.type is not PTR]
    results = [(a, stored[a]) for a in function.arguments if a.type is PTR]
    arrays = [np.ascontiguousarray(x).view(_dtype(a.type)) for x, a in zip(inputs, values, strict=True)]
    outputs = [np.zeros(len(arrays[0]), _dtype(type)) for _, type in results]
    parts = (
        _WORDS,
        _intrinsics(function),
        print_function(function, declarations=False),
        _driver(function, values, results),
    )
    module = llvm.parse_assembly("\n".join(parts))
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1, jit=True)
    with llvm.create_mcjit_compiler(module, machine) as engine:
        engine.finalize_object()
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays + outputs]
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * len(pointers))
        prototype(engine.get_function_address("drive"))(len(arrays[0]), *pointers)
        undefined = ctypes.c_int32.from_address(engine.get_global_value_address("undefined_shifts")).value
        assert undefined == 0, f"{undefined} shifts by 32 or more"
    return outputs


def guard_shifts(function: Function) -> None:
    """Let `run_over` find 32-bit shifts by 32 or more, for which LLVM and SPIR-V promise nothing."""
    for block in function.blocks:
        guarded: list[Instruction] = []
        for instruction in block.instructions:
            if instruction.opcode in ("shl", "lshr", "ashr") and instruction.type is I32:
                guarded.append(Instruction("call", VOID, [instruction.operands[1]], detail="check.distance"))
            guarded.append(instruction)
        block.instructions = guarded


llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
