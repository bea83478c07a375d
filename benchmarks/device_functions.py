"""What a device function adds to a compilation: CPU time per function, for kernels that call ever more of them.

Beside it what Numba's own front end (typing and lowering for its CPU target, no machine code) takes for one.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from typing import Any

from _timing import elapsed, save, table
from numba.core import compiler, types
from numba.core.registry import cpu_target

import numba_vulkan as nv
from numba_vulkan import codegen
from numba_vulkan.frontend import entry
from numba_vulkan.frontend.types import argument_type
from numba_vulkan.kernel import TargetProfile, Variant

COUNT, REPEATS = 20, 3
VARIANTS = {
    "64-bit integers": Variant(TargetProfile(), aliased=False),
    "pairs of words": Variant(TargetProfile(int64=False, float64=False), aliased=False),
}
FUNCTION = """
def part{k}(x, i, s):
    t = x[i] * s
    for j in range(3):
        if t > {k}:
            t = t * s - x[j]
        else:
            t += s
    return t
"""
KERNEL = """
def kernel(x, out, s):
    i = nv.global_id(0)
    if i < x.size:
        v = x[i]
{calls}
        out[i] = v
"""


def parts(count: int) -> dict[str, Any]:
    """Return new functions by their names."""
    names: dict[str, Any] = {"nv": nv}
    for k in range(count):
        exec(FUNCTION.format(k=k), names)
    return names


def seconds(action: Callable[[], Any]) -> float:
    return elapsed(action, clock=time.process_time)


def stages(count: int) -> dict[str, float]:
    """Compile a kernel that calls ``count`` functions; return the CPU time of each stage."""
    names = parts(count)
    names |= {f"part{k}": nv.jit(names[f"part{k}"]) for k in range(count)}
    calls = "\n".join(f"        v += part{k}(x, i, s)" for k in range(count))
    exec(KERNEL.format(calls=calls), names)
    array = argument_type(types.float32[::1])
    lowered: list[Any] = []
    kernel = nv.jit(names["kernel"])
    found = {"front end": seconds(lambda: lowered.append(entry.lower(kernel, (array, array, types.float32))))}
    for name, variant in VARIANTS.items():
        found[name] = seconds(lambda variant=variant: codegen.build(lowered[0], variant))
    return found


def numba_front_end() -> float:
    """Return the CPU time of Numba's typing and lowering of the functions for its CPU target."""
    names = parts(COUNT)
    flags = compiler.Flags()
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    flags.error_model = "numpy"
    arguments = (types.float32[::1], types.int64, types.float32)
    target = cpu_target

    def run() -> None:
        for k in range(COUNT):
            compiler.compile_extra(
                target.typing_context, target.target_context, names[f"part{k}"], arguments, None, flags, {}
            )

    return seconds(run)


def main() -> None:
    gc.disable()
    stages(2)
    numba_front_end()
    found: dict[str, list[float]] = {}
    for _ in range(REPEATS):
        none, many = stages(0), stages(COUNT)
        for name in many:
            found.setdefault(name, []).append((many[name] - none[name]) / COUNT)
        found.setdefault("Numba's front end", []).append(numba_front_end() / COUNT)
        gc.collect()
    medians = {name: statistics.median(values) for name, values in found.items()}
    print("CPU time per device function, ms")
    table(["stage", "ms"], [[name, f"{1e3 * value:.1f}"] for name, value in medians.items()])
    save("device_functions", "", medians)


if __name__ == "__main__":
    main()
