"""The flow graph of a function: its blocks as numbers, their dominators and their loops."""

from __future__ import annotations

from dataclasses import dataclass

from ...graphs.dominators import DominatorTree, dominator_tree
from ...graphs.loops import NO_LOOP, LoopNest, loop_nest
from ...graphs.orders import Successors
from ...llvmir.model import Block, Constant, Function, Instruction

__all__ = ["Flow", "copy_exit", "flow_of", "is_exit"]


@dataclass(frozen=True)
class Flow:
    """A function seen as a graph.

    Attributes
    ----------
    blocks : list of Block
        The block of each node.
    index : dict
        The node of each block. Most blocks that only leave the function (`is_exit`) are no nodes: who branches to one
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


def flow_of(function: Function, copy_exits: bool = True) -> Flow:
    """Return the flow graph of a function whose blocks are all reachable.

    Parameters
    ----------
    function : Function
        A loop around which nothing else goes on may get a block of its own that leaves the function.
    copy_exits : bool
        Whether blocks that only leave the function are left out of the graph. A loop that is left by such exits only
        then has nothing behind it that could notice that a driver has ended it.

    Raises
    ------
    SpirvCodegenError
        If the graph is irreducible.
    """
    entry = function.entry
    kept = {block for block in function.blocks if block is entry or not (copy_exits and is_exit(block))}
    flow = _flow(function, kept)
    behind = _exits_behind(flow)
    if not behind:
        return flow
    function.blocks += behind
    return _flow(function, kept | set(behind))


def _flow(function: Function, kept: set[Block]) -> Flow:
    blocks = [block for block in function.blocks if block in kept]
    index = {block: node for node, block in enumerate(blocks)}
    successors = [[index[s] for s in block.successors if s in index] for block in blocks]
    dominators = dominator_tree(successors, lambda node: f"block {blocks[node]} of {function.name}")
    return Flow(blocks, index, successors, dominators, loop_nest(dominators))


def _exits_behind(flow: Flow) -> list[Block]:
    """Return new blocks to leave the function behind outermost loops that nothing else follows.

    The exits of such a loop go to its block, so that it ends as drivers expect: by jumps to its merge block.
    """
    loops = flow.loops
    exits: dict[int, list[tuple[Instruction, Block]]] = {}
    followed: set[int] = set()
    for node, block in enumerate(flow.blocks):
        inner, outermost = loops.innermost[node], loops.outermost(node)
        if outermost == NO_LOOP:
            continue
        for target in block.successors:
            if target in flow.index:
                if not loops.contains(outermost, flow.index[target]):
                    followed.add(outermost)
            elif inner == outermost and target.terminator.opcode == "ret":
                exits.setdefault(outermost, []).append((block.terminator, target))
    behind: list[Block] = []
    for loop, jumps in exits.items():
        if loop in followed:
            continue
        shared = jumps[0][1]
        block = Block(f"{flow.blocks[loops.headers[loop]].name}.end", [copy_exit(shared.terminator)])
        behind.append(block)
        for terminator, _ in jumps:
            terminator.targets = [block if target is shared else target for target in terminator.targets]
    return behind


def copy_exit(terminator: Instruction) -> Instruction:
    """Return a copy of a terminator that leaves the function."""
    operands = list(terminator.operands)
    return Instruction(terminator.opcode, terminator.type, operands, location=terminator.location)
