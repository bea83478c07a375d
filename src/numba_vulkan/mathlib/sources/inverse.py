"""asin, acos, atan and atan2; one source for both precisions.

Odd polynomials. asin near 1 is pi/2 - 2 * asin(sqrt((1 - x) / 2)); atan is pi/2 - atan(1 / x) far from zero and
pi/4 + atan((x - 1) / (x + 1)) around 1, atan2 pi/2 - atan2(x, y). pi/2 is a pair, and the small terms are added first.
There is one way for all arguments, which choose its constants: invocations that differ would compute all ways in turn.
What is chosen are terms, not factors of 0 and 1: with those, asin took a third longer on an NVIDIA GPU.
"""

from __future__ import annotations

from typing import Any

from ..primitives import add_product, copy_sign, polynomial, reciprocal, residual, root, unsigned
from .coefficients import ASIN_32, ASIN_64, ATAN_32, ATAN_64, ATAN_NEAR_32, ATAN_NEAR_64
from .constants import INFINITY, NAN, SIGN
from .real import ByPrecision
from .trigonometric import first_word, flipped

HALF_PI_HEAD = ByPrecision(1.5707963705062866, 1.5707963267948966)
QUARTER_PI_HEAD = ByPrecision(0.7853981852531433, 0.7853981633974483)
PI_HEAD = ByPrecision(3.1415927410125732, 3.141592653589793)
# Of each of these.
TAIL_OVER_HEAD = ByPrecision(-2.78275332866024e-08, 3.8981718325193755e-17)
ASIN = ByPrecision(ASIN_32, ASIN_64)
ATAN, ATAN_NEAR = ByPrecision(ATAN_32, ATAN_64), ByPrecision(ATAN_NEAR_32, ATAN_NEAR_64)
# Its root is far below what counts beside pi/2.
NO_ZERO = ByPrecision(2.0**-60, 2.0**-200)
# Larger numbers have an inverse that is far below it, too.
LARGE_SLOPE = 2.0**60
# A little more than tan(0.5).
TANGENT_OF_HALF = 0.5464
# What quotients lack is normal for operands in between; others are brought there.
LEAST, LARGEST = ByPrecision(2.0**-60, 2.0**-500), ByPrecision(2.0**60, 2.0**500)
SCALE_UP, SCALE_DOWN = ByPrecision(2.0**80, 2.0**600), ByPrecision(2.0**-80, 2.0**-600)


def root_single(z: Any) -> Any:
    """Return the square root; no number for negative ones."""
    return root(z)


def root_double(z: Any) -> Any:
    """Return the square root; no number for negative ones, of which the primitive does not say it."""
    return root(z) if z > 0.0 else NAN


root_or_nan = ByPrecision(root_single, root_double)


def sine_parts(x: Any) -> Any:
    """Return whether x is in [-0.5, 0.5], and s and z: s + s * z * (a polynomial of z) is asin(|x|) or what it lacks.

    s is the magnitude of x there, and 2 * sqrt((1 - |x|) / 2) beyond; no number where |x| is more than 1.
    """
    magnitude = abs(x)
    is_near = magnitude < 0.5
    z = magnitude * magnitude if is_near else add_product(0.5, magnitude, -0.5)
    return is_near, (magnitude if is_near else root_or_nan(add_product(NO_ZERO, z, 4.0))), z


def asin(x: Any) -> Any:
    """Return the angle with this sine; error below 1.2 ulp."""
    is_near, s, z = sine_parts(x)
    # The sign is that of x in the end.
    start = 0.0 if is_near else -HALF_PI_HEAD
    return copy_sign(added(start, start * TAIL_OVER_HEAD, s, (s * z) * polynomial(z, ASIN), 0.0), x)


def added(start: Any, start_tail: Any, t: Any, rest: Any, tiny: Any) -> Any:
    """Return the sum of a pair, t, a small rest and a tiny one; what is tiny is added first."""
    head = start + t
    lost = t - (head - start)
    return head + ((lost + (tiny + start_tail)) + rest)


def acos(x: Any) -> Any:
    """Return the angle with this cosine; error below 1.2 ulp."""
    is_near, s, z = sine_parts(x)
    s = 0.0 if z == 0.0 else s
    start = HALF_PI_HEAD if is_near else (0.0 if x > 0.0 else PI_HEAD)
    # The sign of x, or the other one near zero.
    s = flipped(s, first_word(x) ^ (unsigned(SIGN) if is_near else unsigned(0)))
    return (start + s) + ((s * z) * polynomial(z, ASIN) + start * TAIL_OVER_HEAD)


def atan(x: Any) -> Any:
    """Return the angle with this tangent; error below 0.95 ulp."""
    magnitude = abs(x)
    c = LARGE_SLOPE if magnitude > LARGE_SLOPE else magnitude
    is_steep, is_flat = c > 2.0, c < TANGENT_OF_HALF
    # In between, half a right angle is taken off. c - 1 is exact, and what c + 1 lacks changes no angle of more than
    # a half by a fifth of its last place.
    n = -1.0 if is_steep else (c if is_flat else c - 1.0)
    d = c if is_steep else (1.0 if is_flat else c + 1.0)
    r = reciprocal(d)
    t = n * r
    lack = residual(n, t, d) * r
    z = t * t
    start = HALF_PI_HEAD if is_steep else (0.0 if is_flat else QUARTER_PI_HEAD)
    return copy_sign(added(start, start * TAIL_OVER_HEAD, t, (t * z) * polynomial(z, ATAN_NEAR), lack), x)


def atan2(y: Any, x: Any) -> Any:
    """Return the angle of the point (x, y); error below 1 ulp."""
    height, width = abs(y), abs(x)
    is_steep = height > width
    n, d = (width if is_steep else height), (height if is_steep else width)
    r = reciprocal(d)
    is_left = copy_sign(1.0, x) < 0.0
    is_turned = is_steep != is_left
    m = -n if is_turned else n
    t = m * r
    lack = residual(m, t, d) * r
    if not (n > LEAST and d < LARGEST):
        t, lack = slope_far(n, d), 0.0
        t = -t if is_turned else t
    start = HALF_PI_HEAD if is_steep else (PI_HEAD if is_left else 0.0)
    z = t * t
    # 1 - z / 2 is the derivative, near enough.
    tiny = lack * add_product(1.0, z, -0.5)
    return copy_sign(added(start, start * TAIL_OVER_HEAD, t, (t * z) * polynomial(z, ATAN), tiny), y)


def slope_far(n: Any, d: Any) -> Any:
    """Return n / d for any 0 <= n <= d, rounded once; two zeros and two infinities are special."""
    raises_n, raises_d, lowers_d = n < LEAST, d < LEAST, d > LARGEST
    is_single = n == d or d == INFINITY
    m = n * SCALE_UP if raises_n else n
    c = d * SCALE_UP if raises_d else (d * SCALE_DOWN if lowers_d else d)
    c = 1.0 if is_single else c
    r = reciprocal(c)
    q = m * r
    t = q + residual(m, q, c) * r
    t = t * SCALE_DOWN if raises_n and not raises_d else t
    t = t * SCALE_DOWN if lowers_d else t
    t = n * 0.0 if d == INFINITY else t
    return (1.0 if n > 0.0 else 0.0) if n == d else t
