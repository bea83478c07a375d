"""log, log2, log10 and log1p of float32.

x = 2**k * (1 + f) with 1 + f in [2/3, 4/3); log1p(f) = f - f**2/2 + f**3 * P(f). What is small is added first.
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
    unsigned,
)
from .coefficients import LOG_32
from .constants import INFINITY, INFINITY_BITS, MAGNITUDE, NAN
from .exponential32 import power_of_two
from .pairs import ordered_sum, two_sum

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


def is_normal_number(x: Any) -> Any:
    """Return whether a number is positive and normal."""
    return is_normal(bits(x))


def parts_of(x: Any) -> Any:
    """Return k as a float and m in [sqrt(1/2), sqrt(2)) with abs(x) = 2**k * m, for a finite x that is not zero."""
    pattern = bits(x) & MAGNITUDE
    is_tiny = pattern < 0x00800000
    k, m = decomposed(as_normal(pattern) if is_tiny else pattern, HALF_ROOT_BITS)
    return as_float32(k - 149 if is_tiny else k), m
