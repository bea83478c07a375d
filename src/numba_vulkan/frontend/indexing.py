"""Lowering of reading and writing array elements: index arithmetic in 32 bits, then a placeholder call."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import Registry

from .. import abi
from ..errors import VulkanUnsupportedError
from . import arrays, placeholders
from .types import VulkanArray, element_of

__all__ = ["lowering"]

lowering = Registry()
_I32 = ir.IntType(32)
Values = tuple[ir.Value, ...]


def _position(builder: ir.IRBuilder, index_type: Any, index: ir.Value, extent: ir.Value) -> ir.Value:
    """Return one index as a 32-bit position along its axis; negative ones count from the end.

    Extents are below 2**31, so the upper half of an index in range is its sign; LLVM then computes whole chains of
    64-bit index arithmetic in 32 bits.
    """
    if index_type.bitwidth > 32:
        index = builder.trunc(index, _I32)
    elif index_type.bitwidth < 32:
        widen = builder.sext if index_type.signed else builder.zext
        index = widen(index, _I32)
    if not index_type.signed:
        return index
    negative = builder.icmp_signed("<", index, ir.Constant(_I32, 0))
    return builder.select(negative, builder.add(index, extent), index)


def _element_index(
    builder: ir.IRBuilder, array_type: VulkanArray, array: Any, positions: list[ir.Value]
) -> ir.Value:
    """Return the index of an element in its buffer, from its position along each axis."""
    if array_type.layout == "A":
        index = array.offset
        for position, step in zip(positions, arrays.steps(builder, array_type, array), strict=True):
            index = builder.add(index, builder.mul(position, step))
        return index
    extents = arrays.extents(builder, array_type, array)
    if array_type.layout == "F":
        positions, extents = positions[::-1], extents[::-1]
    # Horner's scheme: ((i0 * n1 + i1) * n2 + i2) ...
    index = positions[0] if positions else ir.Constant(_I32, 0)
    for position, extent in zip(positions[1:], extents[1:], strict=True):
        index = builder.add(builder.mul(index, extent), position)
    return index


def _unpacked_index(
    builder: ir.IRBuilder, index_type: Any, index: ir.Value
) -> list[tuple[types.Type, ir.Value]]:
    """Return the parts of an index expression with their types."""
    if not isinstance(index_type, types.BaseTuple):
        return [(index_type, index)]
    kinds: tuple[types.Type, ...] = getattr(index_type, "types")  # noqa: B009
    return list(zip(kinds, cgutils.unpack_tuple(builder, index, len(index_type)), strict=True))


def _locate(
    context: Any,
    builder: ir.IRBuilder,
    array_type: VulkanArray,
    array_value: ir.Value,
    parts: list[tuple[types.Type, ir.Value]],
) -> tuple[ir.Value, ir.Value]:
    """Return binding and element index of ``array[parts]``.

    Raises
    ------
    VulkanUnsupportedError
        If the parts are not one integer for each axis.
    """
    integers = [(types.unliteral(t), v) for t, v in parts]
    if len(parts) != array_type.ndim or not all(isinstance(t, types.Integer) for t, _ in integers):
        given = ", ".join(str(t) for t, _ in integers)
        raise VulkanUnsupportedError(
            f"indexing an array of {array_type.ndim} dimension(s) with ({given}): kernels index with one integer for "
            f"each axis; slices, partial and array indices are not supported yet"
        )
    array = arrays.proxy(context, builder, array_type, array_value)
    extents = arrays.extents(builder, array_type, array)
    positions = [_position(builder, t, v, extent) for (t, v), extent in zip(integers, extents, strict=True)]
    return array.binding, _element_index(builder, array_type, array, positions)


def _element_name(array_type: VulkanArray) -> str:
    element = element_of(array_type.dtype)
    if element is None:
        raise VulkanUnsupportedError(f"arrays of {array_type.dtype} are not supported by kernels")
    return element


def _load(context: Any, builder: ir.IRBuilder, sig: Any, args: Values) -> ir.Value:
    array_type, index_type = sig.args
    parts = _unpacked_index(builder, index_type, args[1])
    binding, index = _locate(context, builder, array_type, args[0], parts)
    value = placeholders.call(builder, abi.load_name(_element_name(array_type)), binding, index)
    if array_type.dtype is types.boolean:
        return builder.icmp_unsigned("!=", value, ir.Constant(value.type, 0))
    return value


def _store(context: Any, builder: ir.IRBuilder, sig: Any, args: Values) -> ir.Value:
    array_type, index_type, value_type = sig.args
    parts = _unpacked_index(builder, index_type, args[1])
    if isinstance(value_type, types.Buffer | types.Sequence):
        raise VulkanUnsupportedError(f"assigning a value of type {value_type} to an element of {array_type}")
    binding, index = _locate(context, builder, array_type, args[0], parts)
    value = context.cast(builder, args[2], value_type, array_type.dtype)
    if array_type.dtype is types.boolean:
        value = builder.zext(value, ir.IntType(8))
    placeholders.call(builder, abi.store_name(_element_name(array_type)), binding, index, value)
    return context.get_dummy_value()


for _index in (
    types.Integer,
    types.BaseTuple,
    types.SliceType,
    types.NoneType,
    types.EllipsisType,
    types.Array,
):
    lowering.lower(operator.getitem, VulkanArray, _index)(_load)
lowering.lower(operator.setitem, VulkanArray, types.Any, types.Any)(_store)
