"""Values of arrays: where their elements lie, and what an array knows of itself.

Numba's own code does shape, ndim and len.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import Registry

from .. import abi
from . import elements
from .elements import Place
from .record_types import VulkanRecord
from .types import VulkanArray

__all__ = [
    "View",
    "extents",
    "fit",
    "in_64_bits",
    "index_type",
    "load",
    "lowering",
    "made_of",
    "place_of",
    "proxy",
    "record_at",
    "steps",
    "store",
    "view_of",
    "whole",
]

lowering = Registry()
_I32, _I64 = ir.IntType(32), ir.IntType(64)
_BEYOND = 2**31


def proxy(context: Any, builder: ir.IRBuilder, array_type: VulkanArray, value: ir.Value) -> Any:
    """Return Numba's accessor to the members of an array value."""
    return cgutils.create_struct_proxy(array_type)(context, builder, value=value)


def index_type(array_type: VulkanArray) -> ir.IntType:
    """Return the type of positions, steps and extents of an array."""
    return _I64 if array_type.is_wide else _I32


def fit(builder: ir.IRBuilder, number: ir.Value, to: ir.IntType) -> ir.Value:
    """Return a position or a step in another width, which it fits into."""
    if number.type == to:
        return number
    return builder.trunc(number, to) if number.type.width > to.width else builder.sext(number, to)


def in_64_bits(builder: ir.IRBuilder, extent: ir.Value) -> ir.Value:
    """Return an extent, which is not negative, as Numba has it."""
    return extent if extent.type == _I64 else builder.zext(extent, _I64)


def extents(builder: ir.IRBuilder, array_type: VulkanArray, array: Any) -> list[ir.Value]:
    """Return the extents as wide as positions in the array are."""
    found = cgutils.unpack_tuple(builder, array.shape, array_type.ndim)
    return [fit(builder, extent, index_type(array_type)) for extent in found]


def steps(builder: ir.IRBuilder, array_type: VulkanArray, array: Any) -> list[ir.Value]:
    """Return the step along each axis, in units of the type."""
    if array_type.layout == "A":
        return cgutils.unpack_tuple(builder, array.steps, array_type.ndim)
    lengths = extents(builder, array_type, array)
    axes = range(array_type.ndim)
    order = list(axes) if array_type.layout == "F" else list(reversed(axes))
    step = ir.Constant(index_type(array_type), array_type.itemsize // array_type.unit)
    result: list[ir.Value] = [step] * array_type.ndim
    for previous, axis in pairwise(order):
        result[axis] = builder.mul(result[previous], lengths[previous])
    return result


@dataclass(frozen=True)
class View:
    """Where the elements of an array lie, in units of its type; all numbers are as wide as positions in it.

    Attributes
    ----------
    binding : ir.Value
        The buffer.
    offset : ir.Value
        The index of the first element in the buffer.
    extents, steps : list of ir.Value
        Of each axis.
    """

    binding: ir.Value
    offset: ir.Value
    extents: list[ir.Value]
    steps: list[ir.Value]

    def element(self, builder: ir.IRBuilder, positions: Sequence[ir.Value]) -> ir.Value:
        """Return the index in the buffer of the element at a position along each axis."""
        index = self.offset
        for position, step in zip(positions, self.steps, strict=True):
            index = builder.add(index, builder.mul(position, step))
        return index

    def value(self, context: Any, builder: ir.IRBuilder, array_type: VulkanArray) -> ir.Value:
        """Return the view as an array of a type with as many axes, whose layout must hold."""
        array = cgutils.create_struct_proxy(array_type)(context, builder)
        to = index_type(array_type)
        array.binding, array.offset = self.binding, fit(builder, self.offset, to)
        array.shape = cgutils.pack_array(builder, [in_64_bits(builder, e) for e in self.extents], _I64)
        if array_type.layout == "A":
            array.steps = cgutils.pack_array(builder, [fit(builder, s, to) for s in self.steps], to)
        return array._getvalue()

    def in_units(self, builder: ir.IRBuilder, factor: int, offset: int = 0) -> View:
        """Return the view in units of which ``factor`` make one of this one's, from some further on."""
        first = elements.scaled(builder, self.offset, factor, offset)
        return replace(self, offset=first, steps=[elements.scaled(builder, s, factor) for s in self.steps])


def view_of(context: Any, builder: ir.IRBuilder, array_type: VulkanArray, value: ir.Value) -> View:
    """Return where the elements of an array lie."""
    array = proxy(context, builder, array_type, value)
    return View(
        array.binding, array.offset, extents(builder, array_type, array), steps(builder, array_type, array)
    )


def load(
    context: Any, builder: ir.IRBuilder, array_type: VulkanArray, binding: ir.Value, index: ir.Value
) -> ir.Value:
    """Return the element at an index of a buffer; of records a reference."""
    place = Place(binding, index, array_type.unit)
    if isinstance(array_type.dtype, VulkanRecord):
        return record_at(context, builder, array_type.dtype, place)
    return elements.load(context, builder, array_type.dtype, place)


def store(
    context: Any,
    builder: ir.IRBuilder,
    array_type: VulkanArray,
    binding: ir.Value,
    index: ir.Value,
    value: ir.Value,
    kind: types.Type | None = None,
) -> None:
    """Store a value at an index of a buffer; ``kind`` is its type if that is not the element type."""
    kind = array_type.dtype if kind is None else kind
    place = Place(binding, index, array_type.unit)
    if isinstance(kind, VulkanRecord):
        elements.copy(builder, kind.size, place_of(context, builder, kind, value), place)
    else:
        value = context.cast(builder, value, kind, array_type.dtype)
        elements.store(context, builder, array_type.dtype, place, value)


def made_of(builder: ir.IRBuilder, array_type: VulkanArray, extents: list[ir.Value]) -> tuple[str, ir.Value]:
    """Return the elements of an array that a kernel makes, and their number in 64 bits."""
    if array_type.is_in_words:
        element, size, unit = abi.WORDS, array_type.itemsize, 4
    else:
        element = elements.element_name(array_type.dtype)
        size, unit = array_type.itemsize, abi.ELEMENT_BYTES[element]
    count: ir.Value = ir.Constant(_I64, 1)
    for extent in extents:
        # The product of two that are not beyond this is a number; -1 is beyond.
        count = _at_most(builder, builder.mul(count, _at_most(builder, extent)))
    count = builder.mul(count, ir.Constant(_I64, size if size % unit else size // unit))
    if size % unit:
        count = builder.lshr(builder.add(count, ir.Constant(_I64, 3)), ir.Constant(_I64, 2))
    return element, _at_most(builder, count)


def _at_most(builder: ir.IRBuilder, count: ir.Value) -> ir.Value:
    """Return a count, or one that no device holds if it is larger or negative."""
    most = ir.Constant(_I64, _BEYOND)
    return builder.select(builder.icmp_unsigned("<", count, most), count, most)


def whole(
    context: Any, builder: ir.IRBuilder, array_type: VulkanArray, binding: ir.Value, extents: list[ir.Value]
) -> ir.Value:
    """Return an array in C order, with extents in 64 bits, that begins where its buffer does."""
    array = proxy(context, builder, array_type, None)
    array.binding, array.offset = binding, ir.Constant(_I32, 0)
    array.shape = cgutils.pack_array(builder, extents, _I64)
    return array._getvalue()


def record_at(context: Any, builder: ir.IRBuilder, record: VulkanRecord, place: Place) -> ir.Value:
    """Return a reference to the record at a place, whose unit is a multiple of the record's."""
    reference = cgutils.create_struct_proxy(record)(context, builder)
    reference.binding = place.binding
    unit = record.unit
    reference.index = elements.scaled(builder, place.index, place.unit // unit, place.offset // unit)
    return reference._getvalue()


def place_of(context: Any, builder: ir.IRBuilder, record: VulkanRecord, value: ir.Value) -> Place:
    """Return where the bytes of a record begin."""
    reference = cgutils.create_struct_proxy(record)(context, builder, value=value)
    return Place(reference.binding, reference.index, record.unit)


def _itemsize(array_type: VulkanArray) -> ir.Constant:
    return ir.Constant(_I64, array_type.itemsize)


@lowering.lower_getattr(VulkanArray, "itemsize")
def _lower_itemsize(
    _context: Any, _builder: ir.IRBuilder, array_type: VulkanArray, _value: ir.Value
) -> ir.Value:
    return _itemsize(array_type)


@lowering.lower_getattr(VulkanArray, "size")
def _lower_size(context: Any, builder: ir.IRBuilder, array_type: VulkanArray, value: ir.Value) -> ir.Value:
    size: ir.Value = ir.Constant(_I64, 1)
    array = proxy(context, builder, array_type, value)
    for extent in cgutils.unpack_tuple(builder, array.shape, array_type.ndim):
        size = builder.mul(size, extent)
    return size


@lowering.lower_getattr(VulkanArray, "nbytes")
def _lower_nbytes(context: Any, builder: ir.IRBuilder, array_type: VulkanArray, value: ir.Value) -> ir.Value:
    return builder.mul(_lower_size(context, builder, array_type, value), _itemsize(array_type))


@lowering.lower_getattr(VulkanArray, "strides")
def _lower_strides(context: Any, builder: ir.IRBuilder, array_type: VulkanArray, value: ir.Value) -> ir.Value:
    array = proxy(context, builder, array_type, value)
    unit = ir.Constant(_I64, array_type.unit)
    in_bytes = [builder.mul(fit(builder, step, _I64), unit) for step in steps(builder, array_type, array)]
    return cgutils.pack_array(builder, in_bytes, _I64)
