"""Reduction of huge float64 angles to a quadrant and a rest, by Payne and Hanek.

The 53 bits of x times those bits of 2/pi that matter, in 32-bit integers.
"""

from __future__ import annotations

from typing import Any

from ..primitives import (
    as_float64,
    from_words,
    high_word,
    low_word,
    multiply_high,
    signed,
    unsigned,
    window,
)
from .pairs import ordered_sum, pair_product

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


def reduced_huge(x: Any) -> Any:
    """Return the low bits of q, and r as a pair with x = q * pi/2 + r, for x of 2**16 and more."""
    high, low = high_word(x), low_word(x)
    mantissa = (high & 0xFFFFF) | 0x100000
    # Bits of 2/pi in front of these weigh multiples of four quadrants.
    offset = (high >> 20) - 1013
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
    sign = -1.0 if is_below else 1.0
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
