"""Launches: a tiny kernel launched and waited for, launched alone, and called with NumPy arrays of 1000 elements.

Host times are those of the launching thread: in a long row of launches on three device arrays and a scalar, in native
code and in Python, and of a lone launch until it is submitted. `bare` is a loop that submits one recorded command
buffer and waits for it, and for a lone launch its submissions alone: where a driver's thread runs on the caller's
processor first, they take as long as the kernel.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from _bare import BareLoop
from _installations import Worker, workers
from _timing import in_turn, median_ratio, save, table

import numba_vulkan as nv

# Calls of one repeat.
COUNTS = {
    "launch and wait": 300,
    "lone launch": 300,
    "host time of a lone launch": 300,
    "launch": 100,
    "host time of a launch": 1000,
    "call with NumPy arrays": 300,
}
NAMES = ("ours", "in Python", "published", "bare")


def main() -> None:
    found = workers()
    device = found[0].device
    found.insert(1, Worker("in Python", Path(sys.executable), device, NUMBA_VULKAN_NATIVE="0"))
    bare = BareLoop(nv.get_device(device))
    measure_bare = {"launch and wait": bare.seconds, "lone launch": bare.submission_seconds}
    rows, measured = [], {}
    for what, count in COUNTS.items():
        works = {
            worker.name: lambda worker=worker, what=what, count=count: worker.ask(what, count)["total"]
            for worker in found
        }
        if what in measure_bare:
            works["bare"] = lambda what=what, count=count: measure_bare[what](count)
        times = in_turn(works)
        medians = {name: statistics.median(values) for name, values in times.items()}
        ratios = {
            f"ours / {name}": median_ratio(times["ours"], times[name])
            for name in ("published", "bare")
            if name in times
        }
        measured[what] = {**medians, **ratios}
        cells = [f"{1e6 * medians[name]:.1f}" if name in medians else "-" for name in NAMES]
        found_ratios = [ratios.get(f"ours / {name}") for name in ("published", "bare")]
        rows.append([what, *cells, *(f"{ratio:.2f}" if ratio else "-" for ratio in found_ratios)])
    print(f"time of a call on '{device}', µs")
    table(["", *NAMES, "ours / published", "ours / bare"], rows)
    save("launch", device, measured)
    for worker in found:
        worker.close()


if __name__ == "__main__":
    main()
