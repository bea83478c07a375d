"""erf and erfc of float64.

erfc(x) = exp(-x**2) * g(t) / (x + 2) with t = (x - 2) / (x + 2); the square and what is multiplied are pairs. erf is an
odd polynomial around zero.
"""

from __future__ import annotations

from typing import Any

from ..primitives import copy_sign, polynomial, reciprocal, residual
from .coefficients import ERF_64, ERFC_64
from .exponential64 import exp_fraction, scaled
from .pairs import ordered_sum, two_product

G0, G0_TAIL, G1 = ERFC_64[:3]
HIGHER = ERFC_64[2:]


def complement(a: Any) -> Any:
    """Return erfc(a), for a in [0, 27.3]."""
    d = a + 2.0
    r = reciprocal(d)
    lack = residual(1.0, r, d) - r * (a - (d - 2.0))
    t = 1.0 - 4.0 * r
    t_tail = ((1.0 - t) - 4.0 * r) - (4.0 * r) * lack
    g, g_tail = ordered_sum(G0, t * polynomial(t, HIGHER))
    g_tail = g_tail + (G0_TAIL + G1 * t_tail)
    h, h_tail = two_product(g, r)
    h_tail = h_tail + (h * lack + g_tail * r)
    square, square_tail = two_product(a, a)
    k, p, q = exp_fraction(-square, -square_tail)
    return scaled(h + (h * p + (h * q + (h_tail + h_tail * p))), k)


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
        y = copy_sign(1.0 - complement(c), x)
        y = y if x == x else x
    return y


def erfc(x: Any) -> Any:
    """Return 1 - erf(x); error below 1.5 ulp."""
    magnitude = abs(x)
    y = complement(27.3 if magnitude > 27.3 else magnitude)
    return 2.0 - y if x < 0.0 else y
