"""Arrays reached by address against arrays reached by binding, on every device: time per launch, launches batched.

Bindings are the default where both work; this is what says so.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from _timing import elapsed, in_turn, median_ratio, save, table

import numba_vulkan as nv

LAUNCHES = 20


def empty(x):
    pass


def saxpy(a, x, y):
    i = nv.global_id(0)
    if i < x.size:
        y[i] = a * x[i] + y[i]


def stencil(x, y):
    j, i = nv.global_id(0), nv.global_id(1)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        y[i, j] = (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1]) * np.float32(0.25)


def strided_sum(x, sums):
    first = nv.global_id(0)
    total = np.float32(0)
    for i in range(first, x.size, nv.local_size(0) * nv.num_groups(0)):
        total += x[i]
    sums[first] = total


def matmul(a, b, c):
    column, row = nv.global_id(0), nv.global_id(1)
    if row < c.shape[0] and column < c.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


def bytes_sum(x, y):
    i = nv.global_id(0)
    if i < x.size:
        y[i] += x[i]


@dataclass(frozen=True)
class Run:
    """A kernel with the extent of its launch and the shapes of its arrays."""

    function: Callable[..., None]
    extent: tuple[int, ...]
    shapes: tuple[tuple[int, ...], ...]
    dtype: type = np.float32
    scalars: tuple[object, ...] = ()


def runs(is_gpu: bool) -> dict[str, Run]:
    """Return the kernels with sizes that suit a device."""
    n, side = (1 << 26, 8192) if is_gpu else (1 << 20, 512)
    inner = 1024 if is_gpu else 128
    return {
        "empty": Run(empty, (1,), ((1,),)),
        "saxpy": Run(saxpy, (n,), ((n,), (n,)), scalars=(np.float32(2),)),
        "stencil": Run(stencil, (side, side), ((side, side), (side, side))),
        "sum": Run(strided_sum, (1 << 18 if is_gpu else 1 << 12,), ((n,), (1 << 18,))),
        "matmul": Run(matmul, (inner, inner), ((inner, inner),) * 3),
        "bytes": Run(bytes_sum, (n,), ((n,), (n,)), np.int8),
    }


def configured(
    run: Run, device: nv.Device, arrays: list[nv.DeviceArray], addresses: str
) -> Callable[[], float]:
    """Return what measures a launch, with the plan of a kernel that reaches its arrays in one way."""
    os.environ["NUMBA_VULKAN_ADDRESSES"] = addresses
    kernel = nv.jit(run.function).forall(run.extent, device=device)
    arguments = (*run.scalars, *arrays)
    kernel(*arguments)
    nv.synchronize(device)
    os.environ["NUMBA_VULKAN_ADDRESSES"] = "0"

    def work() -> float:
        def launches() -> None:
            for _ in range(LAUNCHES):
                kernel(*arguments)
            nv.synchronize(device)

        return elapsed(launches) / LAUNCHES

    return work


def main() -> None:
    for info in nv.list_devices():
        device, rows, medians = nv.get_device(info), [], {}
        for name, run in runs(info.kind != "cpu").items():
            arrays = [nv.to_device(np.ones(shape, run.dtype), device) for shape in run.shapes]
            ways = {"binding": "0", "address": "1"}
            works = {way: configured(run, device, arrays, text) for way, text in ways.items()}
            times = in_turn(works)
            ratio = median_ratio(times["address"], times["binding"])
            microseconds = {way: 1e6 * statistics.median(values) for way, values in times.items()}
            rows.append([name, *(f"{value:.1f}" for value in microseconds.values()), f"{ratio:.2f}"])
            medians[name] = {**microseconds, "ratio": ratio}
        print(f"arrays by binding and by address on '{info.name}', µs per launch")
        table(["kernel", "binding", "address", "ratio"], rows)
        save("addresses", info.name, medians)


if __name__ == "__main__":
    main()
