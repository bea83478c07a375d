"""rsqrt and cbrt of float64."""

from __future__ import annotations

from typing import Any

from ..primitives import (
    copy_sign,
    from_words,
    high_word,
    low_word,
    multiply_high,
    unsigned,
)
from .constants import INFINITY, NAN
from .pairs import pair_product, two_product

# 2.0**600 and its inverse, and their roots.
LARGE, SMALL = 4.149515568880993e180, 2.409919865102884e-181
ROOT_OF_LARGE, ROOT_OF_SMALL = 2.037035976334486e90, 4.909093465297727e-91
THIRD = 0.3333333333333333


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
