"""sin, cos and tan of float32.

x = q * pi/2 + r with |r| <= pi/4 as a pair. Up to 3000 by Cody and Waite: pi/2 is four parts, the products of all but
the last with q are exact. Beyond, by Payne and Hanek: the 24 bits of x times those bits of 2/pi that matter, in 32-bit
integers. sin and cos of r are polynomials; the tail enters by the derivative.
"""

from __future__ import annotations

from typing import Any

from ..primitives import (
    add_product,
    as_float32,
    bits,
    chosen_polynomial,
    from_bits,
    leading_zeros,
    multiply_high,
    polynomial,
    reciprocal,
    residual,
    signed,
    unsigned,
    window,
)
from .coefficients import COS_32, SIN_32, TAN_32
from .constants import INFINITY, MAGNITUDE, NAN, SIGN
from .pairs import ordered_sum, pair_product

ROUNDER = 12582912.0
TWO_OVER_PI = 0.6366197466850281
# pi/2 in parts of 13 bits, and the rest.
FIRST, SECOND = 1.570556640625, 0.0002396702766418457
THIRD, FOURTH = 1.5890691429376602e-08, 2.5633440682570896e-12
LIMIT = 3000.0
SMALL = 0.000244140625
HALF_PI_HEAD, HALF_PI_TAIL = 1.5707963705062866, -4.371138828673793e-08
# The first bits of 2/pi in words, behind one of zeros.
STREAM = (0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB)


def reduced(x: Any) -> Any:
    """Return the low bits of q, and r as a pair; r is not a number where x is none or infinite."""
    shifted = x * TWO_OVER_PI + ROUNDER
    n = shifted - ROUNDER
    q = bits(shifted)
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


def reduced_large(x: Any) -> Any:
    """Return the same for x of 2**11 and more."""
    pattern = bits(x)
    exponent = (pattern & MAGNITUDE) >> 23
    mantissa = (pattern & 0x7FFFFF) | 0x800000
    # Bits of 2/pi in front of these weigh multiples of four quadrants; the stream begins with a word of zeros.
    offset = exponent - 120
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
    is_negative = signed(fraction) < 0
    fraction = ~fraction if is_negative else fraction
    low = ~low if is_negative else low
    r, tail = quarter_turns(fraction, low)
    is_negative = is_negative != ((pattern & SIGN) != 0)
    q = q if (pattern & SIGN) == 0 else -q
    return q, (-r if is_negative else r), (-tail if is_negative else tail)


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


def negated_by(q: Any, y: Any) -> Any:
    """Return y, or -y in the second half of four quadrants."""
    return from_bits(bits(y) ^ ((q & 2) << 30))


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
    y = head + (small + (factor * z) * chosen_polynomial(z, is_cosine, COS_32, SIN_32))
    return negated_by(q, y)


def sin(x: Any) -> Any:
    """Return the sine; error below 0.95 ulp."""
    q, r, tail = reduced(x)
    y = sine_or_cosine(q, r, tail)
    return x if abs(x) < SMALL else y


def cos(x: Any) -> Any:
    """Return the cosine; error below 0.95 ulp."""
    q, r, tail = reduced(x)
    return sine_or_cosine(q + 1, r, tail)


def sincos(x: Any) -> Any:
    """Return sine and cosine, the same as one by one."""
    q, r, tail = reduced(x)
    z = r * r
    half = 0.5 * z
    w = 1.0 - half
    first = r + (tail + (r * z) * polynomial(z, SIN_32))
    second = w + ((((1.0 - w) - half) - r * tail) + (z * z) * polynomial(z, COS_32))
    is_swapped = (q & 1) != 0
    sine = negated_by(q, second if is_swapped else first)
    cosine = negated_by(q + 1, first if is_swapped else second)
    return (x if abs(x) < SMALL else sine), cosine


def tan(x: Any) -> Any:
    """Return the tangent; error below 1.3 ulp."""
    q, r, tail = reduced(x)
    z = r * r
    rest = tail + z * (r * polynomial(z, TAN_32) + tail)
    y, y_tail = ordered_sum(r, rest)
    is_odd = (q & 1) != 0
    d = y if is_odd else 1.0
    # The inverse of the pair, with what its head lacks.
    inverse = reciprocal(d)
    other = inverse + (residual(1.0, inverse, d) - inverse * y_tail) * inverse
    y = -other if is_odd else y
    return x if abs(x) < SMALL else y
