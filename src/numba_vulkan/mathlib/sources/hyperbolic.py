"""sinh, cosh, tanh and their inverses; one source for both precisions.

With x = k * ln2 + r, a = 2**(k - 1) and b = 2**(-k - 1), sinh(x) is (a - b) * cosh(r) + (a + b) * sinh(r), and cosh(x)
the same with a + b and a - b. tanh is 1 - 2 / (exp(2 * x) + 1), the inverses are logarithms of pairs; these are odd
polynomials around zero.
"""

from __future__ import annotations

from typing import Any

from ..primitives import add_product, as_int, copy_sign, polynomial, product_error, reciprocal, residual, root
from .coefficients import (
    ASINH_32,
    ASINH_64,
    ATANH_32,
    ATANH_64,
    COSH_32,
    COSH_64,
    COSH_NEAR_32,
    COSH_NEAR_64,
    SINH_32,
    SINH_64,
    SINH_NEAR_32,
    SINH_NEAR_64,
    TANH_32,
    TANH_64,
)
from .constants import INFINITY, NAN
from .pairs import ordered_sum, two_sum
from .real import (
    EXP,
    SATURATED,
    ByPrecision,
    exponent_in,
    half_powers,
    log_of_pair,
    rough_reciprocal,
    scaled_far,
    without_powers,
)

SINH, COSH = ByPrecision(SINH_32, SINH_64), ByPrecision(COSH_32, COSH_64)
SINH_NEAR, COSH_NEAR = ByPrecision(SINH_NEAR_32, SINH_NEAR_64), ByPrecision(COSH_NEAR_32, COSH_NEAR_64)
TANH = ByPrecision(TANH_32, TANH_64)
ASINH, ATANH = ByPrecision(ASINH_32, ASINH_64), ByPrecision(ATANH_32, ATANH_64)
# Up to it, both powers of two are there; from the other one on, the result is infinite.
HIGHEST, INFINITE = ByPrecision(87.0, 708.0), ByPrecision(89.5, 710.6)
# Beside squares of larger numbers 1 does not count, and further on they overflow.
LARGE = ByPrecision(2.0**30, 2.0**60)
# It keeps a root from being that of zero, and does not count beside others.
NO_ZERO = ByPrecision(2.0**-60, 2.0**-200)


def sinh(x: Any) -> Any:
    """Return the hyperbolic sine; error below 1.3 ulp."""
    magnitude = abs(x)
    # r is mostly positive: where it is negative and a - b small, it is small as well.
    shifted, r = without_powers(magnitude, 0.2)
    a, b = half_powers(shifted)
    difference, total = a - b, a + b
    z = r * r
    even, odd = z * polynomial(z, COSH), (r * z) * polynomial(z, SINH)
    y = difference + (r * total + (even * difference + odd * total))
    if not magnitude < HIGHEST:
        y = scaled_far(1.0 + (r + (even + odd)), exponent_in(shifted) - 1)
        y = INFINITY if magnitude > INFINITE else y
    return copy_sign(y, x)


def cosh(x: Any) -> Any:
    """Return the hyperbolic cosine; error below 1.3 ulp."""
    magnitude = abs(x)
    shifted, r = without_powers(magnitude, 0.0)
    a, b = half_powers(shifted)
    z = r * r
    difference, total = a - b, a + b
    even, odd = z * polynomial(z, COSH_NEAR), (r * z) * polynomial(z, SINH_NEAR)
    y = a + (b + (r * difference + (even * total + odd * difference)))
    if not magnitude < HIGHEST:
        y = scaled_far(1.0 + (r + (even + odd)), exponent_in(shifted) - 1)
        y = INFINITY if magnitude > INFINITE else y
    return y


def odd_sum(magnitude: Any, coefficients: Any) -> Any:
    """Return m + m**3 times a polynomial of m**2."""
    z = magnitude * magnitude
    return magnitude + (magnitude * z) * polynomial(z, coefficients)


def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent; error below 1.5 ulp."""
    magnitude = abs(x)
    if magnitude >= 0.6:
        c = SATURATED if magnitude > SATURATED else magnitude
        shifted, r = without_powers(c + c, 0.0)
        a, _ = half_powers(shifted)
        e = 1.0 + (r + (r * r) * polynomial(r, EXP))
        y = add_product(1.0, reciprocal((a + a) * e + 1.0), -2.0)
    else:
        y = odd_sum(magnitude, TANH)
    return copy_sign(y, x)


def asinh(x: Any) -> Any:
    """Return the inverse of sinh; error below 1 ulp."""
    magnitude = abs(x)
    if magnitude < 0.5:
        y = odd_sum(magnitude, ASINH)
    else:
        square = magnitude * magnitude
        h, tail = two_sum(square, 1.0)
        y = log_of_root(h, tail + product_error(magnitude, magnitude, square), magnitude)
    return copy_sign(y, x)


def log_of_root(h: Any, tail: Any, x: Any) -> Any:
    """Return log(x + sqrt(h + tail)) for a positive x, of which h may be the square, or too large to be it."""
    s = root(h)
    # x is the smaller one for asinh, but not by more than a place.
    head, lost = two_sum(s, x)
    lost = lost + 0.5 * ((residual(h, s, s) + tail) * rough_reciprocal(s))
    more = as_int(0)
    if x > LARGE:
        head, lost, more = 0.25 * x, 0.0, as_int(3)
    y = log_of_pair(head, lost, more)
    return y if x < INFINITY else x


def acosh(x: Any) -> Any:
    """Return the inverse of cosh; error below 1.1 ulp."""
    square = x * x
    h, lost = ordered_sum(square, -1.0)
    h, tail = ordered_sum(h, lost + product_error(x, x, square))
    y = log_of_root(h + NO_ZERO, tail, x)
    y = y if x != 1.0 else 0.0
    return NAN if x < 1.0 else y


def atanh(x: Any) -> Any:
    """Return the inverse of tanh; error below 1 ulp."""
    magnitude = abs(x)
    if magnitude < 0.5:
        y = odd_sum(magnitude, ATANH)
    else:
        n, n_tail = ordered_sum(1.0, magnitude)
        d = 1.0 - magnitude
        r = reciprocal(d)
        q = n * r
        y = 0.5 * log_of_pair(q, (residual(n, q, d) + n_tail) * r, as_int(0))
        y = y if magnitude < 1.0 else (INFINITY if magnitude == 1.0 else NAN)
    return copy_sign(y, x)
