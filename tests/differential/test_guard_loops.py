"""Guarded loops: nothing changes as long as the driver lets them run, and a loop that it ends is always reported."""

from __future__ import annotations

import random

import numpy as np

from differential.interpreter import Program, State, StepLimitError
from differential.random_graphs import SEEDS, TRACE, Shape, random_function
from numba_vulkan import abi
from numba_vulkan.kernel import KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.build import Builder
from numba_vulkan.llvmir.model import Block, Function, LoopMerge
from numba_vulkan.llvmir.types import I32
from numba_vulkan.llvmir.verify import verify
from numba_vulkan.middle import check_structure, guard_loops, structurize
from numba_vulkan.middle.passes import Context

CONTEXT = Context(KernelInterface("control", "control.py", 1), Variant(TargetProfile(loop_limit=True)))
GRAPHS = 200
LANES = 3
STEPS = 3000


def states(function: Function, seeds: np.ndarray, steps: int) -> list[State]:
    program = Program(function)
    result = []
    for lane in range(len(seeds)):
        memory = {SEEDS: seeds, TRACE: np.zeros(len(seeds), np.uint32)}
        result.append(program.run(memory, {"nv.id.global": (lane, 0, 0)}, max_steps=steps))
    return result


def end_loops_early(function: Function, iterations: int) -> None:
    """Do what the driver does: after so many iterations of all loops together, go on behind the loop."""
    fuel = Builder([]).alloca(I32, "iterations")
    start = Builder([fuel])
    start.store(start.i32(iterations), fuel)
    headers = [(block, block.merge.merge) for block in function.blocks if isinstance(block.merge, LoopMerge)]
    predecessors = function.predecessors()
    number = {block: position for position, block in enumerate(function.blocks)}
    for header, behind in headers:
        for latch in predecessors[header]:
            if number[latch] < number[header]:
                continue
            test = Block(f"{latch.name}.count")
            function.blocks.append(test)
            b = Builder(test.instructions)
            left = b.binary("sub", b.load(fuel, I32), b.i32(1))
            b.store(left, fuel)
            b.branch_if(b.icmp("sle", left, b.i32(0)), behind, header)
            jump = latch.terminator
            jump.targets = [test if target is header else target for target in jump.targets]
    function.entry.instructions[:0] = start.instructions
    for block in function.blocks:
        block.merge = None


def guarded(rng: random.Random) -> tuple[Function, np.ndarray, list[State]] | None:
    """A random function after the pass, inputs, and what it did before; None if it does not end."""
    function = random_function(rng, Shape(rng.choice((4, 8, 15, 25))))
    seeds = np.array([rng.getrandbits(32) for _ in range(LANES)], np.uint32)
    try:
        before = states(function, seeds, STEPS)
    except StepLimitError:
        return None
    structurize.run(function)
    guard_loops.run(function, CONTEXT)
    verify(function)
    check_structure.check(function)
    return function, seeds, before


def test_loops_that_end_by_themselves_are_not_reported(program_seed: int):
    rng = random.Random(program_seed)
    compared = 0
    while compared < GRAPHS:
        case = guarded(rng)
        if case is not None:
            function, seeds, before = case
            after = states(function, seeds, 40 * STEPS)
            assert [s.stores for s in after] == [s.stores for s in before]
            assert [s.status for s in after] == [0] * LANES
            compared += 1


def test_loops_that_are_ended_are_reported(program_seed: int):
    rng = random.Random(program_seed + 1)
    reported = unharmed = 0
    while reported < GRAPHS:
        case = guarded(rng)
        if case is None:
            continue
        function, seeds, before = case
        end_loops_early(function, rng.choice((1, 2, 5, 20)))
        for early, whole in zip(states(function, seeds, 40 * STEPS), before, strict=True):
            if early.status:
                assert early.status == abi.STATUS_LOOP_LIMIT
                reported += 1
            else:
                assert early.stores == whole.stores
                unharmed += 1
    assert unharmed > GRAPHS / 4
