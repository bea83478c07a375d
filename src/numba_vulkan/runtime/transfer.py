"""Copies between NumPy arrays and buffers, through mapped memory or a staging buffer."""

from __future__ import annotations

import ctypes

import numpy as np

from .binding import vk
from .buffer import Buffer
from .commands import Commands
from .memory import MemoryKind

__all__ = ["Transfer"]

STAGING_BYTES = 8 << 20


class Transfer:
    """Copies of one device; all methods are called with the device's lock held.

    Parameters
    ----------
    commands : Commands
        Where copies are recorded.
    """

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._staging: Buffer | None = None

    def upload(self, buffer: Buffer, array: np.ndarray, offset_bytes: int = 0) -> None:
        """Copy an array of any layout into a buffer, C-contiguous."""
        _require_room(buffer, array, offset_bytes)
        if array.size == 0:
            return
        self._commands.wait()
        if buffer.is_mapped:
            np.copyto(buffer.view(array.shape, array.dtype, offset_bytes), array)
            return
        data = _bytes_of(np.ascontiguousarray(array))
        for start in range(0, data.size, STAGING_BYTES):
            piece = data[start : start + STAGING_BYTES]
            staging = self._staging_buffer(piece.size)
            np.copyto(staging.view(piece.shape, piece.dtype), piece)
            self._copy(staging, 0, buffer, offset_bytes + start, piece.size)

    def download(self, buffer: Buffer, out: np.ndarray, offset_bytes: int = 0) -> None:
        """Copy C-contiguous elements of a buffer into an array of any layout."""
        _require_room(buffer, out, offset_bytes)
        if out.size == 0:
            return
        self._commands.wait()
        if buffer.is_mapped:
            np.copyto(out, buffer.view(out.shape, out.dtype, offset_bytes))
            return
        target = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        data = _bytes_of(target)
        for start in range(0, data.size, STAGING_BYTES):
            piece = data[start : start + STAGING_BYTES]
            staging = self._staging_buffer(piece.size)
            self._copy(buffer, offset_bytes + start, staging, 0, piece.size)
            np.copyto(piece, staging.view(piece.shape, piece.dtype))
        if target is not out:
            np.copyto(out, target)

    def copy(self, source: Buffer, target: Buffer, size_bytes: int) -> None:
        """Copy the first bytes of a buffer to another on the device."""
        self._copy(source, 0, target, 0, size_bytes)

    def _staging_buffer(self, size_bytes: int) -> Buffer:
        if self._staging is None or self._staging.size_bytes < size_bytes:
            self._staging = Buffer(self._commands.device, size_bytes, MemoryKind.HOST)
        return self._staging

    def _copy(
        self, source: Buffer, source_offset: int, target: Buffer, target_offset: int, size: int
    ) -> None:
        region = vk.VkBufferCopy(srcOffset=source_offset, dstOffset=target_offset, size=size)
        commands = self._commands
        handle = commands.begin()
        commands.device.functions.vkCmdCopyBuffer(
            handle, source.handle, target.handle, 1, ctypes.byref(region)
        )
        commands.submit(source, target)
        commands.wait()


def _require_room(buffer: Buffer, array: np.ndarray, offset_bytes: int) -> None:
    if offset_bytes < 0 or offset_bytes + array.nbytes > buffer.size_bytes:
        raise ValueError(
            f"{array.nbytes} bytes at offset {offset_bytes} do not fit a buffer of {buffer.size_bytes} bytes"
        )


def _bytes_of(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1).view(np.uint8)
