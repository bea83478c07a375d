"""Run random control flow on a device and compare with the interpreter; a program of its own, because drivers crash.

``python -m differential.device_graphs DEVICE SEED START STOP`` prints a line for each graph: its number before it
runs, then ``equal``, or ``different`` and what differs. The LLVM 15 of llvmpipe on Debian 12 (Mesa 25) crashes in its
register allocator while it compiles about one of a hundred of the larger graphs; whoever runs this program skips such
a graph and starts again behind it.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from differential.interpreter import Program, StepLimitError
from differential.random_graphs import SEEDS, TRACE, Shape, random_function
from numba_vulkan import runtime
from numba_vulkan.kernel import ArrayArgument, KernelInterface, Variant
from numba_vulkan.llvmir.model import Function
from numba_vulkan.middle import check_structure, guard_loops, hold_variables, structurize
from numba_vulkan.middle.passes import Context
from numba_vulkan.spirv.check import check
from numba_vulkan.spirv.emit import emit

__all__ = ["LANES", "draw_seeds", "interpreted", "launched", "program"]

# Several subgroups of every device, whose invocations take different ways.
LANES = 16
STEPS = 3000
INTERFACE = KernelInterface(
    "control", "control.py", 1, (ArrayArgument(0, "i32", 1, "C"), ArrayArgument(1, "i32", 1, "C"))
)


def draw_seeds(rng: random.Random) -> NDArray[np.uint32]:
    """Return a seed for each invocation."""
    return np.array([rng.getrandbits(32) for _ in range(LANES)], np.uint32)


def program(seed: int, number: int) -> tuple[Function, NDArray[np.uint32], NDArray[np.uint32]]:
    """Return a function that ends, seeds for it, and what it leaves in the trace buffer."""
    rng = random.Random(f"{seed}-{number}")
    while True:
        function = random_function(rng, Shape(rng.choice((4, 8, 12, 20, 30))))
        seeds = draw_seeds(rng)
        try:
            return function, seeds, interpreted(function, seeds)
        except StepLimitError:
            continue


def interpreted(function: Function, seeds: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return what the invocations leave in the trace buffer."""
    trace = np.zeros(len(seeds), np.uint32)
    prepared = Program(function)
    for lane in range(len(seeds)):
        prepared.run({SEEDS: seeds, TRACE: trace}, {"nv.id.global": (lane, 0, 0)}, max_steps=STEPS)
    return trace


def launched(device: Any, function: Function, seeds: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Structure the function as the device needs it and return what that leaves in the trace buffer."""
    variant = Variant(device.profile)
    context = Context(INTERFACE, variant)
    structurize.run(function, context)
    if device.profile.loop_limit:
        guard_loops.run(function, context)
        hold_variables.run(function, context)
    check_structure.check(function)
    kernel = emit(function, INTERFACE, variant)
    check(kernel.spirv, device.profile)
    trace = np.zeros(len(seeds), np.uint32)
    buffers = {binding: device.create_buffer(seeds.nbytes) for binding in (SEEDS, TRACE)}
    device.upload(buffers[SEEDS], seeds)
    device.upload(buffers[TRACE], trace)
    assert device.run(kernel, (1, 1, 1), buffers, local_size=(LANES, 1, 1)) == ()
    device.download(buffers[TRACE], trace)
    return trace


def main(name: str, seed: int, start: int, stop: int) -> None:
    """Run the graphs from ``start`` up to ``stop`` on the device of that name."""
    device = runtime.select_device(next(info for info in runtime.list_devices() if info.name == name))
    for number in range(start, stop):
        function, seeds, expected = program(seed, number)
        print(number, end=" ", flush=True)
        found = launched(device, function, seeds)
        equal = np.array_equal(found, expected)
        print("equal" if equal else f"different: {found} instead of {expected}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
