"""Logarithms of sums of exponentials, and the distance to the next float; one source for both precisions."""

from __future__ import annotations

from typing import Any

from ..primitives import copy_sign
from .constants import INFINITY, NAN
from .real import exp, exp2, log1p, nextafter

LOG2_E = 1.4426950408889634


def logaddexp(x: Any, y: Any) -> Any:
    """Return log(exp(x) + exp(y))."""
    larger, smaller = (x if x > y else y), (y if x > y else x)
    if x != x or y != y:
        return NAN
    # Infinities of one sign have no difference.
    if x == y and abs(x) == INFINITY:
        return x
    return larger + log1p(exp(smaller - larger))


def logaddexp2(x: Any, y: Any) -> Any:
    """Return log2(2**x + 2**y)."""
    larger, smaller = (x if x > y else y), (y if x > y else x)
    if x != x or y != y:
        return NAN
    if x == y and abs(x) == INFINITY:
        return x
    return larger + LOG2_E * log1p(exp2(smaller - larger))


def spacing(x: Any) -> Any:
    """Return the distance to the next float away from zero, with the sign of x."""
    if not abs(x) < INFINITY:
        return NAN
    return copy_sign(nextafter(abs(x), INFINITY) - abs(x), x)
