"""Variables that passes add to a function, and values that go through them."""

from __future__ import annotations

from collections.abc import Collection

from ..llvmir.build import Builder
from ..llvmir.model import Block, Function, Instruction, Value
from ..llvmir.types import PTR, VOID, Type

__all__ = ["Variables", "keep_last_values"]


class Variables:
    """New variables of a function, declared when all are known."""

    def __init__(self) -> None:
        self._made: list[Instruction] = []

    def new(self, type: Type, name: str) -> Instruction:
        """Make a variable."""
        variable = Builder([]).alloca(type, name)
        self._made.append(variable)
        return variable

    def declare(self, function: Function, initial: Collection[tuple[Value, Instruction]] = ()) -> None:
        """Put the variables to the start of a function, and ``initial`` values into some of them behind all others."""
        stores: list[Instruction] = []
        for value, variable in initial:
            Builder(stores).store(value, variable)
        entry = function.entry.instructions
        start = next(k for k, i in enumerate(entry) if i.opcode != "alloca")
        entry[start:start] = stores
        entry[:0] = self._made


def keep_last_values(
    function: Function, makers: Collection[Block], inside: Collection[Block], variables: Variables
) -> None:
    """Pass what some blocks compute to uses outside through variables.

    Parameters
    ----------
    function : Function
        Changed in place.
    makers : collection of Block
        The blocks whose values are passed.
    inside : collection of Block
        The blocks, and the edges from them, where values are used as they are.
    variables : Variables
        Makes the variables.
    """
    made = {i for block in makers for i in block.instructions if i.type is not PTR}
    kept: dict[Value, Instruction] = {}
    for block in function.blocks:
        for user in [] if block in inside else list(block.instructions):
            for position, operand in enumerate(user.operands):
                holder = user.targets[position] if user.opcode == "phi" else block
                if operand not in made or holder in inside:
                    continue
                if operand not in kept:
                    kept[operand] = variables.new(operand.type, "last")
                load = Instruction("load", operand.type, [kept[operand]], location=user.location)
                at = holder.terminator if user.opcode == "phi" else user
                holder.instructions.insert(holder.instructions.index(at), load)
                user.operands[position] = load
    for block in makers:
        block.instructions = _stored(block.instructions, kept)


def _stored(instructions: list[Instruction], kept: dict[Value, Instruction]) -> list[Instruction]:
    """Return instructions with a store behind each that is kept, and behind all phis for these."""
    result: list[Instruction] = []
    waiting: list[Instruction] = []
    for instruction in instructions:
        if instruction.opcode != "phi":
            result += waiting
            waiting = []
        result.append(instruction)
        if instruction in kept:
            store = Instruction(
                "store", VOID, [instruction, kept[instruction]], location=instruction.location
            )
            waiting.append(store)
    return result
