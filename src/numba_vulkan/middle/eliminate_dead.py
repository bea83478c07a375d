"""Remove instructions whose results nothing needs."""

from __future__ import annotations

from .. import abi
from ..llvmir.model import TERMINATORS, Function, Instruction
from .passes import Context

__all__ = ["has_effect", "run"]

_PURE_CALLS = frozenset(
    row.name
    for table in (abi.PLACEHOLDERS, abi.PAIRS, abi.NARROWED)
    for row in table.values()
    if "memory(none)" in row.attributes or "memory(read)" in row.attributes
)


def has_effect(instruction: Instruction) -> bool:
    """Return whether an instruction does more than compute its result."""
    opcode = instruction.opcode
    if opcode == "call":
        name = instruction.callee
        return name not in _PURE_CALLS and not name.startswith("llvm.")
    return opcode == "store" or opcode in TERMINATORS


def run(function: Function, context: Context) -> None:
    """Keep what has an effect and what that needs."""
    needed = {i for block in function.blocks for i in block.instructions if has_effect(i)}
    pending = list(needed)
    while pending:
        for operand in pending.pop().operands:
            if type(operand) is Instruction and operand not in needed:
                needed.add(operand)
                pending.append(operand)
    for block in function.blocks:
        block.instructions = [i for i in block.instructions if i in needed]
