"""Work for a device's queue: recorded in batches, submitted on a ramp, waited for by number."""

from __future__ import annotations

import ctypes
import time
from collections import deque
from contextlib import suppress
from typing import Any

from ..errors import VulkanError
from . import context
from .binding import vk
from .logical_device import LogicalDevice

__all__ = ["MAX_BATCH", "MAX_IN_FLIGHT", "Queue", "leave_streams"]

# Batches of 1, 2, 4 … launches after each synchronisation: a lone launch starts at once, many cost little each.
MAX_BATCH = 64
MAX_IN_FLIGHT = 4
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


class _Batch:
    """A command buffer and the number under which it was last submitted."""

    __slots__ = ("handle", "handles", "serial")

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.handles = (ctypes.c_void_p * 1)(handle)
        self.serial = 0


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
        self._signal = (ctypes.c_uint64 * 1)()
        timeline = vk.VkTimelineSemaphoreSubmitInfo(
            signalSemaphoreValueCount=1, pSignalSemaphoreValues=self._signal
        )
        self._submit_info = vk.VkSubmitInfo(
            pNext=timeline, commandBufferCount=1, signalSemaphoreCount=1, pSignalSemaphores=self._semaphores
        )
        self._begin_info = vk.VkCommandBufferBeginInfo(flags=vk.VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT)
        self._barrier_info = vk.VkMemoryBarrier(srcAccessMask=_WRITES, dstAccessMask=_ACCESSES)
        self._host_barrier_info = vk.VkMemoryBarrier(srcAccessMask=_WRITES, dstAccessMask=_HOST_ACCESSES)
        self._idle: list[_Batch] = []
        self._running: deque[_Batch] = deque()
        self._open: _Batch | None = None
        self._ramp = 1
        self._waiters: list[_Waiter] = []
        self._poll_ns = 0 if device.info.kind == "cpu" else _POLL_NS

    # ------------------------------------------------------------ recording

    def open(self) -> int:
        """Return the command buffer to record into, a new batch's if none is open."""
        words = self.device.context
        if words[context.COMMANDS]:
            return words[context.COMMANDS]
        batch = self._take()
        self.device.functions.vkBeginCommandBuffer(batch.handle, ctypes.byref(self._begin_info))
        self._open = batch
        batch.serial = words[context.SERIAL]
        words[context.PIPELINE] = words[context.SET] = words[context.COUNT] = 0
        words[context.LIMIT] = self._ramp
        words[context.COMMANDS] = batch.handle
        return batch.handle

    def _take(self) -> _Batch:
        if not self._idle and self._running:
            self._recycle(self._read_completed())
        if len(self._running) >= MAX_IN_FLIGHT:
            self._block(self._running[0].serial, poll_ns=0)
            self._recycle(self._running[0].serial)
        return self._idle.pop() if self._idle else _Batch(self._allocate())

    def _allocate(self) -> int:
        info = vk.VkCommandBufferAllocateInfo(
            commandPool=self._pool, level=vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount=1
        )
        handle = ctypes.c_void_p()
        self.device.functions.vkAllocateCommandBuffers(
            self.device.handle, ctypes.byref(info), ctypes.byref(handle)
        )
        assert handle.value, "vkAllocateCommandBuffers succeeded"
        return handle.value

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
        batch, words, functions = self._open, self.device.context, self.device.functions
        if batch is None:
            return
        self._open = None
        words[context.COMMANDS] = 0
        try:
            functions.vkCmdPipelineBarrier(
                batch.handle, _STAGES, _HOST, 0, 1, ctypes.byref(self._host_barrier_info), 0, None, 0, None
            )
            functions.vkEndCommandBuffer(batch.handle)
            self._signal[0] = batch.serial
            self._submit_info.pCommandBuffers = ctypes.addressof(batch.handles)
            functions.vkQueueSubmit(self.device.queue, 1, ctypes.byref(self._submit_info), 0)
        except BaseException:
            self._abandon(batch)
            raise
        self._running.append(batch)
        words[context.SERIAL] += 1
        self._ramp = min(2 * self._ramp, MAX_BATCH)

    def _abandon(self, batch: _Batch) -> None:
        """Make the number of a batch that may not have been submitted come true, so that nothing waits for it."""
        words, functions = self.device.context, self.device.functions
        words[context.SERIAL] += 1
        with suppress(VulkanError, MemoryError):
            functions.vkQueueWaitIdle(self.device.queue)
        with suppress(VulkanError, MemoryError):
            if self._read_completed() < batch.serial:
                signal = vk.VkSemaphoreSignalInfo(semaphore=self.semaphore, value=batch.serial)
                functions.vkSignalSemaphore(self.device.handle, ctypes.byref(signal))
            functions.vkResetCommandBuffer(batch.handle, 0)
            self._idle.append(batch)
        self._recycle(batch.serial)

    # ------------------------------------------------------------ waiting

    def finish(self) -> None:
        """Wait for all work that was recorded."""
        self.wait(self.last_serial)

    @property
    def last_serial(self) -> int:
        """The number of the last batch that holds work."""
        words = self.device.context
        return words[context.SERIAL] - (self._open is None)

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
            self._ramp = 1

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
        """Take back the command buffers of batches that are done."""
        words, running = self.device.context, self._running
        words[context.COMPLETED] = max(completed, words[context.COMPLETED])
        while running and running[0].serial <= completed:
            self._idle.append(running.popleft())
        if self.device.retired:
            self.device.destroy_retired()


def leave_streams(streams: tuple[list[Any], ...]) -> None:
    """Wait on the host until streams no longer use blocks, given by their lists of users."""
    for users in streams:
        while users:
            stream, value = users[-1]
            stream.wait_value(value)
            users.pop()
