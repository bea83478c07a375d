"""`Device`: an open device that copies, compiles pipelines and launches."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..kernel import CompiledKernel, TargetProfile
from ..narrowing import Mode
from . import launch, support
from .binding import raise_result, vk
from .buffer import Buffer, Pool
from .constants import Constants
from .context import COUNT, LIMIT, MAX_BATCH, PIPELINE, RESULT, RING_SIZE, SERIAL, SET, word_of
from .delivery import Delivery
from .info import DeviceInfo, profile_of
from .launch import DEFAULT_LOCAL_SIZE, Arrays, Extent
from .logical_device import LogicalDevice
from .memory import MemoryInfo, MemoryKind, budget
from .pipelines import Pipeline, Pipelines
from .probe_start import start_probe
from .probes import Probes
from .queue import Queue
from .recording import is_recording, require_idle
from .reports import StatusBlocks
from .slots import MAX_SLOTS, Slot, Slots
from .transfer import Elements, Transfer

__all__ = ["Device", "require_device"]

_COMPUTE_POINT = vk.VK_PIPELINE_BIND_POINT_COMPUTE


class Device:
    """An open device with one compute queue and a cache of pipelines.

    Get one with `get_device`, which opens each device once.

    Parameters
    ----------
    info : DeviceInfo
        The physical device to open.
    meanwhile : callable, optional
        What to do while the driver opens it.

    Attributes
    ----------
    info : DeviceInfo
        The physical device.
    handle : object
        The VkDevice.
    queue, stream_queue : object
        The compute queue, and that of kernels on streams.
    family, transfer_family : int
        The queue families of these, and of copies on streams.
    memory : list of (int, int)
        Property flags and heap of each memory type.
    command_pool : object
        The VkCommandPool of launches and copies without a stream.
    work : Queue
        Where these are recorded.
    recorder : Graph or None
        What notes launches instead of making them.
    delivery : Delivery
        What brings prints and errors of kernels to the user.
    transfer : Transfer
        Copies that leave reports of kernels alone.
    mode : Mode
        How kernels compute 64-bit types on the device by default: integers exactly, float64 in float32 where the
        device has no float64.

    Notes
    -----
    Threads may share a device: each launch and each copy holds its lock.

    At most ``MAX_BATCH`` launches are submitted together, ``MAX_IN_FLIGHT`` batches are in flight at a time, and
    ``MAX_SLOTS`` sets of buffers are remembered for each kernel.
    """

    MAX_BATCH = MAX_BATCH
    MAX_IN_FLIGHT = RING_SIZE - 1
    MAX_SLOTS = MAX_SLOTS

    def __init__(self, info: DeviceInfo, meanwhile: Callable[[], object] | None = None) -> None:
        self.logical = LogicalDevice(info, meanwhile)
        self.info = info
        self._words, self._functions = self.logical.context, self.logical.functions
        self.handle = self.logical.handle
        self.queue, self.stream_queue = self.logical.queue, self.logical.stream_queue
        self.family, self.transfer_family = self.logical.family, self.logical.transfer_family
        self.memory = self.logical.memory_types
        self.mode = Mode(floats=not info.float64)
        self.work = Queue(self.logical)
        self.command_pool = self.work.command_pool
        self._streams: set[weakref.ref[Any]] = set()
        self.recorder: Any = None
        self._pool = Pool(self.logical, self.work.finish)
        self.transfer = Transfer(self.work, self.create_buffer)
        self._pipelines = Pipelines(self.logical, Constants(self.create_buffer, self.transfer.upload))
        status_blocks = StatusBlocks(lambda size: self.create_buffer(size, MemoryKind.HOST))
        self.delivery = Delivery(self.logical, status_blocks)
        self._slots = Slots(self.logical, status_blocks)
        probes = Probes(info, partial(start_probe, self))
        with self.logical.lock:
            self.work.submit()
        self.info = replace(info, ask_probes=probes.answers)

    def __repr__(self) -> str:
        return f"<Device {self.info.index} {self.info.name!r}>"

    @cached_property
    def profile(self) -> TargetProfile:
        """What the compiler knows of the device; the first use waits for the probes of its driver."""
        return profile_of(self.info, self.info.probes)

    @property
    def is_lost(self) -> bool:
        """Whether the driver gave the device up; `get_device` then opens it anew."""
        return self.logical.functions.is_lost

    # ------------------------------------------------------------ buffers

    def create_buffer(self, size_bytes: int, kind: MemoryKind = MemoryKind.DEVICE) -> Buffer:
        """Create a buffer without initialising it.

        Parameters
        ----------
        size_bytes : int
            Bytes that it must hold; a buffer is never empty.
        kind : MemoryKind, optional
            Memory of the device, or host memory that kernels reach too.

        Raises
        ------
        MemoryError
            If there is not enough memory.
        """
        return Buffer(self._pool, self.logical, size_bytes, kind)

    def upload(self, buffer: Buffer, array: np.ndarray, offset_bytes: int = 0) -> None:
        """Copy a host array into a buffer, its elements in C order; the array may change afterwards."""
        require_idle(self)
        self.transfer.upload(buffer, array, offset_bytes)
        self.raise_reports()

    def download(self, buffer: Buffer, out: np.ndarray, offset_bytes: int = 0) -> None:
        """Copy elements in C order from a buffer into a host array of any layout; waits until it is done."""
        require_idle(self)
        self.transfer.download(buffer, out, offset_bytes)
        self.raise_reports()

    def upload_elements(
        self, buffer: Buffer, offset: int, strides: tuple[int, ...], array: np.ndarray
    ) -> None:
        """Copy a host array to elements of a buffer with gaps between them; offset and steps are in elements."""
        require_idle(self)
        self.transfer.upload_elements((buffer, offset, strides), array)
        self.raise_reports()

    def download_elements(
        self, buffer: Buffer, offset: int, strides: tuple[int, ...], out: np.ndarray
    ) -> None:
        """Copy elements of a buffer with gaps between them to a host array; waits until it is done."""
        require_idle(self)
        self.transfer.download_elements((buffer, offset, strides), out)
        self.raise_reports()

    def copy_elements(
        self, shape: tuple[int, ...], itemsize: int, source: Elements, target: Elements
    ) -> None:
        """Start to copy elements from one place to another, each a buffer, an offset and steps in elements."""
        require_idle(self)
        self.transfer.copy_elements(shape, itemsize, source, target)

    def fill(self, buffer: Buffer, offset_bytes: int, size_bytes: int, pattern: bytes) -> bool:
        """Start to repeat a pattern in a buffer; returns False, and does nothing, if Vulkan cannot."""
        require_idle(self)
        return self.transfer.fill(buffer, offset_bytes, size_bytes, pattern)

    # ------------------------------------------------------------ kernels

    def check_support(self, kernel: CompiledKernel) -> None:
        """Check that the device can run a kernel.

        Parameters
        ----------
        kernel : CompiledKernel
            The kernel.

        Raises
        ------
        VulkanSupportError
            If the device lacks a capability that the kernel needs, or allows fewer buffers than it has.
        """
        support.check(self.info, kernel)

    def launch(
        self,
        kernel: CompiledKernel,
        groups: Extent,
        arrays: Arrays,
        push: bytes = b"",
        local_size: Extent = DEFAULT_LOCAL_SIZE,
    ) -> None:
        """Start a kernel without waiting for it; what it reports is raised by the next synchronisation.

        Launches are recorded in batches, which are submitted on a ramp of 1, 2, 4 … launches after each
        synchronisation. A launch waits on the device for those before it that write what it uses, or use what it
        writes, and may run beside all others.

        Parameters
        ----------
        kernel : CompiledKernel
            The kernel. Its SPIR-V must have passed `spirv.check`: drivers crash on invalid modules.
        groups : tuple of int
            Number of workgroups along x, y and z.
        arrays : sequence of DeviceArray, Buffer or None, or mapping of int to Buffer
            The memory of each array that the kernel takes, None for those it does not reach; or the buffer of each
            binding but the status block's.
        push : bytes, optional
            The kernel's parameter block, wherever the kernel expects it: in push constants or behind the status words.
        local_size : tuple of int, optional
            Invocations of a workgroup along x, y and z.

        Raises
        ------
        ValueError
            If an extent is not positive, an array is missing or belongs to another device, or ``push`` has the wrong
            length.
        TypeError
            If one is a NumPy array: a launch does not wait, but `run` does.
        VulkanSupportError
            If the device lacks what the kernel needs, or a limit is exceeded.
        """
        buffers = launch.buffers_of(kernel, arrays)
        with self.logical.lock:
            slot = self.slot(kernel, groups, local_size, buffers, push)
            if min(groups) > 0:
                self.enqueue(slot, groups, push, alive=buffers)

    def launch_stream(
        self,
        stream: Any,
        kernel: CompiledKernel,
        groups: Extent,
        arrays: Arrays,
        push: bytes = b"",
        local_size: Extent = DEFAULT_LOCAL_SIZE,
    ) -> None:
        """Enqueue a kernel on a stream; see `launch` for the other arguments."""
        buffers = launch.buffers_of(kernel, arrays)
        with self.logical.lock:
            slot = self.slot(kernel, groups, local_size, buffers, push, stream)
        if min(groups) > 0:
            stream.launch(slot, groups, push, {**buffers, **slot.pipeline.constants})

    def run(
        self,
        kernel: CompiledKernel,
        groups: Extent,
        arrays: Arrays,
        push: bytes = b"",
        local_size: Extent = DEFAULT_LOCAL_SIZE,
    ) -> tuple[int, ...]:
        """Run a kernel and wait for it; see `launch` for the arguments, among which there may be NumPy arrays.

        These are copied to the device, and back if the kernel writes them.

        Returns
        -------
        tuple of int
            The status words if the kernel reported something, else empty.

        Raises
        ------
        ValueError, VulkanSupportError
            As `launch`. What kernels launched before have reported is left to the next synchronisation.
        """
        hosts = launch.host_arrays(kernel, arrays)
        staged = {binding: self.create_buffer(array.nbytes) for binding, array in hosts.items()}
        for binding, array in hosts.items():
            self.transfer.upload(staged[binding], array)
        buffers = launch.buffers_of(kernel, arrays, staged)
        with self.logical.lock:
            slot = self.slot(kernel, groups, local_size, buffers, push)
            if min(groups) == 0:
                return ()
            self.enqueue(slot, groups, push)
            slot.await_reports(1)
        try:
            words = self.finish(slot)
        finally:
            with self.logical.lock:
                slot.await_reports(-1)
        for binding in kernel.written_bindings.intersection(hosts):
            self.transfer.download(staged[binding], hosts[binding])
        return words

    def slot(
        self,
        kernel: CompiledKernel,
        groups: Extent,
        local_size: Extent,
        buffers: Mapping[int, Buffer],
        push: bytes,
        stream: object = None,
    ) -> Slot:
        """Return what launches of a kernel with the same buffers share; called with the lock held."""
        self.logical.require_usable()
        launch.check_groups(self.info, kernel, groups)
        expected = 4 * kernel.interface.block.size_words
        if len(push) != expected:
            raise ValueError(f"kernel {kernel.name!r} takes {expected} bytes of parameters, not {len(push)}")
        return self._slots.get(self._pipeline(kernel, local_size, push), kernel, buffers, push, stream)

    def _pipeline(self, kernel: CompiledKernel, local_size: Extent, parameters: bytes) -> Pipeline:
        """Return a pipeline; what a kernel and a local size need is checked when it is made."""
        lengths = kernel.lengths_for(parameters) if kernel.shared_lengths else ()
        constants = (*local_size, *lengths)
        found = self._pipelines.find(kernel, constants)
        if found is not None:
            return found
        launch.check_shared_memory(self.info, kernel, lengths)
        launch.check_local_size(self.info, kernel, local_size)
        self.check_support(kernel)
        return self._pipelines.make(kernel, constants)

    def enqueue(
        self, slot: Slot, groups: Extent, push: bytes, submits: bool = True, alive: object = None
    ) -> None:
        """Record a launch of a slot, and submit the batch if it is full; called with the lock held."""
        if self.recorder is not None and is_recording(self):
            self.recorder.add(slot, groups, push, alive)
            return
        words, functions, layout = self._words, self._functions, slot.pipeline.layout
        commands = self.work.use(slot.reads, slot.writes, slot.streams)
        slot.record[0] = words[SERIAL]
        # A descriptor set belongs to one pipeline as long as a batch is open.
        if words[SET] != slot.set_word or not slot.set_handle:
            self._bind(commands, slot)
            words[PIPELINE], words[SET] = word_of(slot.pipeline.handle), slot.set_word
        if layout.push_bytes:
            functions.vkCmdPushConstants(commands, *layout.push_arguments, push)
        functions.vkCmdDispatch(commands, *groups)
        words[COUNT] = count = words[COUNT] + 1
        if submits and count >= words[LIMIT]:
            self.work.submit()

    def _bind(self, commands: int, slot: Slot) -> None:
        """Let the next dispatches be those of a slot."""
        functions = self.logical.functions
        functions.vkCmdBindPipeline(commands, _COMPUTE_POINT, slot.pipeline.handle)
        if slot.set_handle:
            functions.vkCmdBindDescriptorSets(
                commands, _COMPUTE_POINT, slot.pipeline.layout.handle, 0, 1, slot.sets, 0, None
            )

    def record_dispatch(self, commands: int, slot: Slot, groups: Extent, push: bytes) -> None:
        """Record a launch of a slot into a command buffer of a stream or a graph."""
        functions, layout = self.logical.functions, slot.pipeline.layout
        self._bind(commands, slot)
        if layout.push_bytes:
            functions.vkCmdPushConstants(commands, *layout.push_arguments, push)
        functions.vkCmdDispatch(commands, *groups)

    def raise_lost_batch(self) -> None:
        """Give up the batch that native code could not start, and raise why; nothing happens if there is none."""
        words = self.logical.context
        with self.logical.lock:
            result = words[RESULT]
            if result >= 0:
                return
            words[RESULT] = 0
            self.work.abandon()
        self.logical.functions.is_lost |= result == vk.VK_ERROR_DEVICE_LOST
        raise_result("vkQueueSubmit", result)

    def finish(self, slot: Slot) -> tuple[int, ...]:
        """Wait for the launches of a slot and return the status words if one reported something, else nothing.

        The caller has counted itself in with `Slot.await_reports`. What launches of other slots have reported is left
        to `raise_reports`, which the caller calls when the results of its own launch are where they belong.
        """
        if is_recording(self):
            raise ValueError(
                "a recorded graph takes launches on device arrays only: copy NumPy arguments first"
            )
        self.work.wait(slot.record[0])
        self.delivery.write_prints()
        status = slot.status
        if status is None or not status.words[0] or not slot.reports:
            return ()
        with self.logical.lock:
            return status.take_words()

    # ------------------------------------------------------------ waiting

    def synchronize(self, report: bool = True) -> None:
        """Wait until every kernel launched on the device has finished.

        Parameters
        ----------
        report : bool, optional
            Whether to raise what a kernel has reported since the last synchronisation.

        Raises
        ------
        Exception
            The first exception that a kernel has raised, with others in its notes; or else a callback of a stream.
        """
        self.logical.require_usable()
        self.work.finish()
        # No list of them stays in this frame: an exception would keep them alive with its traceback.
        for stream in self.streams:
            stream.finish()
        if not report:
            self.delivery.write_prints()
            return
        self.raise_reports()
        for stream in self.streams:
            stream.raise_errors()

    @property
    def streams(self) -> list[Any]:
        """The streams of the device that still exist."""
        known = tuple(self._streams)
        return [stream for each in known if (stream := each()) is not None] if known else []

    def add_stream(self, stream: Any) -> None:
        """Let synchronisations wait for a stream too, as long as it exists."""
        self._streams.add(weakref.ref(stream, self._streams.discard))

    def wait_for(self, buffer: Buffer) -> None:
        """Wait until no launch uses a buffer any more; others may go on running.

        Parameters
        ----------
        buffer : Buffer
            The buffer.

        Raises
        ------
        Exception
            As `synchronize`.
        """
        self.logical.require_usable()
        self.transfer.wait_for(buffer)
        self.raise_reports()

    def raise_reports(self) -> None:
        """Write what finished launches have printed, and raise what they have reported."""
        self.delivery.raise_reports()

    # ------------------------------------------------------------ memory

    @property
    def pool_limit(self) -> int:
        """Bytes of released buffers that are kept for reuse; ``NUMBA_VULKAN_POOL_MB`` at first, 1024 by default."""
        return self._pool.limit_bytes

    @pool_limit.setter
    def pool_limit(self, limit_bytes: int) -> None:
        self._pool.set_limit(limit_bytes)

    def memory_info(self) -> MemoryInfo:
        """Return how much memory the device has and what of it is used.

        Returns
        -------
        MemoryInfo
            Sizes in bytes.
        """
        self.logical.require_usable()
        total, free = budget(self.logical)
        return MemoryInfo(total, free, self._pool.used_bytes, self._pool.pooled_bytes)

    def trim(self, limit: int = 0) -> None:
        """Give memory of released buffers back to the system.

        Parameters
        ----------
        limit : int, optional
            Bytes that may stay pooled.
        """
        self.logical.require_usable()
        self.work.refresh()
        self._pool.trim(limit)


def require_device(device: object) -> None:
    """Raise unless an object is a device."""
    if not isinstance(device, Device):
        raise TypeError(f"a device must be made by numba_vulkan.get_device(), not {device!r}")
