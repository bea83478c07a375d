"""Let a load from one of two variables or tables be two loads, and a choice between the values.

LLVM joins loads in two branches to one from an address that it chooses; shaders do not have such addresses.
"""

from __future__ import annotations

from ..llvmir.build import Builder
from ..llvmir.model import Function, Instruction, Value
from ..llvmir.types import PTR, Type
from .eliminate_dead import run as eliminate_dead
from .layout import size_bytes
from .memory import Memory
from .passes import Context
from .rewriting import Rule, rewrite

__all__ = ["run"]


def run(function: Function, context: Context) -> None:
    """Leave no load whose address is chosen from places in variables of one size."""
    if any(i.opcode == "select" and i.type is PTR for i in function.instructions()):
        sizes = {root: size_bytes(type) for root, type in Memory(function, context).roots.items()}

        def rule_of(instruction: Instruction) -> Rule | None:
            is_chosen = instruction.opcode == "load" and len(_sizes_of(instruction.operands[0], sizes)) == 1
            return _load if is_chosen and _choice_in(instruction.operands[0]) else None

        rewrite(function, rule_of, context)
        eliminate_dead(function, context)


def _base_of(pointer: Value) -> Value:
    """Return what an address is computed from."""
    while isinstance(pointer, Instruction) and pointer.opcode == "getelementptr":
        pointer = pointer.operands[0]
    return pointer


def _choice_in(pointer: Value) -> Instruction | None:
    base = _base_of(pointer)
    return base if isinstance(base, Instruction) and base.opcode == "select" else None


def _sizes_of(pointer: Value, sizes: dict[Value, int]) -> set[int]:
    """Return the sizes of the variables that an address may lie in; 0 stands for one that is not known."""
    choice = _choice_in(pointer)
    if choice is None:
        return {sizes.get(_base_of(pointer), 0)}
    return {size for operand in choice.operands[1:] for size in _sizes_of(operand, sizes)} or {0}


def _load(b: Builder, load: Instruction, _context: Context) -> Value:
    return _loaded(b, load.operands[0], load.type)


def _loaded(b: Builder, pointer: Value, type: Type) -> Value:
    """Return what lies at an address that is chosen."""
    choice = _choice_in(pointer)
    if choice is None:
        return b.load(pointer, type)
    condition, *places = choice.operands
    values = [_loaded(b, _moved(b, pointer, choice, place), type) for place in places]
    return b.select(condition, *values)


def _moved(b: Builder, pointer: Value, choice: Value, place: Value) -> Value:
    """Return the address that is computed from a place as another one is from a choice."""
    if pointer is choice:
        return place
    assert isinstance(pointer, Instruction)
    base = _moved(b, pointer.operands[0], choice, place)
    return b.emit(Instruction("getelementptr", PTR, [base, *pointer.operands[1:]], detail=pointer.detail))
