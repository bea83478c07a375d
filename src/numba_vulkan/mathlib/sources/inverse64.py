"""asin, acos, atan and atan2 of float64.

Odd polynomials around zero; asin near 1 by pi/2 - 2 * asin(sqrt((1 - x) / 2)) with what the root lacks; atan of a
quotient that is less than tan(pi/8), as a pair. Constants are pairs and the small terms are added first.
"""

from __future__ import annotations

from typing import Any

from ..primitives import copy_sign, polynomial, square_root
from .coefficients import ASIN_64, ATAN_64
from .constants64 import INFINITY, NAN
from .pairs import ordered_sum
from .reciprocal64 import quotient, root_tail

HALF_PI_HEAD, HALF_PI_TAIL = 1.5707963267948966, 6.123233995736766e-17
QUARTER_PI_HEAD, QUARTER_PI_TAIL = 0.7853981633974483, 3.061616997868383e-17
PI_HEAD, PI_TAIL = 3.141592653589793, 1.2246467991473532e-16


def half_angle(magnitude: Any) -> Any:
    """Return the head and the rest of asin(sqrt((1 - x) / 2)) for x in [0.5, 1]."""
    z = 0.5 * (1.0 - magnitude)
    s = square_root(z)
    return s, root_tail(z, 0.0, s) + (s * z) * polynomial(z, ASIN_64)


def asin(x: Any) -> Any:
    """Return the angle with this sine; error below 1 ulp."""
    magnitude = abs(x)
    if magnitude < 0.5:
        z = x * x
        y = x + (x * z) * polynomial(z, ASIN_64)
        y = x if magnitude < 1e-08 else y
    else:
        s, rest = half_angle(magnitude)
        head, lost = ordered_sum(HALF_PI_HEAD, -2.0 * s)
        y = copy_sign(head + (lost + (HALF_PI_TAIL - 2.0 * rest)), x)
        y = y if magnitude <= 1.0 else NAN
    return y


def acos(x: Any) -> Any:
    """Return the angle with this cosine; error below 1 ulp."""
    magnitude = abs(x)
    if magnitude < 0.5:
        z = x * x
        head, lost = ordered_sum(HALF_PI_HEAD, -x)
        y = head + (lost + (HALF_PI_TAIL - (x * z) * polynomial(z, ASIN_64)))
    else:
        s, rest = half_angle(magnitude)
        if x > 0.0:
            y = 2.0 * (s + rest)
        else:
            head, lost = ordered_sum(PI_HEAD, -2.0 * s)
            y = head + (lost + (PI_TAIL - 2.0 * rest))
        y = y if magnitude <= 1.0 else NAN
    return y


def angle(n: Any, d: Any) -> Any:
    """Return atan(n / d) as a pair, for 0 <= n <= d in [2**-600, 2**600].

    Slopes above tan(pi/8) are turned by pi/4, which leaves (n - d) / (n + d).
    """
    is_wide = n > 0.41421356 * d
    difference, difference_tail = ordered_sum(d, -n)
    total, total_tail = ordered_sum(d, n)
    t, tail = quotient(
        -difference if is_wide else n,
        -difference_tail if is_wide else 0.0,
        total if is_wide else d,
        total_tail if is_wide else 0.0,
    )
    z = t * t
    rest = tail * (1.0 - z) + (t * z) * polynomial(z, ATAN_64)
    head, lost = ordered_sum(QUARTER_PI_HEAD if is_wide else 0.0, t)
    return ordered_sum(head, lost + ((QUARTER_PI_TAIL if is_wide else 0.0) + rest))


def atan(x: Any) -> Any:
    """Return the angle with this tangent; error below 0.6 ulp."""
    magnitude = abs(x)
    c = magnitude if magnitude < 1e18 else 1e18
    c = c if magnitude > 1e-08 else 1e-08
    is_steep = c > 1.0
    t, rest = angle(1.0 if is_steep else c, c if is_steep else 1.0)
    head, lost = ordered_sum(HALF_PI_HEAD, -t)
    y = head + (lost + (HALF_PI_TAIL - rest)) if is_steep else t + rest
    y = copy_sign(y, x)
    y = y if magnitude > 1e-08 else x
    return y if x == x else x


def atan2(y: Any, x: Any) -> Any:
    """Return the angle of the point (x, y); error below 1 ulp."""
    height, width = abs(y), abs(x)
    is_steep = height > width
    n, d = (width if is_steep else height), (height if is_steep else width)
    both_infinite = n == INFINITY
    n, d = (1.0 if both_infinite else n), (1.0 if both_infinite else d)
    is_single = d == INFINITY or d == 0.0
    n, d = (0.0 if is_single else n), (1.0 if is_single else d)
    # Numbers of any size are brought to where products neither overflow nor lose bits. The numerator of a tiny quotient
    # is 2**600 times larger.
    is_tiny, is_large = n < d * 1e-30, d > 2.037035976334486e90
    scale = (
        2.409919865102884e-181 if is_large else (4.149515568880993e180 if d < 4.909093465297727e-91 else 1.0)
    )
    d = d * scale
    n = n if is_tiny and is_large else n * scale
    n = n * 4.149515568880993e180 if is_tiny and not is_large else n
    t, rest = angle(n if not is_tiny else d * 1e-08, d)
    tiny, tiny_tail = quotient(n, 0.0, d, 0.0)
    if is_tiny:
        t = (tiny + tiny_tail) * 2.409919865102884e-181
        rest = 0.0
    half, half_lost = ordered_sum(HALF_PI_HEAD, -t)
    half_tail = half_lost + (HALF_PI_TAIL - rest)
    head, tail = (half if is_steep else t), (half_tail if is_steep else rest)
    whole, lost = ordered_sum(PI_HEAD, -head)
    is_left = copy_sign(1.0, x) < 0.0
    result = whole + (lost + (PI_TAIL - tail)) if is_left else head + tail
    result = copy_sign(result, y)
    return x + y if x != x or y != y else result
