"""gamma and lgamma of float64.

gamma(x) = gamma(1 + f) times or divided by the factors between, all of them pairs. lgamma by Stirling's series from 10
on, (x - 1) * (x - 2) times a polynomial around its zeros, and the logarithm of gamma elsewhere.
"""

from __future__ import annotations

from typing import Any

from ..primitives import as_int, copy_sign, polynomial, round_down, unsigned
from .coefficients import GAMMA_64, LGAMMA_64, STIRLING_64
from .constants import INFINITY, NAN
from .exponential64 import power_of_two
from .logarithm64 import log, log_of_pair
from .pairs import ordered_sum, pair_product, two_sum
from .reciprocal import quotient
from .trigonometric64 import sine_or_cosine

HIGHER = GAMMA_64[2:]
LOG_PI = 1.1447298858494002
HALF_LOG_TWO_PI = 0.9189385332046728


def gamma_parts(x: Any) -> Any:
    """Return q, q_tail and k with gamma(x) = (q + q_tail) * 2**k, for x in (-185, 172)."""
    n, n_tail = 1.0, 0.0
    d, d_tail = 1.0, 0.0
    u, u_tail = x, 0.0
    k = as_int(0)
    while u >= 2.0:
        u = u - 1.0
        n, n_tail = pair_product(n, n_tail, u, 0.0)
        if n > 4.149515568880993e180:
            n, n_tail = n * 2.409919865102884e-181, n_tail * 2.409919865102884e-181
            k = k + 600
    while u < 1.0:
        d, d_tail = pair_product(d, d_tail, u, u_tail)
        u, lost = two_sum(u, 1.0)
        u_tail = u_tail + lost
        if abs(d) > 4.149515568880993e180:
            d, d_tail = d * 2.409919865102884e-181, d_tail * 2.409919865102884e-181
            k = k - 600
    t = (u - 1.5) + u_tail
    g, g_tail = ordered_sum(GAMMA_64[0], GAMMA_64[1] + t * polynomial(t, HIGHER))
    n, n_tail = pair_product(n, n_tail, g, g_tail)
    sign = copy_sign(1.0, d)
    d, d_tail = d * sign, d_tail * sign
    q, q_tail = quotient(n, n_tail, d if d > 0.0 else 1.0, d_tail)
    return q * sign, q_tail * sign, k


def gamma(x: Any) -> Any:
    """Return the gamma function; error below 1.5 ulp."""
    is_tiny = abs(x) < 1e-17
    is_inside = x > -184.0 and x < 172.0 and not is_tiny
    q, q_tail, k = gamma_parts(x if is_inside else 1.0)
    y = (q + q_tail) * power_of_two(k)
    y = y if x < 171.6243769563027 else INFINITY
    y = 1.0 / x if is_tiny else y
    whole = round_down(x)
    is_odd = round_down(0.5 * whole) * 2.0 != whole
    y = y if x > -184.0 else (-0.0 if is_odd else 0.0)
    if x <= 0.0 and whole == x:
        y = copy_sign(INFINITY, x) if x == 0.0 else NAN
    return y if x == x else x


def lgamma(x: Any) -> Any:
    """Return the logarithm of the magnitude of gamma; error below 4 ulp, of 1 where a negative x makes it less."""
    if x >= 10.0:
        c = x if x < 1e305 else 1e305
        inverse, _ = quotient(1.0, 0.0, c, 0.0)
        series = HALF_LOG_TWO_PI + inverse * polynomial(inverse * inverse, STIRLING_64)
        y = (x - 0.5) * (log(x) - 1.0) + (series - 0.5)
        y = y if x < INFINITY else x
    elif x > 1e-17 and x < 3.5:
        # Around its zeros, and one step above and below.
        is_above, is_below = x >= 2.5, x < 0.6
        c = x - 1.0 if is_above else (x + 1.0 if is_below else x)
        y = ((c - 1.0) * (c - 2.0)) * polynomial(c - 1.5, LGAMMA_64)
        factor = log(c if is_above else x)
        y = y + factor if is_above else (y - factor if is_below else y)
        y = 0.0 if y == 0.0 else y
    elif x > -170.0 and abs(x) > 1e-17:
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
        r = 3.141592653589793 * (0.5 - f if is_high else f)
        sine = sine_or_cosine(unsigned(1) if is_high else unsigned(0), r, 0.0)
        correction = (0.08333333333333333 - 0.002777777777777778 / (magnitude * magnitude)) / magnitude
        series = (HALF_LOG_TWO_PI - 0.5) + correction
        stirling = (magnitude - 0.5) * (log(magnitude) - 1.0) + series
        y = LOG_PI - log(magnitude * (sine if f > 0.0 else 1.0)) - stirling
        y = y if f > 0.0 else INFINITY
    return y if magnitude < INFINITY else INFINITY
