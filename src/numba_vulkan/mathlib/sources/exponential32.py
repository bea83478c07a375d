"""exp, exp2, exp10 and expm1 of float32.

x = k * ln2 + r with |r| <= ln2 / 2, where ln2 is two parts of which the first times k is exact; a polynomial of r; the
power of two enters as an integer. Errors below 1 ulp each: the last addition and what its larger term does not know.
"""

from __future__ import annotations

from typing import Any

from ..primitives import bits, from_bits, polynomial, signed, unsigned
from .coefficients import EXP2_32, EXP_32, EXP_TAIL_32
from .constants32 import INFINITY
from .pairs import two_sum

# Adding this rounds to an integer, which is then in the low bits.
ROUNDER = 12582912.0
ROUNDER_BITS = 0x4B400000
LOG2_E = 1.4426950216293335
LN2_HEAD = 0.693115234375  # 14 bits
LN2_TAIL = 3.194618329871446e-05
LN2_NEAREST = 0.6931471824645996
LN2_REST = -1.9046542121259336e-09
LOG2_10 = 3.321928024291992
LOG10_2_HEAD = 0.301025390625  # 11 bits
LOG10_2_TAIL = 4.605039066518657e-06
LN10_HEAD = 2.3025851249694824
LN10_TAIL = -3.1975435632602967e-08
# Beyond these the result is infinite or rounds to zero.
EXP_HIGHEST = 88.72284
EXP_LOWEST = -104.0


def scaled(y: Any, k: Any) -> Any:
    """Return y * 2**k for a positive normal y, rounded once into the denormals where the device has them."""
    pattern = bits(y)
    is_denormal = signed(pattern >> 23) + k < 1
    raised = unsigned(k) + 64 if is_denormal else unsigned(k)
    result = from_bits(pattern + (raised << 23))
    # 2**-64
    return result * 5.421010862427522e-20 if is_denormal else result


def one_plus(r: Any, rest: Any) -> Any:
    """Return 1 + r + rest for a small rest, rounded only in the end."""
    head = 1.0 + r
    return head + (((1.0 - head) + r) + rest)


def exp(x: Any) -> Any:
    """Return e**x; error below 0.98 ulp."""
    c = x if x < 89.0 else 89.0
    c = c if c > EXP_LOWEST else EXP_LOWEST
    shifted = c * LOG2_E + ROUNDER
    n = shifted - ROUNDER
    k = signed(bits(shifted) - ROUNDER_BITS)
    r = (c - n * LN2_HEAD) - n * LN2_TAIL
    y = 1.0 + (r + (r * r) * polynomial(r, EXP_32))
    y = scaled(y, k)
    y = y if c < EXP_HIGHEST else INFINITY
    y = y if c > EXP_LOWEST else 0.0
    return y if x == x else x


def exp_parts(x: Any, tail: Any) -> Any:
    """Return k and y, z with e**(x + tail) = 2**k * (y + z), y in [0.7, 1.42] and z less than its last bit.

    x + tail lies between -110 and 110; y + z is good to 2**-29.
    """
    shifted = x * LOG2_E + ROUNDER
    n = shifted - ROUNDER
    k = signed(bits(shifted) - ROUNDER_BITS)
    whole = x - n * LN2_HEAD
    small = n * LN2_TAIL - tail
    r = whole - small
    lost = (whole - r) - small
    square = (r * r) * polynomial(r, EXP_TAIL_32)
    head = 1.0 + r
    rest = ((1.0 - head) + r) + (square + lost)
    y = head + rest
    return k, y, (head - y) + rest


def exp2(x: Any) -> Any:
    """Return 2**x; error below 1 ulp."""
    c = x if x < 129.0 else 129.0
    c = c if c > -151.0 else -151.0
    shifted = c + ROUNDER
    r = c - (shifted - ROUNDER)
    k = signed(bits(shifted) - ROUNDER_BITS)
    y = scaled(one_plus(r * LN2_NEAREST, r * LN2_REST + (r * r) * polynomial(r, EXP2_32)), k)
    y = y if c < 128.0 else INFINITY
    y = y if c > -150.0 else 0.0
    return y if x == x else x


def exp10(x: Any) -> Any:
    """Return 10**x; error below 1 ulp."""
    c = x if x < 39.0 else 39.0
    c = c if c > -46.0 else -46.0
    shifted = c * LOG2_10 + ROUNDER
    n = shifted - ROUNDER
    k = signed(bits(shifted) - ROUNDER_BITS)
    part = (c - n * LOG10_2_HEAD) - n * LOG10_2_TAIL
    r = part * LN10_HEAD
    y = scaled(one_plus(r, part * LN10_TAIL + (r * r) * polynomial(r, EXP_TAIL_32)), k)
    y = y if c < 38.53184 else INFINITY
    y = y if c > -45.5 else 0.0
    return y if x == x else x


def expm1(x: Any) -> Any:
    """Return e**x - 1; error below 1 ulp."""
    c = x if x < 89.0 else 89.0
    c = c if c > -20.0 else -20.0
    shifted = c * LOG2_E + ROUNDER
    n = shifted - ROUNDER
    k = signed(bits(shifted) - ROUNDER_BITS)
    whole = c - n * LN2_HEAD
    small = n * LN2_TAIL
    r = whole - small
    lost = (whole - r) - small
    rest = lost + (r * r) * polynomial(r, EXP_TAIL_32)
    # 2**(k - 1) is finite for k = 128.
    power = from_bits((unsigned(k) + 126) << 23)
    base = power - 0.5
    lost_base = (power - base) - 0.5
    product = power * r
    head, lost_head = two_sum(base, product)
    y = 2.0 * (head + ((lost_head + lost_base) + power * rest))
    y = y if c < EXP_HIGHEST else INFINITY
    y = y if abs(x) > 1e-7 else x
    return y if x == x else x
