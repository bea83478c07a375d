"""Multiply and add with one rounding, against the C library's."""

from __future__ import annotations

import numpy as np
import pytest

from unit.c_functions import c_function
from unit.math_twin import twin


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_one_rounding(precision):
    width, unsigned = {"f32": (np.float32, np.uint32), "f64": (np.float64, np.uint64)}[precision]
    information = np.finfo(width)
    rng = np.random.default_rng(0)
    count = 20_000

    def anything() -> np.ndarray:
        return rng.integers(0, np.iinfo(unsigned).max, count, unsigned, endpoint=True).view(width)

    def ordinary() -> np.ndarray:
        return rng.standard_normal(count).astype(width)

    a, b = ordinary(), ordinary()
    nearly = (-(a * b) * (1 + rng.integers(-3, 3, count) * information.eps)).astype(width)
    small = (ordinary() * information.tiny * 1e8).astype(width)
    denormal = (ordinary() * information.tiny).astype(width)
    special = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, information.tiny, information.smallest_subnormal]
    special += [information.max, -information.max, 1 + information.eps]
    grid = [axis.ravel() for axis in np.meshgrid(*[np.array(special, width)] * 3)]
    x = np.concatenate([anything(), a, ordinary(), ordinary(), grid[0]])
    y = np.concatenate([anything(), b, ordinary(), small * width(1e-7), grid[1]])
    z = np.concatenate([anything(), nearly, ordinary(), denormal, grid[2]])
    # A product of float32 is exact in the wider type, where the sum is rounded to far more places.
    wide = np.float64 if precision == "f64" else np.longdouble
    with np.errstate(all="ignore"):
        expected = c_function("fma", 3, wide)(x, y, z).astype(width)
    got = twin("fma", precision)(x, y, z)
    same = (got == expected) & (np.signbit(got) == np.signbit(expected))
    assert (same | (np.isnan(got) & np.isnan(expected))).all()
