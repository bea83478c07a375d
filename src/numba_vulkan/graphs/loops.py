"""The loops of a reducible graph and how they nest."""

from __future__ import annotations

from dataclasses import dataclass

from .ancestors import AncestorTree
from .dominators import DominatorTree

__all__ = ["NO_LOOP", "LoopNest", "loop_nest"]

# The root of the nest: the whole function, which is no loop.
NO_LOOP = 0


@dataclass(frozen=True)
class LoopNest:
    """The natural loops of a graph, numbered from 1 on, outer ones before inner ones.

    Attributes
    ----------
    headers : list of int
        The header of each loop; -1 for `NO_LOOP`.
    innermost : list of int
        The innermost loop that holds each node.
    nest : AncestorTree
        The parent of a loop is the loop around it, or `NO_LOOP`.
    """

    headers: list[int]
    innermost: list[int]
    nest: AncestorTree

    def parent(self, loop: int) -> int:
        """Return the loop around ``loop``."""
        return self.nest.parent[loop]

    def is_header(self, node: int) -> bool:
        """Whether a loop begins at ``node``."""
        return self.headers[self.innermost[node]] == node

    def contains(self, loop: int, node: int) -> bool:
        """Whether ``node`` lies in ``loop`` or in a loop inside it."""
        inner = self.innermost[node]
        return inner == loop or self.nest.is_ancestor(loop, inner)

    def outermost(self, node: int) -> int:
        """Return the outermost loop that holds ``node``; `NO_LOOP` if there is none."""
        return self.nest.ancestor(self.innermost[node], 1)

    def outermost_left(self, source: int, target: int) -> int:
        """Return the outermost loop that holds ``source`` but not ``target``; `NO_LOOP` if there is none."""
        inner, outer = self.innermost[source], self.innermost[target]
        if inner == outer:
            return NO_LOOP
        shared = self.nest.common_ancestor(inner, outer)
        return NO_LOOP if shared == inner else self.nest.ancestor(inner, self.nest.depth[shared] + 1)


def loop_nest(dominators: DominatorTree) -> LoopNest:
    """Find the natural loops; all back edges to one header make one loop. O(n log n)."""
    number, into = dominators.number, dominators.predecessors
    headers = [-1]
    latches: list[list[int]] = [[]]
    for node in dominators.order:
        sources = [source for source in into[node] if number[source] >= number[node]]
        if sources:
            headers.append(node)
            latches.append(sources)
    innermost = [NO_LOOP] * len(number)
    parents = [NO_LOOP] * len(headers)
    # The outermost loop known so far around each loop, with shortened paths.
    top = list(range(len(headers)))
    for loop in range(len(headers) - 1, 0, -1):
        innermost[headers[loop]] = loop
        work = latches[loop]
        while work:
            node = work.pop()
            inner = innermost[node]
            if inner == NO_LOOP:
                innermost[node] = loop
                work.extend(into[node])
                continue
            while top[inner] != inner:
                top[inner] = top[top[inner]]
                inner = top[inner]
            if inner != loop:
                parents[inner] = top[inner] = loop
                work.extend(into[headers[inner]])
    nest = AncestorTree(len(headers))
    for loop in range(1, len(headers)):
        nest.add(loop, parents[loop])
    return LoopNest(headers, innermost, nest)
