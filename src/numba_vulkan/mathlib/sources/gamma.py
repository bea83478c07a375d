"""gamma and lgamma; one source for both precisions.

gamma(x) of float32 is Stirling's series at x + 2, divided by x * (x + 1). In float64, and where x is negative, it is
gamma(1 + f) times, or below 1 divided by, the factors between, all of them pairs. lgamma is Stirling's series for large
x, (x - 1) * (x - 2) times a polynomial around its zeros, and goes by Euler's reflection for negative x.
"""

from __future__ import annotations

from typing import Any

from ..primitives import (
    add_product,
    as_int,
    copy_sign,
    polynomial,
    product_error,
    reciprocal,
    residual,
    round_down,
    unsigned,
)
from .coefficients import (
    EXP_32,
    GAMMA_32,
    GAMMA_64,
    GAMMA_SERIES_32,
    LGAMMA_32,
    LGAMMA_64,
    STIRLING_32,
    STIRLING_64,
)
from .constants import INFINITY, NAN
from .exponential32 import LN2_HEAD, LN2_TAIL, LOG2_E
from .logarithm32 import fine_log
from .pairs import ordered_sum, pair_product, two_product, two_sum
from .real import ROUNDER, ByPrecision, log, power_of_two, raised
from .reciprocal import quotient
from .trigonometric import sine_or_cosine

GAMMA, HIGHER = ByPrecision(GAMMA_32, GAMMA_64), ByPrecision(GAMMA_32[2:], GAMMA_64[2:])
LGAMMA, STIRLING = ByPrecision(LGAMMA_32, LGAMMA_64), ByPrecision(STIRLING_32, STIRLING_64)
LOG_PI = 1.1447298858494002
HALF_LOG_TWO_PI, HALF_LOG_TWO_PI_E = 0.9189385332046728, 0.4189385332046728
# Up to it, gamma is 1 / x, and lgamma -log(abs(x)).
TINY = ByPrecision(1e-8, 1e-17)
# From these on, gamma is infinite, its factors are not multiplied, and down to the last one it is not zero.
INFINITE, MOST, LEAST = (
    ByPrecision(35.0401, 171.62437695630274),
    ByPrecision(36.0, 172.0),
    ByPrecision(-43.0, -184.0),
)
# What is divided when products become large, by 2 to this power.
LARGE, STEP = ByPrecision(2.0**60, 2.0**600), ByPrecision(60, 600)
INVERSE = ByPrecision(2.0**-60, 2.0**-600)
# Where Stirling's series begins, and up to where its inverse is normal.
STIRLING_FROM, HAS_ABOVE = ByPrecision(3.5, 2.5), ByPrecision(True, False)
STIRLING_TO = ByPrecision(1e35, 1e300)


def fraction_part(t: Any) -> Any:
    """Return gamma(1.5 + t) as a pair, for t in [-0.5, 0.5]."""
    return ordered_sum(GAMMA[0], GAMMA[1] + t * polynomial(t, HIGHER))


def growing_parts(x: Any) -> Any:
    """Return gamma(x) as a pair, for x from `TINY` up to `INFINITE`."""
    count = ((x - 1.5) + ROUNDER) - ROUNDER
    count = -1.0 if x < 1.0 else count
    n, n_tail = fraction_part(x - (count + 1.5))
    while count > 0.5:
        # All factors are exact.
        factor = x - count
        product = n * factor
        n_tail = product_error(n, factor, product) + n_tail * factor
        n = product
        count = count - 1.0
    if x < 1.0:
        n, n_tail = quotient(n, n_tail, x, 0.0)
    return n, n_tail


def falling_parts(x: Any) -> Any:
    """Return q, q_tail and k with gamma(x) = (q + q_tail) * 2**k, for a negative x from `LEAST` on."""
    d, d_tail = 1.0, 0.0
    u, u_tail = x, 0.0
    k = as_int(0)
    while u < 1.0:
        d, d_tail = pair_product(d, d_tail, u, u_tail)
        u, lost = two_sum(u, 1.0)
        u_tail = u_tail + lost
        if abs(d) > LARGE:
            d, d_tail = d * INVERSE, d_tail * INVERSE
            k = k - STEP
    n, n_tail = fraction_part((u - 1.5) + u_tail)
    sign = copy_sign(1.0, d)
    d, d_tail = d * sign, d_tail * sign
    q, q_tail = quotient(n, n_tail, d if d > 0.0 else 1.0, d_tail)
    return q * sign, q_tail * sign, k


def by_series(x: Any) -> Any:
    """Return gamma(x) of a float32 x from `TINY` to `INFINITE`: Stirling's series at x + 2, divided by x * (x + 1)."""
    above = x + 2.0
    beyond = x - (above - 2.0)
    other = x + 1.0
    factors, lost = two_product(x, other)
    lost = lost + x * (x - (other - 1.0))
    r = reciprocal(factors * above)
    inverse, quotient = r * factors, r * above
    # What is relative to the result is small beside its logarithm.
    small = residual(1.0, quotient, factors) - lost * quotient
    # (x + 3 / 2) * (log(x + 2) - 1) - 1 / 2
    head, tail = fine_log(above)
    n = above - 0.5
    exponent, exponent_lost = two_product(n, head - 1.0)
    small = small + (exponent_lost + (n * tail + beyond * (head - 0.5 * inverse)))
    small = small + (HALF_LOG_TWO_PI_E + inverse * polynomial(inverse * inverse, GAMMA_SERIES_32))
    shifted = (exponent + small) * LOG2_E + ROUNDER
    k = shifted - ROUNDER
    rest = add_product(add_product(exponent, k, -LN2_HEAD), k, -LN2_TAIL) + small
    return raised((1.0 + (rest + (rest * rest) * polynomial(rest, EXP_32))) * quotient, shifted)


def by_factors(x: Any) -> Any:
    """Return gamma(x) for x from `TINY` up to `INFINITE`."""
    n, n_tail = growing_parts(x)
    return n + n_tail


ordinary_gamma = ByPrecision(by_series, by_factors)


def gamma(x: Any) -> Any:
    """Return the gamma function; error below 3 ulp."""
    if x > TINY:
        y = ordinary_gamma(x if x < MOST else MOST)
        y = y if x < INFINITE else INFINITY
    else:
        y = gamma_below(x)
    return y


def gamma_below(x: Any) -> Any:
    """Return gamma of tiny and negative numbers, of zero, and of no number."""
    y = 1.0 / x
    if x < -TINY:
        q, q_tail, k = falling_parts(x if x > LEAST else -1.5)
        y = (q + q_tail) * power_of_two(k)
        whole = round_down(x)
        is_odd = round_down(0.5 * whole) * 2.0 != whole
        y = y if x > LEAST else (-0.0 if is_odd else 0.0)
        y = NAN if whole == x else y
    return y


def lgamma(x: Any) -> Any:
    """Return the logarithm of the magnitude of gamma; error below 5 ulp, of 1 where a negative x makes it less."""
    magnitude = abs(x)
    # Around its zeros, and one step below and in float32 above, where Stirling's series cancels.
    is_near, is_above, is_below = magnitude < STIRLING_FROM, HAS_ABOVE and magnitude >= 2.5, magnitude < 0.6
    c = magnitude - 1.0 if is_above else (magnitude + 1.0 if is_below else magnitude)
    logarithm = log(c if is_above and is_near else magnitude)
    if is_near:
        y = ((c - 1.0) * (c - 2.0)) * polynomial(c - 1.5, LGAMMA)
        y = y + logarithm if is_above else (y - logarithm if is_below else y)
        y = 0.0 if y == 0.0 else y
    else:
        inverse = reciprocal(magnitude if magnitude < STIRLING_TO else STIRLING_TO)
        series = HALF_LOG_TWO_PI + inverse * polynomial(inverse * inverse, STIRLING)
        y = (magnitude - 0.5) * (logarithm - 1.0) + (series - 0.5)
        y = y if magnitude < INFINITY else magnitude
    return reflected(magnitude, y) if x < -TINY else y


def reflected(magnitude: Any, y: Any) -> Any:
    """Return lgamma of a negative number, given its magnitude and lgamma of that."""
    f = magnitude - round_down(magnitude)
    f = f if f <= 0.5 else 1.0 - f
    is_high = f > 0.25
    r = 3.141592653589793 * (0.5 - f if is_high else f)
    sine = sine_or_cosine(unsigned(1) if is_high else unsigned(0), r, 0.0)
    # Not far from zero, logarithms might cancel: their arguments are multiplied instead.
    n = 1.0
    if magnitude < 30.0:
        n, _ = growing_parts(magnitude)
        y = 0.0
    result = (LOG_PI - log((magnitude * sine) * n)) - y
    return result if f > 0.0 and magnitude < INFINITY else INFINITY
