"""Long use leaves nothing behind: Python objects, Vulkan handles, resident memory.

Each test repeats something a number of times, a tenth of it and less unless ``--soak`` asks for all (``make soak``).
"""

from __future__ import annotations

import ctypes
import gc
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan.runtime import Device, logical_device
from numba_vulkan.runtime.binding import FunctionTable

pytestmark = pytest.mark.slow


@pytest.fixture
def handles(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many Vulkan objects of each kind exist more than at the start of the test; counted by function."""
    gc.collect()
    # Devices of earlier tests may be closed while this one counts.
    earlier = [device.functions for device in logical_device._devices]
    alive: Counter[str] = Counter()
    bind = FunctionTable._bind

    def counting(self: FunctionTable, name: str):
        function = bind(self, name)
        verbs = {"vkCreate": 1, "vkAllocateMemory": 1, "vkDestroy": -1, "vkFreeMemory": -1}
        step = next((step for verb, step in verbs.items() if name.startswith(verb)), 0)
        # The instance's functions were looked up before.
        if not step or name.endswith("Device") or any(self is table for table in earlier):
            return function
        kind = (
            "Memory" if name.endswith("Memory") else name.removeprefix("vkCreate").removeprefix("vkDestroy")
        )
        kind = {"ComputePipelines": "Pipeline", "ShaderModule": "ShaderModule"}.get(kind, kind)

        def call(*arguments: object) -> int:
            result = function(*arguments)
            alive[kind] += step
            return result

        return call

    monkeypatch.setattr(FunctionTable, "_bind", counting)
    return alive


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def measure(handles: Counter[str]) -> tuple[int, dict[str, int], int]:
    gc.collect()
    gc.collect()
    # What is free between living objects is nobody's.
    getattr(ctypes.CDLL(None), "malloc_trim", lambda _: None)(0)
    return len(gc.get_objects()), {k: v for k, v in handles.items() if v}, resident_bytes()


class Soak:
    """Counts before and after."""

    def __init__(self, handles: Counter[str], is_whole: bool, name: str) -> None:
        self._handles = handles
        self._is_whole = is_whole
        self._name = name

    def check(
        self,
        work: Callable[[int], None],
        whole: int,
        short: int,
        settle: int = 0,
        objects: int = 200,
        rest: Callable[[], None] = lambda: None,
    ) -> None:
        """Let work be done some times to settle, then as often as it shall leave nothing behind.

        ``rest`` comes before each measurement.
        """
        count = whole if self._is_whole else short
        for _ in range(2):
            work(settle or max(count // 4, 1))
        rest()
        before = measure(self._handles)
        work(count)
        rest()
        after = measure(self._handles)
        print(
            f"{self._name}, {count} times: objects {before[0]} -> {after[0]}, handles {sum(before[1].values())} -> "
            f"{sum(after[1].values())}, resident {before[2] / 2**20:.1f} -> {after[2] / 2**20:.1f} MiB"
        )
        assert after[0] - before[0] <= objects
        assert after[1] == before[1]
        # A tenth of the work takes place in memory that other tests have used or not.
        assert after[2] <= 1.02 * before[2] + (0 if self._is_whole else 4 << 20)


@pytest.fixture
def soak(handles: Counter[str], request: pytest.FixtureRequest) -> Soak:
    return Soak(handles, request.config.getoption("--soak"), request.node.name)


def make_add():
    @nv.jit
    def add(x, y, out, count):
        i = nv.global_id(0)
        if i < out.size:
            out[i] = x[i] + y[i] + count

    return add


def test_launches(device_info, soak: Soak) -> None:
    device = Device(device_info)
    add, n = make_add(), 64
    x, y = (nv.to_device(np.zeros(n, np.int32), device=device) for _ in range(2))
    host, out = np.zeros(n, np.int32), np.zeros(n, np.int32)

    def work(count: int) -> None:
        launch = add.forall(n)
        for k in range(count):
            launch(x, y, y, k)
        on_host = add.forall(n, device=device)
        for k in range(count // 100):
            on_host(host, host[::-1], out, k)
            on_host(host, out.copy(), out, k)
        y.copy_to_host()

    soak.check(work, 200_000, 20_000)


@pytest.mark.parametrize("in_flight", [1, 100])
def test_arrays(device_info, soak: Soak, in_flight: int) -> None:
    device = Device(device_info)
    add = make_add()

    def work(count: int) -> None:
        for k in range(count):
            n = 1 + k * 37 % 3000
            x = nv.to_device(np.full(n, k, np.int32), device=device)
            y = x[::2].copy() if k % 3 else nv.device_array_like(x)
            if k % 10 == 0:
                add.forall(n)(x, x, x, 1)
            del x, y
            if k % in_flight == in_flight - 1:
                device.synchronize()

    # All sizes come once in 3000. One at a time, arrays take the same blocks of the pool again. With many in flight,
    # how many blocks the pool needs depends on when the host learns that a batch is done: there it is emptied.
    rest = device.trim if in_flight > 1 else device.synchronize
    soak.check(work, 21_000, 3_000, settle=3_000, rest=rest)
    device.trim()
    info = device.memory_info()
    assert info.pooled_bytes == 0
    # What is left are the status words of the launches.
    assert info.used_bytes <= 1 << 17


def test_streams_events_and_graphs(device_info, soak: Soak) -> None:
    device = Device(device_info)
    add, n = make_add(), 64
    x = nv.to_device(np.zeros(n, np.int32), device=device)

    def work(count: int) -> None:
        for k in range(count):
            s = nv.stream(device)
            host = nv.pinned_array(n, np.int32, device)
            host[:] = k
            x.copy_to_device(host, stream=s)
            add.forall(n, stream=s)(x, x, x, 1)
            x.copy_to_host(host, stream=s)
            if device.info.timestamp_bits:
                nv.event(device).record(s).synchronize()
            s.synchronize()
            with nv.record(device) as graph:
                add.forall(n)(x, x, x, k)
            graph.launch()
        device.synchronize()

    soak.check(work, 1000, 100)


def test_kernels(device_info, soak: Soak) -> None:
    device = Device(device_info)
    x = nv.to_device(np.zeros(64, np.int32), device=device)
    kept = make_add()

    def rest() -> None:
        # llvmpipe (Mesa 25.0.7) frees destroyed pipelines with the next submission: 390 KiB of each, which a bare loop
        # over pipelines shows too, so that the last kernels of each part would decide what is measured.
        device.synchronize()
        gc.collect()
        kept.forall(64)(x, x, x, 0)
        device.synchronize()

    def work(count: int) -> None:
        for k in range(count):
            make_add().forall(64)(x, x, x, k)
            # Kernels are cyclic garbage: how many wait for the collector, or are in flight, decides how many descriptor
            # sets and status blocks there are at a time.
            if k % 100 == 99:
                device.synchronize()
                gc.collect()
        device.synchronize()

    # Numba keeps a weak reference and a little more of every function that it has compiled.
    soak.check(work, 1000, 24, objects=4000, rest=rest)


def test_devices(device_info, soak: Soak) -> None:
    def work(count: int) -> None:
        for k in range(count):
            device = Device(device_info)
            # The plans of a kernel keep the devices that it was launched on.
            add = make_add()
            x = nv.to_device(np.zeros(64, np.int32), device=device)
            add.forall(64)(x, x, x, k)
            device.synchronize()
            del device, x, add
            gc.collect()

    gc.collect()
    open_before = len(logical_device._devices)
    soak.check(work, 50, 6, objects=400)
    gc.collect()
    assert len(logical_device._devices) <= open_before
