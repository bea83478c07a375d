"""Formulas of NumPy's universal functions that are compiled where they are used, for operands of one type."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "comes_before",
    "comes_not_after",
    "greatest_common_divisor",
    "larger_number",
    "larger_of_both",
    "least_common_multiple",
    "reciprocal",
    "rounded_parts",
    "sign_of_complex",
    "smaller_number",
    "smaller_of_both",
    "square",
    "truncated_remainder",
]


def reciprocal(x: Any) -> Any:
    """Return 1 / x in integers, which is 0 but for 1 and -1."""
    return x if x == 1 or x == -1 else x - x


def square(x: Any) -> Any:
    """Return x times x."""
    return x * x


def truncated_remainder(x: Any, y: Any) -> Any:
    """Return what division towards zero leaves; 0 for a zero divisor, as NumPy does."""
    if y == 0:
        return y
    rest = x % y
    return rest - y if rest != 0 and (x < 0) != (y < 0) else rest


def greatest_common_divisor(x: Any, y: Any) -> Any:
    """Return the greatest common divisor by Euclid's algorithm."""
    while y != 0:
        x, y = y, x % y
    return abs(x)


def least_common_multiple(x: Any, y: Any) -> Any:
    """Return the least common multiple, 0 if one of the numbers is."""
    a, b = x, y
    while b != 0:
        a, b = b, a % b
    return abs(x // a * y) if a != 0 else a


# ---- complex numbers, which NumPy orders by their real parts, then by the others


def comes_before(x: Any, y: Any) -> Any:
    """Return whether a number is less than another; NaN is not."""
    return x.real < y.real or (x.real == y.real and x.imag < y.imag)


def comes_not_after(x: Any, y: Any) -> Any:
    """Return whether a number is not greater than another; NaN is not."""
    return x.real < y.real or (x.real == y.real and x.imag <= y.imag)


def larger_of_both(x: Any, y: Any) -> Any:
    """Return the greater number, or the first that is NaN."""
    if x != x:
        return x
    is_less = x.real < y.real or (x.real == y.real and x.imag < y.imag)
    return y if is_less or y != y else x


def smaller_of_both(x: Any, y: Any) -> Any:
    """Return the lesser number, or the first that is NaN."""
    if x != x:
        return x
    is_less = y.real < x.real or (x.real == y.real and y.imag < x.imag)
    return y if is_less or y != y else x


def larger_number(x: Any, y: Any) -> Any:
    """Return the greater number, or the one that is not NaN."""
    is_less = x.real < y.real or (x.real == y.real and x.imag < y.imag)
    return y if is_less or x != x else x


def smaller_number(x: Any, y: Any) -> Any:
    """Return the lesser number, or the one that is not NaN."""
    is_less = y.real < x.real or (x.real == y.real and y.imag < x.imag)
    return y if is_less or x != x else x


def sign_of_complex(z: Any) -> Any:
    """Return z / abs(z), and zero for zero."""
    size = abs(z)
    return z / size if size != 0 else z


def rounded_parts(z: Any) -> Any:
    """Return a complex number with both parts rounded to even."""
    return complex(np.rint(z.real), np.rint(z.imag))
