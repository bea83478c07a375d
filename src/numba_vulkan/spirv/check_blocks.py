"""Blocks of the function, their edges, and two dominator trees.

The *structural* graph has an edge from each header to its merge block and its continue target besides the branches:
that is how the specification defines constructs. Values follow the branches alone. Dominators are computed here,
apart from those that the passes use, so that a fault there is found.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ._tables import Op
from .check_sections import Sections
from .check_types import TypeTable
from .decode import Instruction, Violation

__all__ = ["Block", "Dominators", "Graph", "read_blocks"]

_TERMINATORS = frozenset({Op.Branch, Op.BranchConditional, Op.Switch, Op.Return, Op.Unreachable})
_REFUSED = frozenset({Op.Kill, Op.ReturnValue})
_MERGES = frozenset({Op.SelectionMerge, Op.LoopMerge})
_LINES = frozenset({Op.Line, Op.NoLine})


@dataclass
class Block:
    """A block.

    Attributes
    ----------
    targets : list of int
        Positions of the blocks that the terminator names, each once; of a switch the default comes first.
    cases : list of int
        Positions of the blocks that the cases of a switch name, each once, in order.
    merge, continue_ : int
        Positions of what the merge instruction names, or -1.
    """

    label_id: int
    position: int
    instructions: list[Instruction] = field(default_factory=list[Instruction])
    targets: list[int] = field(default_factory=list[int])
    cases: list[int] = field(default_factory=list[int])
    merge: int = -1
    continue_: int = -1

    @property
    def terminator(self) -> Instruction:
        """The last instruction."""
        return self.instructions[-1]

    @property
    def is_loop_header(self) -> bool:
        """Whether the block has OpLoopMerge."""
        return self.continue_ >= 0

    def __str__(self) -> str:
        return f"block %{self.label_id}"


class Dominators:
    """A dominator tree over positions of blocks, made by iteration (Cooper, Harvey, Kennedy 2001).

    Attributes
    ----------
    order : list of int
        The blocks that can be reached, in reverse postorder.
    parent : list of int
        Immediate dominators; -1 for blocks that cannot be reached, and 0 for the entry.
    retreating : list of tuple
        The edges that lead back to a block which the depth-first search was still in.
    """

    def __init__(self, successors: list[list[int]]) -> None:
        self.retreating: list[tuple[int, int]] = []
        self.order = self._search(successors)
        self.parent = self._immediate(successors)
        self._first, self._last = self._intervals()

    def _search(self, successors: list[list[int]]) -> list[int]:
        """Return the reverse postorder of a depth-first search."""
        postorder: list[int] = []
        # 0: not seen, 1: on the stack, 2: left.
        state = bytearray(len(successors))
        state[0] = 1
        stack = [(0, iter(successors[0]))]
        while stack:
            block, rest = stack[-1]
            for target in rest:
                if state[target] == 0:
                    state[target] = 1
                    stack.append((target, iter(successors[target])))
                    break
                if state[target] == 1:
                    self.retreating.append((block, target))
            else:
                state[block] = 2
                postorder.append(block)
                stack.pop()
        postorder.reverse()
        return postorder

    def _immediate(self, successors: list[list[int]]) -> list[int]:
        """Return the immediate dominators."""
        rank = {block: k for k, block in enumerate(self.order)}
        parent = [-1] * len(successors)
        parent[0] = 0
        predecessors: list[list[int]] = [[] for _ in successors]
        for block in self.order:
            for target in successors[block]:
                predecessors[target].append(block)
        changed = True
        while changed:
            changed = False
            for block in self.order[1:]:
                best = -1
                for other in predecessors[block]:
                    if parent[other] < 0:
                        continue
                    if best < 0:
                        best = other
                    while best != other:
                        if rank[best] > rank[other]:
                            best = parent[best]
                        else:
                            other = parent[other]
                if parent[block] != best:
                    parent[block] = best
                    changed = True
        return parent

    def _intervals(self) -> tuple[list[int], list[int]]:
        """Number the tree so that a node's subtree is an interval."""
        size = [0] * len(self.parent)
        for block in reversed(self.order):
            size[block] += 1
            if block:
                size[self.parent[block]] += size[block]
        first, last, free = [-1] * len(size), [-2] * len(size), [0] * len(size)
        for block in self.order:
            # The children of a block take their intervals behind its own number, in turn.
            if block == 0:
                first[block] = 0
            else:
                up = self.parent[block]
                first[block] = free[up]
                free[up] += size[block]
            last[block] = first[block] + size[block] - 1
            free[block] = first[block] + 1
        return first, last

    def dominates(self, upper: int, lower: int) -> bool:
        """Whether every way to ``lower`` goes through ``upper``."""
        return self._first[upper] <= self._first[lower] <= self._last[upper]


@dataclass
class Graph:
    """The blocks, and their dominators by branches and in the structural graph."""

    blocks: list[Block]
    branches: Dominators
    structural: Dominators


def read_blocks(sections: Sections, table: TypeTable) -> Graph:
    """Split the function into blocks and check what a block is made of.

    Raises
    ------
    Violation
        If a block lacks its label or terminator, a merge instruction stands elsewhere than before a branch, a target is
        no block, or blocks do not follow their dominators.
    """
    blocks = _split(sections.body)
    positions = {block.label_id: block.position for block in blocks}
    for block in blocks:
        _read_edges(block, positions, table)
    structural = Dominators(
        [list(dict.fromkeys(x for x in (*b.targets, b.merge, b.continue_) if x >= 0)) for b in blocks]
    )
    branches = Dominators([b.targets for b in blocks])
    for block in blocks[1:]:
        above = structural.parent[block.position]
        if above < 0:
            raise Violation("reachable blocks", f"{block} is neither a target nor a merge block")
        below = branches.parent[block.position]
        if block.position <= max(above, below):
            raise Violation("block order", f"{block} precedes the block that dominates it")
    return Graph(blocks, branches, structural)


def _split(body: list[Instruction]) -> list[Block]:
    """Return the blocks of a function."""
    blocks: list[Block] = []
    current: Block | None = None
    for instruction in body:
        opcode = instruction.opcode
        if opcode == Op.Label:
            if current is not None:
                raise Violation("terminator", f"{current} has none before {instruction}")
            current = Block(instruction.result_id, len(blocks))
            blocks.append(current)
        elif current is None:
            if opcode not in _LINES:
                raise Violation("terminator", f"{instruction} follows one, or no label")
        else:
            current.instructions.append(instruction)
            if opcode in _TERMINATORS:
                current = None
            elif opcode in _REFUSED:
                raise Violation("terminator", f"{instruction} cannot end a block of a kernel")
    if current is not None or not blocks:
        raise Violation("terminator", "the last block has none")
    return blocks


def _read_edges(block: Block, positions: dict[int, int], table: TypeTable) -> None:
    """Find where a block's terminator and merge instruction lead."""

    def position(label_id: int, user: Instruction) -> int:
        found = positions.get(label_id)
        if not found:
            raise Violation("branch target", f"%{label_id} of {user} in {block} is no block, or the entry")
        return found

    last = block.terminator
    labels = _labels(last, table)
    positions_of = [position(label_id, last) for label_id in labels]
    block.targets = list(dict.fromkeys(positions_of))
    if last.opcode == Op.Switch:
        block.cases = list(dict.fromkeys(positions_of[1:]))
    for instruction in block.instructions[:-2]:
        if instruction.opcode in _MERGES:
            raise Violation("merge instruction", f"{instruction} in {block} does not precede the terminator")
    if len(block.instructions) < 2 or block.instructions[-2].opcode not in _MERGES:
        if last.opcode == Op.Switch:
            raise Violation("missing merge", f"OpSwitch of {block} has no OpSelectionMerge")
        return
    merge = block.instructions[-2]
    block.merge = position(merge.operands[0], merge)
    if merge.opcode == Op.LoopMerge:
        block.continue_ = position(merge.operands[1], merge)
    allowed = (Op.Branch, Op.BranchConditional) if block.is_loop_header else (Op.BranchConditional, Op.Switch)
    if last.opcode not in allowed:
        raise Violation("merge instruction", f"{merge} in {block} precedes {last}")


def _labels(last: Instruction, table: TypeTable) -> list[int]:
    """Return the labels that a terminator names."""
    if last.opcode == Op.Branch:
        return last.operands
    if last.opcode == Op.BranchConditional:
        if len(last.operands) not in (3, 5):
            raise Violation("operands", f"{last} has {len(last.operands)} operands")
        return last.operands[1:3]
    if last.opcode != Op.Switch:
        return []
    selector_id, default_id, *cases = last.operands
    width = table.number(table.of_value(selector_id, last), last).width
    step = 3 if width == 64 else 2
    if len(cases) % step:
        raise Violation("operands", f"{last} has cases of another width than its selector")
    literals = [tuple(cases[k : k + step - 1]) for k in range(0, len(cases), step)]
    if len(set(literals)) != len(literals):
        raise Violation("operands", f"{last} has a case twice")
    return [default_id, *cases[step - 1 :: step]]
