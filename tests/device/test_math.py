"""Math functions in kernels: the same bits as their sources have on the CPU, denormals apart; names and types."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numba.core.errors import NumbaError

import numba_vulkan as nv
from numba_vulkan.mathlib.table import FUNCTIONS
from unit.math_identity import digest, expected_digests, on_device

EXPECTED = expected_digests()


@pytest.mark.mesa22
@pytest.mark.parametrize("name", FUNCTIONS)
def test_float32_has_the_bits_of_the_cpu(device, name):
    assert digest(on_device(name, "f32")) == EXPECTED[f"{name}.f32"]


@pytest.mark.mesa22
@pytest.mark.needs("float64")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_float64_has_the_bits_of_the_cpu(device, name):
    assert digest(on_device(name, "f64")) == EXPECTED[f"{name}.f64"]


@nv.jit
def mixed(x, n, out, parts, digits):
    i = nv.global_id(0)
    if i < x.size:
        out[0, i], parts[0, i] = math.frexp(x[i])
        out[1, i] = math.ldexp(x[i], n[i])
        out[2, i], out[3, i] = math.modf(x[i])
        out[4, i], out[5, i] = divmod(x[i], out[1, i])
        out[6, i] = round(x[i], digits)
        parts[1, i] = round(x[i])


@pytest.mark.parametrize("width", [np.float32, pytest.param(np.float64, marks=pytest.mark.needs("float64"))])
def test_parts_and_rounding(device, width):
    rng = np.random.default_rng(2)
    x = np.concatenate(
        [rng.standard_normal(500) * 100, [0.5, 1.5, 2.5, -0.5, -1.5, 0.125, 1234.5678, -7.0, 0.0]]
    )
    x = x.astype(width)
    n = rng.integers(-20, 20, x.size, np.int64)
    out, parts = np.zeros((7, x.size), width), np.zeros((2, x.size), np.int64)
    mixed.forall(x.size)(x, n, out, parts, 2)
    fraction, exponent = np.frexp(x)
    scaled = np.ldexp(x, n)
    with np.errstate(all="ignore"):
        expected = [fraction, scaled, *np.modf(x), *np.divmod(x, scaled)]
    for got, wanted in zip(out, expected, strict=False):
        np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(parts[0], exponent)
    np.testing.assert_array_equal(parts[1], np.rint(x).astype(np.int64))
    np.testing.assert_allclose(out[6], np.round(x, 2), rtol=4 * np.finfo(width).eps)


def test_integers_and_mixed_operands(device):
    @nv.jit
    def kernel(a, b, x, out, whole):
        i = nv.global_id(0)
        if i < a.size:
            out[0, i] = math.sqrt(a[i])
            out[1, i] = x[i] ** b[i]
            out[2, i] = np.hypot(x[i], a[i])
            out[3, i] = np.exp(np.float32(0.5))
            whole[0, i] = math.gcd(a[i], b[i])
            whole[1, i] = np.fmod(-a[i], b[i])
            whole[2, i] = np.lcm(a[i], b[i])

    a = np.array([12, 35, 7, 1000], np.int32)
    b = np.array([18, 14, 3, 64], np.int32)
    x = np.array([1.5, 0.25, 2.0, 1.0], np.float32)
    out, whole = np.zeros((4, 4), np.float32), np.zeros((3, 4), np.int32)
    kernel.forall(4)(a, b, x, out, whole)
    np.testing.assert_allclose(out[0], np.sqrt(a), rtol=1e-6)
    np.testing.assert_allclose(out[1], x.astype(float) ** b, rtol=1e-6)
    np.testing.assert_allclose(out[2], np.hypot(x, a), rtol=1e-6)
    np.testing.assert_allclose(out[3], np.exp(0.5), rtol=1e-6)
    np.testing.assert_array_equal(whole, [np.gcd(a, b), np.fmod(-a, b), np.lcm(a, b)])


@pytest.mark.parametrize("width", [np.float32, pytest.param(np.float64, marks=pytest.mark.needs("float64"))])
def test_functions_without_a_name_elsewhere(device, width):
    @nv.jit
    def kernel(x, y, z, out):
        i = nv.global_id(0)
        if i < x.size:
            out[0, i] = nv.math.exp10(x[i])
            out[1, i] = nv.math.rsqrt(y[i])
            out[2, i], out[3, i] = nv.math.sincos(x[i])
            out[4, i] = nv.math.fma(x[i], y[i], z[i])
            out[5, i], out[6, i] = math.sin(x[i]), math.cos(x[i])

    rng = np.random.default_rng(8)
    x = rng.uniform(-2, 2, 300).astype(width)
    y = rng.uniform(0.1, 9, 300).astype(width)
    z = -x * y
    out = np.zeros((7, x.size), width)
    kernel.forall(x.size)(x, y, z, out)
    np.testing.assert_allclose(out[0], 10.0**x, rtol=4 * np.finfo(width).eps)
    np.testing.assert_allclose(out[1], 1 / np.sqrt(y), rtol=4 * np.finfo(width).eps)
    np.testing.assert_array_equal(out[2:4], out[5:])
    exact = [
        float(Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)))
        for a, b, c in zip(x, y, z, strict=True)
    ]
    np.testing.assert_array_equal(out[4], np.array(exact, width))


def test_missing_functions_are_named(device):
    @nv.jit
    def kernel(out):
        out[0] = math.factorial(3)

    with pytest.raises(NumbaError, match=r"math\.factorial is not available in kernels"):
        kernel[1, 1](np.zeros(1))
