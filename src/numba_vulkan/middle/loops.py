"""The loops of a function as those see them who write them anew: blocks, ways in, and the one way out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..graphs.dominators import dominator_tree
from ..graphs.loops import NO_LOOP, loop_nest
from ..llvmir.model import Block, Function
from .blocks import successors_of

__all__ = ["Ends", "Loop", "loops_of"]


class Ends(NamedTuple):
    """The only block that leads back to a header, and the only one from which the loop is left, once in each round."""

    latch: Block
    leaving: Block


@dataclass(frozen=True, eq=False)
class Loop:
    """A natural loop.

    Attributes
    ----------
    number, parent : int
        Its number in the nest of loops, and that of the loop around it.
    is_innermost : bool
        Whether there is no loop in it.
    blocks : list of Block
        Those of the loop and of loops in it, each behind those that lead to it without coming round: the header first.
    entries : list of Block
        The blocks from which control enters it.
    ends : Ends or None
        Where its rounds end, if that is one block each.
    """

    number: int
    parent: int
    is_innermost: bool
    blocks: list[Block]
    entries: list[Block]
    ends: Ends | None


def loops_of(function: Function) -> list[Loop]:
    """Return the loops of a function, outer ones before inner ones."""
    blocks = function.blocks
    successors = successors_of(function)
    dominators = dominator_tree(successors, lambda node: str(blocks[node]))
    nest = loop_nest(dominators)
    members: list[list[int]] = [[] for _ in nest.headers]
    for node in dominators.order:
        loop = nest.innermost[node]
        while loop != NO_LOOP:
            members[loop].append(node)
            loop = nest.parent(loop)
    outer = {nest.parent(loop) for loop in range(1, len(nest.headers))}
    found: list[Loop] = []
    for loop in range(1, len(nest.headers)):
        inside = set(members[loop])
        sources = dominators.predecessors[nest.headers[loop]]
        latches = [node for node in sources if node in inside]
        exits = [node for node in members[loop] if not inside.issuperset(successors[node])]
        is_simple = (
            len(latches) == len(exits) == 1
            and nest.innermost[exits[0]] == loop
            and dominators.dominates(exits[0], latches[0])
        )
        found.append(
            Loop(
                loop,
                nest.parent(loop),
                loop not in outer,
                [blocks[node] for node in members[loop]],
                [blocks[node] for node in sources if node not in inside],
                Ends(blocks[latches[0]], blocks[exits[0]]) if is_simple else None,
            )
        )
    return found
