"""Orders, dominators and loops against their definitions, on small random graphs, and on deep ones."""

from __future__ import annotations

import random

import pytest

from differential.random_graphs import Shape, random_graph
from numba_vulkan.errors import SpirvCodegenError
from numba_vulkan.graphs.ancestors import AncestorTree
from numba_vulkan.graphs.dominators import dominator_tree
from numba_vulkan.graphs.loops import NO_LOOP, loop_nest
from numba_vulkan.graphs.orders import predecessors, reverse_postorder

Graph = list[list[int]]


def reached(successors: Graph, removed: int = -1) -> set[int]:
    """Nodes that the entry reaches without passing one of them."""
    seen: set[int] = set()
    work = [0]
    while work:
        node = work.pop()
        if node != removed and node not in seen:
            seen.add(node)
            work += successors[node]
    return seen


def random_graphs(count: int) -> list[Graph]:
    rng = random.Random(5)
    graphs = [random_graph(rng, Shape(rng.choice((3, 6, 12, 25)))) for _ in range(count)]
    return [[list(dict.fromkeys(targets)) for targets in graph] for graph in graphs]


GRAPHS = random_graphs(200)


def test_reverse_postorder_puts_nodes_after_their_predecessors():
    for graph in GRAPHS:
        order = reverse_postorder(graph)
        assert set(order) == reached(graph)
        assert len(order) == len(set(order))
        number = {node: place for place, node in enumerate(order)}
        # The random graphs stand in a line in which only back edges lead back.
        for node in order:
            assert all(number[target] > number[node] for target in graph[node] if target > node)


def test_reverse_postorder_keeps_the_order_of_successors():
    assert reverse_postorder([[1, 2], [3], [3], []]) == [0, 1, 2, 3]
    assert reverse_postorder([[2, 1], [3], [3], []]) == [0, 2, 1, 3]


def test_predecessors():
    assert predecessors([[1, 2], [2], [0], [2]], [0, 1, 2]) == [[2], [0], [0, 1], []]


def test_dominators_are_those_of_the_definition():
    for graph in GRAPHS:
        tree = dominator_tree(graph)
        nodes = reached(graph)
        for upper in nodes:
            cut = nodes - reached(graph, removed=upper)
            for lower in nodes:
                assert tree.dominates(upper, lower) == (lower in cut or lower == upper)


def test_immediate_dominator_is_the_nearest():
    tree = dominator_tree([[1, 2], [3], [3], [4], [3, 5], []])
    assert [tree.parent(node) for node in range(6)] == [0, 0, 0, 0, 3, 4]


def test_loops_are_those_of_the_definition():
    found = 0
    for graph in GRAPHS:
        tree = dominator_tree(graph)
        nest = loop_nest(tree)
        bodies = natural_loops(graph, tree.order)
        assert sorted(nest.headers[1:]) == sorted(bodies)
        found += len(bodies)
        for loop in range(1, len(nest.headers)):
            body = {node for node in tree.order if nest.contains(loop, node)}
            assert body == bodies[nest.headers[loop]]
            assert nest.parent(loop) < loop
        for node in tree.order:
            assert nest.is_header(node) == (node in bodies)
            around = [body for body in bodies.values() if node in body]
            assert nest.nest.depth[nest.innermost[node]] == len(around)
    assert found > 100


def natural_loops(graph: Graph, order: list[int]) -> dict[int, set[int]]:
    """For each header, what reaches its back edges without passing it."""
    number = {node: place for place, node in enumerate(order)}
    into = predecessors(graph, order)
    loops: dict[int, set[int]] = {}
    for node in order:
        for header in graph[node]:
            if number[header] <= number[node]:
                body = loops.setdefault(header, {header})
                work = [node]
                while work:
                    inner = work.pop()
                    if inner not in body:
                        body.add(inner)
                        work += into[inner]
    return loops


def test_outermost_loop_left():
    # 1 { 2 { 3 } 4 } 5
    nest = loop_nest(dominator_tree([[1], [2], [3], [2, 4], [1, 5], []]))
    outer, inner = nest.innermost[1], nest.innermost[2]
    assert nest.outermost_left(3, 5) == outer
    assert nest.outermost_left(3, 4) == inner
    assert nest.outermost_left(3, 2) == NO_LOOP
    assert nest.outermost_left(5, 1) == NO_LOOP


def test_irreducible_graphs_are_named():
    with pytest.raises(SpirvCodegenError, match=r"edge from node[12] to node[12] can be entered without"):
        dominator_tree([[1, 2], [2, 3], [1], []], lambda node: f"node{node}")


def test_ancestors_against_the_definition():
    rng = random.Random(2)
    tree = AncestorTree(300)
    for node in range(1, 300):
        tree.add(node, rng.randrange(max(0, node - 5), node))

    def path(node: int) -> list[int]:
        nodes = [node]
        while nodes[-1]:
            nodes.append(tree.parent[nodes[-1]])
        return nodes[::-1]

    for _ in range(500):
        left, right = rng.randrange(300), rng.randrange(300)
        shared = [a for a, b in zip(path(left), path(right), strict=False) if a == b]
        assert tree.common_ancestor(left, right) == shared[-1]
        assert tree.is_ancestor(left, right) == (left in path(right))
        depth = rng.randrange(len(path(left)))
        assert tree.ancestor(left, depth) == path(left)[depth]


def test_deep_graphs_need_no_recursion():
    count = 20_000
    chain = [[node + 1] for node in range(count)] + [[]]
    assert reverse_postorder(chain) == list(range(count + 1))
    # Loops one inside the other: all go on to the middle, then each has its back edge.
    nested = [[node + 1] for node in range(count // 2)]
    nested += [[count - node, node + 1] for node in range(count // 2, count)] + [[]]
    tree = dominator_tree(nested)
    nest = loop_nest(tree)
    assert len(nest.headers) == count // 2 + 1
    assert nest.nest.depth[nest.innermost[count // 2]] == count // 2
    assert tree.dominates(0, count)
