"""Float64 computed in float32: types, constants, conversions and bits."""

from __future__ import annotations

import numpy as np
import pytest

from numba_vulkan.errors import VulkanUnsupportedError
from numba_vulkan.kernel import KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.model import Function
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.printing import print_function
from numba_vulkan.llvmir.types import F64
from numba_vulkan.middle import narrow_floats
from numba_vulkan.middle.passes import Context
from unit.native import run_over

CONTEXT = Context(KernelInterface("kernel", "kernel.py", 1), Variant(TargetProfile(float64=False)))
GENERATOR = np.random.default_rng(32)
FLOATS = np.concatenate(
    [
        (GENERATOR.uniform(-1, 1, 5000) * 2.0 ** GENERATOR.integers(-140, 120, 5000)).astype(np.float32),
        np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3.4e38], np.float32),
    ]
)


def narrowed(code: str, arguments: str = "float %a, float %b, ptr %out") -> Function:
    function = parse_function(f"define void @f({arguments}) {{\nentry:\n{code}\n  ret void\n}}", "f")
    narrow_floats.run(function, CONTEXT)
    for instruction in function.instructions():
        assert F64 not in (instruction.type, instruction.detail, *(o.type for o in instruction.operands))
    return function


def body(function: Function) -> list[str]:
    lines = print_function(function, declarations=False).splitlines()
    return [line.strip() for line in lines if line.startswith("  ")]


def test_operations_and_conversions() -> None:
    code = """  %x = fpext float %a to double
  %y = fpext float %b to double
  %p = fmul double %x, 0x3FB999999999999A
  %q = fcmp olt double %p, %y
  %s = select i1 %q, double %p, double %y
  %r = fsub double %s, 2.500000e+00
  %n = fptrunc double %r to float
  store float %n, ptr %out"""
    function = narrowed(code)
    assert [i.opcode for i in function.instructions()] == ["fmul", "fcmp", "select", "fsub", "store", "ret"]
    left, right = FLOATS, GENERATOR.permutation(FLOATS)
    (result,) = run_over(function, [left, right])
    with np.errstate(all="ignore"):
        product = left * np.float32(0.1)
        expected = np.where(product < right, product, right) - np.float32(2.5)
    assert np.array_equal(result, expected, equal_nan=True)


@pytest.mark.parametrize("opcode", ["sitofp", "uitofp"])
def test_integers_convert_to_float32(opcode: str) -> None:
    function = narrowed(f"  %x = {opcode} i32 %a to double\n  store double %x, ptr %out", "i32 %a, ptr %out")
    values = GENERATOR.integers(0, 2**32, 5000, dtype=np.uint32)
    (result,) = run_over(function, [values])
    assert (result == (values.view(np.int32) if opcode == "sitofp" else values).astype(np.float32)).all()


ROUNDED = (
    0.1,
    -0.1,
    1e39,
    -1e39,
    1e-46,
    7.1e-46,
    1.5e-45,
    -0.0,
    np.inf,
    -np.inf,
    1 + 2.0**-24,
    1 + 3 * 2.0**-24,
)
AROUND_OVERFLOW = (3.4028235677973362e38, 3.4028235677973366e38)


@pytest.mark.parametrize("value", ROUNDED + AROUND_OVERFLOW)
def test_constants_round_to_nearest(value: float) -> None:
    bits = int(np.float64(value).view(np.uint64))
    function = narrowed(f"  store double 0x{bits:016X}, ptr %out")
    (result,) = run_over(function, [FLOATS[:1], FLOATS[:1]])
    with np.errstate(over="ignore", under="ignore"):
        expected = np.float64(value).astype(np.float32)
    assert result.view(np.uint32)[0] == expected.view(np.uint32)


def test_constant_nan_keeps_sign_and_payload() -> None:
    function = narrowed("  store double 0xFFFC000000000000, ptr %out")
    (result,) = run_over(function, [FLOATS[:1], FLOATS[:1]])
    assert result.view(np.uint32)[0] == 0xFFE00000


def test_names() -> None:
    code = """  %x = call double @nv.load.f64.i32(i32 1, i32 2)
  %p = call double @nv.param.f64(i32 0)
  %s = call double @llvm.sqrt.f64(double %x)
  %m = call double @llvm.fma.f64(double %s, double %p, double 1.0)
  %i = call i64 @llvm.fptosi.sat.i64.f64(double %m)
  call void @nv.store.f64.i64(i32 1, i64 %i, double %m)"""
    assert body(narrowed(code)) == [
        "%x = call float @nv.load.f64_as_f32.i32(i32 1, i32 2)",
        "%p = call float @nv.param.f64_as_f32(i32 0)",
        "%s = call float @llvm.sqrt.f32(float %x)",
        "%m = call float @llvm.fma.f32(float %s, float %p, float 1.0)",
        "%i = call i64 @llvm.fptosi.sat.i64.f32(float %m)",
        "call void @nv.store.f64_as_f32.i64(i32 1, i64 %i, float %m)",
        "ret void",
    ]


def test_variables_and_tables() -> None:
    table = "@t = private unnamed_addr constant [3 x double] [double 0.0, double 0x3FB999999999999A, double 1e300]\n"
    code = """  %v = alloca [3 x double]
  %p = getelementptr inbounds double, ptr @t, i32 %k
  %x = load double, ptr %p
  %q = getelementptr inbounds double, ptr %v, i32 %k
  store double %x, ptr %q
  %y = load double, ptr %q
  %r = fadd double %x, %y
  store double %r, ptr %out
  ret void"""
    function = parse_function(f"{table}define void @f(i32 %k, ptr %out) {{\nentry:\n{code}\n}}", "f")
    narrow_floats.run(function, CONTEXT)
    (result,) = run_over(function, [np.arange(3, dtype=np.uint32)])
    assert (result == np.array([0, 2 * np.float32(0.1), np.inf], np.float32)).all()


def test_bits_are_those_of_the_equal_float64() -> None:
    code = """  %x = fpext float %a to double
  %i = call i64 @nv.bits.f64(double %x)
  %l = call i32 @nv.low.i64(i64 %i)
  %h = call i32 @nv.high.i64(i64 %i)
  store i32 %l, ptr %low
  store i32 %h, ptr %high
  %j = xor i64 %i, -9223372036854775808
  %y = call double @nv.frombits.f64(i64 %j)
  store double %y, ptr %negative"""
    function = narrowed(code, "float %a, ptr %low, ptr %high, ptr %negative")
    low, high, negative = run_over(function, [FLOATS])
    expected = FLOATS.astype(np.float64).view(np.uint64)
    assert (low == expected.astype(np.uint32)).all()
    assert (high == (expected >> np.uint64(32)).astype(np.uint32)).all()
    assert (negative.view(np.uint32) == (-FLOATS).view(np.uint32)).all()


@pytest.mark.parametrize("code", ["%i = bitcast double %x to i64", "%y = bitcast i64 %k to double"])
def test_tricks_with_bits_are_refused(code: str) -> None:
    with pytest.raises(VulkanUnsupportedError, match=r"bits of a float64.*another narrow="):
        narrowed(f"  %x = fpext float %a to double\n  {code}", "float %a, i64 %k")
