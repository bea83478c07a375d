"""Which 64-bit integers are the bits of floats, or are computed together with some: they cannot be made smaller."""

from __future__ import annotations

from collections.abc import Iterator

from ... import abi
from ...llvmir.model import Constant, Function, Instruction, Undef, Value
from ...llvmir.types import I64
from ..intrinsics import intrinsic_stem

__all__ = ["root_of", "wide_values"]

_SMALL_CALLS = frozenset({abi.parameter_name("i64"), abi.LOST_SIGN, *abi.STATUS_PUT_NUMBER})
_SMALL_INTRINSICS = frozenset(f"llvm.{name}" for name in ("abs", "smin", "smax", "umin", "umax"))
_ACCESSES = (abi.LOADS, abi.STORES)
_MEMORY = frozenset(("load", "store", "getelementptr"))


def wide_values(function: Function) -> set[Value]:
    """Return the 64-bit integers that must stay as they are, and the variables and tables that hold such.

    Integers belong together if one is computed from the other, if they are compared, or if one variable holds both.
    """
    groups = _Groups()
    bits: list[Value] = []
    for instruction in function.instructions():
        together = list(_together(instruction))
        for value in together[1:]:
            groups.join(together[0], value)
        if together and _needs_all_bits(instruction):
            bits.append(together[0])
    found = {groups.leader(value) for value in bits}
    return {value for value in groups.members if groups.leader(value) in found}


def _needs_all_bits(instruction: Instruction) -> bool:
    opcode = instruction.opcode
    if opcode == "bitcast":
        return True
    if opcode != "call":
        return False
    name = instruction.callee
    return not (
        name.startswith(_ACCESSES) or name in _SMALL_CALLS or intrinsic_stem(name) in _SMALL_INTRINSICS
    )


def _together(instruction: Instruction) -> Iterator[Value]:
    """Return the 64-bit integers, variables and tables that an instruction ties together."""
    opcode = instruction.opcode
    if opcode in _MEMORY:
        yield root_of(instruction.operands[-1 if opcode == "store" else 0])
        if opcode == "getelementptr":
            return
    if instruction.type is I64:
        yield instruction
    operands = instruction.operands
    if opcode == "call" and instruction.callee.startswith(_ACCESSES):
        operands = operands[2:]  # an index has nothing to do with the element
    for operand in operands:
        if operand.type is I64 and not isinstance(operand, Constant | Undef):
            yield operand


def root_of(pointer: Value) -> Value:
    """Return the variable or the table that an address points into."""
    while isinstance(pointer, Instruction) and pointer.opcode == "getelementptr":
        pointer = pointer.operands[0]
    return pointer


class _Groups:
    """Disjoint sets of values."""

    def __init__(self) -> None:
        self.members: dict[Value, Value] = {}

    def leader(self, value: Value) -> Value:
        """Return the value that stands for the set."""
        parent = self.members.setdefault(value, value)
        while parent is not value:
            grandparent = self.members[parent]
            self.members[value] = grandparent
            value, parent = parent, grandparent
        return value

    def join(self, left: Value, right: Value) -> None:
        """Make one set of two."""
        self.members[self.leader(right)] = self.leader(left)
