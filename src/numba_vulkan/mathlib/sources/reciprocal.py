"""Quotients as pairs, which are good to nearly twice as many bits as a float, and rough reciprocals."""

from __future__ import annotations

from typing import Any

from ..primitives import bits, from_bits, from_words, high_word, reciprocal, residual, unsigned


def quotient(n: Any, n_tail: Any, d: Any, d_tail: Any) -> Any:
    """Return (n + n_tail) / (d + d_tail) as a pair."""
    r = reciprocal(d)
    q = n * r
    rest = (residual(n, q, d) - q * d_tail) + n_tail
    return q, rest * r


def rough_half_single(d: Any) -> Any:
    """Return 1 / (2 * d) within an eighth, for a positive float32 of less than 2**125."""
    return from_bits(0x7E7311C7 - bits(d))


def rough_half_double(d: Any) -> Any:
    """Return 1 / (2 * d) within an eighth, for a positive float64 of less than 2**1021."""
    return from_words(0x7FCE6238 - high_word(d), unsigned(0))
