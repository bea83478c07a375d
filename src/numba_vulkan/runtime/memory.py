"""Choosing and allocating device memory."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from enum import Enum

from .binding import vk
from .logical_device import LogicalDevice

__all__ = ["Allocation", "MemoryInfo", "MemoryKind", "allocate", "budget", "choose_type", "heap_bytes"]

_LOCAL = vk.VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
_VISIBLE = vk.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
# Vulkan guarantees one coherent type; without it each copy would need a flush.
_MAPPED = _VISIBLE | vk.VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
_CACHED = vk.VK_MEMORY_PROPERTY_HOST_CACHED_BIT


class MemoryKind(Enum):
    """Where memory lies, as preferences in falling order: flags that a type must have, and must not have.

    DEVICE is where kernels are fast, mapped only if the host reads it through its cache: reading uncached memory is
    slower than a copy by the device. HOST is memory that the host and kernels share.
    """

    DEVICE = ((_LOCAL | _MAPPED | _CACHED, 0), (_LOCAL, _VISIBLE), (_LOCAL, 0), (0, 0))
    HOST = ((_MAPPED | _CACHED, _LOCAL), (_MAPPED | _CACHED, 0), (_MAPPED, _LOCAL), (_MAPPED, 0))


@dataclass(frozen=True)
class Allocation:
    """Device memory: its handle, and where it is mapped into the process (0 if it is not)."""

    handle: int
    address: int


@dataclass(frozen=True)
class MemoryInfo:
    """The memory of a device in bytes.

    Attributes
    ----------
    total_bytes : int
        What it has.
    free_bytes : int or None
        What this process may still allocate as the driver reckons (VK_EXT_memory_budget); None if it does not say.
    used_bytes : int
        What arrays and other buffers of this process have.
    pooled_bytes : int
        What is kept of released ones.
    """

    total_bytes: int
    free_bytes: int | None
    used_bytes: int
    pooled_bytes: int


def budget(device: LogicalDevice) -> tuple[int, int | None]:
    """Return the bytes of the heap in which arrays lie, and how many of them are free if the driver says so."""
    heap = device.memory_types[choose_type(device.memory_types, ~0, MemoryKind.DEVICE)][1]
    if "VK_EXT_memory_budget" not in device.info.extensions:
        return device.heap_bytes[heap], None
    assert device.info.instance is not None
    found = vk.VkPhysicalDeviceMemoryBudgetPropertiesEXT()
    query = vk.VkPhysicalDeviceMemoryProperties2(pNext=found)
    device.info.instance.functions.vkGetPhysicalDeviceMemoryProperties2(
        device.info.handle, ctypes.byref(query)
    )
    return device.heap_bytes[heap], max(found.heapBudget[heap] - found.heapUsage[heap], 0)


def heap_bytes(device: LogicalDevice, kind: MemoryKind) -> int:
    """Return the size of the heap in which memory of a kind lies."""
    return device.heap_bytes[device.memory_types[choose_type(device.memory_types, ~0, kind)][1]]


def choose_type(types: list[tuple[int, int]], allowed: int, kind: MemoryKind) -> int:
    """Return the index of the best memory type.

    Parameters
    ----------
    types : list of (int, int)
        Flags and heap of each type.
    allowed : int
        A bit per type: whether it may be used.
    kind : MemoryKind
        What the memory is for.
    """
    for wanted, unwanted in kind.value:
        for index, (flags, _) in enumerate(types):
            if allowed >> index & 1 and flags & wanted == wanted and not flags & unwanted:
                return index
    raise AssertionError("Vulkan guarantees a memory type for every buffer")


def allocate(device: LogicalDevice, size_bytes: int, allowed: int, kind: MemoryKind) -> Allocation:
    """Allocate memory, mapped where its kind says so.

    Raises
    ------
    MemoryError
        If there is not enough; the message has the sizes.
    """
    index = choose_type(device.memory_types, allowed, kind)
    flags, heap = device.memory_types[index]
    addressed = vk.VkMemoryAllocateFlagsInfo(flags=vk.VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT)
    info = vk.VkMemoryAllocateInfo(
        pNext=addressed if device.info.buffer_addresses else None,
        allocationSize=size_bytes,
        memoryTypeIndex=index,
    )
    handle = ctypes.c_uint64()
    functions = device.functions
    try:
        functions.vkAllocateMemory(device.handle, ctypes.byref(info), None, ctypes.byref(handle))
    except MemoryError as error:
        raise MemoryError(
            f"{size_bytes} bytes could not be allocated on {device.info.name!r}, whose memory of this kind has "
            f"{device.heap_bytes[heap]} bytes in all: {error}"
        ) from None
    is_reached = flags & (_MAPPED | _CACHED) == _MAPPED | _CACHED and not device.is_staged
    if kind is MemoryKind.DEVICE and not is_reached:
        return Allocation(handle.value, 0)
    address = ctypes.c_void_p()
    try:
        functions.vkMapMemory(device.handle, handle, 0, vk.VK_WHOLE_SIZE, 0, ctypes.byref(address))
    except BaseException:
        functions.vkFreeMemory(device.handle, handle, None)
        raise
    return Allocation(handle.value, address.value or 0)
