"""Kernels whose compilation is measured, as plain functions that this package and the published one both compile."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numba import types

import numba_vulkan as nv


def tiny(x):
    i = nv.global_id(0)
    if i < x.size:
        x[i] += np.float32(1)


def multiply_add(a, x, y, out):
    i = nv.global_id(0)
    if i < out.size:
        out[i] = a * x[i] + y[i]


def saxpy(a, x, y):
    i = nv.global_id(0)
    if i < x.size:
        y[i] = a * x[i] + y[i]


def three_loops(image, weights, out):
    """Three nested loops: a convolution over rows, columns and channels."""
    i = nv.global_id(0)
    if i < out.size:
        total = np.float32(0)
        for row in range(weights.shape[0]):
            for column in range(weights.shape[1]):
                for channel in range(weights.shape[2]):
                    total += image[i + row, column, channel] * weights[row, column, channel]
        out[i] = total


def branchy_loop(x, out):
    """One loop with continue, break, an early return and conditions of several parts."""
    i = nv.global_id(0)
    if i >= x.size:
        return
    value, steps = x[i], 0
    while value != 1:
        steps += 1
        if steps > 1000 or value < 0:
            out[i] = -1
            return
        if value % 2 == 0 and value > 4:
            value = value >> 1
            continue
        if value % 5 == 0 or value % 7 == 3:
            value = value - 1
            if steps > 500:
                break
        else:
            value = 3 * value + 1
    out[i] = steps


def matmul(a, b, c):
    column, row = nv.global_id(0), nv.global_id(1)
    if row < c.shape[0] and column < c.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


def stencil(old, new, rate):
    x, y = nv.global_id(0) + 1, nv.global_id(1) + 1
    height, width = old.shape
    if x < width - 1 and y < height - 1:
        around = old[y - 1, x] + old[y + 1, x] + old[y, x - 1] + old[y, x + 1]
        new[y, x] = old[y, x] + rate * (around - np.float32(4) * old[y, x])


def mandelbrot(counts, step, limit):
    x, y = nv.global_id(0), nv.global_id(1)
    if x < counts.shape[1] and y < counts.shape[0]:
        cr, ci = np.float32(x) * step - np.float32(2.25), np.float32(y) * step - np.float32(1.15)
        zr = zi = np.float32(0)
        count = 0
        while count < limit and zr * zr + zi * zi <= np.float32(4):
            zi, zr = (zr + zr) * zi + ci, zr * zr - zi * zi + cr
            count += 1
        counts[y, x] = count


def distances(points, out):
    """Straight-line code: the distance of each point from its eight successors."""
    i = nv.global_id(0)
    if i + 8 < out.size:
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        nearest = np.float32(np.inf)
        for j in range(1, 9):
            dx, dy, dz = points[i + j, 0] - x, points[i + j, 1] - y, points[i + j, 2] - z
            nearest = min(nearest, math.sqrt(dx * dx + dy * dy + dz * dz))
        out[i] = nearest


SECTION = """
    if x[i] > np.float32({n}):
        for j in range(n):
            if y[j] < total:
                total += x[(i + j + {n}) % x.size] * np.float32({n}.5)
            elif y[j] == total:
                break
    else:
        total -= y[i] + np.float32({n})
    y[i] = total
"""


def sections(count: int) -> Callable[..., None]:
    """A kernel of `count` sections, each with a loop and branches of its own."""
    head = "def sections(x, y, n):\n    i = nv.global_id(0)\n    total = x[i]\n"
    source = head + "".join(SECTION.format(n=n) for n in range(count))
    namespace: dict[str, object] = {"nv": nv, "np": np, "__name__": __name__}
    exec(compile(source, f"<{count} sections>", "exec"), namespace)
    return namespace["sections"]  # type: ignore[return-value]


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).random(shape, np.float32)


# Function, extent and arguments of each kernel that is run; the last array is the result. Sizes keep a processor busy
# for some milliseconds.
RUNS: dict[str, Callable[[], tuple[Callable[..., None], object, list]]] = {
    "saxpy, 4 M": lambda: (saxpy, 1 << 22, [np.float32(1.5), _random(1 << 22), _random(1 << 22)]),
    "stencil, 1024²": lambda: (
        stencil,
        (1022, 1022),
        [_random(1024, 1024), _random(1024, 1024), np.float32(0.2)],
    ),
    "matmul, 512": lambda: (matmul, (512, 512), [_random(512, 512), _random(512, 512), _random(512, 512)]),
    "mandelbrot, 512²": lambda: (
        mandelbrot,
        (512, 512),
        [np.zeros((512, 512), np.int32), np.float32(0.005), np.int32(256)],
    ),
}


def black_scholes(floats: type[np.floating]) -> Callable[..., None]:
    half, root_half = floats(0.5), floats(math.sqrt(0.5))

    def black_scholes(price, strike, years, rate, volatility, call, put):
        i = nv.global_id(0)
        if i < price.size:
            s, k, t = price[i], strike[i], years[i]
            root = math.sqrt(t)
            d1 = (math.log(s / k) + (rate + half * volatility * volatility) * t) / (volatility * root)
            d2 = d1 - volatility * root
            n1 = half * math.erfc(-d1 * root_half)
            n2 = half * math.erfc(-d2 * root_half)
            present = k * math.exp(-rate * t)
            value = s * n1 - present * n2
            call[i] = value
            put[i] = value - s + present

    return black_scholes


def sines(x, out):
    i = nv.global_id(0)
    if i < x.size:
        value = x[i]
        total = value
        for _ in range(16):
            total += math.sin(value) + math.cos(value)
            value += np.float32(0.01)
        out[i] = total


def _options(floats: type[np.floating]) -> tuple[Callable[..., None], object, list]:
    n = 1 << 19
    rng = np.random.default_rng(0)
    prices = [rng.uniform(low, high, n).astype(floats) for low, high in ((5, 30), (1, 100), (0.25, 10))]
    results = [np.zeros(n, floats) for _ in range(2)]
    return black_scholes(floats), n, [*prices, floats(0.02), floats(0.3), *results]


# Kernels that call math functions; the results of two installations differ in their last bits.
MATH_RUNS: dict[str, Callable[[], tuple[Callable[..., None], object, list]]] = {
    "Black-Scholes float32": lambda: _options(np.float32),
    "Black-Scholes float64": lambda: _options(np.float64),
    "16 x (sin + cos) float32": lambda: (sines, 1 << 19, [_random(1 << 19) * 8, _random(1 << 19)]),
}

_VECTOR, _MATRIX, _CUBE = types.float32[::1], types.float32[:, ::1], types.float32[:, :, ::1]
_INTEGERS = types.int64[::1]
# Function and argument types of each kernel, by name.
KERNELS: dict[str, tuple[Callable[..., None], tuple[types.Type, ...]]] = {
    "saxpy": (saxpy, (types.float32, _VECTOR, _VECTOR)),
    "three nested loops": (three_loops, (_CUBE, _CUBE, _VECTOR)),
    "matmul": (matmul, (_MATRIX, _MATRIX, _MATRIX)),
    "branchy loop": (branchy_loop, (_INTEGERS, _INTEGERS)),
    "distances": (distances, (_MATRIX, _VECTOR)),
    "12 sections": (sections(12), (_VECTOR, _VECTOR, types.int64)),
}
