"""What operations of each type cost, relative to the same operation of 32 bits on the same device.

With ``NUMBA_VULKAN_DISABLE=int64`` the 64-bit integers of a device are computed as pairs of words. On a CPU, what
counts is the time that the threads of the process compute, which other processes disturb less.
"""

from __future__ import annotations

import linecache
import time
from collections.abc import Callable

import numba
import numpy as np
from _timing import elapsed, in_turn, save, table

import numba_vulkan as nv

STEPS = 256
OPERATIONS = {
    "add": "v + y[i]",
    "multiply": "v * y[i]",
    "divide": "(v | 1) // y[i]",
    "divide by 1000": "(v ^ y[i]) // {type}(1000)",
    "shift": "(v << ({type}(k) & {type}(7))) ^ y[i]",
    "compare": "max(v ^ y[i], y[i])",
    "to float32 and back": "{type}(float32(v ^ y[i]))",
}
INTEGERS = ("int8", "int16", "int32", "int64", "uint64")
FLOAT_OPERATIONS = {
    "add": "v + y[i]",
    "multiply": "v * y[i]",
    "divide": "v / y[i]",
    "to int32 and back": "{type}(int32(v)) + y[i]",
    "to uint32 and back": "{type}(uint32(v)) + y[i]",
}
FLOATS = ("float16", "float32", "float64")


def kernel_of(expression: str, type: str) -> nv.dispatcher.VulkanDispatcher:
    expression = expression.format(type=type)
    place = f"<{expression} of {type}>"
    source = (
        f"def kernel(x, y, out):\n    i = nv.global_id(0)\n    if i < x.size:\n        v = x[i]\n"
        f"        for k in range({STEPS}):\n            v = {type}({expression})\n        out[i] = v\n"
    )
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    namespace = {
        "nv": nv,
        **{name: getattr(numba, name) for name in (*INTEGERS, "uint32", "float32", "float64")},
    }
    namespace["float16"] = np.float16
    exec(compile(source, place, "exec"), namespace)
    return nv.jit(namespace["kernel"])


@nv.jit
def copied(x, y, out):
    i = nv.global_id(0)
    if i < x.size:
        out[i] = x[i]


def work_of(
    kernel: nv.dispatcher.VulkanDispatcher, elements: int, type: str, device: nv.Device
) -> Callable[[], float]:
    rng = np.random.default_rng(0)
    limit = min(1 << 40, np.iinfo(type).max) if type in INTEGERS else 2
    x, y = (nv.to_device((rng.random(elements) * limit + 1).astype(type), device) for _ in range(2))
    out = nv.device_array(elements, type, device)

    def launch() -> None:
        kernel.forall(elements, device=device)(x, y, out)
        nv.synchronize(device)

    launch()
    clock = time.process_time if device.info.kind == "cpu" else time.perf_counter
    return lambda: elapsed(launch, clock=clock)


def measured_on(device: nv.Device) -> dict[str, dict[str, float]]:
    """The shortest times by operation and type: what else the machine does only adds to them."""
    found = {}
    computed, moved = (1 << 16, 1 << 20) if device.info.kind == "cpu" else (1 << 22, 1 << 24)
    for kind, operations, types in (("integer", OPERATIONS, INTEGERS), ("float", FLOAT_OPERATIONS, FLOATS)):
        offered = [t for t in types if t != "float64" or device.info.float64]
        works = {
            name: {t: work_of(kernel_of(expression, t), computed, t, device) for t in offered}
            for name, expression in operations.items()
        }
        works["copy elements"] = {t: work_of(copied, moved, t, device) for t in offered}
        for name, of_types in works.items():
            found[f"{kind} {name}"] = {t: min(v) for t, v in in_turn(of_types, 7).items()}
    return found


def main() -> None:
    for info in nv.list_devices():
        found = measured_on(nv.get_device(info))
        kind = "native int64" if info.int64 else "int64 as pairs of words"
        print(f"cost relative to 32 bits on '{info.name}', {kind}")
        for types, first in ((INTEGERS, "int32"), (FLOATS, "float32")):
            rows = [
                [name, *(f"{times[t] / times[first]:.2f}" if t in times else "-" for t in types)]
                for name, times in found.items()
                if first in times
            ]
            table(["operation", *types], rows)
        save("type_costs" if info.int64 else "type_costs_words", info.name, found)


if __name__ == "__main__":
    main()
