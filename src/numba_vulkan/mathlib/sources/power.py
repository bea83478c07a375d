"""pow; one source for both precisions.

2**(y * log2(x)), for which log2 has to be a pair: with x = 2**k * (1 + f) and s = f / (2 + f), log1p(f) is
2 * atanh(s), an odd series whose first terms are pairs. What is not a positive normal number, and what leaves the
range, is behind one branch.
"""

from __future__ import annotations

from typing import Any

from ..primitives import copy_sign, polynomial, product_error, truncated
from .coefficients import ATANH_SERIES_32, ATANH_SERIES_64, EXP_64, EXP_TAIL_32
from .constants import INFINITY, NAN
from .pairs import loose_product, ordered_sum
from .real import ROUNDER, ByPrecision, exponent_in, is_normal, one_plus, parts_of, raised, scaled_far
from .reciprocal import quotient

LN2_NEAREST = ByPrecision(0.6931471824645996, 0.6931471805599453)
LN2_REST = ByPrecision(-1.9046542121259336e-09, 2.3190468138462996e-17)
TWO_LOG2_E_HEAD = ByPrecision(2.885390043258667, 2.8853900817779268)
TWO_LOG2_E_TAIL = ByPrecision(3.851926067000022e-08, 4.0710547481862066e-17)
THIRD = ByPrecision(ATANH_SERIES_32[0], ATANH_SERIES_64[0])
HIGHER = ByPrecision(ATANH_SERIES_32[1:], ATANH_SERIES_64[1:])
EXP = ByPrecision(EXP_TAIL_32, EXP_64)
# Powers of two up to these are normal; from the other ones on, they are infinite or zero.
MODERATE = ByPrecision(125.0, 1021.0)
LOWEST, HIGHEST = ByPrecision(-160.0, -1100.0), ByPrecision(130.0, 1030.0)
# Exponents of this size make all numbers but 1 infinite or zero.
HUGE = ByPrecision(1e30, 1e280)


def log2_pair(x: Any) -> Any:
    """Return the logarithm to base 2 of the magnitude of x as a pair that is good to a fifth more than its bits."""
    k, m = parts_of(x)
    f = m - 1.0
    d = 2.0 + f
    s, s_tail = quotient(f, 0.0, d, f - (d - 2.0))
    z = s * s
    z_tail = product_error(s, s, z) + (s + s) * s_tail
    a, a_tail = ordered_sum(THIRD, z * polynomial(z, HIGHER))
    w, w_tail = loose_product(z, z_tail, a, a_tail)
    more, more_tail = loose_product(s, s_tail, w, w_tail)
    t, lost = ordered_sum(s, more)
    u, u_tail = loose_product(t, lost + (s_tail + more_tail), TWO_LOG2_E_HEAD, TWO_LOG2_E_TAIL)
    head, lost = ordered_sum(k, u)
    return ordered_sum(head, lost + u_tail)


def exp2_parts(head: Any, tail: Any) -> Any:
    """Return y and n in the low bits of a float with 2**(head + tail) = y * 2**n."""
    shifted = head + ROUNDER
    r, r_tail = ordered_sum(head - (shifted - ROUNDER), tail)
    t = r * LN2_NEAREST
    rest = product_error(r, LN2_NEAREST, t) + (r * LN2_REST + r_tail * LN2_NEAREST)
    return one_plus(t, rest + (t * t) * polynomial(t, EXP)), shifted


def pow(x: Any, y: Any) -> Any:
    """Return x**y as C's pow does; error below 0.8 ulp."""
    head, tail = log2_pair(x)
    p = y * head
    p_tail = product_error(y, head, p) + y * tail
    power, shifted = exp2_parts(p, p_tail)
    result = raised(power, shifted)
    if not (is_normal(x) and abs(p) < MODERATE):
        result = pow_far(x, y, p, p_tail)
    return result


def pow_far(x: Any, y: Any, p: Any, p_tail: Any) -> Any:
    """Return x**y for any numbers; p + p_tail is y * log2(abs(x)) where that is not infinite."""
    magnitude, size = abs(x), abs(y)
    c = LOWEST if p < LOWEST else p
    c = HIGHEST if c > HIGHEST else c
    power, shifted = exp2_parts(c, p_tail if c == p else 0.0)
    result = scaled_far(power, exponent_in(shifted))
    is_ordinary = magnitude > 0.0 and magnitude < INFINITY
    if not is_ordinary or not size < HUGE:
        result = INFINITY if (magnitude > 1.0) == (y > 0.0) else 0.0
        result = 1.0 if magnitude == 1.0 else result
    is_whole = truncated(y) == y
    half = 0.5 * y
    is_odd = is_whole and truncated(half) != half and size < INFINITY
    if copy_sign(1.0, x) < 0.0:
        result = -result if is_odd else result
        result = NAN if is_ordinary and not is_whole else result
    result = x + y if x != x or y != y else result
    return 1.0 if x == 1.0 or y == 0.0 else result
