"""Import: what `import numba_vulkan` takes beyond `import numba`, and that it loads no driver."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path

from _installations import environment, published_python
from _timing import in_turn, median_ratio, milliseconds, save, table

PROGRAM = """
import json, sys, time
start = time.perf_counter()
import numba
middle = time.perf_counter()
import numba_vulkan
end = time.perf_counter()
with open("/proc/self/maps") as maps:
    files = sorted({line.split()[-1] for line in maps if "/" in line})
print(json.dumps({"numba": middle - start, "beyond": end - middle, "files": files}))
"""
DRIVERS = ("libvulkan", "libvk_", "libgallium", "libnvidia", "libglx", "libcuda")


def imported(python: Path) -> dict:
    """Import in a new process."""
    command = [str(python), "-c", PROGRAM]
    done = subprocess.run(command, env=environment(python), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    pythons = {"ours": Path(sys.executable)}
    published = published_python()
    if published:
        pythons["published"] = published
    loaded = [
        file for file in imported(pythons["ours"])["files"] if Path(file).name.lower().startswith(DRIVERS)
    ]
    if loaded:
        sys.exit(f"import numba_vulkan loads {', '.join(loaded)}")
    times = in_turn(
        {name: lambda python=python: imported(python)["beyond"] for name, python in pythons.items()}
    )
    measured: dict[str, float] = {name: statistics.median(values) for name, values in times.items()}
    if published:
        measured["ratio"] = median_ratio(times["ours"], times["published"])
    print("import numba_vulkan beyond import numba, ms; no driver is loaded")
    table(["", "median"], [[name, milliseconds(values)] for name, values in times.items()])
    save("import_time", "", measured)


if __name__ == "__main__":
    main()
