"""erf and erfc of float32.

erfc(x) = exp(q(w) - w - x**2) * 2 / (x + 2) with w = x / (x + 2): all that is small beside the exponent, and what
rounding takes from the square and the inverse, is added to what is left of it without multiples of ln 2. erf is an odd
polynomial around zero and 1 - 2**(x * q(x) - 2 * x) elsewhere.
"""

from __future__ import annotations

from typing import Any

from ..primitives import add_product, copy_sign, polynomial, reciprocal, residual
from .coefficients import ERF_32, ERF_FAR_32, ERFC_LOG_32, EXP_32
from .exponential32 import (
    LN2_HEAD,
    LN2_TAIL,
    LOG2_E,
    ROUNDER,
    exponent_in,
    raised,
    scaled_far,
    short_power,
)
from .pairs import two_product

# With it, the integer in the low bits is greater by one, which doubles the result.
ABOVE_ROUNDER = ROUNDER + 1.0


def complement(a: Any) -> Any:
    """Return erfc(a), for a from 0 on; what rounds to zero, or is no number, is behind a branch."""
    # w is a / (a + 2), and r an inverse of a + 2, neither of which is rounded any more; what r lacks is known.
    w = add_product(1.0, reciprocal(a + 2.0), -2.0)
    r = add_product(0.5, w, -0.5)
    lack = residual(w, r, a)
    v = w * polynomial(w, ERFC_LOG_32)
    square, square_tail = two_product(a, a)
    shifted = ((v - w) - square) * LOG2_E + ABOVE_ROUNDER
    n = shifted - ABOVE_ROUNDER
    # A relative change of r makes one of the result that is larger by this factor, near enough.
    rest = lack * add_product(1.11, r, 2.0) - square_tail
    s = (v - (add_product(square, n, LN2_HEAD) + w)) + add_product(rest, n, -LN2_TAIL)
    y = r + r * (s + (s * s) * polynomial(s, EXP_32))
    result = raised(y, shifted)
    if not a < 9.0:
        result = scaled_far(y, exponent_in(shifted)) if a < 10.1 else 0.0
        result = result if a == a else a
    return result


def erf(x: Any) -> Any:
    """Return the error function; error below 1 ulp."""
    magnitude = abs(x)
    # Its double, which is exact, is the larger part of the exponent.
    double, rest = -2.0 * magnitude, magnitude * polynomial(magnitude, ERF_FAR_32)
    shifted = (double + rest) + ROUNDER
    power, beyond = short_power((double - (shifted - ROUNDER)) + rest, shifted)
    y = (1.0 - power) - power * beyond
    y = 1.0 if magnitude > 4.0 else y
    # The second term of tiny numbers must not underflow.
    c = magnitude * 1.8446744073709552e19
    near = (c + c * polynomial(magnitude * magnitude, ERF_32)) * 5.421010862427522e-20
    y = near if magnitude < 0.73 else y
    return copy_sign(y, x)


def erfc(x: Any) -> Any:
    """Return 1 - erf(x); error below 1.8 ulp."""
    magnitude = abs(x)
    y = complement(magnitude)
    return 2.0 - y if x < 0.0 else y
