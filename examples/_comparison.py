"""What the examples share, none of it needed to use numba_vulkan: options, timing and the comparison with the CPU."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

REPEATS = 5


def options(description: str, size: int, picture: str = "") -> argparse.Namespace:
    """Read the command line; the default picture goes to the folder `build`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--device", help="index or part of the name of the device (default: the GPU, if any)")
    parser.add_argument(
        "--size", type=int, default=size, help="height in pixels or grid points (default: %(default)s)"
    )
    if picture:
        parser.add_argument(
            "--output", type=Path, default=Path("build") / picture, help="default: %(default)s"
        )
    chosen = parser.parse_args()
    if chosen.size < 8:
        parser.error(f"--size must be at least 8, not {chosen.size}")
    if picture:
        chosen.output.parent.mkdir(parents=True, exist_ok=True)
    return chosen


def seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the median time of `work`, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def report(
    title: str, device: str, times: dict[str, float], result: np.ndarray, expected: np.ndarray
) -> None:
    """Print the times, and how far the result is from the CPU's; end the program if it differs at all."""
    # Wide enough for every type used here: a difference must not overflow.
    difference = np.abs(np.subtract(result, expected, dtype=np.float64))
    print(title)
    print(f"  {'device':<28}{device}")
    for what, elapsed in times.items():
        print(f"  {what:<28}{1000 * elapsed:.1f} ms")
    print(f"  {'largest difference':<28}{np.max(difference):g}", flush=True)
    if not np.array_equal(result, expected):
        count = np.count_nonzero(result != expected)
        sys.exit(
            f"{Path(sys.argv[0]).name}: {count} of {result.size} values computed on '{device}' differ from the CPU's, "
            f"by up to {np.max(difference):g}"
        )
