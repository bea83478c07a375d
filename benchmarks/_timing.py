"""What the benchmarks share: repeated measurement, the table they print and the file they leave.

Times that are compared are taken in turn, so that a busy moment of the machine meets all of them, and their ratio is
the median of the ratios of neighbours.
"""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
REPEATS = 9


def in_turn(works: dict[str, Callable[[], float]], repeats: int = REPEATS) -> dict[str, list[float]]:
    """Call every work once to warm up, then `repeats` times in turn; a work returns what it measured."""
    for work in works.values():
        work()
    measured: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            measured[name].append(work())
    return measured


def elapsed(
    work: Callable[[], object], times: int = 1, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the seconds that `work` takes, on average over `times` calls."""
    start = clock()
    for _ in range(times):
        work()
    return (clock() - start) / times


def median_ratio(numerators: Sequence[float], denominators: Sequence[float]) -> float:
    return statistics.median(n / d for n, d in zip(numerators, denominators, strict=True))


def milliseconds(times: Sequence[float]) -> str:
    """The median in milliseconds, as a cell of a table."""
    return f"{1000 * statistics.median(times):.3g}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns: the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    for row in (header, *rows):
        first, *rest = (
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join((first, *rest)), flush=True)


def save(benchmark: str, device: str, measured: object) -> None:
    """Write what was measured, in seconds, with the machine it was measured on, to `results`."""
    # "llvmpipe (LLVM 19.1.7, 256 bits)" and its kind: what follows changes with every driver.
    slug = re.sub(r"[^a-z0-9]+", "-", device.split("(")[0].strip().lower())
    path = RESULTS / f"{benchmark}{'-' if slug else ''}{slug}.json"
    content = {"benchmark": benchmark, "machine": machine(device), "measured": measured}
    path.write_text(json.dumps(content, indent=1) + "\n")
    print(
        f"written to {path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}\n",
        flush=True,
    )


def machine(device: str) -> dict[str, object]:
    cpuinfo = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*: (.*)", cpuinfo.read_text()) if cpuinfo.exists() else []
    return {
        "device": device,
        "processor": names[0] if names else platform.processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        **{package: version(package) for package in ("numba", "llvmlite", "numpy")},
    }
