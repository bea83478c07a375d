"""Multiply and add with one rounding, exact on devices that cannot; one source for both precisions.

The product is a pair, the sum of three floats is rounded to odd and then to nearest (Boldo and Melquiond), on mantissas
whose exponents are put back at the end; a denormal result is rounded at its own last place.
"""

from __future__ import annotations

from typing import Any

from ..primitives import as_int, bits, copy_sign, from_bits, from_words, high_word, low_word
from .constants import INFINITY
from .pairs import two_product, two_sum
from .real import FAR, SMALLEST_EXPONENT, ByPrecision, frexp, ldexp


def odd_single(head: Any, is_above: Any) -> Any:
    """Return the float32 next to one with an even mantissa, away from zero or towards it."""
    word = bits(head)
    if (word & 1) == 0:
        word = word + 1 if is_above else word - 1
    return from_bits(word)


def odd_double(head: Any, is_above: Any) -> Any:
    """Return the float64 next to one with an even mantissa, away from zero or towards it."""
    high, low = high_word(head), low_word(head)
    if (low & 1) == 0:
        high = high - 1 if low == 0 and not is_above else high
        low = low + 1 if is_above else low - 1
    return from_words(high, low)


odd = ByPrecision(odd_single, odd_double)


def sum_to_odd(left: Any, right: Any) -> Any:
    """Return the sum; if it is not exact, of the two floats around it the one with an odd mantissa."""
    head, tail = two_sum(left, right)
    return odd(head, (tail > 0.0) == (head > 0.0)) if tail != 0.0 else head


def fma(x: Any, y: Any, z: Any) -> Any:
    """Return x * y + z, rounded once."""
    if x == 0.0 or y == 0.0 or not abs(x) < INFINITY or not abs(y) < INFINITY:
        return x * y + z
    if not abs(z) < INFINITY:
        return z
    if z == 0.0:
        return x * y
    mx, ex = frexp(x)
    my, ey = frexp(y)
    mz, ez = frexp(z)
    exponent = ex + ey
    distance = ez - exponent
    if distance > FAR:
        return z
    distance = distance if distance > -FAR else as_int(-FAR)
    p, p_tail = two_product(mx, my)
    s, s_tail = two_sum(ldexp(mz, distance), p_tail)
    head, head_tail = two_sum(p, s)
    rest = sum_to_odd(s_tail, head_tail)
    result = head + rest
    if result == 0.0:
        return result
    fraction, magnitude = frexp(result)
    least = magnitude + exponent - SMALLEST_EXPONENT
    if least < 0 or (least == 0 and abs(fraction) == 0.5):
        # The last place of a denormal is that of this number.
        if least < -FAR:
            return copy_sign(0.0, result)
        unit = copy_sign(ldexp(1.0, SMALLEST_EXPONENT - 1 - exponent), result)
        near, near_tail = two_sum(unit, head)
        result = (near + sum_to_odd(near_tail, rest)) - unit
    return ldexp(result, exponent)
