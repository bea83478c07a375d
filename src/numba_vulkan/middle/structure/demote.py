"""Keep in Function variables what crosses a join or leaves a loop; everything else stays a value.

Drivers turn the variables into values again. A variable of a phi is stored by each predecessor, whatever branch it
takes then: nothing reads the variable before the next edge into the phi's block, which stores again. The block loads
all its variables first, so the stores see values only and may come in any order.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...abi import KEEP_VARIABLE
from ...errors import SpirvCodegenError
from ...graphs.loops import NO_LOOP
from ...llvmir.build import Builder
from ...llvmir.model import Block, Function, Instruction, Undef, Value
from ...llvmir.types import PTR, VOID, ArrayType
from .flow import Flow

__all__ = ["demote_loop_values", "demote_phis"]


def demote_phis(function: Function) -> None:
    """Turn each phi into a load of a variable that the predecessors store."""
    variables: list[Instruction] = []
    stores: dict[Block, list[Instruction]] = {}
    for block in function.blocks:
        for phi in list(block.phis()):
            variable = _variable(phi, function)
            variables.append(variable)
            for source, value in dict(zip(phi.targets, phi.operands, strict=True)).items():
                if not isinstance(value, Undef):
                    Builder(stores.setdefault(source, []), source.terminator.location).store(value, variable)
            phi.opcode = "load"
            phi.operands = [variable]
            phi.targets = []
    for block, new in stores.items():
        block.instructions[-1:-1] = new
    function.entry.instructions[:0] = variables


def _variable(value: Instruction, function: Function) -> Instruction:
    """Make the variable that holds ``value``; it goes to the start of the entry block."""
    if value.type is PTR:
        where = f" ({value.location})" if value.location else ""
        raise SpirvCodegenError(
            f"{function.name}: a pointer, %{value.name or value.opcode}, is chosen by control flow{where}; shaders "
            f"cannot keep pointers in variables; please report it"
        )
    name = f"{value.name}.var" if value.name else ""
    return Builder([], value.location).alloca(value.type, name)


def demote_loop_values(function: Function, flow: Flow) -> None:
    """Pass each value that is defined in a loop and used outside of it through a variable.

    It is stored right after its definition, before any exit of the loop: SwiftShader overwrites values of lanes that
    have left a loop while others go on in it, variables not, as long as they stay variables (`KEEP_VARIABLE`).
    """
    crossing = _Crossing(function, flow)
    if not crossing.homes:
        return
    for node, block in enumerate(flow.blocks):
        crossing.rewrite(node, block)
    for block, loop in zip(flow.blocks, flow.loops.innermost, strict=True):
        if loop not in crossing.left:
            continue
        result: list[Instruction] = []
        for instruction in block.instructions:
            result.append(instruction)
            if instruction in crossing.variables:
                Builder(result, instruction.location).store(instruction, crossing.variables[instruction])
        block.instructions = result
    kept = dict.fromkeys((*_phis_that_leave_loops(function, flow), *crossing.variables.values()))
    keeps = [Instruction("call", VOID, [variable], detail=KEEP_VARIABLE) for variable in kept]
    # All variables first, then what keeps them, before anything is stored: it clears them.
    entry = [*crossing.variables.values(), *function.entry.instructions]
    declarations = [i for i in entry if i.opcode == "alloca"]
    function.entry.instructions = [*declarations, *keeps, *(i for i in entry if i.opcode != "alloca")]


def _phis_that_leave_loops(function: Function, flow: Flow) -> Iterator[Instruction]:
    """Yield the variables of phis that are stored in a loop and read outside of it."""
    phis = {
        i
        for i in function.entry.instructions
        if i.opcode == "alloca" and not isinstance(i.element, ArrayType)
    }
    nest, innermost = flow.loops.nest, flow.loops.innermost
    # The innermost of the loops that store a variable; of loops beside each other, no place lies in both.
    stored: dict[Value, int] = {}
    apart: set[Value] = set()
    for block, loop in zip(flow.blocks, innermost, strict=True):
        if loop != NO_LOOP:
            for instruction in block.instructions:
                if instruction.opcode == "store" and instruction.operands[1] in phis:
                    variable = instruction.operands[1]
                    known = stored.get(variable, loop)
                    outer, inner = (known, loop) if nest.depth[known] < nest.depth[loop] else (loop, known)
                    stored[variable] = inner
                    if not nest.is_ancestor(outer, inner):
                        apart.add(variable)
    for block, loop in zip(flow.blocks, innermost, strict=True):
        for instruction in block.instructions:
            if instruction.opcode == "load" and instruction.operands[0] in stored:
                variable = instruction.operands[0]
                if variable in apart or not nest.is_ancestor(stored[variable], loop):
                    assert isinstance(variable, Instruction)
                    yield variable


class _Crossing:
    """The values that leave loops, and their variables.

    Attributes
    ----------
    homes : dict
        The innermost loop of each value that is defined in one.
    variables : dict
        The variable of each value that leaves its loop.
    left : set of int
        The loops of these values.
    """

    def __init__(self, function: Function, flow: Flow) -> None:
        self.function = function
        self.flow = flow
        self.homes: dict[Value, int] = {}
        for block, loop in zip(flow.blocks, flow.loops.innermost, strict=True):
            if loop != NO_LOOP:
                self.homes.update(dict.fromkeys(block.instructions, loop))
        self.variables: dict[Instruction, Instruction] = {}
        self.left: set[int] = set()

    def rewrite(self, node: int, block: Block) -> None:
        """Make the instructions of one block read variables where operands come out of loops."""
        here = self.flow.loops.innermost[node]
        homes = self.homes
        known: dict[Value, Value] = {}
        result: list[Instruction] = []
        for instruction in block.instructions:
            for position, operand in enumerate(instruction.operands):
                # The first test is the quick one.
                if homes.get(operand, here) != here and self.leaves_loop(operand, node):
                    if operand not in known:
                        known[operand] = self.read(operand, node, Builder(result, instruction.location))
                    instruction.operands[position] = known[operand]
            result.append(instruction)
        block.instructions = result

    def leaves_loop(self, value: Value, node: int) -> bool:
        """Whether ``value`` is defined in a loop that ``node`` is not in."""
        home = self.homes.get(value, NO_LOOP)
        return home != NO_LOOP and not self.flow.loops.contains(home, node)

    def read(self, value: Value, node: int, build: Builder) -> Value:
        """Emit what makes ``value`` available in ``node``: a load, or an address computed again."""
        assert isinstance(value, Instruction)
        if value.opcode == "getelementptr":
            operands = [self.read(o, node, build) if self.leaves_loop(o, node) else o for o in value.operands]
            again = Instruction(value.opcode, PTR, operands, detail=value.detail, flags=value.flags)
            return build.emit(again)
        if value not in self.variables:
            self.variables[value] = _variable(value, self.function)
            self.left.add(self.homes[value])
        return build.load(self.variables[value], value.type)
