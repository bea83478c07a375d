"""Reciprocals of float64 that are the same on every device, for use inside other functions."""

from __future__ import annotations

from typing import Any

from ..primitives import from_words, high_word, product_error, unsigned


def reciprocal(d: Any) -> Any:
    """Return 1 / d to about 2**-52 for d in [2**-1000, 2**1000]: Newton's steps from a linear guess on the bits."""
    r = from_words(0x7FDE623A - high_word(d), unsigned(0))
    r = r * (2.0 - d * r)
    r = r * (2.0 - d * r)
    r = r * (2.0 - d * r)
    r = r + r * (1.0 - d * r)
    return r + r * (1.0 - d * r)


def quotient(n: Any, n_tail: Any, d: Any, d_tail: Any) -> Any:
    """Return (n + n_tail) / (d + d_tail) as a pair that is good to some 2**-102."""
    r = reciprocal(d)
    q = n * r
    product = q * d
    rest = (((n - product) - product_error(q, d, product)) - q * d_tail) + n_tail
    return q, rest * r


def root_tail(h: Any, h_tail: Any, s: Any) -> Any:
    """Return what the rounded square root s of h lacks to that of h + h_tail; s may be zero."""
    square = s * s
    rest = ((h - square) - product_error(s, s, square)) + h_tail
    return 0.5 * (rest * reciprocal(s if s > 0.0 else 1.0))
