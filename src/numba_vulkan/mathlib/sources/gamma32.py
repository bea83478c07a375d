"""gamma and lgamma of float32.

gamma(x) = gamma(1 + f) times or divided by the factors between, all of them pairs. lgamma by Stirling's series from 7
on, (x - 1) * (x - 2) times a polynomial around its zeros, and the logarithm of gamma elsewhere.
"""

from __future__ import annotations

from typing import Any

from ..primitives import as_int, copy_sign, polynomial, round_down, unsigned
from .coefficients import GAMMA_32, LGAMMA_32, STIRLING_32
from .constants import INFINITY, NAN
from .exponential32 import power_of_two
from .logarithm32 import log, log_of_pair
from .pairs import ordered_sum, pair_product, two_sum
from .reciprocal import quotient
from .trigonometric32 import sine_or_cosine

HIGHER = GAMMA_32[2:]
LOG_PI = 1.1447298526763916
HALF_LOG_TWO_PI = 0.9189385175704956


def gamma_parts(x: Any) -> Any:
    """Return q, q_tail and k with gamma(x) = (q + q_tail) * 2**k, for x in (-45, 36)."""
    n, n_tail = 1.0, 0.0
    d, d_tail = 1.0, 0.0
    u, u_tail = x, 0.0
    k = as_int(0)
    while u >= 2.0:
        u = u - 1.0
        n, n_tail = pair_product(n, n_tail, u, 0.0)
        if n > 1.2676506002282294e30:
            n, n_tail = n * 8.673617379884035e-19, n_tail * 8.673617379884035e-19
            k = k + 60
    while u < 1.0:
        d, d_tail = pair_product(d, d_tail, u, u_tail)
        u, lost = two_sum(u, 1.0)
        u_tail = u_tail + lost
        if abs(d) > 1.152921504606847e18:
            d, d_tail = d * 8.673617379884035e-19, d_tail * 8.673617379884035e-19
            k = k - 60
    t = (u - 1.5) + u_tail
    g, g_tail = ordered_sum(GAMMA_32[0], GAMMA_32[1] + t * polynomial(t, HIGHER))
    n, n_tail = pair_product(n, n_tail, g, g_tail)
    sign = copy_sign(1.0, d)
    d, d_tail = d * sign, d_tail * sign
    q, q_tail = quotient(n, n_tail, d if d > 0.0 else 1.0, d_tail)
    return q * sign, q_tail * sign, k


def gamma(x: Any) -> Any:
    """Return the gamma function; error below 1.5 ulp."""
    is_tiny = abs(x) < 1e-8
    is_inside = x > -43.0 and x < 36.0 and not is_tiny
    q, q_tail, k = gamma_parts(x if is_inside else 1.0)
    y = (q + q_tail) * power_of_two(k)
    y = y if x < 35.040096 else INFINITY
    y = 1.0 / x if is_tiny else y
    whole = round_down(x)
    is_odd = round_down(0.5 * whole) * 2.0 != whole
    y = y if x > -43.0 else (-0.0 if is_odd else 0.0)
    if x <= 0.0 and whole == x:
        y = copy_sign(INFINITY, x) if x == 0.0 else NAN
    return y if x == x else x


def lgamma(x: Any) -> Any:
    """Return the logarithm of the magnitude of gamma; error below 4 ulp, of 1 where a negative x makes it less."""
    if x >= 7.0:
        c = x if x < 1e37 else 1e37
        inverse, _ = quotient(1.0, 0.0, c, 0.0)
        series = HALF_LOG_TWO_PI + inverse * polynomial(inverse * inverse, STIRLING_32)
        y = (x - 0.5) * (log(x) - 1.0) + (series - 0.5)
        y = y if x < INFINITY else x
    elif x > 1e-8 and x < 3.5:
        # Around its zeros, and one step above and below.
        is_above, is_below = x >= 2.5, x < 0.6
        c = x - 1.0 if is_above else (x + 1.0 if is_below else x)
        y = ((c - 1.0) * (c - 2.0)) * polynomial(c - 1.5, LGAMMA_32)
        factor = log(c if is_above else x)
        y = y + factor if is_above else (y - factor if is_below else y)
        y = 0.0 if y == 0.0 else y
    elif x > -40.0 and abs(x) > 1e-8:
        q, q_tail, k = gamma_parts(x)
        sign = copy_sign(1.0, q)
        y = log_of_pair(q * sign, q_tail * sign, k)
        y = y if x > 0.0 or round_down(x) != x else INFINITY
    else:
        y = lgamma_outside(x)
    return y if x == x else x


def lgamma_outside(x: Any) -> Any:
    """Return lgamma near zero, and for large negative numbers by reflection."""
    magnitude = abs(x)
    y = -log(magnitude)
    if magnitude > 1.0:
        f = magnitude - round_down(magnitude)
        f = f if f <= 0.5 else 1.0 - f
        is_high = f > 0.25
        r = 3.1415927 * (0.5 - f if is_high else f)
        sine = sine_or_cosine(unsigned(1) if is_high else unsigned(0), r, 0.0)
        series = (HALF_LOG_TWO_PI - 0.5) + 0.083333336 / magnitude
        stirling = (magnitude - 0.5) * (log(magnitude) - 1.0) + series
        y = LOG_PI - log(magnitude * (sine if f > 0.0 else 1.0)) - stirling
        y = y if f > 0.0 else INFINITY
    return y if magnitude < INFINITY else INFINITY
