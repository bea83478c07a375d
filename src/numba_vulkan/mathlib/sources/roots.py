"""sqrt and hypot; one source for both precisions."""

from __future__ import annotations

from typing import Any

from ..primitives import product_error, residual, root, square_root
from .constants import INFINITY
from .real import ByPrecision, rough_half

# Squares of numbers in between, and what rounding takes from them, are normal; other numbers are brought there.
LEAST, LARGEST = ByPrecision(2.0**-60, 2.0**-600), ByPrecision(2.0**120, 2.0**1000)
SCALE_UP, SCALE_DOWN = ByPrecision(2.0**90, 2.0**700), ByPrecision(2.0**-90, 2.0**-700)


def sqrt(x: Any) -> Any:
    """Return the correctly rounded square root."""
    return square_root(x)


def hypot(x: Any, y: Any) -> Any:
    """Return sqrt(x**2 + y**2) without overflow on the way; error below 0.9 ulp."""
    h, tail = sum_of_squares(x, y)
    back = 1.0
    if not (h > LEAST and h < LARGEST):
        a, b, back = brought_near(abs(x), abs(y))
        h, tail = sum_of_squares(a, b)
    s = root(h)
    return (s + (residual(h, s, s) + tail) * rough_half(s)) * back


def sum_of_squares(x: Any, y: Any) -> Any:
    """Return x**2 + y**2 and what rounding took from the squares; what it took from the sum is a third of a unit."""
    square, other = x * x, y * y
    return square + other, product_error(x, x, square) + product_error(y, y, other)


def brought_near(a: Any, b: Any) -> Any:
    """Return numbers of moderate size, or 1 and 0, and the factor that their distance lacks."""
    is_infinite, is_zero, is_large = a == INFINITY or b == INFINITY, a + b == 0.0, a > 1.0 or b > 1.0
    scale, back = (SCALE_DOWN if is_large else SCALE_UP), (SCALE_UP if is_large else SCALE_DOWN)
    back = INFINITY if is_infinite else (0.0 if is_zero else back)
    is_single = is_infinite or is_zero
    return (1.0 if is_single else a * scale), (0.0 if is_single else b * scale), back
