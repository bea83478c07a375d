"""Copies between NumPy arrays and buffers, through mapped memory or staging buffers."""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable

import numpy as np

from .binding import vk
from .buffer import Buffer
from .context import BUFFER_SERIAL
from .memory import MemoryKind
from .queue import Queue, leave_streams

__all__ = ["Transfer", "copy_region"]

STAGING_BYTES = 8 << 20
# Staging buffers of one copy that are in use at a time: the host fills one while the device empties another.
_STAGING_BUFFERS = 3


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

    def upload(self, buffer: Buffer, array: np.ndarray, offset_bytes: int = 0) -> None:
        """Copy an array of any layout into a buffer, C-contiguous; the array may change afterwards."""
        _require_room(buffer, array, offset_bytes)
        if array.size == 0:
            return
        if buffer.is_mapped:
            self.wait_for(buffer)
            np.copyto(buffer.view(array.shape, array.dtype, offset_bytes), array)
            return
        data = _bytes_of(np.ascontiguousarray(array))
        under_way: deque[int] = deque()
        for start in range(0, data.size, STAGING_BYTES):
            if len(under_way) == _STAGING_BUFFERS:
                self._queue.wait(under_way.popleft())
            piece = data[start : start + STAGING_BYTES]
            staging = self._create_buffer(piece.size, MemoryKind.HOST)
            np.copyto(staging.view(piece.shape, piece.dtype), piece)
            under_way.append(self.copy(staging, 0, buffer, offset_bytes + start, piece.size))

    def download(self, buffer: Buffer, out: np.ndarray, offset_bytes: int = 0) -> None:
        """Copy C-contiguous elements of a buffer into an array of any layout."""
        _require_room(buffer, out, offset_bytes)
        if out.size == 0:
            return
        if buffer.is_mapped:
            self.wait_for(buffer)
            np.copyto(out, buffer.view(out.shape, out.dtype, offset_bytes))
            return
        target = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        data = _bytes_of(target)
        under_way: deque[tuple[int, Buffer, np.ndarray]] = deque()
        for start in range(0, data.size, STAGING_BYTES):
            piece = data[start : start + STAGING_BYTES]
            staging = self._create_buffer(piece.size, MemoryKind.HOST)
            serial = self.copy(buffer, offset_bytes + start, staging, 0, piece.size)
            under_way.append((serial, staging, piece))
            if len(under_way) == _STAGING_BUFFERS:
                self._fetch(*under_way.popleft())
        for each in under_way:
            self._fetch(*each)
        if target is not out:
            np.copyto(out, target)

    def _fetch(self, serial: int, staging: Buffer, piece: np.ndarray) -> None:
        self._queue.wait(serial)
        np.copyto(piece, staging.view(piece.shape, piece.dtype))

    def copy(
        self, source: Buffer, source_offset: int, target: Buffer, target_offset: int, size_bytes: int
    ) -> int:
        """Start a copy on the device and return the number of its batch."""
        region = copy_region(source_offset, target_offset, size_bytes)
        queue = self._queue
        reads, writes = (source.block.record,), (target.block.record,)
        if source.block is target.block:
            reads = ()
        with queue.device.lock:
            handle = queue.use(reads, writes, (source.block.streams, target.block.streams))
            queue.device.functions.vkCmdCopyBuffer(
                handle, source.handle, target.handle, 1, ctypes.byref(region)
            )
            serial = queue.last_serial
            queue.submit()
        return serial

    def wait_for(self, buffer: Buffer) -> None:
        """Wait until no work uses a buffer any more."""
        block = buffer.block
        self._queue.wait(block.record[BUFFER_SERIAL])
        leave_streams((block.streams,))


def copy_region(source_offset: int, target_offset: int, size_bytes: int) -> vk.VkBufferCopy:
    """Return a VkBufferCopy."""
    return vk.VkBufferCopy(srcOffset=source_offset, dstOffset=target_offset, size=size_bytes)


def _require_room(buffer: Buffer, array: np.ndarray, offset_bytes: int) -> None:
    if offset_bytes < 0 or offset_bytes + array.nbytes > buffer.size_bytes:
        raise ValueError(
            f"{array.nbytes} bytes at offset {offset_bytes} do not fit a buffer of {buffer.size_bytes} bytes"
        )


def _bytes_of(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1).view(np.uint8)
