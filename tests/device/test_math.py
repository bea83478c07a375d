"""Math functions in kernels: the same bits as their sources have on the CPU, denormals apart."""

from __future__ import annotations

import math

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan.mathlib.table import FUNCTIONS
from unit.math_twin import twin


@nv.jit
def exponentials(x, y, out):
    i = nv.global_id(0)
    if i < x.size:
        out[0, i] = math.exp(x[i])
        out[1, i] = math.exp2(x[i])
        out[2, i] = math.expm1(x[i])
        out[3, i] = math.log(x[i])
        out[4, i] = math.log2(x[i])
        out[5, i] = math.log10(x[i])
        out[6, i] = math.log1p(x[i])
        out[7, i] = x[i] ** y[i]


@nv.jit
def angles(x, y, out):
    i = nv.global_id(0)
    if i < x.size:
        out[0, i] = math.sin(x[i])
        out[1, i] = math.cos(x[i])
        out[2, i] = math.tan(x[i])
        out[3, i] = math.asin(x[i])
        out[4, i] = math.acos(x[i])
        out[5, i] = math.atan(x[i])
        out[6, i] = math.atan2(x[i], y[i])
        out[7, i] = math.hypot(x[i], y[i])


@nv.jit
def hyperbolic(x, y, out):
    i = nv.global_id(0)
    if i < x.size:
        out[0, i] = math.sinh(x[i])
        out[1, i] = math.cosh(x[i])
        out[2, i] = math.tanh(x[i])
        out[3, i] = math.asinh(x[i])
        out[4, i] = math.acosh(x[i])
        out[5, i] = math.atanh(x[i])
        out[6, i] = np.cbrt(x[i])
        out[7, i] = math.remainder(x[i], y[i])


@nv.jit
def special(x, y, out):
    i = nv.global_id(0)
    if i < x.size:
        out[0, i] = math.erf(x[i])
        out[1, i] = math.erfc(x[i])
        out[2, i] = math.gamma(x[i])
        out[3, i] = math.lgamma(x[i])
        out[4, i] = math.fmod(x[i], y[i])
        out[5, i] = x[i] % y[i]
        out[6, i] = x[i] // y[i]
        out[7, i] = np.nextafter(x[i], y[i])


GROUPS = [
    (exponentials, "exp exp2 expm1 log log2 log10 log1p pow"),
    (angles, "sin cos tan asin acos atan atan2 hypot"),
    (hyperbolic, "sinh cosh tanh asinh acosh atanh cbrt remainder"),
    (special, "erf erfc gamma lgamma fmod modulo floor_divide nextafter"),
]


def operands(width: type[np.floating], unsigned: type[np.unsignedinteger]) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of numbers of all sizes and of those that functions are used for."""
    rng = np.random.default_rng(3)
    count = 2000
    x = np.concatenate(
        [
            rng.integers(0, np.iinfo(unsigned).max, count, unsigned).view(width),
            rng.uniform(-110, 110, count).astype(width),
            rng.standard_normal(count).astype(width),
            (1 + 0.1 * rng.standard_normal(count)).astype(width),
            np.array([0.0, -0.0, 1, -1, math.inf, -math.inf, math.nan], width),
        ]
    )
    return x, rng.permutation(x)


def is_denormal(values: np.ndarray) -> np.ndarray:
    return (np.abs(values) < np.finfo(values.dtype).tiny) & (values != 0)


def assert_same_bits(got, expected, *given):
    """Compare bits, all NaN being one, where no denormal is involved, which some drivers flush."""
    unsigned = f"u{got.dtype.itemsize}"
    same = (got.view(unsigned) == expected.view(unsigned)) | (np.isnan(got) & np.isnan(expected))
    for values in (got, expected, *given):
        same |= is_denormal(values)
    assert same.all(), [(*(a[k] for a in given), got[k], expected[k]) for k in np.flatnonzero(~same)[:4]]


PRECISIONS = [
    ("f32", np.float32, np.uint32),
    pytest.param("f64", np.float64, np.uint64, marks=pytest.mark.needs("float64")),
]


@pytest.mark.mesa22
@pytest.mark.parametrize(("precision", "width", "unsigned"), PRECISIONS)
@pytest.mark.parametrize(("kernel", "names"), GROUPS, ids=[kernel.__name__ for kernel, _ in GROUPS])
def test_results_have_the_bits_of_the_cpu(device, kernel, names, precision, width, unsigned):
    x, y = operands(width, unsigned)
    out = np.zeros((8, x.size), width)
    kernel.forall(x.size)(x, y, out)
    for row, name in enumerate(names.split()):
        given = (x, y)[: len(FUNCTIONS[name].operands)]
        # What is left of a division decides the sign of %, and may be denormal.
        rest = (twin("fmod", precision)(x, y),) if name == "modulo" else ()
        assert_same_bits(out[row], twin(name, precision)(*given), *given, *rest)


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
