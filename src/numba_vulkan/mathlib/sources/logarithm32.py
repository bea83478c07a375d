"""log, log2, log10, log1p and pow of float32.

x = 2**k * (1 + f) with 1 + f in [2/3, 4/3); log1p(f) = f - f**2/2 + f**3 * P(f). What is small is added first. pow
needs log2 as a pair: with s = f / (2 + f), log1p(f) = 2 * atanh(s), an odd series whose first terms are pairs.
"""

from __future__ import annotations

from typing import Any

from ..primitives import (
    add_product,
    as_float32,
    as_int,
    bits,
    from_bits,
    polynomial,
    product_error,
    signed,
    truncated,
    unsigned,
)
from .coefficients import ATANH_SERIES_32, EXP2_32, LOG_32
from .constants import INFINITY, INFINITY_BITS, MAGNITUDE, NAN, SIGN
from .exponential32 import LN2_NEAREST, LN2_REST, ROUNDER, ROUNDER_BITS, one_plus, power_of_two, scaled
from .pairs import ordered_sum, pair_product, two_sum
from .reciprocal import quotient

TWO_THIRDS_BITS = 0x3F2AAAAB
HALF_ROOT_BITS = 0x3F3504F3
LN2_HEAD = 0.693145751953125  # 15 bits
LN2_TAIL = 1.4286197256296873e-06  # 16 bits
LOG2_E_HEAD = 1.4423828125  # 12 bits
LOG2_E_TAIL = 0.00031222839606925845
LOG10_E_HEAD = 0.4342041015625  # 12 bits
LOG10_E_TAIL = 9.038033749675378e-05
LOG10_2_HEAD = 0.301025390625  # 11 bits
LOG10_2_TAIL = 4.6050408855080605e-06  # 16 bits
TWO_LOG2_E_HEAD = 2.885390043258667
TWO_LOG2_E_TAIL = 3.851926067000022e-08
THIRD = ATANH_SERIES_32[0]
HIGHER = ATANH_SERIES_32[1:]


def decomposed(pattern: Any, lowest_bits: Any) -> Any:
    """Return k and 1 + f of a positive normal number, given by its bits.

    ``lowest_bits`` are those of the least value of 1 + f.
    """
    k = signed(pattern - lowest_bits) >> 23
    return k, from_bits(pattern - (unsigned(k) << 23))


def is_normal(pattern: Any) -> Any:
    """Return whether these are the bits of a positive normal number."""
    return pattern - 0x00800000 < 0x7F000000


def as_normal(pattern: Any) -> Any:
    """Return the bits of a number without its exponent, 2**149 times what a denormal is."""
    return bits(as_float32(pattern & 0x7FFFFF))


def without_exponent(x: Any, y: Any) -> Any:
    """Return y, the logarithm of a denormal x; others that are not positive and normal have none, or infinity."""
    pattern = bits(x)
    y = y if pattern < INFINITY_BITS else x
    without = -INFINITY if (pattern & MAGNITUDE) == 0 else NAN
    return without if signed(pattern) <= 0 else y


def log_of_parts(k: Any, m: Any) -> Any:
    """Return log(2**k * m) for m in [2/3, 4/3)."""
    f = m - 1.0
    n = as_float32(k)
    z = f * f
    small = add_product((f * z) * polynomial(f, LOG_32), n, LN2_TAIL)
    return add_product(f - (0.5 * z - small), n, LN2_HEAD)


def log(x: Any) -> Any:
    """Return the natural logarithm; error below 0.78 ulp."""
    pattern = bits(x)
    k, m = decomposed(pattern, TWO_THIRDS_BITS)
    y = log_of_parts(k, m)
    if not is_normal(pattern):
        k, m = decomposed(as_normal(pattern), TWO_THIRDS_BITS)
        y = without_exponent(x, log_of_parts(k - 149, m))
    return y


def log_of_pair(h: Any, tail: Any, k_more: Any) -> Any:
    """Return log((h + tail) * 2**k_more) for a normal h of less than 2**127."""
    k, m = decomposed(bits(h), TWO_THIRDS_BITS)
    f = m - 1.0
    n = as_float32(k + k_more)
    z = f * f
    # (1 - f) + f**2 is 1 / m, near enough.
    rest = (f * z) * polynomial(f, LOG_32) + (tail * power_of_two(-k)) * ((1.0 - f) + z)
    return add_product(f - (0.5 * z - add_product(rest, n, LN2_TAIL)), n, LN2_HEAD)


def log1p(x: Any) -> Any:
    """Return log(1 + x); error below 0.8 ulp."""
    h, tail = two_sum(1.0, x)
    y = log_of_pair(h, tail, as_int(0))
    if not (x > -1.0 and x < 1e38) or abs(x) < 6e-8:
        y = log(x) if x > 1.0 else x
        y = y if x > -1.0 else (-INFINITY if x == -1.0 else NAN)
        y = y if x == x else x
    return y


def log_parts(m: Any) -> Any:
    """Return log(m) for m in [2/3, 4/3) as a head of 12 bits and a tail."""
    f = m - 1.0
    half_square = 0.5 * (f * f)
    rest = (f * (f * f)) * polynomial(f, LOG_32)
    head = from_bits(bits(f - half_square) & 0xFFFFF000)
    lost = product_error(f, f, f * f)
    return head, ((f - head) - half_square) + (rest - 0.5 * lost)


def log2(x: Any) -> Any:
    """Return the logarithm to base 2; error below 0.8 ulp."""
    pattern = bits(x)
    k, m = decomposed(pattern, TWO_THIRDS_BITS)
    y = log2_of_parts(k, m)
    if not is_normal(pattern):
        k, m = decomposed(as_normal(pattern), TWO_THIRDS_BITS)
        y = without_exponent(x, log2_of_parts(k - 149, m))
    return y


def log2_of_parts(k: Any, m: Any) -> Any:
    """Return log2(2**k * m) for m in [2/3, 4/3)."""
    head, tail = log_parts(m)
    small = tail * LOG2_E_HEAD + (head + tail) * LOG2_E_TAIL
    y, lost = ordered_sum(as_float32(k), head * LOG2_E_HEAD)
    return y + (lost + small)


def log10(x: Any) -> Any:
    """Return the logarithm to base 10; error below 0.8 ulp."""
    pattern = bits(x)
    k, m = decomposed(pattern, TWO_THIRDS_BITS)
    y = log10_of_parts(k, m)
    if not is_normal(pattern):
        k, m = decomposed(as_normal(pattern), TWO_THIRDS_BITS)
        y = without_exponent(x, log10_of_parts(k - 149, m))
    return y


def log10_of_parts(k: Any, m: Any) -> Any:
    """Return log10(2**k * m) for m in [2/3, 4/3)."""
    head, tail = log_parts(m)
    n = as_float32(k)
    small = add_product(tail * LOG10_E_HEAD + (head + tail) * LOG10_E_TAIL, n, LOG10_2_TAIL)
    y, lost = ordered_sum(n * LOG10_2_HEAD, head * LOG10_E_HEAD)
    return y + (lost + small)


def log2_pair(x: Any) -> Any:
    """Return the logarithm to base 2 of a positive finite x as a pair that is good to 2**-34."""
    pattern = bits(x)
    is_tiny = pattern < 0x00800000
    k, m = decomposed(as_normal(pattern) if is_tiny else pattern, HALF_ROOT_BITS)
    k = k - 149 if is_tiny else k
    f = m - 1.0
    d = 2.0 + f
    s, s_tail = quotient(f, 0.0, d, f - (d - 2.0))
    z, z_tail = pair_product(s, s_tail, s, s_tail)
    a, a_tail = ordered_sum(THIRD, z * polynomial(z, HIGHER))
    w, w_tail = pair_product(z, z_tail, a, a_tail)
    more, more_tail = pair_product(s, s_tail, w, w_tail)
    t, t_tail = ordered_sum(s, more)
    t, t_tail = pair_product(t, t_tail + (s_tail + more_tail), TWO_LOG2_E_HEAD, TWO_LOG2_E_TAIL)
    head, tail = ordered_sum(as_float32(k), t)
    return ordered_sum(head, tail + t_tail)


def power_of_pair(head: Any, tail: Any) -> Any:
    """Return 2**(head + tail), rounded once in the end."""
    is_large = head >= 129.0
    is_small = head <= -151.0
    c = 0.0 if is_large or is_small else head
    shifted = c + ROUNDER
    r, r_tail = two_sum(c - (shifted - ROUNDER), tail)
    k = signed(bits(shifted) - ROUNDER_BITS)
    t = r * LN2_NEAREST
    rest = product_error(r, LN2_NEAREST, t) + (r * LN2_REST + r_tail * LN2_NEAREST)
    y = one_plus(t, rest + (r * r) * polynomial(r, EXP2_32))
    overflows = signed(bits(y) >> 23) + k >= 255
    y = scaled(y, k)
    y = INFINITY if is_large or overflows else y
    return 0.0 if is_small else y


def pow(x: Any, y: Any) -> Any:
    """Return x**y as C's pow does; error below 0.8 ulp."""
    magnitude = abs(x)
    size = abs(y)
    base = magnitude if magnitude > 0.0 and magnitude < INFINITY else 1.0
    head, tail = log2_pair(base)
    exponent = y if size < 1e30 else 0.0
    p = exponent * head
    result = power_of_pair(p, product_error(exponent, head, p) + exponent * tail)
    if not (magnitude > 0.0 and magnitude < INFINITY):
        result = INFINITY if (magnitude > 1.0) == (y > 0.0) else 0.0
    if not size < 1e30:
        result = INFINITY if (magnitude > 1.0) == (y > 0.0) else 0.0
        result = 1.0 if magnitude == 1.0 else result
    is_whole = size >= 16777216.0 or truncated(y) == y
    is_odd = size < 16777216.0 and is_whole and (unsigned(as_int(y)) & 1) == 1
    if (bits(x) & SIGN) != 0:
        result = -result if is_odd else result
        result = NAN if magnitude > 0.0 and magnitude < INFINITY and not is_whole else result
    result = x + y if x != x or y != y else result
    return 1.0 if x == 1.0 or y == 0.0 else result
