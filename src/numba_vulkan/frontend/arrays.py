"""Lowering of what an array knows of itself: size, strides, itemsize; Numba's own code does shape, ndim and len."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.imputils import Registry

from .. import abi
from .types import VulkanArray, element_of

__all__ = ["extents", "lowering", "proxy", "steps"]

lowering = Registry()
_I32, _I64 = ir.IntType(32), ir.IntType(64)


def proxy(context: Any, builder: ir.IRBuilder, array_type: VulkanArray, value: ir.Value) -> Any:
    """Return Numba's accessor to the members of an array value."""
    return cgutils.create_struct_proxy(array_type)(context, builder, value=value)


def extents(builder: ir.IRBuilder, array_type: VulkanArray, array: Any) -> list[ir.Value]:
    """Return the extents in 32 bits."""
    return [
        builder.trunc(extent, _I32) for extent in cgutils.unpack_tuple(builder, array.shape, array_type.ndim)
    ]


def steps(builder: ir.IRBuilder, array_type: VulkanArray, array: Any) -> list[ir.Value]:
    """Return the step along each axis, in elements and 32 bits."""
    if array_type.layout == "A":
        return cgutils.unpack_tuple(builder, array.steps, array_type.ndim)
    lengths = extents(builder, array_type, array)
    axes = range(array_type.ndim)
    order = list(axes) if array_type.layout == "F" else list(reversed(axes))
    result: list[ir.Value] = [ir.Constant(_I32, 1)] * array_type.ndim
    for previous, axis in pairwise(order):
        result[axis] = builder.mul(result[previous], lengths[previous])
    return result


def _itemsize(array_type: VulkanArray) -> ir.Constant:
    element = element_of(array_type.dtype)
    assert element is not None
    return ir.Constant(_I64, abi.ELEMENT_BYTES[element])


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
    itemsize = _itemsize(array_type)
    in_bytes = [builder.mul(builder.sext(step, _I64), itemsize) for step in steps(builder, array_type, array)]
    return cgutils.pack_array(builder, in_bytes, _I64)
