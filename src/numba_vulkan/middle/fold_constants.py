"""Replace what is read from a constant array at a known place by its value."""

from __future__ import annotations

from .. import abi
from ..kernel import ConstantArray
from ..llvmir.model import Constant, Function, Value, constant
from ..llvmir.types import F32, F64, I32, I64, FloatType, IntType
from .passes import Context
from .rewriting import replace_uses

__all__ = ["run"]

# Smaller elements are extended behind the load, by instructions that a constant does not have behind it.
_TYPES: dict[str, IntType | FloatType] = {"i32": I32, "i64": I64, "f32": F32, "f64": F64}
_LOADS = {abi.load_name(element, index): element for element in _TYPES for index in abi.INDEX_TYPES}


def run(function: Function, context: Context) -> None:
    """Leave no load of a number whose array is constant and whose index is known."""
    constants = {array.binding: array for array in context.interface.constants}
    if not constants:
        return
    replacements: dict[Value, Value] = {}
    for block in function.blocks:
        for load in block.instructions:
            element = _LOADS.get(load.callee) if load.opcode == "call" else None
            if element is None or not all(isinstance(operand, Constant) for operand in load.operands):
                continue
            binding, index = (operand.value for operand in load.operands if isinstance(operand, Constant))
            value = _value(constants.get(binding), element, index)
            if value is not None:
                replacements[load] = value
        block.instructions = [i for i in block.instructions if i not in replacements]
    replace_uses(function, replacements)


def _value(array: ConstantArray | None, element: str, index: int) -> Value | None:
    """Return an element; None if it lies beyond the array, or the array holds something else."""
    size = abi.ELEMENT_BYTES[element]
    if array is None or array.element != element or size * (index + 1) > len(array.content):
        return None
    content = array.content[size * index : size * (index + 1)]
    return constant(_TYPES[element], int.from_bytes(content, "little"))
