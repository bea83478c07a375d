"""Functions of complex numbers on the CPU: errors against mpmath, and the special values of C's Annex G."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from unit.math_errors import WIDTHS
from unit.math_twin import twin

pytestmark = pytest.mark.slow

COMPLEX = {"f32": np.complex64, "f64": np.complex128}
UFUNCS = {
    "cexp": np.exp,
    "cexp2": np.exp2,
    "cexpm1": np.expm1,
    "clog": np.log,
    "clog2": np.log2,
    "clog10": np.log10,
    "clog1p": np.log1p,
    "csqrt": np.sqrt,
    "csin": np.sin,
    "ccos": np.cos,
    "ctan": np.tan,
    "casin": np.arcsin,
    "cacos": np.arccos,
    "catan": np.arctan,
    "csinh": np.sinh,
    "ccosh": np.cosh,
    "ctanh": np.tanh,
    "casinh": np.arcsinh,
    "cacosh": np.arccosh,
    "catanh": np.arctanh,
}
EXACT: dict[str, Callable[[Any], Any]] = {
    "cexp2": lambda z: mpmath.mpf(2) ** z,
    "cexpm1": lambda z: mpmath.exp(z) - 1,
    "clog2": lambda z: mpmath.log(z) / mpmath.log(2),
    "clog1p": lambda z: mpmath.log(1 + z),
    **{f"ca{name}": getattr(mpmath, f"a{name}") for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
}
# Parts that cancel are good to the last place of the whole number only.
CANCELLING = ("cexpm1", "clog", "clog2", "clog10", "clog1p")
WHOLE_BOUND, PART_BOUND = 3.0, 5.0
SPECIAL = [0.0, -0.0, 1, -1, 0.5, -0.5, 2, np.inf, -np.inf, np.nan, 3.3, -100, 1000]
# Annex G leaves these signs open; whoever asks for sin(inf + 1j * inf) gets an infinity of either.
OPEN_SIGNS = ("csin", "ccos", "csinh", "ccosh")


def arguments(precision: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    count = 100

    def of_all_sizes() -> np.ndarray:
        return rng.standard_normal(count) * 10.0 ** rng.integers(-12, 12, count)

    turn = np.arange(count)
    x = [rng.standard_normal(count), rng.uniform(-30, 30, count), of_all_sizes(), np.cos(turn)]
    y = [rng.standard_normal(count), rng.uniform(-30, 30, count), of_all_sizes(), np.sin(turn)]
    width = WIDTHS[precision]
    return np.concatenate(x).astype(width), np.concatenate(y).astype(width)


def units(got: float, exact: Any, size: Any, width: Any) -> float:
    """The error in units in the last place of a size."""
    exponent = mpmath.floor(mpmath.log(size, 2))
    return float(abs(mpmath.mpf(float(got)) - exact) / mpmath.mpf(2) ** (exponent - np.finfo(width).nmant))


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("name", UFUNCS)
def test_errors(name, precision):
    width = WIDTHS[precision]
    x, y = arguments(precision)
    if name == "cexp2":
        # A large imaginary part times log(2) is rounded, as in NumPy.
        x, y = x[np.abs(y) < 2], y[np.abs(y) < 2]
    exact = EXACT.get(name) or getattr(mpmath, name[1:])
    parts = zip(x, y, *twin(name, precision)(x, y), strict=True)
    with mpmath.workprec(200):
        for a, b, real, imaginary in parts:
            wanted = exact(mpmath.mpc(float(a), float(b)))
            size = abs(wanted)
            if not np.finfo(width).tiny < size < np.finfo(width).max:
                continue
            for got, part in ((real, wanted.real), (imaginary, wanted.imag)):
                assert units(got, part, size, width) <= WHOLE_BOUND, (name, a, b)
                if name not in CANCELLING and abs(part) > np.finfo(width).tiny:
                    assert units(got, part, abs(part), width) <= PART_BOUND, (name, a, b)


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("name", UFUNCS)
def test_special_values(name, precision):
    grid = np.array(SPECIAL, WIDTHS[precision])
    x, y = (axis.ravel() for axis in np.meshgrid(grid, grid))
    numbers = np.empty(x.size, COMPLEX[precision])
    numbers.real, numbers.imag = x, y
    with np.errstate(all="ignore"):
        expected = UFUNCS[name](numbers)
        if name == "cexpm1":
            # NumPy multiplies infinities by sines and cosines here, those of zero and of infinity as well.
            infinite = ~np.isfinite(x) | ~np.isfinite(y)
            expected.real[infinite] = np.exp(numbers[infinite]).real - 1
            expected.imag[infinite] = np.exp(numbers[infinite]).imag
            expected.real[y == 0], expected.imag[y == 0] = np.expm1(x[y == 0]), y[y == 0]
    for a, b, *both, wanted in zip(x, y, *twin(name, precision)(x, y), expected, strict=True):
        for got, part in zip(both, (wanted.real, wanted.imag), strict=True):
            assert np.isnan(got) == np.isnan(part), (name, a, b, both, wanted)
            assert np.isinf(got) == np.isinf(part), (name, a, b, both, wanted)
            if part == 0 or np.isinf(part):
                is_open = name in OPEN_SIGNS and not (np.isfinite(a) and np.isfinite(b))
                assert abs(got) == abs(part), (name, a, b, both, wanted)
                assert is_open or np.signbit(got) == np.signbit(part), (name, a, b, both, wanted)


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_powers(precision):
    width = WIDTHS[precision]
    rng = np.random.default_rng(4)
    x, y, v = (rng.uniform(-3, 3, 60).astype(width) for _ in range(3))
    u = np.concatenate([np.arange(-10, 10), rng.uniform(-3, 3, 40)]).astype(width)
    v[:20] = 0
    got = twin("cpow", precision)(x, y, u, v)
    expected = [complex(a, b) ** complex(c, d) for a, b, c, d in zip(x, y, u, v, strict=True)]
    np.testing.assert_allclose(got[0] + 1j * got[1], expected, rtol=200 * np.finfo(width).eps)
    zeros = np.zeros(4, width)
    real, imaginary = twin("cpow", precision)(
        zeros, zeros, np.array([0, 2, -1, 1], width), np.array([0, 0, 0, 1], width)
    )
    np.testing.assert_array_equal(real, [1, 0, np.nan, np.nan])
    np.testing.assert_array_equal(imaginary, [0, 0, np.nan, np.nan])


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_rect(precision):
    width = WIDTHS[precision]
    r = np.array([2, -1.5, 0, np.inf, -np.inf, 0], width)
    phi = np.array([0.5, 3, 1, 0, 1, np.inf], width)
    real, imaginary = twin("rect", precision)(r, phi)
    expected = [cmath.rect(a, b) for a, b in zip(r[:5], phi[:5], strict=True)] + [0j]
    np.testing.assert_allclose(real, [z.real for z in expected], rtol=2e-7)
    np.testing.assert_allclose(imaginary, [z.imag for z in expected], rtol=2e-7)
