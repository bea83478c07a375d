"""Streams: ordered sequences of copies and launches beside those of the device's own queue."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import VulkanError
from . import context
from .binding import vk
from .buffer import Block, Buffer
from .copying import copy_host
from .delivery import raise_first, write_uncollected
from .device import Device, require_device
from .geometry import Extents, contiguous_strides
from .logical_device import LogicalDevice
from .memory import MemoryKind
from .pinned import pinned_place
from .recording import require_idle
from .slots import Slot
from .timeline import Timeline
from .transfer import Elements, record_regions, regions_of

__all__ = ["Stream", "check_stream", "require_stream"]

_ALL = vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT
_COPIES_WRITE = vk.VK_ACCESS_TRANSFER_WRITE_BIT
_KERNELS_WRITE = vk.VK_ACCESS_SHADER_WRITE_BIT | vk.VK_ACCESS_TRANSFER_WRITE_BIT
# What a slot's record says while a stream uses it: later than any batch.
_IN_USE = 1 << 62
# A buffer, the offset of the first element in bytes, and steps in elements.
Place = tuple[Buffer, int, Extents]


@dataclass
class _Job:
    """One submission: the number that says it is done, and what happens then."""

    value: int
    pool: _CommandPool
    commands: int
    alive: tuple[object, ...]
    then: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])


class _CommandPool:
    """Command buffers of one queue family; called with the device's lock held."""

    def __init__(self, device: Device, family: int, queue: int, writes: int) -> None:
        self.queue = queue
        self.writes = writes
        self._logical = device.logical
        info = vk.VkCommandPoolCreateInfo(
            flags=vk.VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, queueFamilyIndex=family
        )
        self.handle = self._logical.create("vkCreateCommandPool", info)
        self._free: list[int] = []

    def take(self) -> int:
        if self._free:
            return self._free.pop()
        info = vk.VkCommandBufferAllocateInfo(
            commandPool=self.handle, level=vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount=1
        )
        handle = ctypes.c_void_p()
        self._logical.functions.vkAllocateCommandBuffers(
            self._logical.handle, ctypes.byref(info), ctypes.byref(handle)
        )
        return handle.value or 0

    def give_back(self, commands: int) -> None:
        self._free.append(commands)


class Stream:
    """An ordered sequence of copies and launches on a device, like those of numba.cuda.

    Work on one stream runs in the order in which it was enqueued; work on different streams can run at the same time:
    copies on a queue for copies where the device has one, kernels on a second compute queue where there is one. Pass a
    stream as ``stream=`` to `to_device`, `DeviceArray.copy_to_device` and `DeviceArray.copy_to_host`, as the third
    element of ``kernel[groups, local_size, stream]``, or as ``forall(n, stream=…)``. All of these return at once. What
    is copied to the host is there after `synchronize`, which also raises what a kernel has raised.

    Arrays may go from one stream to another, or to launches without a stream: the later work waits for the earlier.

    Parameters
    ----------
    device : Device
        The device.

    Attributes
    ----------
    device : Device
        The device.
    value : int
        The number of the operation that was enqueued last.
    timeline : Timeline
        Counts those that are done.
    """

    def __init__(self, device: Device) -> None:
        require_device(device)
        logical = device.logical
        logical.require_usable()
        self.device = device
        self.timeline = Timeline(logical)
        self.value = self.timeline.start
        self._compute = _CommandPool(device, logical.family, logical.stream_queue, _KERNELS_WRITE)
        self._uploads = self._downloads = self._compute
        if logical.transfer_family != logical.family:
            self._uploads, self._downloads = (
                _CommandPool(device, logical.transfer_family, queue, _COPIES_WRITE)
                for queue in logical.transfer_queues
            )
        # Where the time is written: behind the last operation, or nothing.
        self._last = self._uploads
        self._jobs: deque[_Job] = deque()
        pools = {self._compute.handle, self._uploads.handle, self._downloads.handle}
        # The finalizer keeps them, and they the stream: a device's synchronisation collects what is left here.
        self._raised: list[BaseException] = []
        weakref.finalize(self, _close, logical, self.timeline, self._jobs, pools, self._raised)
        self._collecting = threading.RLock()
        device.add_stream(self)

    # ------------------------------------------------------------ enqueuing

    def _submit(
        self,
        pool: _CommandPool,
        record: Callable[[int], None],
        blocks: tuple[Block, ...],
        alive: tuple[object, ...],
        then: Callable[[], None] | None = None,
    ) -> None:
        """Submit what ``record`` records, after all that used its blocks before."""
        device, logical = self.device, self.device.logical
        require_idle(device)
        self._collect()
        with logical.lock:
            waits = self._waits(blocks)
            commands = pool.take()
            functions = logical.functions
            begin = vk.VkCommandBufferBeginInfo(flags=vk.VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT)
            functions.vkBeginCommandBuffer(commands, ctypes.byref(begin))
            record(commands)
            barrier = vk.VkMemoryBarrier(srcAccessMask=pool.writes, dstAccessMask=vk.VK_ACCESS_HOST_READ_BIT)
            functions.vkCmdPipelineBarrier(
                commands, _ALL, vk.VK_PIPELINE_STAGE_HOST_BIT, 0, 1, ctypes.byref(barrier), 0, None, 0, None
            )
            functions.vkEndCommandBuffer(commands)
            job = _Job(self.value + 1, pool, commands, alive, [] if then is None else [then])
            info = _submit_info(commands, waits, (self.timeline.semaphore, job.value))
            submit, place, is_submitted = functions.vkQueueSubmit, ctypes.byref(info), False
            # An interrupt may come behind the call, before a line below it: all is noted by then.
            try:
                self._note(job, blocks)
                is_submitted = True
                submit(pool.queue, 1, place, 0)
            except BaseException as error:
                if not is_submitted or isinstance(error, Exception):
                    self._forget(job, blocks)
                raise

    def _note(self, job: _Job, blocks: tuple[Block, ...]) -> None:
        """Note that a job uses blocks."""
        self._jobs.append(job)
        for block in blocks:
            block.record[context.BUFFER_EPOCH] = context.IN_STREAM
            self._set_user(block, job.value)
        self.device.logical.submitted[self.timeline.semaphore] = job.value
        self._last = job.pool
        self.value = job.value

    def _forget(self, job: _Job, blocks: tuple[Block, ...]) -> None:
        """Take back what was noted of a job that was not submitted."""
        self.value = job.value - 1
        self.device.logical.submitted[self.timeline.semaphore] = self.value
        for block in blocks:
            self._set_user(block, self.value)
        if self._jobs and self._jobs[-1] is job:
            self._jobs.pop()

    def _set_user(self, block: Block, value: int) -> None:
        """Let a block be used by this stream up to an operation."""
        others = [use for use in block.streams if use[0] is not self.timeline]
        block.streams[:] = [*others, (self.timeline, value)]

    def _waits(self, blocks: tuple[Block, ...]) -> list[tuple[int, int]]:
        """Return the semaphores and numbers that the next submission has to wait for."""
        words, work = self.device.logical.context, self.device.work
        waits = {self.timeline.semaphore: self.value}
        serial = max([block.record[context.BUFFER_SERIAL] for block in blocks], default=0)
        if serial > words[context.COMPLETED]:
            if serial >= words[context.SERIAL]:
                work.submit()
            waits[work.semaphore] = serial
        for timeline, value in (use for block in blocks for use in block.streams):
            if timeline is not self.timeline:
                waits[timeline.semaphore] = max(value, waits.get(timeline.semaphore, 0))
        return [(semaphore, value) for semaphore, value in waits.items() if value]

    def upload(self, target: Elements, array: np.ndarray) -> None:
        """Enqueue a copy of a host array of any layout to elements of a buffer."""
        if not array.nbytes:
            return
        packed = contiguous_strides(array.shape)
        place = pinned_place(array, self.device.logical)
        if place is None:
            staging = self.device.create_buffer(array.nbytes, MemoryKind.HOST)
            copy_host(staging.view(array.shape, array.dtype), array)
            place = staging, 0
        self._copy(self._uploads, array, (place[0], place[1], packed), _place(target, array))

    def download(self, source: Elements, out: np.ndarray, then: Callable[[], None] | None = None) -> None:
        """Enqueue a copy of elements of a buffer to a C-contiguous host array, which has them after `synchronize`."""
        if not out.nbytes:
            return
        packed = contiguous_strides(out.shape)
        place = pinned_place(out, self.device.logical)
        if place is not None:
            self._copy(self._downloads, out, _place(source, out), (*place, packed), then)
            return
        staging = self.device.create_buffer(out.nbytes, MemoryKind.HOST)

        def fetch() -> None:
            copy_host(out, staging.view(out.shape, out.dtype))
            if then is not None:
                then()

        self._copy(self._downloads, out, _place(source, out), (staging, 0, packed), fetch)

    def copy(self, like: np.ndarray | Any, source: Elements, target: Elements) -> None:
        """Enqueue a copy of elements, as many and as large as those of an array, to another buffer."""
        if like.nbytes:
            self._copy(self._compute, like, _place(source, like), _place(target, like))

    def _copy(
        self,
        pool: _CommandPool,
        like: np.ndarray | Any,
        source: Place,
        target: Place,
        then: Callable[[], None] | None = None,
    ) -> None:
        """Enqueue a copy of elements, as many and as large as those of an array."""
        regions = regions_of(like.shape, like.itemsize, source[1:], target[1:])

        def record(commands: int) -> None:
            record_regions(self.device.logical, commands, source[0], target[0], regions)

        self._submit(pool, record, (source[0].block, target[0].block), (source, target), then)

    def launch(
        self, slot: Slot, groups: tuple[int, int, int], push: bytes, buffers: dict[int, Buffer]
    ) -> None:
        """Enqueue a launch; the slot belongs to this stream."""

        def record(commands: int) -> None:
            slot.record[0] = _IN_USE
            self.device.record_dispatch(commands, slot, groups, push)

        blocks = tuple({b.block.id: b.block for b in buffers.values()}.values())
        value = self.value + 1

        def done() -> None:
            if slot.record[0] == _IN_USE and slot.last_value == value:
                slot.record[0] = 0

        slot.last_value = value
        self._submit(self._compute, record, blocks, (slot, buffers), done)

    def timestamp(self, pool: int) -> None:
        """Enqueue the writing of the time to query 0 of a query pool."""

        def record(commands: int) -> None:
            self.device.logical.functions.vkCmdWriteTimestamp(
                commands, vk.VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0
            )

        # On the queue of kernels it would wait for those of other streams.
        is_written = self.device.logical.transfer_timestamps
        self._submit(self._last if is_written else self._compute, record, (), ())

    def add_callback(self, callback: Callable[[], Any]) -> None:
        """Call a function of no arguments once all that was enqueued before is done.

        It is called by the thread that synchronizes the stream, asks it or enqueues on it next; at once where nothing
        is under way. What it raises is raised by the next `synchronize` or `query`, and keeps no other callback from
        being called. If Ctrl-C interrupts it, it is called again.

        Parameters
        ----------
        callback : callable
            The function.
        """
        if not callable(callback):
            raise TypeError(f"a callback must be a function of no arguments, not {callback!r}")
        with self._collecting:
            if self._jobs:
                self._jobs[-1].then.append(callback)
                return
        self._call(callback)

    def _call(self, callback: Callable[[], Any]) -> None:
        """Call a function and keep what it raises."""
        try:
            callback()
        except Exception as error:
            self._raised.append(error)

    # ------------------------------------------------------------ waiting

    def query(self) -> bool:
        """Return whether all work that was enqueued has finished.

        Raises
        ------
        Exception
            What a callback has raised.
        """
        self.device.logical.require_usable()
        self._collect()
        self.raise_errors()
        return not self._jobs

    def synchronize(self) -> None:
        """Wait until all work that was enqueued has finished.

        Raises
        ------
        Exception
            The first exception that a kernel has raised since the last synchronisation, or else a callback.
        """
        self.device.logical.require_usable()
        self.finish()
        self.device.raise_reports()
        self.raise_errors()

    def finish(self) -> None:
        """Wait until all work has finished, without raising what kernels and callbacks have raised."""
        self.timeline.wait(self.value)
        self._collect()

    def raise_errors(self) -> None:
        """Raise what callbacks have raised."""
        raise_first("another callback raised", self._take_errors())

    def write_errors(self) -> None:
        """Write to the standard error, at the end of the interpreter, what callbacks have raised."""
        for error in self._take_errors():
            write_uncollected("an exception of a stream's callback", error, "stream.synchronize()")

    def _take_errors(self) -> list[BaseException]:
        with self._collecting:
            errors = self._raised[:]
            self._raised.clear()
        return errors

    @contextlib.contextmanager
    def auto_synchronize(self) -> Iterator[Stream]:
        """Synchronize when the block ends, as in numba.cuda."""
        yield self
        self.synchronize()

    def _collect(self) -> None:
        """Do what was to be done after jobs that have finished."""
        with self._collecting:
            while self._jobs and self.timeline.has_reached(self._jobs[0].value):
                job = self._jobs[0]
                while job.then:
                    callback = job.then.pop(0)
                    try:
                        self._call(callback)
                    except BaseException:
                        job.then.insert(0, callback)  # the next one goes on where this was interrupted
                        raise
                # A callback may have used the stream, and so been here.
                if self._jobs and self._jobs[0] is job:
                    self._jobs.popleft()
                    job.pool.give_back(job.commands)

    def __repr__(self) -> str:
        return f"<Stream of {self.device.info.name!r}>"


def require_stream(given: object) -> Stream:
    """Return what a user gave as a stream, or raise TypeError."""
    if not isinstance(given, Stream):
        raise TypeError(f"a stream must be made by numba_vulkan.stream(), not {given!r}")
    return given


def check_stream(given: object, device: Device, what: str) -> None:
    """Raise if a user's stream is none, or not on the device of what it is used with."""
    stream = require_stream(given)
    if stream.device is not device:
        raise ValueError(
            f"{what} is on {device.info.name!r}, but the stream on {stream.device.info.name!r}: make one with "
            "numba_vulkan.stream(device)"
        )


def _place(elements: Elements, like: np.ndarray | Any) -> Place:
    buffer, offset, strides = elements
    return buffer, offset * like.itemsize, strides


def _submit_info(commands: int, waits: list[tuple[int, int]], signal: tuple[int, int]) -> vk.VkSubmitInfo:
    count = len(waits)
    semaphores = (ctypes.c_uint64 * max(count, 1))(*(semaphore for semaphore, _ in waits))
    values = (ctypes.c_uint64 * max(count, 1))(*(value for _, value in waits))
    timeline = vk.VkTimelineSemaphoreSubmitInfo(
        waitSemaphoreValueCount=count,
        pWaitSemaphoreValues=values,
        signalSemaphoreValueCount=1,
        pSignalSemaphoreValues=(ctypes.c_uint64 * 1)(signal[1]),
    )
    return vk.VkSubmitInfo(
        pNext=timeline,
        waitSemaphoreCount=count,
        pWaitSemaphores=semaphores,
        pWaitDstStageMask=(ctypes.c_uint32 * max(count, 1))(*[_ALL] * count),
        commandBufferCount=1,
        pCommandBuffers=(ctypes.c_void_p * 1)(commands),
        signalSemaphoreCount=1,
        pSignalSemaphores=(ctypes.c_uint64 * 1)(signal[0]),
    )


def _close(
    logical: LogicalDevice,
    timeline: Timeline,
    jobs: deque[_Job],
    pools: set[int],
    raised: list[BaseException],
) -> None:
    """Wait for what a stream that is no more has enqueued, and do what was to be done then."""
    logical.submitted.pop(timeline.semaphore, None)
    if not logical.functions.usable:
        return
    with contextlib.suppress(VulkanError, MemoryError):
        if jobs:
            timeline.wait(jobs[-1].value)
    for pool in pools:
        logical.functions.vkDestroyCommandPool(logical.handle, pool, None)
    for each in [each for job in jobs for each in job.then]:
        try:
            each()
        except Exception as error:
            raised.append(error)
    # There is no synchronisation left that could raise them.
    for error in raised:
        sys.excepthook(type(error), error, error.__traceback__)
