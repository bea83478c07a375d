"""rsqrt, cbrt and hypot of float64."""

from __future__ import annotations

from typing import Any

from ..primitives import (
    copy_sign,
    from_words,
    high_word,
    low_word,
    multiply_high,
    product_error,
    square_root,
    unsigned,
)
from .constants64 import INFINITY, NAN
from .pairs import ordered_sum, pair_product, two_product
from .reciprocal64 import root_tail

# 2.0**600 and its inverse, and their roots.
LARGE, SMALL = 4.149515568880993e180, 2.409919865102884e-181
ROOT_OF_LARGE, ROOT_OF_SMALL = 2.037035976334486e90, 4.909093465297727e-91
THIRD = 0.3333333333333333


def sqrt(x: Any) -> Any:
    """Return the correctly rounded square root."""
    return square_root(x)


def rsqrt(x: Any) -> Any:
    """Return 1 / sqrt(x): Newton's steps, the last with exact products; error below 0.6 ulp."""
    # Products of what rounding loses must not underflow, nor those overflow that split large numbers.
    is_tiny, is_large = x < SMALL, x > LARGE
    c = x * LARGE if is_tiny else (x * SMALL if is_large else x)
    r = from_words(0x5FE6EB50 - (high_word(c) >> 1), low_word(c))
    half = 0.5 * c
    r = r * (1.5 - half * r * r)
    r = r * (1.5 - half * r * r)
    r = r * (1.5 - half * r * r)
    r = r * (1.5 - half * r * r)
    p, p_error = two_product(c, r)
    q, q_error = two_product(p, r)
    r = r + 0.5 * r * (((1.0 - q) - q_error) - p_error * r)
    r = r * ROOT_OF_LARGE if is_tiny else (r * ROOT_OF_SMALL if is_large else r)
    r = r if x < INFINITY else 0.0
    if not x > 0.0:
        r = copy_sign(INFINITY, x) if x == 0.0 else NAN
    return r if x == x else x


def cbrt(x: Any) -> Any:
    """Return the cube root: Newton's steps for x**(-1/3), then one with an exact cube; error below 0.6 ulp."""
    magnitude = abs(x)
    # Products of what rounding loses must not underflow.
    is_tiny = magnitude < SMALL
    c = magnitude * LARGE if is_tiny else magnitude
    r = from_words(0x553C2FFD - multiply_high(high_word(c), unsigned(0x55555556)), unsigned(0))
    third = THIRD * c
    r = r * (1.3333333333333333 - third * r * r * r)
    r = r * (1.3333333333333333 - third * r * r * r)
    r = r * (1.3333333333333333 - third * r * r * r)
    r = r * (1.3333333333333333 - third * r * r * r)
    y = c * r * r
    square, square_tail = two_product(y, y)
    cube, cube_tail = pair_product(square, square_tail, y, 0.0)
    y = y + THIRD * ((c - cube) - cube_tail) * (r * r)
    y = y * 6.223015277861142e-61 if is_tiny else y
    y = copy_sign(y, x)
    return y if magnitude > 0.0 and magnitude < INFINITY else x


def hypot(x: Any, y: Any) -> Any:
    """Return sqrt(x**2 + y**2) without overflow on the way; error below 0.6 ulp."""
    width, height = abs(x), abs(y)
    a = width if width > height else height
    b = height if width > height else width
    is_large, is_small = a > 3.2733906078961419e150, a < 3.054936363499605e-151
    scale = SMALL if is_large else (LARGE if is_small else 1.0)
    back = LARGE if is_large else (SMALL if is_small else 1.0)
    is_finite = a < INFINITY
    a, b = (a * scale if is_finite else 1.0), (b * scale if is_finite else 1.0)
    square, other = a * a, b * b
    h, tail = ordered_sum(square, other)
    tail = tail + (product_error(a, a, square) + product_error(b, b, other))
    s = square_root(h)
    result = (s + root_tail(h, tail, s)) * back
    result = x + y if x != x or y != y else result
    return INFINITY if width == INFINITY or height == INFINITY else result
