"""erf and erfc of float64.

erfc(x) = exp(-x**2) * g(t) / (x + 2) with t = (x - 2) / (x + 2); the square and what is multiplied are pairs. erf is an
odd polynomial around zero and 1 - 2**(x * q(x) - 2 * x) elsewhere.
"""

from __future__ import annotations

from typing import Any

from ..primitives import (
    add_product,
    copy_sign,
    from_words,
    high_word,
    low_word,
    polynomial,
    reciprocal,
    residual,
    unsigned,
)
from .coefficients import ERF_64, ERF_FAR_64, ERFC_64
from .exponential64 import ROUNDER, exp_fraction, scaled_far, short_power
from .pairs import ordered_sum, two_product

G0, HIGHER = ERFC_64[0], ERFC_64[1:]


def complement(a: Any) -> Any:
    """Return erfc(a), for a from 0 on; what rounds to zero, or is no number, is behind a branch."""
    d = a + 2.0
    t = add_product(1.0, reciprocal(d), -4.0)
    # The reciprocal from which t comes without rounding, and what it lacks.
    r = 0.25 * (1.0 - t)
    lack = residual(1.0, r, d) - r * (a - (d - 2.0))
    g, g_tail = ordered_sum(G0, t * polynomial(t, HIGHER))
    h = g * r
    # A relative change of r makes one of h that is larger by this factor, near enough.
    factor = 1.6 - 0.65 * t
    square, square_tail = two_product(a, a)
    k, p, q = exp_fraction(-square, -square_tail)
    y = h + (h * (p + (q + lack * factor)) + g_tail * r)
    result = from_words(high_word(y) + (unsigned(k) << 20), low_word(y))
    if not a < 26.0:
        result = scaled_far(y, k) if a < 27.3 else 0.0
        result = result if a == a else a
    return result


def erf(x: Any) -> Any:
    """Return the error function; error below 1 ulp."""
    magnitude = abs(x)
    # Its double, which is exact, is the larger part of the exponent.
    double, rest = -2.0 * magnitude, magnitude * polynomial(magnitude, ERF_FAR_64)
    shifted = (double + rest) + ROUNDER
    power, beyond = short_power((double - (shifted - ROUNDER)) + rest, shifted)
    y = (1.0 - power) - power * beyond
    y = 1.0 if magnitude > 5.94 else y
    # The second term of tiny numbers must not underflow.
    c = magnitude * 1.8446744073709552e19
    near = (c + c * polynomial(magnitude * magnitude, ERF_64)) * 5.421010862427522e-20
    y = near if magnitude < 0.8 else y
    return copy_sign(y, x)


def erfc(x: Any) -> Any:
    """Return 1 - erf(x); error below 4 ulp."""
    magnitude = abs(x)
    y = complement(magnitude)
    return 2.0 - y if x < 0.0 else y
