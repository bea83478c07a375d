"""Launch configurations: how many invocations, in workgroups of which size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from operator import index
from typing import Any

from .. import settings
from ..errors import VulkanSupportError
from ..kernel import Pairing
from ..runtime import DeviceInfo
from ..runtime.launch import workgroup_excess

__all__ = [
    "Grid",
    "Triple",
    "bytes_of",
    "extents_of",
    "groups_of",
    "local_size_of",
    "pairing_of",
    "parts_of",
    "resolve",
    "subgroup_size_of",
]

# Counts or sizes along x, y and z.
Triple = tuple[int, int, int]
# Workgroup sizes by dimensionality when the user names none: 128 invocations, which every Vulkan device allows.
_DEFAULT_LOCAL_SIZE: dict[int, Triple] = {1: (128, 1, 1), 2: (16, 8, 1), 3: (8, 4, 4)}
# What SPIR-V can say of the invocations of a subgroup: four words of bits.
_LARGEST_SUBGROUP = 128
# Measured on an NVIDIA H200: a quarter of them gains nothing, these take 0.89 of the time, four times as many 0.69.
_PAIRED_INVOCATIONS = 1 << 20


@dataclass(frozen=True)
class Grid:
    """What the user asked for; ``covers`` tells extents in invocations from counts of workgroups.

    Attributes
    ----------
    counts : tuple of int
        One to three extents.
    covers : bool
        Whether ``counts`` are invocations (`forall`) or workgroups (``kernel[groups, local_size]``).
    local_size : tuple of int or None
        Invocations of a workgroup along each axis, None for the default.
    """

    counts: tuple[int, ...]
    covers: bool
    local_size: tuple[int, ...] | None


def _integers(what: str, value: Any, smallest: int) -> tuple[int, ...]:
    """Read one to three integers.

    Raises
    ------
    TypeError, ValueError
        If there are others than one to three, not all integers, or smaller than allowed.
    """
    if getattr(value, "ndim", 0):
        raise TypeError(
            f"{what} must be an integer or a tuple of integers, not an array: write x.size or x.shape"
        )
    items: tuple[Any, ...] = tuple(value) if isinstance(value, tuple | list) else (value,)
    if not 1 <= len(items) <= 3:
        raise ValueError(f"{what} must have 1 to 3 axes, not {len(items)}: {value!r}")
    numbers: list[int] = []
    for item in items:
        if isinstance(item, bool) or not hasattr(item, "__index__"):
            raise TypeError(f"{what} must be an integer or a tuple of integers, not {value!r}")
        numbers.append(index(item))
        if numbers[-1] < smallest:
            raise ValueError(f"{what} must not be less than {smallest} along any axis, not {value!r}")
    return tuple(numbers)


def _integer(what: str, value: Any, smallest: int) -> int:
    """Read one integer.

    Raises
    ------
    TypeError, ValueError
        If it is none, or smaller than allowed.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{what} must be an integer, not {value!r}")
    number = index(value)
    if number < smallest:
        raise ValueError(f"{what} must not be less than {smallest}, not {value!r}")
    return number


def extents_of(extent: object, local_size: object) -> Grid:
    """Return the grid of `forall`."""
    size = None if local_size is None else _integers("local_size", local_size, 1)
    return Grid(_integers("the extent of forall", extent, 0), True, size)


def groups_of(groups: object, local_size: object) -> Grid:
    """Return the grid of ``kernel[groups, local_size]``."""
    return Grid(
        _integers("the number of workgroups", groups, 0), False, _integers("local_size", local_size, 1)
    )


def bytes_of(shared_bytes: object) -> int:
    """Return the bytes of dynamic shared memory; kernels know them as an int32, and no device has more."""
    size = _integer("shared_bytes", shared_bytes, 0)
    if size >= 2**31:
        raise VulkanSupportError(
            f"shared_bytes is {size}, but no device has 2**31 bytes that a workgroup can share"
        )
    return size


def local_size_of(local_size: object) -> Triple:
    """Return a workgroup size along three axes."""
    return _padded(_integers("local_size", local_size, 1))


def subgroup_size_of(required: object) -> int:
    """Return the subgroup size that a kernel requires, 0 for None.

    Raises
    ------
    TypeError, ValueError
        If it is no integer, or none of which Vulkan knows subgroups.
    """
    if required is None:
        return 0
    size = _integer("require_subgroup_size", required, 1)
    if size & (size - 1) or size > _LARGEST_SUBGROUP:
        raise ValueError(
            f"require_subgroup_size is {size}; the sizes of subgroups are powers of two up to {_LARGEST_SUBGROUP}"
        )
    return size


def _padded(values: tuple[int, ...]) -> Triple:
    x, y, z = (*values, 1, 1)[:3]
    return x, y, z


def resolve(grid: Grid, device: DeviceInfo) -> tuple[Triple, Triple]:
    """Return workgroup counts and workgroup size of a grid on a device.

    Raises
    ------
    VulkanSupportError
        If the workgroup is larger than the device allows; the message gives both numbers.
    """
    size = _padded(grid.local_size) if grid.local_size is not None else _DEFAULT_LOCAL_SIZE[len(grid.counts)]
    if excess := workgroup_excess(device, size):
        raise VulkanSupportError(excess)
    counts = _padded(grid.counts)
    if grid.covers:
        counts = _padded(tuple(-(-c // s) for c, s in zip(counts, size, strict=True)))
    if max(c * s for c, s in zip(counts, size, strict=True)) > 2**31 - 1:
        raise VulkanSupportError(
            f"a grid of {grid.counts} has more than 2**31 - 1 invocations along an axis: split it"
        )
    return counts, size


def pairing_of(groups: Triple, local_size: Triple, loads_wait: bool) -> Pairing:
    """Return whether one workgroup is to do the work of two in a grid, if the kernel is such that it can.

    Parameters
    ----------
    groups, local_size : tuple of int
        The grid.
    loads_wait : bool
        Whether loads take long on the device.
    """
    wanted = settings.pairs.value()
    if wanted is None:
        wanted = loads_wait and prod(groups) * prod(local_size) >= _PAIRED_INVOCATIONS
    if not wanted or groups[0] < 2:
        return Pairing.NONE
    return Pairing.ODD if groups[0] % 2 else Pairing.EVEN


def parts_of(groups: Triple, most: Triple) -> Iterator[tuple[Triple, Triple]]:
    """Yield the parts in which a grid is dispatched: the first workgroup of each, and its counts.

    Parameters
    ----------
    groups : tuple of int
        The workgroups of the grid along each axis.
    most : tuple of int
        How many the device takes at once.
    """
    x, y, z = (range(0, count, limit) for count, limit in zip(groups, most, strict=True))
    for base in product(x, y, z):
        counts = tuple(
            min(limit, count - first) for first, count, limit in zip(base, groups, most, strict=True)
        )
        yield base, _padded(counts)
