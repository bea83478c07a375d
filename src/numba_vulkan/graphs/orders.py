"""Orders of the nodes of a graph, without recursion."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Successors", "predecessors", "reverse_postorder"]

# The successors of each node; nodes are the integers from 0 on.
Successors = Sequence[Sequence[int]]


def reverse_postorder(successors: Successors, entry: int = 0) -> list[int]:
    """Return the nodes that ``entry`` reaches, each after all its predecessors but those of back edges.

    Parameters
    ----------
    successors : sequence of sequence of int
        The successors of each node.
    entry : int
        Where control enters the graph.

    Returns
    -------
    list of int
        ``entry`` first; the first successor of a node comes before the second one where the graph leaves a choice.
    """
    seen = bytearray(len(successors))
    seen[entry] = 1
    postorder: list[int] = []
    # Successors are visited last to first, so that the reversed order has them first to last.
    stack = [(entry, reversed(successors[entry]))]
    while stack:
        node, rest = stack[-1]
        for successor in rest:
            if not seen[successor]:
                seen[successor] = 1
                stack.append((successor, reversed(successors[successor])))
                break
        else:
            postorder.append(node)
            stack.pop()
    postorder.reverse()
    return postorder


def predecessors(successors: Successors, nodes: Sequence[int]) -> list[list[int]]:
    """Return for each node those among ``nodes`` that have an edge to it."""
    result: list[list[int]] = [[] for _ in successors]
    for node in nodes:
        for successor in successors[node]:
            result[successor].append(node)
    return result
