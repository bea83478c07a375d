"""Keep in memory what leaves loops, on drivers that make values of variables and then overwrite these.

llvmpipe of Mesa 22.3 computes the values of a loop for all invocations of a subgroup, also for those that have left the
loop while others go on. Only stores to memory heed who takes part. So a variable that is stored in a loop and read
outside of it becomes an array of two elements, of which one is used that the driver cannot know: such an array stays in
memory. A store under a condition that the driver cannot know is not enough; it still made values of some variables.
Held by tests/device/test_structurize_device.py on that driver: without the pass, 1 of 70 random graphs is wrong.
"""

from __future__ import annotations

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Function, Instruction, LoopMerge, Value
from ..llvmir.types import I32, PTR, ArrayType, Type, array_type
from .passes import Context

__all__ = ["run"]


def run(function: Function, context: Context | None = None) -> None:
    """Make arrays of the variables that leave loops.

    Parameters
    ----------
    function : Function
        A structured function; its control flow stays.
    context : Context, optional
        Not used.
    """
    variables = _leaving(function)
    if not variables:
        return
    start: list[Instruction] = []
    build = Builder(start)
    place = build.binary("and", build.call(abi.GLOBAL_ID, I32, build.i32(0)), build.i32(1))
    elements: dict[Value, Type] = {variable: variable.element for variable in variables}
    for variable in variables:
        variable.detail = array_type(variable.element, 2)
    for block in function.blocks:
        block.instructions = _addressed(block.instructions, elements, place)
    entry = function.entry
    declarations = [i for i in entry.instructions if i.opcode == "alloca"]
    entry.instructions = [*declarations, *start, *(i for i in entry.instructions if i.opcode != "alloca")]


def _innermost_loops(function: Function) -> list[range]:
    """Return for each block the places of the innermost loop around it, jumps out of the loop included.

    The blocks of a loop stand together, its continue block last.
    """
    index = {block: place for place, block in enumerate(function.blocks)}
    around = [range(len(function.blocks))]
    loops: list[range] = []
    for place, block in enumerate(function.blocks):
        while place not in around[-1]:
            around.pop()
        if isinstance(block.merge, LoopMerge):
            around.append(range(place, index[block.merge.continue_] + 1))
        loops.append(around[-1])
    return loops


def _leaving(function: Function) -> list[Instruction]:
    """Return the scalar variables with a store in a loop and a load outside of that loop."""
    everywhere = range(len(function.blocks))
    # The places that lie in all loops with a store to a variable.
    inside: dict[Value, range] = {}
    for block, loop in zip(function.blocks, _innermost_loops(function), strict=True):
        for instruction in block.instructions:
            if instruction.opcode == "store":
                known = inside.get(instruction.operands[1], everywhere)
                shared = range(max(known.start, loop.start), min(known.stop, loop.stop))
                inside[instruction.operands[1]] = shared
    leaving: dict[Instruction, None] = {}
    for place, block in enumerate(function.blocks):
        for instruction in block.instructions:
            variable = instruction.operands[0] if instruction.opcode == "load" else None
            if not isinstance(variable, Instruction) or variable.opcode != "alloca":
                continue
            if isinstance(variable.element, ArrayType):
                continue
            if place not in inside.get(variable, everywhere):
                leaving[variable] = None
    return list(leaving)


def _addressed(
    instructions: list[Instruction], elements: dict[Value, Type], place: Value
) -> list[Instruction]:
    """Return the instructions of a block with loads and stores of ``elements`` at ``place`` of their arrays."""
    result: list[Instruction] = []
    for instruction in instructions:
        if (
            instruction.opcode == "call"
            and instruction.callee == abi.KEEP_VARIABLE
            and instruction.operands[0] in elements
        ):
            continue
        if instruction.opcode in ("load", "store") and instruction.operands[-1] in elements:
            pointer = instruction.operands[-1]
            step = Instruction("getelementptr", PTR, [pointer, place], detail=elements[pointer])
            instruction.operands[-1] = Builder(result, instruction.location).emit(step)
        result.append(instruction)
    return result
