"""Width of index arithmetic: kernels as Numba types them, with 64-bit integers, against 32-bit ones typed by hand.

What should be seen is no difference: element indices enter the access functions with 32 bits, and LLVM narrows the
arithmetic that leads to them.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

import numpy as np
from _kernels import matmul
from _timing import elapsed, in_turn, median_ratio, milliseconds, save, table

import numba_vulkan as nv

SIZE = 512
ELEMENTS, INVOCATIONS = 1 << 22, 1 << 14


@nv.jit
def matmul32(a, b, c):
    column, row = np.int32(nv.global_id(0)), np.int32(nv.global_id(1))
    if row < np.int32(c.shape[0]) and column < np.int32(c.shape[1]):
        total = np.float32(0)
        for k in range(np.int32(a.shape[1])):
            total += a[row, k] * b[k, column]
        c[row, column] = total


@nv.jit
def strided_sum(x, sums):
    first = nv.global_id(0)
    total = np.float32(0)
    for i in range(first, x.size, nv.local_size(0) * nv.num_groups(0)):
        total += x[i]
    sums[first] = total


@nv.jit
def strided_sum32(x, sums):
    first = np.int32(nv.global_id(0))
    total = np.float32(0)
    for i in range(first, np.int32(x.size), np.int32(nv.local_size(0) * nv.num_groups(0))):
        total += x[i]
    sums[first] = total


def measured_on(device: nv.Device) -> dict[str, dict[str, list[float]]]:
    """Times of both versions of both kernels, whose results must agree to the bit."""
    rng = np.random.default_rng(0)
    a, b = (nv.to_device(rng.random((SIZE, SIZE), np.float32), device) for _ in range(2))
    x = nv.to_device(rng.random(ELEMENTS, np.float32), device)
    c, sums = (
        nv.device_array((SIZE, SIZE), np.float32, device),
        nv.device_array(INVOCATIONS, np.float32, device),
    )

    def works(
        kernels: dict[str, nv.VulkanDispatcher], extent: object, *arrays: nv.DeviceArray
    ) -> dict[str, Callable]:
        def work(kernel: nv.VulkanDispatcher) -> float:
            return elapsed(lambda: (kernel.forall(extent, device=device)(*arrays), nv.synchronize(device)))

        results = []
        for kernel in kernels.values():
            work(kernel)
            results.append(arrays[-1].copy_to_host())
        if not np.array_equal(*results):
            raise AssertionError(f"{list(kernels)} differ on '{device.info.name}'")
        return {name: lambda kernel=kernel: work(kernel) for name, kernel in kernels.items()}

    by_width = {"64 bits": nv.jit(matmul), "32 bits": matmul32}
    times = {f"matmul {SIZE}": in_turn(works(by_width, (SIZE, SIZE), a, b, c))}
    by_width = {"64 bits": strided_sum, "32 bits": strided_sum32}
    times[f"grid-stride sum of {ELEMENTS}"] = in_turn(works(by_width, INVOCATIONS, x, sums))
    return times


def main() -> None:
    for info in nv.list_devices():
        times = measured_on(nv.get_device(info))
        rows, medians = [], {}
        for kernel, widths in times.items():
            ratio = median_ratio(widths["64 bits"], widths["32 bits"])
            rows.append(
                [kernel, milliseconds(widths["64 bits"]), milliseconds(widths["32 bits"]), f"{ratio:.2f}"]
            )
            medians[kernel] = {**{name: statistics.median(v) for name, v in widths.items()}, "ratio": ratio}
        print(f"index width on '{info.name}', ms")
        table(["kernel", "64 bits", "32 bits", "ratio"], rows)
        save("index_width", info.name, medians)


if __name__ == "__main__":
    main()
