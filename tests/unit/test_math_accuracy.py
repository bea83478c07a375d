"""Errors of the math functions on the CPU, where their sources give the same bits as on every device."""

from __future__ import annotations

import pytest

from unit.math_errors import BOUNDS, measured


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("name", BOUNDS)
def test_errors_stay_within_bounds(name, precision):
    bound = BOUNDS[name][precision == "f64"]
    error, where = measured(name, precision, 20_000)
    assert error <= bound, f"{name}{where} is off by {error:.3f} units"
