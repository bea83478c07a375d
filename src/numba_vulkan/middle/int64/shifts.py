"""Shifts of 64-bit integers in words; no shift of a word goes by its width or more, which SPIR-V leaves undefined."""

from __future__ import annotations

from collections.abc import Callable

from ...llvmir.model import Constant, Value
from .words import Pair, WordBuilder

__all__ = ["shift"]


def shift(b: WordBuilder, opcode: str, x: Pair, distance: Value) -> Pair:
    """Shift by ``distance``, a word, which counts modulo 64 (beyond, LLVM promises nothing)."""
    if isinstance(distance, Constant):
        return _CONSTANT[opcode](b, x, distance.value & 63)
    near = b.binary("and", distance, b.i32(31))
    is_far = b.icmp("ne", b.binary("and", distance, b.i32(32)), b.i32(0))
    return _VARIABLE[opcode](b, x, near, is_far)


def _left_by_constant(b: WordBuilder, x: Pair, distance: int) -> Pair:
    if distance >= 32:
        return Pair(b.i32(0), b.binary("shl", x.low, b.i32(distance - 32)))
    if distance == 0:
        return x
    carried = b.binary("lshr", x.low, b.i32(32 - distance))
    return Pair(
        b.binary("shl", x.low, b.i32(distance)),
        b.binary("or", b.binary("shl", x.high, b.i32(distance)), carried),
    )


def _right_by_constant(b: WordBuilder, opcode: str, x: Pair, distance: int) -> Pair:
    if distance >= 32:
        low = b.binary(opcode, x.high, b.i32(distance - 32))
        return Pair(low, _beyond(b, opcode, low))
    if distance == 0:
        return x
    carried = b.binary("shl", x.high, b.i32(32 - distance))
    return Pair(
        b.binary("or", b.binary("lshr", x.low, b.i32(distance)), carried),
        b.binary(opcode, x.high, b.i32(distance)),
    )


def _beyond(b: WordBuilder, opcode: str, word: Value) -> Value:
    """Return what a right shift fills with, given a word that has the sign."""
    return b.i32(0) if opcode == "lshr" else b.binary("ashr", word, b.i32(31))


def _left_by_variable(b: WordBuilder, x: Pair, near: Value, is_far: Value) -> Pair:
    low = b.binary("shl", x.low, near)
    # In two steps, because the distance back is 32 if `near` is 0.
    back = b.binary("xor", near, b.i32(31))
    carried = b.binary("lshr", b.binary("lshr", x.low, b.i32(1)), back)
    high = b.binary("or", b.binary("shl", x.high, near), carried)
    return Pair(b.select(is_far, b.i32(0), low), b.select(is_far, low, high))


def _right_by_variable(b: WordBuilder, opcode: str, x: Pair, near: Value, is_far: Value) -> Pair:
    high = b.binary(opcode, x.high, near)
    back = b.binary("xor", near, b.i32(31))
    carried = b.binary("shl", b.binary("shl", x.high, b.i32(1)), back)
    low = b.binary("or", b.binary("lshr", x.low, near), carried)
    return Pair(b.select(is_far, high, low), b.select(is_far, _beyond(b, opcode, x.high), high))


_CONSTANT: dict[str, Callable[[WordBuilder, Pair, int], Pair]] = {
    "shl": _left_by_constant,
    "lshr": lambda b, x, distance: _right_by_constant(b, "lshr", x, distance),
    "ashr": lambda b, x, distance: _right_by_constant(b, "ashr", x, distance),
}
_VARIABLE: dict[str, Callable[[WordBuilder, Pair, Value, Value], Pair]] = {
    "shl": _left_by_variable,
    "lshr": lambda b, x, near, is_far: _right_by_variable(b, "lshr", x, near, is_far),
    "ashr": lambda b, x, near, is_far: _right_by_variable(b, "ashr", x, near, is_far),
}
