"""What the condition of a branch says about 64-bit integers on either side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...llvmir.model import Block, Constant, Instruction, Value
from ...llvmir.types import I1, I64
from .intervals import Range, intersection

__all__ = ["Fact", "facts_of_edge", "refine"]


class Fact(NamedTuple):
    """What ``value predicate other`` says about ``value``."""

    value: Value
    predicate: str
    other: Value


_INVERSES = (("eq", "ne"), ("ult", "uge"), ("ugt", "ule"), ("slt", "sge"), ("sgt", "sle"))
_INVERSE = dict((*_INVERSES, *((inverse, predicate) for predicate, inverse in _INVERSES)))
_SWAPS = (("eq", "eq"), ("ne", "ne"), ("ult", "ugt"), ("ule", "uge"), ("slt", "sgt"), ("sle", "sge"))
_SWAPPED = dict((*_SWAPS, *((swapped, predicate) for predicate, swapped in _SWAPS)))
# Conditions of conditions that are followed.
_DEPTH = 4


def facts_of_edge(terminator: Instruction, target: Block) -> Iterator[Fact]:
    """Return what holds after a branch to ``target``."""
    if (
        terminator.opcode == "br"
        and terminator.operands
        and terminator.targets[0] is not terminator.targets[1]
    ):
        yield from _facts(terminator.operands[0], terminator.targets[0] is target, _DEPTH)


def _facts(condition: Value, holds: bool, depth: int) -> Iterator[Fact]:
    if not isinstance(condition, Instruction) or not depth:
        return
    if condition.opcode == "icmp":
        left, right = condition.operands
        if left.type is I64:
            predicate = condition.predicate if holds else _INVERSE[condition.predicate]
            if isinstance(left, Instruction):
                yield Fact(left, predicate, right)
            if isinstance(right, Instruction):
                yield Fact(right, _SWAPPED[predicate], left)
        return
    for part in _parts(condition, holds):
        yield from _facts(part, holds, depth - 1)


def _parts(condition: Instruction, holds: bool) -> list[Value]:
    """Return the conditions that hold as the whole does: the parts of a true conjunction or a false disjunction."""
    if condition.type is I1 and condition.opcode == ("and" if holds else "or"):
        return condition.operands
    if condition.opcode == "select":
        first, if_true, if_false = condition.operands
        decided = if_false if holds else if_true
        if isinstance(decided, Constant) and decided.value == (0 if holds else 1):
            return [first, if_true if holds else if_false]
    return []


def refine(known: Range, predicate: str, other: Range) -> Range | None:
    """Return the values of an interval that can compare like this with a value of another; None if there are none."""
    if predicate == "ne":
        return _without(known, other)
    if predicate in _UNSIGNED:
        if other.low < 0:
            return known
        # Below a number that is not negative, unsigned, lies no negative one. Above it may.
        if predicate in ("ult", "ule"):
            positive = intersection(known, Range(0, 2**63 - 1))
            return None if positive is None else refine(positive, _UNSIGNED[predicate], other)
        return refine(known, _UNSIGNED[predicate], other) if known.low >= 0 else known
    low, high = _BOUNDS[predicate](other)
    low, high = max(known.low, low), min(known.high, high)
    return Range(low, high) if low <= high else None


_UNSIGNED = {"ult": "slt", "ule": "sle", "ugt": "sgt", "uge": "sge"}
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
_BOUNDS: dict[str, Callable[[Range], tuple[int, int]]] = {
    "eq": lambda r: (r.low, r.high),
    "slt": lambda r: (_LOWEST, r.high - 1),
    "sle": lambda r: (_LOWEST, r.high),
    "sgt": lambda r: (r.low + 1, _HIGHEST),
    "sge": lambda r: (r.low, _HIGHEST),
}


def _without(known: Range, other: Range) -> Range | None:
    """Take a single number off an end of an interval."""
    if other.low != other.high:
        return known
    low = known.low + (known.low == other.low)
    high = known.high - (known.high == other.low)
    return Range(low, high) if low <= high else None
