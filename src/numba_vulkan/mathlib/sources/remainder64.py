"""Exact functions of float64 and its bits: fmod, remainder, %, //, frexp, ldexp, modf, nextafter, rounding to digits.

Remainders subtract multiples of the divisor, scaled by powers of two, with quotients of up to 47 bits: the product is a
pair, and the differences are exact.
"""

from __future__ import annotations

from typing import Any

from ..primitives import (
    as_int,
    copy_sign,
    from_words,
    high_word,
    low_word,
    reciprocal,
    round_down,
    round_even,
    signed,
    truncated,
)
from .constants import INFINITY, NAN
from .exponential64 import power_of_two
from .pairs import two_product

LEAST_NORMAL = 2.2250738585072014e-308
# 2.0**54
RAISED = 18014398509481984.0


def exponent_of(x: Any) -> Any:
    """Return the biased exponent of a positive number, which goes on below 1 for denormals."""
    is_tiny = x < LEAST_NORMAL
    exponent = signed(high_word(x * RAISED if is_tiny else x) >> 20)
    return exponent - 54 if is_tiny else exponent


def times_power(x: Any, k: Any) -> Any:
    """Return x * 2**k for k in [-2100, 2100], rounded once if no factor before the last one makes it a denormal."""
    first = k if k < 1000 else as_int(1000)
    first = first if first > -1000 else as_int(-1000)
    second = k - first
    second = second if second < 1000 else as_int(1000)
    second = second if second > -1000 else as_int(-1000)
    return ((x * power_of_two(first)) * power_of_two(second)) * power_of_two(k - first - second)


def remainder_parts(n: Any, d: Any) -> Any:
    """Return the remainder of two positive finite numbers, and the last part of the quotient."""
    least = exponent_of(d)
    rest = n
    q = 0.0
    while rest >= d:
        distance = exponent_of(rest) - least
        shift = distance - 46 if distance > 46 else as_int(0)
        # Both are brought near 1, where nothing overflows or is a denormal.
        level = 1023 - least - shift
        divisor = times_power(d, shift + level)
        rest = times_power(rest, level)
        q = truncated(rest * reciprocal(divisor))
        product, lost = two_product(q, divisor)
        rest = (rest - product) - lost
        if rest < 0.0:
            rest = rest + divisor
            q = q - 1.0
        if rest >= divisor:
            rest = rest - divisor
            q = q + 1.0
        rest = times_power(rest, -level)
        q = q if shift == 0 else 0.0
    return rest, q


def fmod(x: Any, y: Any) -> Any:
    """Return x - n * y with the quotient n rounded towards zero; exact."""
    n, d = abs(x), abs(y)
    is_defined = n < INFINITY and d > 0.0
    rest = n
    if is_defined and d < INFINITY:
        rest, _ = remainder_parts(n, d)
    return copy_sign(rest, x) if is_defined else NAN


def remainder(x: Any, y: Any) -> Any:
    """Return x - n * y with the quotient n rounded to the nearest integer, of two the even one; exact."""
    n, d = abs(x), abs(y)
    is_defined = n < INFINITY and d > 0.0
    rest = n
    if is_defined and d < INFINITY:
        rest, q = remainder_parts(n, d)
        other = d - rest
        half = 0.5 * q
        is_above = rest > other or (rest == other and truncated(half) != half)
        rest = -other if is_above else rest
    result = copy_sign(1.0, x) * rest
    return result if is_defined else NAN


def modulo(x: Any, y: Any) -> Any:
    """Return Python's x % y, which has the sign of y; as NumPy's, not a number for y = 0."""
    rest = fmod(x, y)
    if rest == 0.0:
        result = copy_sign(0.0, y)
    else:
        result = rest + y if (rest < 0.0) != (y < 0.0) else rest
    return result if rest == rest else rest


def floor_divide(x: Any, y: Any) -> Any:
    """Return Python's x // y as NumPy does: from the exact remainder, x / y for y = 0."""
    rest = fmod(x, y)
    quotient = (x - rest) / y
    is_less = rest != 0.0 and (rest < 0.0) != (y < 0.0)
    quotient = quotient - 1.0 if is_less else quotient
    whole = round_down(quotient)
    whole = whole + 1.0 if quotient - whole > 0.5 else whole
    zero = copy_sign(0.0, copy_sign(1.0, x) * copy_sign(1.0, y))
    result = whole if quotient != 0.0 else zero
    return x / y if y == 0.0 else result


def divmod(x: Any, y: Any) -> Any:
    """Return the pair of x // y and x % y."""
    return floor_divide(x, y), modulo(x, y)


def frexp(x: Any) -> Any:
    """Return a fraction in [0.5, 1) and the exponent of two that goes with it."""
    is_tiny = abs(x) < LEAST_NORMAL
    c = x * RAISED if is_tiny else x
    high = high_word(c)
    exponent = signed((high >> 20) & 0x7FF) - 1022
    exponent = exponent - 54 if is_tiny else exponent
    fraction = from_words((high & 0x800FFFFF) | 0x3FE00000, low_word(c))
    is_special = x == 0.0 or not abs(x) < INFINITY
    return (x if is_special else fraction), (as_int(0) if is_special else exponent)


def ldexp(x: Any, n: Any) -> Any:
    """Return x * 2**n, rounded once."""
    fraction, exponent = frexp(x)
    c = n if n < 4000 else as_int(4000)
    c = c if c > -4000 else as_int(-4000)
    k = exponent + c
    k = k if k < 1100 else as_int(1100)
    k = k if k > -1100 else as_int(-1100)
    # The first factor leaves a normal number, the second rounds.
    first = k >> 1
    result = (fraction * power_of_two(first)) * power_of_two(k - first)
    return x if x == 0.0 or not abs(x) < INFINITY else result


def modf(x: Any) -> Any:
    """Return the fraction and the whole part, both with the sign of x."""
    whole = truncated(x)
    fraction = x - whole if abs(x) < INFINITY else (0.0 if x == x else x)
    return copy_sign(fraction, x), whole


def nextafter(x: Any, y: Any) -> Any:
    """Return the next number from x on in the direction of y."""
    high, low = high_word(x), low_word(x)
    is_away = (y > x) == (x > 0.0)
    one_more, one_less = low + 1, low - 1
    up = from_words(high + 1 if one_more == 0 else high, one_more)
    down = from_words(high - 1 if low == 0 else high, one_less)
    result = up if is_away else down
    result = copy_sign(4.9406564584124654e-324, y) if x == 0.0 else result
    result = y if x == y else result
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
