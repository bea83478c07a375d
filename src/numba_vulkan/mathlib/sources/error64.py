"""erf and erfc of float64.

An odd polynomial around zero; elsewhere erfc(x) = exp(-x**2) * g(t) / (x + 2) with t = (x - 2) / (x + 2), the exponent,
the quotient and the last product as pairs.
"""

from __future__ import annotations

from typing import Any

from ..primitives import copy_sign, polynomial
from .coefficients import ERF_64, ERFC_64
from .exponential64 import exp_parts, scaled
from .pairs import ordered_sum, two_product
from .reciprocal64 import quotient

G0, G0_TAIL, G1 = ERFC_64[:3]
HIGHER = ERFC_64[2:]


def complement(a: Any) -> Any:
    """Return k and y, z with erfc(a) = 2**k * (y + z), for a in [0.5, 27.3]."""
    d = a + 2.0
    r, r_tail = quotient(1.0, 0.0, d, a - (d - 2.0))
    t, t_tail = ordered_sum(1.0, -4.0 * r)
    t_tail = t_tail - 4.0 * r_tail
    g, g_tail = ordered_sum(G0, t * polynomial(t, HIGHER))
    g_tail = g_tail + (G0_TAIL + G1 * t_tail)
    h, h_tail = two_product(g, r)
    h_tail = h_tail + (g * r_tail + g_tail * r)
    square, square_tail = two_product(a, a)
    k, e, e_tail = exp_parts(-square, -square_tail)
    y, y_tail = two_product(e, h)
    y, y_tail = ordered_sum(y, y_tail + (e * h_tail + e_tail * h))
    return k, y, y_tail


def erf(x: Any) -> Any:
    """Return the error function; error below 1 ulp."""
    magnitude = abs(x)
    if magnitude < 0.85:
        # The second term of tiny numbers must not underflow.
        is_tiny = magnitude < 1e-290
        c = x * 1.8446744073709552e19 if is_tiny else x
        y = c + c * polynomial(x * x, ERF_64)
        y = y * 5.421010862427522e-20 if is_tiny else y
    else:
        c = magnitude if magnitude < 6.0 else 6.0
        k, y, tail = complement(c)
        y = copy_sign(1.0 - scaled(y + tail, k), x)
        y = y if x == x else x
    return y


def erfc(x: Any) -> Any:
    """Return 1 - erf(x); error below 1.5 ulp."""
    magnitude = abs(x)
    if magnitude < 0.5:
        head, lost = ordered_sum(1.0, -x)
        y = head + (lost - x * polynomial(x * x, ERF_64))
    else:
        c = magnitude if magnitude < 27.3 else 27.3
        k, y, tail = complement(c)
        y = scaled(y + tail, k)
        y = y if magnitude < 27.3 else 0.0
        y = 2.0 - y if x < 0.0 else y
        y = y if x == x else x
    return y
