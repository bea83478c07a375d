"""Sums and products of two floats without loss, for sources of either precision: a head and what rounding took."""

from __future__ import annotations

from typing import Any

from ..primitives import product_error


def ordered_sum(large: Any, small: Any) -> Any:
    """Return the sum and its error, for a first operand that is zero or has the larger exponent."""
    head = large + small
    return head, small - (head - large)


def two_sum(left: Any, right: Any) -> Any:
    """Return the sum and its error."""
    head = left + right
    part = head - left
    return head, (left - (head - part)) + (right - part)


def two_product(left: Any, right: Any) -> Any:
    """Return the product and its error."""
    head = left * right
    return head, product_error(left, right, head)


def loose_product(left: Any, left_tail: Any, right: Any, right_tail: Any) -> Any:
    """Return the product of two pairs as a head and a rest that may overlap it."""
    head = left * right
    return head, product_error(left, right, head) + (left * right_tail + left_tail * right)


def pair_product(left: Any, left_tail: Any, right: Any, right_tail: Any) -> Any:
    """Return the product of two pairs as a pair."""
    head, tail = loose_product(left, left_tail, right, right_tail)
    return ordered_sum(head, tail)
