"""``@jit(fma=…, fastmath=…, narrow_math=…)``: what each gives up, and what it must not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import types

import numba_vulkan as nv


def polynomial(x, out):
    i = nv.global_id(0)
    if i < x.size:
        out[i] = (x[i] * x[i] + x[i]) * x[i] - x[i] * np.float32(3)


def functions(x, out):
    i = nv.global_id(0)
    if i < x.size:
        out[0, i] = math.exp(x[i])
        out[1, i] = math.log(abs(x[i]))
        out[2, i] = math.sin(x[i]) / math.cosh(x[i])
        out[3, i] = math.erf(x[i])


def numbers(dtype: type[np.floating]) -> np.ndarray:
    return np.random.default_rng(5).uniform(-8, 8, 5000).astype(dtype)


@pytest.mark.parametrize("options", [{"fma": True}, {"fastmath": True}, {"fma": True, "narrow": True}])
def test_products_and_sums_may_be_one_operation(device, options):
    x = numbers(np.float32)
    out = np.zeros_like(x)
    nv.jit(polynomial, **options).forall(x.size)(x, out)
    wide = x.astype(np.float64)
    terms = (wide * wide + np.abs(wide)) * np.abs(wide) + np.abs(wide) * 3
    error = np.abs(out - ((wide * wide + wide) * wide - wide * 3)) / terms
    assert error.max() < 2 * np.finfo(np.float32).eps


def test_no_option_leaves_two_roundings(device):
    x = numbers(np.float32)
    out = np.zeros_like(x)
    nv.jit(polynomial).forall(x.size)(x, out)
    np.testing.assert_array_equal(out, (x * x + x) * x - x * np.float32(3))


def expected(x: np.ndarray) -> np.ndarray:
    wide = x.astype(np.float64)
    erf = np.array([math.erf(v) for v in wide])
    return np.stack([np.exp(wide), np.log(np.abs(wide)), np.sin(wide) / np.cosh(wide), erf])


@pytest.mark.parametrize("options", [{"fma": True}, {"fastmath": True}])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_stay_accurate(device, dtype, options):
    if dtype is np.float64 and not device.info.float64:
        pytest.skip(f"{device.info.name} lacks float64")
    x = numbers(dtype)
    out = np.zeros((4, x.size), dtype)
    nv.jit(functions, **options).forall(x.size)(x, out)
    # Drivers must be good to 2**-11 absolutely in sines between -pi and pi, and the least lose more beyond.
    bound = 4e-3 if dtype is np.float32 and "fastmath" in options else 4 * np.finfo(dtype).eps
    wanted = expected(x)
    error = np.abs(out - wanted) / np.maximum(np.abs(wanted), 1e-2)
    assert error.max() < bound


@pytest.mark.parametrize("options", [{}, {"fma": True}, {"fastmath": True}])
def test_narrow_functions_of_wide_numbers(device, options):
    if not device.info.float64:
        pytest.skip(f"{device.info.name} lacks float64")
    x = numbers(np.float64)
    out = np.zeros((4, x.size))
    nv.jit(functions, narrow_math=True, **options).forall(x.size)(x, out)
    narrow = np.zeros((4, x.size), np.float32)
    nv.jit(functions, **options).forall(x.size)(x.astype(np.float32), narrow)
    # The functions round their argument; the quotient stays float64.
    np.testing.assert_array_equal(out[[0, 3]], narrow[[0, 3]])
    np.testing.assert_allclose(out, expected(x), rtol=4e-3, atol=1e-4)
    assert (out[2] != out[2].astype(np.float32)).any()


@nv.jit(fastmath=True)
def powers(x, y, out):
    i = nv.global_id(0)
    if i < x.size:
        out[i] = x[i] ** y[i]


def test_fast_powers_of_negative_numbers(device):
    x = np.array([-2, -2, -2, 3, 0, 0, -1.5, 2, 0], np.float32)
    y = np.array([3, 4, 0.5, 2.5, 3, 0, -3, -1, -2], np.float32)
    out = np.zeros_like(x)
    powers.forall(x.size)(x, y, out)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(out, x**y, rtol=1e-3)


@nv.jit(fastmath=True)
def more(x, out):
    i = nv.global_id(0)
    if i < x.size:
        out[0, i] = math.erf(x[i])
        out[1, i] = math.erfc(x[i])
        out[2, i] = math.sinh(x[i])
        out[3, i] = math.cosh(x[i])
        out[4, i] = math.tanh(x[i])


def test_fast_functions_of_exponentials(device):
    x = numbers(np.float32)
    out = np.zeros((5, x.size), np.float32)
    more.forall(x.size)(x, out)
    functions = (math.erf, math.erfc, math.sinh, math.cosh, math.tanh)
    np.testing.assert_allclose(out, [[f(float(v)) for v in x] for f in functions], rtol=1e-3, atol=1e-30)


def test_kernels_of_different_modes_are_different(device):
    modes = [{}, {"fma": True}, {"fastmath": True}, {"narrow_math": True}]
    kernels = [nv.jit(polynomial, **mode) for mode in modes]
    arrays = (types.float32[::1], types.float32[::1])
    assert len({kernel.compile(arrays).variant for kernel in kernels}) == len(modes)
