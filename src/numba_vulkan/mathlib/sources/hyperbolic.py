"""sinh, cosh, tanh and their inverses; one source for both precisions.

With x = k * ln2 + r, a = 2**(k - 1) and b = 2**(-k - 1), sinh(x) is (a - b) * cosh(r) + (a + b) * sinh(r), and cosh(x)
the same with a + b and a - b. tanh is e**(2 * x) - 1 over itself and 2. The inverses are
log(1 + u), with a u that does not cancel: x + x**2 / (1 + sqrt(1 + x**2)) for asinh, t + sqrt(t**2 + 2 * t) with
t = x - 1 for acosh, 2 * x / (1 - x) for twice atanh.
"""

from __future__ import annotations

from typing import Any

from ..primitives import add_product, copy_sign, polynomial, reciprocal, residual, root
from .coefficients import (
    COSH_32,
    COSH_64,
    COSH_NEAR_32,
    COSH_NEAR_64,
    EXPM1_ABOVE_64,
    EXPM1_NEAR_32,
    SINH_32,
    SINH_64,
    SINH_NEAR_32,
    SINH_NEAR_64,
)
from .constants import INFINITY, NAN
from .pairs import ordered_sum
from .real import (
    SATURATED,
    ByPrecision,
    exponent_in,
    half_powers,
    log_beyond_one,
    log_one_plus,
    power_in,
    scaled_far,
    without_powers,
)

SINH, COSH = ByPrecision(SINH_32, SINH_64), ByPrecision(COSH_32, COSH_64)
SINH_NEAR, COSH_NEAR = ByPrecision(SINH_NEAR_32, SINH_NEAR_64), ByPrecision(COSH_NEAR_32, COSH_NEAR_64)
# With it, r is small where e**r - 1 is taken twice from 1; float32 is off by 1.494 without.
OFFSET, EXPM1 = ByPrecision(0.0, 0.25), ByPrecision(EXPM1_NEAR_32, EXPM1_ABOVE_64)
# Up to it, both powers of two are there; from the other one on, the result is infinite.
HIGHEST, INFINITE = ByPrecision(87.0, 708.0), ByPrecision(89.5, 710.6)
LOG_8 = 2.0794415416798357
# Beside squares of larger numbers 1 does not count, and further on they overflow.
LARGE = ByPrecision(2.0**30, 2.0**60)
# It keeps a root from being that of zero, and does not count beside others.
NO_ZERO = ByPrecision(2.0**-60, 2.0**-200)


def sinh(x: Any) -> Any:
    """Return the hyperbolic sine; error below 1.5 ulp."""
    magnitude = abs(x)
    # r is mostly positive: where it is negative and a - b small, it is small as well.
    shifted, r = without_powers(magnitude, 0.2)
    a, b = half_powers(shifted)
    difference, total = a - b, a + b
    z = r * r
    even, odd = z * polynomial(z, COSH), (r * z) * polynomial(z, SINH)
    y = difference + (total * (r + odd) + even * difference)
    if not magnitude < HIGHEST:
        y = scaled_far(1.0 + (r + (even + odd)), exponent_in(shifted) - 1)
        y = INFINITY if magnitude > INFINITE else y
    return copy_sign(y, x)


def cosh(x: Any) -> Any:
    """Return the hyperbolic cosine; error below 1.5 ulp."""
    magnitude = abs(x)
    shifted, r = without_powers(magnitude, 0.0)
    a, b = half_powers(shifted)
    z = r * r
    difference, total = a - b, a + b
    even, odd = z * polynomial(z, COSH_NEAR), (r * z) * polynomial(z, SINH_NEAR)
    y = a + (b + (total * even + difference * (r + odd)))
    if not magnitude < HIGHEST:
        y = scaled_far(1.0 + (r + (even + odd)), exponent_in(shifted) - 1)
        y = INFINITY if magnitude > INFINITE else y
    return y


def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent; error below 1.5 ulp."""
    magnitude = abs(x)
    c = SATURATED if magnitude > SATURATED else magnitude
    # With 2 * x = n * ln2 + r, e**2x - 1 is 2**n - 1 + 2**n * p, and tanh is that over itself and 2.
    shifted, r = without_powers(c + c, OFFSET)
    p, p_tail = ordered_sum(r, (r * r) * polynomial(r, EXPM1))
    power = power_in(shifted)
    n = add_product(power - 1.0, power, p)
    n_tail = power * p_tail
    d = 2.0 + n
    inverse = reciprocal(d)
    q = n * inverse
    rest = (residual(n, q, d) + n_tail) - q * (n_tail + (n - (d - 2.0)))
    return copy_sign(q + rest * inverse, x)


def asinh(x: Any) -> Any:
    """Return the inverse of sinh; error below 1.9 ulp."""
    magnitude = abs(x)
    square = magnitude * magnitude
    u = magnitude + square * reciprocal(1.0 + root(1.0 + square))
    y = log_one_plus(u)
    if not magnitude < LARGE:
        y = log_of_large(magnitude)
    return copy_sign(y, x)


def log_of_large(x: Any) -> Any:
    """Return log(2 * x) for a large x, which may be infinite or no number."""
    y = log_one_plus(0.25 * x) + LOG_8
    return y if x < INFINITY else x


def acosh(x: Any) -> Any:
    """Return the inverse of cosh; error below 2 ulp."""
    t = x - 1.0
    square = t * t
    h = add_product(square, t, 2.0)
    s = root(h + NO_ZERO)
    u = s + t
    y = log_beyond_one(u, t - (u - s))
    if not (x > 1.0 and x < LARGE):
        y = log_of_large(x)
        y = y if x > 1.0 else (0.0 if x == 1.0 else NAN)
    return y


def atanh(x: Any) -> Any:
    """Return the inverse of tanh; error below 1.9 ulp."""
    magnitude = abs(x)
    twice = magnitude + magnitude
    more = twice * (magnitude * reciprocal(1.0 - magnitude))
    u = twice + more
    y = 0.5 * log_one_plus(u)
    if not magnitude < 1.0:
        y = INFINITY if magnitude == 1.0 else NAN
    return copy_sign(y, x)
