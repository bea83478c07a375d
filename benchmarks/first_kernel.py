"""The first kernel of a process: from the call to its result, beyond the imports, with empty caches.

Opening the device, asking the driver what it can do and the driver's own compiler are part of it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from _installations import Worker, environment, published_python
from _timing import in_turn, median_ratio, milliseconds, save, table

PROGRAM = """
import json, time
import numba
import numpy as np
import numba_vulkan as nv

@nv.jit
def double(x):
    i = nv.global_id(0)
    if i < x.size:
        x[i] = x[i] + x[i]

x = np.ones(1000, np.float32)
start = time.perf_counter()
double.forall(x.size)(x)
first = time.perf_counter() - start
assert (x == 2).all()
start = time.perf_counter()
nv.jit(double.py_func).forall(x.size)(x)
print(json.dumps([first, time.perf_counter() - start]))
"""


def first_call(python: Path, device: str, source: Path) -> tuple[float, float]:
    """Seconds of the first kernel of a new process, and of a second one like it."""
    with tempfile.TemporaryDirectory() as caches:
        variables = environment(python) | {
            "NUMBA_VULKAN_DEVICE": device,
            "NUMBA_VULKAN_CACHE_DIR": caches,
            "XDG_CACHE_HOME": caches,
        }
        done = subprocess.run([python, source], env=variables, stdout=subprocess.PIPE, text=True, check=True)
    first, second = json.loads(done.stdout)
    return first, second


def main() -> None:
    ours = Worker("ours", Path(sys.executable))
    device = ours.device
    ours.close()
    pythons = {"ours": Path(sys.executable)}
    published = published_python()
    if published:
        pythons["published"] = published
    seconds: dict[str, list[float]] = {name: [] for name in pythons}

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "first_kernel.py"
        source.write_text(PROGRAM)

        def measure(name: str) -> float:
            first, second = first_call(pythons[name], device, source)
            seconds[name].append(second)
            return first

        times = in_turn({name: lambda name=name: measure(name) for name in pythons})
    measured: dict[str, object] = {name: statistics.median(values) for name, values in times.items()}
    if published:
        measured["ratio"] = median_ratio(times["ours"], times["published"])
    print(f"first kernel of a process on '{device}', ms")
    rows = [[name, milliseconds(values), milliseconds(seconds[name])] for name, values in times.items()]
    table(["", "first", "second"], rows)
    save("first_kernel", device, measured)


if __name__ == "__main__":
    main()
