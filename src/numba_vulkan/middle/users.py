"""Who uses the values of a function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..llvmir.model import Instruction, Value

__all__ = ["Users"]


class Users:
    """The users of each value, once for each operand that it is; who changes instructions says so here."""

    def __init__(self, instructions: Iterable[Instruction]) -> None:
        self._of: dict[Value, list[Instruction]] = {}
        for instruction in instructions:
            self.add(instruction)

    def of(self, value: Value) -> Sequence[Instruction]:
        """Return the users of a value."""
        return self._of.get(value, ())

    def add(self, instruction: Instruction) -> None:
        """Note what a new instruction uses."""
        for operand in instruction.operands:
            self._of.setdefault(operand, []).append(instruction)

    def remove(self, instruction: Instruction) -> None:
        """Forget what an instruction has used that is gone."""
        for operand in instruction.operands:
            self._of[operand].remove(instruction)

    def replace(self, value: Value, by: Value) -> None:
        """Let the users of a value use another one."""
        users = self._of.pop(value, [])
        for user in users:
            user.operands = [by if operand is value else operand for operand in user.operands]
        self._of.setdefault(by, []).extend(users)
