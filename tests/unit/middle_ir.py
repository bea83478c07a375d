"""Functions for tests of the middle: snippets of LLVM assembly, run with and without the passes that lower them."""

from __future__ import annotations

import re

import numpy as np

from numba_vulkan.kernel import KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.model import Function
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.types import F32, F64, I1, I32, I64, PTR, VOID, IntType
from numba_vulkan.llvmir.verify import verify
from numba_vulkan.middle.passes import Context
from numba_vulkan.middle.pipeline import PIPELINE
from unit.native import run_over

FULL = TargetProfile()
NO_INT64 = TargetProfile(int64=False)
LAST = "eliminate-dead"
GENERATOR = np.random.default_rng(20)
SIZE = 5_000

INTEGER_EDGES = [0, 1, 2, 3, 7, 8, 31, 32, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 65536]
INTEGER_EDGES += [2**k - d for k in (23, 24, 31, 32, 33, 52, 53, 63) for d in (-1, 0, 1)]
FLOAT_EDGES = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.5, 1e-40, 1e-30, 1e10, 1e30, np.inf, np.nan]
FLOAT_EDGES += [2.0**k + d for k in (22, 23, 24, 31, 51, 52, 53) for d in (-1, -0.5, 0, 0.5, 1)]


def values(type: str) -> np.ndarray:
    """Edges and random numbers of all lengths, as bit patterns of the type."""
    if type in ("float", "double"):
        dtype = np.dtype("f4" if type == "float" else "f8")
        with np.errstate(over="ignore"):
            edges = np.array([s * x for x in FLOAT_EDGES for s in (1, -1)], "f8").astype(dtype)
        steps = [np.nextafter(edges, dtype.type(np.inf)), np.nextafter(edges, dtype.type(-np.inf))]
        small = GENERATOR.normal(0, 4, SIZE).astype(dtype)
        halves = (GENERATOR.integers(-100, 100, SIZE) / 2).astype(dtype)
        bits = np.frombuffer(GENERATOR.bytes(SIZE * dtype.itemsize), dtype)
        return np.concatenate([edges, *steps, small, halves, bits])
    bits = int(type[1:])
    dtype = np.dtype("u4" if bits <= 32 else "u8")
    edges = [(s * x) % 2**bits for x in INTEGER_EDGES for s in (1, -1)]
    lengths = GENERATOR.integers(0, 64, SIZE, dtype=np.uint64)
    random = GENERATOR.integers(0, 2**64, SIZE, dtype=np.uint64) >> lengths
    negative = np.where(GENERATOR.integers(0, 2, SIZE) == 1, random, ~random)
    return np.concatenate([np.array(edges, "u8"), negative]).astype("u8").astype(dtype) & dtype.type(
        2**bits - 1
    )


def inputs(types: list[str]) -> list[np.ndarray]:
    """All values for the first operand, random choices of them for the others."""
    columns = [values(type) for type in types]
    return [columns[0], *(GENERATOR.choice(column, len(columns[0])) for column in columns[1:])]


def carrier(type: str) -> str:
    """The type of arguments and results of an integer type: tests pass small ones as i32 and odd ones as i64."""
    if type[0] != "i":
        return type
    return "i32" if int(type[1:]) <= 32 else "i64"


def function_of(snippets: list[tuple[str, str]], types: list[str]) -> Function:
    """A function of a, b and c with one result per snippet, %r; 64-bit integers come and go as two words."""
    lines: list[str] = []
    results: list[tuple[str, str]] = []
    for k, (code, result) in enumerate(snippets):
        # Names other than those of the operands become those of the snippet.
        lines += re.sub(r"%(?![abc]\b)([a-z]\w*)", rf"%\1.{k}", code).strip().splitlines()
        results.append((f"%r.{k}", result))
    return function_with(lines, types, results)


def function_with(code: list[str], types: list[str], results: list[tuple[str, str]]) -> Function:
    """A function of a, b and c that stores values, each name and type; see `function_of`."""
    arguments: list[str] = []
    lines: list[str] = []
    for name, type in zip("abc", types, strict=False):
        wide = carrier(type)
        source = f"%{name}" if wide == type else f"%{name}.wide"
        if wide == "i64":
            arguments += [f"i32 %{name}.low", f"i32 %{name}.high"]
            lines.append(f"{source} = call i64 @nv.join.i64(i32 %{name}.low, i32 %{name}.high)")
        else:
            arguments.append(f"{wide} {source}")
        if wide != type:
            lines.append(f"%{name} = trunc {wide} {source} to {type}")
    lines += code
    for k, (value, type) in enumerate(results):
        lines += result_lines(value, type, k, arguments)
    body = "".join(f"  {line.strip()}\n" for line in lines)
    text = f"define void @f({', '.join(arguments)}) {{\nentry:\n{body}  ret void\n}}\n"
    return parse_function(re.sub(r"^ *([\w.]+):", r"\1:", text, flags=re.MULTILINE), "f")


def result_lines(value: str, type: str, k: int, arguments: list[str]) -> list[str]:
    """The lines that store a result; they add its pointers to the arguments."""
    lines: list[str] = []
    wide = carrier(type)
    if wide != type:
        lines.append(f"%wide.{k} = zext {type} {value} to {wide}")
        value = f"%wide.{k}"
    if wide != "i64":
        arguments.append(f"ptr %out.{k}")
        return [*lines, f"store {wide} {value}, ptr %out.{k}"]
    for word in ("low", "high"):
        arguments.append(f"ptr %out.{word}.{k}")
        lines.append(f"%{word}.{k} = call i32 @nv.{word}.i64(i64 {value})")
        lines.append(f"store i32 %{word}.{k}, ptr %out.{word}.{k}")
    return lines


def run(function: Function, data: list[np.ndarray]) -> list[np.ndarray]:
    """Call a function of `function_of` for every element of its operands."""
    words: list[np.ndarray] = []
    for column in data:
        wide = column.dtype == np.uint64
        words += [column.astype("u4"), (column >> np.uint64(32)).astype("u4")] if wide else [column]
    return run_over(function, words)


def lower(function: Function, profile: TargetProfile) -> Function:
    """Run the passes up to the structurizer, with the verifier after each."""
    context = Context(KernelInterface("kernel", "kernel.py", 1), Variant(profile))
    for step in PIPELINE:
        if step.when(profile):
            step.run(function, context)
            verify(function)
        if step.name == LAST:
            return function
    raise AssertionError(LAST)


def assert_legal(function: Function, profile: TargetProfile) -> None:
    types = {I1, I32, F32, F64, PTR, VOID} | ({I64} if profile.int64 else set())
    illegal = {
        "srem",
        "frem",
        "fneg",
        "freeze",
        "insertvalue",
        "extractvalue",
        "insertelement",
        "shufflevector",
    }
    for instruction in function.instructions():
        assert instruction.type in types, instruction.opcode
        assert instruction.opcode not in illegal
        if instruction.opcode in ("icmp", "add", "mul", "shl") and isinstance(
            instruction.operands[0].type, IntType
        ):
            assert instruction.operands[0].type is not I1
        if instruction.opcode == "fcmp":
            assert instruction.predicate not in ("ord", "uno", "true", "false")


def same(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Where two results are the same bits, or both NaN."""
    if left.dtype.kind == "f":
        bits = f"u{left.dtype.itemsize}"
        return (left.view(bits) == right.view(bits)) | (np.isnan(left) & np.isnan(right))
    return left == right


def check(snippets: list[tuple[str, str]], types: list[str], data: list[np.ndarray] | None = None) -> None:
    """Compare the results of snippets, each code and type of its result, with and without the passes."""
    data = inputs(types) if data is None else data
    reference = run(function_of(snippets, types), data)
    for profile in (FULL, NO_INT64):
        lowered = lower(function_of(snippets, types), profile)
        assert_legal(lowered, profile)
        for k, (expected, actual) in enumerate(zip(reference, run(lowered, data), strict=True)):
            wrong = np.flatnonzero(~same(expected, actual))[:4]
            assert not wrong.size, (
                k,
                profile.int64,
                [d[wrong] for d in data],
                expected[wrong],
                actual[wrong],
            )
