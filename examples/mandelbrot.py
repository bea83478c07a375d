"""The Mandelbrot set: one invocation a pixel, and one Python function that the device and the CPU both run.

Every operation is rounded alike on both, in the same order, so that the counts are equal, not just close.
"""

from __future__ import annotations

import numba
import numpy as np
from _comparison import options, report, seconds
from PIL import Image

import numba_vulkan as nv

# Real part of the left edge and imaginary part of the upper one; the real axis is in the middle of the picture.
LEFT, TOP = -2.45, 1.15
LIMIT = np.int32(500)


@numba.njit
def count_steps(cr, ci, limit):
    """Return after how many steps of z -> z*z + c the point c leaves the circle of radius 2, at most `limit`."""
    zr = zi = np.float32(0)
    for count in range(limit):
        zr2, zi2 = zr * zr, zi * zi
        if zr2 + zi2 > np.float32(4):
            return count
        zi = (zr + zr) * zi + ci
        zr = zr2 - zi2 + cr
    return limit


@nv.jit
def mandelbrot(counts, left, top, step, limit):
    x, y = nv.global_id(0), nv.global_id(1)
    height, width = counts.shape
    if x < width and y < height:
        counts[y, x] = count_steps(left + np.float32(x) * step, top - np.float32(y) * step, limit)


@numba.njit
def mandelbrot_on_cpu(counts, left, top, step, limit):
    height, width = counts.shape
    for y in range(height):
        for x in range(width):
            counts[y, x] = count_steps(left + np.float32(x) * step, top - np.float32(y) * step, limit)


def picture(counts: np.ndarray) -> Image.Image:
    """Colour the counts; points that never left are black."""
    phase = 1.7 * np.log(counts + 1)[..., np.newaxis] + np.array([2.2, 2.7, 3.3])
    colours = (127.5 + 127.5 * np.cos(phase)).astype(np.uint8)
    colours[counts == LIMIT] = 0
    return Image.fromarray(colours)


def main() -> None:
    chosen = options("Draw the Mandelbrot set.", 1024, "mandelbrot.png")
    height, width = chosen.size, chosen.size * 3 // 2
    scene = (np.float32(LEFT), np.float32(TOP), np.float32(2 * TOP / height), LIMIT)

    device = nv.get_device(chosen.device)
    counts = nv.device_array((height, width), np.int32, device)
    launch = mandelbrot.forall((width, height), device=device)

    def on_device() -> None:
        launch(counts, *scene)
        nv.synchronize(device)

    expected = np.empty((height, width), np.int32)
    mandelbrot_on_cpu(expected, *scene)  # compiles it
    times = {
        "first call, which compiles": seconds(on_device, 1),
        "on the device": seconds(on_device),
        "Numba on one CPU core": seconds(lambda: mandelbrot_on_cpu(expected, *scene), 3),
    }
    result = counts.copy_to_host()
    picture(result).save(chosen.output, optimize=True)
    title = f"Mandelbrot set, {width} x {height} pixels, up to {LIMIT} steps: {chosen.output}"
    report(title, device.info.name, times, result, expected)


if __name__ == "__main__":
    main()
