"""Calls that fail while devices are looked for and opened: each ends in a documented exception and leaves nothing."""

from __future__ import annotations

import ctypes
import gc
import signal
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan.errors import VulkanDriverError, VulkanError, VulkanSupportError
from numba_vulkan.runtime import Device, current, info, instance, list_devices, logical_device
from numba_vulkan.runtime.binding import FunctionTable, functions, raise_result, read_list, vk
from numba_vulkan.runtime.queue import Queue

RESULTS = {
    "memory": vk.VK_ERROR_OUT_OF_HOST_MEMORY,
    "other": vk.VK_ERROR_INITIALIZATION_FAILED,
}


class Calls:
    """The Vulkan calls of new instances and devices: what exists of each kind, and the n-th that may fail, fails.

    For ``missing`` it is the n-th function, which the driver does not offer.
    """

    def __init__(self, patch: pytest.MonkeyPatch, fail_at: int, how: str) -> None:
        self.alive: Counter[str] = Counter()
        self.count = 0
        self.failed = ""
        self._fail_at = fail_at
        self._how = how
        self._bind = FunctionTable._bind
        # Devices of other tests are closed at any time.
        self._earlier = [device.functions for device in logical_device._devices]
        self._earlier.append(instance.current_instance().functions)

        # A bound method would not be given the table.
        def wrapped(table: FunctionTable, name: str) -> Callable[..., int]:
            return self._wrapped(table, name)

        patch.setattr(FunctionTable, "_bind", wrapped)
        patch.setattr(functions._process, "loader", None)
        patch.setattr(instance, "_current", instance._Current())

    def _is_next(self, name: str) -> bool:
        self.count += 1
        if self.count == self._fail_at:
            self.failed = name
        return self.count == self._fail_at

    def _wrapped(self, table: FunctionTable, name: str) -> Callable[..., int]:
        function = self._bind(table, name)
        if any(table is earlier for earlier in self._earlier):
            return function
        ends = name.startswith(("vkDestroy", "vkFree"))
        if self._how == "missing" and not ends and self._is_next(name):
            raise VulkanDriverError(f"the Vulkan driver does not offer {name}")
        step = -1 if ends else name.startswith(("vkCreate", "vkAllocateMemory"))
        kind = name.removeprefix("vkCreate").removeprefix("vkDestroy").removeprefix("vkAllocate")
        kind = kind.removeprefix("vkFree").replace("ComputePipelines", "Pipeline")
        fails = table._signatures[name][0] is ctypes.c_int32 and self._how in RESULTS

        def call(*arguments: object) -> int:
            if fails and self._is_next(name):
                raise_result(name, RESULTS[self._how])
            result = function(*arguments)
            self.alive[kind] += step
            return result

        return call


def scenario(name: str) -> None:
    """Look for devices, open one and use it a little."""
    found = next(each for each in info._find(frozenset(), False) if each.name == name)
    device = Device(found)
    assert device.profile is not None
    # As if a pipeline had been made: the cache is written when the device is closed.
    device._pipelines._cache.is_changed = True
    x = nv.to_device(np.arange(100), device=device)
    y = x[::3].copy()
    y[1] = -1
    np.testing.assert_array_equal(y.copy_to_host()[:3], [0, -1, 6])
    assert device.memory_info().total_bytes > 0


def attempt(name: str) -> str:
    """Return the exception in which the scenario ends as text: itself it would keep everything alive."""
    try:
        scenario(name)
    except (VulkanError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


# Calls that are made again, or at the end of a device, which is closed all the same.
HARMLESS = {
    "vkAllocateMemory",
    "vkBindBufferMemory",
    "vkCreateBuffer",
    "vkDeviceWaitIdle",
    "vkGetPipelineCacheData",
    "vkMapMemory",
}


@pytest.fixture
def _frozen() -> Iterator[None]:
    """Let collections look at what the test makes only: there are some hundred, in a process that holds a million."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("_frozen")
@pytest.mark.parametrize(("how", "level"), [("memory", 0), ("other", 1), ("missing", 0)])
def test_every_call_may_fail(device_info, monkeypatch: pytest.MonkeyPatch, how: str, level: int) -> None:
    monkeypatch.setenv("NUMBA_VULKAN_DEBUG", str(level))
    if level:
        try:
            instance.Instance(level)
        except VulkanSupportError:
            pytest.skip("the validation layer is not installed")
    failed: set[str] = set()
    fail_at = 1
    while True:
        with monkeypatch.context() as patch:
            gc.collect()
            calls = Calls(patch, fail_at, how)
            error = attempt(device_info.name)
            gc.collect()
            # The instance that is in force.
            instance._current.instance = None
            gc.collect()
            assert {kind: count for kind, count in calls.alive.items() if count} == {}, calls.failed
        if not calls.failed:
            assert not error
            break
        if error:
            assert calls.failed in error or error.startswith("MemoryError")
        else:
            assert calls.failed in HARMLESS
        failed.add(calls.failed)
        fail_at += 1
    assert {"vkCreateInstance", "vkEnumeratePhysicalDevices", "vkCreateDevice", "vkMapMemory"} <= failed
    scenario(device_info.name)


def test_no_driver_is_no_device(device_info, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("vkCreateInstance", "vkEnumeratePhysicalDevices"):
        with monkeypatch.context() as patch:
            Calls(patch, 0, "other")
            bind = FunctionTable._bind

            def lacking(table: FunctionTable, each: str, name: str = name, bind: Callable = bind) -> Callable:
                if each == name:
                    return lambda *_: raise_result(name, vk.VK_ERROR_INCOMPATIBLE_DRIVER)
                return bind(table, each)

            patch.setattr(FunctionTable, "_bind", lacking)
            assert info._find(frozenset(), False) == []
    assert device_info in list_devices()


def test_a_device_that_fails_to_open_is_opened_next_time(
    device_info, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(current, "_devices", current._Devices())
    with monkeypatch.context() as patch:
        patch.setattr(Queue, "submit", lambda _: raise_result("vkQueueSubmit", RESULTS["other"]))
        with pytest.raises(VulkanDriverError, match="vkQueueSubmit failed"):
            nv.get_device(device_info)
    assert nv.get_device(device_info) is nv.get_device(device_info)


def test_a_device_is_closed_when_what_is_done_meanwhile_fails(
    device_info, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Calls(monkeypatch, 0, "other")
    found = next(each for each in info._find(frozenset(), False) if each.name == device_info.name)
    with pytest.raises(KeyboardInterrupt):
        Device(found, lambda: signal.raise_signal(signal.SIGINT))
    gc.collect()
    assert calls.alive["Device"] == 0
    assert Device(found, lambda: None).profile is not None


def test_lists_that_grow_while_they_are_read(device_info) -> None:
    answers = iter([(2, 0), (1, vk.VK_INCOMPLETE), (3, 0), (3, 0)])

    def call(count: object, elements: object) -> int:
        number, result = next(answers)
        ctypes.cast(count, ctypes.POINTER(ctypes.c_uint32))[0] = number  # type: ignore[arg-type]
        return result

    assert len(read_list(call, ctypes.c_uint32)) == 3
