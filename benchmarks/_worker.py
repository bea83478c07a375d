"""A process that measures one installation of numba_vulkan, this package's or the published one, on request.

It reads a JSON list `[measurement, argument, ...]` per line and answers each with a JSON object. It uses only what
both installations offer.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import _kernels
import numpy as np

import numba_vulkan as nv

ELEMENTS = 1000


class Stages:
    """Adds up the time inside the stages of this package; the published one has none that we know of."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        if Path(nv.__file__).parents[1].name == "src":
            from numba_vulkan import codegen  # noqa: PLC0415 - the published package has other modules
            from numba_vulkan.frontend import entry  # noqa: PLC0415

            entry.lower = self.timed("front end", entry.lower)
            codegen.build = self.timed("after the front end", codegen.build)

    def timed(self, stage: str, function: Callable[..., object]) -> Callable[..., object]:
        def measured(*args: object) -> object:
            start = time.perf_counter()
            result = function(*args)
            self.seconds[stage] = time.perf_counter() - start
            return result

        return measured


stages = Stages()


def hello() -> dict[str, str]:
    """Choose the device: what the environment names, else a GPU, else llvmpipe, on which targets are set."""
    info = nv.get_device().info
    if info.kind == "cpu" and not os.environ.get("NUMBA_VULKAN_DEVICE"):
        info = next((other for other in nv.list_devices() if "llvmpipe" in other.name), info)
        nv.select_device(info)
    return {"file": nv.__file__, "device": info.name}


def compile_kernel(name: str) -> dict[str, float]:
    """Compile with a new dispatcher, so that nothing is left of an earlier compilation."""
    function, signature = _kernels.KERNELS[name]
    kernel = nv.jit(function)
    start = time.perf_counter()
    kernel.compile(signature)
    return {"total": time.perf_counter() - start, **stages.seconds}


tiny = nv.jit(_kernels.tiny)
saxpy = nv.jit(_kernels.saxpy)
multiply_add = nv.jit(_kernels.multiply_add)


def launch_and_wait(count: int) -> dict[str, float]:
    x = nv.to_device(np.zeros(ELEMENTS, np.float32))
    launch = tiny.forall(ELEMENTS)
    launch(x)
    nv.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        launch(x)
        nv.synchronize()
    total = (time.perf_counter() - start) / count
    if not (x.copy_to_host() == count + 1).all():
        raise AssertionError("the launches computed something else")
    return {"total": total}


def lone_launch(count: int, clock: Callable[[], float] = time.perf_counter) -> dict[str, float]:
    """Time until a launch with nothing before it is submitted; the waits between are not counted."""
    x = nv.to_device(np.zeros(ELEMENTS, np.float32))
    launch = tiny.forall(ELEMENTS)
    launch(x)
    nv.synchronize()
    total = 0.0
    for _ in range(count):
        start = clock()
        launch(x)
        total += clock() - start
        nv.synchronize()
    return {"total": total / count}


def launch_only(count: int) -> dict[str, float]:
    """Time of the calls alone: three device arrays' worth of launches, waited for once."""
    x = nv.to_device(np.ones(ELEMENTS, np.float32))
    y = nv.to_device(np.zeros(ELEMENTS, np.float32))
    launch = saxpy.forall(ELEMENTS)
    launch(np.float32(1), x, y)
    nv.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        launch(np.float32(1), x, y)
    total = (time.perf_counter() - start) / count
    nv.synchronize()
    return {"total": total}


def host_time(count: int) -> dict[str, float]:
    """Processor time of this thread for a launch with three device arrays and a scalar, in a long row of them."""
    x, y, out = (nv.to_device(np.ones(ELEMENTS, np.float32)) for _ in range(3))
    launch = multiply_add.forall(ELEMENTS)
    for _ in range(20):
        launch(np.float32(2), x, y, out)
    nv.synchronize()
    start = time.thread_time()
    for _ in range(count):
        launch(np.float32(2), x, y, out)
    total = (time.thread_time() - start) / count
    if not (out.copy_to_host() == 3).all():
        raise AssertionError("the launches computed something else")
    return {"total": total}


def call_with_numpy(count: int) -> dict[str, float]:
    x, y = np.ones(ELEMENTS, np.float32), np.zeros(ELEMENTS, np.float32)
    launch = saxpy.forall(ELEMENTS)
    launch(np.float32(1), x, y)
    start = time.perf_counter()
    for _ in range(count):
        launch(np.float32(1), x, y)
    total = (time.perf_counter() - start) / count
    if not (y == count + 1).all():
        raise AssertionError("the calls computed something else")
    return {"total": total}


def run(name: str) -> dict[str, object]:
    """Run a kernel on arrays that lie on the device already."""
    function, extent, host = (_kernels.RUNS | _kernels.MATH_RUNS)[name]()
    arguments = [nv.to_device(value) if isinstance(value, np.ndarray) else value for value in host]
    if name not in launches:
        launches[name] = nv.jit(function).forall(extent)
        launches[name](*arguments)
        arguments = [nv.to_device(value) if isinstance(value, np.ndarray) else value for value in host]
    nv.synchronize()
    start, cpu_start = time.perf_counter(), time.process_time()
    launches[name](*arguments)
    nv.synchronize()
    total, cpu = time.perf_counter() - start, time.process_time() - cpu_start
    result = [value for value in arguments if hasattr(value, "copy_to_host")][-1].copy_to_host()
    return {"total": total, "cpu": cpu, "digest": hashlib.sha256(result.tobytes()).hexdigest()}


launches: dict[str, Callable[..., None]] = {}


MEASUREMENTS: dict[str, Callable[..., dict]] = {
    "hello": hello,
    "compile": compile_kernel,
    "launch and wait": launch_and_wait,
    "lone launch": lone_launch,
    "host time of a lone launch": functools.partial(lone_launch, clock=time.thread_time),
    "launch": launch_only,
    "host time of a launch": host_time,
    "call with NumPy arrays": call_with_numpy,
    "run": run,
}

if __name__ == "__main__":
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        print(json.dumps(MEASUREMENTS[name](*arguments)), flush=True)
