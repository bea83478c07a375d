"""Random control flow behaves the same before and after the structurizer, and keeps the rules while it runs."""

from __future__ import annotations

import functools
import random

import numpy as np
import pytest

from differential import control_shapes
from differential.interpreter import Program, StepLimitError
from differential.random_graphs import SEEDS, TRACE, Shape, random_function
from numba_vulkan.errors import VulkanUnsupportedError
from numba_vulkan.kernel import KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.model import Function
from numba_vulkan.llvmir.verify import verify
from numba_vulkan.middle import (
    carry_values,
    check_structure,
    join_branches,
    select_branches,
    split_switches,
    structurize,
)
from numba_vulkan.middle.passes import Context
from numba_vulkan.middle.structure import flatten

CONTEXT = Context(KernelInterface("random", __file__, 1), Variant(TargetProfile()))
GRAPHS = 500
LANES = 3
STEPS = 3000


def traces(function: Function, seeds: np.ndarray, steps: int) -> list[list[tuple[int, int, object]]]:
    """All stores of each invocation in order."""
    program = Program(function)
    result = []
    for lane in range(len(seeds)):
        memory = {SEEDS: seeds, TRACE: np.zeros(len(seeds), np.uint32)}
        result.append(program.run(memory, {"nv.id.global": (lane, 0, 0)}, max_steps=steps).stores)
    return result


def test_random_graphs_keep_their_traces(program_seed: int):
    rng = random.Random(program_seed)
    compared = tests = loops = switches = 0
    while compared < GRAPHS:
        function = random_function(rng, Shape(rng.choice((4, 8, 15, 25, 45))))
        seeds = np.array([rng.getrandbits(32) for _ in range(LANES)], np.uint32)
        try:
            before = traces(function, seeds, STEPS)
        except StepLimitError:
            continue  # it never ends
        structurize.run(function)
        verify(function)
        check_structure.check(function)
        assert traces(function, seeds, 20 * STEPS) == before
        compared += 1
        tests += sum(".test" in block.name for block in function.blocks)
        loops += sum(".loop" in block.name for block in function.blocks)
        switches += sum(block.terminator.opcode == "switch" for block in function.blocks)
    # The graphs are as wild as they are meant to be.
    assert tests > GRAPHS / 2
    assert loops > GRAPHS
    assert switches > GRAPHS / 2


def test_random_graphs_with_selects_keep_their_traces(program_seed: int):
    rng = random.Random(program_seed)
    compared = chosen = 0
    while compared < GRAPHS:
        function = random_function(rng, Shape(rng.choice((4, 8, 15, 25, 45)), silent=0.8))
        seeds = np.array([rng.getrandbits(32) for _ in range(LANES)], np.uint32)
        try:
            before = traces(function, seeds, STEPS)
        except StepLimitError:
            continue  # it never ends
        count = len(function.blocks)
        for step in (select_branches, join_branches, carry_values):
            step.run(function, CONTEXT)
            verify(function)
        assert traces(function, seeds, STEPS) == before
        compared += 1
        chosen += count - len(function.blocks)
    assert chosen > GRAPHS / 10


def test_shapes_keep_their_traces():
    rng = random.Random(1)
    for build in (
        lambda: control_shapes.sequential_conditions(40),
        lambda: control_shapes.nested_conditions(30),
        lambda: control_shapes.elif_chain(20),
        lambda: control_shapes.jumps_to_one_block(20),
        lambda: control_shapes.wide_switch(9),
    ):
        seeds = np.array([rng.getrandbits(32) for _ in range(8)], np.uint32)
        function = build()
        before = traces(function, seeds, STEPS)
        assert all(before)
        structurize.run(function)
        assert traces(function, seeds, STEPS) == before


# ---------------------------------------------------------------- drivers that keep few branches apart


def context_of(branch_depth: int) -> Context:
    return Context(CONTEXT.interface, Variant(TargetProfile(branch_depth=branch_depth)))


def construct_depth(function: Function) -> int:
    """How deep constructs lie in each other."""
    checker = check_structure._Checker(function)
    checker.declarations()
    checker.find_constructs()
    depths = [0]
    for construct in set(checker.inside):
        depth, around = 0, construct
        while around is not None:
            depth, around = depth + 1, around.parent
        depths.append(depth)
    return max(depths)


def test_random_graphs_with_few_masks_keep_their_traces(program_seed: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(flatten, "DEEPEST_REGION", 2)
    monkeypatch.setattr(flatten, "DEEPEST_LOOP", 1)
    monkeypatch.setattr(split_switches, "MOST_CASES", 2)
    context = context_of(7)
    rng = random.Random(program_seed)
    flattened = compared = 0
    while flattened < GRAPHS / 5:
        function = random_function(rng, Shape(rng.choice((15, 25, 45, 90))))
        seeds = np.array([rng.getrandbits(32) for _ in range(LANES)], np.uint32)
        try:
            before = traces(function, seeds, STEPS)
        except StepLimitError:
            continue  # it never ends
        split_switches.run(function, context)
        verify(function)
        assert traces(function, seeds, 4 * STEPS) == before
        try:
            structurize.run(function, context)
        except VulkanUnsupportedError:
            continue  # loops in each other
        verify(function)
        check_structure.check(function)
        assert traces(function, seeds, 40 * STEPS) == before
        compared += 1
        flattened += any(block.name == "b0.after" for block in function.blocks)
    assert compared < 20 * flattened


DEEP = {
    shape.__name__: shape
    for shape in (
        control_shapes.nested_conditions,
        control_shapes.elif_chain,
        control_shapes.jumps_to_one_block,
        control_shapes.wide_switch,
    )
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_shapes_become_flat(name: str):
    build = functools.partial(DEEP[name], 200)
    rng = random.Random(2)
    seeds = np.array([rng.getrandbits(32) for _ in range(4)], np.uint32)
    function = build()
    assert flatten.depth_of(function) > 100
    before = traces(function, seeds, STEPS)
    context = context_of(72)
    split_switches.run(function, context)
    structurize.run(function, context)
    verify(function)
    check_structure.check(function)
    assert construct_depth(function) < 40
    assert traces(function, seeds, 20 * STEPS) == before


def test_loops_deeper_than_the_driver_keeps_apart_are_refused():
    with pytest.raises(VulkanUnsupportedError, match=r"deep in each other here.*choose another device"):
        structurize.run(control_shapes.nested_loops(80), context_of(72))
