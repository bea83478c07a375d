"""Let invocations that jump ahead of a barrier meet the others again in front of it.

Where invocations part and both ways lead to a barrier, they meet again before it, were it not for jumps: a return, a
break or a continue somewhere on the ways. Such a jump notes where it wants to go and goes where the others meet; there
a test sends it on. So what parts in front of the barrier is that test alone, one way of which ends at the barrier and
the other where the jump led.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..llvmir.build import Builder
from ..llvmir.model import Block, Function, Instruction
from .blocks import merge_incoming
from .redirection import Jumps, redirect
from .uniformity import Uniformity

__all__ = ["run"]


def run(function: Function, node: int, uniformity: Uniformity) -> bool:
    """Redirect the jumps behind a block where invocations part, or prepare it; return whether anything has changed.

    Parameters
    ----------
    function : Function
        Changed in place.
    node : int
        The number of the block.
    uniformity : Uniformity
        What is known of the function as it is.
    """
    return any(_try(function, start, loop, uniformity) for start, loop in _starts(node, uniformity))


def _try(function: Function, start: int, loop: int, uniformity: Uniformity) -> bool:
    """Redirect what jumps behind a block, seen within a loop; return whether anything has changed."""
    ahead = _look_ahead(start, loop, uniformity)
    meeting = _meeting(start, loop, ahead, uniformity)
    if meeting >= 0:
        jumps = _find(start, meeting, loop, uniformity)
        if jumps is not None:
            redirect(function, jumps)
        return jumps is not None
    if ahead.barriers or len(ahead.shared) != 1:
        return False
    blocks = uniformity.blocks
    ((shared, sources),) = ahead.shared.items()
    _meet_first(function, [blocks[n] for n in sorted(sources)], blocks[shared])
    return True


# ---- the search


@dataclass(frozen=True)
class _Ahead:
    """What invocations come to from a block on, in this round of the loop around it.

    Attributes
    ----------
    barriers : set of int
        The first barriers that only they come to.
    shared : dict
        The first nodes that others come to as well, if these lead to barriers: the nodes in front of each.
    """

    barriers: set[int]
    shared: dict[int, set[int]]


def _starts(node: int, uniformity: Uniformity) -> list[tuple[int, int]]:
    """Return from where to look ahead, and the loop around it: headers of loops without barriers first, outer ones."""
    loops = uniformity.loops
    start, loop = node, loops.innermost[node]
    found = [(start, loop)]
    while loop and not any(loops.contains(loop, barrier) for barrier in uniformity.barriers):
        start, loop = loops.headers[loop], loops.parent(loop)
        found.append((start, loop))
    return found[::-1]


def _look_ahead(start: int, loop: int, uniformity: Uniformity) -> _Ahead:
    """Follow control from a block on to barriers, and as far as only they come; without any, to the next round."""
    loops, dominators = uniformity.loops, uniformity.dominators
    header = loops.headers[loop]
    barriers: set[int] = set()
    shared: dict[int, set[int]] = {}
    seen = {start}
    work = [start]
    while work:
        node = work.pop()
        for target in uniformity.successors[node]:
            if target in seen or (loop and not loops.contains(loop, target)):
                continue
            if target == header or not dominators.dominates(start, target):
                shared.setdefault(target, set()).add(node)
            else:
                seen.add(target)
                if target in uniformity.barriers:
                    barriers.add(target)
                else:
                    work.append(target)
    leading = _that_lead_to(uniformity.barriers, shared, loop, uniformity)
    if not barriers and not leading:
        leading = _that_lead_to({header}, shared, loop, uniformity)
    return _Ahead(barriers, leading)


def _that_lead_to(
    goals: set[int], shared: dict[int, set[int]], loop: int, uniformity: Uniformity
) -> dict[int, set[int]]:
    """Return those nodes of ``shared`` from which control comes to goals before the next round of a loop begins."""
    loops = uniformity.loops
    header = loops.headers[loop]
    found: dict[int, set[int]] = {}
    for node, sources in shared.items():
        reached = uniformity.reach([node], {header})
        at_header = node == header or any(header in uniformity.successors[n] for n in reached)
        inside = {n for n in reached if not loop or loops.contains(loop, n)}
        if not goals.isdisjoint(inside) or (header in goals and at_header):
            found[node] = sources
    return found


def _meeting(start: int, loop: int, ahead: _Ahead, uniformity: Uniformity) -> int:
    """Return the first node behind ``start`` that every way to what is ahead passes; -1 for none."""
    loops, dominators = uniformity.loops, uniformity.dominators
    goals = ahead.barriers.union(*ahead.shared.values())
    if not goals:
        return -1
    common = min(goals)
    for goal in goals:
        common = dominators.tree.common_ancestor(common, goal)
    inner = loops.innermost[start]
    chain: list[int] = []
    while common != start:
        chain.append(common)
        common = dominators.parent(common)
    left = [n for n in reversed(chain) if inner == loop or not loops.contains(inner, n)]
    return left[0] if left else -1


def _find(start: int, meeting: int, loop: int, uniformity: Uniformity) -> Jumps | None:
    """Return what goes elsewhere between a block and where most meet."""
    loops = uniformity.loops
    behind = uniformity.reach(uniformity.successors[meeting], {start}) | {meeting}
    between = {
        n
        for n in uniformity.reach(uniformity.successors[start], {start, meeting})
        if n not in behind
        and uniformity.dominators.dominates(start, n)
        and (not loop or loops.contains(loop, n))
    }
    targets = {s: None for n in sorted(between) for s in uniformity.successors[n] if s not in between}
    for known in (meeting, start):
        targets.pop(known, None)
    if not targets or not uniformity.barriers.isdisjoint(between):
        return None
    own = {s: None for s in uniformity.successors[start] if s not in between and s != meeting}

    def nearness(target: int) -> tuple[int, int]:
        return loops.nest.depth[loops.innermost[target]], -uniformity.dominators.number[target]

    blocks, inside = uniformity.blocks, between | {start}
    return Jumps(
        start=blocks[start],
        meeting=blocks[meeting],
        between=tuple(blocks[n] for n in uniformity.dominators.order if n in inside),
        targets=tuple(blocks[n] for n in sorted({**targets, **own}, key=nearness)),
    )


def _meet_first(function: Function, sources: list[Block], target: Block) -> None:
    """Put a block in front of another one for those that come from some."""
    meeting = Block(f"{target.name}.first")
    for phi in target.phis():
        incoming = zip(phi.targets, phi.operands, strict=True)
        ours = {source: value for source, value in incoming if source in sources}
        value = Instruction("phi", phi.type, list(ours.values()), targets=list(ours), location=phi.location)
        meeting.instructions.append(value)
        merge_incoming(phi, sources, meeting, value)
    Builder(meeting.instructions, target.terminator.location).branch(target)
    for source in sources:
        terminator = source.terminator
        terminator.targets = [meeting if t is target else t for t in terminator.targets]
    function.blocks.insert(function.blocks.index(target), meeting)
