"""Host arrays in memory that a device copies to and from directly."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from .buffer import Buffer
from .logical_device import LogicalDevice

__all__ = ["array_in", "pinned_place"]


class _PinnedMemory:
    """The memory of a buffer; arrays in it keep it, and it keeps the buffer."""

    def __init__(self, buffer: Buffer, size_bytes: int) -> None:
        self.buffer = buffer
        self.__array_interface__ = {
            "version": 3,
            "shape": (size_bytes,),
            "typestr": "|u1",
            "data": (buffer.address, False),
        }


def array_in(buffer: Buffer, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return a C-contiguous array in a mapped buffer, which lives as long as the array and its views."""
    size_bytes = dtype.itemsize * math.prod(shape)
    return np.asarray(_PinnedMemory(buffer, size_bytes)).view(dtype).reshape(shape)


def pinned_place(array: np.ndarray, device: LogicalDevice) -> tuple[Buffer, int] | None:
    """Return the buffer of a device that an array lies in and where.

    None for ordinary memory, for that of other devices, and for arrays that are not C-contiguous.
    """
    if not array.flags.c_contiguous:
        return None
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if not isinstance(base, _PinnedMemory) or base.buffer.device is not device:
        return None
    address = array.ctypes.data_as(ctypes.c_void_p).value or 0
    return base.buffer, address - base.buffer.address
