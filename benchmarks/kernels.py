"""Kernels at work: the time from launch to end on arrays that lie on the device, side by side with the published one.

Both must compute the same bits.
"""

from __future__ import annotations

import statistics

from _installations import Worker, workers
from _kernels import RUNS
from _timing import in_turn, median_ratio, milliseconds, save, table

REPEATS = 15


def main() -> None:
    found = workers()
    rows, measured = [], {}
    for kernel in RUNS:
        digests: dict[str, str] = {}

        def run_once(worker: Worker, kernel: str = kernel, digests: dict[str, str] = digests) -> float:
            answer = worker.ask("run", kernel)
            digests[worker.name] = answer["digest"]
            return answer["total"]

        times = in_turn({worker.name: lambda worker=worker: run_once(worker) for worker in found}, REPEATS)
        if len(set(digests.values())) != 1:
            raise RuntimeError(f"the results of '{kernel}' differ between {' and '.join(digests)}")
        theirs = times.get("published")
        ratio = median_ratio(times["ours"], theirs) if theirs else None
        measured[kernel] = {
            **{name: statistics.median(values) for name, values in times.items()},
            "ratio": ratio,
        }
        cells = [milliseconds(theirs), f"{ratio:.2f}"] if theirs else ["-", "-"]
        rows.append([kernel, milliseconds(times["ours"]), *cells])
    print(f"kernels on '{found[0].device}', ms")
    table(["kernel", "ours", "published", "ratio"], rows)
    save("kernels", found[0].device, measured)
    for worker in found:
        worker.close()


if __name__ == "__main__":
    main()
