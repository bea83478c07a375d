"""erf and erfc of float32.

erfc(x) = exp(-x**2) * g(t) / (x + 2) with t = (x - 2) / (x + 2); the square and what is multiplied are pairs. erf is an
odd polynomial around zero and 1 - exp(-x * q(x)) elsewhere.
"""

from __future__ import annotations

from typing import Any

from ..primitives import copy_sign, polynomial, reciprocal, residual
from .coefficients import ERF_32, ERF_FAR_32, ERFC_32
from .exponential32 import exp_fraction, power_of_two, scaled
from .pairs import ordered_sum, two_product

G0, G0_TAIL, G1 = ERFC_32[:3]
HIGHER = ERFC_32[2:]
FAR, FAR_HIGHER = ERF_FAR_32[0], ERF_FAR_32[1:]


def complement(a: Any) -> Any:
    """Return erfc(a), for a in [0, 10.1]."""
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
    if magnitude < 0.89:
        # The second term of tiny numbers must not underflow.
        is_tiny = magnitude < 1e-20
        c = x * 1.8446744073709552e19 if is_tiny else x
        y = c + c * polynomial(x * x, ERF_32)
        y = y * 5.421010862427522e-20 if is_tiny else y
    else:
        c = 4.0 if magnitude > 4.0 else magnitude
        slope, lost = ordered_sum(FAR, c * polynomial(c, FAR_HIGHER))
        exponent, exponent_tail = two_product(c, slope)
        k, p, q = exp_fraction(-exponent, -(exponent_tail + c * lost))
        power = power_of_two(k)
        y = copy_sign((1.0 - power) - power * (p + q), x)
    return y


def erfc(x: Any) -> Any:
    """Return 1 - erf(x); error below 1.5 ulp."""
    magnitude = abs(x)
    y = complement(10.1 if magnitude > 10.1 else magnitude)
    return 2.0 - y if x < 0.0 else y
