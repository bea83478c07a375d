"""The VkDevice: its functions, its compute queue and the features that are enabled."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import itertools
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial

from .. import settings
from ..errors import VulkanError
from .beside import beside
from .binding import FunctionTable, abandon_drivers, device_functions, leave_to_threads, require_drivers, vk
from .binding.structure import Structure
from .context import BUSY, COMMANDS, COMPLETED, PIECE_NS, SEMAPHORE, SERIAL, RecordingLock, new_context
from .features import FEATURES, MANDATORY, FeatureChain
from .info import DeviceInfo, compute_family, queue_families, transfer_family
from .polling import OF_GPUS, OF_PROCESSORS, poll

__all__ = ["LogicalDevice"]

# For how many of them the end of the interpreter waits: for work in flight, and for what an interrupt has left running.
_PIECES_AT_EXIT, _PIECES_AFTER_INTERRUPT = 50, 2


class _Waiter:
    """What one thread needs to wait for a number."""

    __slots__ = ("info", "semaphores", "value", "values")

    def __init__(self) -> None:
        self.semaphores, self.values = (ctypes.c_uint64 * 1)(), (ctypes.c_uint64 * 1)()
        self.value = ctypes.c_uint64()
        self.info = vk.VkSemaphoreWaitInfo(semaphoreCount=1, pSemaphores=self.semaphores, pValues=self.values)


class LogicalDevice:
    """A VkDevice with one compute queue; destroyed after everything that was made from it.

    Parameters
    ----------
    info : DeviceInfo
        The physical device; the features it lists are enabled.
    meanwhile : callable, optional
        What to do while the driver opens the device, which takes llvmpipe 50 ms.

    Attributes
    ----------
    info : DeviceInfo
        The physical device.
    handle, queue : int
        The VkDevice and its compute VkQueue.
    family : int
        The queue family of the queue.
    families : tuple of int
        All queue families that are used; ``family_indices`` holds them for Vulkan.
    stream_queue : int
        The VkQueue of streams for kernels.
    transfer_queues : tuple of int
        Those for copies to and from the device, of ``transfer_family``.
    transfer_timestamps : bool
        Whether they write the same timestamps as the compute queue.
    functions : FunctionTable
        The functions of the device.
    memory_types : list of (int, int)
        Property flags and heap of each memory type.
    heap_bytes : list of int
        Size of each memory heap.
    polling : Polling
        How it is asked for what is waited for.
    is_staged : bool
        Whether copies go through staging buffers even if the host reaches the memory of the device.
    context : array of int64
        What recording shares with native code; see `context`.
    lock : RecordingLock
        To be held while commands are recorded and submitted.
    retired : deque of (int, str, int)
        Objects to be destroyed, by function and handle, once the batch with a number is done.
    submitted : dict of int to int
        The timeline semaphores of streams, each with the last number that it will reach.
    """

    def __init__(self, info: DeviceInfo, meanwhile: Callable[[], object] | None = None) -> None:
        require_drivers()
        if not isinstance(info, DeviceInfo):
            raise TypeError(
                f"a Device is made of a DeviceInfo that list_devices() has returned, not of {info!r}"
            )
        if info.instance is None:
            raise ValueError(f"the DeviceInfo of {info.name!r} does not come from list_devices()")
        assert isinstance(info.handle, int)
        instance = info.instance.functions
        family = compute_family(info.instance, info.handle)
        assert family is not None, "list_devices lists only devices with a compute queue"
        functions_of = device_functions(instance, info.instance.after_call)
        handle = ctypes.c_void_p()
        request = _device_request(info, family, transfer_family(info.instance, info.handle, family))
        create = partial(
            instance.vkCreateDevice, info.handle, ctypes.byref(request), None, ctypes.byref(handle)
        )
        failure: BaseException | None = None
        if meanwhile is None:
            create()
        else:
            failure = beside(create, meanwhile)
        assert handle.value, "vkCreateDevice succeeded"
        self.info = info
        self.handle: int = handle.value
        self.functions = functions_of(self.handle)
        self.retired: deque[tuple[int, str, int]] = deque()
        self.idle_semaphores: list[int] = []
        leftovers = self.retired, self.idle_semaphores
        # The instance must outlive the device: the finalizer holds it through info.
        weakref.finalize(self, _destroy_device, info, self.functions, self.handle, *leftovers)
        if failure is not None:
            raise failure
        self.family = family
        self.transfer_family = transfer_family(info.instance, info.handle, family)
        self.families = tuple(sorted({family, self.transfer_family}))
        self.family_indices = (ctypes.c_uint32 * len(self.families))(*self.families)
        self.context = new_context()
        self.lock = RecordingLock(self.context)
        self.submitted: dict[int, int] = {}
        self._was_interrupted = False
        self._waiters: list[_Waiter] = []
        self.polling = OF_PROCESSORS if info.kind == "cpu" else OF_GPUS
        self.queue = self._get_queue(family, 0)
        # Queues of streams: a second one for kernels, and one for copies in each direction where the device has those.
        self.stream_queue = self._get_queue(family, min(1, _queue_count(info, family) - 1))
        self.transfer_queues = (self.stream_queue, self.stream_queue)
        if self.transfer_family != family:
            last = min(1, _queue_count(info, self.transfer_family) - 1)
            self.transfer_queues = (
                self._get_queue(self.transfer_family, 0),
                self._get_queue(self.transfer_family, last),
            )
        found = queue_families(info.instance, info.handle)[self.transfer_family]
        self.transfer_timestamps = found.timestampValidBits == info.timestamp_bits
        self.memory_types, self.heap_bytes = self._read_memory()
        self.is_staged = settings.staged.value()
        _devices.add(self)
        _wait_at_exit()

    def _get_queue(self, family: int, index: int) -> int:
        queue = ctypes.c_void_p()
        self.functions.vkGetDeviceQueue(self.handle, family, index, ctypes.byref(queue))
        assert queue.value, "the queue was asked for"
        return queue.value

    def _read_memory(self) -> tuple[list[tuple[int, int]], list[int]]:
        assert self.info.instance is not None
        found = vk.VkPhysicalDeviceMemoryProperties2()
        call = self.info.instance.functions.vkGetPhysicalDeviceMemoryProperties2
        call(self.info.handle, ctypes.byref(found))
        properties = found.memoryProperties
        types = [(t.propertyFlags, t.heapIndex) for t in properties.memoryTypes[: properties.memoryTypeCount]]
        return types, [heap.size for heap in properties.memoryHeaps[: properties.memoryHeapCount]]

    def create(self, function: str, info: Structure) -> int:
        """Call one of Vulkan's ``vkCreate`` functions and return the new handle."""
        handle = ctypes.c_uint64()
        getattr(self.functions, function)(self.handle, ctypes.byref(info), None, ctypes.byref(handle))
        return handle.value

    def create_timeline(self) -> int:
        """Make a timeline semaphore whose number is 0."""
        kind = vk.VkSemaphoreTypeCreateInfo(semaphoreType=vk.VK_SEMAPHORE_TYPE_TIMELINE, initialValue=0)
        return self.create("vkCreateSemaphore", vk.VkSemaphoreCreateInfo(pNext=kind))

    def release_with(self, owner: object, *objects: tuple[str, int]) -> None:
        """Destroy objects, each given by function and handle, when ``owner`` goes or the interpreter ends."""
        weakref.finalize(owner, _destroy_objects, self, objects)

    def retire_with(self, owner: object, *objects: tuple[str, int]) -> None:
        """Destroy objects like `release_with`, but after the work that was recorded before."""
        weakref.finalize(owner, _retire_objects, self, objects)

    def destroy_retired(self) -> None:
        """Destroy retired objects that no batch uses any more; called with the lock held."""
        completed = self.context[COMPLETED]
        for _ in range(len(self.retired)):
            serial, function, handle = self.retired.popleft()
            if serial <= completed:
                getattr(self.functions, function)(self.handle, handle, None)
            else:
                self.retired.append((serial, function, handle))

    def value_of(self, semaphore: int) -> int:
        """Return the number of a timeline semaphore."""
        value = ctypes.c_uint64()
        self.functions.vkGetSemaphoreCounterValue(self.handle, semaphore, ctypes.byref(value))
        return value.value

    def await_value(self, semaphore: int, value: int, polls: bool = True) -> None:
        """Wait for a number of a timeline semaphore; an interrupt ends the wait and leaves the device at work."""
        try:
            waiter = self._waiters.pop()
        except IndexError:
            waiter = _Waiter()
        try:
            if polls:
                self._was_interrupted = True
                if self._poll(semaphore, value, waiter.value):
                    self._was_interrupted = False
                    return
            waiter.semaphores[0], waiter.values[0] = semaphore, value
            self.await_semaphores(waiter.info)
        finally:
            self._waiters.append(waiter)

    def _poll(self, semaphore: int, value: int, found: ctypes.c_uint64) -> bool:
        """Return whether a semaphore reaches a number while it is asked again and again."""
        call, handle, place = self.functions.vkGetSemaphoreCounterValue, self.handle, ctypes.byref(found)

        def reaches() -> bool:
            call(handle, semaphore, place)
            return found.value >= value

        return poll(reaches, self.polling)

    def await_semaphores(self, info: vk.VkSemaphoreWaitInfo, pieces: int | None = None) -> bool:
        """Wait for numbers of timeline semaphores, for so many tenths of a second if that is given.

        An interrupt ends the wait and leaves the device at work.

        Returns
        -------
        bool
            Whether they were reached.
        """
        call, place = self.functions.vkWaitSemaphores, ctypes.byref(info)
        self._was_interrupted = True
        for _ in itertools.count() if pieces is None else range(pieces):
            if call(self.handle, place, PIECE_NS) != vk.VK_TIMEOUT:
                self._was_interrupted = False
                return True
        return False

    def settle_at_exit(self) -> bool:
        """Return whether all work was done in time for the end of the interpreter; if not, drivers are abandoned.

        The process then ends without destroying anything.
        """
        if not self.functions.usable:
            return False
        waits = {**self.submitted, self.context[SEMAPHORE]: self.context[SERIAL] - 1}
        info = vk.VkSemaphoreWaitInfo(
            semaphoreCount=len(waits),
            pSemaphores=(ctypes.c_uint64 * len(waits))(*waits),
            pValues=(ctypes.c_uint64 * len(waits))(*waits.values()),
        )
        pieces = _PIECES_AFTER_INTERRUPT if self._was_interrupted else _PIECES_AT_EXIT
        is_done = False
        with contextlib.suppress(KeyboardInterrupt):
            try:
                is_done = self.await_semaphores(info, pieces)
            except (VulkanError, MemoryError):
                is_done = True  # a lost device can be destroyed
        if not is_done:
            abandon_drivers()
        return is_done

    def require_usable(self) -> None:
        """Raise if the process is a fork of the one that opened the device."""
        if not self.functions.usable:
            require_drivers()


_devices: weakref.WeakSet[LogicalDevice] = weakref.WeakSet()


def _keep_native_code_away() -> None:
    """Let no native code record in a forked child, whose function tables raise."""
    for device in list(_devices):
        device.context[BUSY] = 1 << 32


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_keep_native_code_away)


@functools.cache
def _wait_at_exit() -> None:
    """Let the interpreter wait for all devices at its end, before finalizers destroy what work in flight uses.

    What is registered last runs first: finalizers are run by a function that the first of them has registered.
    """
    atexit.register(_settle_devices)


def _settle_devices() -> None:
    for device in list(_devices):
        device.settle_at_exit()
    # Daemon threads run on while finalizers destroy what they use: llvmpipe and SwiftShader ended with a crash.
    if threading.active_count() > 1:
        leave_to_threads()


def _destroy_objects(device: LogicalDevice, objects: tuple[tuple[str, int], ...]) -> None:
    if device.functions.usable:
        for function, handle in objects:
            getattr(device.functions, function)(device.handle, handle, None)


def _retire_objects(device: LogicalDevice, objects: tuple[tuple[str, int], ...]) -> None:
    if not device.functions.usable:
        return
    last = device.context[SERIAL] - (not device.context[COMMANDS])
    device.retired.extend((last, function, handle) for function, handle in objects)
    if device.lock.try_enter():
        try:
            device.destroy_retired()
        finally:
            device.lock.leave()


def _destroy_device(
    info: DeviceInfo,
    functions: FunctionTable,
    handle: int,
    retired: deque[tuple[int, str, int]],
    semaphores: list[int],
) -> None:
    """Wait for the device and destroy it; a lost device cannot be waited for, but can be destroyed."""
    if not functions.usable:
        return
    with contextlib.suppress(VulkanError, MemoryError):
        functions.vkDeviceWaitIdle(handle)
    for _, function, each in retired:
        getattr(functions, function)(handle, each, None)
    for semaphore in semaphores:
        functions.vkDestroySemaphore(handle, semaphore, None)
    functions.vkDestroyDevice(handle, None)


def _queue_count(info: DeviceInfo, family: int) -> int:
    assert info.instance is not None
    assert isinstance(info.handle, int)
    return queue_families(info.instance, info.handle)[family].queueCount


def _device_request(info: DeviceInfo, family: int, copies: int) -> vk.VkDeviceCreateInfo:
    """Return the VkDeviceCreateInfo that enables all features that the info lists."""
    extensions = {f.extension for f in FEATURES if f.extension and getattr(info, f.name)}
    chain = FeatureChain(frozenset(extensions))
    for feature in FEATURES:
        if getattr(info, feature.name):
            chain.enable(feature.structure, *feature.members)
    for structure, member in MANDATORY:
        chain.enable(structure, member)
    if settings.robust.value():
        chain.enable(vk.VkPhysicalDeviceFeatures2, "robustBufferAccess")
    # Vulkan demands it where a driver has it: such drivers fall short of some rules.
    extensions.update(info.extensions.intersection({"VK_KHR_portability_subset"}))
    names = [name.encode() for name in sorted(extensions)]
    queues = [
        vk.VkDeviceQueueCreateInfo(
            queueFamilyIndex=each,
            queueCount=min(count, _queue_count(info, each)),
            pQueuePriorities=(ctypes.c_float * 2)(1.0, 1.0),
        )
        for each, count in ({copies: 2} | {family: 2}).items()
    ]
    return vk.VkDeviceCreateInfo(
        pNext=chain.head,
        queueCreateInfoCount=len(queues),
        pQueueCreateInfos=queues,
        enabledExtensionCount=len(names),
        ppEnabledExtensionNames=(ctypes.c_char_p * len(names))(*names),
    )
