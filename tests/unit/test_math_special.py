"""Zeros, infinities, NaN, and arguments outside of the domain, as C's Annex F and NumPy have them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from numba_vulkan.mathlib.table import FUNCTIONS
from unit.math_errors import BOUNDS, WIDTHS, reference
from unit.math_twin import twin

pytestmark = pytest.mark.slow  # compiles every function of the library for the CPU

VALUES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    3.0,
    -3.0,
    0.5,
    -0.5,
    -2.5,
    math.inf,
    -math.inf,
    math.nan,
    1e30,
    -1e30,
]


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("name", BOUNDS)
def test_special_values(name, precision):
    width = WIDTHS[precision]
    grid = np.array(VALUES, width)
    operands = [grid]
    if len(FUNCTIONS[name].operands) == 2:
        operands = [a.ravel() for a in np.meshgrid(grid, grid)]
    got = twin(name, precision)(*operands)
    with np.errstate(all="ignore"):
        expected = reference(name, precision, operands).astype(width)
    if name == "gamma":
        # The pole at zero has a sign; at negative integers gamma is not a number.
        expected[:2] = math.inf, -math.inf
    for values in zip(*operands, got, expected, strict=True):
        *given, mine, wanted = values
        assert math.isnan(mine) == math.isnan(wanted), (name, given, mine, wanted)
        assert math.isinf(mine) == math.isinf(wanted), (name, given, mine, wanted)
        if wanted == 0 or math.isinf(wanted):
            assert mine == wanted, (name, given, mine, wanted)
            assert math.copysign(1, mine) == math.copysign(1, wanted), (name, given, mine, wanted)


LARGEST = {
    "exp": (88.72284, 709.782712893384),
    "exp2": (128.0, 1024.0),
    "exp10": (38.53184, 308.25471555991675),
    "expm1": (88.72284, 709.782712893384),
    "sinh": (89.415985, 710.4758600739439),
    "cosh": (89.415985, 710.4758600739439),
    "gamma": (35.040096, 171.6243769563027),
}


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("name", LARGEST)
def test_results_overflow_where_the_exact_ones_do(name, precision):
    width = WIDTHS[precision]
    x = width(LARGEST[name][precision == "f64"])
    for _ in range(20):
        x = np.nextafter(x, width(0))
    neighbours = [x]
    for _ in range(40):
        neighbours.append(np.nextafter(neighbours[-1], width(np.inf)))
    x = np.array(neighbours)
    with np.errstate(all="ignore"):
        results, exact = twin(name, precision)(x), reference(name, precision, [x]).astype(width)
    assert 0 < np.isinf(exact).sum() < exact.size
    np.testing.assert_array_equal(np.isinf(results), np.isinf(exact))
