"""Arguments of a launch: their types, the buffers they need and the words of the parameter block."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import BuiltinFunctionType, FunctionType
from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher

from .. import abi, settings
from ..errors import KernelArgumentError, VulkanUnsupportedError
from ..frontend.record_types import largest_unit
from ..frontend.types import array_type, record_type, scalar_type_of
from ..narrowing import Mode, computed_dtype, name_of
from ..parameters import WHOLE_LAUNCH, Parameter, ParameterBlock
from ..runtime import DeviceArray
from ..runtime.geometry import span
from .leaves import Leaf, leaves_of, type_of_tree

__all__ = ["Arguments", "ArrayKind", "HostRegion", "bind", "kind_of", "require_narrow"]


class ArrayKind(NamedTuple):
    """What the type of an array says besides its elements and axes; see `VulkanArray`."""

    layout: str
    unit: int
    is_wide: bool


_ACCEPTED = (
    "pass NumPy arrays, device arrays, numbers, dates, None, members of enumerations, or tuples of these"
)
_FUNCTIONS = (
    "kernels call functions that are globals or belong to an enclosing function, and take none as arguments"
)
# What to pass instead of what kernels do not take.
_REMEDIES: tuple[tuple[Any, str], ...] = (
    (
        str | bytes | bytearray,
        "kernels take no texts: pass a number that stands for it, or an array of uint8",
    ),
    (list | range, "pass np.array(x), or a tuple for a few numbers"),
    (set | frozenset | dict, "pass its members as an array or a tuple, or as arguments of their own"),
    (Dispatcher | FunctionType | BuiltinFunctionType | np.ufunc, _FUNCTIONS),
)
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
    """An array argument: where its first element lies in its buffer, in bytes."""

    index: int
    value: Any
    buffer_key: object
    offset_bytes: int

    @cached_property
    def unit(self) -> int:
        """The bytes in which the kernel counts offset and steps."""
        value = self.value
        steps = [s for s, extent in zip(value.strides, value.shape, strict=True) if extent > 1]
        return math.gcd(largest_unit(value.dtype.itemsize), self.offset_bytes, *steps)


@dataclass
class Arguments:
    """The arguments of one launch.

    Attributes
    ----------
    types : tuple of numba type
        What the kernel is compiled for: one for each parameter.
    leaves : tuple of Leaf
        The arrays and scalars, those in tuples included; everything else counts these.
    leaf_types : tuple of numba type
        Their types.
    arrays : dict
        The arrays among them by position.
    regions : list of HostRegion
        The host memory that has to travel.
    shared_bytes : int
        The dynamic shared memory of a workgroup.
    part : tuple
        The first workgroup of a part of the grid, and the counts of the whole grid.
    """

    types: tuple[types.Type, ...]
    leaves: tuple[Leaf, ...]
    leaf_types: tuple[types.Type, ...]
    arrays: dict[int, _Array]
    regions: list[HostRegion]
    shared_bytes: int = 0
    part: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    @cached_property
    def values(self) -> tuple[Any, ...]:
        """The arrays and scalars themselves."""
        return tuple(leaf.value for leaf in self.leaves)

    @property
    def is_flat(self) -> bool:
        """Whether each argument is an array or a scalar."""
        return self.types == self.leaf_types

    @property
    def hosts(self) -> frozenset[int]:
        """The positions of NumPy arrays."""
        return frozenset(i for region in self.regions for i in region.members)

    @property
    def aliased(self) -> bool:
        """Whether two array arguments may share memory."""
        return len({a.buffer_key for a in self.arrays.values()}) < len(self.arrays)

    @property
    def largest_bytes(self) -> int:
        """The bytes of the largest buffer that the launch needs."""
        sizes = [region.padding_bytes + region.size_bytes for region in self.regions]
        sizes += [a.value.buffer.size_bytes for i, a in self.arrays.items() if i not in self.hosts]
        return max(sizes, default=0)

    def pack(self, block: ParameterBlock) -> bytes:
        """Return the bytes of the parameter block."""
        packed = bytearray(block.size_words * 4)
        for parameter in block.parameters:
            struct.pack_into(
                _FORMAT[parameter.type], packed, parameter.offset_words * 4, self._value(parameter)
            )
        return bytes(packed)

    def _value(self, parameter: Parameter) -> int | float:
        if parameter.argument == WHOLE_LAUNCH:
            return self._value_of_launch(parameter)
        if parameter.kind == "scalar":
            value = self.values[parameter.argument]
            if isinstance(value, complex | np.complexfloating):
                return float(value.imag if parameter.axis else value.real)
            if isinstance(value, np.datetime64 | np.timedelta64):
                return int(value.astype(np.int64))
            return float(value) if parameter.type[0] == "f" else _as_signed(int(value), parameter.type)
        array = self.arrays[parameter.argument]
        if parameter.kind == "extent":
            return array.value.shape[parameter.axis]
        in_bytes = array.value.strides[parameter.axis] if parameter.kind == "stride" else array.offset_bytes
        return in_bytes // array.unit

    def _value_of_launch(self, parameter: Parameter) -> int:
        if parameter.kind == "shared":
            return self.shared_bytes
        base, groups = self.part
        return (base if parameter.kind == "base" else groups)[parameter.axis]


_FORMAT = {"i32": "<i", "i64": "<q", "f32": "<f", "f64": "<d"}


def _as_signed(value: int, type: str) -> int:
    bits = 8 * abi.ELEMENT_BYTES[type]
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def bind(arguments: dict[str, Any], where: str) -> Arguments:
    """Type the arguments of a launch and lay out what has to travel.

    Parameters
    ----------
    arguments : dict
        The arguments by the names of the kernel's parameters.
    where : str
        The kernel's name and line, for messages.

    Raises
    ------
    KernelArgumentError
        If an argument is of a type that kernels cannot take.
    """
    leaves = tuple(leaf for name, value in arguments.items() for leaf in leaves_of(name, value))
    hosts = {i: leaf.value for i, leaf in enumerate(leaves) if isinstance(leaf.value, np.ndarray)}
    regions = _regions(hosts, leaves, where)
    arrays: dict[int, _Array] = {}
    for number, region in enumerate(regions):
        for i in region.members:
            offset_bytes = region.padding_bytes + _address(hosts[i]) - region.address
            arrays[i] = _Array(i, hosts[i], number, offset_bytes)
    for i, leaf in enumerate(leaves):
        value = leaf.value
        if isinstance(value, DeviceArray):
            offset_bytes = value.offset * value.itemsize
            arrays[i] = _Array(i, value, ("device", value.buffer.id), offset_bytes)
    leaf_types = tuple(_type_of(leaf, arrays.get(i), where) for i, leaf in enumerate(leaves))
    remaining = iter(leaf_types)
    found = tuple(type_of_tree(value, remaining) for value in arguments.values())
    return Arguments(found, leaves, leaf_types, arrays, regions)


def require_narrow(bound: Arguments, where: str, mode: Mode) -> None:
    """Refuse integer scalars that do not fit into the 32 bits in which the kernel computes them.

    Raises
    ------
    OverflowError
        If one does not.
    KernelArgumentError
        If dates or times, or arrays of more than 2**31 - 1 elements, are among the arguments.
    """
    for leaf, given in zip(bound.leaves, bound.leaf_types, strict=True):
        if getattr(given, "is_wide", False):
            raise KernelArgumentError(
                f"argument '{leaf.name}' of kernel {where} has more than {_LARGEST_INDEX} elements, and "
                f"{name_of(mode)} computes indices in 32 bits: leave narrow= out of @jit"
            )
        if isinstance(getattr(given, "dtype", given), types.NPDatetime | types.NPTimedelta):
            raise KernelArgumentError(
                f"argument '{leaf.name}' of kernel {where} is of type {given}, whose values need 64 bits, and "
                f"{name_of(mode)} computes integers in 32 bits: leave narrow= out of @jit"
            )
        if isinstance(given, types.Integer):
            _require_range(leaf.name, np.dtype(str(given)), (int(leaf.value),), where, mode)
        elif isinstance(leaf.value, np.ndarray) and not isinstance(given, types.Array):
            for name, values in _integers_of(leaf.name, leaf.value):
                _require_range(name, values.dtype, (int(values.min()), int(values.max())), where, mode)


def _require_range(name: str, dtype: np.dtype, numbers: tuple[int, ...], where: str, mode: Mode) -> None:
    limits = np.iinfo(computed_dtype(dtype, mode))
    for number in numbers:
        if not limits.min <= number <= limits.max:
            raise OverflowError(
                f"argument '{name}' of kernel {where}: {number} does not fit into {limits.dtype}, and "
                f"{name_of(mode)} computes integers in 32 bits: pass a smaller number, or leave narrow= out of "
                f"@jit for exact integers"
            )


def _integers_of(name: str, value: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the integers in a record, nested ones and arrays included, by the names of their fields."""
    if value.dtype.names:
        for field in value.dtype.names:
            yield from _integers_of(f"{name}.{field}", value[field])
    elif value.dtype.kind in "iu" and value.size:
        yield name, np.asarray(value)


def _type_of(leaf: Leaf, array: _Array | None, where: str) -> types.Type:
    """Return the Numba type of an array or a scalar."""
    name, value = leaf.name, leaf.value
    try:
        if array is None:
            found = scalar_type_of(value)
        elif leaf.is_record:
            found = record_type(value.dtype, array.unit)
        else:
            readonly = isinstance(value, np.ndarray) and not value.flags.writeable
            found = array_type(value.dtype, value.ndim, _layout(array), readonly, array.unit, _is_wide(array))
    except (VulkanUnsupportedError, OverflowError) as error:
        raise KernelArgumentError(f"argument '{name}' of kernel {where}: {error}") from error
    if found is None:
        remedy = next((words for kind, words in _REMEDIES if isinstance(value, kind)), _ACCEPTED)
        kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
        what = f"of type {kind}" if remedy != _FUNCTIONS else "a function"
        raise KernelArgumentError(f"argument '{name}' of kernel {where} is {what}: {remedy}")
    return found


def kind_of(array: DeviceArray) -> ArrayKind:
    """Return what the type of a device array says that is an argument."""
    found = _Array(0, array, None, array.offset * array.itemsize)
    return ArrayKind(_layout(found), found.unit, _is_wide(found))


def _layout(array: _Array) -> str:
    """Return 'C' or 'F' for arrays that fill their buffer from its start, 'A' for all others."""
    if array.offset_bytes:
        return "A"
    if isinstance(array.value, np.ndarray):
        flags = array.value.flags
        return "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    return "C" if array.value.is_contiguous else "A"


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def _regions(hosts: dict[int, np.ndarray], leaves: tuple[Leaf, ...], where: str) -> list[HostRegion]:
    """Group host arrays whose memory overlaps; each group becomes one buffer."""
    spans: list[tuple[int, int, int]] = []
    for i, array in hosts.items():
        _refuse_odd(array, leaves[i].name, where)
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
            # Members are aligned as a rule, so that the address itself tells where elements of every size begin.
            region.padding_bytes = region.address % 16
    return regions


def _is_wide(array: _Array) -> bool:
    """Return whether kernels count the elements of an array with 64 bits, or would have to."""
    value = array.value
    # Kernels copy records byte by byte, and reach the parts of complex numbers.
    parts = 2 if value.dtype.kind == "c" else 1
    unit = min(array.unit, value.itemsize // parts) if value.dtype.fields is None else 1
    reach = (array.offset_bytes + _span_bytes(value)) // unit
    steps = (abs(step) // unit for step in value.strides)
    is_large = max(reach, *value.shape, *steps, 0) > _LARGEST_INDEX
    return is_large or (array.unit == value.itemsize and settings.wide.value())


def _span_bytes(array: np.ndarray | DeviceArray) -> int:
    low, high = span(array.shape, array.strides)
    return high - 1 - low + array.itemsize if high else 0


def _refuse_odd(array: np.ndarray, name: str, where: str) -> None:
    """Refuse masked arrays and arrays whose elements kernels cannot count."""
    # `np.ma` is imported when it is first named.
    if type(array) is not np.ndarray and isinstance(array, np.ma.MaskedArray):
        raise KernelArgumentError(
            f"argument '{name}' of kernel {where} is a masked array, and kernels know no masks: pass x.filled(value), "
            f"or x.data and x.mask as two arguments"
        )
