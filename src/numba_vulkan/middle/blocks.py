"""Changes of control flow that several passes make."""

from __future__ import annotations

from ..llvmir.build import Builder
from ..llvmir.model import Block, Function

__all__ = ["split_block"]


def split_block(function: Function, block: Block, position: int) -> Block:
    """Move the instructions from ``position`` on into a new block, to which the old one branches; return it."""
    after = Block(f"{block.name}.after", block.instructions[position:])
    block.instructions[position:] = []
    for successor in after.successors:
        for phi in successor.phis():
            phi.targets = [after if target is block else target for target in phi.targets]
    Builder(block.instructions, after.instructions[0].location).branch(after)
    function.blocks.insert(function.blocks.index(block) + 1, after)
    return after
