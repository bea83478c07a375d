"""Make one branch of two that follow each other and lead to the same place.

``while n < limit and x * x <= 4`` leaves its loop by two: what is between them runs without need in the last round, if
the first is taken, and in all others a branch is saved. Mandelbrot's loop takes 0.85 of its time so (NVIDIA H200,
driver 580). Conditions like ``0 < i < n - 1 and 0 < j < m - 1`` are two where LLVM computes something for the second.
"""

from __future__ import annotations

from ..graphs.dominators import dominator_tree
from ..graphs.loops import NO_LOOP, loop_nest
from ..llvmir.build import Builder
from ..llvmir.model import Block, Function, Instruction
from ..llvmir.types import FloatType, IntType
from .blocks import merge_incoming, retarget_phis, successors_of
from .passes import Context
from .select_branches import is_free, may_run_anyway

__all__ = ["run"]

# How many instructions, those that only rename bits apart, may run without need if both branches leave a loop, which
# happens once, and otherwise. Choices of what is seen at the place that they lead to count as well.
_MOST_AT_EXITS, _MOST = 16, 8


def run(function: Function, context: Context) -> None:
    """Make one of branches in a row that lead to the same block."""
    tree = dominator_tree(successors_of(function))
    nest = loop_nest(tree)
    position = {block: node for node, block in enumerate(function.blocks)}
    removed: set[Block] = set()
    for node in tree.order:
        block, loop, cost = function.blocks[node], nest.innermost[node], 0
        while block not in removed and (found := _second(block, position, tree.predecessors)) is not None:
            second, end = found
            if nest.innermost[position[second]] != loop:
                break
            leaves = loop != NO_LOOP and not nest.contains(loop, position[end])
            cost += sum(not is_free(i) for i in second.instructions[:-1])
            cost += sum(phi.incoming(block) is not phi.incoming(second) for phi in end.phis())
            if cost > (_MOST_AT_EXITS if leaves else _MOST):
                break
            _join(block, second, end)
            removed.add(second)
    function.blocks = [block for block in function.blocks if block not in removed]


def _second(
    block: Block, position: dict[Block, int], predecessors: list[list[int]]
) -> tuple[Block, Block] | None:
    """Return the block behind a branch that may lead to the same place as the branch itself, and that place."""
    branch = block.terminator
    if not _has_two_ways(branch):
        return None
    for second, end in (branch.targets, reversed(branch.targets)):
        if (
            len(predecessors[position[second]]) == 1
            and second is not block
            and _has_two_ways(second.terminator)
            and end in second.terminator.targets
            and all(map(may_run_anyway, second.instructions[:-1]))
            and all(isinstance(phi.type, IntType | FloatType) for phi in end.phis())
        ):
            return second, end
    return None


def _has_two_ways(branch: Instruction) -> bool:
    return branch.opcode == "br" and len(set(branch.targets)) == 2


def _join(block: Block, second: Block, end: Block) -> None:
    """Put what a second branch depends on in front of the first, and make one branch of both."""
    first, branch = block.instructions.pop(), second.terminator
    block.instructions += second.instructions[:-1]
    b = Builder(block.instructions, branch.location)
    (next_,) = (target for target in branch.targets if target is not end)
    leaves_first = first.targets[0] is end
    for phi in end.phis():
        ways = (block, second) if leaves_first else (second, block)
        merge_incoming(phi, ways, block, b.select(first.operands[0], *map(phi.incoming, ways)))
    condition = first.operands[0]
    leaves_second = branch.targets[0] is end
    if leaves_first != leaves_second:
        condition = b.negate(condition)
    b.branch_if(b.binary("or" if leaves_second else "and", condition, branch.operands[0]), *branch.targets)
    retarget_phis(next_, second, block)
