"""Work for a device's queue: recorded in batches, submitted on a ramp, waited for by number."""

from __future__ import annotations

import ctypes
import time
from contextlib import suppress
from typing import Any

from ..errors import VulkanError
from . import context
from .binding import vk
from .logical_device import LogicalDevice

__all__ = ["Queue", "leave_streams"]

# GPUs answer a poll sooner than they wake a thread; on processors polling takes time from the kernel.
_POLL_NS = 60_000
# The host waits in pieces, so that Ctrl-C is seen.
_WAIT_NS = 100_000_000
_STAGES = vk.VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | vk.VK_PIPELINE_STAGE_TRANSFER_BIT
_WRITES = vk.VK_ACCESS_SHADER_WRITE_BIT | vk.VK_ACCESS_TRANSFER_WRITE_BIT
_ACCESSES = _WRITES | vk.VK_ACCESS_SHADER_READ_BIT | vk.VK_ACCESS_TRANSFER_READ_BIT
_TIMELINE = 1  # VK_SEMAPHORE_TYPE_TIMELINE
_HOST = vk.VK_PIPELINE_STAGE_HOST_BIT
_HOST_ACCESSES = vk.VK_ACCESS_HOST_READ_BIT | vk.VK_ACCESS_HOST_WRITE_BIT


class _Waiter:
    """What one thread needs to wait for a number."""

    __slots__ = ("info", "value", "values")

    def __init__(self, semaphores: ctypes.Array[ctypes.c_uint64]) -> None:
        self.values = (ctypes.c_uint64 * 1)()
        self.value = ctypes.c_uint64()
        self.info = vk.VkSemaphoreWaitInfo(semaphoreCount=1, pSemaphores=semaphores, pValues=self.values)


class Queue:
    """The batches of a device's compute queue, numbered from 1; a timeline semaphore counts those that are done.

    Methods that record are called with the device's lock held; `wait` takes it itself and waits without it.

    Parameters
    ----------
    device : LogicalDevice
        The device.
    """

    def __init__(self, device: LogicalDevice) -> None:
        self.device = device
        pool_info = vk.VkCommandPoolCreateInfo(
            flags=vk.VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, queueFamilyIndex=device.family
        )
        self._pool = device.create("vkCreateCommandPool", pool_info)
        device.release_with(self, ("vkDestroyCommandPool", self._pool))
        kind = vk.VkSemaphoreTypeCreateInfo(semaphoreType=_TIMELINE, initialValue=0)
        self.semaphore = device.create("vkCreateSemaphore", vk.VkSemaphoreCreateInfo(pNext=kind))
        device.release_with(self, ("vkDestroySemaphore", self.semaphore))
        self._semaphores = (ctypes.c_uint64 * 1)(self.semaphore)
        self._begin_info = vk.VkCommandBufferBeginInfo(flags=vk.VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT)
        self._barrier_info = vk.VkMemoryBarrier(srcAccessMask=_WRITES, dstAccessMask=_ACCESSES)
        self._host_barrier_info = vk.VkMemoryBarrier(srcAccessMask=_WRITES, dstAccessMask=_HOST_ACCESSES)
        # ctypes converts numbers anew at each call, but takes its own objects as they are.
        self._barrier_arguments = (
            *(ctypes.c_uint32(number) for number in (_STAGES, _STAGES, 0, 1)),
            ctypes.c_void_p(ctypes.addressof(self._barrier_info)),
            *(ctypes.c_uint32(0), ctypes.c_void_p(), ctypes.c_uint32(0), ctypes.c_void_p()),
        )
        self._ring = self._allocate()
        self._signal = (ctypes.c_uint64 * 1)()
        timeline = vk.VkTimelineSemaphoreSubmitInfo(
            signalSemaphoreValueCount=1, pSignalSemaphoreValues=self._signal
        )
        self._submit_infos = [
            vk.VkSubmitInfo(
                pNext=timeline,
                commandBufferCount=1,
                pCommandBuffers=(ctypes.c_void_p * 1)(handle),
                signalSemaphoreCount=1,
                pSignalSemaphores=self._semaphores,
            )
            for handle in self._ring
        ]
        self._waiters: list[_Waiter] = []
        self._poll_ns = 0 if device.info.kind == "cpu" else _POLL_NS
        self._fill_context()

    def _allocate(self) -> list[int]:
        info = vk.VkCommandBufferAllocateInfo(
            commandPool=self._pool,
            level=vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY,
            commandBufferCount=context.RING_SIZE,
        )
        handles = (ctypes.c_void_p * context.RING_SIZE)()
        self.device.functions.vkAllocateCommandBuffers(self.device.handle, ctypes.byref(info), handles)
        return [handle or 0 for handle in handles]

    def _fill_context(self) -> None:
        """Tell native code what never changes."""
        device, words = self.device, self.device.context
        words[context.DEVICE], words[context.QUEUE] = device.handle, device.queue
        words[context.SEMAPHORE] = self.semaphore
        words[context.BEGIN_INFO] = ctypes.addressof(self._begin_info)
        words[context.BARRIER] = ctypes.addressof(self._barrier_info)
        words[context.HOST_BARRIER] = ctypes.addressof(self._host_barrier_info)
        words[context.SIGNAL] = ctypes.addressof(self._signal)
        for i, (handle, info) in enumerate(zip(self._ring, self._submit_infos, strict=True)):
            words[context.RING + i] = handle
            words[context.SUBMIT_INFOS + i] = ctypes.addressof(info)
        for name, word in context.FUNCTIONS.items():
            words[word] = device.functions.address_of(name)

    # ------------------------------------------------------------ recording

    def open(self) -> int:
        """Return the command buffer to record into, a new batch's if none is open."""
        words = self.device.context
        if words[context.COMMANDS]:
            return words[context.COMMANDS]
        serial = words[context.SERIAL]
        last_user = serial - context.RING_SIZE
        if words[context.COMPLETED] < last_user:
            self._recycle(self._read_completed())
        if words[context.COMPLETED] < last_user:
            self._block(last_user, poll_ns=0)
            self._recycle(last_user)
        handle = self._ring[serial % context.RING_SIZE]
        self.device.functions.vkBeginCommandBuffer(handle, ctypes.byref(self._begin_info))
        words[context.PIPELINE] = words[context.SET] = words[context.COUNT] = 0
        words[context.LIMIT] = words[context.RAMP]
        words[context.COMMANDS] = handle
        return handle

    def barrier(self) -> None:
        """Let what is recorded from now on see all that was recorded before."""
        words = self.device.context
        self.device.functions.vkCmdPipelineBarrier(
            words[context.COMMANDS],
            _STAGES,
            _STAGES,
            0,
            1,
            ctypes.byref(self._barrier_info),
            0,
            None,
            0,
            None,
        )
        words[context.EPOCH] += 1

    def use(
        self,
        reads: tuple[context.Words, ...],
        writes: tuple[context.Words, ...],
        streams: tuple[list[Any], ...],
    ) -> int:
        """Note that the next command uses blocks, given by their records; returns the command buffer.

        A barrier comes first if an earlier command has written what it uses, or uses what it writes: commands that
        touch different blocks may run side by side.
        """
        words = self.device.context
        handle = words[context.COMMANDS] or self.open()
        limit = 2 * words[context.EPOCH]
        conflict = False
        for record in writes:
            conflict |= record[context.BUFFER_EPOCH] >= limit
        for record in reads:
            conflict |= record[context.BUFFER_EPOCH] > limit
        if conflict:
            leave_streams(streams)
            self.barrier()
            limit += 2
        serial = words[context.SERIAL]
        for record in writes:
            record[0], record[1] = serial, limit + 1
        for record in reads:
            record[0] = serial
            if record[1] < limit or record[1] >= context.IN_STREAM:
                record[1] = limit
        return handle

    def count(self) -> None:
        """Note that something was recorded; submits a batch that is full."""
        words = self.device.context
        words[context.COUNT] += 1
        if words[context.COUNT] >= words[context.LIMIT]:
            self.submit()

    def submit(self) -> None:
        """Start the open batch, if there is one.

        If that fails, what it holds is lost, and the exception says so; the queue stays usable.
        """
        words, functions = self.device.context, self.device.functions
        handle, serial = words[context.COMMANDS], words[context.SERIAL]
        if not handle:
            return
        words[context.COMMANDS] = 0
        try:
            functions.vkCmdPipelineBarrier(
                handle, _STAGES, _HOST, 0, 1, ctypes.byref(self._host_barrier_info), 0, None, 0, None
            )
            functions.vkEndCommandBuffer(handle)
            self._signal[0] = serial
            info = self._submit_infos[serial % context.RING_SIZE]
            functions.vkQueueSubmit(self.device.queue, 1, ctypes.byref(info), 0)
        except BaseException:
            self.abandon()
            raise
        words[context.SERIAL] = serial + 1
        words[context.RAMP] = min(2 * words[context.RAMP], context.MAX_BATCH)

    def abandon(self) -> None:
        """Make the number of a batch that may not have been submitted come true, so that nothing waits for it."""
        words, functions = self.device.context, self.device.functions
        serial = words[context.SERIAL]
        words[context.COMMANDS] = 0
        words[context.SERIAL] = serial + 1
        with suppress(VulkanError, MemoryError):
            functions.vkQueueWaitIdle(self.device.queue)
        with suppress(VulkanError, MemoryError):
            if self._read_completed() < serial:
                signal = vk.VkSemaphoreSignalInfo(semaphore=self.semaphore, value=serial)
                functions.vkSignalSemaphore(self.device.handle, ctypes.byref(signal))
            functions.vkResetCommandBuffer(self._ring[serial % context.RING_SIZE], 0)
        self._recycle(serial)

    # ------------------------------------------------------------ waiting

    def finish(self) -> None:
        """Wait for all work that was recorded."""
        self.wait(self.last_serial)

    @property
    def last_serial(self) -> int:
        """The number of the last batch that holds work."""
        words = self.device.context
        return words[context.SERIAL] - (not words[context.COMMANDS])

    def wait(self, serial: int) -> None:
        """Wait until a batch and all before it are done; an interrupt leaves them running."""
        device = self.device
        if serial <= device.context[context.COMPLETED]:
            return
        with device.lock:
            if serial >= device.context[context.SERIAL]:
                self.submit()
        self._block(serial, self._poll_ns)
        with device.lock:
            self._recycle(serial)
            device.context[context.RAMP] = 1

    def _block(self, serial: int, poll_ns: int) -> None:
        device = self.device
        waiter = self._waiters.pop() if self._waiters else _Waiter(self._semaphores)
        try:
            if poll_ns and self._poll(serial, poll_ns, waiter):
                return
            waiter.values[0] = serial
            info, call = ctypes.byref(waiter.info), device.functions.vkWaitSemaphores
            while call(device.handle, info, _WAIT_NS) == vk.VK_TIMEOUT:
                pass
        finally:
            self._waiters.append(waiter)

    def _poll(self, serial: int, poll_ns: int, waiter: _Waiter) -> bool:
        device, semaphore, value = self.device, self.semaphore, waiter.value
        call, place = device.functions.vkGetSemaphoreCounterValue, ctypes.byref(value)
        until = time.perf_counter_ns() + poll_ns
        while True:
            call(device.handle, semaphore, place)
            if value.value >= serial:
                return True
            if time.perf_counter_ns() > until:
                return False

    def _read_completed(self) -> int:
        value = ctypes.c_uint64()
        self.device.functions.vkGetSemaphoreCounterValue(
            self.device.handle, self.semaphore, ctypes.byref(value)
        )
        return value.value

    def refresh(self) -> int:
        """Return the number of the last batch that is done, without waiting."""
        with self.device.lock:
            self._recycle(self._read_completed())
        return self.device.context[context.COMPLETED]

    def _recycle(self, completed: int) -> None:
        """Note that batches are done, and destroy what only they used."""
        words = self.device.context
        words[context.COMPLETED] = max(completed, words[context.COMPLETED])
        if self.device.retired:
            self.device.destroy_retired()


def leave_streams(streams: tuple[list[Any], ...]) -> None:
    """Wait on the host until streams no longer use blocks, given by their lists of users."""
    for users in streams:
        while users:
            stream, value = users[-1]
            stream.wait_value(value)
            users.pop()
