"""Values of arrays: where their elements lie, and what an array knows of itself.

Numba's own code does shape, ndim and len.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import Registry

from .. import abi
from ..errors import VulkanUnsupportedError
from . import placeholders
from .types import VulkanArray, element_of, parts_of

__all__ = ["View", "extents", "lowering", "load", "proxy", "steps", "store", "view_of"]

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


@dataclass(frozen=True)
class View:
    """Where the elements of an array lie, in elements and 32 bits.

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
        array.binding, array.offset = self.binding, self.offset
        array.shape = cgutils.pack_array(builder, [builder.zext(e, _I64) for e in self.extents], _I64)
        if array_type.layout == "A":
            array.steps = cgutils.pack_array(builder, self.steps, _I32)
        return array._getvalue()


def view_of(context: Any, builder: ir.IRBuilder, array_type: VulkanArray, value: ir.Value) -> View:
    """Return where the elements of an array lie."""
    array = proxy(context, builder, array_type, value)
    return View(
        array.binding, array.offset, extents(builder, array_type, array), steps(builder, array_type, array)
    )


def _element_name(array_type: VulkanArray) -> str:
    element = element_of(array_type.dtype)
    if element is None:
        raise VulkanUnsupportedError(f"arrays of {array_type.dtype} are not supported by kernels")
    return element


def _parts_at(builder: ir.IRBuilder, array_type: VulkanArray, index: ir.Value) -> list[ir.Value]:
    """Return the indices in the buffer of what an element consists of."""
    parts = parts_of(array_type.dtype)
    if parts == 1:
        return [index]
    first = builder.mul(index, ir.Constant(_I32, parts))
    return [builder.add(first, ir.Constant(_I32, part)) for part in range(parts)]


def _check_width(
    context: Any,
    builder: ir.IRBuilder,
    dtype: types.Type,
    binding: ir.Value,
    index: ir.Value,
    element: ir.Value,
) -> None:
    """With ``boundscheck=True``, raise for an element that is lost where integers are computed in 32 bits."""
    if not context.enable_boundscheck or not isinstance(dtype, types.Integer) or dtype.bitwidth < 64:
        return
    with builder.if_then(placeholders.call(builder, abi.NARROWS_INTEGERS)):
        excess = placeholders.call(builder, abi.excess_name(dtype.signed), binding, index, element)
        with builder.if_then(builder.icmp_unsigned("!=", excess, ir.Constant(_I32, 0)), likely=False):
            low = builder.trunc(element, _I32)
            extension = builder.ashr(low, ir.Constant(_I32, 31)) if dtype.signed else ir.Constant(_I32, 0)
            context.call_conv.return_text(
                builder,
                OverflowError,
                f"an element of an array of {dtype} is {{}}, which does not fit into the 32 bits in which narrow= "
                f"computes integers here: leave it out of @jit for exact integers",
                [(dtype, (low, builder.xor(excess, extension)))],
            )


def load(
    context: Any, builder: ir.IRBuilder, array_type: VulkanArray, binding: ir.Value, index: ir.Value
) -> ir.Value:
    """Return the element at an index of a buffer."""
    name = abi.load_name(_element_name(array_type))
    values = [
        placeholders.call(builder, name, binding, part) for part in _parts_at(builder, array_type, index)
    ]
    if array_type.dtype is types.boolean:
        return builder.icmp_unsigned("!=", values[0], ir.Constant(values[0].type, 0))
    if len(values) == 1:
        _check_width(context, builder, array_type.dtype, binding, index, values[0])
        return values[0]
    number = context.make_complex(builder, array_type.dtype)
    number.real, number.imag = values
    return number._getvalue()


def store(
    context: Any,
    builder: ir.IRBuilder,
    array_type: VulkanArray,
    binding: ir.Value,
    index: ir.Value,
    value: ir.Value,
) -> None:
    """Store a value of the array's element type at an index of a buffer."""
    values = [value]
    if array_type.dtype is types.boolean:
        values = [builder.zext(value, ir.IntType(8))]
    elif parts_of(array_type.dtype) > 1:
        number = context.make_complex(builder, array_type.dtype, value=value)
        values = [number.real, number.imag]
    name = abi.store_name(_element_name(array_type))
    for part, content in zip(_parts_at(builder, array_type, index), values, strict=True):
        placeholders.call(builder, name, binding, part, content)


def _itemsize(array_type: VulkanArray) -> ir.Constant:
    element = element_of(array_type.dtype)
    assert element is not None
    return ir.Constant(_I64, abi.ELEMENT_BYTES[element] * parts_of(array_type.dtype))


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
