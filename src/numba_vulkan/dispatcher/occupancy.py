"""How well workgroups of a size fill a device, as far as Vulkan tells."""

from __future__ import annotations

from dataclasses import dataclass

from ..kernel import CompiledKernel
from ..runtime import DeviceInfo
from ..runtime.launch import check_local_size, check_shared_memory, require_shared_bytes

__all__ = ["Occupancy", "occupancy_of"]


@dataclass(frozen=True)
class Occupancy:
    """What a workgroup of a kernel takes of what the device allows one workgroup.

    Vulkan does not tell how many workgroups a part of the device runs at once; most devices run as many as fit into
    what a single one may take, or more.

    Attributes
    ----------
    local_size : tuple of int
        Invocations of the workgroup along each axis.
    invocations : int
        All of them.
    subgroup_size : int
        Invocations of a subgroup.
    subgroups : int
        Subgroups of the workgroup.
    idle_lanes : int
        Places in its last subgroup that no invocation takes.
    shared_bytes : int
        Memory that the workgroup shares.
    workgroups : int
        How many such workgroups fit into the invocations and the shared memory that one may have.
    limited_by : {'invocations', 'shared memory'}
        Which of the two allows no more.
    """

    local_size: tuple[int, int, int]
    invocations: int
    subgroup_size: int
    subgroups: int
    idle_lanes: int
    shared_bytes: int
    workgroups: int
    limited_by: str


def occupancy_of(
    kernel: CompiledKernel, info: DeviceInfo, local_size: tuple[int, int, int], dynamic_bytes: int
) -> Occupancy:
    """Return the occupancy of a kernel; shared arrays whose lengths are scalar arguments are not counted.

    Raises
    ------
    VulkanSupportError
        If the device allows no such workgroup.
    ValueError
        If the kernel has dynamic shared arrays, and one has no room for an element.
    """
    lengths = kernel.lengths_for(kernel.interface.parameters_with(dynamic_bytes))
    check_local_size(info, kernel, local_size)
    check_shared_memory(info, kernel, lengths)
    require_shared_bytes(kernel, dynamic_bytes)
    invocations = local_size[0] * local_size[1] * local_size[2]
    sizes = (length * size for length, (_, size) in zip(lengths, kernel.shared_lengths, strict=True))
    shared_bytes = kernel.shared_bytes + sum(sizes)
    subgroup_size = kernel.variant.subgroup_size or info.subgroup_size
    subgroups = -(-invocations // subgroup_size)
    by_invocations = info.max_local_invocations // invocations
    by_memory = info.max_shared_memory // shared_bytes if shared_bytes else by_invocations
    return Occupancy(
        local_size,
        invocations,
        subgroup_size,
        subgroups,
        subgroups * subgroup_size - invocations,
        shared_bytes,
        min(by_invocations, by_memory),
        "shared memory" if by_memory < by_invocations else "invocations",
    )
