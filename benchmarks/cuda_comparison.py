"""Kernels on a GPU, side by side with numba-cuda on the same device in the same run; arrays lie on the device.

Each kernel is one source text in which only the names of ids, shared arrays and barriers differ. Without numba-cuda, or
without a GPU, only the device that is there is measured.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Callable

import numpy as np
from _timing import elapsed, in_turn, median_ratio, save, table

import numba_vulkan as nv

try:
    from numba import cuda

    HAS_CUDA = cuda.is_available()
except ImportError:
    cuda, HAS_CUDA = None, False

VULKAN_NAMES = {
    "GID": "nv.global_id",
    "LID": "nv.local_id",
    "GROUP": "nv.group_id",
    "SHARED": "nv.shared.array",
    "LOCAL": "nv.local.array",
    "BARRIER": "nv.barrier",
    "ADD": "nv.atomic.add",
    "SIZE(0)": "(nv.local_size(0) * nv.num_groups(0))",
}
CUDA_NAMES = {
    "GID(0)": "(cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x)",
    "GID(1)": "(cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y)",
    "LID(0)": "cuda.threadIdx.x",
    "LID(1)": "cuda.threadIdx.y",
    "GROUP(0)": "cuda.blockIdx.x",
    "SHARED": "cuda.shared.array",
    "LOCAL": "cuda.local.array",
    "BARRIER": "cuda.syncthreads",
    "ADD": "cuda.atomic.add",
    "SIZE(0)": "(cuda.blockDim.x * cuda.gridDim.x)",
}
SOURCES = {
    "empty": """
def empty(x):
    pass
""",
    "saxpy": """
def saxpy(a, x, y):
    i = GID(0)
    if i < x.size:
        y[i] = a * x[i] + y[i]
""",
    "stencil": """
def stencil(x, y):
    j, i = GID(0), GID(1)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        y[i, j] = (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1]) * np.float32(0.25)
""",
    "sum": """
def sum(x, out):
    part = SHARED(256, np.float32)
    t = LID(0)
    total = np.float32(0)
    for i in range(GID(0), x.size, SIZE(0)):
        total += x[i]
    part[t] = total
    BARRIER()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        BARRIER()
        step //= 2
    if t == 0:
        ADD(out, 0, part[0])
""",
    "histogram": """
def histogram(x, out):
    bins = SHARED(256, np.int32)
    t = LID(0)
    bins[t] = 0
    BARRIER()
    for i in range(GID(0), x.size, SIZE(0)):
        ADD(bins, x[i], 1)
    BARRIER()
    ADD(out, t, bins[t])
""",
    "matmul": """
def matmul(a, b, c):
    sa = SHARED((16, 16), np.float32)
    sb = SHARED((16, 16), np.float32)
    j, i = GID(0), GID(1)
    tx, ty = LID(0), LID(1)
    total = np.float32(0)
    for tile in range(a.shape[1] // 16):
        sa[ty, tx] = a[i, tile * 16 + tx]
        sb[ty, tx] = b[tile * 16 + ty, j]
        BARRIER()
        for k in range(16):
            total += sa[ty, k] * sb[k, tx]
        BARRIER()
    c[i, j] = total
""",
    "mandelbrot": """
def mandelbrot(out, steps):
    j, i = GID(0), GID(1)
    if i < out.shape[0] and j < out.shape[1]:
        cr = np.float32(j) * np.float32(3.0 / 4096) - np.float32(2)
        ci = np.float32(i) * np.float32(2.0 / 4096) - np.float32(1)
        zr = np.float32(0)
        zi = np.float32(0)
        n = 0
        while n < steps and zr * zr + zi * zi <= np.float32(4):
            zr, zi = zr * zr - zi * zi + cr, np.float32(2) * zr * zi + ci
            n += 1
        out[i, j] = n
""",
    "n-body": """
def nbody(p, v):
    i = GID(0)
    if i < p.shape[0]:
        x, y, z = p[i, 0], p[i, 1], p[i, 2]
        ax = ay = az = np.float32(0)
        for j in range(p.shape[0]):
            dx, dy, dz = p[j, 0] - x, p[j, 1] - y, p[j, 2] - z
            d = dx * dx + dy * dy + dz * dz + np.float32(1e-3)
            s = np.float32(1) / (d * math.sqrt(d))
            ax += dx * s
            ay += dy * s
            az += dz * s
        v[i, 0] += ax
        v[i, 1] += ay
        v[i, 2] += az
""",
}

# What is measured: its label, its source, and options of our `jit`; numba-cuda contracts products and sums by itself.
ROWS: list[tuple[str, str, dict[str, bool]]] = [
    *((name, name, {}) for name in SOURCES),
    ("mandelbrot, fma", "mandelbrot", {"fma": True}),
    ("n-body, fastmath", "n-body", {"fastmath": True}),
]


# Launches per measurement on a GPU where 50 are too few or take long.
LAUNCHES = {"empty": 2000, "matmul": 20, "mandelbrot": 40, "n-body": 10}


def build(text: str, names: dict[str, str], jit: Callable) -> object:
    """Return the kernel of a source with the names of one of the packages."""
    for token, replacement in names.items():
        text = text.replace(token, replacement)
    namespace = {"nv": nv, "np": np, "math": math, "cuda": cuda}
    exec(compile(text, "<kernel>", "exec"), namespace)
    return jit(namespace[text.split("def ")[1].split("(")[0]])


def problem(name: str, large: bool) -> tuple[tuple, list[np.ndarray], tuple, int]:
    """Return grid (workgroups, size), arrays, scalars in front of them, and launches per measurement."""
    rng = np.random.default_rng(0)
    n = 1 << (26 if large else 20)
    side, matrix, bodies = (8192, 2048, 32768) if large else (1024, 256, 1024)
    flat = rng.random(n, np.float32)
    plane = ((side + 31) // 32, (side + 7) // 8), (32, 8)
    found = {
        "empty": ((1, 64), [flat[:64]], ()),
        "saxpy": ((n // 256, 256), [flat, flat.copy()], (np.float32(0.5),)),
        "stencil": (
            plane,
            [rng.random((side, side), np.float32), np.zeros((side, side), np.float32)],
            (),
        ),
        "sum": ((1024, 256), [flat, np.zeros(1, np.float32)], ()),
        "histogram": ((1024, 256), [rng.integers(0, 256, n, dtype=np.int32), np.zeros(256, np.int32)], ()),
        "matmul": (
            ((matrix // 16,) * 2, (16, 16)),
            [rng.random((matrix, matrix), np.float32) for _ in range(3)],
            (),
        ),
        "mandelbrot": (((128, 512), (32, 8)), [np.zeros((4096, 4096), np.int32)], ()),
        "n-body": ((bodies // 256, 256), [rng.random((bodies, 3), np.float32) for _ in range(2)], ()),
    }[name]
    launches = LAUNCHES.get(name, 50)
    return *found, launches if large else max(launches // 10, 1)


def timer(kernel: object, grid: tuple, args: tuple, launches: int, wait: Callable) -> Callable[[], float]:
    configured = kernel[grid]

    def run() -> None:
        for _ in range(launches):
            configured(*args)
        wait()

    def measure() -> float:
        # The GPU takes 200 µs to change from CUDA to Vulkan or back; this launch has them.
        configured(*args)
        wait()
        return elapsed(run) / launches

    return measure


def on_both(
    text: str, grid: tuple, arguments: list, launches: int, options: dict[str, bool] | None = None
) -> tuple[dict[str, float | None], dict[str, list]]:
    """Measure a kernel; return the times of a launch with their ratio, and the arguments of each package after it."""
    packages = {"vulkan": (VULKAN_NAMES, nv.jit(**(options or {})), nv.to_device, nv.synchronize)}
    if HAS_CUDA:
        packages["cuda"] = (CUDA_NAMES, cuda.jit, cuda.to_device, cuda.synchronize)
    works, placed = {}, {}
    for package, (names, jit, to_device, wait) in packages.items():
        placed[package] = [to_device(a) if isinstance(a, np.ndarray) else a for a in arguments]
        works[package] = timer(build(text, names, jit), grid, placed[package], launches, wait)
    times = in_turn(works)
    measured: dict[str, float | None] = {k: statistics.median(v) for k, v in times.items()}
    measured["ratio"] = median_ratio(times["vulkan"], times["cuda"]) if HAS_CUDA else None
    return measured, placed


def report(benchmark: str, device: str, measured: dict[str, dict[str, float | None]]) -> None:
    """Print what `on_both` has measured, and keep it."""
    print(f"microseconds per launch on '{device}'")
    packages = ["vulkan", "cuda"] if HAS_CUDA else ["vulkan"]
    rows = [
        [name, *(f"{1e6 * found[k]:.1f}" for k in packages), f"{found['ratio']:.2f}" if HAS_CUDA else "-"]
        for name, found in measured.items()
    ]
    table(["kernel", *packages, "ratio"], rows)
    save(benchmark, device, measured)


def main() -> None:
    device = nv.get_device()
    large = device.info.kind != "cpu"
    measured = {}
    chosen = sys.argv[1:] or list(SOURCES)
    for label, name, options in [row for row in ROWS if row[1] in chosen]:
        grid, arrays, scalars, launches = problem(name, large)
        trailing = (256,) if name == "mandelbrot" else ()
        arguments = [*scalars, *arrays, *trailing]
        measured[label], _ = on_both(SOURCES[name], grid, arguments, launches, options)
    report("cuda_comparison", device.info.name, measured)


if __name__ == "__main__":
    main()
