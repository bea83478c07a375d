"""Check that a function obeys SPIR-V's rules for structured control flow, from its annotations alone.

The rules are those of the SPIR-V specification 1.6, section "Structured Control Flow", which SPIR-V 1.5 modules are
held to as well. Nothing here knows how the structurizer came to its result: constructs are read off the dominators
of the graph with an edge from each header to its merge and continue blocks ("structural dominance").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from ..errors import SpirvCodegenError
from ..graphs.dominators import DominatorTree, dominator_tree
from ..llvmir.model import TERMINATORS, Block, Function, Instruction, LoopMerge, Value
from .passes import Context

__all__ = ["check"]


@dataclass(frozen=True, eq=False)
class Construct:
    """A selection, a switch, a loop or the continue part of a loop.

    Attributes
    ----------
    kind : {'function', 'selection', 'switch', 'loop', 'continue'}
        ``loop`` includes the continue part.
    header : Block
        The block with the annotation; of a continue part its first block.
    merge, continue_ : Block, optional
        The blocks of the annotation.
    parent : Construct, optional
        The construct around it.
    """

    kind: str
    header: Block
    merge: Block | None
    continue_: Block | None
    parent: Construct | None


def check(function: Function, context: Context | None = None) -> None:
    """Raise an error if a function is not structured.

    Parameters
    ----------
    function : Function
        Left as it is.
    context : Context, optional
        Not used.

    Raises
    ------
    SpirvCodegenError
        Naming the block and the rule that it breaks.
    """
    checker = _Checker(function)
    checker.declarations()
    checker.find_constructs()
    for node, block in enumerate(function.blocks):
        checker.branch(node, block)
    checker.back_edges()
    checker.values()


class _Checker:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.index = {block: node for node, block in enumerate(function.blocks)}
        self.merge_headers: dict[Block, Block] = {}
        self.continue_headers: dict[Block, Block] = {}
        successors: list[list[int]] = []
        for block in function.blocks:
            for target in block.successors:
                if target not in self.index:
                    self.fail(block, f"branches to {target}, which is not in the function")
            successors.append([self.index[target] for target in (*block.successors, *_declared(block))])
        self.successors = successors
        self.dominators = self.structural_dominators(successors)
        # The construct that each block lies in, its own included if it is a header, and the one around that.
        self.inside: list[Construct] = []
        self.outside: list[Construct] = []

    def fail(self, block: Block, what: str) -> NoReturn:
        raise SpirvCodegenError(f"{self.function.name}: block {block} {what}; please report it")

    def structural_dominators(self, successors: list[list[int]]) -> DominatorTree:
        tree = dominator_tree(successors, lambda node: f"block {self.function.blocks[node]}")
        for node, block in enumerate(self.function.blocks):
            if tree.number[node] < 0:
                self.fail(block, "cannot be reached, not even as a merge block")
            if node and tree.parent(node) >= node:
                self.fail(block, "comes before its dominator")
        return tree

    # ---- annotations

    def declarations(self) -> None:
        """Check each annotation by itself."""
        for block in self.function.blocks:
            merge = block.merge
            if merge is None:
                continue
            if merge.merge in self.merge_headers:
                self.fail(block, f"has the merge block {merge.merge} of {self.merge_headers[merge.merge]}")
            self.merge_headers[merge.merge] = block
            if isinstance(merge, LoopMerge):
                if block.terminator.opcode != "br":
                    self.fail(block, "is a loop header but does not end in a branch")
                if merge.continue_ is merge.merge or merge.continue_ in self.continue_headers:
                    self.fail(block, f"shares its continue block {merge.continue_}")
                self.continue_headers[merge.continue_] = block
            elif len(block.terminator.targets) < 2:
                self.fail(block, "selects but does not branch on a condition")
            for declared in _declared(block):
                if declared is block or not self.dominates(block, declared):
                    self.fail(block, f"does not dominate its merge or continue block {declared}")

    def dominates(self, upper: Block, lower: Block) -> bool:
        return self.dominators.dominates(self.index[upper], self.index[lower])

    def find_constructs(self) -> None:
        """Find the construct of each block; dominators come first."""
        root = Construct("function", self.function.entry, None, None, None)
        by_header: dict[Block, Construct] = {}
        for node, block in enumerate(self.function.blocks):
            around = self.inside[self.dominators.parent(node)] if node else root
            if block in self.merge_headers:
                merged = by_header[self.merge_headers[block]]
                if not _is_around(merged, around):
                    self.fail(block, f"merges {merged.header} from outside of its construct")
                assert merged.parent is not None
                around = merged.parent
            elif block in self.continue_headers:
                loop = by_header[self.continue_headers[block]]
                if not _is_around(loop, around):
                    self.fail(block, f"continues {loop.header} from outside of its loop")
                around = Construct("continue", block, None, None, loop)
            self.outside.append(around)
            if block.merge is not None:
                continue_ = block.merge.continue_ if isinstance(block.merge, LoopMerge) else None
                kind = (
                    "loop" if continue_ else "switch" if block.terminator.opcode == "switch" else "selection"
                )
                around = by_header[block] = Construct(kind, block, block.merge.merge, continue_, around)
            self.inside.append(around)

    # ---- branches

    def branch(self, node: int, block: Block) -> None:
        """Check where a block branches to."""
        last = block.terminator
        before = [instruction.opcode for instruction in block.instructions[:-1]]
        if not TERMINATORS.isdisjoint(before) or not last.is_terminator:
            self.fail(block, "does not end in its only terminator")
        staying = [target for target in block.successors if not self.leaves(node, target)]
        if last.opcode == "switch" and (block.merge is None or isinstance(block.merge, LoopMerge)):
            self.fail(block, "is a switch without a selection merge")
        if len(staying) > 1 and block.merge is None:
            self.fail(block, "selects between two blocks without a merge annotation")

    def leaves(self, node: int, target: Block) -> bool:
        """Whether the branch is an exit of the construct that the block is in; fails if it is not allowed."""
        inside = self.inside[node]
        # A merge block lies around its construct, so a target that lies where the branch is is no exit.
        if self.outside[self.index[target]] is inside:
            return False
        if target is not inside.merge and target not in _exits(inside):
            self.fail(
                self.function.blocks[node], f"must not branch to {target}, which lies in another construct"
            )
        return True

    def back_edges(self) -> None:
        """Each back edge leads to a loop header, each loop header has exactly one, from its continue part."""
        latches: dict[Block, list[Block]] = {}
        for node, block in enumerate(self.function.blocks):
            for target in block.successors:
                if self.dominators.is_back_edge(node, self.index[target]):
                    latches.setdefault(target, []).append(block)
        for block in self.function.blocks:
            sources = latches.get(block, [])
            if not isinstance(block.merge, LoopMerge):
                if sources:
                    self.fail(block, f"is the target of a back edge from {sources[0]} but no loop header")
                continue
            if len(sources) != 1:
                self.fail(block, f"is a loop header with {len(sources)} back edges")
            if not self.dominates(block.merge.continue_, sources[0]):
                self.fail(block, f"has a back edge from {sources[0]}, outside of its continue part")

    # ---- values

    def values(self) -> None:
        """Every operand is defined on each way to its use, and there are no phis."""
        # Of what has been met, the block that computes it: dominators come first.
        homes: dict[Value, int] = {}
        real = self.real_dominators()
        for node, block in enumerate(self.function.blocks):
            if real.number[node] < 0 and block.terminator.opcode != "unreachable":
                self.fail(block, "cannot be reached but does not end in unreachable")
            from_others: set[Value] = set()
            for instruction in block.instructions:
                if instruction.opcode == "phi":
                    self.fail(block, "has a phi")
                for operand in instruction.operands:
                    home = homes.get(operand)
                    # The first tests are the quick ones.
                    if home == node or operand in from_others or not isinstance(operand, Instruction):
                        continue
                    if home is None or not real.dominates(home, node):
                        self.undefined(block, operand)
                    from_others.add(operand)
                homes[instruction] = node

    def real_dominators(self) -> DominatorTree:
        edges = [[self.index[target] for target in block.successors] for block in self.function.blocks]
        return dominator_tree(edges)

    def undefined(self, block: Block, operand: Instruction) -> NoReturn:
        """Fail because of an operand that is not computed on each way to its use."""
        is_elsewhere = any(i is operand for i in self.function.instructions())
        where = "where it is not defined" if is_elsewhere else "which is not in the function"
        self.fail(block, f"uses %{operand.name or operand.opcode}{' ' if is_elsewhere else ', '}{where}")


def _declared(block: Block) -> tuple[Block, ...]:
    if block.merge is None:
        return ()
    if isinstance(block.merge, LoopMerge):
        return (block.merge.merge, block.merge.continue_)
    return (block.merge.merge,)


def _exits(inside: Construct) -> Iterator[Block | None]:
    """Yield the blocks that a branch may go to out of several constructs at once.

    These are the merge block of the innermost switch, and those of the innermost loop; nothing leaves a loop else.
    """
    construct: Construct | None = inside
    in_switch = False
    while construct is not None and construct.kind not in ("loop", "continue"):
        if construct.kind == "switch" and not in_switch:
            in_switch = True
            yield construct.merge
        construct = construct.parent
    if construct is None:
        return
    if construct.kind == "loop":
        yield from (construct.merge, construct.continue_)
    else:
        assert construct.parent is not None
        yield from (construct.parent.merge, construct.parent.header)


def _is_around(outer: Construct, inner: Construct | None) -> bool:
    while inner is not None and inner is not outer:
        inner = inner.parent
    return inner is outer
