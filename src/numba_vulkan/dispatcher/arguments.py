"""Arguments of a launch: their types, the buffers they need and the words of the parameter block."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba.core import types

from .. import abi
from ..errors import KernelArgumentError, VulkanSupportError, VulkanUnsupportedError
from ..frontend.types import array_type, scalar_type_of
from ..narrowing import Mode, computed_dtype, name_of
from ..runtime import DeviceArray

__all__ = ["Arguments", "HostRegion", "bind", "require_narrow"]

_LARGEST_INDEX = 2**31 - 1


@dataclass
class HostRegion:
    """A stretch of host memory that one buffer holds: one array, or several that overlap.

    Attributes
    ----------
    address, size_bytes : int
        The host memory.
    members : list of int
        The arguments that lie in it.
    padding_bytes : int
        Where ``address`` lies in the buffer; it keeps the elements of all members on multiples of their size.
    """

    address: int
    size_bytes: int
    members: list[int] = field(default_factory=list[int])
    padding_bytes: int = 0


@dataclass
class _Array:
    """An array argument: where its first element lies in its buffer, in elements."""

    index: int
    value: Any
    buffer_key: object
    offset: int
    strides: tuple[int, ...]


@dataclass
class Arguments:
    """The arguments of one launch.

    Attributes
    ----------
    types : tuple of numba type
        What the kernel is compiled for.
    values : tuple
        The arguments themselves.
    arrays : dict
        Array arguments by position.
    regions : list of HostRegion
        The host memory that has to travel.
    """

    types: tuple[types.Type, ...]
    values: tuple[Any, ...]
    arrays: dict[int, _Array]
    regions: list[HostRegion]

    @property
    def hosts(self) -> frozenset[int]:
        """The positions of NumPy arrays."""
        return frozenset(i for region in self.regions for i in region.members)

    @property
    def aliased(self) -> bool:
        """Whether two array arguments may share memory."""
        return len({a.buffer_key for a in self.arrays.values()}) < len(self.arrays)

    def pack(self, block: abi.ParameterBlock) -> bytes:
        """Return the bytes of the parameter block."""
        packed = bytearray(block.size_words * 4)
        for parameter in block.parameters:
            struct.pack_into(
                _FORMAT[parameter.type], packed, parameter.offset_words * 4, self._value(parameter)
            )
        return bytes(packed)

    def _value(self, parameter: abi.Parameter) -> int | float:
        if parameter.kind == "scalar":
            value = self.values[parameter.argument]
            return float(value) if parameter.type[0] == "f" else _as_signed(int(value), parameter.type)
        array = self.arrays[parameter.argument]
        if parameter.kind == "extent":
            return array.value.shape[parameter.axis]
        return array.strides[parameter.axis] if parameter.kind == "stride" else array.offset


_FORMAT = {"i32": "<i", "i64": "<q", "f32": "<f", "f64": "<d"}


def _as_signed(value: int, type: str) -> int:
    bits = 8 * abi.ELEMENT_BYTES[type]
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def bind(names: tuple[str, ...], values: tuple[Any, ...], where: str) -> Arguments:
    """Type the arguments of a launch and lay out what has to travel.

    Parameters
    ----------
    names : tuple of str
        Names of the kernel's parameters, for messages.
    values : tuple
        The arguments: NumPy arrays, device arrays and scalars.
    where : str
        The kernel's name and line, for messages.

    Raises
    ------
    KernelArgumentError
        If an argument is of a type that kernels cannot take.
    VulkanSupportError
        If an array has more than 2**31 - 1 elements along its memory.
    """
    hosts = {i: v for i, v in enumerate(values) if isinstance(v, np.ndarray)}
    regions = _regions(hosts, names, where)
    arrays: dict[int, _Array] = {}
    for number, region in enumerate(regions):
        for i in region.members:
            offset_bytes = region.padding_bytes + _address(hosts[i]) - region.address
            itemsize = hosts[i].itemsize
            strides = tuple(s // itemsize for s in hosts[i].strides)
            arrays[i] = _Array(i, hosts[i], number, offset_bytes // itemsize, strides)
    for i, value in enumerate(values):
        if isinstance(value, DeviceArray):
            arrays[i] = _Array(i, value, ("device", value.buffer.id), value.offset, value.element_strides)
    found = tuple(
        _type_of(name, value, arrays.get(i), where)
        for i, (name, value) in enumerate(zip(names, values, strict=True))
    )
    return Arguments(found, values, arrays, regions)


def require_narrow(names: tuple[str, ...], bound: Arguments, where: str, mode: Mode) -> None:
    """Refuse integer scalars that do not fit into the 32 bits in which the kernel computes them.

    Raises
    ------
    OverflowError
        If one does not.
    """
    for name, value, given in zip(names, bound.values, bound.types, strict=True):
        if isinstance(given, types.Integer):
            limits = np.iinfo(computed_dtype(np.dtype(str(given)), mode))
            if not limits.min <= int(value) <= limits.max:
                raise OverflowError(
                    f"argument '{name}' of kernel {where}: {int(value)} does not fit into {limits.dtype}, and "
                    f"{name_of(mode)} computes integers in 32 bits: pass a smaller number, or leave narrow= out of "
                    f"@jit for exact integers"
                )


def _type_of(name: str, value: object, array: _Array | None, where: str) -> types.Type:
    """Return the Numba type of one argument."""
    try:
        if array is None:
            found = scalar_type_of(value)
        else:
            readonly = isinstance(value, np.ndarray) and not value.flags.writeable
            found = array_type(array.value.dtype, array.value.ndim, _layout(array), readonly)
    except (VulkanUnsupportedError, OverflowError) as error:
        raise KernelArgumentError(f"argument '{name}' of kernel {where}: {error}") from error
    if found is None:
        raise KernelArgumentError(
            f"argument '{name}' of kernel {where} is of type {type(value).__module__}.{type(value).__qualname__}: "
            f"pass a NumPy array, a device array, or a bool, integer or float scalar"
        )
    return found


def _layout(array: _Array) -> str:
    """Return 'C' or 'F' for arrays that fill their buffer from its start, 'A' for all others."""
    if array.offset:
        return "A"
    if isinstance(array.value, np.ndarray):
        flags = array.value.flags
        return "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    return "C" if array.value.is_contiguous else "A"


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def _regions(hosts: dict[int, np.ndarray], names: tuple[str, ...], where: str) -> list[HostRegion]:
    """Group host arrays whose memory overlaps; each group becomes one buffer."""
    spans: list[tuple[int, int, int]] = []
    for i, array in hosts.items():
        _refuse_odd(array, names[i], where)
        low, high = np.lib.array_utils.byte_bounds(array) if array.size else (_address(array),) * 2
        spans.append((low, high, i))
    regions: list[HostRegion] = []
    for low, high, i in sorted(spans):
        last = regions[-1] if regions else None
        if last is not None and low < high and low < last.address + last.size_bytes:
            last.members.append(i)
            last.size_bytes = max(last.size_bytes, high - last.address)
        else:
            regions.append(HostRegion(low, high - low, [i]))
    for region in regions:
        if any((_address(hosts[i]) - region.address) % hosts[i].itemsize for i in region.members):
            # All members are aligned, so that the address itself tells where elements of every size begin.
            region.padding_bytes = region.address % 16
    return regions


def _refuse_odd(array: np.ndarray, name: str, where: str) -> None:
    """Refuse arrays whose elements a buffer cannot address."""
    if array.size > _LARGEST_INDEX or any(
        abs(s) // max(array.itemsize, 1) > _LARGEST_INDEX for s in array.strides
    ):
        raise VulkanSupportError(
            f"argument '{name}' of kernel {where} spans more than {_LARGEST_INDEX} elements: pass parts of it"
        )
    if not array.flags.aligned or any(s % max(array.itemsize, 1) for s in array.strides):
        raise KernelArgumentError(
            f"argument '{name}' of kernel {where}: its elements of {array.itemsize} bytes do not lie on multiples of "
            f"their size; pass a copy (x.copy())"
        )
