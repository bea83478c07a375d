"""Small pieces of memory, cut from larger allocations: devices allow some thousand, and programs make more arrays."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from .context import COMPLETED
from .logical_device import LogicalDevice
from .memory import Allocation, MemoryKind, allocate

__all__ = ["LARGEST_PIECE", "Piece", "Slabs"]

# What is larger has an allocation of its own.
LARGEST_PIECE = 1 << 20
_LARGEST_SLAB = 4 << 20
_Key = tuple[int, int, MemoryKind]


@dataclass(eq=False, slots=True)
class _Slab:
    """An allocation that is cut into pieces of one size; ``live`` counts those that are in use."""

    key: _Key
    allocation: Allocation
    free: list[int]
    live: int = 0


@dataclass(frozen=True)
class Piece:
    """A stretch of device memory.

    Attributes
    ----------
    handle, offset : int
        The VkDeviceMemory, and where in it the piece begins.
    address : int
        Where it is mapped into the process; 0 if it is not.
    slab : object
        What it was cut from; None if the memory is its own.
    """

    handle: int
    offset: int
    address: int
    slab: _Slab | None = None


@dataclass(eq=False)
class _Class:
    """The pieces of one size and kind."""

    slabs: int = 0
    with_room: list[_Slab] = field(default_factory=list[_Slab])
    # Pieces of destroyed buffers: the last batch that uses each, its slab and its offset.
    leaving: deque[tuple[int, _Slab, int]] = field(default_factory=deque[tuple[int, _Slab, int]])


class Slabs:
    """The memory of a device's buffers; called with the device's lock held.

    Parameters
    ----------
    device : LogicalDevice
        The device.

    Attributes
    ----------
    handles : set of int
        The allocations that are cut into pieces.
    """

    def __init__(self, device: LogicalDevice) -> None:
        self._device = device
        self._classes: dict[_Key, _Class] = {}
        self.handles: set[int] = set()

    def take(self, size_bytes: int, alignment: int, allowed: int, kind: MemoryKind) -> Piece:
        """Return memory of at least so many bytes.

        Parameters
        ----------
        size_bytes, alignment : int
            Bytes, and what the offset must be a multiple of.
        allowed : int
            A bit per memory type: whether it may be used.
        kind : MemoryKind
            What the memory is for.

        Raises
        ------
        MemoryError
            If there is not enough.
        """
        size = -(-size_bytes // alignment) * alignment
        if size > LARGEST_PIECE:
            own = allocate(self._device, size_bytes, allowed, kind)
            return Piece(own.handle, 0, own.address)
        key = size, allowed, kind
        found = self._classes.setdefault(key, _Class())
        self._free_left(found)
        slab = found.with_room[-1] if found.with_room else self._add(found, key)
        offset = slab.free.pop()
        slab.live += 1
        if not slab.free:
            found.with_room.pop()
        address = slab.allocation.address
        return Piece(slab.allocation.handle, offset, address and address + offset, slab)

    def _add(self, found: _Class, key: _Key) -> _Slab:
        """Allocate a slab: of one piece at first, of twice as many each time."""
        size, allowed, kind = key
        count = min(1 << found.slabs, _LARGEST_SLAB // size)
        allocation = allocate(self._device, count * size, allowed, kind)
        slab = _Slab(key, allocation, [size * k for k in reversed(range(count))])
        self.handles.add(allocation.handle)
        found.slabs += 1
        found.with_room.append(slab)
        return slab

    def give_back(self, piece: Piece, serial: int) -> None:
        """Take back memory that no batch after a number uses; its buffer was retired with that number before."""
        slab = piece.slab
        if slab is None:
            self._device.retired.append((serial, "vkFreeMemory", piece.handle))
            return
        found = self._classes[slab.key]
        found.leaving.append((serial, slab, piece.offset))
        self._free_left(found)

    def _free_left(self, found: _Class) -> None:
        """Let pieces that no batch uses any more be taken again, and give slabs without live ones back."""
        completed = self._device.context[COMPLETED]
        for _ in range(len(found.leaving)):
            serial, slab, offset = found.leaving.popleft()
            if serial > completed:
                found.leaving.append((serial, slab, offset))
                continue
            if not slab.free:
                found.with_room.append(slab)
            slab.free.append(offset)
            slab.live -= 1
            if not slab.live:
                found.with_room.remove(slab)
                found.slabs -= 1
                self.handles.discard(slab.allocation.handle)
                self._device.retired.append((serial, "vkFreeMemory", slab.allocation.handle))
