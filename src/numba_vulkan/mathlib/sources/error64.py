"""erf and erfc of float64.

erfc(x) = exp(-x**2) * g(t) / (x + 2) with t = (x - 2) / (x + 2); the square and what is multiplied are pairs. erf is an
odd polynomial around zero.
"""

from __future__ import annotations

from typing import Any

from ..primitives import (
    copy_sign,
    from_words,
    high_word,
    low_word,
    polynomial,
    reciprocal,
    residual,
    unsigned,
)
from .coefficients import ERF_64, ERFC_64
from .exponential64 import exp_fraction, scaled_far
from .pairs import ordered_sum, two_product

G0, G0_TAIL = ERFC_64[:2]
HIGHER = ERFC_64[2:]


def complement(a: Any) -> Any:
    """Return erfc(a), for a from 0 on; what rounds to zero, or is no number, is behind a branch."""
    d = a + 2.0
    t = 1.0 - 4.0 * reciprocal(d)
    # The reciprocal from which t comes without rounding, and what it lacks.
    r = 0.25 * (1.0 - t)
    lack = residual(1.0, r, d) - r * (a - (d - 2.0))
    g, g_tail = ordered_sum(G0, t * polynomial(t, HIGHER))
    h, h_tail = two_product(g, r)
    # A relative change of r makes one of h that is larger by this factor, near enough.
    factor = 1.6 - 0.65 * t
    h_tail = h_tail + (h * (lack * factor) + (g_tail + G0_TAIL) * r)
    square, square_tail = two_product(a, a)
    k, p, q = exp_fraction(-square, -square_tail)
    y = h + (h * p + (h * q + (h_tail + h_tail * p)))
    result = from_words(high_word(y) + (unsigned(k) << 20), low_word(y))
    if not a < 26.0:
        result = scaled_far(y, k) if a < 27.3 else 0.0
        result = result if a == a else a
    return result


def erf(x: Any) -> Any:
    """Return the error function; error below 1 ulp."""
    magnitude = abs(x)
    if magnitude < 0.8:
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
    y = complement(magnitude)
    return 2.0 - y if x < 0.0 else y
