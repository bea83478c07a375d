"""log, log2, log10 and log1p of float64.

x = 2**k * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)). With s = f / (2 + f), log1p(f) = 2 * atanh(s) =
f - (f**2/2 - s * (f**2/2 + R)), where R = 2 * s**2 * A(s**2) comes from the odd series. What is small is added first.
"""

from __future__ import annotations

from typing import Any

from ..primitives import (
    add_product,
    as_float64,
    from_words,
    high_word,
    low_word,
    polynomial,
    product_error,
    reciprocal,
    signed,
    unsigned,
)
from .coefficients import ATANH_SERIES_64
from .constants import INFINITY, NAN
from .exponential64 import power_of_two
from .pairs import ordered_sum, two_sum

HALF_ROOT_HIGH = 0x3FE6A09E
LN2_HEAD = 0.6931471805598903  # 42 bits
LN2_TAIL = 5.4979230187085024e-14  # 42 bits
LOG2_E_HEAD = 1.4426950407214463  # 32 bits
LOG2_E_TAIL = 1.6751713164886512e-10
LOG10_E_HEAD = 0.4342944818781689  # 32 bits
LOG10_E_TAIL = 2.5082946711645275e-11
LOG10_2_HEAD = 0.30102999560767785  # 33 bits
LOG10_2_TAIL = 5.630334806675098e-11


def decomposed(x: Any) -> Any:
    """Return k and 1 + f of a positive normal number."""
    high = high_word(x)
    k = signed(high - HALF_ROOT_HIGH) >> 20
    return k, from_words(high - (unsigned(k) << 20), low_word(x))


def is_normal(x: Any) -> Any:
    """Return whether a number is positive and normal."""
    return high_word(x) - 0x00100000 < 0x7FE00000


def as_normal(x: Any) -> Any:
    """Return 2**54 times a denormal."""
    return x * 18014398509481984.0


def without_exponent(x: Any, y: Any) -> Any:
    """Return y, the logarithm of a denormal x; others that are not positive and normal have none, or infinity."""
    y = y if x < INFINITY else x
    without = -INFINITY if x == 0.0 else NAN
    return without if x <= 0.0 else y


def half_square_and_rest(f: Any) -> Any:
    """Return h and t with log1p(f) = f - (h - t)."""
    s = f * reciprocal(2.0 + f)
    z = s * s
    h = 0.5 * (f * f)
    return h, s * (h + (z + z) * polynomial(z, ATANH_SERIES_64))


def log_of_parts(k: Any, m: Any) -> Any:
    """Return log(2**k * m) for m in [sqrt(1/2), sqrt(2))."""
    f = m - 1.0
    n = as_float64(k)
    h, t = half_square_and_rest(f)
    return add_product(f - (h - add_product(t, n, LN2_TAIL)), n, LN2_HEAD)


def log(x: Any) -> Any:
    """Return the natural logarithm; error below 0.85 ulp."""
    k, m = decomposed(x)
    y = log_of_parts(k, m)
    if not is_normal(x):
        k, m = decomposed(as_normal(x))
        y = without_exponent(x, log_of_parts(k - 54, m))
    return y


def log_beyond_one(u: Any, tail: Any) -> Any:
    """Return log(1 + u + tail) for u from 0 on and a tail that is small beside it; error below 1 ulp."""
    k = signed(high_word(1.0 + u) - HALF_ROOT_HIGH) >> 20
    scale = power_of_two(-k)
    f = add_product(scale - 1.0, u, scale)
    n = as_float64(k)
    square, t = half_square_and_rest(f)
    return add_product(f - (square - add_product(add_product(t, n, LN2_TAIL), tail, scale)), n, LN2_HEAD)


def log_one_plus(u: Any) -> Any:
    """Return log(1 + u) for u from 0 on; error below 1.3 ulp."""
    return log_beyond_one(u, 0.0)


def log1p(x: Any) -> Any:
    """Return log(1 + x); error below 0.9 ulp."""
    h, tail = two_sum(1.0, x)
    k, m = decomposed(h)
    f = m - 1.0
    n = as_float64(k)
    square, t = half_square_and_rest(f)
    # (1 - f) + f**2 is 1 / m, near enough.
    rest = t + (tail * power_of_two(-k)) * ((1.0 - f) + (square + square))
    y = add_product(f - (square - add_product(rest, n, LN2_TAIL)), n, LN2_HEAD)
    if not (x > -1.0 and x < 1e300) or abs(x) < 1.1e-16:
        y = log(x) if x > 1.0 else x
        y = y if x > -1.0 else (-INFINITY if x == -1.0 else NAN)
        y = y if x == x else x
    return y


def log_parts(m: Any) -> Any:
    """Return log(m) for m in [sqrt(1/2), sqrt(2)) as a head of 21 bits and a tail."""
    f = m - 1.0
    h, t = half_square_and_rest(f)
    head = from_words(high_word(f - h), unsigned(0))
    lost = product_error(f, f, f * f)
    return head, ((f - head) - h) + (t - 0.5 * lost)


def log2(x: Any) -> Any:
    """Return the logarithm to base 2; error below 0.8 ulp."""
    k, m = decomposed(x)
    y = log2_of_parts(k, m)
    if not is_normal(x):
        k, m = decomposed(as_normal(x))
        y = without_exponent(x, log2_of_parts(k - 54, m))
    return y


def log2_of_parts(k: Any, m: Any) -> Any:
    """Return log2(2**k * m) for m in [sqrt(1/2), sqrt(2))."""
    head, tail = log_parts(m)
    small = tail * LOG2_E_HEAD + (head + tail) * LOG2_E_TAIL
    y, lost = ordered_sum(as_float64(k), head * LOG2_E_HEAD)
    return y + (lost + small)


def log10(x: Any) -> Any:
    """Return the logarithm to base 10; error below 0.8 ulp."""
    k, m = decomposed(x)
    y = log10_of_parts(k, m)
    if not is_normal(x):
        k, m = decomposed(as_normal(x))
        y = without_exponent(x, log10_of_parts(k - 54, m))
    return y


def log10_of_parts(k: Any, m: Any) -> Any:
    """Return log10(2**k * m) for m in [sqrt(1/2), sqrt(2))."""
    head, tail = log_parts(m)
    n = as_float64(k)
    small = (tail * LOG10_E_HEAD + (head + tail) * LOG10_E_TAIL) + n * LOG10_2_TAIL
    y, lost = ordered_sum(n * LOG10_2_HEAD, head * LOG10_E_HEAD)
    return y + (lost + small)


def parts_of(x: Any) -> Any:
    """Return k as a float and m in [sqrt(1/2), sqrt(2)) with abs(x) = 2**k * m, for a finite x that is not zero."""
    magnitude = abs(x)
    is_tiny = high_word(magnitude) < 0x00100000
    k, m = decomposed(as_normal(magnitude) if is_tiny else magnitude)
    return as_float64(k - 54 if is_tiny else k), m
