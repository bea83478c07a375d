"""sin, cos and tan of float64.

x = q * pi/2 + r with |r| <= pi/4 as a pair. Up to 100 000 by Cody and Waite: pi/2 is four parts, of which the products
of all but the last with q are exact. Beyond, by Payne and Hanek: the 53 bits of x times those bits of 2/pi that matter,
in 32-bit integers. sin and cos of r are polynomials; the tail enters by the derivative.
"""

from __future__ import annotations

from typing import Any

from ..primitives import (
    add_product,
    as_float64,
    chosen_polynomial,
    from_words,
    high_word,
    low_word,
    multiply_high,
    polynomial,
    reciprocal,
    residual,
    signed,
    unsigned,
    window,
)
from .coefficients import COS_64, SIN_64, TAN_64
from .constants import INFINITY, NAN
from .pairs import ordered_sum, pair_product

ROUNDER = 6755399441055744.0
TWO_OVER_PI = 0.6366197723675814
# pi/2 in parts of 30 bits, and the rest.
FIRST, SECOND = 1.570796325802803, 9.920935791635221e-10
THIRD, FOURTH = 5.17018297889025e-19, 2.9038559739793605e-28
LIMIT = 100000.0
SMALL = 1e-8
HALF_PI_HEAD, HALF_PI_TAIL = 1.5707963267948966, 6.123233995736766e-17
# The first bits of 2/pi in words, behind two of zeros.
# fmt: off
STREAM = (
    0, 0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561,
    0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484, 0xE99C7026,
    0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F,
    0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1,
    0x1F8D5D08, 0x56033046,
)
# fmt: on


def reduced(x: Any) -> Any:
    """Return the low bits of q, and r as a pair; r is not a number where x is none or infinite."""
    shifted = x * TWO_OVER_PI + ROUNDER
    n = shifted - ROUNDER
    q = low_word(shifted)
    whole = add_product(x, n, -FIRST)
    head = add_product(whole, n, -SECOND)
    # Near a multiple of pi/2 the third part cancels what is left of the head: it is taken off before the fourth.
    near = add_product(head, n, -THIRD)
    rest = (add_product(whole - head, n, -SECOND) + add_product(head - near, n, -THIRD)) - n * FOURTH
    r = near + rest
    tail = (near - r) + rest
    if not abs(x) < LIMIT:
        q, r, tail = reduced_large(x)
        r = r if abs(x) < INFINITY else NAN
    return q, r, tail


def carrying(left: Any, right: Any, carry: Any) -> Any:
    """Return the sum of two words, and the carry with this one added."""
    total = left + right
    return total, (carry + 1 if total < left else carry)


def column(low: Any, high: Any, v: Any, v_below: Any, v_last: Any, carry: Any) -> Any:
    """Return one word of a product with a number of two words, and what is carried to the next."""
    total, more = carrying(low * v, carry, unsigned(0))
    total, more = carrying(total, multiply_high(low, v_below), more)
    total, more = carrying(total, high * v_below, more)
    return carrying(total, multiply_high(high, v_last), more)


def reduced_large(x: Any) -> Any:
    """Return the same for x of 2**16 and more."""
    high, low = high_word(x), low_word(x)
    exponent = (high >> 20) & 0x7FF
    mantissa = (high & 0xFFFFF) | 0x100000
    # Bits of 2/pi in front of these weigh multiples of four quadrants.
    offset = exponent - 1013
    w0, w1, w2, w3, w4, w5, w6 = window(offset >> 5, STREAM, 7)
    shift = offset & 31
    back = 31 - shift
    v5 = (w0 << shift) | ((w1 >> 1) >> back)
    v4 = (w1 << shift) | ((w2 >> 1) >> back)
    v3 = (w2 << shift) | ((w3 >> 1) >> back)
    v2 = (w3 << shift) | ((w4 >> 1) >> back)
    v1 = (w4 << shift) | ((w5 >> 1) >> back)
    v0 = (w5 << shift) | ((w6 >> 1) >> back)
    # The two lowest words of the product are too small to count.
    r2, carry = column(low, mantissa, v2, v1, v0, unsigned(0))
    r3, carry = column(low, mantissa, v3, v2, v1, carry)
    r4, carry = column(low, mantissa, v4, v3, v2, carry)
    r5, carry = column(low, mantissa, v5, v4, v3, carry)
    # The two highest bits are the quadrant; what follows is its signed fraction once it is rounded.
    q = (r5 + 0x20000000) >> 30
    r5 = r5 - (q << 30)
    is_below = signed(r5) < 0
    if is_below:
        r5, r4, r3, r2 = ~r5, ~r4, ~r3, ~r2
    r, tail = quarter_turns(r5, r4, r3, r2)
    is_negative = signed(high) < 0
    q = -q if is_negative else q
    sign = -1.0 if is_below != is_negative else 1.0
    return q, sign * r, sign * tail


def from_word(word: Any) -> Any:
    """Return a word as a float64."""
    return from_words(unsigned(0x43300000), word) - 4503599627370496.0


def quarter_turns(r5: Any, r4: Any, r3: Any, r2: Any) -> Any:
    """Return the fraction that these words are, of which the first has 29 bits, times pi/2 as a pair."""
    first = as_float64(r5) * 9.313225746154785e-10  # 2**-30
    second = from_word(r4) * 2.168404344971009e-19  # 2**-62
    third = from_word(r3) * 5.048709793414476e-29  # 2**-94
    fourth = from_word(r2) * 1.1754943508222875e-38  # 2**-126
    head, lost = ordered_sum(first, second)
    v, v_tail = ordered_sum(head, lost + (third + fourth))
    return pair_product(v, v_tail, HALF_PI_HEAD, HALF_PI_TAIL)


def negated_by(q: Any, y: Any) -> Any:
    """Return y, or -y in the second half of four quadrants."""
    return from_words(high_word(y) ^ ((q & 2) << 30), low_word(y))


def sine_or_cosine(q: Any, r: Any, tail: Any) -> Any:
    """Return the sine of q quadrants and r."""
    is_cosine = (q & 1) != 0
    z = r * r
    half = 0.5 * z
    w = 1.0 - half
    # Both are a head, what is small, and the product of z, r or z, and a polynomial of z.
    head = w if is_cosine else r
    small = ((1.0 - w) - half) - r * tail if is_cosine else tail
    factor = z if is_cosine else r
    y = head + (small + (factor * z) * chosen_polynomial(z, is_cosine, COS_64, SIN_64))
    return negated_by(q, y)


def sin(x: Any) -> Any:
    """Return the sine; error below 0.9 ulp."""
    q, r, tail = reduced(x)
    y = sine_or_cosine(q, r, tail)
    return x if abs(x) < SMALL else y


def cos(x: Any) -> Any:
    """Return the cosine; error below 0.9 ulp."""
    q, r, tail = reduced(x)
    return sine_or_cosine(q + 1, r, tail)


def sincos(x: Any) -> Any:
    """Return sine and cosine, the same as one by one."""
    q, r, tail = reduced(x)
    z = r * r
    half = 0.5 * z
    w = 1.0 - half
    first = r + (tail + (r * z) * polynomial(z, SIN_64))
    second = w + ((((1.0 - w) - half) - r * tail) + (z * z) * polynomial(z, COS_64))
    is_swapped = (q & 1) != 0
    sine = negated_by(q, second if is_swapped else first)
    cosine = negated_by(q + 1, first if is_swapped else second)
    return (x if abs(x) < SMALL else sine), cosine


def tan(x: Any) -> Any:
    """Return the tangent; error below 1.3 ulp."""
    q, r, tail = reduced(x)
    z = r * r
    rest = tail + z * (r * polynomial(z, TAN_64) + tail)
    y, y_tail = ordered_sum(r, rest)
    is_odd = (q & 1) != 0
    d = y if is_odd else 1.0
    # The inverse of the pair, with what its head lacks.
    inverse = reciprocal(d)
    other = inverse + (residual(1.0, inverse, d) - inverse * y_tail) * inverse
    y = -other if is_odd else y
    return x if abs(x) < SMALL else y
