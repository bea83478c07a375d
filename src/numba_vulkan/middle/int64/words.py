"""Pairs of words, and a builder of 32-bit operations that emits nothing for what constants decide.

What is known of a 64-bit value shows in its words: the high word of a small one is the constant 0, that of a
sign-extended one is ``ashr low, 31``. So the rules of 64-bit operations are written for the general case, and folding
makes them cheap where a word is constant.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import NamedTuple, TypeGuard

from ...llvmir.build import Builder
from ...llvmir.model import Block, Constant, Instruction, Undef, Value, constant
from ...llvmir.types import I1, I32, I64, IntType, Type

__all__ = ["Pair", "WordBuilder", "leading_zeros", "pair_of_constant", "sign_extended"]


class Pair(NamedTuple):
    """The words of a 64-bit integer."""

    low: Value
    high: Value

    @property
    def is_zero_extended(self) -> bool:
        """Whether the value is known to be below 2**32."""
        return isinstance(self.high, Constant) and self.high.value == 0

    @property
    def is_sign_extended(self) -> bool:
        """Whether the value is known to be that of its low word read as signed."""
        low, high = self.low, self.high
        if isinstance(low, Constant):
            return isinstance(high, Constant) and high.value == (0xFFFFFFFF if low.value >> 31 else 0)
        return _is_sign(high) and (high is low or high.operands[0] is low)

    @property
    def value(self) -> int | None:
        """The value, unsigned, if both words are constant."""
        if isinstance(self.low, Constant) and isinstance(self.high, Constant):
            return self.high.value << 32 | self.low.value
        return None


def _is_sign(word: Value) -> TypeGuard[Instruction]:
    """Whether a word is known to be 0 or all ones, made from the sign of another one."""
    return isinstance(word, Instruction) and word.opcode == "ashr" and word.operands[1] is _31


_31 = constant(I32, 31)


def pair_of_constant(value: Constant | Undef) -> Pair:
    """Return the words of an i64 constant."""
    if isinstance(value, Undef):
        return Pair(Undef(I32), Undef(I32))
    assert value.type is I64
    return Pair(constant(I32, value.value), constant(I32, value.value >> 32))


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


# Of constants: (left, right, width); None where LLVM leaves the result undefined.
_FOLDS: dict[str, Callable[[int, int, int], int | None]] = {
    "add": lambda a, b, bits: a + b,
    "sub": lambda a, b, bits: a - b,
    "mul": lambda a, b, bits: a * b,
    "and": lambda a, b, bits: a & b,
    "or": lambda a, b, bits: a | b,
    "xor": lambda a, b, bits: a ^ b,
    "shl": lambda a, b, bits: a << b if b < bits else None,
    "lshr": lambda a, b, bits: a >> b if b < bits else None,
    "ashr": lambda a, b, bits: _signed(a, bits) >> b if b < bits else None,
    "udiv": lambda a, b, bits: a // b if b else None,
    "urem": lambda a, b, bits: a % b if b else None,
}
_COMMUTATIVE = frozenset({"add", "mul", "and", "or", "xor"})
# The right operand with which the left one is the result; -1 is the largest value.
_NEUTRAL = {
    "add": 0,
    "sub": 0,
    "or": 0,
    "xor": 0,
    "shl": 0,
    "lshr": 0,
    "ashr": 0,
    "mul": 1,
    "and": -1,
    "udiv": 1,
}
# The right operand that is the result whatever the left one is.
_ABSORBING = {"and": 0, "mul": 0, "or": -1}
_ZERO_OF_EQUALS = frozenset({"sub", "xor"})
_FIRST_OF_EQUALS = frozenset({"and", "or"})
_ZERO_STAYS = frozenset({"shl", "lshr", "ashr", "udiv", "urem"})

_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "ult": lambda a, b: a < b,
    "ule": lambda a, b: a <= b,
    "ugt": lambda a, b: a > b,
    "uge": lambda a, b: a >= b,
}
_UNSIGNED = {"slt": "ult", "sle": "ule", "sgt": "ugt", "sge": "uge"}
_TRUE_OF_EQUALS = frozenset({"eq", "ule", "uge", "sle", "sge"})
# Unsigned comparisons with 0 that are decided.
_WITH_ZERO = {"ult": 0, "uge": 1}


class WordBuilder(Builder):
    """A builder that folds operations of words and can go on in a new block.

    Parameters
    ----------
    block : Block
        Where instructions go first.

    Attributes
    ----------
    block : Block
        Where instructions go now.
    blocks : list of Block
        The block it started with and those entered since.
    """

    __slots__ = ("_numbers", "block", "blocks")

    def __init__(self, block: Block) -> None:
        super().__init__(block.instructions)
        self.block = block
        self.blocks = [block]
        self._numbers = count()

    def new_block(self, stem: str) -> Block:
        """Return a new block, not yet placed, named after the first one."""
        return Block(f"{self.blocks[0].name}.{stem}.{next(self._numbers)}")

    def enter(self, block: Block) -> None:
        """Place a block that has no instructions yet, and go on there."""
        self.block = block
        self.blocks.append(block)
        self.instructions = block.instructions

    def binary(self, opcode: str, left: Value, right: Value) -> Value:
        """Emit an operation of two words or two conditions, or fold it."""
        if isinstance(left, Constant) and opcode in _COMMUTATIVE:
            left, right = right, left
        type = left.type
        if isinstance(type, IntType):
            if isinstance(right, Constant):
                folded = _fold(opcode, left, right, type)
                if folded is not None:
                    return folded
            if opcode == "ashr" and _is_sign(left):
                return left
            if left is right and opcode in _ZERO_OF_EQUALS:
                return constant(type, 0)
            if left is right and opcode in _FIRST_OF_EQUALS:
                return left
            if isinstance(left, Constant) and left.value == 0 and opcode in _ZERO_STAYS:
                return left
        return self.emit(Instruction(opcode, type, [left, right]))

    def icmp(self, predicate: str, left: Value, right: Value) -> Value:
        """Emit a comparison of words, or fold it."""
        if left is right:
            return constant(I1, predicate in _TRUE_OF_EQUALS)
        if isinstance(right, Constant):
            if isinstance(left, Constant):
                return constant(I1, _compare(predicate, left, right))
            if right.value == 0 and predicate in _WITH_ZERO:
                return constant(I1, _WITH_ZERO[predicate])
        return super().icmp(predicate, left, right)

    def select(self, condition: Value, if_true: Value, if_false: Value) -> Value:
        """Emit a choice between two words or two conditions, or fold it."""
        if if_true.type is I1 and isinstance(if_false, Constant) and not if_false.value:
            return self.binary("and", condition, if_true)
        if if_true.type is I1 and isinstance(if_true, Constant) and if_true.value:
            return self.binary("or", condition, if_false)
        return super().select(condition, if_true, if_false)

    def extend(self, condition: Value) -> Value:
        """Return a condition as 0 or 1."""
        return self.cast("zext", condition, I32)

    def phi(self, type: Type, incoming: list[tuple[Value, Block]]) -> Value:
        """Emit a phi, or return the value if all are the same."""
        values = [value for value, _ in incoming]
        if all(value is values[0] for value in values):
            return values[0]
        return self.emit(Instruction("phi", type, values, targets=[block for _, block in incoming]))


def sign_extended(b: WordBuilder, word: Value) -> Pair:
    """Return a word that is read as signed as a pair."""
    return Pair(word, b.binary("ashr", word, _31))


def leading_zeros(b: WordBuilder, word: Value) -> Value:
    """Return the number of zeros before the highest one of a word, 32 for 0."""
    if isinstance(word, Constant):
        return b.i32(32 - word.value.bit_length())
    return b.call("llvm.ctlz.i32", I32, word, constant(I1, 0))


def _fold(opcode: str, left: Value, right: Constant, type: IntType) -> Value | None:
    """Return the result of an operation whose right operand is constant, if that decides it."""
    if isinstance(left, Constant) and opcode in _FOLDS:
        value = _FOLDS[opcode](left.value, right.value, type.bits)
        return None if value is None else constant(type, value)
    if opcode in _NEUTRAL and right.value == _NEUTRAL[opcode] & type.mask:
        return left
    if opcode in _ABSORBING and right.value == _ABSORBING[opcode] & type.mask:
        return right
    return None


def _compare(predicate: str, left: Constant, right: Constant) -> bool:
    if predicate in _UNSIGNED:
        return _COMPARISONS[_UNSIGNED[predicate]](left.signed, right.signed)
    return _COMPARISONS[predicate](left.value, right.value)
