"""Give the arrays that an invocation makes for itself their numbers."""

from __future__ import annotations

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Constant, Function, Instruction, Value, constant
from ..llvmir.types import I32, VOID
from .passes import Context
from .rewriting import replace_uses, unsupported

__all__ = ["run"]

_ELEMENTS = {abi.local_name(element): element for element in (*abi.ELEMENTS, abi.WORDS)}
# More than any device gives an invocation; drivers fail late and without a word.
_LARGEST_COUNT = 1 << 16


def run(function: Function, context: Context) -> None:
    """Leave no call that makes a local array; each call is one array."""
    made = [i for i in function.calls() if i.callee in _ELEMENTS]
    if not made:
        return
    _refuse_kept(function, set(made), context)
    replacements: dict[Value, Value] = {}
    variables: list[Instruction] = []
    builder = Builder(variables)
    for number, call in enumerate(made):
        binding = constant(I32, abi.LOCAL_BASE + number)
        builder.location = call.location
        name = abi.local_variable_name(_ELEMENTS[call.callee])
        builder.call(name, VOID, binding, builder.i32(_element_count(call, context)))
        replacements[call] = binding
    for block in function.blocks:
        block.instructions = [i for i in block.instructions if i not in replacements]
    function.entry.instructions[:0] = variables
    replace_uses(function, replacements)


def _element_count(call: Instruction, context: Context) -> int:
    count = call.operands[0]
    if not isinstance(count, Constant):
        raise unsupported(
            "the shape of an array that a kernel makes must be constant: literals, globals, and arguments of device "
            "functions that are given constants; for other shapes, pass an array as an argument",
            call,
            context,
        )
    if not 0 <= count.signed <= _LARGEST_COUNT:
        raise unsupported(
            f"a kernel cannot make an array of {count.signed} elements for each invocation (at most {_LARGEST_COUNT}): "
            f"pass one as an argument",
            call,
            context,
        )
    return max(count.value, 1)


def _refuse_kept(function: Function, made: set[Instruction], context: Context) -> None:
    """Raise for arrays that a loop keeps while it makes others at the same place, which would be the same memory."""
    order = {block: number for number, block in enumerate(function.blocks)}
    for block in function.blocks:
        for phi in block.phis():
            for value, source in zip(phi.operands, phi.targets, strict=True):
                if isinstance(value, Instruction) and value in made and order[source] >= order[block]:
                    raise unsupported(
                        "an array that a loop makes is kept for its next iteration: make the arrays in front of the "
                        "loop and fill them in it",
                        value,
                        context,
                    )
