"""Make branches of switches with many cases, by halves.

Mesa makes a branch of each case, one inside the other, and llvmpipe has masks for so many branches only
(`TargetProfile.branch_depth`). Halves need one for each doubling of the cases.
"""

from __future__ import annotations

from ..llvmir.build import Builder
from ..llvmir.model import Block, Function, Instruction, Value, constant
from ..llvmir.types import IntType
from .blocks import merge_incoming
from .passes import Context

__all__ = ["run"]

# Smaller switches stay as they are.
MOST_CASES = 8


def run(function: Function, context: Context) -> None:
    """Split the switches of a function."""
    blocks: list[Block] = []
    for block in function.blocks:
        blocks.append(block)
        last = block.terminator
        if last.opcode == "switch" and len(last.indices) > MOST_CASES:
            blocks += _Search(block, last).run()
    function.blocks = blocks


class _Search:
    """The search for the case of one switch.

    Attributes
    ----------
    made : list of Block
        The new blocks.
    edges : dict
        Where the search goes for each target of the switch.
    """

    def __init__(self, block: Block, last: Instruction) -> None:
        self.block = block
        self.last = last
        self.made: list[Block] = []
        self.edges: dict[Block, Block] = {}

    def run(self) -> list[Block]:
        """End the block with the search instead of the switch; return the new blocks."""
        last = self.last
        default, *targets = last.targets
        selector = last.operands[0]
        assert isinstance(selector.type, IntType)
        mask = (1 << selector.type.bits) - 1
        cases = sorted(
            (value & mask, self.edge(target)) for value, target in zip(last.indices, targets, strict=True)
        )
        self.block.instructions.pop()
        self.find(self.block, selector, cases, self.edge(default))
        return self.made

    def new_block(self, role: str) -> Block:
        """Make a block named after the one with the switch."""
        self.made.append(Block(f"{self.block.name}.{role}{len(self.made)}"))
        return self.made[-1]

    def edge(self, target: Block) -> Block:
        """Return where to go for a target: it, or a block in front of it for what its phis take from the switch."""
        if target in self.edges:
            return self.edges[target]
        phis = list(target.phis())
        edge = self.new_block("case") if phis else target
        for phi in phis:
            merge_incoming(phi, (self.block,), edge, phi.incoming(self.block))
        if phis:
            Builder(edge.instructions, self.last.location).branch(target)
        self.edges[target] = edge
        return edge

    def find(self, block: Block, selector: Value, cases: list[tuple[int, Block]], default: Block) -> None:
        """End a block with the search among cases, in the order of their unsigned values."""
        work = [(block, cases)]
        while work:
            block, cases = work.pop()
            build = Builder(block.instructions, self.last.location)
            assert isinstance(selector.type, IntType)
            if len(cases) == 1:
                ((value, target),) = cases
                found = build.icmp("eq", selector, constant(selector.type, value))
                build.branch_if(found, target, default)
                continue
            middle = len(cases) // 2
            lower, upper = self.new_block("below"), self.new_block("from")
            build.branch_if(
                build.icmp("ult", selector, constant(selector.type, cases[middle][0])), lower, upper
            )
            work += [(lower, cases[:middle]), (upper, cases[middle:])]
