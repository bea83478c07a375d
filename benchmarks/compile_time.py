"""Warm compile: a new dispatcher compiles a kernel for given types in a process that has compiled others before.

Nothing is taken from a cache. The front end is everything up to unoptimised LLVM assembly, most of it Numba's.
"""

from __future__ import annotations

import statistics

from _installations import Worker, workers
from _kernels import KERNELS
from _timing import in_turn, median_ratio, milliseconds, save, table


def main() -> None:
    found = workers()
    rows, measured = [], {}
    for kernel in KERNELS:
        stages: dict[str, list[float]] = {}

        def compile_once(
            worker: Worker, kernel: str = kernel, stages: dict[str, list[float]] = stages
        ) -> float:
            answer = worker.ask("compile", kernel)
            if worker is found[0]:
                for stage, seconds in answer.items():
                    stages.setdefault(stage, []).append(seconds)
            return answer["total"]

        times = in_turn({worker.name: lambda worker=worker: compile_once(worker) for worker in found})
        ours, theirs = times["ours"], times.get("published")
        # The first is the warm-up.
        front, rest = stages["front end"][1:], stages["after the front end"][1:]
        ratio = median_ratio(ours, theirs) if theirs else None
        measured[kernel] = {
            **{name: statistics.median(values) for name, values in times.items()},
            "ratio": ratio,
            "front end": statistics.median(front),
            "after the front end": statistics.median(rest),
        }
        rows.append([
            kernel,
            milliseconds(ours),
            milliseconds(theirs) if theirs else "-",
            f"{ratio:.2f}" if ratio else "-",
            milliseconds(front),
            milliseconds(rest),
        ])  # fmt: skip
    print(f"warm compile for '{found[0].device}', ms")
    table(["kernel", "ours", "published", "ratio", "our front end", "after it"], rows)
    save("compile_time", found[0].device, measured)
    for worker in found:
        worker.close()


if __name__ == "__main__":
    main()
