"""Exact functions of float32 and its bits: fmod, remainder, %, //, frexp, ldexp, modf, nextafter, rounding to digits.

Remainders with small quotients come from a quotient and a residual. Others divide the integers that floats are, 8 bits
of the quotient at a time, and touch no float on the way: denormals count on every device.
"""

from __future__ import annotations

from typing import Any

from ..primitives import (
    approximate_reciprocal,
    as_int,
    bits,
    copy_sign,
    from_bits,
    leading_zeros,
    residual,
    round_down,
    round_even,
    signed,
    truncated,
    unsigned,
)
from .constants import INFINITY, INFINITY_BITS, MAGNITUDE, NAN, SIGN

ROUNDER = 12582912.0
# Where nothing on the way leaves the range: divisors from 2**-60 up to 2**60, numbers from 2**-80 on.
LEAST_DIVISOR, MODERATE = 0x21800000, 0x3C000000
LEAST = 2.0**-80
# Quotients are good to a fourth up to here.
MOST = 2.0**18


def integer_of(pattern: Any) -> Any:
    """Return m and e with m * 2**(e - 150) the number with these bits, 1 <= e; m has up to 24 bits."""
    exponent = pattern >> 23
    mantissa = pattern & 0x7FFFFF
    return (mantissa if exponent == 0 else mantissa | 0x800000), (
        signed(exponent) if exponent > 0 else as_int(1)
    )


def bits_of_integer(m: Any, e: Any) -> Any:
    """Return the bits of m * 2**(e - 150), for m of up to 24 bits and e from 1 on."""
    shift = leading_zeros(m) - 8
    shift = shift if shift < e - 1 else e - 1
    m = m << unsigned(shift)
    return m + (unsigned(e - shift - 1) << 23)


def remainder_parts(n: Any, d: Any) -> Any:
    """Return the remainder of two positive finite numbers, given and returned as bits, and the quotient's low bits."""
    m, e = integer_of(n)
    divisor, least = integer_of(d)
    left = e - least
    quotient = unsigned(0)
    if left >= 0:
        quotient = m // divisor
        m = m - quotient * divisor
        while left > 0:
            step = left if left < 8 else as_int(8)
            m = m << unsigned(step)
            part = m // divisor
            m = m - part * divisor
            quotient = part + (quotient << unsigned(step))
            left = left - step
        e = least
    return (bits_of_integer(m, e) if m != 0 else m), quotient


def fmod(x: Any, y: Any) -> Any:
    """Return x - n * y with the quotient n rounded towards zero; exact.

    With a quotient that is off by less than 1, the remainder is a float, so its one rounding leaves it as it is.
    """
    n, d = abs(x), abs(y)
    q = (n * approximate_reciprocal(d) + ROUNDER) - ROUNDER
    rest = residual(n, q, d)
    rest = copy_sign(rest + d if rest < 0.0 else rest, x)
    is_moderate = bits(d) - LEAST_DIVISOR < MODERATE
    if not (is_moderate and n < MOST * d and n > LEAST):
        rest = fmod_far(x, y)
    return rest


def fmod_far(x: Any, y: Any) -> Any:
    """Return the same for all numbers, in integers."""
    sign = bits(x) & SIGN
    n, d = bits(x) & MAGNITUDE, bits(y) & MAGNITUDE
    if n >= INFINITY_BITS or d > INFINITY_BITS or d == 0:
        result = NAN
    else:
        rest = n
        if n >= d:
            rest, _ = remainder_parts(n, d)
        result = from_bits(rest | sign)
    return result


def remainder(x: Any, y: Any) -> Any:
    """Return x - n * y with the quotient n rounded to the nearest integer, of two the even one; exact."""
    sign = bits(x) & SIGN
    n, d = bits(x) & MAGNITUDE, bits(y) & MAGNITUDE
    if n >= INFINITY_BITS or d > INFINITY_BITS or d == 0:
        result = NAN
    else:
        rest, quotient = n, unsigned(0)
        if n >= d:
            rest, quotient = remainder_parts(n, d)
        m, e = integer_of(rest)
        divisor, least = integer_of(d)
        # Beyond half the divisor, the distance to it; a remainder of a smaller exponent may still be just that.
        apart = least - e
        if apart <= 1:
            twice = m << unsigned(1 - apart)
            other = divisor
            is_above = twice > other or (twice == other and (quotient & 1) == 1)
            if is_above:
                difference = (divisor << unsigned(apart)) - m
                rest = bits_of_integer(difference, e) if difference != 0 else difference
                sign = sign ^ SIGN
        result = from_bits(rest | sign)
    return x if d == INFINITY_BITS and n < INFINITY_BITS else result


def modulo(x: Any, y: Any) -> Any:
    """Return Python's x % y, which has the sign of y; as NumPy's, not a number for y = 0."""
    rest = fmod(x, y)
    if (bits(rest) & MAGNITUDE) == 0:
        result = from_bits(bits(y) & SIGN)
    else:
        result = rest + y if ((bits(rest) ^ bits(y)) & SIGN) != 0 else rest
    return result if rest == rest else rest


def floor_divide(x: Any, y: Any) -> Any:
    """Return Python's x // y as NumPy does: from the exact remainder, x / y for y = 0."""
    rest = fmod(x, y)
    quotient = (x - rest) / y
    is_less = (bits(rest) & MAGNITUDE) != 0 and ((bits(rest) ^ bits(y)) & SIGN) != 0
    quotient = quotient - 1.0 if is_less else quotient
    whole = round_down(quotient)
    whole = whole + 1.0 if quotient - whole > 0.5 else whole
    zero = from_bits((bits(x) ^ bits(y)) & SIGN)
    result = whole if quotient != 0.0 else zero
    return x / y if y == 0.0 else result


def divmod(x: Any, y: Any) -> Any:
    """Return the pair of x // y and x % y."""
    return floor_divide(x, y), modulo(x, y)


def frexp(x: Any) -> Any:
    """Return a fraction in [0.5, 1) and the exponent of two that goes with it."""
    pattern = bits(x)
    magnitude = pattern & MAGNITUDE
    m, e = integer_of(magnitude)
    shift = leading_zeros(m) - 8
    fraction = from_bits((pattern & SIGN) | 0x3F000000 | ((m << unsigned(shift)) & 0x7FFFFF))
    is_special = magnitude == 0 or magnitude >= INFINITY_BITS
    return (x if is_special else fraction), (as_int(0) if is_special else e - shift - 126)


def ldexp(x: Any, n: Any) -> Any:
    """Return x * 2**n, rounded once."""
    pattern = bits(x)
    magnitude = pattern & MAGNITUDE
    m, e = integer_of(magnitude)
    shift = leading_zeros(m) - 8
    c = n if n < 600 else as_int(600)
    c = c if c > -600 else as_int(-600)
    e = e - shift + c
    m = m << unsigned(shift)
    if e < 1:
        places = unsigned(1 - e if e > -25 else as_int(26))
        odd = (m >> places) & 1
        m = (m + ((unsigned(1) << (places - 1)) - 1) + odd) >> places
        e = as_int(1)
    result = m + (unsigned(e - 1) << 23) if e < 255 else unsigned(INFINITY_BITS)
    result = magnitude if magnitude == 0 or magnitude >= INFINITY_BITS else result
    return from_bits(result | (pattern & SIGN))


def modf(x: Any) -> Any:
    """Return the fraction and the whole part, both with the sign of x."""
    whole = truncated(x)
    fraction = x - whole if abs(x) < INFINITY else (0.0 if x == x else x)
    return from_bits((bits(fraction) & MAGNITUDE) | (bits(x) & SIGN)), whole


def nextafter(x: Any, y: Any) -> Any:
    """Return the next number from x on in the direction of y."""
    a, b = bits(x), bits(y)
    # As signed integers with the magnitude, floats are in order.
    left = signed(a) if signed(a) >= 0 else signed(SIGN - a)
    right = signed(b) if signed(b) >= 0 else signed(SIGN - b)
    moved = left + 1 if right > left else left - 1
    result = from_bits(unsigned(moved) if moved >= 0 else SIGN - unsigned(moved))
    result = y if left == right else result
    return x + y if x != x or y != y else result


def round_digits(x: Any, digits: Any) -> Any:
    """Return x rounded to so many decimal digits, halves to even; Numba's way, which scales by a power of ten."""
    count = digits if digits >= 0 else -digits
    count = count if count < 400 else as_int(400)
    power, rest = 1.0, 1.0
    i = as_int(0)
    while i < count:
        power = power * 10.0 if i < 22 else power
        rest = rest if i < 22 else rest * 10.0
        i = i + 1
    scaled = (x * rest) * power if digits >= 0 else x / power / rest
    rounded = round_even(scaled)
    result = rounded / power / rest if digits >= 0 else rounded * power * rest
    result = x if digits >= 0 and not abs(scaled) < INFINITY else result
    return x if x == 0.0 or not abs(x) < INFINITY else result
