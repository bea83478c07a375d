"""Functions of complex numbers, given as real and imaginary part; one source for both precisions.

Each part is good to some units in its own last place, but for sums that cancel: of `ctanh` none does, `clog` and
`catanh` compute the distance from the unit circle in pairs, and powers lose what their exponent magnifies. Special
values are those of C's Annex G.
"""

from __future__ import annotations

from typing import Any

from ..primitives import as_int, copy_sign, square_root, truncated
from .constants import INFINITY, NAN
from .hyperbolic import asinh, cosh, sinh
from .inverse import atan2
from .pairs import two_product, two_sum
from .power import pow
from .real import (
    HALF_EXPONENT,
    HALF_GROWTH,
    HALF_POWER,
    HUGE,
    LARGE,
    LARGEST_EXPONENT,
    SATURATED,
    SMALL,
    exp,
    exp2,
    expm1,
    log,
    log1p,
)
from .roots import hypot
from .trigonometric import sin, sincos, tan

HALF_PI = 1.5707963267948966
LOG_4 = 1.3862943611198906
LOG10_E = 0.4342944819032518
LOG2_E = 1.4426950408889634
LOG_2 = 0.6931471805599453


def is_finite(x: Any) -> Any:
    """Return whether a number is neither infinite nor NaN."""
    return abs(x) < INFINITY


def grown(x: Any, factor: Any) -> Any:
    """Return exp(x) * factor where exp(x) alone may overflow."""
    if x > LARGEST_EXPONENT:
        return (exp(x - HALF_EXPONENT) * factor) * HALF_GROWTH
    return exp(x) * factor


def cexp(x: Any, y: Any) -> Any:
    """Return exp(x + iy)."""
    s, c = sincos(y)
    if y == 0.0:
        return exp(x), y
    if not is_finite(y):
        if x == -INFINITY:
            return 0.0, copy_sign(0.0, y)
        return (x if x == INFINITY else NAN), NAN
    if x != x:
        return x, x
    return grown(x, c), grown(x, s)


def clog(x: Any, y: Any) -> Any:
    """Return log(x + iy): near the unit circle by the distance from it."""
    width, height = abs(x), abs(y)
    a = width if width > height else height
    b = height if width > height else width
    angle = atan2(y, x)
    if width == INFINITY or height == INFINITY:
        return INFINITY, angle
    if a != a or b != b:
        return NAN, angle
    if a == 0.0:
        return -INFINITY, angle
    if a > 0.5 and a < 2.0:
        return 0.5 * log1p(beyond_circle(a, b)), angle
    ratio = b / a
    return log(a) + 0.5 * log1p(ratio * ratio), angle


def beyond_circle(x: Any, y: Any) -> Any:
    """Return x**2 + y**2 - 1 for numbers of ordinary size."""
    square, tail = two_product(x, x)
    other, other_tail = two_product(y, y)
    near, near_tail = two_sum(square, -1.0)
    head, head_tail = two_sum(near, other)
    return head + ((near_tail + head_tail) + (tail + other_tail))


def clog10(x: Any, y: Any) -> Any:
    """Return the logarithm to base 10."""
    real, imaginary = clog(x, y)
    return real * LOG10_E, imaginary * LOG10_E


def clog2(x: Any, y: Any) -> Any:
    """Return the logarithm to base 2."""
    real, imaginary = clog(x, y)
    return real * LOG2_E, imaginary * LOG2_E


def csqrt(x: Any, y: Any) -> Any:
    """Return the square root with a real part that is not negative."""
    if abs(y) == INFINITY:
        return INFINITY, y
    if x != x:
        return x, NAN
    if x == INFINITY:
        return x, (y if y != y else copy_sign(0.0, y))
    if x == -INFINITY:
        return (y if y != y else 0.0), copy_sign(INFINITY, y)
    if x == 0.0 and y == 0.0:
        return 0.0, y
    is_large = abs(x) > LARGE or abs(y) > LARGE
    is_small = abs(x) < SMALL and abs(y) < SMALL
    scale = SMALL if is_large else (LARGE if is_small else 1.0)
    back = square_root(LARGE) if is_large else (square_root(SMALL) if is_small else 1.0)
    a, b = abs(x) * scale, y * scale
    t = square_root(0.5 * (a + hypot(a, b)))
    other = b / (2.0 * t)
    if x < 0.0:
        return abs(other) * back, copy_sign(t, y) * back
    return t * back, other * back


def csinh(x: Any, y: Any) -> Any:
    """Return the hyperbolic sine: sinh(x) cos(y) + i cosh(x) sin(y)."""
    if y == 0.0:
        return sinh(x), y
    s, c = sincos(y)
    if not is_finite(y):
        return (x if x == 0.0 or abs(x) == INFINITY else NAN), NAN
    if x != x:
        return x, x
    if abs(x) > LARGEST_EXPONENT:
        return copy_sign(1.0, x) * grown(abs(x), 0.5 * c), grown(abs(x), 0.5 * s)
    return sinh(x) * c, cosh(x) * s


def ccosh(x: Any, y: Any) -> Any:
    """Return the hyperbolic cosine: cosh(x) cos(y) + i sinh(x) sin(y)."""
    if y == 0.0:
        return cosh(x), (copy_sign(0.0, x) * y)
    if not is_finite(y):
        if x == 0.0:
            return NAN, x
        return (INFINITY if abs(x) == INFINITY else NAN), NAN
    if x != x:
        return x, x
    s, c = sincos(y)
    if abs(x) > LARGEST_EXPONENT:
        return grown(abs(x), 0.5 * c), copy_sign(1.0, x) * grown(abs(x), 0.5 * s)
    return cosh(x) * c, sinh(x) * s


def ctanh(x: Any, y: Any) -> Any:
    """Return the hyperbolic tangent, by Kahan's formula of tan(y) and sinh(x)."""
    if y == 0.0 and x != x:
        return x, y
    if not is_finite(y):
        if abs(x) == INFINITY:
            return copy_sign(1.0, x), copy_sign(0.0, y)
        return (x if x == 0.0 else NAN), NAN
    if x != x:
        return x, x
    if abs(x) > SATURATED:
        s, c = sincos(y)
        fall = exp(-abs(x))
        return copy_sign(1.0, x), ((4.0 * s * c) * fall) * fall
    t = tan(y)
    beta = 1.0 + t * t
    s = sinh(x)
    below = 1.0 + beta * s * s
    return (beta * square_root(1.0 + s * s) * s) / below, t / below


def csin(x: Any, y: Any) -> Any:
    """Return the sine: -i sinh(iz)."""
    real, imaginary = csinh(-y, x)
    return imaginary, -real


def ccos(x: Any, y: Any) -> Any:
    """Return the cosine: cosh(iz)."""
    return ccosh(-y, x)


def ctan(x: Any, y: Any) -> Any:
    """Return the tangent: -i tanh(iz)."""
    real, imaginary = ctanh(-y, x)
    return imaginary, -real


def log_of_huge(x: Any, y: Any) -> Any:
    """Return the logarithm of twice the magnitude, which may overflow."""
    return log(hypot(0.5 * x, 0.5 * y)) + LOG_4


def is_huge(x: Any, y: Any) -> Any:
    """Return whether a part is infinite or too large to be added to another."""
    return abs(x) > HUGE or abs(y) > HUGE


def cacos(x: Any, y: Any) -> Any:
    """Return the arc cosine, by Kahan's formula of the roots of 1 - z and 1 + z."""
    if is_huge(x, y):
        return atan2(abs(y), x), copy_sign(log_of_huge(x, y), -y)
    if x == 0.0 and y != y:
        return HALF_PI, y
    a, b = csqrt(1.0 - x, -y)
    c, d = csqrt(1.0 + x, y)
    return 2.0 * atan2(a, c), asinh(c * b - d * a)


def cacosh(x: Any, y: Any) -> Any:
    """Return the inverse hyperbolic cosine, which is the arc cosine turned by a right angle."""
    real, imaginary = cacos(x, y)
    return abs(imaginary), copy_sign(real, y)


def casinh(x: Any, y: Any) -> Any:
    """Return the inverse hyperbolic sine, by Kahan's formula of the roots of 1 + iz and 1 - iz."""
    if is_huge(x, y):
        return copy_sign(log_of_huge(x, y), x), atan2(y, abs(x))
    if x != x and y == 0.0:
        return x, y
    a, b = csqrt(1.0 + y, -x)
    c, d = csqrt(1.0 - y, x)
    return asinh(a * d - b * c), atan2(y, a * c - b * d)


def casin(x: Any, y: Any) -> Any:
    """Return the arc sine: -i asinh(iz)."""
    real, imaginary = casinh(-y, x)
    return imaginary, -real


def catanh(x: Any, y: Any) -> Any:
    """Return the inverse hyperbolic tangent: log1p(4x / |1 - z|**2) / 4, and half the angle of 1 - z**2."""
    a, b = abs(x), abs(y)
    if a == INFINITY or b == INFINITY:
        return copy_sign(0.0, x), (y if y != y else copy_sign(HALF_PI, y))
    if a != a or b != b:
        return (x if x == 0.0 else NAN), NAN
    if a > LARGE or b > LARGE:
        h = hypot(0.5 * a, 0.5 * b)
        return copy_sign(0.25 * a / h / h, x), copy_sign(HALF_PI, y)
    distance = 1.0 - a
    angle = 0.5 * atan2(2.0 * b, -beyond_circle(a, b))
    if distance == 0.0 and b < SMALL:
        if b == 0.0:
            return copy_sign(INFINITY, x), y
        return copy_sign(0.5 * (LOG_2 - log(b)), x), copy_sign(angle, y)
    growth = 0.25 * log1p(4.0 * a / (distance * distance + b * b))
    return copy_sign(growth, x), copy_sign(angle, y)


def catan(x: Any, y: Any) -> Any:
    """Return the arc tangent: -i atanh(iz)."""
    real, imaginary = catanh(-y, x)
    return imaginary, -real


def cexp2(x: Any, y: Any) -> Any:
    """Return 2 to the power of a number."""
    if y == 0.0:
        return exp2(x), y
    if not is_finite(x) or not is_finite(y):
        return cexp(x, y * LOG_2)
    s, c = sincos(y * LOG_2)
    is_large = x > LARGEST_EXPONENT
    size = exp2(x - HALF_EXPONENT if is_large else x)
    back = HALF_POWER if is_large else 1.0
    return (size * c) * back, (size * s) * back


def cexpm1(x: Any, y: Any) -> Any:
    """Return exp(z) - 1; of the real part, cos(y) - 1 is -2 sin(y/2)**2."""
    real, imaginary = cexp(x, y)
    if is_finite(y) and x < LARGEST_EXPONENT:
        s = sin(0.5 * y)
        _, c = sincos(y)
        real = expm1(x) * c - 2.0 * s * s
    return real, imaginary


def clog1p(x: Any, y: Any) -> Any:
    """Return log(1 + z): near zero by what |1 + z|**2 exceeds 1 by."""
    if abs(x) < 2.0 and abs(y) < 2.0:
        square, tail = two_product(x, x)
        other, other_tail = two_product(y, y)
        head, head_tail = two_sum(2.0 * x, square)
        total, total_tail = two_sum(head, other)
        beyond = total + ((head_tail + total_tail) + (tail + other_tail))
        if beyond > -0.5:
            return 0.5 * log1p(beyond), atan2(y, 1.0 + x)
    return clog(1.0 + x, y)


def inverse(x: Any, y: Any) -> Any:
    """Return 1 / z, dividing by the larger part first."""
    if abs(x) >= abs(y):
        ratio = y / x
        below = x + y * ratio
        return 1.0 / below, -ratio / below
    ratio = x / y
    below = x * ratio + y
    return ratio / below, -1.0 / below


def whole_power(x: Any, y: Any, exponent: Any) -> Any:
    """Return z to the power of a whole number but 0, by squaring."""
    n = as_int(abs(exponent))
    a, b = x, y
    while n & 1 == 0:
        a, b = a * a - b * b, 2.0 * (a * b)
        n = n >> 1
    # Not 1 times the first factor: that is NaN where a part is infinite.
    real, imaginary = a, b
    n = n >> 1
    while n > 0:
        a, b = a * a - b * b, 2.0 * (a * b)
        if n & 1 == 1:
            real, imaginary = real * a - imaginary * b, real * b + imaginary * a
        n = n >> 1
    if exponent < 0.0:
        return inverse(real, imaginary)
    return real, imaginary


def cpow(x: Any, y: Any, u: Any, v: Any) -> Any:
    """Return z to the power of u + iv: whole powers up to 100 by squaring, others by magnitude and angle."""
    if u == 0.0 and v == 0.0:
        return 1.0, 0.0
    if u == 1.0 and v == 0.0:
        return x, y
    if x == 0.0 and y == 0.0:
        return (0.0 if u > 0.0 and v == 0.0 else NAN), (0.0 if u > 0.0 and v == 0.0 else NAN)
    if v == 0.0 and u == truncated(u) and abs(u) <= 100.0:
        return whole_power(x, y, u)
    logarithm, angle = clog(x, y)
    size = pow(hypot(x, y), u)
    turn = u * angle
    if v != 0.0:
        size = size * exp(-v * angle)
        turn = turn + v * logarithm
    s, c = sincos(turn)
    return size * c, size * s


def rect(r: Any, phi: Any) -> Any:
    """Return the number with a magnitude and an angle."""
    if not is_finite(phi):
        if r == 0.0:
            return 0.0, 0.0
        return (r if abs(r) == INFINITY else NAN), NAN
    s, c = sincos(phi)
    return r * c, (r * s if s != 0.0 else copy_sign(1.0, r) * s)
