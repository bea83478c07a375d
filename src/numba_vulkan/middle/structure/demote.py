"""Keep in Function variables what crosses a join or leaves a loop; everything else stays a value.

Drivers turn the variables into values again. A variable of a phi is stored by each predecessor, whatever branch it
takes then: nothing reads the variable before the next edge into the phi's block, which stores again. The block loads
all its variables first, so the stores see values only and may come in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...abi import KEEP_VARIABLE
from ...errors import SpirvCodegenError
from ...graphs.loops import NO_LOOP
from ...llvmir.build import Builder
from ...llvmir.model import Block, Function, Instruction, Undef, Value
from ...llvmir.types import PTR, VOID, ArrayType
from .flow import Flow
from .plan import Plan

__all__ = ["demote_loop_values", "demote_moved_values", "demote_phis"]


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
    loops = flow.loops
    homes: dict[Value, int] = {}
    for block, loop in zip(flow.blocks, loops.innermost, strict=True):
        if loop != NO_LOOP:
            homes.update(dict.fromkeys(block.instructions, loop))
    if not homes:
        return
    crossing = _Crossing(function, homes, lambda loop, node: not loops.contains(loop, node))
    crossing.pass_on(flow.blocks, loops.innermost)
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


def demote_moved_values(function: Function, flow: Flow, plan: Plan) -> None:
    """Pass through variables what is used in regions that do not hang below the block that computes it."""
    first, last = plan.position, plan.last_positions()
    homes: dict[Value, int] = {i: node for node, block in enumerate(flow.blocks) for i in block.instructions}
    crossing = _Crossing(function, homes, lambda home, node: not first[home] <= first[node] <= last[home])
    crossing.pass_on(flow.blocks, range(len(flow.blocks)))
    function.entry.instructions[:0] = crossing.variables.values()


class _Crossing:
    """The values that are used out of their reach, and their variables.

    Attributes
    ----------
    homes : dict
        The place of each value, within which it can be used as it is.
    crosses : callable
        Whether values of one place are out of reach at a node that lies in another one.
    variables : dict
        The variable of each value that is passed through one.
    left : set of int
        The places of these values.
    """

    def __init__(
        self, function: Function, homes: dict[Value, int], crosses: Callable[[int, int], bool]
    ) -> None:
        self.function = function
        self.homes = homes
        self.crosses = crosses
        self.variables: dict[Instruction, Instruction] = {}
        self.left: set[int] = set()

    def pass_on(self, blocks: Sequence[Block], places: Sequence[int]) -> None:
        """Store values that cross right after their definition, and load them where they are used."""
        for node, (block, place) in enumerate(zip(blocks, places, strict=True)):
            self.rewrite(node, block, place)
        for block, place in zip(blocks, places, strict=True):
            if place not in self.left:
                continue
            result: list[Instruction] = []
            for instruction in block.instructions:
                result.append(instruction)
                if instruction in self.variables:
                    Builder(result, instruction.location).store(instruction, self.variables[instruction])
            block.instructions = result

    def rewrite(self, node: int, block: Block, here: int) -> None:
        """Make the instructions of one block read variables where operands are out of reach."""
        homes = self.homes
        known: dict[Value, Value] = {}
        result: list[Instruction] = []
        for instruction in block.instructions:
            for position, operand in enumerate(instruction.operands):
                # The first test is the quick one.
                if homes.get(operand, here) != here and self.is_out_of_reach(operand, node):
                    if operand not in known:
                        known[operand] = self.read(operand, node, Builder(result, instruction.location))
                    instruction.operands[position] = known[operand]
            result.append(instruction)
        block.instructions = result

    def is_out_of_reach(self, value: Value, node: int) -> bool:
        """Whether ``value`` is computed where ``node`` cannot use it."""
        return value in self.homes and self.crosses(self.homes[value], node)

    def read(self, value: Value, node: int, build: Builder) -> Value:
        """Emit what makes ``value`` available in ``node``: a load, or an address computed again."""
        assert isinstance(value, Instruction)
        if value.opcode == "getelementptr":
            operands = [
                self.read(o, node, build) if self.is_out_of_reach(o, node) else o for o in value.operands
            ]
            again = Instruction(value.opcode, PTR, operands, detail=value.detail, flags=value.flags)
            return build.emit(again)
        if value not in self.variables:
            self.variables[value] = _variable(value, self.function)
            self.left.add(self.homes[value])
        return build.load(self.variables[value], value.type)
