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


@pytest.mark.mesa22
@pytest.mark.parametrize(("kernel", "names"), GROUPS, ids=[kernel.__name__ for kernel, _ in GROUPS])
def test_float32_has_the_bits_of_the_cpu(device, kernel, names):
    x, y = operands(np.float32, np.uint32)
    out = np.zeros((8, x.size), np.float32)
    kernel.forall(x.size)(x, y, out)
    for row, name in enumerate(names.split()):
        given = (x, y)[: len(FUNCTIONS[name].operands)]
        # What is left of a division decides the sign of %, and may be denormal.
        rest = (twin("fmod", "f32")(x, y),) if name == "modulo" else ()
        assert_same_bits(out[row], twin(name, "f32")(*given), *given, *rest)


@nv.jit
def whole_roots(x, out):
    for i in range(x.size):
        if x[i] > 2:
            out[i] = int(np.floor(np.sqrt(x[i])))


def test_ufuncs_in_loops(device):
    """Loading the math library while a loop is typed leaves the types of functions in it as they are."""
    x = np.arange(10, dtype=np.float32)
    out = np.zeros(10, np.int32)
    whole_roots.forall(1, local_size=1)(x, out)
    np.testing.assert_array_equal(out, [0, 0, 0, 1, 2, 2, 2, 2, 2, 3])
