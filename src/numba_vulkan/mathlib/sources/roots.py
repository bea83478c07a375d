"""sqrt and hypot; one source for both precisions."""

from __future__ import annotations

from typing import Any

from ..primitives import product_error, residual, root, square_root
from .constants import INFINITY
from .pairs import ordered_sum
from .real import ByPrecision, rough_reciprocal

# Squares and what rounding takes from them are normal for larger numbers in between; others are brought there.
LEAST, LARGEST = ByPrecision(2.0**-30, 2.0**-300), ByPrecision(2.0**60, 2.0**500)
SCALE_UP, SCALE_DOWN = ByPrecision(2.0**90, 2.0**700), ByPrecision(2.0**-90, 2.0**-700)


def sqrt(x: Any) -> Any:
    """Return the correctly rounded square root."""
    return square_root(x)


def hypot(x: Any, y: Any) -> Any:
    """Return sqrt(x**2 + y**2) without overflow on the way; error below 0.6 ulp."""
    width, height = abs(x), abs(y)
    a, b, back = (width if width > height else height), (height if width > height else width), 1.0
    if not (a > LEAST and a < LARGEST):
        a, b, back = brought_near(a, b)
    square, other = a * a, b * b
    h, lost = ordered_sum(square, other)
    tail = lost + (product_error(a, a, square) + product_error(b, b, other))
    s = root(h)
    return (s + 0.5 * ((residual(h, s, s) + tail) * rough_reciprocal(s))) * back


def brought_near(a: Any, b: Any) -> Any:
    """Return numbers of moderate size, or 1 and 0, and the factor that their distance lacks."""
    is_infinite, is_zero = a == INFINITY or b == INFINITY, a + b == 0.0
    scale, back = (SCALE_DOWN if a > 1.0 else SCALE_UP), (SCALE_UP if a > 1.0 else SCALE_DOWN)
    back = INFINITY if is_infinite else (0.0 if is_zero else back)
    is_single = is_infinite or is_zero
    return (1.0 if is_single else a * scale), (0.0 if is_single else b * scale), back
