"""Which values are the same for all invocations of a workgroup that compute them together.

A value is uniform if its operands are, and if control has not parted on the way to it: a phi where ways meet that
invocations of one workgroup may take apart is not, nor is a value that a loop leaves behind which they leave in
different rounds. What is loaded from a uniform address is uniform in shared memory, where a race would be needed for
anything else, and in buffers that the kernel does not write.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable, Iterator

from .. import abi
from ..graphs.dominators import dominator_tree
from ..graphs.loops import NO_LOOP, loop_nest
from ..graphs.postdominators import immediate_postdominators
from ..llvmir.model import Function, Instruction, Value
from .blocks import successors_of
from .passes import Context
from .users import Users
from .written_arrays import WrittenArrays

__all__ = ["Uniformity", "is_pure"]

_UNIFORM_CALLS = frozenset(
    (abi.GROUP_ID, abi.SUBGROUP_SIZE, abi.SUBGROUP_COUNT, abi.LOCAL_SIZE, abi.NUM_GROUPS, abi.EXTENT)
) | {abi.parameter_name(type) for type in (*abi.PARAMETER_TYPES, abi.NARROWED_ELEMENT)}
_IMPURE_CALLS = (
    *abi.WRITES,
    abi.LOADS,
    "nv.status.",
    abi.SUBGROUP_OPERATIONS,
    abi.WORKGROUP_ARRAYS,
    "nv.barrier",
    "nv.fence.",
    "nv.variable.",
)
_DIVERGENT_CALLS = ("nv.id.", abi.ATOMICS, "nv.status.", abi.SUBGROUP_OPERATIONS)


def is_pure(instruction: Instruction) -> bool:
    """Return whether an instruction computes a value from its operands and does nothing else."""
    if instruction.opcode == "call":
        return not instruction.callee.startswith(_IMPURE_CALLS)
    return instruction.opcode not in ("load", "store", "alloca") and not instruction.is_terminator


class Uniformity:
    """The analysis of one function.

    Attributes
    ----------
    blocks : list of Block
        The block of each node.
    index : dict
        The node of each block.
    successors : list of list of int
        The edges.
    postdominators : list of int
        Where control meets again after each node, -1 for the end of the kernel.
    barriers : set of int
        The nodes with barriers.
    divergent : set of Value
        The values that differ between invocations.
    home : dict
        The node of each instruction.
    """

    def __init__(self, function: Function, context: Context) -> None:
        self.blocks = list(function.blocks)
        self.index = {block: node for node, block in enumerate(self.blocks)}
        self.successors = successors_of(function)
        self.postdominators = immediate_postdominators(self.successors)
        self.dominators = dominator_tree(self.successors, lambda node: str(self.blocks[node]))
        self.loops = loop_nest(self.dominators)
        self.divergent: set[Value] = set()
        self.barriers = {
            node
            for node, block in enumerate(self.blocks)
            if any(i.opcode == "call" and i.callee == abi.BARRIER for i in block.instructions)
        }
        self.home = {i: node for node, block in enumerate(self.blocks) for i in block.instructions}
        self._users = Users(self.home)
        self._written = WrittenArrays(function, context)
        self._pending = [i for i in self.home if self._is_source(i)]
        self._run()

    def is_divergent_branch(self, node: int) -> bool:
        """Whether invocations of a workgroup can leave a block for different ones."""
        terminator = self.blocks[node].terminator
        return len(self.successors[node]) > 1 and terminator.operands[0] in self.divergent

    def region(self, node: int) -> set[int]:
        """Return the nodes between a branch and where control meets again."""
        return self.reach(self.successors[node], {self.postdominators[node]})

    def reach(self, starts: Iterable[int], ends: Container[int]) -> set[int]:
        """Return the nodes that control reaches from some without passing ``ends``."""
        found = {node for node in starts if node not in ends}
        work = list(found)
        while work:
            for successor in self.successors[work.pop()]:
                if successor not in ends and successor not in found:
                    found.add(successor)
                    work.append(successor)
        return found

    # ---- the search

    def _is_source(self, instruction: Instruction) -> bool:
        """Whether a value differs between invocations by itself."""
        if instruction.opcode == "call":
            name = instruction.callee
            if name.startswith(abi.LOADS):
                return self._written.is_written_buffer(instruction.operands[0])
            return name.startswith(_DIVERGENT_CALLS) and name not in _UNIFORM_CALLS
        # Variables are followed by nobody: what is in them may have been stored in different rounds.
        return instruction.opcode == "load"

    def _run(self) -> None:
        while self._pending:
            value = self._pending.pop()
            if value in self.divergent:
                continue
            self.divergent.add(value)
            for user in self._users.of(value):
                if user.is_terminator:
                    self._part(self.home[user])
                elif user.opcode != "store":
                    self._pending.append(user)

    def _part(self, node: int) -> None:
        """Note what follows from invocations leaving a block for different ones."""
        if len(self.successors[node]) < 2:
            return
        self._pending += self._chosen(node)
        loop = self.loops.innermost[node]
        while loop != NO_LOOP:
            if any(not self.loops.contains(loop, s) for s in self.successors[node]):
                self._pending += self._left_behind(loop, node)
            loop = self.loops.parent(loop)

    def _chosen(self, node: int) -> Iterator[Instruction]:
        """Yield the phis that take different values from the ways behind a branch."""
        joins, reached = self._joins(node)
        for join in joins:
            for phi in self.blocks[join].phis():
                ways = zip(phi.operands, phi.targets, strict=True)
                if len({value for value, source in ways if self.index[source] in reached}) > 1:
                    yield phi

    def _joins(self, node: int) -> tuple[set[int], set[int]]:
        """Return the nodes where ways from a branch meet that have not met before, and all nodes on the ways.

        Each node gets the last place where the ways to it met. In reverse postorder all that lead to a node, but
        back edges, are known before it. Back at the branch, a round of a loop is over: `_left_behind` tells what
        follows from leaving loops in different rounds.
        """
        ends = (node, self.postdominators[node])
        number, order = self.dominators.number, self.dominators.order
        met = {successor: successor for successor in self.successors[node]}
        work = [number[successor] for successor in met]
        heapq.heapify(work)
        joins: set[int] = set()
        while work:
            source = order[heapq.heappop(work)]
            if source in ends:
                continue
            for target in self.successors[source]:
                known = met.get(target)
                if known == met[source]:
                    continue
                if known is not None:
                    joins.add(target)
                    if known == target:
                        continue
                met[target] = met[source] if known is None else target
                heapq.heappush(work, number[target])
        return joins, {node, *met}

    def _left_behind(self, loop: int, node: int) -> Iterator[Instruction]:
        """Yield what uses values of the last round of a loop where those come to that leave it at a branch."""
        loops = self.loops
        headers: set[int] = set()
        outer = loops.parent(loop)
        while outer != NO_LOOP:
            headers.add(loops.headers[outer])
            outer = loops.parent(outer)
        behind = self.reach([s for s in self.successors[node] if not loops.contains(loop, s)], headers)
        for instruction, home in self.home.items():
            if loops.contains(loop, home):
                for user in self._users.of(instruction):
                    if self.home[user] not in behind:
                        continue
                    if user.is_terminator:
                        self._part(self.home[user])
                    else:
                        yield user
