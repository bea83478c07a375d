"""The checker's judgement of structured and unstructured graphs."""

from __future__ import annotations

import pytest

from numba_vulkan.spirv.check import check
from unit.spirv_graphs import STRUCTURED, graph, random_graph
from unit.spirv_ir import ALL, spirv_val
from unit.spirv_modules import accepted_by_spirv_val, rule_of

UNSTRUCTURED = {
    "missing merge": "e: a b\na: m\nb: m\nm: ret",
    "missing switch merge": "e: switch d a\na: d\nd: ret",
    "back edge": "e: h\nh: b m\nb: h\nm: ret",
    "two back edges": "e: h\nh: a m ; loop m c\na: h c\nc: h\nm: ret",
    "no back edge": "e: h\nh: b m ; loop m c\nb: m\nc: m\nm: ret",
    "irreducible": "e: a b ; merge m\na: b m\nb: a m\nm: ret",
    "shared merge": "e: a m ; merge m\na: b m ; merge m\nb: m\nm: ret",
    "shared merge of loop": "e: h\nh: i m ; loop m c\ni: j m ; loop m d\nj: d\nd: i\nc: h\nm: ret",
    "merge not dominated": "e: a m ; merge m\na: b n ; merge x\nb: n\nn: m\nm: x\nx: ret",
    "continue not dominated": "e: a c ; merge c\na: h\nh: b m ; loop m c\nb: c\nc: h\nm: ret",
    "into a selection": "e: a b ; merge m\na: x y ; merge z\nx: z\ny: z\nz: m\nb: x\nm: ret",
    "out of a selection": "e: a m ; merge m\na: b n ; merge n\nb: m\nn: o\no: m\nm: ret",
    "break two loops": "e: h\nh: i m ; loop m c\ni: j n ; loop n d\nj: m d\nd: i\nn: c\nc: h\nm: ret",
    "continue outer loop": "e: h\nh: i m ; loop m c\ni: j n ; loop n d\nj: c d\nd: i\nn: c\nc: h\nm: ret",
    "from merge into selection": "e: a m ; merge m\na: b\nm: b\nb: ret",
    "leave continue": "e: h\nh: b m ; loop m c\nb: c\nc: x m\nx: h\nm: ret",
    "return in continue": "e: h\nh: b m ; loop m c\nb: c\nc: x r\nr: ret\nx: h\nm: ret",
    "back edge before continue": "e: h\nh: b m ; loop m c\nb: h\nc: m\nm: ret",
    "fall through twice": "e: switch m a b d ; merge m\na: d\nb: d\nd: m\nm: ret",
    "fall through back": "e: switch m a b ; merge m\nb: a\na: m\nm: ret",
    "fall out of a switch": ("e: switch m a b ; merge m\na: switch n x ; merge n\nx: b\nn: m\nb: m\nm: ret"),
    "block order": "e: a\nb: ret\na: b",
    "merge of nothing": "e: a ; loop m c\na: m\nm: c\nc: ret",
    "selection before branch": "e: a ; merge m\na: m\nm: ret",
    "loop before switch": "e: h\nh: switch m c ; loop m c\nc: h\nm: ret",
    "back to entry": "e: a\na: e",
}
STRICTER = {"no block leads here": "e: a\na: ret\nb: ret"}


@pytest.mark.parametrize("name", STRUCTURED)
def test_structured_graphs(name):
    spirv = graph(STRUCTURED[name]).emit().spirv
    check(spirv, ALL)
    spirv_val(spirv)


@pytest.mark.parametrize("name", UNSTRUCTURED)
def test_unstructured_graphs(name):
    spirv = graph(UNSTRUCTURED[name]).emit().spirv
    assert rule_of(spirv) != ""
    assert not accepted_by_spirv_val(spirv)


@pytest.mark.parametrize("name", STRICTER)
def test_graphs_that_only_this_package_refuses(name):
    spirv = graph(STRICTER[name]).emit().spirv
    assert rule_of(spirv) == "reachable blocks"
    assert accepted_by_spirv_val(spirv)


def test_random_graphs_are_judged_as_by_spirv_val():
    """Where both judge; blocks that nothing leads to are refused here only."""
    agreed = {True: 0, False: 0}
    for seed in range(250):
        spirv = graph(random_graph(seed, 5)).emit().spirv
        rule, accepted = rule_of(spirv), accepted_by_spirv_val(spirv)
        if accepted and rule in ("reachable blocks", "block order"):
            continue
        assert (rule == "") == accepted, f"seed {seed}: {rule}"
        agreed[accepted] += 1
    assert min(agreed.values()) > 50


def test_long_and_deep_functions():
    chain = "\n".join(f"b{k}: t{k} b{k + 1} ; merge b{k + 1}\nt{k}: b{k + 1}" for k in range(2000))
    check(graph(f"e: b0\n{chain}\nb2000: ret").emit().spirv, ALL)
    opening = "\n".join(f"b{k}: b{k + 1} m{k} ; merge m{k}" for k in range(1500))
    closing = "\n".join(f"m{k}: {f'm{k - 1}' if k else 'end'}" for k in reversed(range(1500)))
    check(graph(f"e: b0\n{opening}\nb1500: m1499\n{closing}\nend: ret").emit().spirv, ALL)
