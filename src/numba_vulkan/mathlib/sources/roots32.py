"""rsqrt and cbrt of float32."""

from __future__ import annotations

from typing import Any

from ..primitives import bits, copy_sign, from_bits, multiply_high
from .constants import INFINITY, NAN
from .pairs import pair_product, two_product


def rsqrt(x: Any) -> Any:
    """Return 1 / sqrt(x): three of Newton's steps, the last with exact products; error below 0.6 ulp."""
    # Products of what rounding loses must not underflow.
    is_tiny = x < 8.673617379884035e-19
    c = x * 1.152921504606847e18 if is_tiny else x
    r = from_bits(0x5F375A86 - (bits(c) >> 1))
    half = 0.5 * c
    r = r * (1.5 - half * r * r)
    r = r * (1.5 - half * r * r)
    r = r * (1.5 - half * r * r)
    p, p_error = two_product(c, r)
    q, q_error = two_product(p, r)
    r = r + 0.5 * r * (((1.0 - q) - q_error) - p_error * r)
    r = r * 1073741824.0 if is_tiny else r
    r = r if x < INFINITY else 0.0
    if not x > 0.0:
        r = copy_sign(INFINITY, x) if x == 0.0 else NAN
    return r if x == x else x


def cbrt(x: Any) -> Any:
    """Return the cube root: Newton's steps for x**(-1/3), then one with an exact cube; error below 0.6 ulp."""
    magnitude = abs(x)
    # Products of what rounding loses must not underflow.
    is_tiny = magnitude < 8.673617379884035e-19
    c = magnitude * 1.152921504606847e18 if is_tiny else magnitude
    r = from_bits(0x548C2B4B - multiply_high(bits(c), 0x55555556))
    third = 0.33333334 * c
    r = r * (1.3333334 - third * r * r * r)
    r = r * (1.3333334 - third * r * r * r)
    r = r * (1.3333334 - third * r * r * r)
    y = c * r * r
    square, square_tail = two_product(y, y)
    cube, cube_tail = pair_product(square, square_tail, y, 0.0)
    y = y + 0.33333334 * ((c - cube) - cube_tail) * (r * r)
    y = y * 9.5367431640625e-07 if is_tiny else y
    y = copy_sign(y, x)
    return y if magnitude > 0.0 and magnitude < INFINITY else x
