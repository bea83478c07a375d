"""sinh, cosh, tanh and their inverses of float64.

Odd polynomials around zero; elsewhere exponentials as pairs, and logarithms of pairs.
"""

from __future__ import annotations

from typing import Any

from ..primitives import as_int, copy_sign, polynomial, product_error, root, square_root
from .coefficients import ASINH_64, ATANH_64, SINH_64, TANH_64
from .constants64 import INFINITY, NAN
from .exponential64 import exp_parts, power_of_two
from .logarithm64 import log_of_pair
from .pairs import ordered_sum, two_sum
from .reciprocal64 import quotient, root_tail


def growing_and_falling(magnitude: Any) -> Any:
    """Return exp(x)/4 and exp(-x)/4 as pairs; the latter is zero where it does not count."""
    k, y, tail = exp_parts(magnitude, 0.0)
    growth = power_of_two(k - 2)
    k2, y2, tail2 = exp_parts(-magnitude if magnitude < 40.0 else -40.0, 0.0)
    decay = power_of_two(k2 - 2) if magnitude < 40.0 else 0.0
    return growth * y, growth * tail, decay * y2, decay * tail2


def sinh(x: Any) -> Any:
    """Return the hyperbolic sine; error below 1 ulp."""
    magnitude = abs(x)
    if magnitude < 1.0:
        z = x * x
        y = x + (x * z) * polynomial(z, SINH_64)
        y = x if magnitude < 1e-08 else y
    else:
        c = magnitude if magnitude < 710.6 else 710.6
        large, large_tail, small, small_tail = growing_and_falling(c)
        head, lost = ordered_sum(large, -small)
        y = 2.0 * (head + (lost + (large_tail - small_tail)))
        y = copy_sign(y if magnitude < 710.4758 or y < INFINITY else INFINITY, x)
        y = y if x == x else x
    return y


def cosh(x: Any) -> Any:
    """Return the hyperbolic cosine; error below 1 ulp."""
    magnitude = abs(x)
    c = magnitude if magnitude < 710.6 else 710.6
    large, large_tail, small, small_tail = growing_and_falling(c)
    head, lost = ordered_sum(large, small)
    y = 2.0 * (head + (lost + (large_tail + small_tail)))
    return y if x == x else x


def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent; error below 1 ulp."""
    magnitude = abs(x)
    if magnitude < 0.55:
        z = x * x
        y = x + (x * z) * polynomial(z, TANH_64)
        y = x if magnitude < 1e-08 else y
    else:
        c = magnitude if magnitude < 22.0 else 22.0
        k, e, tail = exp_parts(2.0 * c, 0.0)
        power = power_of_two(k)
        d, d_tail = ordered_sum(power * e, 1.0)
        t, t_tail = quotient(2.0, 0.0, d, d_tail + power * tail)
        head, lost = ordered_sum(1.0, -t)
        y = copy_sign(head + (lost - t_tail), x)
        y = y if x == x else x
    return y


def asinh(x: Any) -> Any:
    """Return the inverse of sinh; error below 1 ulp."""
    magnitude = abs(x)
    if magnitude < 0.5:
        z = x * x
        y = x + (x * z) * polynomial(z, ASINH_64)
        y = x if magnitude < 1e-08 else y
    else:
        is_large = magnitude > 1e15
        c = 1.0 if is_large else magnitude
        square = c * c
        h, tail = two_sum(square, 1.0)
        tail = tail + product_error(c, c, square)
        s = root(h)
        head, lost = ordered_sum(s, c)
        lost = lost + root_tail(h, tail, s)
        head, lost = (magnitude if is_large else head), (0.0 if is_large else lost)
        y = log_of_pair(head, lost, as_int(1) if is_large else as_int(0))
        y = copy_sign(y if magnitude < INFINITY else INFINITY, x)
        y = y if x == x else x
    return y


def acosh(x: Any) -> Any:
    """Return the inverse of cosh; error below 1.1 ulp."""
    is_large = x > 1e15
    c = x if x > 1.0 and not is_large else 1.0
    square = c * c
    h, tail = two_sum(square, -1.0)
    tail = tail + product_error(c, c, square)
    s = square_root(h)
    head, lost = ordered_sum(c, s)
    lost = lost + root_tail(h, tail, s)
    head, lost = (x if is_large else head), (0.0 if is_large else lost)
    y = log_of_pair(head, lost, as_int(1) if is_large else as_int(0))
    y = y if x < INFINITY else x
    return y if x >= 1.0 else NAN


def atanh(x: Any) -> Any:
    """Return the inverse of tanh; error below 1 ulp."""
    magnitude = abs(x)
    if magnitude < 0.5:
        z = x * x
        y = x + (x * z) * polynomial(z, ATANH_64)
        y = x if magnitude < 1e-08 else y
    else:
        c = magnitude if magnitude < 1.0 else 0.5
        n, n_tail = ordered_sum(1.0, c)
        q, q_tail = quotient(n, n_tail, 1.0 - c, 0.0)
        y = 0.5 * log_of_pair(q, q_tail, as_int(0))
        y = y if magnitude != 1.0 else INFINITY
        y = copy_sign(y if magnitude <= 1.0 else NAN, x)
    return y
