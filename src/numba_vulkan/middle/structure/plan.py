"""Decide where each block goes: a tree of regions, the order of its blocks, and where jumps have to say their target.

The tree is the dominator tree, except that a block that lies outside of loops its dominator is in hangs below the
header of the outermost of these loops. The children of a block are of three kinds:

* nested: only the block's own branch leads there, so the child stands inside the branch;
* merging: several edges lead there, so the child follows the branch, at its merge block or after it;
* after (of loop headers): the child follows the loop, at its merge block or after it.

The position of a block is its number in the order of the output; the continue block of a loop has one too. Each jump
that is not a child's goes to a later position, or to the header of a loop, which counts as a jump to the position of
its continue block. A jump can go straight to the continue or merge block of the innermost loop; else it goes to the
next merge block. So a merge block is reached on the way to several targets, all at positions not before its own. If
the farthest of them is its own child, nothing has to be tested there; else the merge block tests a variable that
holds the position to go to. To know the farthest target of each region is enough, and linear in the blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ...graphs.loops import NO_LOOP
from .flow import Flow

__all__ = ["NOWHERE", "Jump", "Plan", "complete", "jump_kind", "make_plan", "target_position"]

# No jump falls out of a region, or no jump of a kind leaves a loop.
NOWHERE = -1


class Jump(Enum):
    """What an edge of the graph becomes."""

    NESTED = "the target stands inside the branch"
    FALL = "to the next merge block"
    CONTINUE = "to the continue block of the innermost loop"
    BREAK = "to the merge block of the innermost loop"
    EXIT = "out of the function"


@dataclass(frozen=True)
class Plan:
    """Where blocks go.

    Attributes
    ----------
    nested, merging, after : list of list of int
        The children of each node by kind, in reverse postorder.
    is_nested : list of bool
        Whether each node is a nested child.
    position : list of int
        The place of each node in the output.
    continue_position : list of int
        The place of the continue block of each loop.
    farthest : list of int
        The position of the farthest jump that falls out of the region of each node, `NOWHERE` if none does.
    tested : list of bool
        Whether the merge block in front of a merging or following child must test where to go.
    falls, continues, leaves : list
        Of each loop, for jumps out of it: the farthest position inside the loop around it, or `NOWHERE`; whether one
        goes on with the loop around it; whether one leaves that loop too.
    """

    nested: list[list[int]]
    merging: list[list[int]]
    after: list[list[int]]
    is_nested: list[bool]
    position: list[int]
    continue_position: list[int]
    farthest: list[int]
    tested: list[bool]
    falls: list[int]
    continues: list[bool]
    leaves: list[bool]

    def falls_through(self, node: int) -> bool:
        """Whether control can fall out of the region of ``node``."""
        return self.farthest[node] != NOWHERE

    def children(self, node: int) -> list[int]:
        """Return what hangs below a node, in the order of the output."""
        return [*self.nested[node], *self.merging[node], *self.after[node]]

    def last_positions(self) -> list[int]:
        """Return the last position in the region of each node."""
        last = list(self.position)
        for node in sorted(range(len(last)), key=self.position.__getitem__, reverse=True):
            if children := self.children(node):
                last[node] = last[children[-1]]
        return last


def make_plan(flow: Flow) -> Plan:
    """Return the plan for a flow graph. O(n log n), without recursion."""
    count, loop_count = len(flow.blocks), len(flow.loops.headers)
    plan = Plan(
        nested=[[] for _ in range(count)],
        merging=[[] for _ in range(count)],
        after=[[] for _ in range(count)],
        is_nested=[False] * count,
        position=[0] * count,
        continue_position=[0] * loop_count,
        farthest=[NOWHERE] * count,
        tested=[False] * count,
        falls=[NOWHERE] * loop_count,
        continues=[False] * loop_count,
        leaves=[False] * loop_count,
    )
    _hang_children(flow, plan)
    complete(flow, plan)
    return plan


def complete(flow: Flow, plan: Plan) -> None:
    """Decide anew what follows from where the children of a plan hang."""
    order = _place(flow, plan)
    _follow_breaks(flow, plan)
    _follow_falls(flow, plan, order)


def jump_kind(flow: Flow, plan: Plan, source: int, target: int) -> Jump:
    """Return what the edge becomes."""
    loops = flow.loops
    loop = loops.innermost[source]
    if loops.headers[loop] == target:
        return Jump.CONTINUE
    if not loops.contains(loop, target):
        return Jump.BREAK
    # The only edge to a nested child that is no back edge comes from its parent.
    return Jump.NESTED if plan.is_nested[target] else Jump.FALL


def target_position(flow: Flow, plan: Plan, source: int, target: int) -> int:
    """Return the position that a jump goes to: for a loop around ``source``, that of its continue block."""
    if flow.dominators.is_back_edge(source, target):
        return plan.continue_position[flow.loops.innermost[target]]
    return plan.position[target]


def _hang_children(flow: Flow, plan: Plan) -> None:
    dominators, loops = flow.dominators, flow.loops
    number = dominators.number
    for node in dominators.order[1:]:
        parent = dominators.parent(node)
        left = loops.outermost_left(parent, node)
        if left != NO_LOOP:
            plan.after[loops.headers[left]].append(node)
            continue
        sources = sum(number[source] < number[node] for source in dominators.predecessors[node])
        plan.is_nested[node] = sources == 1
        (plan.nested if sources == 1 else plan.merging)[parent].append(node)


def _place(flow: Flow, plan: Plan) -> list[int]:
    """Give nodes and continue blocks their positions; return the nodes in order."""
    loops = flow.loops
    order: list[int] = []
    position = 0
    work = [0]
    while work:
        item = work.pop()
        if item < 0:
            plan.continue_position[~item] = position
        else:
            plan.position[item] = position
            order.append(item)
            work.extend(reversed(plan.after[item]))
            if loops.is_header(item):
                work.append(~loops.innermost[item])
            work.extend(reversed(plan.merging[item]))
            work.extend(reversed(plan.nested[item]))
        position += 1
    return order


def _follow_breaks(flow: Flow, plan: Plan) -> None:
    """Find out what the jumps out of each loop do in the loop around it."""
    loops = flow.loops
    loop_count = len(loops.headers)
    farthest = [NOWHERE] * loop_count
    plan.falls[:], plan.continues[:], plan.leaves[:] = farthest, [False] * loop_count, [False] * loop_count
    for source, targets in enumerate(flow.successors):
        for target in targets:
            left = loops.outermost_left(source, target)
            if left == NO_LOOP:
                continue
            position = target_position(flow, plan, source, target)
            inner = loops.innermost[source]
            farthest[inner] = max(farthest[inner], position)
            around = loops.parent(left)
            if around != NO_LOOP and loops.headers[around] == target:
                plan.continues[left] = True
            else:
                plan.falls[left] = max(plan.falls[left], position)
    for loop in range(loop_count - 1, NO_LOOP, -1):
        around = loops.parent(loop)
        if around != NO_LOOP and farthest[loop] > plan.continue_position[around]:
            plan.leaves[loop] = True
            farthest[around] = max(farthest[around], farthest[loop])


def _follow_falls(flow: Flow, plan: Plan, order: list[int]) -> None:
    """Find the farthest jump out of each region and the merge blocks that must test, from the leaves up."""
    for node in reversed(order):
        reach = NOWHERE
        for target in flow.successors[node]:
            if jump_kind(flow, plan, node, target) is Jump.FALL:
                reach = max(reach, plan.position[target])
        for child in plan.nested[node]:
            reach = max(reach, plan.farthest[child])
        reach = _through(plan, reach, plan.merging[node])
        if flow.loops.is_header(node):
            assert reach == NOWHERE, f"control falls to the end of the loop at {flow.blocks[node]}"
            reach = _through(plan, plan.falls[flow.loops.innermost[node]], plan.after[node])
        plan.farthest[node] = reach


def _through(plan: Plan, reach: int, children: list[int]) -> int:
    """Return the farthest jump that is left after the merge blocks of ``children``."""
    for child in children:
        assert reach >= plan.position[child]
        plan.tested[child] = reach != plan.position[child]
        if not plan.tested[child]:
            reach = NOWHERE
        reach = max(reach, plan.farthest[child])
    return reach
