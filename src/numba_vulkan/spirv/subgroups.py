"""Subgroup operations: one instruction for each."""

from __future__ import annotations

from collections.abc import Callable

from .. import abi
from ..llvmir.model import Constant, Instruction
from ..llvmir.types import I1, I32
from ..storage import ELEMENT_TYPES
from ._tables import Capability, GroupOperation, Op, Scope
from .context import Context

__all__ = ["CALLS", "Subgroups"]

_EXTENTS = {
    "reduce": GroupOperation.Reduce,
    "inclusive": GroupOperation.InclusiveScan,
    "exclusive": GroupOperation.ExclusiveScan,
}
_OPERATIONS: dict[str, int] = {
    "iadd": Op.GroupNonUniformIAdd,
    "fadd": Op.GroupNonUniformFAdd,
    "imul": Op.GroupNonUniformIMul,
    "fmul": Op.GroupNonUniformFMul,
    "smin": Op.GroupNonUniformSMin,
    "umin": Op.GroupNonUniformUMin,
    "fmin": Op.GroupNonUniformFMin,
    "smax": Op.GroupNonUniformSMax,
    "umax": Op.GroupNonUniformUMax,
    "fmax": Op.GroupNonUniformFMax,
    "and": Op.GroupNonUniformBitwiseAnd,
    "or": Op.GroupNonUniformBitwiseOr,
    "xor": Op.GroupNonUniformBitwiseXor,
}
_MOVES: dict[str, tuple[int, int]] = {
    "shuffle": (Op.GroupNonUniformShuffle, Capability.GroupNonUniformShuffle),
    "xor": (Op.GroupNonUniformShuffleXor, Capability.GroupNonUniformShuffle),
    "up": (Op.GroupNonUniformShuffleUp, Capability.GroupNonUniformShuffleRelative),
    "down": (Op.GroupNonUniformShuffleDown, Capability.GroupNonUniformShuffleRelative),
    "first": (Op.GroupNonUniformBroadcastFirst, Capability.GroupNonUniformBallot),
}
_VOTES: dict[str, tuple[int, int]] = {
    "elect": (Op.GroupNonUniformElect, Capability.GroupNonUniform),
    "any": (Op.GroupNonUniformAny, Capability.GroupNonUniformVote),
    "all": (Op.GroupNonUniformAll, Capability.GroupNonUniformVote),
}


class Subgroups:
    """Writes subgroup operations, those of `CALLS`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def write(self, opcode: int, capability: int, instruction: Instruction, *first: int) -> None:
        """Write an operation that all invocations of a subgroup do."""
        context = self._context
        context.module.capabilities.add(capability)
        operands = [context.operand(operand, instruction) for operand in instruction.operands]
        type_id, scope_id = context.types.of(instruction.type), context.types.word(Scope.Subgroup)
        context.ids[instruction] = context.write(opcode, type_id, scope_id, *first, *operands)

    def broadcast(self, instruction: Instruction) -> None:
        """Broadcast from a lane; one that is known at run time only is read as any lane is."""
        if isinstance(instruction.operands[1], Constant):
            self.write(Op.GroupNonUniformBroadcast, Capability.GroupNonUniformBallot, instruction)
        else:
            self.write(*_MOVES["shuffle"], instruction)

    def combine(self, opcode: int, extent: int, element: str, instruction: Instruction) -> None:
        """Reduce or scan."""
        if instruction.type is not ELEMENT_TYPES[element]:
            raise self._context.fault(instruction, f"combines values of type {instruction.type}")
        self.write(opcode, Capability.GroupNonUniformArithmetic, instruction, extent)

    def _ballot(self, instruction: Instruction) -> int:
        """Write a ballot: four words of a bit for each lane."""
        context = self._context
        context.module.capabilities.add(Capability.GroupNonUniformBallot)
        predicate = instruction.operands[0]
        if predicate.type is not I1:
            raise context.fault(instruction, "does not vote on a bool")
        predicate_id = context.operand(predicate, instruction)
        scope_id = context.types.word(Scope.Subgroup)
        return context.write(Op.GroupNonUniformBallot, context.types.vector(4), scope_id, predicate_id)

    def ballot_word(self, instruction: Instruction) -> None:
        """Write a ballot and take one of its words."""
        word = self._context.constant_operand(instruction, 1, "the word of a ballot")
        ballot_id = self._ballot(instruction)
        type_id = self._context.types.of(I32)
        self._context.ids[instruction] = self._context.write(Op.CompositeExtract, type_id, ballot_id, word)

    def count(self, instruction: Instruction) -> None:
        """Write a ballot and count its bits."""
        context = self._context
        ballot_id = self._ballot(instruction)
        type_id, scope_id = context.types.of(I32), context.types.word(Scope.Subgroup)
        context.ids[instruction] = context.write(
            Op.GroupNonUniformBallotBitCount, type_id, scope_id, GroupOperation.Reduce, ballot_id
        )


_Writer = Callable[[Subgroups, Instruction], None]


def _written(opcode: int, capability: int) -> _Writer:
    return lambda subgroups, instruction: subgroups.write(opcode, capability, instruction)


def _combined(opcode: int, extent: int, element: str) -> _Writer:
    return lambda subgroups, instruction: subgroups.combine(opcode, extent, element, instruction)


_ELEMENTS = ("i32", "i64", "f32", "f64")
CALLS: dict[str, _Writer] = {
    **{abi.subgroup_name(name): _written(*row) for name, row in _VOTES.items()},
    **{abi.subgroup_name(name, e): _written(*row) for name, row in _MOVES.items() for e in _ELEMENTS},
    **{abi.subgroup_name("broadcast", e): Subgroups.broadcast for e in _ELEMENTS},
    **{
        abi.subgroup_name(f"{name}.{operation}", e): _combined(opcode, extent, e)
        for name, extent in _EXTENTS.items()
        for operation, opcode in _OPERATIONS.items()
        for e in _ELEMENTS
    },
    abi.subgroup_name("ballot"): Subgroups.ballot_word,
    abi.subgroup_name("count"): Subgroups.count,
}
