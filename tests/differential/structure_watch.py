"""Follow control through the constructs of structured code and fail where it leaves one as SPIR-V forbids."""

from __future__ import annotations

from dataclasses import dataclass

from differential.semantics import InterpreterError
from numba_vulkan.llvmir.model import Block, LoopMerge, SelectionMerge

__all__ = ["StructureWatch"]


@dataclass
class OpenConstruct:
    """A selection or loop that control is in; ``continuing`` once it is in the continue part of a loop."""

    header: Block
    merge: SelectionMerge | LoopMerge
    continuing: bool = False

    @property
    def is_loop(self) -> bool:
        """Whether it is a loop."""
        return isinstance(self.merge, LoopMerge)

    @property
    def is_switch(self) -> bool:
        """Whether it is a switch."""
        return self.header.terminator.opcode == "switch"


class StructureWatch:
    """The constructs that control is in, outermost first."""

    def __init__(self) -> None:
        self.open: list[OpenConstruct] = []

    def enter(self, block: Block) -> None:
        """Control comes to a block."""
        loop = next((c for c in reversed(self.open) if c.is_loop), None)
        if loop is not None and isinstance(loop.merge, LoopMerge) and block is loop.merge.continue_:
            self.close_to(loop)
            loop.continuing = True
        elif loop is not None and block is loop.header:
            if not (loop.continuing and self.open[-1] is loop):
                raise InterpreterError(f"back edge to {block} from outside of its continue part")
            loop.continuing = False
            return
        else:
            self.leave(block)
        if block.merge is not None:
            if any(construct.header is block for construct in self.open):
                raise InterpreterError(f"header {block} entered again inside its own construct")
            self.open.append(OpenConstruct(block, block.merge))

    def leave(self, block: Block) -> None:
        """Close constructs if the block is a merge block."""
        merged = next((c for c in self.open if c.merge.merge is block), None)
        if merged is None:
            return
        inner = self.open[self.open.index(merged) + 1 :]
        if any(c.is_loop for c in inner):
            raise InterpreterError(f"branch out of two loops at once, to {block}")
        if inner and not merged.is_loop and (not merged.is_switch or any(c.is_switch for c in inner)):
            raise InterpreterError(f"branch out of two selections at once, to {block}")
        self.close_to(merged)
        self.open.pop()

    def close_to(self, construct: OpenConstruct) -> None:
        """Close what is inside of a construct."""
        while self.open[-1] is not construct:
            self.open.pop()
