"""What several passes ask of control flow, and changes that they make."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from ..graphs.orders import reverse_postorder
from ..llvmir.build import Builder
from ..llvmir.model import Block, Function, Instruction, Value

__all__ = [
    "behind",
    "blocks_in_order",
    "clone_blocks",
    "copy_of",
    "keep_incoming",
    "merge_incoming",
    "retarget_phis",
    "split_block",
    "successors_of",
]


def successors_of(function: Function) -> list[list[int]]:
    """Return the graph of a function: where control goes from each block, by their positions."""
    position = {block: node for node, block in enumerate(function.blocks)}
    return [[position[s] for s in block.successors] for block in function.blocks]


def blocks_in_order(function: Function) -> list[Block]:
    """Return the blocks that control reaches, each after those that dominate it."""
    return [function.blocks[node] for node in reverse_postorder(successors_of(function))]


def behind(
    starts: Iterable[Instruction],
    follows: Callable[[Instruction], bool] = lambda _: True,
    sources: Callable[[Instruction], Iterable[Value]] = lambda i: i.operands,
) -> Iterator[Instruction]:
    """Yield the instructions that some follow from, themselves included, as far as ``follows`` lets it."""
    work: list[Value] = list(starts)
    seen = set(work)
    while work:
        value = work.pop()
        if not isinstance(value, Instruction) or not follows(value):
            continue
        yield value
        fresh = [source for source in sources(value) if source not in seen]
        seen.update(fresh)
        work += fresh


def split_block(function: Function, block: Block, position: int) -> Block:
    """Move the instructions from ``position`` on into a new block, to which the old one branches; return it."""
    after = Block(f"{block.name}.after", block.instructions[position:])
    block.instructions[position:] = []
    for successor in after.successors:
        retarget_phis(successor, block, after)
    Builder(block.instructions, after.instructions[0].location).branch(after)
    function.blocks.insert(function.blocks.index(block) + 1, after)
    return after


def retarget_phis(block: Block, old: Block, new: Block) -> None:
    """Let the phis of a block take from ``new`` what they took from ``old``."""
    for phi in block.phis():
        phi.targets = [new if target is old else target for target in phi.targets]


def keep_incoming(phi: Instruction, keeps: Callable[[Block], bool]) -> None:
    """Let a phi take values from some of its predecessors only."""
    kept = [k for k, source in enumerate(phi.targets) if keeps(source)]
    phi.operands, phi.targets = [phi.operands[k] for k in kept], [phi.targets[k] for k in kept]


def merge_incoming(phi: Instruction, sources: Collection[Block], source: Block, value: Value) -> None:
    """Let a phi take a value from one block instead of what it took from several."""
    keep_incoming(phi, lambda block: block not in sources)
    phi.operands.append(value)
    phi.targets.append(source)


def copy_of(instruction: Instruction) -> Instruction:
    """Return the same instruction once more, with the same operands."""
    return Instruction(
        instruction.opcode,
        instruction.type,
        list(instruction.operands),
        detail=instruction.detail,
        targets=list(instruction.targets),
        flags=instruction.flags,
        name=instruction.name,
        location=instruction.location,
    )


def clone_blocks(function: Function, blocks: list[Block]) -> dict[Block, Block]:
    """Copy blocks, given in an order in which definitions come before uses; return the copy of each.

    Branches between them lead to copies, those out of them to where they led, whose phis take the same from the
    copies. Nobody branches to the copies yet.
    """
    copies = {block: Block(f"{block.name}.copy") for block in blocks}
    values: dict[Value, Value] = {}
    for block in blocks:
        for i in block.instructions:
            copy = copy_of(i)
            copy.targets = [copies.get(target, target) for target in i.targets]
            values[i] = copy
            copies[block].instructions.append(copy)
    for copy in copies.values():
        for i in copy.instructions:
            i.operands = [values.get(operand, operand) for operand in i.operands]
    for block in blocks:
        for successor in block.successors:
            if successor not in copies:
                for phi in successor.phis():
                    phi.operands.append(values.get(value := phi.incoming(block), value))
                    phi.targets.append(copies[block])
    function.blocks.extend(copies.values())
    return copies
