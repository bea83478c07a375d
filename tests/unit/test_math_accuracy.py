"""Errors of the math functions on the CPU, where their sources give the same bits as on every device."""

from __future__ import annotations

import numpy as np
import pytest

from unit.math_errors import BOUNDS, WIDTHS, checked, errors, measured
from unit.math_twin import twin

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("name", BOUNDS)
def test_errors_stay_within_bounds(name, precision):
    bound = BOUNDS[name][precision == "f64"]
    error, where = measured(name, precision, 20_000)
    assert error <= bound, f"{name}{where} is off by {error:.3f} units"


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles_next_to_multiples_of_a_right_angle(name, precision):
    # What is left of such an angle is small: 2023.1857 is 2e-7 from 1288 right angles, and was 34 units off.
    width = WIDTHS[precision]
    nearest = (
        np.arange(1, 70_000) * (np.longdouble(np.pi) / 2 + np.longdouble(6.123233995736766e-17))
    ).astype(width)
    angles = np.concatenate([nearest, np.nextafter(nearest, width(0)), np.nextafter(nearest, width(np.inf))])
    found = errors(name, precision, [angles], twin(name, precision)(angles))
    bound = BOUNDS[name][precision == "f64"]
    assert found.max() <= bound, angles[np.argmax(found)]


@pytest.mark.parametrize(
    ("name", "precision", "argument"),
    [
        ("exp", "f32", 81.47956848144531),
        ("exp", "f32", 26.719334),
        ("erfc", "f32", 6.9370093),
        ("erf", "f32", 0.87495506),
        ("erf", "f64", 0.8473760652366047),
        ("tanh", "f32", 0.6310442),
        ("cosh", "f32", 4.5573664),
        ("lgamma", "f32", -7.0001335),
    ],
)
def test_worst_arguments_that_were_found(name, precision, argument):
    assert checked(name, precision, (float(WIDTHS[precision](argument)),)) <= BOUNDS[name][precision == "f64"]
