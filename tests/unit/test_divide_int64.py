"""Divisions of 64-bit integers equal LLVM's own, however they are computed."""

from __future__ import annotations

import numpy as np
import pytest

from numba_vulkan.kernel import KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.model import Function
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.verify import verify
from numba_vulkan.middle import divide_int64
from numba_vulkan.middle.passes import Context
from unit.int64_samples import DIVISORS, near_multiples, pairs_of_samples, without_undefined_divisions
from unit.native import run_over

CONTEXT = Context(KernelInterface("kernel", "kernel.py", 1), Variant(TargetProfile()))
OPCODES = ("udiv", "urem", "sdiv", "srem")


def function(code: str) -> Function:
    """A function of the 64-bit integers a and b, whose result is r."""
    end = "store i64 %r, ptr %out\n  ret void"
    return parse_function(f"define void @f(i64 %a, i64 %b, ptr %out) {{\nentry:\n  {code}\n  {end}\n}}", "f")


def check(code: str, left: np.ndarray, right: np.ndarray) -> Function:
    """Compare a function with itself after the pass."""
    (expected,) = run_over(function(code), [left, right])
    divided = function(code)
    divide_int64.run(divided, CONTEXT)
    verify(divided)
    (result,) = run_over(divided, [left, right])
    wrong = result != expected
    assert not wrong.any(), [(hex(a), hex(b)) for a, b in zip(left[wrong][:4], right[wrong][:4], strict=True)]
    return divided


def divisions(divided: Function) -> list[str]:
    return [f"{i.opcode} {i.type}" for i in divided.instructions() if i.opcode in OPCODES]


@pytest.mark.parametrize("opcode", OPCODES)
def test_by_variables(opcode: str) -> None:
    left, right = without_undefined_divisions(opcode, *pairs_of_samples())
    divided = check(f"%r = {opcode} i64 %a, %b", left, right)
    with_signs = ["udiv i32", "udiv i64"]
    assert divisions(divided) == (["udiv i32", *with_signs] if opcode[0] == "s" else with_signs)


@pytest.mark.parametrize("opcode", OPCODES)
@pytest.mark.parametrize("divisor", DIVISORS)
def test_by_constants(opcode: str, divisor: int) -> None:
    left = near_multiples(divisor)
    if divisor == -1:
        left = left[left != 1 << 63]
    for code in (
        f"%r = {opcode} i64 %a, {divisor}",
        f"%x = lshr i64 %a, 1\n  %r = {opcode} i64 %x, {divisor}",  # known not to be negative
        f"%x = ashr i64 %a, 40\n  %r = {opcode} i64 %x, {divisor}",
    ):
        assert not divisions(check(code, left, left))


def test_numbers_without_signs_need_none() -> None:
    left, right = without_undefined_divisions("sdiv", *pairs_of_samples())
    code = "%x = lshr i64 %a, 1\n  %s = lshr i64 %b, 1\n  %y = or i64 %s, 1\n  %r = sdiv i64 %x, %y"
    assert divisions(check(code, left, right)) == ["udiv i32", "udiv i64"]


def test_quotient_and_remainder_share_a_division() -> None:
    code = "%q = sdiv i64 %a, %b\n  %m = srem i64 %a, %b\n  %x = shl i64 %q, 1\n  %r = xor i64 %x, %m"
    divided = check(code, *without_undefined_divisions("sdiv", *pairs_of_samples()))
    assert divisions(divided) == ["udiv i32", "udiv i32", "udiv i64"]


def test_division_by_the_constant_zero_compiles() -> None:
    divided = function("%r = udiv i64 %a, 0")
    divide_int64.run(divided, CONTEXT)
    verify(divided)
