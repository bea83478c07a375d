"""Vulkan calls that fail: each ends in a documented exception, and the device works on."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan.errors import DeviceLostError, VulkanDriverError, VulkanError
from numba_vulkan.runtime import Device, current, get_device, memory_info, select_device, stream
from numba_vulkan.runtime.binding import raise_result, vk
from numba_vulkan.runtime.launcher import launcher

RESULTS = [vk.VK_ERROR_OUT_OF_DEVICE_MEMORY, vk.VK_ERROR_INITIALIZATION_FAILED]


@nv.jit
def add(x, y, out, count):
    i = nv.global_id(0)
    if i < out.size:
        out[i] = x[i] + y[i] + count


class FailingCalls:
    """Lets the n-th call that returns a VkResult fail, before it does anything."""

    def __init__(self, device: Device, patch: pytest.MonkeyPatch, fail_at: int, result: int) -> None:
        self.count = 0
        self.failed = ""
        self._fail_at = fail_at
        self._result = result
        table = device.logical.functions
        for name, signature in vk.DEVICE_COMMANDS.items():
            if signature[0] is ctypes.c_int32 and not name.endswith("EXT"):
                patch.setattr(table, name, self._wrap(name, getattr(table, name)), raising=False)

    def _wrap(self, name: str, function: Callable[..., int]) -> Callable[..., int]:
        def call(*arguments: object) -> int:
            self.count += 1
            if self.count == self._fail_at:
                self.failed = name
                raise_result(name, self._result)
            return function(*arguments)

        return call


def scenario(device: Device, kept: nv.DeviceArray) -> None:
    """A bit of everything."""
    n = 64
    device.trim()
    x = nv.to_device(np.arange(n), device=device)
    y = nv.device_array(n, np.int64, device=device)
    for k in range(4):
        add.forall(n)(x, kept, y, k)
    np.testing.assert_array_equal(y.copy_to_host(), np.arange(n) + 7 + 3)
    host = np.zeros(n, np.int64)
    add.forall(n, device=device)(np.arange(n), np.full(n, 2), host, 1)
    np.testing.assert_array_equal(host, np.arange(n) + 3)
    s = stream(device)
    add.forall(n, stream=s)(x, kept, y, 9)
    out = y.copy_to_host(stream=s)
    s.synchronize()
    np.testing.assert_array_equal(out, np.arange(n) + 16)
    with nv.record(device) as graph:
        add.forall(n)(x, x, y, 1)
    graph.launch()
    np.testing.assert_array_equal(y[::2].copy_to_host(), 2 * np.arange(n)[::2] + 1)
    device.synchronize()


def outcome(device: Device, kept: nv.DeviceArray) -> Exception | None:
    try:
        scenario(device, kept)
    except (VulkanError, MemoryError) as error:
        return error
    return None


@pytest.mark.parametrize(
    "result",
    [pytest.param(RESULTS[0], marks=pytest.mark.slow, id="memory"), pytest.param(RESULTS[1], id="other")],
)
def test_every_call_may_fail(device: Device, result: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_VULKAN_NATIVE", "0")
    launcher.cache_clear()
    device = Device(device.info)
    kept = nv.to_device(np.full(64, 7), device=device)
    scenario(device, kept)
    failed: set[str] = set()
    fail_at = 1
    while True:
        with monkeypatch.context() as patch:
            calls = FailingCalls(device, patch, fail_at, result)
            error = outcome(device, kept)
        if not calls.failed:
            assert error is None
            break
        if error is None:
            assert calls.failed in HARMLESS
        else:
            assert calls.failed in str(error) or isinstance(error, MemoryError)
        failed.add(calls.failed)
        np.testing.assert_array_equal(kept.copy_to_host(), np.full(64, 7))
        scenario(device, kept)
        fail_at += 1
    assert {"vkQueueSubmit", "vkBeginCommandBuffer", "vkAllocateMemory"} <= failed
    # GPUs are polled first.
    assert not failed.isdisjoint({"vkWaitSemaphores", "vkGetSemaphoreCounterValue"})
    gc.collect()
    launcher.cache_clear()


# Calls that are made again, or whose failure only postpones something.
HARMLESS = {
    "vkAllocateMemory",
    "vkGetSemaphoreCounterValue",
    "vkCreateBuffer",
    "vkMapMemory",
    "vkBindBufferMemory",
}


def test_a_lost_device_is_opened_anew(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = Device(device.info)
    monkeypatch.setitem(current._devices.by_info, device.info, mine)
    assert select_device(device.info) is mine
    x = nv.to_device(np.ones(4, np.int32))
    with monkeypatch.context() as patch:
        FailingCalls(mine, patch, 1, vk.VK_ERROR_DEVICE_LOST)
        mine.logical.functions.is_lost = True
        with pytest.raises(DeviceLostError, match="opens the device anew"):
            add.forall(4)(x, x, x, 1)
    assert isinstance(DeviceLostError("x"), VulkanDriverError)
    fresh = get_device()
    assert fresh is not mine
    assert get_device(device.info) is fresh
    y = nv.to_device(np.ones(4, np.int32))
    add.forall(4)(y, y, y, 1)
    np.testing.assert_array_equal(y.copy_to_host(), np.full(4, 3))


def test_memory_info(device: Device) -> None:
    device.trim()
    before = memory_info()
    array = nv.device_array(3 << 20, np.uint8)
    with_array = memory_info()
    assert with_array.used_bytes == before.used_bytes + (3 << 20)
    assert with_array.total_bytes == before.total_bytes > 1 << 20
    assert with_array.free_bytes is None or 0 <= with_array.free_bytes <= with_array.total_bytes
    del array
    after = memory_info()
    assert (after.used_bytes, after.pooled_bytes) == (before.used_bytes, before.pooled_bytes + (3 << 20))
    device.trim()
    assert memory_info().pooled_bytes == 0
    limit = device.pool_limit
    device.pool_limit = 0
    try:
        nv.device_array(1 << 20)
        assert memory_info().pooled_bytes == 0
    finally:
        device.pool_limit = limit
