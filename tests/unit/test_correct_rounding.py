"""Quotients and square roots of a driver that is off by some units, corrected by fused multiply-adds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from numba_vulkan.abi import INVERSE_ROOT
from numba_vulkan.kernel import KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.build import Builder
from numba_vulkan.llvmir.model import Function, Instruction, Value, constant
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.types import F32, I32
from numba_vulkan.llvmir.verify import verify
from numba_vulkan.middle import correct_rounding
from numba_vulkan.middle.passes import Context
from numba_vulkan.middle.rewriting import Rule, rewrite
from numba_vulkan.runtime import probes
from unit.native import run_over

PROFILE = TargetProfile(
    rounds_division=False, rounds_sqrt=False, inverts_in_one_step=False, has_fused_fma=True
)
CONTEXT = Context(KernelInterface("rounding", __file__, 1, ()), Variant(PROFILE))


def corrected(operation: str, operands: int, units: int, context: Context = CONTEXT) -> Function:
    """Return the function that the pass makes, on a driver whose results are that many units off."""
    parameters = ", ".join(f"float %x{i}" for i in range(operands))
    kind = "double" if "double" in operation else "float"
    text = f"""declare float @llvm.sqrt.f32(float)
declare double @llvm.sqrt.f64(double)
declare float @nv.reciprocal.f32(float)
declare float @nv.root.f32(float)
declare double @nv.root.f64(double)
define void @f({parameters.replace("float", kind)}, ptr %out) {{
  %y = {operation}
  store {kind} %y, ptr %out
  ret void
}}"""
    return corrected_text(text, units, context)


def corrected_text(text: str, units: int, context: Context = CONTEXT) -> Function:
    """Return what the pass makes of a function, on a driver whose results are that many units off."""
    function = parse_function(text, "f")
    correct_rounding.run(function, context)
    verify(function)

    def is_drivers(i: Instruction) -> bool:
        return i.opcode == "fdiv" or (i.opcode == "call" and i.callee in ("llvm.sqrt.f32", INVERSE_ROOT))

    def off(b: Builder, i: Instruction, _context: Context) -> Value:
        if i.opcode == "call" and i.callee == INVERSE_ROOT:
            exact = b.binary("fdiv", constant(F32, 0x3F800000), b.call("llvm.sqrt.f32", F32, *i.operands))
        else:
            exact = b.emit(Instruction(i.opcode, i.type, list(i.operands), detail=i.detail))
        moved = b.binary("add", b.cast("bitcast", exact, I32), b.i32(units))
        return b.cast("bitcast", moved, F32)

    rule: Rule = off
    rewrite(function, lambda i: rule if is_drivers(i) else None, CONTEXT)
    return function


def numbers(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of normal numbers whose quotients are normal, or overflow."""
    rng = np.random.default_rng(4)
    bits = rng.integers(0x00800000, 0x7F800000, (2, count), np.uint32)
    bits |= rng.integers(0, 2, (2, count), np.uint32) << np.uint32(31)
    bits[:, : count // 2] = bits[:, : count // 2] & 0x007FFFFF | 0x3F800000
    x, y = bits.view(np.float32)
    with np.errstate(all="ignore"):
        is_normal = np.abs(x / y) >= np.finfo(np.float32).tiny
    return x[is_normal], y[is_normal]


@pytest.mark.parametrize("units", [-2, -1, 0, 1, 2])
def test_quotients(units):
    x, y = numbers(200_000)
    (got,) = run_over(corrected("fdiv float %x0, %x1", 2, units), [x, y])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(got, x / y)


@pytest.mark.parametrize("units", [-1, 0, 1])
def test_square_roots(units):
    x = np.abs(numbers(400_000)[0])
    (got,) = run_over(corrected("call float @llvm.sqrt.f32(float %x0)", 1, units), [x])
    np.testing.assert_array_equal(got, np.sqrt(x))


def mantissas(first: int, end: int) -> np.ndarray:
    return np.arange(first, end, dtype=np.uint32).view(np.float32)


def near_middles(distance: int, bits: int) -> tuple[np.ndarray, np.ndarray]:
    """Return n and d whose quotients miss the middle of two floats by so much: n * 2**bits = d * odd + distance."""
    d = np.arange((1 << 23) | 1, 1 << 24, 64, dtype=np.int64)
    inverse = d.copy()
    for _ in range(5):
        inverse *= 2 - d * inverse
    quotient = (-distance * inverse) & ((1 << bits) - 1) | (1 << 24)
    n = (d * quotient + distance) >> bits
    fits = (quotient < 1 << 25) & (n << bits == d * quotient + distance) & (n >= 1 << 23) & (n < 1 << 24)
    return n[fits].astype(np.float32), d[fits].astype(np.float32)


@pytest.mark.parametrize("units", [-3, -1, 0, 2, 3])
def test_quotients_near_the_middle_of_two_floats(units):
    for distance in (-3, -1, 1, 3):
        pairs = [near_middles(distance, bits) for bits in (24, 25)]
        n, d = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
        assert n.size > 30_000
        (got,) = run_over(corrected("fdiv float %x0, %x1", 2, units), [n, d])
        np.testing.assert_array_equal(got, n / d)


def squares_near_middles(distance: int, bits: int) -> list[float]:
    """Return whole float64 numbers that miss the square of the middle of two roots by so much, times 2**-bits."""
    found = {1, 3, 5, 7}
    for known in range(4, bits + 1):
        step = 1 << (known - 1)
        both = {(r + more) % (1 << known) for r in found for more in (0, step)}
        found = {r for r in both if (r * r - distance) % (1 << known) == 0}
    middles = [r + more for r in found for more in (0, 1 << bits) if 1 << 53 <= r + more < 1 << 54]
    numbers = [(m * m - distance) >> bits for m in middles]
    return [float(x) for x in numbers if x.bit_length() == 53]


@pytest.mark.parametrize("units", [-3, -1, 0, 1, 3])
@pytest.mark.parametrize("operation", ["llvm.sqrt", "nv.root"])
def test_square_roots_of_float64(operation, units):
    hard = [x for j in range(-1023, 1024, 8) for bits in (54, 55) for x in squares_near_middles(j, bits)]
    assert len(hard) > 200
    rng = np.random.default_rng(3)
    exponents = rng.integers(0x0400, 0x7FE0, 100_000, np.uint64) << np.uint64(48)
    x = np.concatenate([hard, np.nextafter([1.0, 2.0, 4.0], 0), rng.uniform(1, 4, 100_000)])
    spread = (exponents + rng.integers(0, 1 << 52, exponents.size, np.uint64)).view(np.float64)
    x = np.concatenate([x, x * 2, spread])
    (got,) = run_over(corrected(f"call double @{operation}.f64(double %x0)", 1, units), [x])
    np.testing.assert_array_equal(got, np.sqrt(x))


@pytest.mark.parametrize("units", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("scale", [1.0, -(2.0**-50), 2.0**100])
def test_reciprocals_at_ties(units, scale):
    """Reciprocals of numbers just below a power of two are just above the middle of two floats."""
    y = mantissas(0x40000000 - (1 << 14), 0x40000000) * np.float32(scale)
    x = np.ones_like(y)
    (got,) = run_over(corrected("fdiv float %x0, %x1", 2, units), [x, y])
    np.testing.assert_array_equal(got, x / y)


@pytest.mark.parametrize("units", [-2, 0, 1])
def test_reciprocals_and_roots_of_moderate_numbers(units):
    x = mantissas(0x3F800000, 0x40000000)
    (got,) = run_over(corrected("call float @nv.reciprocal.f32(float %x0)", 1, units), [x])
    np.testing.assert_array_equal(got, 1 / x)
    x = mantissas(0x3F800000, 0x40800000)[::3]
    (got,) = run_over(corrected("call float @nv.root.f32(float %x0)", 1, units), [x])
    np.testing.assert_array_equal(got, np.sqrt(x))


@pytest.mark.parametrize("units", [-3, -2, -1, 0, 1, 2, 3])
def test_one_step_of_reciprocals(units):
    """It is enough for all numbers but those that the probe looks at, and for all if the driver is right."""
    x = mantissas(0x3F800000, 0x40000000)
    context = replace(CONTEXT, variant=Variant(replace(PROFILE, inverts_in_one_step=True)))
    (got,) = run_over(corrected("call float @nv.reciprocal.f32(float %x0)", 1, units, context), [x])
    wrong = np.flatnonzero(got != 1 / x).tolist()
    assert set(wrong) <= set(probes.HARD_INVERSES)
    assert bool(wrong) == (units != 0)
    hard = x[list(probes.HARD_INVERSES)]
    found = ((1 / hard).view(np.int32) + np.int32(units)).view(np.float32)
    is_enough = map(probes._one_step_is_enough, hard.tolist(), found.tolist())
    enough = {m for m, answer in zip(probes.HARD_INVERSES, is_enough, strict=True) if answer}
    assert enough.isdisjoint(wrong)
    assert len(enough) + len(wrong) >= len(probes.HARD_INVERSES) - 1  # but for one tie


CHAIN = """declare float @llvm.sqrt.f32(float)
define void @f(float %x, float %y, ptr %out, ptr %second) {
  %a = fdiv float %x, %y
  %b = fmul float %a, %a
  %c = call float @llvm.sqrt.f32(float %b)
  %d = fadd float %c, %x
  %e = fdiv float %d, %a
  store float %e, ptr %out
  %f = fdiv float %b, %d
  store float %f, ptr %second
  ret void
}"""


@pytest.mark.parametrize("units", [-1, 0, 1])
def test_operations_that_share_a_branch(units):
    """Ordinary and other operands of one operation and of another, and results that are used behind the branch."""
    function = corrected_text(CHAIN, units)
    branches = [block for block in function.blocks if len(block.successors) > 1]
    assert len(branches) == 2  # the store is in between
    x, y = numbers(100_000)
    x[::13], y[::17] = np.float32(1e38), np.float32(2e-38)
    if units == 0:  # results for these operands are the driver's
        x[::7], y[::11], x[::19] = 0, np.inf, np.nan
    first, second = run_over(function, [x, y])
    with np.errstate(all="ignore"):
        a = x / y
        b = a * a
        d = np.sqrt(b) + x
        expected, other = d / a, b / d
        is_normal = np.ones(x.size, bool)
        for value in (a, b, d, expected, other) if units else ():  # so are denormal numbers and others
            is_normal &= (np.abs(value) >= np.finfo(np.float32).tiny) & np.isfinite(value)
    assert is_normal.sum() > 40_000
    np.testing.assert_array_equal(first[is_normal], expected[is_normal])
    np.testing.assert_array_equal(second[is_normal], other[is_normal])


@pytest.mark.parametrize("value", [0.0, -0.0, np.inf, -np.inf, np.nan])
def test_special_operands_keep_the_drivers_result(value):
    x = np.array([value, 1, value, 2.5, value], np.float32)
    y = np.array([3, value, value, 0, np.inf], np.float32)
    (quotient,) = run_over(corrected("fdiv float %x0, %x1", 2, 0), [x, y])
    (root,) = run_over(corrected("call float @llvm.sqrt.f32(float %x0)", 1, 0), [x])
    doubles = np.append(x.astype(np.float64), [-1.0, 5e-324, 1e-300, -1e-300, 1.7e308])
    (of_double,) = run_over(corrected("call double @llvm.sqrt.f64(double %x0)", 1, 0), [doubles])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(quotient, x / y)
        np.testing.assert_array_equal(root, np.sqrt(x))
        np.testing.assert_array_equal(of_double, np.sqrt(doubles))
        np.testing.assert_array_equal(np.signbit(quotient), np.signbit(x / y))
