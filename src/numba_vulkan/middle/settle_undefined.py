"""Decide what LLVM left open: undef and poison are zero, and freeze has nothing left to do."""

from __future__ import annotations

from ..llvmir.model import Constant, Function, Undef, Value, constant
from ..llvmir.types import FloatType, IntType
from .passes import Context
from .rewriting import replace_uses

__all__ = ["run", "zero"]


def run(function: Function, context: Context) -> None:
    """Replace undef and poison by zero and remove freeze."""
    frozen: dict[Value, Value] = {}
    for block in function.blocks:
        has_freeze = False
        for instruction in block.instructions:
            operands = instruction.operands
            if Undef in map(type, operands):
                operands[:] = map(_settled, operands)
            if instruction.opcode == "freeze":
                has_freeze = True
                frozen[instruction] = operands[0]
        if has_freeze:
            block.instructions = [i for i in block.instructions if i.opcode != "freeze"]
    replace_uses(function, frozen)


def _settled(operand: Value) -> Value:
    if isinstance(operand, Undef) and isinstance(operand.type, IntType | FloatType):
        return zero(operand.type)
    return operand


def zero(type: IntType | FloatType) -> Constant:
    """Return the zero of a type."""
    return constant(type, 0)
