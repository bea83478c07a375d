"""Math functions in kernels: the same bits as their sources have on the CPU, denormals apart; names and types."""

from __future__ import annotations

import math

import numpy as np
import pytest

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
