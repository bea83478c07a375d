"""Kernels that call math functions, side by side with the published package, on arrays that lie on the device.

On a CPU, what counts is the time that the threads of the process compute, which other processes disturb less.
"""

from __future__ import annotations

import statistics

from _installations import workers
from _kernels import MATH_RUNS
from _timing import in_turn, median_ratio, milliseconds, save, table

REPEATS = 15


def main() -> None:
    found = workers()
    rows, measured = [], {}
    clock = "cpu" if "llvmpipe" in found[0].device else "total"
    for kernel in MATH_RUNS:
        works = {w.name: lambda w=w, kernel=kernel: w.ask("run", kernel)[clock] for w in found}
        times = in_turn(works, REPEATS)
        theirs = times.get("published")
        ratio = median_ratio(theirs, times["ours"]) if theirs else None
        medians = {name: statistics.median(values) for name, values in times.items()}
        measured[kernel] = {**medians, "published over ours": ratio}
        cells = [milliseconds(theirs), f"{ratio:.2f}"] if theirs else ["-", "-"]
        rows.append([kernel, milliseconds(times["ours"]), *cells])
    print(f"kernels on '{found[0].device}', ms")
    table(["kernel", "ours", "published", "published over ours"], rows)
    save("math_kernels", found[0].device, measured)
    for worker in found:
        worker.close()


if __name__ == "__main__":
    main()
