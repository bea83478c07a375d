"""A 5x5 median filter takes the noise out of a photograph.

The photograph is Chelsea, Stéfan van der Walt's cat, which scikit-image ships (CC0). One invocation computes one
colour of one pixel, in a grid of three dimensions. It needs neither an array of its own nor sorting: the median is
the smallest value that at least 13 of the 25 values do not exceed, and bisection finds it.
"""

from __future__ import annotations

import numpy as np
from _comparison import options, report, seconds
from PIL import Image
from skimage import data
from skimage.filters import median

import numba_vulkan as nv

RADIUS = 2
SIDE = 2 * RADIUS + 1


@nv.jit
def count_up_to(image, y, x, colour, bound):
    """Return how many values around a pixel are at most `bound`; beyond the rim the nearest pixel counts again."""
    height, width, _ = image.shape
    count = 0
    for row in range(y - RADIUS, y + RADIUS + 1):
        for column in range(x - RADIUS, x + RADIUS + 1):
            if image[min(max(row, 0), height - 1), min(max(column, 0), width - 1), colour] <= bound:
                count += 1
    return count


@nv.jit
def median_filter(image, filtered):
    colour, x, y = nv.global_id(0), nv.global_id(1), nv.global_id(2)
    height, width, colours = image.shape
    if colour < colours and x < width and y < height:
        low, high = 0, 255
        while low < high:
            middle = (low + high) >> 1
            if count_up_to(image, y, x, colour, middle) > SIDE * SIDE // 2:
                high = middle
            else:
                low = middle + 1
        filtered[y, x, colour] = low


def noisy_photograph(size: int) -> np.ndarray:
    """The middle of the photograph, `size` high and at most 1.5 times as wide, one pixel in twelve black or white."""
    photograph = data.chelsea()
    height, width, _ = photograph.shape
    half_height, half_width = min(size, height) // 2, min(size * 3 // 2, width) // 2
    image = photograph[
        height // 2 - half_height : height // 2 + half_height,
        width // 2 - half_width : width // 2 + half_width,
    ].copy()
    chance = np.random.default_rng(0).random(image.shape[:2])
    image[chance < 1 / 24] = 0
    image[chance > 23 / 24] = 255
    return image


def main() -> None:
    chosen = options("Filter a photograph.", 300, "median_filter.png")
    before = noisy_photograph(chosen.size)
    height, width, colours = before.shape

    device = nv.get_device(chosen.device)
    # Arrays of uint8 work too, but some devices keep those in parts of words, which is slower.
    image = nv.to_device(before.astype(np.int32), device)
    filtered = nv.device_array_like(image)
    launch = median_filter.forall((colours, width, height), local_size=(colours, 8, 4), device=device)

    def on_device() -> None:
        launch(image, filtered)
        nv.synchronize(device)

    def on_cpu() -> np.ndarray:
        return median(before, np.ones((SIDE, SIDE, 1)), mode="nearest")

    times = {
        "first call, which compiles": seconds(on_device, 1),
        "on the device": seconds(on_device),
        "scikit-image": seconds(on_cpu),
    }
    after = filtered.copy_to_host()
    Image.fromarray(np.hstack([before, after.astype(np.uint8)])).save(chosen.output, optimize=True)
    title = f"{SIDE} x {SIDE} median filter, {width} x {height} pixels of {colours} colours: {chosen.output}"
    report(title, device.info.name, times, after, on_cpu())


if __name__ == "__main__":
    main()
