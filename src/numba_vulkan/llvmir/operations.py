"""Names of operations by which formulas are computed."""

from __future__ import annotations

from .model import Instruction

__all__ = ["operation_of"]


def operation_of(instruction: Instruction) -> str:
    """Return the name that `formulas.FORMULA_OPERATIONS` has for an instruction, if it has it."""
    if instruction.opcode == "icmp":
        return f"icmp {instruction.predicate}"
    if instruction.opcode == "call":
        return instruction.callee.split(".")[1]  # llvm.umin.i64, nv.mulhi.u32
    return instruction.opcode
