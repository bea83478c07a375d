"""A tree that grows by leaves and answers questions about ancestors in logarithmic time."""

from __future__ import annotations

__all__ = ["AncestorTree"]


class AncestorTree:
    """A tree of the nodes 0 to ``size`` - 1, filled from the root down by `add`.

    Each node has, besides its parent, one ancestor further up to jump to. The lengths of the jumps follow the skew
    binary numbers (Myers, "An applicative random-access stack", 1983), so nodes of one depth jump to one depth.

    Attributes
    ----------
    parent : list of int
        The parent of each node, the root itself for the root.
    depth : list of int
        Edges from the root to each node, -1 for nodes that were not added.
    """

    __slots__ = ("_jump", "depth", "parent")

    def __init__(self, size: int, root: int = 0) -> None:
        self.parent = [root] * size
        self.depth = [-1] * size
        self._jump = [root] * size
        self.depth[root] = 0

    def add(self, node: int, parent: int) -> None:
        """Hang ``node`` below ``parent``, which is in the tree."""
        depth, jump = self.depth, self._jump
        near = jump[parent]
        far = jump[near]
        self.parent[node] = parent
        depth[node] = depth[parent] + 1
        jump[node] = far if depth[parent] - depth[near] == depth[near] - depth[far] else parent

    def ancestor(self, node: int, depth: int) -> int:
        """Return the ancestor of ``node`` at ``depth``, the node itself at its own depth."""
        depths, jump = self.depth, self._jump
        while depths[node] > depth:
            node = jump[node] if depths[jump[node]] >= depth else self.parent[node]
        return node

    def common_ancestor(self, left: int, right: int) -> int:
        """Return the deepest node that is an ancestor of both, or one of them."""
        depth, jump, parent = self.depth, self._jump, self.parent
        if depth[left] > depth[right]:
            left = self.ancestor(left, depth[right])
        else:
            right = self.ancestor(right, depth[left])
        while left != right:
            if jump[left] == jump[right]:
                left, right = parent[left], parent[right]
            else:
                left, right = jump[left], jump[right]
        return left

    def is_ancestor(self, upper: int, lower: int) -> bool:
        """Whether ``upper`` is ``lower`` or lies on its way to the root."""
        depth = self.depth[upper]
        return depth <= self.depth[lower] and self.ancestor(lower, depth) == upper
