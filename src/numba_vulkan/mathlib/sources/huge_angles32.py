"""Reduction of huge float32 angles to a quadrant and a rest, by Payne and Hanek.

The 24 bits of x times those bits of 2/pi that matter, in 32-bit integers.
"""

from __future__ import annotations

from typing import Any

from ..primitives import (
    as_float32,
    bits,
    from_bits,
    leading_zeros,
    multiply_high,
    signed,
    unsigned,
    window,
)
from .pairs import ordered_sum, pair_product

HALF_PI_HEAD, HALF_PI_TAIL = 1.5707963705062866, -4.371138828673793e-08
# The first bits of 2/pi in words, behind one of zeros.
STREAM = (0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB)


def reduced_huge(x: Any) -> Any:
    """Return the low bits of q, and r as a pair with x = q * pi/2 + r, for x of 2**9 and more."""
    pattern = bits(x)
    mantissa = (pattern & 0x7FFFFF) | 0x800000
    # Bits of 2/pi in front of these weigh multiples of four quadrants; the stream begins with a word of zeros.
    offset = (pattern >> 23) - 120
    word, shift = offset >> 5, offset & 31
    a, b, c, d = window(word, STREAM, 4)
    back = 31 - shift
    first = (a << shift) | ((b >> 1) >> back)
    second = (b << shift) | ((c >> 1) >> back)
    third = (c << shift) | ((d >> 1) >> back)
    carry = multiply_high(mantissa, third)
    low = mantissa * second + carry
    high = mantissa * first + multiply_high(mantissa, second)
    high = high + 1 if low < carry else high
    # The two highest bits are the quadrant; what follows is its signed fraction once it is rounded.
    q = (high + 0x20000000) >> 30
    fraction = high - (q << 30)
    is_below = signed(fraction) < 0
    fraction = ~fraction if is_below else fraction
    low = ~low if is_below else low
    r, tail = quarter_turns(fraction, low)
    return q, (-r if is_below else r), (-tail if is_below else tail)


def quarter_turns(high: Any, low: Any) -> Any:
    """Return (high * 2**-30 + low * 2**-62) * pi/2 as a pair; high has 29 bits."""
    shift = unsigned(leading_zeros(high) - 2)
    high = (high << shift) | ((low >> 1) >> (31 - shift))
    low = low << shift
    unit = from_bits((97 - shift) << 23)
    head = as_float32(high & 0x3FFFFF80) * unit
    rest = (as_float32(high & 0x7F) + as_float32(low >> 8) * 5.9604644775390625e-08) * unit
    v, v_tail = ordered_sum(head, rest)
    return pair_product(v, v_tail, HALF_PI_HEAD, HALF_PI_TAIL)
