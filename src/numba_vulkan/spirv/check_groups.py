"""Operands of barriers and of subgroup operations, and what atomic operations order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ._tables import MemorySemantics, Op, Scope
from .check_types import Number, TypeTable, Vector
from .decode import Instruction, Violation

__all__ = ["RULES", "Rule", "check_orders"]

_ORDERS = MemorySemantics.Acquire | MemorySemantics.Release | MemorySemantics.AcquireRelease
_SCOPES = frozenset({Scope.Device, Scope.Workgroup, Scope.Subgroup, Scope.Invocation})
# What only writes can release, and only reads can acquire; the last order of a comparison is that of one that fails.
_REFUSED_ORDERS: dict[int, int] = {
    Op.AtomicLoad: MemorySemantics.Release | MemorySemantics.AcquireRelease,
    Op.AtomicStore: MemorySemantics.Acquire | MemorySemantics.AcquireRelease,
    Op.AtomicCompareExchange: MemorySemantics.Release | MemorySemantics.AcquireRelease,
}
_WORD, _BOOL = Number("int", 32), Number("bool", 1)
Rule = Callable[[TypeTable, Instruction], None]


def _fail(instruction: Instruction, problem: str) -> Violation:
    return Violation("operand types", f"{instruction} {problem}")


def _synchronise(table: TypeTable, instruction: Instruction) -> None:
    """Check a barrier or a fence: scopes, then the memory that it orders."""
    *scopes, order_id = (table.constants.get(i) for i in instruction.ids)
    if any(scope not in _SCOPES for scope in scopes) or order_id is None or not order_id & _ORDERS:
        raise _fail(instruction, "has no constant scopes and memory order")


def check_orders(table: TypeTable, instruction: Instruction, scope_id: int, order_ids: Sequence[int]) -> None:
    """Check the scope of an atomic operation and the memory that it orders."""
    orders = [table.constants.get(i) for i in order_ids]
    if table.constants.get(scope_id) not in _SCOPES or None in orders:
        raise _fail(instruction, "has no constant scope and memory order")
    if (orders[-1] or 0) & _REFUSED_ORDERS.get(instruction.opcode, 0):
        raise _fail(instruction, "orders what only the other kind of access can")


def _check_scope(table: TypeTable, scope_id: int, instruction: Instruction) -> None:
    if table.constants.get(scope_id) != Scope.Subgroup:
        raise _fail(instruction, "has no subgroup as its scope")


def _group(*kinds: str) -> Rule:
    """Return the rule of a subgroup operation: the scope, then a value of the result's type.

    What follows the value, a lane or a distance, is a word.
    """

    def rule(table: TypeTable, instruction: Instruction) -> None:
        scope_id, *rest = instruction.ids
        type_id = instruction.type_id
        _check_scope(table, scope_id, instruction)
        if not any(type_id in getattr(table, kind) for kind in kinds):
            raise _fail(instruction, f"does not work on %{type_id}")
        if rest and table.value_types.get(rest[0]) != type_id:
            raise _fail(instruction, "takes a value of another type than its result")
        for word_id in rest[1:]:
            if table.types.get(table.value_types.get(word_id, 0)) != _WORD:
                raise _fail(instruction, f"takes %{word_id}, which is no word")

    return rule


def _ballot(table: TypeTable, instruction: Instruction) -> None:
    """Check a ballot, which makes words of a bool, or the count of one, which makes a word of words."""
    scope_id, value_id = instruction.ids
    _check_scope(table, scope_id, instruction)
    given = table.types.get(table.value_types.get(value_id, 0))
    made = table.types.get(instruction.type_id)
    is_count = instruction.opcode == Op.GroupNonUniformBallotBitCount
    words, single, expected = (given, made, _WORD) if is_count else (made, given, _BOOL)
    if not isinstance(words, Vector) or words.count != 4 or single != expected:
        raise _fail(instruction, "is no ballot of a subgroup")


RULES: dict[int, Rule] = {
    **dict.fromkeys((Op.ControlBarrier, Op.MemoryBarrier), _synchronise),
    **dict.fromkeys((Op.GroupNonUniformElect, Op.GroupNonUniformAll, Op.GroupNonUniformAny), _group("bools")),
    **dict.fromkeys((Op.GroupNonUniformBallot, Op.GroupNonUniformBallotBitCount), _ballot),
    **dict.fromkeys(
        (
            *(Op.GroupNonUniformBroadcast, Op.GroupNonUniformBroadcastFirst, Op.GroupNonUniformShuffle),
            *(Op.GroupNonUniformShuffleXor, Op.GroupNonUniformShuffleUp, Op.GroupNonUniformShuffleDown),
        ),
        _group("ints", "floats"),
    ),
    **dict.fromkeys(
        (
            *(Op.GroupNonUniformIAdd, Op.GroupNonUniformIMul, Op.GroupNonUniformSMin, Op.GroupNonUniformUMin),
            *(Op.GroupNonUniformSMax, Op.GroupNonUniformUMax, Op.GroupNonUniformBitwiseAnd),
            *(Op.GroupNonUniformBitwiseOr, Op.GroupNonUniformBitwiseXor),
        ),
        _group("ints"),
    ),
    **dict.fromkeys(
        (Op.GroupNonUniformFAdd, Op.GroupNonUniformFMul, Op.GroupNonUniformFMin, Op.GroupNonUniformFMax),
        _group("floats"),
    ),
}
