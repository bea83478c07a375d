"""Loops around compare-and-swap, which change an element atomically in a way that the device has no instruction for."""

from __future__ import annotations

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Block, Function, Instruction, Value
from ..llvmir.types import F32, F64, I32, I64, Type
from .blocks import split_block

__all__ = ["ELEMENTS_CHANGED", "Retrying"]

ELEMENTS_CHANGED: dict[str, Type] = {"i32": I32, "i64": I64, "f32": F32, "f64": F64}


class Retrying:
    """A loop in place of a call: attempts to change an element until nobody else has changed it in between.

    Attributes
    ----------
    b : Builder
        Writes an attempt.
    old : Instruction
        The element, or the word, as it was last seen.
    after : Block
        What follows the loop.
    """

    def __init__(
        self,
        function: Function,
        block: Block,
        position: int,
        place: list[Value],
        element: str,
        first: str = abi.ATOMIC_PEEK,
    ) -> None:
        self._function, self._place, self._element = function, place, element
        location = block.instructions[position].location
        self.after = split_block(function, block, position + 1)
        del block.instructions[position:]  # the call, and the branch that the split has left
        b = Builder(block.instructions, location)
        seen = b.call(abi.atomic_name(first, element), ELEMENTS_CHANGED[element], *place)
        self._again = self._attempt = self._inserted(f"{block.name}.again")
        b.branch(self._again)
        self.b = Builder(self._again.instructions, location)
        self.old = self.b.emit(Instruction("phi", seen.type, [seen], targets=[block]))

    def _inserted(self, name: str) -> Block:
        """Put a new block in front of what follows the loop."""
        block = Block(name)
        self._function.blocks.insert(self._function.blocks.index(self.after), block)
        return block

    def stop_unless(self, condition: Value) -> None:
        """Leave the loop, and the element as it is, unless a condition holds."""
        self._attempt = self._inserted(f"{self._again.name}.try")
        self.b.branch_if(condition, self._attempt, self.after)
        self.b = Builder(self._attempt.instructions, self.b.location)

    def finish(self, new: Value, swap: str) -> None:
        """Write the attempt to replace the old value by a new one."""
        name = abi.atomic_name(swap, self._element)
        seen = self.b.call(name, self.old.type, *self._place, self.old, new)
        self.old.operands.append(seen)
        self.old.targets.append(self._attempt)
        self.b.branch_if(self.b.icmp("eq", seen, self.old), self.after, self._again)
