"""The flow graph of a function: its blocks as numbers, their dominators and their loops."""

from __future__ import annotations

from dataclasses import dataclass

from ...graphs.dominators import DominatorTree, dominator_tree
from ...graphs.loops import LoopNest, loop_nest
from ...graphs.orders import Successors
from ...llvmir.model import Block, Constant, Function

__all__ = ["Flow", "drop_unreachable", "flow_of", "is_exit"]


@dataclass(frozen=True)
class Flow:
    """A function seen as a graph.

    Attributes
    ----------
    blocks : list of Block
        The block of each node.
    index : dict
        The node of each block. Blocks that only leave the function (`is_exit`) are no nodes: who branches to one
        leaves on its own.
    successors : sequence of sequence of int
        The edges, each once.
    dominators : DominatorTree
        The dominator tree.
    loops : LoopNest
        The loops.
    """

    blocks: list[Block]
    index: dict[Block, int]
    successors: Successors
    dominators: DominatorTree
    loops: LoopNest


def is_exit(block: Block) -> bool:
    """Whether the block does nothing but leave the function, so that each jump to it may leave by itself."""
    if len(block.instructions) != 1:
        return False
    last = block.terminator
    return last.opcode in ("ret", "unreachable") and all(isinstance(o, Constant) for o in last.operands)


def drop_unreachable(function: Function) -> None:
    """Remove the blocks that control cannot reach, and what phis take from them."""
    reached = {function.entry}
    work = [function.entry]
    while work:
        for successor in work.pop().successors:
            if successor not in reached:
                reached.add(successor)
                work.append(successor)
    if len(reached) == len(function.blocks):
        return
    function.blocks = [block for block in function.blocks if block in reached]
    for block in function.blocks:
        for phi in block.phis():
            kept = [i for i, source in enumerate(phi.targets) if source in reached]
            phi.operands = [phi.operands[i] for i in kept]
            phi.targets = [phi.targets[i] for i in kept]


def flow_of(function: Function) -> Flow:
    """Return the flow graph of a function whose blocks are all reachable.

    Raises
    ------
    SpirvCodegenError
        If the graph is irreducible.
    """
    entry = function.entry
    blocks = [block for block in function.blocks if block is entry or not is_exit(block)]
    index = {block: node for node, block in enumerate(blocks)}
    successors = [[index[s] for s in block.successors if s in index] for block in blocks]
    dominators = dominator_tree(successors, lambda node: f"block {blocks[node]} of {function.name}")
    return Flow(blocks, index, successors, dominators, loop_nest(dominators))
