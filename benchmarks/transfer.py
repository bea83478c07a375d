"""Copies of 256 MiB between host and device, pageable and pinned, and a copy beside a kernel.

With numba-cuda on the same GPU in the same run; without it only the device that is there is measured. The copy beside a
kernel is timed by events on the device's clock: `beside` is the part of the copy's time in which the kernel ran.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

import numpy as np
from _timing import elapsed, in_turn, median_ratio, save, table

import numba_vulkan as nv

try:
    from numba import cuda

    HAS_CUDA = cuda.is_available()
except ImportError:
    HAS_CUDA = False

SIZE_BYTES = 256 << 20
WORDS = SIZE_BYTES // 4


def vulkan_copies() -> dict[str, Callable[[], object]]:
    host, out = np.arange(WORDS, dtype=np.uint32), np.zeros(WORDS, np.uint32)
    pinned, stream = nv.pinned_array(WORDS, np.uint32), nv.stream()
    pinned[:] = host
    array = nv.to_device(host)

    def up_pinned() -> None:
        array.copy_to_device(pinned, stream=stream)
        stream.synchronize()

    def down_pinned() -> None:
        array.copy_to_host(pinned, stream=stream)
        stream.synchronize()

    def down_pageable() -> None:
        array.copy_to_host(out)
        assert out[-1] == host[-1]

    return {
        "host to device, pageable": lambda: array.copy_to_device(host),
        "device to host, pageable": down_pageable,
        "device to host, new array": array.copy_to_host,
        "host to device, pinned": up_pinned,
        "device to host, pinned": down_pinned,
    }


def cuda_copies() -> dict[str, Callable[[], object]]:
    host, out = np.arange(WORDS, dtype=np.uint32), np.zeros(WORDS, np.uint32)
    pinned, stream = cuda.pinned_array(WORDS, np.uint32), cuda.stream()
    pinned[:] = host
    array = cuda.to_device(host)

    def up_pageable() -> None:
        array.copy_to_device(host)
        cuda.synchronize()

    def up_pinned() -> None:
        array.copy_to_device(pinned, stream=stream)
        stream.synchronize()

    def down_pinned() -> None:
        array.copy_to_host(pinned, stream=stream)
        stream.synchronize()

    return {
        "host to device, pageable": up_pageable,
        "device to host, pageable": lambda: array.copy_to_host(out),
        "device to host, new array": array.copy_to_host,
        "host to device, pinned": up_pinned,
        "device to host, pinned": down_pinned,
    }


def spin(x, steps):
    i = nv.global_id(0)
    if i < x.size:
        value = x[i]
        for _ in range(steps):
            value = value * np.float32(0.999) + np.float32(0.5)
        x[i] = value


def copy_beside_kernel() -> dict[str, float]:
    """Enqueue a kernel on one stream and a copy on another; return milliseconds on the device's clock."""
    kernel, work = nv.jit(spin), nv.to_device(np.zeros(1 << 20, np.float32))
    pinned, array = nv.pinned_array(WORDS, np.uint32), nv.device_array(WORDS, np.uint32)
    computing, copying = nv.stream(), nv.stream()
    kernel.forall(work.size, stream=computing)(work, 1)
    nv.synchronize()
    steps = 64
    while True:
        marks = [nv.event() for _ in range(4)]
        marks[0].record(computing)
        kernel.forall(work.size, stream=computing)(work, steps)
        marks[1].record(computing)
        marks[2].record(copying)
        array.copy_to_device(pinned, stream=copying)
        marks[3].record(copying)
        nv.synchronize()
        kernel_ms, copy_ms = marks[0].elapsed_time(marks[1]), marks[2].elapsed_time(marks[3])
        if kernel_ms > 2 * copy_ms or steps > 1 << 22:
            break
        steps *= 2
    start, end = marks[0].elapsed_time(marks[2]), marks[0].elapsed_time(marks[3])
    beside = max(0.0, min(end, kernel_ms) - max(start, 0.0)) / copy_ms
    return {"kernel_ms": kernel_ms, "copy_ms": copy_ms, "copy_starts_ms": start, "beside": beside}


def both_directions() -> float:
    """Return the rate of a copy to the device beside one from it, in bytes per second of both."""
    pinned = [nv.pinned_array(WORDS, np.uint32) for _ in range(2)]
    arrays = [nv.to_device(each) for each in pinned]
    streams = [nv.stream(), nv.stream()]

    def work() -> None:
        arrays[0].copy_to_device(pinned[0], stream=streams[0])
        arrays[1].copy_to_host(pinned[1], stream=streams[1])
        nv.synchronize()

    return statistics.median(2 * SIZE_BYTES / elapsed(work) for _ in range(7))


def main() -> None:
    device = nv.get_device().info
    ours, theirs = vulkan_copies(), cuda_copies() if HAS_CUDA else {}
    rows, measured = [], {}
    for what, work in ours.items():
        works = {"vulkan": lambda work=work: SIZE_BYTES / elapsed(work)}
        if HAS_CUDA:
            works["cuda"] = lambda what=what: SIZE_BYTES / elapsed(theirs[what])
        rates = in_turn(works)
        ratio = median_ratio(rates["vulkan"], rates["cuda"]) if HAS_CUDA else None
        measured[what] = {k: statistics.median(v) for k, v in rates.items()} | {"ratio": ratio}
        cells = [f"{statistics.median(v) / 1e9:.1f}" for v in rates.values()]
        rows.append([what, *cells, f"{ratio:.2f}" if ratio else "-"])
    print(f"GB/s on '{device.name}'")
    table(["copy of 256 MiB", *(["vulkan", "cuda"] if HAS_CUDA else ["vulkan"]), "ratio"], rows)
    if device.timestamp_bits:
        measured["beside a kernel"] = copy_beside_kernel()
        print({k: round(v, 3) for k, v in measured["beside a kernel"].items()})
    measured["both directions, pinned"] = both_directions()
    print(f"both directions at once, pinned: {measured['both directions, pinned'] / 1e9:.1f} GB/s")
    save("transfer", device.name, measured)


if __name__ == "__main__":
    main()
