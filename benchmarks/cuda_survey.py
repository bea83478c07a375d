"""Kernels as users write them, on a GPU side by side with numba-cuda in the same run; arrays lie on the device.

`cuda_comparison` measures a few kernels against fixed bounds; here many more tell where time is lost. Numba-cuda
contracts products and sums, this package does not unless asked. Without numba-cuda, or without a GPU, only the device
that is there is measured, with smaller arrays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from cuda_comparison import on_both, report

import numba_vulkan as nv

RANDOM = np.random.default_rng(0)
LAUNCHES = 20


@dataclass(frozen=True)
class Size:
    """Elements of a row of numbers, rows of a plane, and invocations that compute for long."""

    numbers: int
    side: int
    workers: int


LARGE, SMALL = Size(1 << 24, 8192, 1 << 20), Size(1 << 16, 256, 1 << 10)
Problem = tuple[tuple, list]
"""Grid (workgroups, workgroup size) and arguments."""


def floats(*shape: int) -> np.ndarray:
    return RANDOM.random(shape, np.float32)


def integers(low: int, high: int, size: int, dtype: type = np.int32) -> np.ndarray:
    return RANDOM.integers(low, high, size, dtype=dtype)


def row(count: int, *arguments: object, local: int = 256) -> Problem:
    return ((-(-count // local), local), list(arguments))


def plane(side: int, *arguments: object, local: tuple[int, int] = (32, 8)) -> Problem:
    groups = tuple(-(-side // size) for size in local)
    return ((groups, local), list(arguments))


def divided(dividends: np.ndarray) -> Callable[[Size], Problem]:
    def problem(size: Size) -> Problem:
        x = np.resize(dividends, size.workers)
        steps = integers(1, 1000, size.workers, x.dtype.type)
        return row(size.workers, x, steps, np.int32(50), np.zeros_like(x), local=128)

    return problem


def dividing(expression: str) -> str:
    return f"""
def k(x, z, n, out):
    i = GID(0)
    if i < out.size:
        value = x[i]
        step = z[i]
        total = value * 0
        for _ in range(n):
            total += {expression}
            value += step
        out[i] = total
"""


WIDE, LOW = integers(-(2**62), 2**62, 1 << 10, np.int64), integers(0, 2**30, 1 << 10, np.int64)
ROWS: dict[str, tuple[str, Callable[[Size], Problem]]] = {
    "transposition": (
        """
def k(x, y):
    j, i = GID(0), GID(1)
    if i < x.shape[0] and j < x.shape[1]:
        y[j, i] = x[i, j]
""",
        lambda s: plane(
            s.side, floats(s.side, s.side), np.zeros((s.side, s.side), np.float32), local=(16, 16)
        ),
    ),
    "convolution of bytes": (
        """
def k(x, w, y):
    j, i = GID(0), GID(1)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        total = 0
        for a in range(3):
            for b in range(3):
                total += x[i + a - 1, j + b - 1] * w[a, b]
        y[i, j] = total // 36
""",
        lambda s: plane(
            s.side,
            integers(0, 200, s.side**2, np.uint8).reshape(s.side, s.side),
            np.arange(9, dtype=np.int32).reshape(3, 3),
            np.zeros((s.side, s.side), np.uint8),
        ),
    ),
    "game of life": (
        """
def k(x, y):
    j, i = GID(0), GID(1)
    h, w = x.shape
    if i < h and j < w:
        n = 0
        for a in range(-1, 2):
            for b in range(-1, 2):
                if a != 0 or b != 0:
                    n += x[(i + a) % h, (j + b) % w]
        y[i, j] = 1 if n == 3 or (n == 2 and x[i, j] == 1) else 0
""",
        lambda s: plane(
            s.side,
            integers(0, 2, s.side**2).reshape(s.side, s.side),
            np.zeros((s.side, s.side), np.int32),
        ),
    ),
    "sums of a workgroup": (
        """
def k(x, y):
    t = LID(0)
    i = GID(0)
    sums = SHARED(256, np.float32)
    sums[t] = x[i]
    BARRIER()
    d = 1
    while d < 256:
        value = sums[t]
        if t >= d:
            value += sums[t - d]
        BARRIER()
        sums[t] = value
        BARRIER()
        d *= 2
    y[i] = sums[t]
""",
        lambda s: row(s.numbers, floats(s.numbers), np.zeros(s.numbers, np.float32)),
    ),
    "sorting 16 numbers": (
        """
def k(x, y):
    i = GID(0)
    if i < x.shape[0]:
        a = LOCAL(16, np.float32)
        for t in range(16):
            a[t] = x[i, t]
        for s in range(1, 16):
            value = a[s]
            t = s - 1
            while t >= 0 and a[t] > value:
                a[t + 1] = a[t]
                t -= 1
            a[t + 1] = value
        for t in range(16):
            y[i, t] = a[t]
""",
        lambda s: row(s.workers, floats(s.workers, 16), np.zeros((s.workers, 16), np.float32), local=128),
    ),
    "products of 4 by 4": (
        """
def k(a, b, c):
    n = GID(0)
    if n < a.shape[0]:
        for i in range(4):
            for j in range(4):
                total = np.float32(0)
                for t in range(4):
                    total += a[n, i, t] * b[n, t, j]
                c[n, i, j] = total
""",
        lambda s: row(s.workers, *(floats(s.workers, 4, 4) for _ in range(3)), local=128),
    ),
    "sparse matrix": (
        """
def k(start, column, value, x, y):
    r = GID(0)
    if r < y.size:
        total = np.float32(0)
        for e in range(start[r], start[r + 1]):
            total += value[e] * x[column[e]]
        y[r] = total
""",
        lambda s: row(
            s.workers,
            np.arange(s.workers + 1, dtype=np.int32) * 16,
            integers(0, s.workers, s.workers * 16),
            floats(s.workers * 16),
            floats(s.workers),
            np.zeros(s.workers, np.float32),
            local=128,
        ),
    ),
    "gather": (
        """
def k(x, place, y):
    i = GID(0)
    if i < y.size:
        y[i] = x[place[i]]
""",
        lambda s: row(
            s.numbers, floats(s.numbers), integers(0, s.numbers, s.numbers), np.zeros(s.numbers, np.float32)
        ),
    ),
    "counting": (
        """
def k(place, counts):
    i = GID(0)
    if i < place.size:
        ADD(counts, place[i], 1)
""",
        lambda s: row(s.numbers, integers(0, 4096, s.numbers), np.zeros(4096, np.int32)),
    ),
    "complex products": (
        """
def k(a, b, out):
    i = GID(0)
    if i < out.size:
        out[i] = a[i] * b[i] + a[i]
""",
        lambda s: row(s.numbers, *(floats(2 * s.numbers).view(np.complex64) for _ in range(3))),
    ),
    "nearest centre": (
        """
def k(x, c, label):
    i = GID(0)
    if i < label.size:
        best = np.float32(1e30)
        which = 0
        for m in range(c.shape[0]):
            d = np.float32(0)
            for t in range(x.shape[1]):
                e = x[i, t] - c[m, t]
                d += e * e
            if d < best:
                best = d
                which = m
        label[i] = which
""",
        lambda s: row(
            s.workers, floats(s.workers, 8), floats(32, 8), np.zeros(s.workers, np.int32), local=128
        ),
    ),
    "matrix and vector": (
        """
def k(a, x, y):
    j = GID(0)
    if j < y.size:
        total = np.float32(0)
        for i in range(a.shape[0]):
            total += a[i, j] * x[i]
        y[j] = total
""",
        lambda s: row(
            s.side, floats(s.side, s.side), floats(s.side), np.zeros(s.side, np.float32), local=128
        ),
    ),
    "simple matrices": (
        """
def k(a, b, c):
    j, i = GID(0), GID(1)
    if i < c.shape[0] and j < c.shape[1]:
        total = np.float32(0)
        for t in range(a.shape[1]):
            total += a[i, t] * b[t, j]
        c[i, j] = total
""",
        lambda s: plane(s.side // 8, *(floats(s.side // 8, s.side // 8) for _ in range(3)), local=(16, 16)),
    ),
    "int64 // 36": (dividing("value // 36"), divided(WIDE)),
    "int64 % 1000003": (dividing("value % 1000003"), divided(WIDE)),
    "int64 // variable": (dividing("value // step"), divided(WIDE)),
    "small int64 // variable": (dividing("value // step"), divided(LOW)),
}


def main() -> None:
    device = nv.get_device()
    size = SMALL if device.info.kind == "cpu" else LARGE
    measured = {}
    for name in sys.argv[1:] or ROWS:
        source, problem = ROWS[name]
        grid, arguments = problem(size)
        measured[name], placed = on_both(source, grid, arguments, LAUNCHES)
        ours, *theirs = (there[-1].copy_to_host() for there in placed.values())
        for result in theirs:  # contracted products and sums differ in the last places
            np.testing.assert_allclose(ours, result, rtol=1e-3, atol=1e-5)
    report("cuda_survey", device.info.name, measured)


if __name__ == "__main__":
    main()
