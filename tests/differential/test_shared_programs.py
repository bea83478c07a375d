"""Random kernels that exchange values through shared memory compute what a workgroup of plain Python computes."""

from __future__ import annotations

import functools
import random
from typing import Any

import numpy as np

import numba_vulkan as nv
from differential import shared_programs
from differential.interpreter import Program
from numba_vulkan import abi
from numba_vulkan.frontend import entry
from numba_vulkan.kernel import TargetProfile, Variant
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.middle import pipeline

_REFUSAL = "must reach the same barriers"
_INTERPRETED = 20
_STAGES = ("eliminate-dead", "uniform-barriers", "structurize")


@functools.lru_cache(maxsize=32)
def kernel_of(seed: int) -> Any:
    """Return a kernel whose front end runs once for all devices."""
    return shared_programs.kernel_of(seed)


def require_equal(seed: int, found: tuple[np.ndarray, ...], where: str) -> None:
    expected = shared_programs.expected_of(seed, shared_programs.arguments_of(seed))
    message = f"program {seed}, {where}\n{shared_programs.source_of(seed)}"
    for right, wrong in zip(expected, found, strict=True):
        np.testing.assert_array_equal(wrong, right, err_msg=message)


def is_right(seed: int, where: str) -> bool:
    """Run a program and compare; return False if it is refused."""
    arguments = shared_programs.arguments_of(seed)
    outputs = arguments.outputs()
    try:
        kernel_of(seed)[shared_programs.GROUPS, shared_programs.SIZE](
            arguments.x, arguments.reals, arguments.n, *outputs
        )
    except nv.VulkanUnsupportedError as error:
        if _REFUSAL not in str(error):
            raise
        return False
    require_equal(seed, outputs, where)
    return True


def test_programs_equal_plain_python(device, device_name, program_numbers, program_seed):
    numbers = program_numbers[::3]  # one costs as much as three of others
    ran = sum(is_right(program_seed + number, device_name) for number in numbers)
    assert len(numbers) - ran <= max(len(program_numbers) // 10, 1)


def test_loops_that_each_leaves_by_itself(device, device_name, program_numbers, program_seed):
    """Most are refused, as barriers follow on the way out; the others are right."""
    seeds = [shared_programs.LEAVING + program_seed + number for number in program_numbers[::5]]
    print(f"{sum(is_right(seed, device_name) for seed in seeds)} of {len(seeds)} programs ran")


def test_program_on_which_gvn_aborts(device, device_name):
    """With three loops in each other and 41 phis, LLVM's NewGVN would end the process."""
    assert is_right(20240516, device_name)


def test_stages_agree_without_a_device(program_seed):
    """The IR does the same before and after barriers are made uniform and after the structurizer."""
    compared = 0
    for seed in range(program_seed, program_seed + _INTERPRETED):
        kernel, arguments = kernel_of(seed), shared_programs.arguments_of(seed)
        out, real_out = arguments.outputs()
        bound = kernel.bind((arguments.x, arguments.reals, arguments.n, out, real_out), {})
        lowered = entry.lower(kernel, bound.types)
        texts: dict[str, str] = {}

        def note(index: int, name: str, text: Any, texts: dict[str, str] = texts) -> None:
            if name in _STAGES:
                texts[name] = text()

        try:
            pipeline.run(lowered, Variant(TargetProfile(), aliased=False), note)
        except nv.VulkanUnsupportedError as error:
            if _REFUSAL not in str(error):
                raise
            continue
        params = np.frombuffer(bound.pack(lowered.interface.block), np.uint32).tolist()
        for stage, text in texts.items():
            program = Program(parse_function(text, lowered.entry))
            outputs = arguments.outputs()
            for group in range(shared_programs.GROUPS):
                run_group(program, (arguments.x, arguments.reals, *outputs), params, group, seed, stage)
            require_equal(seed, outputs, stage)
        compared += 1
    assert compared > _INTERPRETED * 0.8


def run_group(
    program: Program, arrays: tuple[np.ndarray, ...], params: list[int], group: int, seed: int, stage: str
) -> None:
    """Run one workgroup through the interpreter; behind the pass that sees to it, all reach the same barriers."""
    x, reals, out, real_out = arrays
    size = shared_programs.SIZE
    memory: dict[int, np.ndarray] = {}
    # Binding 3 would be the number among the arguments, which has none.
    for argument, array in zip((0, 1, 3, 4), (x, reals, out, real_out), strict=True):
        memory[abi.array_binding(argument)] = array
    # Two that the program has, and one that tells whether anybody is left.
    for number in range(3):
        memory[abi.SHARED_BASE + number] = np.zeros(size, np.uint32)
    ids = [
        {
            "nv.id.global": (group * size + t, 0, 0),
            "nv.id.local": (t, 0, 0),
            "nv.id.group": (group, 0, 0),
            "nv.size.local": (size, 1, 1),
            "nv.size.groups": (shared_programs.GROUPS, 1, 1),
        }
        for t in range(size)
    ]
    program.run_group(memory, ids, params, random.Random(seed), together=stage != _STAGES[0])
