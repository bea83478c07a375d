"""cmath, NumPy's functions and powers of complex numbers in kernels; case 15 in short."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import numba_vulkan as nv

KINDS = [np.complex64, pytest.param(np.complex128, marks=pytest.mark.needs("float64"))]


@nv.jit
def elementary(z, out):
    i = nv.global_id(0)
    if i < z.size:
        out[0, i] = cmath.exp(z[i])
        out[1, i] = cmath.log(z[i])
        out[2, i] = cmath.log10(z[i])
        out[3, i] = cmath.sqrt(z[i])
        out[4, i] = cmath.log(z[i], z[i] * z[i])
        out[5, i] = cmath.sin(z[i])
        out[6, i] = cmath.cos(z[i])
        out[7, i] = cmath.tan(z[i])
        out[8, i] = cmath.asin(z[i])
        out[9, i] = cmath.acos(z[i])
        out[10, i] = cmath.atan(z[i])


@nv.jit
def hyperbolic(z, out):
    i = nv.global_id(0)
    if i < z.size:
        out[0, i] = cmath.sinh(z[i])
        out[1, i] = cmath.cosh(z[i])
        out[2, i] = cmath.tanh(z[i])
        out[3, i] = cmath.asinh(z[i])
        out[4, i] = cmath.acosh(z[i])
        out[5, i] = cmath.atanh(z[i])
        out[6, i] = z[i] ** 3
        out[7, i] = z[i] ** (0.5 - 1.5j)
        out[8, i] = cmath.rect(z[i].real, z[i].imag)
        r, phi = cmath.polar(z[i])
        out[9, i] = complex(r, phi)
        out[10, i] = complex(abs(z[i]), cmath.phase(z[i]))


REFERENCES = {
    elementary: (
        *(cmath.exp, cmath.log, cmath.log10, cmath.sqrt, lambda z: cmath.log(z, z * z)),
        *(cmath.sin, cmath.cos, cmath.tan, cmath.asin, cmath.acos, cmath.atan),
    ),
    hyperbolic: (
        *(cmath.sinh, cmath.cosh, cmath.tanh, cmath.asinh, cmath.acosh, cmath.atanh),
        *(lambda z: z**3, lambda z: z ** (0.5 - 1.5j), lambda z: cmath.rect(z.real, z.imag)),
        *(lambda z: complex(*cmath.polar(z)), lambda z: complex(abs(z), cmath.phase(z))),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kernel", REFERENCES, ids=lambda kernel: kernel.__name__)
def test_functions(device, kernel, kind):
    rng = np.random.default_rng(6)
    z = (rng.uniform(-3, 3, 200) + 1j * rng.uniform(-3, 3, 200)).astype(kind)
    out = np.zeros((11, z.size), kind)
    kernel.forall(z.size)(z, out)
    for got, function in zip(out, REFERENCES[kernel], strict=True):
        expected = [function(complex(number)) for number in z]
        np.testing.assert_allclose(got, expected, rtol=100 * np.finfo(kind).eps)


@pytest.mark.parametrize("kind", KINDS)
def test_classification_and_closeness(device, kind):
    # Tolerances are float64.
    @nv.jit(narrow=None if device.info.float64 else "floats")
    def classify(z, out):
        i = nv.global_id(0)
        if i < z.size:
            out[0, i] = cmath.isnan(z[i])
            out[1, i] = cmath.isinf(z[i])
            out[2, i] = cmath.isfinite(z[i])
            out[3, i] = cmath.isclose(z[i], z[0])
            out[4, i] = cmath.isclose(z[i], z[0], rel_tol=0.5)
            out[5, i] = math.isclose(z[i].real, 1.0, abs_tol=3.0)

    z = np.array([1 + 1j, 1.5 + 1j, complex(math.nan, 1), complex(1, math.inf), 4 + 0j, 1 + 1j], kind)
    out = np.zeros((6, z.size), bool)
    classify.forall(z.size)(z, out)
    expected = [
        [cmath.isnan(v) for v in z],
        [cmath.isinf(v) for v in z],
        [cmath.isfinite(v) for v in z],
        [cmath.isclose(v, z[0]) for v in z],
        [cmath.isclose(v, z[0], rel_tol=0.5) for v in z],
        [math.isclose(v.real, 1.0, abs_tol=3.0) for v in z],
    ]
    np.testing.assert_array_equal(out, expected)


def test_squares_of_infinite_numbers(device):
    """A power of two is the product, as NumPy has it: multiplied by 1 first, an infinite part would become NaN."""

    @nv.jit(narrow=None if device.info.float64 else "floats")
    def kernel(z, out):
        i = nv.global_id(0)
        if i < z.size:
            out[0, i] = z[i] ** 2
            out[1, i] = z[i] * z[i]

    z = np.array([complex(math.inf, 0), complex(0, math.inf), complex(-math.inf, 1), 1 - 2j], np.complex64)
    out = np.zeros((2, z.size), np.complex64)
    kernel.forall(z.size, device=device)(z, out)
    np.testing.assert_array_equal(out[0].view(np.float32), out[1].view(np.float32))
    assert out[0, 3] == -3 - 4j
