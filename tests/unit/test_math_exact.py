"""Functions that are exact: remainders, quotients rounded down, exponents and neighbours of floats."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unit.math_twin import twin

PRECISIONS = ["f32", "f64"]
WIDTHS = {"f32": (np.float32, np.uint32), "f64": (np.float64, np.uint64)}


def operands(precision: str, count: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of special numbers, of any numbers, and of numbers with whole quotients."""
    width, unsigned = WIDTHS[precision]
    rng = np.random.default_rng(5)
    information = np.finfo(width)
    special = [0.0, -0.0, 1, -1, 0.5, 1.5, 2.5, -2.5, 3, 7, math.inf, -math.inf, math.nan, 16777216]
    special += [information.max, information.tiny, information.smallest_subnormal, 1 + information.eps]
    special += [-information.tiny / 4, information.max / 7]
    x, y = (a.ravel() for a in np.meshgrid(np.array(special, width), np.array(special, width)))

    def numbers(scale: float) -> list[np.ndarray]:
        any_bits = rng.integers(0, np.iinfo(unsigned).max, count, unsigned).view(width)
        return [
            any_bits,
            (rng.standard_normal(count) * scale).astype(width),
            (rng.integers(-50, 50, count) / 2).astype(width),
        ]

    return np.concatenate([x, *numbers(100)]), np.concatenate([y, *numbers(1)])


def assert_same(got: np.ndarray, expected: np.ndarray) -> None:
    """Compare numbers and the signs of zeros; every NaN is the same."""
    same = (got == expected) & (np.signbit(got) == np.signbit(expected)) | (
        np.isnan(got) & np.isnan(expected)
    )
    assert same.all(), np.flatnonzero(~same)[:5]


def ieee_remainder(x: float, y: float) -> float:
    try:
        return math.remainder(x, y)
    except ValueError:
        return math.nan


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fmod", np.fmod),
        ("modulo", np.remainder),
        ("floor_divide", np.floor_divide),
        ("nextafter", np.nextafter),
        ("remainder", np.vectorize(ieee_remainder, otypes=[float])),
    ],
)
def test_functions_of_two_numbers(precision, name, expected):
    x, y = operands(precision)
    with np.errstate(all="ignore"):
        assert_same(twin(name, precision)(x, y), expected(x, y).astype(x.dtype))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_parts(precision):
    x, _ = operands(precision)
    fraction, exponent = twin("frexp", precision)(x)
    expected_fraction, expected_exponent = np.frexp(x)
    assert_same(fraction, expected_fraction)
    finite = np.isfinite(x)
    np.testing.assert_array_equal(exponent[finite], expected_exponent[finite])
    with np.errstate(all="ignore"):
        for got, expected in zip(twin("modf", precision)(x), np.modf(x), strict=True):
            assert_same(got, expected)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_ldexp_rounds_once(precision):
    x, _ = operands(precision)
    limit = 300 if precision == "f32" else 2200
    exponents = np.random.default_rng(1).integers(-limit, limit, x.size, np.int32)
    with np.errstate(all="ignore"):
        assert_same(twin("ldexp", precision)(x, exponents), np.ldexp(x, exponents))
