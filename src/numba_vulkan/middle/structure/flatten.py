"""Bound how deep branches and loops lie in each other, as drivers see it.

Some drivers keep a mask for each branch and loop that control is in, and have room for so many masks only. What they
count is more than what SPIR-V nests: Mesa turns returns and continues into jumps forward, and lets what they jump over
lie in a branch of its own. So `prepare` makes such jumps of them here, and `depths` counts what they lead to.

Where a region lies too deep, it is hung below an anchor instead, the start of the function or of the loop around it:
the jump to it falls out of all branches on its way, and there a test of the target variable finds it. So do the regions
that come after it, of merge blocks that it can fall to; the regions of an anchor follow each other, each one branch
deep. Nothing is copied, and any acyclic control flow gets flat this way; the depth that is left is that of the loops.
"""

from __future__ import annotations

from bisect import insort

from ...graphs.loops import NO_LOOP
from ...llvmir.build import Builder
from ...llvmir.model import Block, Function
from ...llvmir.types import VOID
from ..blocks import copy_of, split_block
from .flow import Flow, flow_of
from .plan import NOWHERE, Plan, complete, make_plan

__all__ = ["depth_of", "depths", "flatten", "prepare"]

# How many branches deep below its anchor a region may lie, and a loop, which is an anchor itself.
DEEPEST_REGION = 24
DEEPEST_LOOP = 4


def depth_of(function: Function) -> int:
    """Return how deep branches and loops lie in each other in a function, whose phis do not count: rather too deep."""
    flow = _with_single_ends(_skeleton(function))
    return max(depths(flow, make_plan(flow)))


def _skeleton(function: Function) -> Function:
    """Return the branches of a function without what they depend on."""
    copies = {block: Block(block.name, [copy_of(block.terminator)]) for block in function.blocks}
    for block in copies.values():
        block.terminator.targets = [copies[target] for target in block.terminator.targets]
    return Function(function.name, VOID, blocks=list(copies.values()))


def depths(flow: Flow, plan: Plan) -> list[int]:
    """Return how many branches and loops each node of a prepared function lies in."""
    found = [0] * len(flow.blocks)
    work = [0]
    while work:
        node = work.pop()
        for child, depth in _depths_below(flow, plan, node, found[node]):
            found[child] = depth
            work.append(child)
    return found


def _depths_below(flow: Flow, plan: Plan, node: int, depth: int) -> list[tuple[int, int]]:
    """Return the children of a node at ``depth`` and how deep they lie."""
    outside = depth
    loops = flow.loops
    if loops.is_header(node):
        loop = loops.innermost[node]
        depth += 1
        ways = (plan.falls[loop] != NOWHERE, plan.continues[loop], plan.leaves[loop])
        outside += max(sum(ways) - 1, 0)
    # A switch may become one branch for each target, in each other.
    inside = depth + len(set(flow.successors[node])) - 1
    return [
        *((child, inside) for child in plan.nested[node]),
        *((child, depth + plan.tested[child]) for child in plan.merging[node]),
        *((child, outside + plan.tested[child]) for child in plan.after[node]),
    ]


def prepare(function: Function) -> Flow:
    """Let a function without phis return at one place and loops go on at one, and end anchors with a mere jump.

    Returns
    -------
    Flow
        Of the function as it is then.
    """
    flow = _with_single_ends(function)
    anchors = {function.entry, *(flow.blocks[header] for header in flow.loops.headers[NO_LOOP + 1 :])}
    for block in list(function.blocks):
        if block in anchors:
            split_block(function, block, len(block.instructions) - 1)
    return flow_of(function, copy_exits=False)


def _with_single_ends(function: Function) -> Flow:
    """Let a function return at one place and loops go on at one; return its flow then."""
    _leave_at_one_place(function)
    flow = flow_of(function, copy_exits=False)
    count = len(function.blocks)
    for header in flow.loops.headers[NO_LOOP + 1 :]:
        _go_on_at_one_place(function, flow, header)
    return flow if len(function.blocks) == count else flow_of(function, copy_exits=False)


def _leave_at_one_place(function: Function) -> None:
    """Make jumps to one return of all returns, and of what is never reached."""
    leaving = [block for block in function.blocks if block.terminator.opcode in ("ret", "unreachable")]
    returns = [block.terminator for block in leaving if block.terminator.opcode == "ret"]
    if not returns or len(leaving) == 1:
        return
    end = Block("return", [returns[0]])
    for block in leaving:
        last = block.instructions.pop()
        Builder(block.instructions, last.location).branch(end)
    function.blocks.append(end)


def _go_on_at_one_place(function: Function, flow: Flow, header: int) -> None:
    """Let all jumps back to the header of a loop go by one block."""
    dominators = flow.dominators
    sources = [node for node in dominators.predecessors[header] if dominators.is_back_edge(node, header)]
    if len(sources) == 1:
        return
    block = flow.blocks[header]
    latch = Block(f"{block.name}.next")
    for node in sources:
        last = flow.blocks[node].terminator
        last.targets = [latch if target is block else target for target in last.targets]
    Builder(latch.instructions, block.terminator.location).branch(block)
    function.blocks.append(latch)


def flatten(flow: Flow, plan: Plan) -> None:
    """Hang below anchors what lies too deep.

    Parameters
    ----------
    flow : Flow
        Of a prepared function.
    plan : Plan
        As `make_plan` gives it; changed in place.
    """
    _Flattening(flow, plan).run()
    complete(flow, plan)


class _Flattening:
    """A walk over the regions of a plan, outer ones first and in the order of the output.

    Attributes
    ----------
    parent : list of int
        What each node that the walk has seen hangs below, -1 while it waits.
    depth : list of int
        How deep it lies.
    waiting : dict
        What is to hang below each anchor, by the numbers in reverse postorder.
    """

    def __init__(self, flow: Flow, plan: Plan) -> None:
        self.flow = flow
        self.plan = plan
        self.parent = [-1] * len(flow.blocks)
        self.depth = [0] * len(flow.blocks)
        self.waiting: dict[int, list[tuple[int, int]]] = {}

    def run(self) -> None:
        """Walk."""
        # Nodes with what they hung below when they were seen, and anchors of which something may wait.
        work: list[tuple[int, int]] = [(0, -1)]
        while work:
            node, parent = work.pop()
            if node == parent:
                work += self.next_of(node)
            elif self.parent[node] != parent:
                continue  # it has been moved
            elif self.is_too_deep(node):
                self.move(node)
            else:
                work += self.enter(node)

    def enter(self, node: int) -> list[tuple[int, int]]:
        """Return what is to do below a node, the last first."""
        work = [(node, node)]
        for child, depth in reversed(_depths_below(self.flow, self.plan, node, self.depth[node])):
            self.parent[child], self.depth[child] = node, depth
            work.append((child, node))
        return work

    def next_of(self, anchor: int) -> list[tuple[int, int]]:
        """Hang the next of what waits below an anchor."""
        if not self.waiting.get(anchor):
            return []
        _, node = self.waiting[anchor].pop(0)
        self.plan.merging[anchor].append(node)
        self.parent[node], self.depth[node] = anchor, self.depth_inside(anchor) + 1
        return [(anchor, anchor), (node, anchor)]

    def depth_inside(self, anchor: int) -> int:
        """Return how deep the body of an anchor lies."""
        return self.depth[anchor] + self.flow.loops.is_header(anchor)

    def anchor_of(self, node: int) -> int:
        """Return the start of the loop around a node, or of the function."""
        loops = self.flow.loops
        loop = loops.innermost[node]
        if loops.headers[loop] == node:
            loop = loops.parent(loop)
        return max(loops.headers[loop], 0)

    def is_too_deep(self, node: int) -> bool:
        """Whether a node that hangs below another one than its anchor should hang there."""
        anchor = self.anchor_of(node)
        most = DEEPEST_LOOP if self.flow.loops.is_header(node) else DEEPEST_REGION
        return self.parent[node] != anchor and self.depth[node] - self.depth_inside(anchor) > most

    def move(self, node: int) -> None:
        """Let a node wait for its anchor, with all that may come after it on the way there."""
        plan = self.plan
        anchor = self.anchor_of(node)
        moved: list[int] = []
        lower = node
        while (upper := self.parent[lower]) != anchor:
            siblings, start = self.siblings_behind(lower, upper)
            moved += siblings[start:]
            del siblings[start:]
            lower = upper
        upper = self.parent[node]
        for siblings in (plan.nested[upper], plan.merging[upper], plan.after[upper]):
            if node in siblings:
                siblings.remove(node)
        plan.is_nested[node] = False
        for one in (node, *moved):
            self.parent[one] = -1
            insort(self.waiting.setdefault(anchor, []), (self.flow.dominators.number[one], one))

    def siblings_behind(self, node: int, parent: int) -> tuple[list[int], int]:
        """Return the children of a node to which control can fall from one of them, as a part of a list."""
        for siblings in (self.plan.after[parent], self.plan.merging[parent]):
            if node in siblings:
                return siblings, siblings.index(node) + 1
        return self.plan.merging[parent], 0
