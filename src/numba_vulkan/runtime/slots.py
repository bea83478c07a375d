"""A slot: what launches of one pipeline with the same buffers share, so that repeating one only records it."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import abi
from ..kernel import CompiledKernel, KernelInterface
from . import launch
from .buffer import Buffer
from .context import COMPLETED, Words, new_words, word_of
from .logical_device import LogicalDevice
from .pipelines import Pipeline, Place
from .reports import StatusBlock, StatusBlocks

__all__ = ["MAX_SLOTS", "Slot", "Slots"]

# Slots that a pipeline keeps; more only while their launches are in flight.
MAX_SLOTS = 32


class Slot:
    """A pipeline with a descriptor set for certain buffers and a status block.

    Attributes
    ----------
    pipeline : Pipeline
        The pipeline.
    interface : KernelInterface
        The kernel, for its reports.
    set_handle : int
        The VkDescriptorSet, 0 without bindings; ``sets`` holds it for Vulkan, ``set_word`` for native code.
    reads, writes : tuple of array of int64
        The records of the blocks that the kernel only reads, and of those that it writes.
    record : array of int64
        Its word is the number of the last batch that uses the slot.
    status : StatusBlock or None
        Where the kernel reports.
    is_evicted : bool
        Whether the descriptor set was taken away.
    keepers : int
        How many graphs hold the descriptor set.
    last_value : int
        For slots of a stream: the number of the last operation that uses it.
    leave : callable
        Gives the descriptor set back.
    on_eviction : list
        Native plans, which are forbidden when that happens.
    """

    __slots__ = (
        "__weakref__",
        "interface",
        "is_evicted",
        "keepers",
        "last_value",
        "leave",
        "on_eviction",
        "pipeline",
        "reads",
        "record",
        "reports",
        "set_handle",
        "set_word",
        "sets",
        "status",
        "streams",
        "writes",
    )

    def __init__(self, pipeline: Pipeline, kernel: CompiledKernel, buffers: Mapping[int, Buffer]) -> None:
        self.pipeline = pipeline
        self.interface: KernelInterface = kernel.interface
        self.reports = kernel.reports_status
        self.record: Words = new_words(1)
        self.status: StatusBlock | None = None
        self.is_evicted = False
        self.keepers = 0
        self.last_value = 0
        self.leave: Any = None
        self.on_eviction: list[Any] = []
        self.set_handle = self.set_word = 0
        self.sets = (ctypes.c_uint64 * 1)()
        arrays = pipeline.arrays
        written = {buffers[b].block.id: buffers[b].block for b in arrays if b in kernel.written_bindings}
        read = {buffers[b].block.id: buffers[b].block for b in arrays}
        self.writes = tuple(block.record for block in written.values())
        self.reads = tuple(block.record for key, block in read.items() if key not in written)
        self.streams = tuple(block.streams for block in read.values())

    def await_reports(self, change: int) -> None:
        """Count a thread in (1) or out (-1) that waits for a launch and takes its report; called with the lock held."""
        if self.status is not None:
            self.status.awaited += change


class Slots:
    """Finds and makes the slots of a device; called with its lock held.

    Parameters
    ----------
    device : LogicalDevice
        The device.
    status_blocks : StatusBlocks
        Where their status blocks come from.
    """

    def __init__(self, device: LogicalDevice, status_blocks: StatusBlocks) -> None:
        self._device = device
        self._status_blocks = status_blocks

    def get(
        self,
        pipeline: Pipeline,
        kernel: CompiledKernel,
        buffers: Mapping[int, Buffer],
        push: bytes,
        stream: object = None,
    ) -> Slot:
        """Return the slot for buffers, by binding, for parameters if they are not push constants, and for a stream.

        Raises
        ------
        ValueError, VulkanSupportError
            If a buffer is missing, of another device or too large.
        """
        parameters = push if kernel.interface.buffer_block_words else b""
        if pipeline.constants:
            buffers = {**buffers, **pipeline.constants}
        try:
            key = (*(buffers[b].block.id for b in pipeline.arrays), parameters, id(stream))
        except KeyError:
            key = ()
        slot = pipeline.slots.get(key)
        if slot is None:
            launch.check_buffers(self._device, kernel, buffers)
            slot = self._make(pipeline, kernel, buffers, parameters)
            pipeline.slots[key] = slot
        return slot

    def _make(
        self, pipeline: Pipeline, kernel: CompiledKernel, buffers: Mapping[int, Buffer], parameters: bytes
    ) -> Slot:
        self._evict(pipeline)
        layout = pipeline.layout
        slot = Slot(pipeline, kernel, buffers)
        limit = self._device.info.max_storage_buffer_range
        places: dict[int, Place] = {}
        if kernel.variant.addressed:
            parameters += _addresses(kernel, buffers)
        else:
            places = {
                b: (buffers[b].handle, 0, min(buffers[b].block.size_bytes, limit)) for b in pipeline.arrays
            }
        if abi.STATUS_BINDING in layout.bindings:
            completed = self._device.context[COMPLETED]
            status = self._status_blocks.take(slot.interface, slot, slot.record, len(parameters), completed)
            places[abi.STATUS_BINDING] = status.buffer.handle, status.offset_bytes, status.size_bytes
            status.write_parameters(parameters)
            slot.status = status
            if slot.interface.prints:
                # Launches that print into one block run one after the other, so that their texts are in order.
                slot.writes = (*slot.writes, status.buffer.block.record)
        slot.set_handle = slot.sets[0] = layout.take_set(self._device.context[COMPLETED])
        slot.set_word = word_of(slot.set_handle)
        slot.leave = weakref.finalize(slot, layout.give_back, slot.set_handle, slot.record)
        slot.leave.atexit = False
        if slot.set_handle:
            layout.write_set(slot.set_handle, places)
        return slot

    def _evict(self, pipeline: Pipeline) -> None:
        """Forget the slots that were not used for longest, but none that work in flight uses."""
        slots = pipeline.slots
        completed = self._device.context[COMPLETED]
        while len(slots) >= MAX_SLOTS:
            key, oldest = min(slots.items(), key=lambda item: (item[1].keepers, item[1].record[0]))
            if oldest.record[0] > completed or oldest.keepers:
                return
            del slots[key]
            oldest.is_evicted = True
            for plan in oldest.on_eviction:
                plan.forbid()
            oldest.leave()


def _addresses(kernel: CompiledKernel, buffers: Mapping[int, Buffer]) -> bytes:
    """Return what follows the parameters in binding 0 of an addressed kernel: where its arrays are."""
    table = np.zeros(kernel.interface.last_binding, np.uint64)
    for binding in kernel.arrays:
        table[binding - 1] = buffers[binding].block.device_address
    return table.tobytes()
