"""Addition, multiplication, bitwise operations, comparison and choice of 64-bit integers in words."""

from __future__ import annotations

from ...abi import MULHI_U32
from ...llvmir.model import Constant, Value
from ...llvmir.types import I32
from .words import Pair, WordBuilder

__all__ = [
    "absolute",
    "add",
    "bitwise",
    "compare",
    "magnitude",
    "multiply",
    "negate",
    "select",
    "subtract",
    "widening_product",
    "with_sign",
]


def add(b: WordBuilder, x: Pair, y: Pair) -> Pair:
    """Add: the low words carry if their sum is below either of them."""
    if x.value is not None:
        x, y = y, x
    if y.value is not None and y.value >> 63:
        # The borrow of a small subtrahend is one comparison; -1 as a summand would need a carry and an addition.
        return subtract(b, x, negate(b, y))
    low = b.binary("add", x.low, y.low)
    carry = b.icmp("ult", low, x.low)
    high = b.binary("add", x.high, y.high)
    return Pair(low, b.binary("add", high, b.extend(carry)))


def subtract(b: WordBuilder, x: Pair, y: Pair) -> Pair:
    """Subtract: the low words borrow if the first is below the second."""
    borrow = b.icmp("ult", x.low, y.low)
    low = b.binary("sub", x.low, y.low)
    high = b.binary("sub", x.high, y.high)
    return Pair(low, b.binary("sub", high, b.extend(borrow)))


def negate(b: WordBuilder, x: Pair) -> Pair:
    """Return ``0 - x``."""
    return subtract(b, Pair(b.i32(0), b.i32(0)), x)


def multiply(b: WordBuilder, x: Pair, y: Pair) -> Pair:
    """Multiply modulo 2**64: the whole product of the low words, and the low ones of the crosswise products."""
    low, high = widening_product(b, x.low, y.low)
    high = b.binary("add", high, b.binary("mul", x.low, y.high))
    return Pair(low, b.binary("add", high, b.binary("mul", x.high, y.low)))


def widening_product(b: WordBuilder, x: Value, y: Value) -> Pair:
    """Return the 64-bit product of two words."""
    low = b.binary("mul", x, y)
    for factor, other in ((x, y), (y, x)):
        if isinstance(factor, Constant) and (factor.value <= 1 or isinstance(other, Constant)):
            high = factor.value * other.value >> 32 if isinstance(other, Constant) else 0
            return Pair(low, b.i32(high))
    return Pair(low, b.call(MULHI_U32, I32, x, y))


def bitwise(b: WordBuilder, opcode: str, x: Pair, y: Pair) -> Pair:
    """Apply ``and``, ``or`` or ``xor`` to each word."""
    return Pair(b.binary(opcode, x.low, y.low), b.binary(opcode, x.high, y.high))


def select(b: WordBuilder, condition: Value, x: Pair, y: Pair) -> Pair:
    """Choose each word."""
    return Pair(b.select(condition, x.low, y.low), b.select(condition, x.high, y.high))


_UNSIGNED = {"slt": "ult", "sle": "ule", "sgt": "ugt", "sge": "uge"}
_STRICT = {"ule": "ult", "uge": "ugt", "sle": "slt", "sge": "sgt"}


def compare(b: WordBuilder, predicate: str, x: Pair, y: Pair) -> Value:
    """Compare; 32-bit comparisons of the low words alone where both values are extended from them."""
    if x.is_sign_extended and y.is_sign_extended:
        # Unsigned order is kept too: negative values go to the top of either range.
        return b.icmp(predicate, x.low, y.low)
    unsigned = _UNSIGNED.get(predicate, predicate)
    if x.high is y.high:
        return b.icmp(unsigned, x.low, y.low)
    if predicate in ("eq", "ne"):
        return _equality(b, predicate, x, y)
    if _low_words_cannot_matter(predicate, y):
        return b.icmp(predicate, x.high, y.high)
    decided = b.icmp(_STRICT.get(predicate, predicate), x.high, y.high)
    return b.select(b.icmp("eq", x.high, y.high), b.icmp(unsigned, x.low, y.low), decided)


def _equality(b: WordBuilder, predicate: str, x: Pair, y: Pair) -> Value:
    zero = b.i32(0)
    for first, second in ((x, y), (y, x)):
        if second.value == 0:
            return b.icmp(predicate, b.binary("or", first.low, first.high), zero)
    both = "and" if predicate == "eq" else "or"
    return b.binary(both, b.icmp(predicate, x.low, y.low), b.icmp(predicate, x.high, y.high))


# A low word of 0 on the right leaves these to the high words, one of all ones the others.
_WITH_LOW_ZERO = frozenset({"ult", "uge", "slt", "sge"})


def _low_words_cannot_matter(predicate: str, y: Pair) -> bool:
    if not isinstance(y.low, Constant):
        return False
    return y.low.value == (0 if predicate in _WITH_LOW_ZERO else 0xFFFFFFFF)


def absolute(b: WordBuilder, x: Pair) -> Pair:
    """Return the absolute value; that of the smallest integer is itself."""
    return magnitude(b, x)[0]


def magnitude(b: WordBuilder, x: Pair) -> tuple[Pair, Value]:
    """Return the absolute value, to be read as unsigned, and a word of sign bits."""
    if x.is_sign_extended:
        sign = x.high
        return Pair(b.binary("sub", b.binary("xor", x.low, sign), sign), b.i32(0)), sign
    sign = b.binary("ashr", x.high, b.i32(31))
    return with_sign(b, x, sign), sign


def with_sign(b: WordBuilder, x: Pair, sign: Value) -> Pair:
    """Return ``-x`` if ``sign`` is all ones, ``x`` if it is 0."""
    signs = Pair(sign, sign)
    return subtract(b, bitwise(b, "xor", x, signs), signs)
