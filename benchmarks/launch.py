"""Launches: a tiny kernel launched and waited for, launched alone, and called with NumPy arrays of 1000 elements.

The host time is that of the launching thread in a long row of launches on three device arrays and a scalar.
"""

from __future__ import annotations

import statistics

from _installations import workers
from _timing import in_turn, median_ratio, save, table

# Calls of one repeat.
COUNTS = {
    "launch and wait": 300,
    "launch": 100,
    "host time of a launch": 1000,
    "call with NumPy arrays": 300,
}


def main() -> None:
    found = workers()
    rows, measured = [], {}
    for what, count in COUNTS.items():
        times = in_turn({
            worker.name: lambda worker=worker, what=what, count=count: worker.ask(what, count)["total"]
            for worker in found
        })  # fmt: skip
        medians = {name: statistics.median(values) for name, values in times.items()}
        ratio = median_ratio(times["ours"], times["published"]) if "published" in times else None
        measured[what] = {**medians, "ratio": ratio}
        cells = [f"{1e6 * medians[name]:.1f}" if name in medians else "-" for name in ("ours", "published")]
        rows.append([what, *cells, f"{ratio:.2f}" if ratio else "-"])
    print(f"time of a call on '{found[0].device}', µs")
    table(["", "ours", "published", "ratio"], rows)
    save("launch", found[0].device, measured)
    for worker in found:
        worker.close()


if __name__ == "__main__":
    main()
