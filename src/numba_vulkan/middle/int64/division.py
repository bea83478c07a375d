"""Division and remainder of 64-bit integers in words, exactly.

Division by a constant is straight code: shifts for powers of two, digits of 16 bits for other small numbers, folding of
the general formulas for large ones. Other divisions branch: where both operands fit in a word, which is nearly always,
one 32-bit division is all that runs.

The general case is Knuth's algorithm D. Both kinds of divisors share its one step that is costly, dividing two words
by one: a divisor of one word leaves the remainder of the high word and the low word to divide; one of two words is cut
to its upper 32 bits, which makes the quotient at most one too large.
"""

from __future__ import annotations

from typing import NamedTuple

from ...llvmir.model import Value
from ...llvmir.types import I32
from .arithmetic import compare, magnitude, select, subtract, widening_product, with_sign
from .shifts import shift
from .words import Pair, WordBuilder, leading_zeros, sign_extended

__all__ = ["QuotientAndRemainder", "divide_signed", "divide_unsigned"]


class QuotientAndRemainder(NamedTuple):
    """What a division gives; the code of the one that is not used is dead."""

    quotient: Pair
    remainder: Pair


def divide_signed(b: WordBuilder, x: Pair, y: Pair) -> QuotientAndRemainder:
    """Divide, rounding towards zero; the remainder has the sign of ``x``. The smallest integer by -1 is itself."""
    divisor = y.value
    if x.is_sign_extended and y.is_sign_extended and divisor not in (None, 0, _MINUS_ONE):
        # By -1, the quotient of -2**31 would not fit.
        return _divide_signed_words(b, x, y)
    x_magnitude, x_sign = magnitude(b, x)
    y_magnitude, y_sign = magnitude(b, y)
    quotient, remainder = divide_unsigned(b, x_magnitude, y_magnitude)
    quotient_sign = b.binary("xor", x_sign, y_sign)
    return QuotientAndRemainder(with_sign(b, quotient, quotient_sign), with_sign(b, remainder, x_sign))


_MINUS_ONE = 2**64 - 1


def _divide_signed_words(b: WordBuilder, x: Pair, y: Pair) -> QuotientAndRemainder:
    quotient = b.binary("sdiv", x.low, y.low)
    remainder = b.binary("sub", x.low, b.binary("mul", quotient, y.low))
    return QuotientAndRemainder(sign_extended(b, quotient), sign_extended(b, remainder))


def divide_unsigned(b: WordBuilder, x: Pair, y: Pair) -> QuotientAndRemainder:
    """Divide unsigned integers. Division by zero gives some value, as LLVM allows."""
    if x.is_zero_extended and y.is_zero_extended:
        return _divide_words(b, x, y)
    divisor = y.value
    if divisor is not None and divisor & (divisor - 1) == 0:
        return _divide_by_power_of_two(b, x, max(divisor, 1))
    if divisor is not None and divisor <= _DIGIT:
        return _divide_by_digit(b, x, y.low)
    if divisor is not None:
        return _divide_generally(b, x, y)
    return _divide_by_variable(b, x, y)


def _divide_words(b: WordBuilder, x: Pair, y: Pair) -> QuotientAndRemainder:
    zero = b.i32(0)
    quotient, remainder = _divide_word(b, x.low, y.low)
    return QuotientAndRemainder(Pair(quotient, zero), Pair(remainder, zero))


def _divide_word(b: WordBuilder, x: Value, y: Value) -> tuple[Value, Value]:
    quotient = b.binary("udiv", x, y)
    return quotient, b.binary("sub", x, b.binary("mul", quotient, y))


def _divide_by_power_of_two(b: WordBuilder, x: Pair, divisor: int) -> QuotientAndRemainder:
    mask = divisor - 1
    remainder = Pair(b.binary("and", x.low, b.i32(mask)), b.binary("and", x.high, b.i32(mask >> 32)))
    return QuotientAndRemainder(shift(b, "lshr", x, b.i32(divisor.bit_length() - 1)), remainder)


_DIGIT = 1 << 16


def _divide_by_digit(b: WordBuilder, x: Pair, divisor: Value) -> QuotientAndRemainder:
    """Divide by at most 2**16: schoolbook division, each step 32 bits by 16."""
    zero, sixteen = b.i32(0), b.i32(16)
    quotient_high, rest = _divide_word(b, x.high, divisor)
    upper = b.binary("or", b.binary("shl", rest, sixteen), b.binary("lshr", x.low, sixteen))
    quotient_upper, rest = _divide_word(b, upper, divisor)
    lower = b.binary("or", b.binary("shl", rest, sixteen), b.binary("and", x.low, b.i32(_DIGIT - 1)))
    quotient_lower, rest = _divide_word(b, lower, divisor)
    quotient_low = b.binary("or", b.binary("shl", quotient_upper, sixteen), quotient_lower)
    return QuotientAndRemainder(Pair(quotient_low, quotient_high), Pair(rest, zero))


def _divide_by_variable(b: WordBuilder, x: Pair, y: Pair) -> QuotientAndRemainder:
    """Branch to a division of words or of pairs."""
    words, pairs, after = b.new_block("divide.words"), b.new_block("divide.pairs"), b.new_block("divided")
    are_words = b.icmp("eq", b.binary("or", x.high, y.high), b.i32(0))
    b.branch_if(are_words, words, pairs)

    b.enter(words)
    of_words = _divide_words(b, x, y)
    b.branch(after)
    b.enter(pairs)
    of_pairs = _divide_generally(b, x, y)
    b.branch(after)

    b.enter(after)

    def join(first: Pair, second: Pair) -> Pair:
        return Pair(*(b.phi(I32, [(f, words), (s, pairs)]) for f, s in zip(first, second, strict=True)))

    return QuotientAndRemainder(
        join(of_words.quotient, of_pairs.quotient), join(of_words.remainder, of_pairs.remainder)
    )


def _divide_generally(b: WordBuilder, x: Pair, y: Pair) -> QuotientAndRemainder:
    zero, one = b.i32(0), b.i32(1)
    is_wide = b.icmp("ne", y.high, zero)
    # A divisor of one word: the high word first, and its remainder in front of the low word.
    narrow_divisor = b.select(is_wide, one, y.low)
    quotient_high, rest = _divide_word(b, x.high, narrow_divisor)
    quotient_high = b.select(is_wide, zero, quotient_high)
    dividend = Pair(x.low, b.select(is_wide, x.high, rest))

    # The divisor's first 32 bits from its highest one on. A wide divisor loses 32 - `places` bits by that, the
    # dividend one, so that its high word stays below the divisor; the quotient is put right by 31 - `places`.
    # Only a division by zero has no highest one; 31 keeps its shifts defined.
    places = leading_zeros(b, b.binary("or", b.select(is_wide, y.high, y.low), one))
    leading = select(b, is_wide, y, Pair(zero, y.low))
    divisor = _shift_within_word(b, leading, places).high
    aligned = select(b, is_wide, shift(b, "lshr", x, one), _shift_within_word(b, dividend, places))
    quotient = _divide_two_words_by_one(b, aligned, divisor)
    estimate = b.binary("lshr", quotient, b.binary("xor", places, b.i32(31)))
    # The estimate is right or one too large: take one off, and put it on again where the remainder has room for it.
    reduced = b.binary("sub", estimate, b.extend(b.icmp("ne", estimate, zero)))
    quotient = b.select(is_wide, reduced, quotient)
    if y.is_zero_extended:
        remainder = Pair(b.binary("sub", x.low, b.binary("mul", quotient, y.low)), zero)
        return QuotientAndRemainder(Pair(quotient, quotient_high), remainder)

    low, high = widening_product(b, quotient, y.low)
    product = Pair(low, b.binary("add", high, b.binary("mul", quotient, y.high)))
    remainder = subtract(b, dividend, product)
    has_room = b.binary("and", is_wide, compare(b, "uge", remainder, y))
    quotient = b.binary("add", quotient, b.extend(has_room))
    remainder = select(b, has_room, subtract(b, remainder, y), remainder)
    return QuotientAndRemainder(Pair(quotient, quotient_high), remainder)


def _shift_within_word(b: WordBuilder, x: Pair, distance: Value) -> Pair:
    """Shift left by less than 32."""
    back = b.binary("xor", distance, b.i32(31))
    carried = b.binary("lshr", b.binary("lshr", x.low, b.i32(1)), back)
    return Pair(b.binary("shl", x.low, distance), b.binary("or", b.binary("shl", x.high, distance), carried))


def _divide_two_words_by_one(b: WordBuilder, x: Pair, divisor: Value) -> Value:
    """Return the quotient, below 2**32, of a dividend whose high word is below the divisor, of which bit 31 is set."""
    sixteen, mask = b.i32(16), b.i32(_DIGIT - 1)
    halves = b.binary("lshr", divisor, sixteen), b.binary("and", divisor, mask)
    upper, rest = _divide_digit(b, x.high, b.binary("lshr", x.low, sixteen), divisor, halves)
    lower, _ = _divide_digit(b, rest, b.binary("and", x.low, mask), divisor, halves)
    return b.binary("or", b.binary("shl", upper, sixteen), lower)


def _divide_digit(
    b: WordBuilder, rest: Value, digit: Value, divisor: Value, halves: tuple[Value, Value]
) -> tuple[Value, Value]:
    """Divide ``rest * 2**16 + digit`` by the divisor, of which ``halves`` are the digits: the quotient, and the rest.

    The upper half of the divisor gives an estimate that is at most two too large.
    """
    sixteen, mask = b.i32(16), b.i32(_DIGIT - 1)
    upper, lower = halves
    estimate, left = _divide_word(b, rest, upper)
    for is_first in (True, False):
        wanted = b.binary("or", b.binary("shl", left, sixteen), digit)
        exceeds = b.icmp("ugt", b.binary("mul", estimate, lower), wanted)
        wrong = b.binary("or", b.icmp("ugt", estimate, mask), exceeds)
        if not is_first:
            # What is left has grown by the upper half: beyond 16 bits no estimate is too large, and `wanted` wraps.
            wrong = b.binary("and", wrong, b.icmp("ule", left, mask))
        estimate = b.select(wrong, b.binary("sub", estimate, b.i32(1)), estimate)
        left = b.select(wrong, b.binary("add", left, upper), left)
    both = b.binary("or", b.binary("shl", rest, sixteen), digit)
    return estimate, b.binary("sub", both, b.binary("mul", estimate, divisor))
