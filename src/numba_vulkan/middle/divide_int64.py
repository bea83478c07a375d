"""Divide 64-bit integers without the device's own division of those, where that is possible.

NVIDIA's driver (580) divides in the general way whatever is known: by 36 it takes 3.4 times as long as multiplying by
the inverse, and small numbers, which most are that kernels divide, 2.7 times as long as dividing their words.

What is divided by a constant is multiplied by its inverse in fixed point, of which the high word of the product stays
(Granlund and Montgomery, "Division by invariant integers using multiplication", 1994). Others are divided as words
where both fit into one; CPUs do that by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..llvmir.model import Block, Constant, Function, Instruction, Value, constant
from ..llvmir.types import I32, I64
from .blocks import retarget_phis
from .int64.intervals import FULL, Range
from .int64.ranges import signed_ranges
from .int64.words import WordBuilder
from .passes import Context
from .rewriting import replace_uses

__all__ = ["run"]

_Division = Callable[[WordBuilder, Value, Value], Value]
_SIGNED = {"sdiv": True, "srem": True, "udiv": False, "urem": False}
_REMAINDERS = frozenset({"srem", "urem"})
_WORD = constant(I64, 0xFFFFFFFF)


def run(function: Function, context: Context) -> None:
    """Replace divisions and remainders of 64-bit integers."""
    if any(map(_divides, function.instructions())):
        _Divisions(function, context).run()


def _divides(i: Instruction) -> bool:
    return i.type is I64 and i.opcode in _SIGNED


def _divides_by_constant(i: Instruction) -> bool:
    return _divides(i) and isinstance(i.operands[1], Constant)


class _Divisions:
    """The divisions of a function.

    Attributes
    ----------
    branches : bool
        Whether to ask which operands fit into words.
    ranges : dict of Value to Range
        What is known of the size of 64-bit values, if that is of use.
    quotients : dict
        Those of the current block by signedness and operands: a quotient and a remainder share one.
    """

    def __init__(self, function: Function, context: Context) -> None:
        self.function = function
        self.branches = context.profile.loads_wait
        # CPUs divide by variables as they are.
        asks = self.branches or any(map(_divides_by_constant, function.instructions()))
        self.ranges: Mapping[Value, Range] = signed_ranges(function) if asks else {}
        self.quotients: dict[tuple[bool, Value, Value], Value] = {}
        self.replacements: dict[Value, Value] = {}

    def run(self) -> None:
        """Replace them all."""
        self.function.blocks = [part for block in self.function.blocks for part in self._replaced(block)]
        replace_uses(self.function, self.replacements)

    def _replaced(self, block: Block) -> list[Block]:
        if not any(map(_divides, block.instructions)):
            return [block]
        original, block.instructions = block.instructions, []
        self.quotients.clear()
        b = WordBuilder(block)
        for i in original:
            b.location = i.location
            if _divides(i):
                self.replacements[i] = self._result(b, i)
            else:
                b.instructions.append(i)
        if b.block is not block:
            for successor in b.block.successors:
                retarget_phis(successor, block, b.block)
        return b.blocks

    def _result(self, b: WordBuilder, i: Instruction) -> Value:
        x, y = i.operands
        key = _SIGNED[i.opcode], x, y
        if key not in self.quotients:
            self.quotients[key] = self._quotient(b, *key)
        quotient = self.quotients[key]
        return b.binary("sub", x, b.binary("mul", quotient, y)) if i.opcode in _REMAINDERS else quotient

    def _quotient(self, b: WordBuilder, is_signed: bool, x: Value, y: Value) -> Value:
        if isinstance(y, Constant) or not self.branches:
            return self._signed(b, x, y) if is_signed else self._unsigned(b, x, y)
        has_signs = is_signed and min(self._range(x).low, self._range(y).low) < 0
        return _as_words(b, x, y, self._signed if has_signs else self._unsigned)

    def _unsigned(self, b: WordBuilder, x: Value, y: Value) -> Value:
        if isinstance(y, Constant):
            return _by_constant(b, x, y.value, self._range(x).low >= 0)
        return b.binary("udiv", x, y)

    def _signed(self, b: WordBuilder, x: Value, y: Value) -> Value:
        """Divide numbers without their signs, which may then fit into words."""
        if not isinstance(y, Constant) and not self.branches:
            return b.binary("sdiv", x, y)
        signs: list[Value] = []
        x, y = self._magnitude(b, x, signs), self._magnitude(b, y, signs)
        quotient = self._unsigned(b, x, y) if isinstance(y, Constant) else _as_words(b, x, y, self._unsigned)
        for sign in signs:
            quotient = b.binary("sub", b.binary("xor", quotient, sign), sign)
        return quotient

    def _magnitude(self, b: WordBuilder, value: Value, signs: list[Value]) -> Value:
        """Return a number without its sign, which is noted if there may be one: 0 or all ones."""
        if self._range(value).low >= 0:
            return value
        sign = b.binary("ashr", value, constant(I64, 63))
        signs.append(sign)
        return b.binary("sub", b.binary("xor", value, sign), sign)

    def _range(self, value: Value) -> Range:
        if isinstance(value, Constant):
            return Range(value.signed, value.signed)
        return self.ranges.get(value, FULL)


def _by_constant(b: WordBuilder, x: Value, divisor: int, is_below: bool) -> Value:
    """Divide an unsigned integer, which may be known to be below 2**63. Division by 0 gives some value, as for LLVM."""
    divisor = divisor or 1
    zeros = (divisor & -divisor).bit_length() - 1
    if divisor == 1 << zeros or not is_below:
        x = b.binary("lshr", x, constant(I64, zeros))
        divisor, is_below = divisor >> zeros, is_below or zeros > 0
    if divisor == 1:
        return x
    bits = (divisor - 1).bit_length()
    shift = constant(I64, bits - 1)
    if is_below:
        # The error, below the divisor, times x stays below 2**bits * 2**63.
        inverse = -(-(1 << 63 + bits) // divisor)
        return b.binary("lshr", _high_of_product(b, x, inverse), shift)
    # The inverse has 65 bits; the highest one is added by hand, of the halves, because the sum may have 65 bits too.
    inverse = ((1 << bits) - divisor << 64) // divisor + 1
    high = _high_of_product(b, x, inverse)
    half = b.binary("lshr", b.binary("sub", x, high), constant(I64, 1))
    return b.binary("lshr", b.binary("add", high, half), shift)


def _high_of_product(b: WordBuilder, x: Value, factor: int) -> Value:
    """Return the upper 64 of the 128 bits of an unsigned product, from products of words."""
    bits = constant(I64, 32)
    low, high = b.binary("and", x, _WORD), b.binary("lshr", x, bits)
    by_low, by_high = constant(I64, factor & 0xFFFFFFFF), constant(I64, factor >> 32)
    carried = b.binary("lshr", b.binary("mul", low, by_low), bits)
    first = b.binary("add", b.binary("mul", high, by_low), carried)
    second = b.binary("add", b.binary("mul", low, by_high), b.binary("and", first, _WORD))
    carried = b.binary("add", b.binary("lshr", first, bits), b.binary("lshr", second, bits))
    return b.binary("add", b.binary("mul", high, by_high), carried)


def _as_words(b: WordBuilder, x: Value, y: Value, divide: _Division) -> Value:
    """Divide as words what fits into words and has no sign, which is nearly all that kernels divide."""
    words, whole, after = b.new_block("divide.words"), b.new_block("divide.whole"), b.new_block("divided")
    high = b.binary("lshr", b.binary("or", x, y), constant(I64, 32))
    b.branch_if(b.icmp("eq", high, constant(I64, 0)), words, whole)
    b.enter(words)
    of_words = b.cast("zext", b.binary("udiv", b.cast("trunc", x, I32), b.cast("trunc", y, I32)), I64)
    b.branch(after)
    b.enter(whole)
    of_whole = divide(b, x, y)
    whole = b.block
    b.branch(after)
    b.enter(after)
    return b.phi(I64, [(of_words, words), (of_whole, whole)])
