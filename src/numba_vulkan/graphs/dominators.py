"""The dominator tree of a reducible graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import SpirvCodegenError
from .ancestors import AncestorTree
from .orders import Successors, predecessors, reverse_postorder

__all__ = ["DominatorTree", "dominator_tree"]


@dataclass(frozen=True)
class DominatorTree:
    """Who dominates whom.

    Attributes
    ----------
    order : list of int
        The reachable nodes in reverse postorder.
    number : list of int
        The position of each node in ``order``, -1 for unreachable ones.
    predecessors : list of list of int
        The reachable predecessors of each node.
    tree : AncestorTree
        The parent of a node is its immediate dominator.
    """

    order: list[int]
    number: list[int]
    predecessors: list[list[int]]
    tree: AncestorTree

    def parent(self, node: int) -> int:
        """Return the immediate dominator of ``node``; the entry has itself."""
        return self.tree.parent[node]

    def dominates(self, upper: int, lower: int) -> bool:
        """Whether each way to ``lower`` leads through ``upper``; a node dominates itself."""
        return self.tree.is_ancestor(upper, lower)

    def is_back_edge(self, source: int, target: int) -> bool:
        """Whether the edge closes a loop."""
        return self.number[target] <= self.number[source]


def dominator_tree(successors: Successors, name: Callable[[int], str] = str) -> DominatorTree:
    """Compute the dominator tree of the nodes that node 0 reaches.

    The graph without its retreating edges is acyclic; there the immediate dominator of a node is the common ancestor
    of its predecessors, known once they are. In a reducible graph, retreating edges change nothing: they lead to
    dominators of their source. That is checked. O(n log n).

    Parameters
    ----------
    successors : sequence of sequence of int
        The successors of each node.
    name : callable
        What to call a node in an error.

    Raises
    ------
    SpirvCodegenError
        If the graph has a cycle that can be entered at two places; the message names its edge.
    """
    order = reverse_postorder(successors)
    number = [-1] * len(successors)
    for position, node in enumerate(order):
        number[node] = position
    into = predecessors(successors, order)
    tree = AncestorTree(len(successors))
    retreating: list[tuple[int, int]] = []
    for node in order:
        dominator = -1
        for source in into[node]:
            if number[source] >= number[node]:
                retreating.append((source, node))
            elif dominator < 0:
                dominator = source
            elif dominator != source:
                dominator = tree.common_ancestor(dominator, source)
        if dominator >= 0:
            tree.add(node, dominator)
    for source, target in retreating:
        if not tree.is_ancestor(target, source):
            raise SpirvCodegenError(
                f"irreducible control flow: the loop through the edge from {name(source)} to {name(target)} can be "
                f"entered without passing {name(target)}; shaders have no form for it; please report it"
            )
    return DominatorTree(order, number, into, tree)
