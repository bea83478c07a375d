"""A launch: checked against the limits of the device, then recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import settings
from ..errors import VulkanSupportError
from ..kernel import CompiledKernel, KernelInterface
from .buffer import Buffer
from .info import DeviceInfo
from .logical_device import LogicalDevice

__all__ = [
    "DEFAULT_LOCAL_SIZE",
    "Arrays",
    "Extent",
    "buffers_of",
    "check_bindings",
    "check_buffers",
    "check_local_size",
    "check_groups",
    "check_shared_memory",
    "host_arrays",
    "require_shared_bytes",
    "needs_addresses",
    "workgroup_excess",
]

Extent = tuple[int, int, int]
# What a caller gives for the arrays of a kernel: the buffer of each binding, or what has a buffer for each argument.
Arrays = Mapping[int, Buffer] | Sequence[Any]
# Invocations that every Vulkan device allows.
DEFAULT_LOCAL_SIZE: Extent = (128, 1, 1)
_BEYOND = 2**31 - 1


def buffers_of(
    kernel: CompiledKernel, arrays: Arrays, staged: Mapping[int, Buffer] | None = None
) -> Mapping[int, Buffer]:
    """Return the buffer of each binding; ``staged`` are those of NumPy arrays.

    Raises
    ------
    ValueError
        If the number of arrays is not that of the kernel.
    TypeError
        If there are NumPy arrays without buffers.
    """
    if isinstance(arrays, Mapping):
        return arrays
    buffers = dict(staged or {})
    for binding, array in _by_binding(kernel, arrays).items():
        if array is None or binding in buffers:
            continue
        if isinstance(array, np.ndarray):
            raise TypeError(
                f"kernel {kernel.name!r} is launched with a NumPy array, for which a launch would have to wait: copy "
                "it with to_device, or use Device.run"
            )
        buffers[binding] = array if isinstance(array, Buffer) else array.buffer
    return buffers


def host_arrays(kernel: CompiledKernel, arrays: Arrays) -> dict[int, np.ndarray]:
    """Return the NumPy arrays that a kernel is given, by binding."""
    if isinstance(arrays, Mapping):
        return {}
    return {b: array for b, array in _by_binding(kernel, arrays).items() if isinstance(array, np.ndarray)}


def _by_binding(kernel: CompiledKernel, arrays: Sequence[Any]) -> dict[int, Any]:
    taken = kernel.interface.arrays
    if len(arrays) != len(taken):
        raise ValueError(f"kernel {kernel.name!r} takes {len(taken)} arrays, not {len(arrays)}")
    return {argument.binding: array for argument, array in zip(taken, arrays, strict=True)}


def workgroup_excess(info: DeviceInfo, local_size: Extent) -> str:
    """Return why a device has no workgroups of a size, '' if it has."""
    invocations = local_size[0] * local_size[1] * local_size[2]
    exceeds = any(size > limit for size, limit in zip(local_size, info.max_local_size, strict=True))
    if not exceeds and invocations <= info.max_local_invocations:
        return ""
    return (
        f"a workgroup of {local_size} has {invocations} invocations, but {info.name!r} allows {info.max_local_size} "
        f"with at most {info.max_local_invocations} invocations: choose a smaller local_size"
    )


def check_local_size(info: DeviceInfo, kernel: CompiledKernel, local_size: Extent) -> None:
    """Raise unless a workgroup size is positive and within the device's limits."""
    if len(local_size) != 3 or min(local_size) < 1:
        raise ValueError(
            f"kernel {kernel.name!r}: local size {local_size} must be three extents of at least 1"
        )
    if excess := workgroup_excess(info, local_size):
        raise VulkanSupportError(f"kernel {kernel.name!r}: {excess}")
    _check_subgroups(info, kernel, local_size[0] * local_size[1] * local_size[2])


def _check_subgroups(info: DeviceInfo, kernel: CompiledKernel, invocations: int) -> None:
    """Raise if a workgroup has more subgroups than one may have that asks for their size."""
    most = kernel.variant.subgroup_size * info.max_workgroup_subgroups
    if info.asks_for_subgroup_size and 0 < most < invocations:
        raise VulkanSupportError(
            f"kernel {kernel.name!r}: a workgroup of {invocations} invocations, but {info.name!r} allows {most} in "
            f"subgroups of {kernel.variant.subgroup_size}: choose a smaller local_size"
        )


def check_groups(info: DeviceInfo, kernel: CompiledKernel, groups: Extent) -> None:
    """Raise unless a number of workgroups is within the device's limits."""
    if len(groups) != 3 or min(groups) < 0:
        raise ValueError(f"kernel {kernel.name!r}: groups {groups} must be three counts of at least 0")
    if any(count > limit for count, limit in zip(groups, info.max_groups, strict=True)):
        raise VulkanSupportError(
            f"kernel {kernel.name!r}: {groups} workgroups, but {info.name!r} allows {info.max_groups} in one launch: "
            "choose a larger local_size, or let each invocation do more"
        )


def check_shared_memory(info: DeviceInfo, kernel: CompiledKernel, lengths: tuple[int, ...] = ()) -> None:
    """Raise if a workgroup of the kernel shares more memory than the device has for it."""
    total = kernel.shared_bytes + sum(
        length * size for length, (_, size) in zip(lengths, kernel.shared_lengths, strict=False)
    )
    if total > info.max_shared_memory:
        # The passes make as many elements as no device holds of a negative extent.
        size = f"take {total} bytes" if total < _BEYOND else "have a negative extent, or take more than 2 GiB"
        raise VulkanSupportError(
            f"the shared arrays of kernel {kernel.name!r} {size}, but {info.name!r} allows "
            f"{info.max_shared_memory} in a workgroup: make them smaller"
        )


def require_shared_bytes(kernel: CompiledKernel, given: int) -> None:
    """Raise if a launch gives dynamic shared arrays no room for an element: any access is then beyond them."""
    interface = kernel.interface
    if given < interface.dynamic_bytes:
        raise ValueError(
            f"kernel {kernel.name!r} ({interface.file}:{interface.line}) has dynamic shared arrays (of shape 0) with "
            f"elements of {interface.dynamic_bytes} bytes, but shared_bytes is {given}: pass the size that its "
            "accesses need in bytes, as shared_bytes= or as the fourth element of "
            "kernel[groups, local_size, stream, shared_bytes]"
        )


def check_bindings(info: DeviceInfo, kernel: CompiledKernel) -> None:
    """Raise if a kernel has more arrays or parameters than the device can bind."""
    if len(kernel.descriptors) > info.max_storage_buffers:
        raise VulkanSupportError(
            f"kernel {kernel.name!r} uses {len(kernel.descriptors)} buffers, but {info.name!r} allows "
            f"{info.max_storage_buffers} in one kernel{_without_addresses(info)}: pass fewer arrays"
        )
    push_bytes = kernel.interface.push_constant_bytes
    if push_bytes > info.max_push_constant_bytes:
        raise VulkanSupportError(
            f"kernel {kernel.name!r} has {push_bytes} bytes of push constants, but {info.name!r} allows "
            f"{info.max_push_constant_bytes}"
        )


def needs_addresses(info: DeviceInfo, interface: KernelInterface, largest_bytes: int) -> bool:
    """Return whether a kernel has to reach arrays by address, and can.

    Parameters
    ----------
    info : DeviceInfo
        The device.
    interface : KernelInterface
        What the kernel takes.
    largest_bytes : int
        The bytes of the largest array that it is given.
    """
    largest = max([largest_bytes, *(len(array.content) for array in interface.constants)])
    # One buffer more is that of the status.
    is_beyond = len(interface.bound) >= info.max_storage_buffers or largest > info.max_storage_buffer_range
    is_beyond |= any(array.is_wide for array in interface.arrays)
    return info.buffer_addresses and (is_beyond or settings.addresses.value())


def _without_addresses(info: DeviceInfo) -> str:
    return " by binding" if info.buffer_addresses else ", which offers no addresses of buffers"


def check_buffers(device: LogicalDevice, kernel: CompiledKernel, buffers: Mapping[int, Buffer]) -> None:
    """Raise unless every binding has a buffer of this device within its limits."""
    info, limit = device.info, device.info.max_storage_buffer_range
    why = _without_addresses(info)
    if kernel.variant.addressed:
        limit = info.max_buffer_bytes if info.int64 else min(info.max_buffer_bytes, 1 << 32)
        why = "" if info.int64 else ", which has no 64-bit integers to compute addresses with"
    for binding in kernel.arrays:
        buffer = buffers.get(binding)
        if buffer is None:
            raise ValueError(f"kernel {kernel.name!r}: binding {binding} has no buffer")
        if buffer.device is not device:
            raise ValueError(
                f"kernel {kernel.name!r} is launched on {info.name!r}, but the buffer of binding {binding} is "
                f"on {buffer.device.info.name!r}: copy the array to that device"
            )
        if buffer.size_bytes > limit:
            raise VulkanSupportError(
                f"kernel {kernel.name!r}: the array of binding {binding} has {buffer.size_bytes} bytes, but kernels "
                f"reach {limit} bytes of an array on {info.name!r}{why}: split the array"
            )
