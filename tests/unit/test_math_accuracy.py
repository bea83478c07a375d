"""Errors of the math functions on the CPU, where their sources give the same bits as on every device."""

from __future__ import annotations

import pytest

from numba_vulkan.mathlib.table import FUNCTIONS
from unit.math_errors import BOUNDS, SLOW, measured

AVAILABLE = [
    (name, precision)
    for name in BOUNDS
    for precision in ("f32", "f64")
    if precision == "f32" or FUNCTIONS[name].double is not None
]


@pytest.mark.parametrize(("name", "precision"), AVAILABLE)
def test_errors_stay_within_bounds(name, precision):
    bound = BOUNDS[name][precision == "f64"]
    error, where = measured(name, precision, 300 if name in SLOW else 20_000)
    assert error <= bound, f"{name}{where} is off by {error:.3f} units"
