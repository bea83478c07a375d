"""Make one loop of two where LLVM made two of one.

A loop that rounds begin anew in two places, as after a ``continue``, LLVM takes for one in another: those that continue
leave the inner one and enter it again. Where invocations part there, those that have left wait behind the inner loop
for the others, who may wait at a barrier in it. So where the outer loop does nothing but enter the inner one, its
rounds go on with the next round of that.
"""

from __future__ import annotations

from ..graphs.loops import NO_LOOP
from ..llvmir.build import Builder
from ..llvmir.model import Block, Function, Instruction, Value
from ..llvmir.types import VOID
from .blocks import copy_of, keep_incoming
from .uniformity import Uniformity

__all__ = ["come_back", "run"]


def run(function: Function, uniformity: Uniformity) -> bool:
    """Join the first two loops that have to be; return whether there were any."""
    loops, blocks = uniformity.loops, uniformity.blocks
    for loop in range(NO_LOOP + 1, len(loops.headers)):
        around = loops.parent(loop)
        outer, inner = loops.headers[around], loops.headers[loop]
        if around == NO_LOOP or uniformity.successors[outer] != [inner] or outer in uniformity.barriers:
            continue
        if any(come_back(node, loop, uniformity) for node in range(len(blocks))):
            latches = [n for n in uniformity.dominators.predecessors[outer] if loops.contains(around, n)]
            _join(function, blocks[outer], blocks[inner], [blocks[n] for n in latches])
            return True
    return False


def come_back(node: int, loop: int, uniformity: Uniformity) -> bool:
    """Whether invocations part at a block of a loop with barriers, and some leave it to meet the others in it again."""
    loops = uniformity.loops
    return (
        loops.contains(loop, node)
        and uniformity.is_divergent_branch(node)
        and any(loops.contains(loop, barrier) for barrier in uniformity.barriers)
        and any(not loops.contains(loop, s) for s in uniformity.successors[node])
        and loops.contains(loop, uniformity.postdominators[node])
    )


def _join(function: Function, outer: Block, inner: Block, latches: list[Block]) -> None:
    """Let what begins rounds of the outer loop begin rounds of the inner one."""
    made = [i for i in outer.instructions if i.type is not VOID and not i.is_terminator]
    others = [source for phi in inner.phis() for source in phi.targets]
    others += [block for block in function.blocks if inner in block.successors]
    sources = [source for source in dict.fromkeys(others) if source is not outer]
    copies = {latch: _begin_round(outer, inner, latch) for latch in latches}
    for phi in inner.phis():
        given = phi.incoming(outer)
        for block, values in copies.values():
            phi.operands.append(values.get(given, given))
            phi.targets.append(block)
    joined: dict[Value, Instruction] = {}
    for value in made:
        phi = Instruction("phi", value.type, [value], targets=[outer], location=value.location)
        for block, values in copies.values():
            phi.operands.append(values[value])
            phi.targets.append(block)
        phi.operands += [phi] * len(sources)
        phi.targets += sources
        joined[value] = phi
    own = {outer, *(block for block, _ in copies.values())}
    for block in function.blocks:
        for instruction in [] if block in own else block.instructions:
            for position, operand in enumerate(instruction.operands):
                comes_from = instruction.targets[position] if instruction.opcode == "phi" else block
                if operand in joined and comes_from not in own:
                    instruction.operands[position] = joined[operand]
    inner.instructions[:0] = joined.values()
    for phi in outer.phis():
        keep_incoming(phi, lambda source: source not in copies)
    after = function.blocks.index(outer) + 1
    function.blocks[after:after] = [block for block, _ in copies.values()]


def _begin_round(outer: Block, inner: Block, latch: Block) -> tuple[Block, dict[Value, Value]]:
    """Let a latch of the outer loop go to a copy of its header; return that, and the values it computes."""
    copy = Block(f"{outer.name}.next")
    values: dict[Value, Value] = {}
    for instruction in outer.instructions[:-1]:
        if instruction.opcode == "phi":
            values[instruction] = instruction.incoming(latch)
            continue
        copied = copy_of(instruction)
        copied.operands = [values.get(operand, operand) for operand in copied.operands]
        copy.instructions.append(copied)
        values[instruction] = copied
    Builder(copy.instructions, outer.terminator.location).branch(inner)
    latch.terminator.targets = [copy if t is outer else t for t in latch.terminator.targets]
    return copy, values
