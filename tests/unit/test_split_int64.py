"""Each 64-bit operation in words equals LLVM's own, over edge values in all combinations and random ones."""

from __future__ import annotations

import numpy as np
import pytest
from numba_vulkan.kernel import KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.model import Function
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.types import I64
from numba_vulkan.middle import split_int64
from numba_vulkan.middle.passes import Context
from unit.native import guard_shifts, run_over

CONTEXT = Context(KernelInterface("kernel", "kernel.py", 1), Variant(TargetProfile(int64=False)))
GENERATOR = np.random.default_rng(64)

POWERS = [1 << k for k in (0, 1, 8, 15, 16, 17, 23, 24, 30, 31, 32, 33, 47, 52, 53, 62, 63)]
EDGES = np.array(
    sorted({(sign * power + step) % 2**64 for power in POWERS for step in (-1, 0, 1) for sign in (1, -1)}),
    np.uint64,
)


def samples(count: int) -> np.ndarray:
    """Numbers of all lengths, with runs of ones and zeros: half of them random bits, half sums of two powers of 2."""
    lengths = GENERATOR.integers(0, 64, count, dtype=np.uint64)
    bits = GENERATOR.integers(0, 2**64, count, dtype=np.uint64) >> lengths
    one, other = (np.uint64(1) << GENERATOR.integers(0, 64, count, dtype=np.uint64) for _ in range(2))
    runs = np.where(GENERATOR.integers(0, 2, count) == 1, one - other, one + other)
    return np.where(GENERATOR.integers(0, 2, count) == 1, bits, runs)


def pairs_of_samples() -> list[np.ndarray]:
    left, right = (grid.ravel() for grid in np.meshgrid(EDGES, EDGES))
    return [np.concatenate([left, samples(30_000)]), np.concatenate([right, samples(30_000)])]


def words(x: np.ndarray) -> list[np.ndarray]:
    return [x.astype(np.uint32), (x >> np.uint64(32)).astype(np.uint32)]


def integers_of(results: list[np.ndarray]) -> np.ndarray:
    low, high = results
    return low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)


ARGUMENTS = "i32 %a.low, i32 %a.high, i32 %b.low, i32 %b.high, i32 %c.low, i32 %c.high"
JOINED = "\n".join(f"  %{x} = call i64 @nv.join.i64(i32 %{x}.low, i32 %{x}.high)" for x in "abc")
STORED = """
  %low = call i32 @nv.low.i64(i64 %r)
  %high = call i32 @nv.high.i64(i64 %r)
  store i32 %low, ptr %out.low
  store i32 %high, ptr %out.high
  ret void"""


def of_int64(code: str) -> Function:
    """A function of the 64-bit integers a, b and c, whose result is the 64-bit integer r."""
    text = (
        f"define void @f({ARGUMENTS}, ptr %out.low, ptr %out.high) {{\nentry:\n{JOINED}\n{code}\n{STORED}\n}}"
    )
    return parse_function(text, "f")


def of_condition(code: str) -> Function:
    """A function whose result is the condition r."""
    end = "  %word = zext i1 %r to i32\n  store i32 %word, ptr %out\n  ret void"
    return parse_function(
        f"define void @f({ARGUMENTS}, ptr %out) {{\nentry:\n{JOINED}\n{code}\n{end}\n}}", "f"
    )


def split(function: Function) -> Function:
    split_int64.run(function, CONTEXT)
    for instruction in function.instructions():
        assert instruction.type is not I64
        assert all(operand.type is not I64 for operand in instruction.operands)
    return function


def check(make, code: str, left: np.ndarray, right: np.ndarray, third: np.ndarray | None = None) -> Function:
    """Compare a function with itself after the pass."""
    inputs = words(left) + words(right) + words(left ^ right if third is None else third)
    expected = run_over(make(code), inputs)
    function = split(make(code))
    guard_shifts(function)
    results = run_over(function, inputs)
    for result, reference in zip(results, expected, strict=True):
        wrong = result != reference
        assert not wrong.any(), [
            (hex(a), hex(b)) for a, b in zip(left[wrong][:4], right[wrong][:4], strict=True)
        ]
    return function


@pytest.mark.parametrize("opcode", ["add", "sub", "mul", "and", "or", "xor"])
def test_arithmetic(opcode: str) -> None:
    check(of_int64, f"%r = {opcode} i64 %a, %b", *pairs_of_samples())


def without_undefined_divisions(opcode: str, left: np.ndarray, right: np.ndarray) -> list[np.ndarray]:
    defined = right != 0
    if opcode[0] == "s":
        defined &= ~((left == 1 << 63) & (right == 2**64 - 1))
    return [left[defined], right[defined]]


@pytest.mark.parametrize("opcode", ["udiv", "urem", "sdiv", "srem"])
def test_division(opcode: str) -> None:
    check(of_int64, f"%r = {opcode} i64 %a, %b", *without_undefined_divisions(opcode, *pairs_of_samples()))


@pytest.mark.parametrize("opcode", ["udiv", "urem", "sdiv", "srem"])
@pytest.mark.parametrize(
    "divisor",
    [
        1,
        -1,
        2,
        -2,
        3,
        -3,
        7,
        10,
        1000,
        65535,
        65536,
        65537,
        10**6,
        2**31 - 1,
        2**31,
        -(2**31),
        2**31 + 1,
        2**32 - 1,
    ]
    + [2**32, 2**32 + 1, 10**10, 2**62, 2**63 - 1, -(2**63), 0x123456789ABCDEF, 2**48 + 12345],
)
def test_division_by_constant(opcode: str, divisor: int) -> None:
    left = np.concatenate([EDGES, samples(4000)])
    near = (np.arange(1, 1500, dtype=np.uint64) * np.uint64(divisor % 2**64)).repeat(3)
    left = np.concatenate([left, near + np.tile(np.array([0, 1, 2**64 - 1], np.uint64), 1499)])
    if divisor == -1:
        left = left[left != 1 << 63]
    function = check(of_int64, f"%r = {opcode} i64 %a, {divisor}", left, left)
    assert len(function.blocks) == 1


def test_quotient_and_remainder_share_a_division() -> None:
    code = "%q = sdiv i64 %a, %b\n%m = srem i64 %a, %b\n%x = shl i64 %q, 1\n%r = xor i64 %x, %m"
    function = check(of_int64, code, *without_undefined_divisions("sdiv", *pairs_of_samples()))
    assert len(function.blocks) == 4


@pytest.mark.parametrize("opcode", ["shl", "lshr", "ashr"])
def test_shift(opcode: str) -> None:
    values = np.concatenate([EDGES, samples(500)])
    left = values.repeat(64)
    distance = np.tile(np.arange(64, dtype=np.uint64), len(values))
    check(of_int64, f"%r = {opcode} i64 %a, %b", left, distance)
    for constant in (0, 1, 8, 31, 32, 33, 62, 63):
        function = check(of_int64, f"%r = {opcode} i64 %a, {constant}", values, values)
        assert sum(i.opcode not in ("call", "store", "ret") for i in function.instructions()) <= 4


PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")


@pytest.mark.parametrize("predicate", PREDICATES)
def test_comparison(predicate: str) -> None:
    check(of_condition, f"%r = icmp {predicate} i64 %a, %b", *pairs_of_samples())
    left = np.concatenate([EDGES, samples(1000)])
    for bound in (0, -1, 1, 100, 2**32 - 1, 2**32, 2**40, -(2**32), 2**63 - 1, -(2**63)):
        check(of_condition, f"%r = icmp {predicate} i64 %a, {bound}", left, left)
    extended = "%x = {} i32 %a.low to i64\n%y = {} i32 %b.low to i64\n%r = icmp " + predicate + " i64 %x, %y"
    for first in ("zext", "sext"):
        for second in ("zext", "sext"):
            function = check(of_condition, extended.format(first, second), *pairs_of_samples())
            if first == second:
                assert sum(i.opcode == "icmp" for i in function.instructions()) == 1
