"""The heat equation on a square plate: explicit steps between two arrays that stay on the device.

The temperatures along the rim are held; inside, each step moves a point towards the mean of its four neighbours. The
kernel adds them in the order of the NumPy version, so that both end with the same bits.
"""

from __future__ import annotations

import numpy as np
from _comparison import options, report, seconds

import numba_vulkan as nv

STEPS = 500
RATE = np.float32(0.2)  # thermal diffusivity * time step / spacing²; stable below 1/4


@nv.jit
def step(old, new, rate):
    x, y = nv.global_id(0) + 1, nv.global_id(1) + 1
    height, width = old.shape
    if x < width - 1 and y < height - 1:
        around = old[y - 1, x] + old[y + 1, x] + old[y, x - 1] + old[y, x + 1]
        new[y, x] = old[y, x] + rate * (around - np.float32(4) * old[y, x])


def step_with_numpy(old: np.ndarray, new: np.ndarray, rate: np.float32) -> None:
    around = old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:]
    new[1:-1, 1:-1] = old[1:-1, 1:-1] + rate * (around - 4 * old[1:-1, 1:-1])


def plate(size: int) -> np.ndarray:
    """A plate at 20 degrees with a hot disc and a cold rim at the top."""
    y, x = np.mgrid[:size, :size] / size
    temperatures = np.where((x - 0.4) ** 2 + (y - 0.6) ** 2 < 0.04, 95, 20).astype(np.float32)
    temperatures[0] = 5
    return temperatures


def main() -> None:
    chosen = options("Solve the heat equation.", 1024)
    start = plate(chosen.size)

    device = nv.get_device(chosen.device)
    launch = step.forall((chosen.size - 2, chosen.size - 2), device=device)

    def on_device(steps: int) -> nv.DeviceArray:
        old, new = nv.to_device(start, device), nv.to_device(start, device)
        for _ in range(steps):
            launch(old, new, RATE)
            old, new = new, old
        nv.synchronize(device)
        return old

    def on_cpu() -> np.ndarray:
        old, new = start.copy(), start.copy()
        for _ in range(STEPS):
            step_with_numpy(old, new, RATE)
            old, new = new, old
        return old

    times = {
        "first step, which compiles": seconds(lambda: on_device(1), 1),
        "on the device": seconds(lambda: on_device(STEPS), 3),
        "NumPy": seconds(on_cpu, 1),
    }
    title = f"Heat equation, {STEPS} steps on {chosen.size} x {chosen.size} points"
    report(title, device.info.name, times, on_device(STEPS).copy_to_host(), on_cpu())


if __name__ == "__main__":
    main()
