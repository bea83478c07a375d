"""Random control flow, in which values are computed several times, does the same when equal values are merged."""

from __future__ import annotations

import random

import numpy as np

from differential.interpreter import Program, StepLimitError
from differential.random_graphs import SEEDS, TRACE, Shape, random_function
from numba_vulkan import abi
from numba_vulkan.llvmir.build import Builder
from numba_vulkan.llvmir.model import Function, Instruction, Value
from numba_vulkan.llvmir.types import I32
from numba_vulkan.llvmir.verify import verify
from numba_vulkan.middle.blocks import blocks_in_order, copy_of
from numba_vulkan.middle.merge_values import merge_values

GRAPHS = 300
LANES = 2
STEPS = 3000
COPIED = frozenset({"add", "sub", "mul", "xor", "and", "or", "lshr", "icmp", "select", "load"})


def traces(function: Function, seeds: np.ndarray) -> list[list[tuple[int, int, object]]]:
    program = Program(function)
    result = []
    for lane in range(len(seeds)):
        memory = {SEEDS: seeds.copy(), TRACE: np.zeros(len(seeds), np.uint32)}
        result.append(program.run(memory, {"nv.id.global": (lane, 0, 0)}, max_steps=STEPS).stores)
    return result


def read_what_is_written(rng: random.Random, function: Function, share: float) -> None:
    """Let values depend on loads of what was stored before."""
    lane = function.entry.instructions[0]
    for block in function.blocks:
        instructions: list[Instruction] = []
        build = Builder(instructions)
        for i in block.instructions:
            if i.opcode == "mul" and rng.random() < share:
                loaded = build.call(abi.load_name("i32"), I32, build.i32(rng.choice((SEEDS, TRACE))), lane)
                i.operands[0] = build.binary("xor", i.operands[0], loaded)
            instructions.append(i)
        block.instructions = instructions


def compute_twice(rng: random.Random, function: Function, share: float) -> None:
    """Copy values, phis included, and let what uses one use either."""
    twins: dict[Value, Value] = {}
    for block in function.blocks:
        phis, rest = list(block.phis()), []
        for i in block.instructions[len(phis) :]:
            rest.append(i)
            if (i.opcode in COPIED or is_load(i)) and rng.random() < share:
                rest.append(twin := copy_of(i))
                twins[i] = twin
        for i in list(phis):
            if rng.random() < share:
                phis.append(twin := copy_of(i))
                twins[i] = twin
        block.instructions = [*phis, *rest]
    for i in function.instructions():
        i.operands = [twins.get(o, o) if rng.random() < 0.5 else o for o in i.operands]


def is_load(i: Instruction) -> bool:
    return i.opcode == "call" and i.callee.startswith("nv.load.")


def size(function: Function) -> int:
    return sum(len(block.instructions) for block in blocks_in_order(function))


def test_random_graphs_keep_their_traces(program_seed: int):
    rng = random.Random(program_seed)
    compared = gone = 0
    while compared < GRAPHS:
        function = random_function(rng, Shape(rng.choice((4, 8, 15, 25)), silent=0.5))
        read_what_is_written(rng, function, rng.choice((0.0, 0.3, 0.9)))
        once = size(function)
        compute_twice(rng, function, rng.choice((0.2, 0.6, 1.0)))
        verify(function)
        seeds = np.array([rng.getrandbits(32) for _ in range(LANES)], np.uint32)
        try:
            before = traces(function, seeds)
        except StepLimitError:
            continue  # it never ends
        merge_values(function)
        verify(function)
        assert traces(function, seeds) == before
        assert size(function) <= once
        compared += 1
        gone += once - size(function)
    assert gone > GRAPHS  # values that were equal by chance
