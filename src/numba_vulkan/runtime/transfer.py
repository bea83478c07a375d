"""Copies between NumPy arrays and buffers, through mapped memory or staging buffers."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .binding import vk
from .buffer import Buffer
from .context import BUFFER_SERIAL
from .copying import copy_host
from .geometry import Extents, common_runs, contiguous_strides
from .logical_device import LogicalDevice
from .memory import MemoryKind
from .pinned import pinned_place
from .queue import Queue, leave_streams
from .staging import Staging

__all__ = ["Elements", "Transfer", "mapped", "record_regions", "regions_of"]

_REGIONS_OF_COMMAND = 1 << 16
# Buffer, position of the first element and steps, both in elements.
Elements = tuple[Buffer, int, Extents]


class Transfer:
    """Copies of one device; takes the device's lock while it records.

    Parameters
    ----------
    queue : Queue
        Where copies are recorded.
    create_buffer : callable
        Makes a buffer of a size and a kind.
    """

    def __init__(self, queue: Queue, create_buffer: Callable[[int, MemoryKind], Buffer]) -> None:
        self._queue = queue
        self._create_buffer = create_buffer
        self._staging = Staging(create_buffer, self.copy, queue.wait)

    def upload(self, buffer: Buffer, array: np.ndarray, offset_bytes: int = 0) -> None:
        """Copy an array of any layout into a buffer, C-contiguous; the array may change afterwards."""
        _require_room(buffer, array, offset_bytes)
        if array.size == 0:
            return
        if buffer.is_mapped:
            self.wait_for(buffer)
            copy_host(buffer.view(array.shape, array.dtype, offset_bytes), array)
            return
        pinned = pinned_place(array, self._queue.device)
        if pinned is not None:
            self._queue.wait(self.copy(*pinned, buffer, offset_bytes, array.nbytes))
            return
        users = buffer.block.record[BUFFER_SERIAL]
        self._staging.upload(_bytes_of(np.ascontiguousarray(array)), buffer, offset_bytes)
        self._wait_for_users(users)

    def download(self, buffer: Buffer, out: np.ndarray, offset_bytes: int = 0) -> None:
        """Copy C-contiguous elements of a buffer into an array of any layout."""
        _require_room(buffer, out, offset_bytes)
        if out.size == 0:
            return
        if buffer.is_mapped:
            self.wait_for(buffer)
            copy_host(out, buffer.view(out.shape, out.dtype, offset_bytes))
            return
        pinned = pinned_place(out, self._queue.device)
        if pinned is not None:
            self._queue.wait(self.copy(buffer, offset_bytes, *pinned, out.nbytes))
            return
        target = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        self._staging.download(buffer, offset_bytes, _bytes_of(target))
        if target is not out:
            np.copyto(out, target)

    def copy(
        self, source: Buffer, source_offset: int, target: Buffer, target_offset: int, size_bytes: int
    ) -> int:
        """Start a copy on the device and return the number of its batch."""
        queue = self._queue
        with queue.device.lock:
            self.record(source, source_offset, target, target_offset, size_bytes)
            serial = queue.last_serial
            queue.submit()
        return serial

    def record(
        self, source: Buffer, source_offset: int, target: Buffer, target_offset: int, size_bytes: int
    ) -> None:
        """Record a copy; called with the lock held."""
        region = vk.VkBufferCopy(srcOffset=source_offset, dstOffset=target_offset, size=size_bytes)
        queue = self._queue
        reads, writes = (source.block.record,), (target.block.record,)
        if source.block is target.block:
            reads = ()
        handle = queue.use(reads, writes, (source.block.streams, target.block.streams))
        queue.device.functions.vkCmdCopyBuffer(handle, source.handle, target.handle, 1, ctypes.byref(region))

    def record_whole(self, copies: Sequence[tuple[Buffer, Buffer, int]]) -> None:
        """Record copies of source, target and size, without submitting them; called with the lock held."""
        for source, target, size_bytes in copies:
            self.record(source, 0, target, 0, size_bytes)

    def copy_regions(self, source: Buffer, target: Buffer, regions: np.ndarray) -> int:
        """Start copies of rows of source offset, target offset and size, which do not overlap."""
        queue = self._queue
        reads = () if source.block is target.block else (source.block.record,)
        with queue.device.lock:
            handle = queue.use(reads, (target.block.record,), (source.block.streams, target.block.streams))
            record_regions(queue.device, handle, source, target, regions)
            serial = queue.last_serial
            queue.submit()
        return serial

    def fill(self, buffer: Buffer, offset_bytes: int, size_bytes: int, pattern: bytes) -> bool:
        """Start to repeat a pattern in a buffer; returns False, and does nothing, if Vulkan cannot."""
        while len(pattern) > 4 and pattern[: len(pattern) // 2] * 2 == pattern:
            pattern = pattern[: len(pattern) // 2]
        if offset_bytes % 4 or size_bytes % 4 or 4 % len(pattern):
            return False
        if not size_bytes:
            return True
        word = int.from_bytes(pattern * (4 // len(pattern)), sys.byteorder)
        queue = self._queue
        with queue.device.lock:
            handle = queue.use((), (buffer.block.record,), (buffer.block.streams,))
            queue.device.functions.vkCmdFillBuffer(handle, buffer.handle, offset_bytes, size_bytes, word)
            queue.count()
        return True

    def copy_elements(self, shape: Extents, itemsize: int, source: Elements, target: Elements) -> None:
        """Start to copy elements on the device; source and target may overlap."""
        (source_buffer, source_offset, source_strides), (target_buffer, target_offset, target_strides) = (
            source,
            target,
        )
        places = (source_offset * itemsize, source_strides), (target_offset * itemsize, target_strides)
        regions = regions_of(shape, itemsize, *places)
        if not regions.size:
            return
        if source_buffer.block is not target_buffer.block:
            self.copy_regions(source_buffer, target_buffer, regions)
            return
        # Regions of one command must not overlap: by way of a buffer of their own.
        size = int(regions[0, 2])
        between = self._create_buffer(size * len(regions), MemoryKind.DEVICE)
        packed = np.arange(len(regions), dtype=np.int64) * size
        self.copy_regions(source_buffer, between, np.stack([regions[:, 0], packed, regions[:, 2]], axis=1))
        self.copy_regions(between, target_buffer, np.stack([packed, regions[:, 1], regions[:, 2]], axis=1))

    def upload_elements(self, target: Elements, array: np.ndarray) -> None:
        """Copy an array to elements that may have gaps between them."""
        buffer, offset, strides = target
        if buffer.is_mapped:
            self.wait_for(buffer)
            np.copyto(mapped(buffer, offset, strides, array), array)
            return
        users = buffer.block.record[BUFFER_SERIAL]
        between = self._create_buffer(array.nbytes, MemoryKind.DEVICE)
        self.upload(between, array)
        packed = contiguous_strides(array.shape)
        self.copy_elements(array.shape, array.itemsize, (between, 0, packed), target)
        self._wait_for_users(users)

    def download_elements(self, source: Elements, out: np.ndarray) -> None:
        """Copy elements that may have gaps between them to an array."""
        buffer, offset, strides = source
        if buffer.is_mapped:
            self.wait_for(buffer)
            np.copyto(out, mapped(buffer, offset, strides, out))
            return
        between = self._create_buffer(out.nbytes, MemoryKind.DEVICE)
        packed = contiguous_strides(out.shape)
        self.copy_elements(out.shape, out.itemsize, source, (between, 0, packed))
        self.download(between, out)

    def _wait_for_users(self, serial: int) -> None:
        """Wait for what used a buffer before a copy to it: the copy raises what that reports, staged or not."""
        self._queue.wait(serial)

    def wait_for(self, buffer: Buffer) -> None:
        """Wait until no work uses a buffer any more."""
        block = buffer.block
        self._queue.wait(block.record[BUFFER_SERIAL])
        leave_streams((block.streams,))


def regions_of(
    shape: Extents, itemsize: int, source: tuple[int, Extents], target: tuple[int, Extents]
) -> np.ndarray:
    """Return rows of source offset, target offset and size in bytes, one for each run that is contiguous in both.

    Source and target are given by the offset of their first element in bytes, and their steps in elements.
    """
    length, first, second = common_runs(shape, source[1], target[1])
    if not length:
        return np.empty((0, 3), np.uint64)
    regions = np.empty((first.size, 3), np.uint64)
    regions[:, 0] = first * itemsize + source[0]
    regions[:, 1] = second * itemsize + target[0]
    regions[:, 2] = length * itemsize
    return regions


def record_regions(
    device: LogicalDevice, commands: int, source: Buffer, target: Buffer, regions: np.ndarray
) -> None:
    """Record the copies of regions, which do not overlap, into a command buffer."""
    for start in range(0, len(regions), _REGIONS_OF_COMMAND):
        part = np.ascontiguousarray(regions[start : start + _REGIONS_OF_COMMAND], np.uint64)
        device.functions.vkCmdCopyBuffer(commands, source.handle, target.handle, len(part), part.ctypes.data)


def mapped(buffer: Buffer, offset: int, strides: Extents, like: np.ndarray | Any) -> np.ndarray:
    """Return elements of a mapped buffer as an array of the shape and type of another, to be dropped before it is."""
    memory = buffer.view((buffer.size_bytes,), np.dtype(np.uint8))
    steps = tuple(stride * like.itemsize for stride in strides)
    return np.ndarray(like.shape, like.dtype, memory.data, offset * like.itemsize, steps)


def _require_room(buffer: Buffer, array: np.ndarray, offset_bytes: int) -> None:
    if offset_bytes < 0 or offset_bytes + array.nbytes > buffer.size_bytes:
        raise ValueError(
            f"{array.nbytes} bytes at offset {offset_bytes} do not fit a buffer of {buffer.size_bytes} bytes"
        )


def _bytes_of(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1).view(np.uint8)
