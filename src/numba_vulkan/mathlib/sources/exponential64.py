"""exp, exp2, exp10 and expm1 of float64.

x = k * ln2 + r with |r| <= ln2 / 2, where ln2 is two parts of which the first times k is exact; a polynomial of r; the
power of two enters as an integer. Errors below 0.9 ulp each: the last addition and what its larger term does not know.
"""

from __future__ import annotations

from typing import Any

from ..primitives import from_words, high_word, low_word, polynomial, product_error, signed, unsigned
from .coefficients import EXP_64
from .constants64 import INFINITY
from .pairs import two_sum

# Adding this rounds to an integer, which is then in the low word.
ROUNDER = 6755399441055744.0
LOG2_E = 1.4426950408889634
LN2_HEAD = 0.693147180559663  # 41 bits
LN2_TAIL = 2.8235290563031577e-13
LN2_NEAREST = 0.6931471805599453
LN2_REST = 2.3190468138462996e-17
LOG2_10 = 3.321928094887362
LOG10_2_HEAD = 0.30102999566383914  # 41 bits
LOG10_2_TAIL = 1.42050232272661e-13
LN10_HEAD = 2.302585092994046
LN10_TAIL = -2.1707562233822494e-16
# Beyond these the result is infinite or rounds to zero.
EXP_HIGHEST = 709.782712893384
EXP_LOWEST = -745.2


def scaled(y: Any, k: Any) -> Any:
    """Return y * 2**k for a positive normal y, rounded once into the denormals."""
    high = high_word(y)
    exponent = signed(high >> 20) + k
    is_denormal = exponent < 1
    raised = unsigned(k) + 128 if is_denormal else unsigned(k)
    result = from_words(high + (raised << 20), low_word(y))
    # 2**-128
    return result * 2.938735877055719e-39 if is_denormal else result


def one_plus(r: Any, rest: Any) -> Any:
    """Return 1 + r + rest for a small rest, rounded only in the end."""
    head = 1.0 + r
    return head + (((1.0 - head) + r) + rest)


def exp(x: Any) -> Any:
    """Return e**x; error below 0.9 ulp."""
    c = x if x < 710.0 else 710.0
    c = c if c > EXP_LOWEST else EXP_LOWEST
    shifted = c * LOG2_E + ROUNDER
    n = shifted - ROUNDER
    k = signed(low_word(shifted))
    r = (c - n * LN2_HEAD) - n * LN2_TAIL
    y = scaled(one_plus(r, (r * r) * polynomial(r, EXP_64)), k)
    y = y if c <= EXP_HIGHEST else INFINITY
    y = y if c > EXP_LOWEST else 0.0
    return y if x == x else x


def exp_parts(x: Any, tail: Any) -> Any:
    """Return k and y, z with e**(x + tail) = 2**k * (y + z), y in [0.7, 1.42] and z less than its last bit.

    x + tail lies between -760 and 760; y + z is good to 2**-58.
    """
    shifted = x * LOG2_E + ROUNDER
    n = shifted - ROUNDER
    k = signed(low_word(shifted))
    whole = x - n * LN2_HEAD
    small = n * LN2_TAIL - tail
    r = whole - small
    lost = (whole - r) - small
    square = (r * r) * polynomial(r, EXP_64)
    head = 1.0 + r
    rest = ((1.0 - head) + r) + (square + lost)
    y = head + rest
    return k, y, (head - y) + rest


def exp2(x: Any) -> Any:
    """Return 2**x; error below 0.9 ulp."""
    c = x if x < 1025.0 else 1025.0
    c = c if c > -1077.0 else -1077.0
    shifted = c + ROUNDER
    r = c - (shifted - ROUNDER)
    k = signed(low_word(shifted))
    t = r * LN2_NEAREST
    rest = product_error(r, LN2_NEAREST, t) + r * LN2_REST
    y = scaled(one_plus(t, rest + (t * t) * polynomial(t, EXP_64)), k)
    y = y if c < 1024.0 else INFINITY
    y = y if c > -1076.0 else 0.0
    return y if x == x else x


def exp10(x: Any) -> Any:
    """Return 10**x; error below 0.9 ulp."""
    c = x if x < 309.0 else 309.0
    c = c if c > -325.0 else -325.0
    shifted = c * LOG2_10 + ROUNDER
    n = shifted - ROUNDER
    k = signed(low_word(shifted))
    part = (c - n * LOG10_2_HEAD) - n * LOG10_2_TAIL
    r = part * LN10_HEAD
    y = scaled(one_plus(r, part * LN10_TAIL + (r * r) * polynomial(r, EXP_64)), k)
    y = y if c <= 308.25471555991675 else INFINITY
    y = y if c > -324.5 else 0.0
    return y if x == x else x


def expm1(x: Any) -> Any:
    """Return e**x - 1; error below 1 ulp."""
    c = x if x < 710.0 else 710.0
    c = c if c > -40.0 else -40.0
    shifted = c * LOG2_E + ROUNDER
    n = shifted - ROUNDER
    k = signed(low_word(shifted))
    whole = c - n * LN2_HEAD
    small = n * LN2_TAIL
    r = whole - small
    lost = (whole - r) - small
    rest = lost + (r * r) * polynomial(r, EXP_64)
    # 2**(k - 1) is finite for k = 1024.
    power = from_words((unsigned(k) + 1022) << 20, unsigned(0))
    base = power - 0.5
    lost_base = (power - base) - 0.5
    product = power * r
    head, lost_head = two_sum(base, product)
    y = 2.0 * (head + ((lost_head + lost_base) + power * rest))
    y = y if c <= EXP_HIGHEST else INFINITY
    y = y if abs(x) > 1e-17 else x
    return y if x == x else x
