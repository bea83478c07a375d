"""Launches that are not waited for: order, batches, barriers, reports, memory, threads; native and in Python."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import numba_vulkan as nv
from device.unmapped import hide_arrays
from numba_vulkan.errors import VulkanDriverError
from numba_vulkan.runtime import Device
from numba_vulkan.runtime.context import COMPLETED, EPOCH, RAMP, SERIAL
from numba_vulkan.runtime.launcher import launcher
from numba_vulkan.runtime.polling import OF_GPUS, OF_PROCESSORS, Polling

pytestmark = pytest.mark.mesa22


def add_kernel():
    @nv.jit
    def add(x, y, out, factor, count):
        i = nv.global_id(0)
        if i < out.size:
            out[i] = x[i] + y[i] * factor + count

    return add


def test_long_chains_of_launches(device: Device, path: str) -> None:
    add, n = add_kernel(), 500
    x, y = nv.to_device(np.arange(n, dtype=np.int64)), nv.to_device(np.zeros(n, np.int64))
    z = nv.to_device(np.zeros(n, np.int64))
    hx, hy, hz = (a.copy_to_host() for a in (x, y, z))
    for k in range(300):
        add.forall(n)(x, y, z, 3, k)
        add.forall(n)(z, x, y, -1, 1)
        hz = hx + hy * 3 + k
        hy = hz - hx + 1
    np.testing.assert_array_equal(y.copy_to_host(), hy)
    np.testing.assert_array_equal(z.copy_to_host(), hz)
    configured = add.forall(n)
    watched = device.logical.functions.is_watched
    assert (configured._native is not None) == (path == "native" and not watched)


@nv.jit
def store(out, value):
    out[0] = value


INTEGERS = [
    7,
    -(2**63),
    2**63 - 1,
    2**63 + 5,
    2**64 - 1,
    True,
    False,
    np.uint64(2**64 - 1),
    np.uint32(2**32 - 1),
]
INTEGERS += [np.int8(-128), np.bool_(True), np.bool_(False)]
INTEGERS += [np.dtype(t).type(100) for t in "i1 i2 i4 i8 u1 u2 u4 u8".split()]


@pytest.mark.parametrize("value", INTEGERS, ids=repr)
@pytest.mark.parametrize("dtype", ["i8", "u8"])
def test_integer_scalars(device: Device, path: str, value, dtype: str) -> None:
    out = nv.to_device(np.zeros(1, dtype))
    for _ in range(12):
        store[1, 1](out, value)
    assert int(out.copy_to_host()[0]) % 2**64 == int(value) % 2**64


@pytest.mark.parametrize("value", [1.5, -0.0, float("inf"), np.float32(0.1), np.float64(1e300), 3, True])
def test_float_scalars(device: Device, path: str, value, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_VULKAN_WARNINGS", "0")
    out = nv.to_device(np.zeros(1, np.float32))
    for _ in range(12):
        store[1, 1](out, value)
    with np.errstate(over="ignore"):
        assert out.copy_to_host().tobytes() == np.float32(value).tobytes()


def test_views_of_one_buffer_share_a_plan(device: Device, path: str) -> None:
    @nv.jit
    def fill(out, value):
        i = nv.global_id(0)
        if i < out.size:
            out[i] = value

    host = np.zeros(300, np.int32)
    array = nv.to_device(host)
    for k in range(1, 60):
        fill.forall(300)(array[k : 2 * k : 1 + k % 3], k)
        host[k : 2 * k : 1 + k % 3] = k
    np.testing.assert_array_equal(array.copy_to_host(), host)


def test_launches_are_submitted_on_a_ramp(device: Device, path: str) -> None:
    add, n = add_kernel(), 64
    x, y, z = (nv.to_device(np.zeros(n, np.int32)) for _ in range(3))
    launch = add.forall(n)
    for _ in range(20):
        launch(x, y, z, 1, 0)
    device.synchronize()
    words = device.logical.context
    first, serials = words[SERIAL], []
    for _ in range(127):
        launch(x, y, z, 1, 0)
        serials.append(words[SERIAL] - first)
    sizes = [serials.index(k + 1) + 1 - (serials.index(k) + 1 if k else 0) for k in range(7)]
    assert sizes == [1, 2, 4, 8, 16, 32, 64]
    assert words[SERIAL] - words[COMPLETED] <= 6
    device.synchronize()
    assert words[RAMP] == 1
    assert words[COMPLETED] == words[SERIAL] - 1


def test_launches_wait_while_four_batches_are_in_flight(device: Device, path: str) -> None:
    """Slow launches of two threads; each finds plans of the other, and forgets some, while it waits."""

    @nv.jit
    def slow(out, rounds):
        i = nv.global_id(0)
        value = out[i]
        for _ in range(rounds):
            value = value * 3 + 1
        out[i] = value

    n, count, failures = 64, 80, []
    launch = slow.forall(n, 64)
    words = device.logical.context
    most = []

    def work() -> None:
        try:
            # More arrays in turn than a chain has plans.
            arrays = [nv.to_device(np.zeros(n, np.int32)) for _ in range(6)]
            for _ in range(count):
                for array in arrays:
                    launch(array, 200)
                most.append(words[SERIAL] - words[COMPLETED] - 1)
            for array in arrays:
                assert (array.copy_to_host() == expected).all()
        except BaseException as error:
            failures.append(error)

    expected = np.int32(0)
    with np.errstate(over="ignore"):
        for _ in range(200 * count):
            expected = expected * np.int32(3) + np.int32(1)
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert max(most) <= device.MAX_IN_FLIGHT + 1


def test_barriers_only_where_launches_conflict(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_VULKAN_NATIVE", "0")
    launcher.cache_clear()
    add, n = add_kernel(), 64
    arrays = [nv.to_device(np.zeros(n, np.int32)) for _ in range(6)]
    launch = add.forall(n)
    words = device.logical.context

    def count(*launches: tuple[int, int, int]) -> int:
        device.synchronize()
        words[EPOCH] += 1  # nothing conflicts with what is done
        before = words[EPOCH]
        for x, y, z in launches:
            launch(arrays[x], arrays[y], arrays[z], 1, 0)
        return words[EPOCH] - before

    for z in (2, 3, 4, 5):
        launch(arrays[0], arrays[1], arrays[z], 1, 0)
    assert count((0, 1, 2), (0, 1, 3), (0, 1, 4), (0, 1, 5)) == 0
    assert count((0, 1, 2), (2, 1, 3)) == 1
    assert count((0, 1, 2), (0, 1, 2)) == 1
    assert count((0, 1, 2), (3, 4, 0)) == 1
    assert count((0, 1, 2), (0, 1, 3), (2, 3, 4), (2, 3, 5)) == 1
    assert count((0, 1, 2), (2, 2, 3), (3, 3, 4)) == 2
    launcher.cache_clear()


@nv.jit
def demanding(x, limit):
    i = nv.global_id(0)
    if i < x.size:
        if x[i] > limit:
            raise ValueError("too large")
        x[i] += 1


def test_errors_arrive_at_the_next_synchronisation_once(device: Device, path: str) -> None:
    good, bad = nv.to_device(np.zeros(10, np.int32)), nv.to_device(np.arange(10, dtype=np.int32))
    launch = demanding.forall(10)
    for _ in range(30):
        launch(good, 1000)
    launch(bad, 5)
    for _ in range(30):
        launch(good, 1000)
    with pytest.raises(ValueError, match="too large") as caught:
        nv.synchronize()
    assert "'demanding'" in "".join(caught.value.__notes__)
    assert "test_asynchronous.py:" in "".join(caught.value.__notes__)
    nv.synchronize()
    np.testing.assert_array_equal(good.copy_to_host(), np.full(10, 60))
    launch(bad, 5)
    with pytest.raises(ValueError, match="too large"):
        bad.copy_to_host()
    bad.copy_to_host()
    launch(bad, 5)
    with pytest.raises(ValueError, match="too large"):
        demanding.forall(4)(np.zeros(4, np.int32), 5)
    demanding.forall(4)(np.zeros(4, np.int32), 5)


def test_two_errors_are_told_at_once(device: Device) -> None:
    arrays = [nv.to_device(np.full(3, 9, np.int32)) for _ in range(2)]
    for array in arrays:
        demanding.forall(3)(array, 5)
    with pytest.raises(ValueError, match="too large") as caught:
        device.synchronize()
    assert any("another kernel reported" in note for note in caught.value.__notes__)
    device.synchronize()


WAYS_OF_POLLING = {
    "of GPUs": OF_GPUS,
    "of processors": OF_PROCESSORS,
    "naps": Polling(tight_ns=0, napping_ns=200_000, yields=False),
    "sleeps": Polling(tight_ns=0, napping_ns=0, yields=False),
}


@pytest.mark.parametrize("polling", WAYS_OF_POLLING.values(), ids=WAYS_OF_POLLING)
def test_waiting_by_asking_again_and_again(
    device: Device, polling: Polling, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device.logical, "polling", polling)
    add, n = add_kernel(), 500_000
    x, stream = nv.to_device(np.ones(n, np.int64)), nv.stream()
    for k in range(10):
        add.forall(n)(x, x, x, 1, 0)
        device.synchronize()
        y = x.copy_to_host(stream=stream)
        stream.synchronize()
        assert (y == 2 ** (k + 1)).all()


def test_sync_setting(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_VULKAN_SYNC", "1")
    bad = nv.to_device(np.full(3, 9, np.int32))
    with pytest.raises(ValueError, match="too large"):
        demanding.forall(3, local_size=3)(bad, 5)
    with pytest.raises(ValueError, match="too large"):
        demanding.forall(3, local_size=3, stream=nv.stream())(bad, 5)
    with nv.record() as graph:
        demanding.forall(3, local_size=3)(bad, 5)
    for _ in range(2):
        with pytest.raises(ValueError, match="too large"):
            graph.launch()
    device.synchronize()


def test_arrays_released_while_launches_use_them(device: Device, path: str) -> None:
    add, n = add_kernel(), 4096
    total = nv.to_device(np.zeros(n, np.int64))
    zero = nv.to_device(np.zeros(n, np.int64))
    for k in range(200):
        temporary = nv.device_array(n, np.int64)
        add.forall(n)(zero, zero, temporary, 0, k)
        add.forall(n)(total, temporary, total, 1, 0)
        del temporary
    gc.collect()
    np.testing.assert_array_equal(total.copy_to_host(), np.full(n, sum(range(200))))


def test_more_argument_sets_than_are_kept(device: Device, path: str) -> None:
    add, n = add_kernel(), 16
    x = nv.to_device(np.ones(n, np.int32))
    outs = [nv.to_device(np.zeros(n, np.int32)) for _ in range(90)]
    for k in range(25):
        for j, out in enumerate(outs):
            add.forall(n)(x, x, out, j, k)
    for j, out in enumerate(outs):
        np.testing.assert_array_equal(out.copy_to_host(), np.full(n, 1 + j + 24))


def test_kernels_that_are_dropped_while_they_run(device: Device) -> None:
    x = nv.to_device(np.ones(16, np.int32))
    out = nv.to_device(np.zeros(16, np.int32))
    for k in range(5):
        add = add_kernel()
        add.forall(16)(x, out, out, 1, k)
        del add
        gc.collect()
    np.testing.assert_array_equal(out.copy_to_host(), np.full(16, 5 + sum(range(5))))


def test_devices_that_are_dropped_while_they_run(device: Device) -> None:
    @nv.jit
    def count(x, rounds):
        i = nv.global_id(0)
        for k in range(rounds):
            x[i] += k

    opened = Device(device.info)
    x = nv.to_device(np.zeros(256, np.int32), device=opened)
    for rounds in (1, 100_000, 1):
        count.forall(256)(x, rounds)
    gone = weakref.ref(opened.logical)
    del opened, x, count
    gc.collect()
    assert gone() is None
    device.synchronize()


def test_threads_launch_at_the_same_time(device: Device, path: str) -> None:
    add, n, failures = add_kernel(), 256, []

    def work(seed: int) -> None:
        try:
            x = nv.to_device(np.full(n, seed, np.int32))
            out = nv.to_device(np.zeros(n, np.int32))
            launch = add.forall(n)
            for k in range(300):
                launch(x, out, out, 1, 0)
                if k % 50 == seed:
                    host = np.zeros(n, np.int32)
                    add.forall(n)(np.full(n, k, np.int32), np.full(n, 2, np.int32), host, 5, seed)
                    assert (host == k + 10 + seed).all()
            assert (out.copy_to_host() == 300 * seed).all()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize("count", [60, pytest.param(10_000, marks=pytest.mark.slow)])
def test_threads_on_several_devices(device: Device, count: int) -> None:
    add, n, failures = add_kernel(), 64, []
    handles = [Device(info) for info in nv.list_devices() for _ in range(2)]

    def work(number: int) -> None:
        try:
            mine = handles[number % len(handles)]
            x = nv.to_device(np.full(n, number, np.int32), device=mine)
            out = nv.to_device(np.zeros(n, np.int32), device=mine)
            host = np.zeros(n, np.int32)
            for k in range(count):
                add.forall(n)(x, out, out, 1, 0)
                if k % 10 == 0:
                    add.forall(n, device=mine)(np.full(n, k, np.int32), host, host, 0, number)
                    assert (host == k + number).all()
            assert (out.copy_to_host() == count * number).all()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_batch_that_cannot_be_submitted_is_reported(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_VULKAN_NATIVE", "0")
    launcher.cache_clear()
    add, n = add_kernel(), 8
    x, out = nv.to_device(np.ones(n, np.int32)), nv.to_device(np.zeros(n, np.int32))
    launch = add.forall(n)
    launch(x, x, out, 0, 0)
    device.synchronize()

    def fail(*_arguments: object) -> int:
        error = VulkanDriverError("vkQueueSubmit failed: VK_ERROR_UNKNOWN")
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(device.logical.functions, "vkQueueSubmit", fail, raising=False)
        with pytest.raises(VulkanDriverError, match="vkQueueSubmit"):
            launch(x, x, out, 0, 5)
    np.testing.assert_array_equal(out.copy_to_host(), np.ones(n))
    launch(x, x, out, 0, 7)
    np.testing.assert_array_equal(out.copy_to_host(), np.full(n, 8))
    launcher.cache_clear()


@pytest.mark.parametrize("count", [100, 100_000], ids=["read in place", "copied"])
def test_numpy_arguments_where_the_host_cannot_reach_arrays(
    device: Device, path: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide_arrays(monkeypatch)
    add = add_kernel()
    x, y, out = np.arange(count), np.full(count, 3), np.zeros(count, np.int64)
    other = nv.to_device(np.full(count, 5))
    for k in range(20):
        add.forall(count)(x, y, out, k, 1)
        np.testing.assert_array_equal(out, np.arange(count) + 3 * k + 1)
        add.forall(count)(x, other, out, k, 2)
        np.testing.assert_array_equal(out, np.arange(count) + 5 * k + 2)
        add.forall(count)(out, out, out, 1, k)
        np.testing.assert_array_equal(out, 2 * (np.arange(count) + 5 * k + 2) + k)
    device.synchronize()
