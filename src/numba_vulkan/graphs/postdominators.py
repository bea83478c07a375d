"""Where control meets again after it has parted."""

from __future__ import annotations

from .orders import Successors, predecessors, reverse_postorder

__all__ = ["immediate_postdominators"]


def immediate_postdominators(successors: Successors) -> list[int]:
    """Return for each node the first one that every way from it to the end passes; -1 where only the end itself is.

    Nodes without successors lead to the end. From where control never ends, no way counts: such nodes get -1 too. Any
    graph will do; the search repeats until nothing changes, which is once for a reducible graph and its reverse.
    """
    count = len(successors)
    end = count
    reversed_edges: list[list[int]] = [*predecessors(successors, range(count)), []]
    reversed_edges[end] = [node for node in range(count) if not successors[node]]
    order = reverse_postorder(reversed_edges, end)
    number = [-1] * (count + 1)
    for position, node in enumerate(order):
        number[node] = position
    parent = [-1] * (count + 1)
    parent[end] = end
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            following = successors[node] or (end,)
            found = -1
            for other in following:
                if number[other] >= 0 and parent[other] >= 0:
                    found = other if found < 0 else _common(found, other, parent, number)
            if found != parent[node]:
                parent[node] = found
                changed = True
    return [-1 if parent[node] == end else parent[node] for node in range(count)]


def _common(one: int, other: int, parent: list[int], number: list[int]) -> int:
    """Return the nearest node above both."""
    while one != other:
        while number[one] > number[other]:
            one = parent[one]
        while number[other] > number[one]:
            other = parent[other]
    return one
