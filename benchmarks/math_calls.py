"""What a call of a math function costs a compilation, and the first kernel of a process that calls some.

Reading: the compiled function from its file, as it is kept for all kernels of the process. Linking: all that comes
after the front end for a kernel with one call of it, less the same for a kernel without; "of an integer" is a call of
which LLVM knows that the argument is no NaN. The functions lie compiled in a folder, as in an installed wheel.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numba
from _installations import environment, published_python
from _timing import elapsed, in_turn, median_ratio, milliseconds, save, table
from numba.core.compiler_lock import global_compiler_lock

import numba_vulkan as nv
from numba_vulkan import mathbuild
from numba_vulkan.dispatcher import compilation
from numba_vulkan.mathlib import digests, library
from numba_vulkan.mathlib.table import FUNCTIONS
from numba_vulkan.middle import inline_math

NAMES = ("exp", "log", "sin", "tan", "pow", "erf", "lgamma")
FIRST = """
import json, math, time
import numba
import numpy as np
import numba_vulkan as nv

@nv.jit
def kernel(x, y):
    i = nv.global_id(0)
    if i < x.size:
        y[i] = math.exp(x[i]) + math.sin(x[i]) * math.log(x[i])

x = np.linspace(1, 2, 1000, dtype=np.float32)
y = np.zeros_like(x)
start, cpu = time.perf_counter(), time.process_time()
kernel.forall(x.size)(x, y)
print(json.dumps([time.perf_counter() - start, time.process_time() - cpu]))
assert np.allclose(y, np.exp(x) + np.sin(x) * np.log(x), rtol=1e-5)
"""


def reading(symbol: str) -> float:
    """Seconds to find and read a function that this process has not asked for."""
    library._known.clear()
    inline_math.math_function.cache_clear()
    for cached in (digests.source_digest, digests.digest_of_files, digests._content_digest, digests._lines):
        cached.cache_clear()
    with global_compiler_lock:
        return elapsed(lambda: inline_math.math_function(symbol))


@nv.jit
def plain(x, y):
    i = nv.global_id(0)
    if i < x.size:
        y[i] = x[i] + x[i]


def calling(name: str, argument: str = "x[i]"):
    """A kernel that calls one function."""
    arguments = ", ".join([argument, "y[i]"][: len(FUNCTIONS[name].operands)])
    source = "def kernel(x, y):\n    i = nv.global_id(0)\n    if i < x.size:\n"
    namespace = {"nv": nv, "function": getattr(math, name), "float32": numba.float32}
    exec(f"{source}        y[i] = function({arguments})\n", namespace)
    return nv.jit(namespace["kernel"])


SIGNATURE = (numba.float32[::1], numba.float32[::1])


def after_front_end(kernel) -> float:
    """CPU seconds that a new compilation of a kernel takes after the front end: others use the machine, too."""
    build, seconds = compilation.build, []

    def timed(lowered, variant):
        start = time.process_time()
        result = build(lowered, variant)
        seconds.append(time.process_time() - start)
        return result

    compilation.build = timed
    try:
        nv.jit(kernel.py_func).compile(SIGNATURE)
    finally:
        compilation.build = build
    return sum(seconds)


def first_kernel(python: Path, device: str, source: Path, functions: Path) -> list[float]:
    """Seconds, and those of the processor, of the first kernel of a new process."""
    with tempfile.TemporaryDirectory() as caches:
        (Path(caches) / "math").symlink_to(functions)
        folders = {"NUMBA_VULKAN_CACHE_DIR": caches, "XDG_CACHE_HOME": caches, "NUMBA_VULKAN_DEVICE": device}
        variables = environment(python) | folders
        done = subprocess.run([python, source], env=variables, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def costs_of_calls() -> dict[str, dict[str, float]]:
    """Reading and linking one function, in seconds."""
    rows, measured = [], {}
    for name in NAMES:
        symbol = FUNCTIONS[name].symbol("f32")
        kernels = {"without": plain, "linking": calling(name), "of an integer": calling(name, "float32(i)")}
        times = in_turn(
            {key: lambda kernel=kernel: after_front_end(kernel) for key, kernel in kernels.items()}
        )
        added = {key: [w - p for w, p in zip(times[key], times["without"], strict=True)] for key in kernels}
        del added["without"]
        read = in_turn({"read": lambda symbol=symbol: reading(symbol)})["read"]
        measured[name] = {
            key: statistics.median(values) for key, values in {"reading": read, **added}.items()
        }
        rows.append([f"{name} float32", milliseconds(read), *map(milliseconds, added.values())])
    print("cost of one call in a kernel, ms")
    table(["", "reading", "linking and compiling", "of an integer"], rows)
    return measured


def first_kernels(device: str, functions: Path) -> dict[str, float]:
    """The first kernel of a process, in seconds, and its ratio to the published package's."""
    pythons = {"ours": Path(sys.executable)}
    published = published_python()
    if published:
        pythons["published"] = published
    cpu: dict[str, list[float]] = {name: [] for name in pythons}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "first.py"
        source.write_text(FIRST)

        def measure(name: str) -> float:
            seconds, of_processor = first_kernel(pythons[name], device, source, functions)
            cpu[name].append(of_processor)
            return seconds

        times = in_turn({name: lambda name=name: measure(name) for name in pythons}, repeats=5)
    measured = {name: statistics.median(values) for name, values in times.items()}
    print(f"first kernel of a process, with exp, sin and log of float32, on '{device}', ms")
    table(["", "clock", "processor"], [[n, milliseconds(t), milliseconds(cpu[n])] for n, t in times.items()])
    if published:
        measured["ratio"] = median_ratio(times["ours"], times["published"])
        measured["ratio of processor time"] = median_ratio(cpu["ours"], cpu["published"])
        print(f"ratio {measured['ratio']:.2f}, of processor time {measured['ratio of processor time']:.2f}")
    return measured


def main() -> None:
    device = nv.get_device().info.name
    with tempfile.TemporaryDirectory() as folder:
        functions = Path(folder)
        mathbuild.write_all(functions)
        library.SHIPPED = functions
        measured = {"calls": costs_of_calls(), "first kernel": first_kernels(device, functions)}
    save("math_calls", device, measured)


if __name__ == "__main__":
    main()
