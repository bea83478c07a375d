"""Work for a device's queue: recorded in batches, submitted on a ramp, waited for by number."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import Any

from ..errors import VulkanError
from .binding import vk
from .context import (
    BARRIER,
    BEGIN_INFO,
    BUFFER_EPOCH,
    COMMANDS,
    COMPLETED,
    COUNT,
    DEVICE,
    EPOCH,
    FUNCTIONS,
    HOST_BARRIER,
    IN_STREAM,
    LIMIT,
    MAX_BATCH,
    PIPELINE,
    QUEUE,
    RAMP,
    RING,
    RING_SIZE,
    SEMAPHORE,
    SERIAL,
    SET,
    SIGNAL,
    SUBMIT_INFOS,
    Words,
    word_of,
)
from .logical_device import LogicalDevice

__all__ = ["Queue", "leave_streams"]

_STAGES = vk.VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | vk.VK_PIPELINE_STAGE_TRANSFER_BIT
_WRITES = vk.VK_ACCESS_SHADER_WRITE_BIT | vk.VK_ACCESS_TRANSFER_WRITE_BIT
_ACCESSES = _WRITES | vk.VK_ACCESS_SHADER_READ_BIT | vk.VK_ACCESS_TRANSFER_READ_BIT
_HOST = vk.VK_PIPELINE_STAGE_HOST_BIT
_HOST_ACCESSES = vk.VK_ACCESS_HOST_READ_BIT | vk.VK_ACCESS_HOST_WRITE_BIT


class Queue:
    """The batches of a device's compute queue, numbered from 1; a timeline semaphore counts those that are done.

    Methods that record are called with the device's lock held; `wait` takes it itself and waits without it.

    Parameters
    ----------
    device : LogicalDevice
        The device.

    Attributes
    ----------
    command_pool, semaphore : int
        The VkCommandPool, and the VkSemaphore that counts.
    """

    def __init__(self, device: LogicalDevice) -> None:
        self.device = device
        self._words, self._functions = device.context, device.functions
        pool_info = vk.VkCommandPoolCreateInfo(
            flags=vk.VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, queueFamilyIndex=device.family
        )
        self.command_pool = device.create("vkCreateCommandPool", pool_info)
        device.retire_with(self, ("vkDestroyCommandPool", self.command_pool))
        self.semaphore = device.create_timeline()
        device.retire_with(self, ("vkDestroySemaphore", self.semaphore))
        self._semaphores = (ctypes.c_uint64 * 1)(self.semaphore)
        self._begin_info = vk.VkCommandBufferBeginInfo(flags=vk.VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT)
        self._barrier_info = vk.VkMemoryBarrier(srcAccessMask=_WRITES, dstAccessMask=_ACCESSES)
        self._host_barrier_info = vk.VkMemoryBarrier(srcAccessMask=_WRITES, dstAccessMask=_HOST_ACCESSES)
        barrier = ctypes.c_void_p(ctypes.addressof(self._barrier_info))
        self._barrier_arguments = (_STAGES, _STAGES, 0, 1, barrier, 0, None, 0, None)
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
        self._fill_context()

    def _allocate(self) -> list[int]:
        info = vk.VkCommandBufferAllocateInfo(
            commandPool=self.command_pool,
            level=vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY,
            commandBufferCount=RING_SIZE,
        )
        handles = (ctypes.c_void_p * RING_SIZE)()
        self.device.functions.vkAllocateCommandBuffers(self.device.handle, ctypes.byref(info), handles)
        return [handle or 0 for handle in handles]

    def _fill_context(self) -> None:
        """Tell native code what never changes."""
        device, words = self.device, self.device.context
        words[DEVICE], words[QUEUE] = device.handle, device.queue
        words[SEMAPHORE] = word_of(self.semaphore)
        words[BEGIN_INFO] = ctypes.addressof(self._begin_info)
        words[BARRIER] = ctypes.addressof(self._barrier_info)
        words[HOST_BARRIER] = ctypes.addressof(self._host_barrier_info)
        words[SIGNAL] = ctypes.addressof(self._signal)
        for i, (handle, info) in enumerate(zip(self._ring, self._submit_infos, strict=True)):
            words[RING + i] = handle
            words[SUBMIT_INFOS + i] = ctypes.addressof(info)
        for name, word in FUNCTIONS.items():
            words[word] = device.functions.address_of(name)

    # ------------------------------------------------------------ recording

    def open(self) -> int:
        """Return the command buffer to record into, a new batch's if none is open."""
        words = self.device.context
        if words[COMMANDS]:
            return words[COMMANDS]
        serial = words[SERIAL]
        last_user = serial - RING_SIZE
        if words[COMPLETED] < last_user:
            self._recycle(self._read_completed())
        if words[COMPLETED] < last_user:
            self.device.await_value(self.semaphore, last_user, polls=False)
            self._recycle(last_user)
        handle = self._ring[serial % RING_SIZE]
        self.device.functions.vkBeginCommandBuffer(handle, ctypes.byref(self._begin_info))
        words[PIPELINE] = words[SET] = words[COUNT] = 0
        words[LIMIT] = words[RAMP]
        words[COMMANDS] = handle
        return handle

    def use(
        self,
        reads: tuple[Words, ...],
        writes: tuple[Words, ...],
        streams: tuple[list[Any], ...],
    ) -> int:
        """Note that the next command uses blocks, given by their records; returns the command buffer.

        A barrier comes first if an earlier command has written what it uses, or uses what it writes: commands that
        touch different blocks may run side by side.
        """
        words = self._words
        handle = words[COMMANDS] or self.open()
        epoch = words[EPOCH]
        limit = 2 * epoch
        conflict = False
        for record in writes:
            if record[BUFFER_EPOCH] >= limit:
                conflict = True
                break
        else:
            for record in reads:
                conflict |= record[BUFFER_EPOCH] > limit
        if conflict:
            if any(streams):
                leave_streams(streams)
            self._functions.vkCmdPipelineBarrier(handle, *self._barrier_arguments)
            words[EPOCH] = epoch + 1
            limit += 2
        serial, written = words[SERIAL], limit + 1
        for record in writes:
            record[0], record[1] = serial, written
        for record in reads:
            record[0] = serial
            if not limit <= record[1] < IN_STREAM:
                record[1] = limit
        return handle

    def count(self) -> None:
        """Note that something was recorded; submits a batch that is full."""
        words = self.device.context
        words[COUNT] += 1
        if words[COUNT] >= words[LIMIT]:
            self.submit()

    def record_timestamp(self, query_pool: int) -> int:
        """Let the device write the time when it has done all work so far; returns the number of the batch."""
        with self.device.lock:
            self.device.functions.vkCmdWriteTimestamp(
                self.open(), vk.VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, query_pool, 0
            )
            return self.last_serial

    def submit(self) -> None:
        """Start the open batch, if there is one.

        If that fails, what it holds is lost, and the exception says so; the queue stays usable.
        """
        words, functions = self.device.context, self.device.functions
        handle, serial = words[COMMANDS], words[SERIAL]
        if not handle:
            return
        end, submit = functions.vkEndCommandBuffer, functions.vkQueueSubmit
        functions.vkCmdPipelineBarrier(
            handle, _STAGES, _HOST, 0, 1, ctypes.byref(self._host_barrier_info), 0, None, 0, None
        )
        self._signal[0] = serial
        info = ctypes.byref(self._submit_infos[serial % RING_SIZE])
        # An interrupt in front of these calls leaves the batch open. Python raises others when a call is over.
        interrupt: BaseException | None = None
        words[COMMANDS] = 0
        try:
            end(handle)
        except BaseException as error:
            interrupt = self._interrupt(error)
        try:
            submit(self.device.queue, 1, info, 0)
        except BaseException as error:
            interrupt = self._interrupt(error)
        words[SERIAL] = serial + 1
        words[RAMP] = min(2 * words[RAMP], MAX_BATCH)
        if interrupt is not None:
            raise interrupt

    def _interrupt(self, error: BaseException) -> BaseException:
        """Return an exception that came from outside; give the batch up and raise it if it is one of the call."""
        if isinstance(error, Exception):
            self.abandon()
            raise error
        return error

    def abandon(self) -> None:
        """Make the number of a batch that may not have been submitted come true, so that nothing waits for it."""
        words, functions = self.device.context, self.device.functions
        serial = words[SERIAL]
        words[COMMANDS] = 0
        words[SERIAL] = serial + 1
        with suppress(VulkanError, MemoryError):
            functions.vkQueueWaitIdle(self.device.queue)
        with suppress(VulkanError, MemoryError):
            if self._read_completed() < serial:
                signal = vk.VkSemaphoreSignalInfo(semaphore=self.semaphore, value=serial)
                functions.vkSignalSemaphore(self.device.handle, ctypes.byref(signal))
            functions.vkResetCommandBuffer(self._ring[serial % RING_SIZE], 0)
        self._recycle(serial)

    # ------------------------------------------------------------ waiting

    def finish(self) -> None:
        """Wait for all work that was recorded."""
        self.wait(self.last_serial)

    @property
    def last_serial(self) -> int:
        """The number of the last batch that holds work."""
        words = self.device.context
        return words[SERIAL] - (not words[COMMANDS])

    def wait(self, serial: int) -> None:
        """Wait until a batch and all before it are done; an interrupt leaves them running."""
        words, lock = self._words, self.device.lock
        if serial <= words[COMPLETED]:
            return
        # The number of a batch changes when it has been submitted, and only grows.
        if serial >= words[SERIAL]:
            with lock:
                if serial >= words[SERIAL]:
                    self.submit()
        self.device.await_value(self.semaphore, serial)
        with lock:
            self._recycle(serial)
            words[RAMP] = 1

    def _read_completed(self) -> int:
        return self.device.value_of(self.semaphore)

    def refresh(self) -> int:
        """Return the number of the last batch that is done, without waiting."""
        with self.device.lock:
            self._recycle(self._read_completed())
        return self.device.context[COMPLETED]

    def has_passed(self, serial: int) -> bool:
        """Return whether a batch is done; starts it if it is still open."""
        with self.device.lock:
            if serial >= self._words[SERIAL]:
                self.submit()
        return self.refresh() >= serial

    def _recycle(self, completed: int) -> None:
        """Note that batches are done, and destroy what only they used."""
        words = self.device.context
        words[COMPLETED] = max(completed, words[COMPLETED])
        if self.device.retired:
            self.device.destroy_retired()


def leave_streams(streams: tuple[list[Any], ...]) -> None:
    """Wait on the host until streams no longer use blocks, given by their lists of users."""
    for users in streams:
        while users:
            timeline, value = users[-1]
            timeline.wait(value)
            users.pop()
