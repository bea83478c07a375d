"""Quotients and square roots of float64 as pairs."""

from __future__ import annotations

from typing import Any

from ..primitives import reciprocal, residual


def quotient(n: Any, n_tail: Any, d: Any, d_tail: Any) -> Any:
    """Return (n + n_tail) / (d + d_tail) as a pair that is good to some 2**-102."""
    r = reciprocal(d)
    q = n * r
    rest = (residual(n, q, d) - q * d_tail) + n_tail
    return q, rest * r


def root_tail(h: Any, h_tail: Any, s: Any) -> Any:
    """Return what the rounded square root s of h lacks to that of h + h_tail; s may be zero."""
    rest = residual(h, s, s) + h_tail
    return 0.5 * (rest * reciprocal(s if s > 0.0 else 1.0))
