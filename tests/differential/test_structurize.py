"""Random control flow behaves the same before and after the structurizer, and keeps the rules while it runs."""

from __future__ import annotations

import random

import numpy as np

from differential import control_shapes
from differential.interpreter import Program, StepLimitError
from differential.random_graphs import SEEDS, TRACE, Shape, random_function
from numba_vulkan.kernel import KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.model import Function
from numba_vulkan.llvmir.verify import verify
from numba_vulkan.middle import check_structure, select_branches, structurize
from numba_vulkan.middle.passes import Context

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
        select_branches.run(function, CONTEXT)
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
