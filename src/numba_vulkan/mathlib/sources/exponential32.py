"""exp, exp2, exp10 and expm1 of float32.

x = k * ln2 + r with |r| <= ln2 / 2, where ln2 is two parts whose products with k are exact; a polynomial of r; the
power of two enters as an integer. Errors below 1 ulp each: the last addition and what its larger term does not know.
Arguments whose power of two has no exponent of its own, and those that are no number, are behind one branch.
"""

from __future__ import annotations

from typing import Any

from ..primitives import add_product, bits, copy_sign, from_bits, polynomial, signed, unsigned
from .coefficients import EXP2_32, EXP2_SHORT_32, EXP_32, EXP_TAIL_32, EXPM1_32
from .constants import INFINITY

# Adding this rounds to an integer, which is then in the low bits.
ROUNDER = 12582912.0
ROUNDER_BITS = 0x4B400000
LOG2_E = 1.4426950216293335
LN2_HEAD = 0.693145751953125  # 15 bits
LN2_TAIL = 1.4286197256296873e-06  # 16 bits
LN2_TAIL_FINE = (
    1.428605173714459e-06  # 17 bits: products are exact up to k = 128, and results denormal from -127 on
)
LN2_NEAREST = 0.6931471824645996
LN2_REST = -1.9046542121259336e-09
LOG2_10 = 3.321928024291992
LOG10_2_HEAD = 0.301025390625  # 11 bits
LOG10_2_TAIL = 4.6050408855080605e-06  # 16 bits
LN10_HEAD = 2.3025851249694824
LN10_TAIL = -3.1975435632602967e-08
# log2(3 / 2) - 1 / 2: with it e**r - 1 is more than -1 / 4 where k is 1, and less than 1 / 2 where k is -1.
EXPM1_OFFSET = 0.08496250072115618
# Beyond these the result is infinite or rounds to zero.
EXP_HIGHEST = 88.72284
EXP_LOWEST = -104.0


def scaled_far(y: Any, k: Any) -> Any:
    """Return y * 2**k for k in [-250, 250], by two powers of which the second may leave the range."""
    half = k >> 1
    return (y * power_of_two(half)) * power_of_two(k - half)


def power_of_two(k: Any) -> Any:
    """Return 2.0**k for k in [-126, 127]."""
    return from_bits((unsigned(k) + 127) << 23)


def one_plus(r: Any, rest: Any) -> Any:
    """Return 1 + r + rest for a small rest, rounded only in the end."""
    head = 1.0 + r
    return head + (((1.0 - head) + r) + rest)


def without_powers(x: Any, offset: Any) -> Any:
    """Return n in the low bits of a float, and x - n * ln2, for n = x / ln2 - offset rounded."""
    shifted = (x * LOG2_E - offset) + ROUNDER
    n = shifted - ROUNDER
    return shifted, add_product(add_product(x, n, -LN2_HEAD), n, -LN2_TAIL_FINE)


def exponent_in(shifted: Any) -> Any:
    """Return the integer that adding `ROUNDER` has put into the low bits."""
    return signed(bits(shifted) - ROUNDER_BITS)


def half_powers(shifted: Any) -> Any:
    """Return 2**(n - 1) and 2**(-n - 1) for that integer, if both are normal."""
    exponent = bits(shifted) << 23
    return from_bits(exponent + 0x3F000000), from_bits(0x3F000000 - exponent)


def raised(y: Any, shifted: Any) -> Any:
    """Return y * 2**n for the integer n that adding `ROUNDER` has put into the low bits, if both are normal."""
    return from_bits(bits(y) + (bits(shifted) << 23))


def power_in(shifted: Any) -> Any:
    """Return 2**n for that integer, zero for the one below the least exponent."""
    return from_bits((bits(shifted) << 23) + 0x3F800000)


def short_power(fraction: Any, shifted: Any) -> Any:
    """Return a and b with 2**(fraction + n) = a * (1 + b), of which a is a power of two."""
    return power_in(shifted), fraction * polynomial(fraction, EXP2_SHORT_32)


def exp(x: Any) -> Any:
    """Return e**x; error below 0.98 ulp."""
    shifted, r = without_powers(x, 0.0)
    y = 1.0 + (r + (r * r) * polynomial(r, EXP_32))
    result = raised(y, shifted)
    if not abs(x) < 87.0:
        result = scaled_far(y, exponent_in(shifted))
        result = limited(x, result, EXP_HIGHEST, EXP_LOWEST)
    return result


def limited(x: Any, y: Any, highest: Any, lowest: Any) -> Any:
    """Return y, which grows with x, but for x beyond the range in which it is finite and not zero, and for NaN."""
    y = y if x < highest else INFINITY
    y = y if x > lowest else 0.0
    return y if x == x else x


def exp2(x: Any) -> Any:
    """Return 2**x; error below 1 ulp."""
    shifted = x + ROUNDER
    r = x - (shifted - ROUNDER)
    y = one_plus(r * LN2_NEAREST, r * LN2_REST + (r * r) * polynomial(r, EXP2_32))
    result = raised(y, shifted)
    if not abs(x) < 125.0:
        result = scaled_far(y, exponent_in(shifted))
        result = limited(x, result, 128.0, -150.0)
    return result


def exp10(x: Any) -> Any:
    """Return 10**x; error below 1 ulp."""
    shifted = x * LOG2_10 + ROUNDER
    n = shifted - ROUNDER
    part = add_product(add_product(x, n, -LOG10_2_HEAD), n, -LOG10_2_TAIL)
    r = part * LN10_HEAD
    y = one_plus(r, part * LN10_TAIL + (r * r) * polynomial(r, EXP_TAIL_32))
    result = raised(y, shifted)
    if not abs(x) < 37.0:
        result = scaled_far(y, exponent_in(shifted))
        result = limited(x, result, 38.53184, -45.5)
    return result


def expm1(x: Any) -> Any:
    """Return e**x - 1; error below 1 ulp."""
    shifted = (x * LOG2_E - EXPM1_OFFSET) + ROUNDER
    n = shifted - ROUNDER
    whole = add_product(x, n, -LN2_HEAD)
    r = add_product(whole, n, -LN2_TAIL)
    lost = add_product(whole - r, n, -LN2_TAIL)
    p = r + (lost + (r * r) * polynomial(r, EXPM1_32))
    power = power_in(shifted)
    base = power - 1.0
    y = base + (power * p + ((power - base) - 1.0))
    if not abs(x) < 88.0:
        # The power of two may be infinite, but its half is not, beside which 1 does not count.
        half, _ = half_powers(shifted)
        y = limited(x, (half + half * p) * 2.0, EXP_HIGHEST, -50.0)
        y = y if y != 0.0 else -1.0
    return copy_sign(y, x)
