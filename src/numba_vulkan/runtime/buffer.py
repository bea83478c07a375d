"""A stretch of device memory that kernels reach, and the pool that keeps released ones for reuse."""

from __future__ import annotations

import ctypes
import itertools
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import settings
from .binding import vk
from .context import BUFFER_SERIAL, COMPLETED, Words, new_buffer_record
from .logical_device import LogicalDevice
from .memory import MemoryKind, budget, heap_bytes
from .slabs import Piece, Slabs
from .timeline import Timeline

__all__ = ["ALIGNMENT_BYTES", "Block", "Buffer", "Pool", "size_class"]

# Sizes are rounded up to this, so that kernels may access the last elements as whole words, and none is empty.
ALIGNMENT_BYTES = 16
_USAGE = (
    vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
    | vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT
    | vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
)
_SMALLEST_CLASS = 256
_LARGE = 64 << 20
_ids = itertools.count(1)


def size_class(size_bytes: int) -> int:
    """Return the bytes that a block for so many has: four sizes per doubling, so that blocks fit other arrays too."""
    if size_bytes <= _SMALLEST_CLASS:
        return _SMALLEST_CLASS
    step = 1 << 20 if size_bytes > _LARGE else 1 << (size_bytes - 1).bit_length() - 3
    return -(-size_bytes // step) * step


@dataclass(eq=False, slots=True)
class Block:
    """A VkBuffer with its memory, which serves one `Buffer` after another.

    Attributes
    ----------
    id : int
        A number that no other block of the process ever has.
    handle : int
        The VkBuffer.
    memory : Piece
        The memory that it is bound to.
    size_bytes : int
        Size, at least that of the buffer it serves.
    kind : MemoryKind
        Where it lies.
    device_address : int
        Where kernels find it; 0 if the device has no addresses.
    record : array of int64
        When it was last used; see `context`.
    streams : list
        The timelines of streams that use it, each with the number to wait for.
    keys : dict
        By type and layout of the arrays in it: the numbers under which launch plans know them.
    """

    handle: int
    memory: Piece
    size_bytes: int
    kind: MemoryKind
    device_address: int
    id: int = field(default_factory=lambda: next(_ids))
    record: Words = field(default_factory=new_buffer_record)
    streams: list[tuple[Timeline, int]] = field(default_factory=list[tuple[Timeline, int]])
    keys: dict[Any, int] = field(default_factory=dict[Any, int])


def _at_least_none(size_bytes: int) -> int:
    if not hasattr(size_bytes, "__index__"):
        raise TypeError(f"a number of bytes must be an integer, not {size_bytes!r}")
    if size_bytes < 0:
        raise ValueError(f"a number of bytes cannot be negative, as {size_bytes} is")
    return size_bytes


class Pool:
    """Released blocks of a device, kept for reuse up to a limit.

    Parameters
    ----------
    device : LogicalDevice
        The device.
    settle : callable
        Waits for all work of the device.

    Attributes
    ----------
    limit_bytes : int
        How much is kept at most.
    pooled_bytes : int
        How much is kept.
    used_bytes : int
        How much the blocks of living buffers have.
    largest_bytes : dict
        By kind of memory: how much a buffer can have.
    """

    def __init__(self, device: LogicalDevice, settle: Callable[[], None]) -> None:
        self._device = device
        self._settle = settle
        self.limit_bytes = settings.pool_mb.value() << 20
        self.pooled_bytes = 0
        self.used_bytes = 0
        # NVIDIA 580: the largest buffer is said to be larger than the memory.
        self.largest_bytes = {
            kind: min(device.info.max_buffer_bytes, heap_bytes(device, kind)) for kind in MemoryKind
        }
        self._free: dict[tuple[int, MemoryKind], list[Block]] = {}
        # Finalizers run anywhere, also while the lock is held: they only append here.
        self._released: deque[Block] = deque()
        self._slabs = Slabs(device)
        weakref.finalize(self, _destroy_all, device, self._free, self._released, self._slabs)

    def take(self, size_bytes: int, kind: MemoryKind) -> Block:
        """Return a block of at least so many bytes.

        Raises
        ------
        MemoryError
            If there is not enough memory, also after everything pooled was given back to the system.
        """
        device = self._device
        size = min(size_class(size_bytes), max(size_bytes, device.info.max_storage_buffer_range))
        with device.lock:
            self._sort_released()
            found = self._find(size, kind)
            if found is None:
                found = self._create(size, kind)
            self.used_bytes += found.size_bytes
            return found

    def _find(self, size: int, kind: MemoryKind) -> Block | None:
        blocks = self._free.get((size, kind))
        completed = self._device.context[COMPLETED]
        for i in range(len(blocks or ()) - 1, -1, -1):
            assert blocks is not None
            # Blocks still in use are left alone: writing to them from the host would have to wait.
            streams = blocks[i].streams
            if blocks[i].record[BUFFER_SERIAL] <= completed and all(t.has_reached(v) for t, v in streams):
                streams.clear()
                self.pooled_bytes -= blocks[i].size_bytes
                return blocks.pop(i)
        return None

    def _create(self, size: int, kind: MemoryKind) -> Block:
        try:
            return _create(self._device, self._slabs, size, kind)
        except MemoryError as error:
            pooled = self.pooled_bytes
            if not pooled:
                raise MemoryError(self._shortage(error, 0)) from None
            first = error
        self._settle()
        self._trim(0)
        try:
            return _create(self._device, self._slabs, size, kind)
        except MemoryError:
            raise MemoryError(self._shortage(first, pooled)) from None

    def _shortage(self, error: MemoryError, pooled: int) -> str:
        free = budget(self._device)[1]
        known = "" if free is None else f", {free} bytes are free"
        return (
            f"{error}; {self.used_bytes} bytes are in use{known}, {pooled} were pooled and have been released"
        )

    def give_back(self, block: Block) -> None:
        """Take a block whose buffer is no more; called by finalizers."""
        self._released.append(block)
        if self._device.functions.usable and self._device.lock.try_enter():
            try:
                self._sort_released()
            finally:
                self._device.lock.leave()

    def _sort_released(self) -> None:
        while self._released:
            block = self._released.popleft()
            self.used_bytes -= block.size_bytes
            self.pooled_bytes += block.size_bytes
            self._free.setdefault((block.size_bytes, block.kind), []).append(block)
        if self.pooled_bytes > self.limit_bytes:
            self._trim(self.limit_bytes)

    def set_limit(self, limit_bytes: int) -> None:
        """Say how much is kept at most from now on."""
        self.limit_bytes = _at_least_none(limit_bytes)

    def trim(self, limit_bytes: int) -> None:
        """Destroy pooled blocks until at most so many bytes stay, the largest first; those in use go later."""
        limit_bytes = _at_least_none(limit_bytes)
        with self._device.lock:
            self._sort_released()
            self._trim(limit_bytes)

    def _trim(self, limit_bytes: int) -> None:
        device = self._device
        for key in sorted(self._free, key=lambda key: -key[0]):
            blocks = self._free[key]
            while blocks and self.pooled_bytes > limit_bytes:
                block = blocks[0]
                # May fail: the block stays until then.
                for timeline, value in block.streams:
                    timeline.wait(value)
                del blocks[0]
                self.pooled_bytes -= block.size_bytes
                _destroy(device, self._slabs, block)
            if not blocks:
                del self._free[key]
        device.destroy_retired()


def _create(device: LogicalDevice, slabs: Slabs, size_bytes: int, kind: MemoryKind) -> Block:
    functions = device.functions
    usage = _USAGE | vk.VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT * device.info.buffer_addresses
    info = vk.VkBufferCreateInfo(size=size_bytes, usage=usage, sharingMode=vk.VK_SHARING_MODE_EXCLUSIVE)
    if len(device.families) > 1:
        info.sharingMode = vk.VK_SHARING_MODE_CONCURRENT
        info.queueFamilyIndexCount = len(device.families)
        info.pQueueFamilyIndices = ctypes.addressof(device.family_indices)
    try:
        handle = device.create("vkCreateBuffer", info)
    except MemoryError as error:
        raise MemoryError(
            f"{size_bytes} bytes could not be allocated on {device.info.name!r}: {error}"
        ) from None
    memory: Piece | None = None
    try:
        needs = vk.VkMemoryRequirements()
        functions.vkGetBufferMemoryRequirements(device.handle, handle, ctypes.byref(needs))
        memory = slabs.take(needs.size, needs.alignment, needs.memoryTypeBits, kind)
        functions.vkBindBufferMemory(device.handle, handle, memory.handle, memory.offset)
        place = 0
        if device.info.buffer_addresses:
            where = vk.VkBufferDeviceAddressInfo(buffer=handle)
            place = functions.vkGetBufferDeviceAddress(device.handle, ctypes.byref(where))
    except BaseException:
        functions.vkDestroyBuffer(device.handle, handle, None)
        if memory is not None:
            slabs.give_back(memory, 0)
            device.destroy_retired()
        raise
    return Block(handle, memory, size_bytes, kind, place)


def _destroy(device: LogicalDevice, slabs: Slabs, block: Block) -> None:
    """Destroy a block after the last batch that uses it."""
    serial = block.record[BUFFER_SERIAL]
    device.retired.append((serial, "vkDestroyBuffer", block.handle))
    slabs.give_back(block.memory, serial)


def _destroy_all(
    device: LogicalDevice,
    free: dict[tuple[int, MemoryKind], list[Block]],
    released: deque[Block],
    slabs: Slabs,
) -> None:
    """Destroy what a pool holds when its device is closed; what is in use goes after the work."""
    if not device.functions.usable:
        return
    last = 0
    for block in [*itertools.chain(*free.values()), *released]:
        last = max(last, block.record[BUFFER_SERIAL])
        _destroy(device, slabs, block)
    device.retired.extend((last, "vkFreeMemory", handle) for handle in slabs.handles)


class Buffer:
    """Bytes that a device reaches; they go back to the pool with the last reference.

    Parameters
    ----------
    pool : Pool
        Where the memory comes from.
    device : LogicalDevice
        The device.
    size_bytes : int
        Bytes that it must hold.
    kind : MemoryKind, optional
        Where it lies.

    Attributes
    ----------
    block : Block
        The memory.
    handle : int
        The VkBuffer.
    size_bytes : int
        Size, rounded up to `ALIGNMENT_BYTES`.
    address : int
        Where the buffer is mapped into the process; 0 if it is not.
    """

    __slots__ = ("__weakref__", "address", "block", "device", "handle", "size_bytes")

    def __init__(
        self, pool: Pool, device: LogicalDevice, size_bytes: int, kind: MemoryKind = MemoryKind.DEVICE
    ) -> None:
        device.require_usable()
        if size_bytes < 0:
            raise ValueError(f"a buffer cannot have {size_bytes} bytes")
        size_bytes = max(ALIGNMENT_BYTES, -(-size_bytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES)
        largest = pool.largest_bytes[kind]
        if size_bytes > largest:
            raise MemoryError(
                f"{device.info.name!r} can allocate {largest} bytes of memory at once, not {size_bytes}"
            )
        self.device = device
        self.size_bytes = size_bytes
        self.block = pool.take(size_bytes, kind)
        self.handle = self.block.handle
        self.address = self.block.memory.address
        weakref.finalize(self, pool.give_back, self.block)

    @property
    def id(self) -> int:
        """The number of the memory; two buffers that exist at one time never have the same."""
        return self.block.id

    @property
    def is_mapped(self) -> bool:
        """Whether the host reaches the buffer directly."""
        return self.address != 0

    def view(self, shape: tuple[int, ...], dtype: np.dtype, offset_bytes: int = 0) -> np.ndarray:
        """Return the buffer's mapped memory as a C-contiguous array, to be dropped before the buffer is."""
        size_bytes = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        memory: Any = (ctypes.c_char * size_bytes).from_address(self.address + offset_bytes)
        return np.ndarray(shape, dtype, buffer=memory)
