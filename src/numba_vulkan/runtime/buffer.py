"""A VkBuffer with memory of its own."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import numpy as np

from .binding import vk
from .logical_device import LogicalDevice
from .memory import MemoryKind, allocate

__all__ = ["ALIGNMENT_BYTES", "Buffer"]

# Sizes are rounded up to this, so that kernels may access the last elements as whole words, and none is empty.
ALIGNMENT_BYTES = 16
_USAGE = (
    vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
    | vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT
    | vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
)
_ids = itertools.count(1)


class Buffer:
    """Bytes that a device reaches; released with the last reference.

    Parameters
    ----------
    device : LogicalDevice
        The device.
    size_bytes : int
        Bytes that it must hold.
    kind : MemoryKind, optional
        Where it lies.

    Attributes
    ----------
    id : int
        A number that no other buffer of the process ever has.
    handle : int
        The VkBuffer.
    size_bytes : int
        Size, rounded up to `ALIGNMENT_BYTES`.
    address : int
        Where the buffer is mapped into the process; 0 if it is not.
    """

    __slots__ = ("__weakref__", "address", "device", "handle", "id", "size_bytes")

    def __init__(self, device: LogicalDevice, size_bytes: int, kind: MemoryKind = MemoryKind.DEVICE) -> None:
        device.require_usable()
        if size_bytes < 0:
            raise ValueError(f"a buffer cannot have {size_bytes} bytes")
        size_bytes = max(ALIGNMENT_BYTES, -(-size_bytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES)
        if size_bytes > device.info.max_buffer_bytes:
            raise MemoryError(
                f"{device.info.name!r} can allocate {device.info.max_buffer_bytes} bytes at once, not {size_bytes}"
            )
        self.id = next(_ids)
        self.device = device
        self.size_bytes = size_bytes
        info = vk.VkBufferCreateInfo(size=size_bytes, usage=_USAGE, sharingMode=vk.VK_SHARING_MODE_EXCLUSIVE)
        self.handle = device.create("vkCreateBuffer", info)
        try:
            memory = self._bind_memory(kind)
        except BaseException:
            device.functions.vkDestroyBuffer(device.handle, self.handle, None)
            raise
        device.release_with(self, ("vkDestroyBuffer", self.handle), ("vkFreeMemory", memory))

    def _bind_memory(self, kind: MemoryKind) -> int:
        device, functions = self.device, self.device.functions
        needs = vk.VkMemoryRequirements()
        functions.vkGetBufferMemoryRequirements(device.handle, self.handle, ctypes.byref(needs))
        memory = allocate(device, needs.size, needs.memoryTypeBits, kind)
        try:
            functions.vkBindBufferMemory(device.handle, self.handle, memory.handle, 0)
        except BaseException:
            functions.vkFreeMemory(device.handle, memory.handle, None)
            raise
        self.address = memory.address
        return memory.handle

    @property
    def is_mapped(self) -> bool:
        """Whether the host reaches the buffer directly."""
        return self.address != 0

    def view(self, shape: tuple[int, ...], dtype: np.dtype, offset_bytes: int = 0) -> np.ndarray:
        """Return the buffer's mapped memory as a C-contiguous array, to be dropped before the buffer is."""
        size_bytes = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        memory: Any = (ctypes.c_char * size_bytes).from_address(self.address + offset_bytes)
        return np.ndarray(shape, dtype, buffer=memory)
