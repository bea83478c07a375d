"""sin, cos and tan; one source for both precisions.

|x| = q * pi/2 + r with |r| <= pi/4, by Cody and Waite: pi/2 is three parts, of which the products of the first two with
q are exact. Rounded to nearest, they leave less than cut off would. Huge angles are behind a branch. sin and cos of r
are polynomials; what r lacks enters by the derivative.
"""

from __future__ import annotations

from typing import Any

from ..primitives import (
    add_product,
    bits,
    chosen_polynomial,
    from_bits,
    from_words,
    high_word,
    low_word,
    polynomial,
    reciprocal,
    residual,
)
from .coefficients import COS_32, COS_64, SIN_32, SIN_64, TAN_32, TAN_64
from .constants import INFINITY, NAN, SIGN
from .huge_angles32 import reduced_huge as reduced_huge_single
from .huge_angles64 import reduced_huge as reduced_huge_double
from .pairs import ordered_sum
from .real import ByPrecision

ROUNDER = ByPrecision(12582912.0, 6755399441055744.0)
TWO_OVER_PI = ByPrecision(0.6366197466850281, 0.6366197723675814)
# 12 and 13 bits, of float64 35 and 35, and the rest. Of all numbers up to the limit 2023.18567 and 91553.86390724055
# are nearest to a multiple of pi/2 by what is left of them: it is good to 0.2 units in its last place.
FIRST = ByPrecision(1.57080078125, 1.5707963267923333)
SECOND = ByPrecision(-4.454515874385834e-06, 2.5633441515839558e-12)
THIRD = ByPrecision(6.07710062827671e-11, 1.0562999066987428e-23)
LIMIT = ByPrecision(1500.0, 100000.0)
SIN, COS, TAN = ByPrecision(SIN_32, SIN_64), ByPrecision(COS_32, COS_64), ByPrecision(TAN_32, TAN_64)

reduced_huge = ByPrecision(reduced_huge_single, reduced_huge_double)
# The word with the sign of a float, and that with its last bits.
first_word, last_word = ByPrecision(bits, high_word), ByPrecision(bits, low_word)


def flipped_single(y: Any, word: Any) -> Any:
    """Return y, or -y if the highest bit of a word is set."""
    return from_bits(bits(y) ^ (word & SIGN))


def flipped_double(y: Any, word: Any) -> Any:
    """Return y, or -y if the highest bit of a word is set."""
    return from_words(high_word(y) ^ (word & SIGN), low_word(y))


flipped = ByPrecision(flipped_single, flipped_double)


def reduced(x: Any) -> Any:
    """Return for the magnitude of x the low bits of q, r, and what r lacks; r is not a number where x is none."""
    c = abs(x)
    shifted = c * TWO_OVER_PI + ROUNDER
    n = shifted - ROUNDER
    q = last_word(shifted)
    whole = add_product(c, n, -FIRST)
    r = add_product(whole, n, -SECOND)
    tail = add_product(whole - r, n, -SECOND) - n * THIRD
    if not c < LIMIT:
        q, r, tail = reduced_huge(c)
        r = r if c < INFINITY else NAN
    return q, r, tail


def cosine_head(z: Any) -> Any:
    """Return 1 - z / 2 and what it lacks."""
    half = 0.5 * z
    w = 1.0 - half
    return w, (1.0 - w) - half


def sine_or_cosine(q: Any, r: Any, tail: Any) -> Any:
    """Return the sine of r + tail, or for odd q the cosine."""
    is_cosine = (q & 1) != 0
    z = r * r
    w, lack = cosine_head(z)
    # Both are a head, what is small, and the product of z, r or z, and a polynomial of z.
    head = w if is_cosine else r
    small = lack - r * tail if is_cosine else w * tail
    factor = z if is_cosine else r
    return head + (small + (factor * z) * chosen_polynomial(z, is_cosine, COS, SIN))


def sin(x: Any) -> Any:
    """Return the sine; error below 0.95 ulp."""
    q, r, tail = reduced(x)
    return flipped(sine_or_cosine(q, r, tail), (q << 30) ^ first_word(x))


def cos(x: Any) -> Any:
    """Return the cosine; error below 0.95 ulp."""
    q, r, tail = reduced(x)
    q = q + 1
    return flipped(sine_or_cosine(q, r, tail), q << 30)


def sincos(x: Any) -> Any:
    """Return sine and cosine, the same as one by one."""
    q, r, tail = reduced(x)
    z = r * r
    w, lack = cosine_head(z)
    first = r + (w * tail + (r * z) * polynomial(z, SIN))
    second = w + ((lack - r * tail) + (z * z) * polynomial(z, COS))
    is_swapped = (q & 1) != 0
    sine = second if is_swapped else first
    cosine = first if is_swapped else second
    return flipped(sine, (q << 30) ^ first_word(x)), flipped(cosine, (q + 1) << 30)


def tan(x: Any) -> Any:
    """Return the tangent; error below 1.4 ulp."""
    q, r, tail = reduced(x)
    r, tail = ordered_sum(r, tail)
    z = r * r
    rest = tail + z * (r * polynomial(z, TAN) + tail)
    y, y_tail = ordered_sum(r, rest)
    is_odd = (q & 1) != 0
    d = y if is_odd else 1.0
    # The inverse of the pair, with what its head lacks.
    inverse = reciprocal(d)
    other = inverse + (residual(1.0, inverse, d) - inverse * y_tail) * inverse
    return flipped(other if is_odd else y, (q << 31) ^ first_word(x))
