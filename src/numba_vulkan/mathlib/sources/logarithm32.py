"""log, log2, log10 and log1p of float32.

x = 2**k * (1 + f) with 1 + f in [2/3, 4/3); log1p(f) = f - f**2/2 + f**3 * P(f). What is small is added first.
"""

from __future__ import annotations

from typing import Any

from ..primitives import (
    add_product,
    as_float32,
    bits,
    copy_sign,
    from_bits,
    polynomial,
    product_error,
    signed,
    unsigned,
)
from .coefficients import LOG2_32, LOG10_32, LOG_32, LOG_FINE_32
from .constants import INFINITY, INFINITY_BITS, MAGNITUDE, NAN
from .pairs import ordered_sum, two_product

TWO_THIRDS_BITS = 0x3F2AAAAB
HALF_ROOT_BITS = 0x3F3504F3
# Adding it rounds to multiples of 2**-13.
STEPS = 1536.0
ONE_BITS, EXPONENT = 0x3F800000, 0xFF800000
LN2_HEAD = 0.693145751953125  # 15 bits
LN2_TAIL = 1.4286197256296873e-06  # 16 bits
LN2_HEAD_BITS, LN2_TAIL_BITS = LN2_HEAD * 2.0**-23, LN2_TAIL * 2.0**-23
LOG2_E, LOG2_E_REST = 1.4426950216293335, 1.925963033500983e-08
LOG10_E, LOG10_E_REST = 0.4342944920063019, -1.0103050118726038e-08
LOG10_2_HEAD = 0.30103302001953125  # 16 bits
LOG10_2_TAIL = -3.0243536457419395e-06  # 16 bits


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
    return add_product(f + add_product(small, z, -0.5), n, LN2_HEAD)


def log(x: Any) -> Any:
    """Return the natural logarithm; error below 0.9 ulp."""
    pattern = bits(x)
    k, m = decomposed(pattern, TWO_THIRDS_BITS)
    y = log_of_parts(k, m)
    if not is_normal(pattern):
        k, m = decomposed(as_normal(pattern), TWO_THIRDS_BITS)
        y = without_exponent(x, log_of_parts(k - 149, m))
    return y


def exponent_of(x: Any) -> Any:
    """Return k * 2**23 as a Word, and 2**-k, for the k that brings a number to [2/3, 4/3)."""
    exponent = (bits(x) - TWO_THIRDS_BITS) & EXPONENT
    return exponent, from_bits(ONE_BITS - exponent)


def log_of_fraction(f: Any, small: Any, exponent: Any) -> Any:
    """Return log(2**k * (1 + f)) and what is small beside it, which is added, for k * 2**23 as a Word."""
    n = as_float32(signed(exponent))
    z = f * f
    rest = add_product((f * z) * polynomial(f, LOG_32) + small, n, LN2_TAIL_BITS)
    return add_product(f + add_product(rest, z, -0.5), n, LN2_HEAD_BITS)


def log_beyond_one(u: Any, tail: Any) -> Any:
    """Return log(1 + u + tail) for u from 0 on and a tail that is small beside it; error below 1.2 ulp."""
    exponent, scale = exponent_of(1.0 + u)
    return log_of_fraction(add_product(scale - 1.0, u, scale), tail * scale, exponent)


def log_one_plus(u: Any) -> Any:
    """Return log(1 + u) for u from 0 on; error below 1.3 ulp."""
    exponent, scale = exponent_of(1.0 + u)
    # Unlike zero times something, this is no operation.
    return log_of_fraction(add_product(scale - 1.0, u, scale), -0.0, exponent)


def log1p(x: Any) -> Any:
    """Return log(1 + x); error below 0.95 ulp."""
    # What is lost of numbers that are larger than 2**24 does not count.
    h, tail = ordered_sum(1.0, x)
    exponent, scale = exponent_of(h)
    f = from_bits(bits(h) - exponent) - 1.0
    # (1 - f) + f**2 is 1 / m, near enough.
    y = log_of_fraction(f, (tail * scale) * ((1.0 - f) + f * f), exponent)
    if not bits(h) - 0x00800000 < 0x7E000000:
        y = log(x) if x > 1.0 else (-INFINITY if x == -1.0 else (NAN if x < -1.0 else x))
    return copy_sign(y, x)


def log2(x: Any) -> Any:
    """Return the logarithm to base 2; error below 0.9 ulp."""
    pattern = bits(x)
    k, m = decomposed(pattern, TWO_THIRDS_BITS)
    y = log2_of_parts(k, m)
    if not is_normal(pattern):
        k, m = decomposed(as_normal(pattern), TWO_THIRDS_BITS)
        y = without_exponent(x, log2_of_parts(k - 149, m))
    return y


def log2_of_parts(k: Any, m: Any) -> Any:
    """Return log2(2**k * m) for m in [2/3, 4/3)."""
    v, rest = scaled_log(m, LOG2_E, LOG2_E_REST, LOG2_32)
    y, lost = ordered_sum(as_float32(k), v)
    return y + (lost + rest)


def fine_log(x: Any) -> Any:
    """Return the natural logarithm of a positive normal number as a pair of 36 bits and more."""
    exponent, scale = exponent_of(x)
    f = x * scale - 1.0
    n = as_float32(signed(exponent))
    z = f * f
    half = 0.5 * z
    head = (f - half + STEPS) - STEPS
    rest = (f * z) * polynomial(f, LOG_FINE_32) - 0.5 * product_error(f, f, z)
    tail = add_product(((f - head) - half) + rest, n, LN2_TAIL_BITS)
    # Sums of multiples of 2**-15 that are less than 2**8 are exact.
    return add_product(head, n, LN2_HEAD_BITS), tail


def scaled_log(m: Any, scale: Any, scale_rest: Any, higher: Any) -> Any:
    """Return log(m) times a number as a pair, for m in [2/3, 4/3) and a polynomial of that scale."""
    f = m - 1.0
    z = f * f
    head = add_product(f, z, -0.5)
    head_rest = add_product(f - head, z, -0.5)
    v, lost = two_product(head, scale)
    return v, lost + (head_rest * scale + f * (z * polynomial(f, higher) + scale_rest))


def log10(x: Any) -> Any:
    """Return the logarithm to base 10; error below 0.9 ulp."""
    pattern = bits(x)
    k, m = decomposed(pattern, TWO_THIRDS_BITS)
    y = log10_of_parts(k, m)
    if not is_normal(pattern):
        k, m = decomposed(as_normal(pattern), TWO_THIRDS_BITS)
        y = without_exponent(x, log10_of_parts(k - 149, m))
    return y


def log10_of_parts(k: Any, m: Any) -> Any:
    """Return log10(2**k * m) for m in [2/3, 4/3)."""
    v, rest = scaled_log(m, LOG10_E, LOG10_E_REST, LOG10_32)
    n = as_float32(k)
    y = add_product(v, n, LOG10_2_HEAD)
    lost = v - add_product(y, n, -LOG10_2_HEAD)
    return y + (lost + add_product(rest, n, LOG10_2_TAIL))


def is_normal_number(x: Any) -> Any:
    """Return whether a number is positive and normal."""
    return is_normal(bits(x))


def parts_of(x: Any) -> Any:
    """Return k as a float and m in [sqrt(1/2), sqrt(2)) with abs(x) = 2**k * m, for a finite x that is not zero."""
    pattern = bits(x) & MAGNITUDE
    is_tiny = pattern < 0x00800000
    k, m = decomposed(as_normal(pattern) if is_tiny else pattern, HALF_ROOT_BITS)
    return as_float32(k - 149 if is_tiny else k), m
