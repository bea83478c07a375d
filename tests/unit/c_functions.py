"""Functions of the C library over arrays, in float64 and in x87's extended precision, which has 11 bits more."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable
from functools import cache

import numpy as np
from llvmlite import binding as llvm

__all__ = ["c_function"]

_TYPES = {np.dtype(np.float64): ("double", ""), np.dtype(np.longdouble): ("x86_fp80", "l")}
_LOOP = """
declare {type} @{name}({parameters})
define void @loop(i64 %count, ptr %result, {pointers}) {{
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  {loads}
  %value = call {type} @{name}({arguments})
  %place = getelementptr {type}, ptr %result, i64 %i
  store {type} %value, ptr %place
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %count
  br i1 %more, label %next, label %end
end:
  ret void
}}
"""
_engines: list[llvm.ExecutionEngine] = []


@cache
def c_function(name: str, operands: int, width: type[np.floating]) -> Callable[..., np.ndarray]:
    """Return a function of the C library for arrays of one type; NumPy lacks some, and calls none as fast."""
    kind, suffix = _TYPES[np.dtype(width)]
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.load_library_permanently(ctypes.util.find_library("m"))
    numbers = range(operands)
    text = _LOOP.format(
        type=kind,
        name=name + suffix,
        parameters=", ".join(kind for _ in numbers),
        pointers=", ".join(f"ptr %x{k}" for k in numbers),
        loads="\n  ".join(
            f"%p{k} = getelementptr {kind}, ptr %x{k}, i64 %i\n  %v{k} = load {kind}, ptr %p{k}"
            for k in numbers
        ),
        arguments=", ".join(f"{kind} %v{k}" for k in numbers),
    )
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
    engine.finalize_object()
    _engines.append(engine)
    loop = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * (1 + operands))(
        engine.get_function_address("loop")
    )

    def run(*arrays: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            arrays = tuple(np.ascontiguousarray(a, width) for a in arrays)
        result = np.empty_like(arrays[0])
        if result.size:
            loop(result.size, result.ctypes.data, *(a.ctypes.data for a in arrays))
        return result

    return run
