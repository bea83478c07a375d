"""exp, exp2, exp10 and expm1 of float64.

x = k * ln2 + r with |r| <= ln2 / 2, where ln2 is two parts whose products with k are exact; a polynomial of r; the
power of two enters as an integer. Errors below 0.9 ulp each: the last addition and what its larger term does not know.
Arguments whose power of two has no exponent of its own, and those that are no number, are behind one branch.
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
    product_error,
    signed,
    unsigned,
)
from .coefficients import EXP2_SHORT_64, EXP_64, EXP_SHORT_64, EXPM1_64
from .constants import INFINITY

# Adding this rounds to an integer, which is then in the low word.
ROUNDER = 6755399441055744.0
LOG2_E = 1.4426950408889634
LN2_HEAD = 0.6931471805598903  # 42 bits
LN2_TAIL = 5.4979230187085024e-14  # 42 bits
LN2_NEAREST = 0.6931471805599453
LN2_REST = 2.3190468138462996e-17
LOG2_10 = 3.321928094887362
LOG10_2_HEAD = 0.30102999566395283  # 42 bits
LOG10_2_TAIL = 2.8363394551042263e-14  # 42 bits
LN10_HEAD = 2.302585092994046
LN10_TAIL = -2.1707562233822494e-16
# log2(3 / 2) - 1 / 2: with it e**r - 1 is more than -1 / 4 where k is 1, and less than 1 / 2 where k is -1.
EXPM1_OFFSET = 0.08496250072115618
# Beyond these the result is infinite or rounds to zero.
EXP_HIGHEST = 709.782712893384
EXP_LOWEST = -745.2


def scaled_far(y: Any, k: Any) -> Any:
    """Return y * 2**k for k in [-2000, 2000], by two powers of which the second may leave the range."""
    half = k >> 1
    return (y * power_of_two(half)) * power_of_two(k - half)


def power_of_two(k: Any) -> Any:
    """Return 2.0**k for k in [-1022, 1023]."""
    return from_words((unsigned(k) + 1023) << 20, unsigned(0))


def one_plus(r: Any, rest: Any) -> Any:
    """Return 1 + r + rest for a small rest, rounded only in the end."""
    head = 1.0 + r
    return head + (((1.0 - head) + r) + rest)


def without_powers(x: Any, offset: Any) -> Any:
    """Return n in the low word of a float, and x - n * ln2, for n = x / ln2 - offset rounded."""
    shifted = (x * LOG2_E - offset) + ROUNDER
    n = shifted - ROUNDER
    return shifted, add_product(add_product(x, n, -LN2_HEAD), n, -LN2_TAIL)


def exponent_in(shifted: Any) -> Any:
    """Return the integer that adding `ROUNDER` has put into the low word."""
    return signed(low_word(shifted))


def half_powers(shifted: Any) -> Any:
    """Return 2**(n - 1) and 2**(-n - 1) for that integer, if both are normal."""
    exponent = low_word(shifted) << 20
    zero = unsigned(0)
    return from_words(exponent + 0x3FE00000, zero), from_words(0x3FE00000 - exponent, zero)


def raised(y: Any, shifted: Any) -> Any:
    """Return y * 2**n for the integer n that adding `ROUNDER` has put into the low word, if both are normal."""
    return from_words(high_word(y) + (low_word(shifted) << 20), low_word(y))


def power_in(shifted: Any) -> Any:
    """Return 2**n for that integer, zero for the one below the least exponent."""
    return from_words((low_word(shifted) << 20) + 0x3FF00000, unsigned(0))


def short_power(fraction: Any, shifted: Any) -> Any:
    """Return a and b with 2**(fraction + n) = a * (1 + b), of which a is a power of two."""
    return power_in(shifted), fraction * polynomial(fraction, EXP2_SHORT_64)


def exp(x: Any) -> Any:
    """Return e**x; error below 0.9 ulp."""
    shifted, r = without_powers(x, 0.0)
    y = 1.0 + (r + (r * r) * polynomial(r, EXP_SHORT_64))
    result = raised(y, shifted)
    if not abs(x) < 708.0:
        result = limited(x, scaled_far(y, exponent_in(shifted)), EXP_HIGHEST, EXP_LOWEST)
    return result


def limited(x: Any, y: Any, highest: Any, lowest: Any) -> Any:
    """Return y, which grows with x, but for x beyond the range in which it is finite and not zero, and for NaN."""
    y = y if x <= highest else INFINITY
    y = y if x > lowest else 0.0
    return y if x == x else x


def exp_fraction(x: Any, tail: Any) -> Any:
    """Return k, p and q with e**(x + tail) = 2**k * (1 + p + q); p lies in [-0.35, 0.35] and q is small."""
    shifted = x * LOG2_E + ROUNDER
    n = shifted - ROUNDER
    k = exponent_in(shifted)
    whole = add_product(x, n, -LN2_HEAD)
    small = add_product(-tail, n, LN2_TAIL)
    r = whole - small
    lost = (whole - r) - small
    return k, r, lost + (r * r) * polynomial(r, EXP_SHORT_64)


def exp2(x: Any) -> Any:
    """Return 2**x; error below 0.9 ulp."""
    shifted = x + ROUNDER
    r = x - (shifted - ROUNDER)
    t = r * LN2_NEAREST
    rest = product_error(r, LN2_NEAREST, t) + r * LN2_REST
    y = one_plus(t, rest + (t * t) * polynomial(t, EXP_64))
    result = raised(y, shifted)
    if not abs(x) < 1021.0:
        result = limited(x, scaled_far(y, exponent_in(shifted)), 1023.9999999999999, -1076.0)
    return result


def exp10(x: Any) -> Any:
    """Return 10**x; error below 0.9 ulp."""
    shifted = x * LOG2_10 + ROUNDER
    n = shifted - ROUNDER
    part = add_product(add_product(x, n, -LOG10_2_HEAD), n, -LOG10_2_TAIL)
    r = part * LN10_HEAD
    rest = product_error(part, LN10_HEAD, r) + part * LN10_TAIL
    y = one_plus(r, rest + (r * r) * polynomial(r, EXP_64))
    result = raised(y, shifted)
    if not abs(x) < 307.0:
        result = limited(x, scaled_far(y, exponent_in(shifted)), 308.25471555991675, -324.5)
    return result


def expm1(x: Any) -> Any:
    """Return e**x - 1; error below 1 ulp."""
    shifted = (x * LOG2_E - EXPM1_OFFSET) + ROUNDER
    n = shifted - ROUNDER
    whole = add_product(x, n, -LN2_HEAD)
    r = add_product(whole, n, -LN2_TAIL)
    lost = add_product(whole - r, n, -LN2_TAIL)
    p = r + (lost + (r * r) * polynomial(r, EXPM1_64))
    power = power_in(shifted)
    base = power - 1.0
    y = base + (power * p + ((power - base) - 1.0))
    if not abs(x) < 709.0:
        # The power of two may be infinite, but its half is not, beside which 1 does not count.
        half, _ = half_powers(shifted)
        y = limited(x, (half + half * p) * 2.0, EXP_HIGHEST, -50.0)
        y = y if y != 0.0 else -1.0
    return copy_sign(y, x)
