"""Exact integers against ``narrow="ints"``: what the 64-bit integers that Numba types everything with cost.

What should be seen is next to no difference: ids, extents, counters and indices are provably small, so that the exact
kernel computes them in 32 bits as well. On a CPU, what counts is the time that the threads of the process compute,
which other processes disturb less.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable

import numpy as np
from _kernels import matmul, stencil
from _timing import elapsed, in_turn, median_ratio, milliseconds, save, table

import numba_vulkan as nv
from numba_vulkan.dispatcher import VulkanDispatcher

Case = tuple[Callable[..., None], object, list]
RNG = np.random.default_rng(0)


def blocked_matmul(a, b, c):
    """Multiply by blocks of eight along the inner axis."""
    column, row = nv.global_id(0), nv.global_id(1)
    if row < c.shape[0] and column < c.shape[1]:
        total = np.float32(0)
        for block in range(0, a.shape[1], 8):
            for k in range(block, min(block + 8, a.shape[1])):
                total += a[row, k] * b[k, column]
        c[row, column] = total


def nbody(positions, forces):
    i = nv.global_id(0)
    if i < positions.shape[0]:
        x, y, z = positions[i, 0], positions[i, 1], positions[i, 2]
        fx = fy = fz = np.float32(0)
        for j in range(positions.shape[0]):
            dx, dy, dz = positions[j, 0] - x, positions[j, 1] - y, positions[j, 2] - z
            square = dx * dx + dy * dy + dz * dz + np.float32(0.01)
            weight = np.float32(1) / (square * math.sqrt(square))
            fx += dx * weight
            fy += dy * weight
            fz += dz * weight
        forces[i, 0], forces[i, 1], forces[i, 2] = fx, fy, fz


def histogram(values, counts):
    """Each invocation counts its part of the values into a row of its own."""
    i = nv.global_id(0)
    if i < counts.shape[0]:
        part = (values.size + counts.shape[0] - 1) // counts.shape[0]
        for k in range(i * part, min((i + 1) * part, values.size)):
            counts[i, values[k] % counts.shape[1]] += 1


def strided_sum(x, sums):
    first = nv.global_id(0)
    total = np.float32(0)
    for i in range(first, x.size, nv.local_size(0) * nv.num_groups(0)):
        total += x[i]
    sums[first] = total


def strided_while(x, sums):
    first = i = nv.global_id(0)
    stride = nv.local_size(0) * nv.num_groups(0)
    total = np.float32(0)
    while i < x.size:
        total += x[i]
        i += stride
    sums[first] = total


def _floats(*shape: int) -> np.ndarray:
    return RNG.random(shape, np.float32)


def cases_for(device: nv.Device) -> dict[str, Case]:
    """Return function, extent and arguments of each kernel; GPUs get more to do."""
    large = device.info.kind != "cpu"
    side, bodies, plane = (2048, 1 << 15, 8192) if large else (512, 2048, 1024)
    elements, values = (1 << 26, 1 << 24) if large else (1 << 22, 1 << 20)
    matrices = [_floats(side, side) for _ in range(3)]
    return {
        f"matmul, {side}": (matmul, (side, side), matrices),
        f"blocked matmul, {side}": (blocked_matmul, (side, side), matrices),
        f"n-body, {bodies}": (nbody, bodies, [_floats(bodies, 3), _floats(bodies, 3)]),
        f"stencil, {plane}²": (
            stencil,
            (plane - 2, plane - 2),
            [_floats(plane, plane), _floats(plane, plane), np.float32(0.2)],
        ),
        f"histogram, {values >> 20} M": (
            histogram,
            4096,
            [RNG.integers(0, 1000, values).astype(np.int32), np.zeros((4096, 64), np.int32)],
        ),
        f"grid-stride sum with range, {elements >> 20} M": (
            strided_sum,
            1 << 14,
            [_floats(elements), _floats(1 << 14)],
        ),
        f"grid-stride sum with while, {elements >> 20} M": (
            strided_while,
            1 << 14,
            [_floats(elements), _floats(1 << 14)],
        ),
    }


def measured_on(device: nv.Device) -> dict[str, dict[str, list[float]]]:
    """Times of each kernel in both modes, whose results must agree to the bit."""
    times = {}
    for name, (function, extent, arguments) in cases_for(device).items():
        runs = {
            mode: _run(nv.jit(function, narrow=mode), extent, arguments, device) for mode in (None, "ints")
        }
        results = [result() for _, result in runs.values()]
        if not all(np.array_equal(x, y) for x, y in zip(*results, strict=True)):
            raise AssertionError(f"{name} differs on '{device.info.name}'")
        times[name] = in_turn({mode or "exact": work for mode, (work, _) in runs.items()})
    return times


def _run(
    kernel: VulkanDispatcher, extent: object, arguments: list, device: nv.Device
) -> tuple[Callable[[], float], Callable[[], list[np.ndarray]]]:
    """Run a kernel once; return what measures it, and what returns its arrays."""
    on_device = [nv.to_device(a, device) if isinstance(a, np.ndarray) else a for a in arguments]

    def launch() -> None:
        kernel.forall(extent, device=device)(*on_device)
        nv.synchronize(device)

    launch()
    clock = time.process_time if device.info.kind == "cpu" else time.perf_counter
    return lambda: elapsed(launch, clock=clock), lambda: [
        a.copy_to_host() for a in on_device if isinstance(a, nv.DeviceArray)
    ]


def main() -> None:
    for info in nv.list_devices():
        times = measured_on(nv.get_device(info))
        rows, medians = [], {}
        for kernel, modes in times.items():
            ratio = median_ratio(modes["exact"], modes["ints"])
            rows.append([kernel, milliseconds(modes["exact"]), milliseconds(modes["ints"]), f"{ratio:.2f}"])
            medians[kernel] = {**{name: statistics.median(v) for name, v in modes.items()}, "ratio": ratio}
        print(f"exact and narrow integers on '{info.name}', ms")
        table(["kernel", "exact", "narrow='ints'", "ratio"], rows)
        save("narrow", info.name, medians)


if __name__ == "__main__":
    main()
