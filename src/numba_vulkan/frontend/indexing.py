"""Lowering of reading and writing array elements and of views: index arithmetic in 32 bits, then a placeholder call."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import Registry

from ..errors import VulkanUnsupportedError
from . import arrays, assignment, elements
from .arrays import View
from .types import VulkanArray, VulkanExpression
from .wording import noun

__all__ = ["locate", "lowering", "positions_of", "unpacked_index"]

lowering = Registry()
_I64 = ir.IntType(64)
_LARGEST, _SMALLEST = 2**31 - 1, -(2**31)
Values = tuple[ir.Value, ...]
_INDICES = "indexing an array with an array is not supported in kernels: loop over the indices"
_MASK = (
    "indexing an array with a mask is not supported in kernels: write np.where, or a loop with a condition"
)

Parts = list[tuple[Any, ir.Value]]


def _position(builder: ir.IRBuilder, index_type: Any, index: ir.Value, extent: ir.Value) -> ir.Value:
    """Return one index as a position along its axis, as wide as the extent; negative ones count from the end.

    As a rule extents are below 2**31, so that the upper half of an index in range is its sign; LLVM then computes whole
    chains of 64-bit index arithmetic in 32 bits.
    """
    if index_type.bitwidth > extent.type.width:
        index = builder.trunc(index, extent.type)
    elif index_type.bitwidth < extent.type.width:
        widen = builder.sext if index_type.signed else builder.zext
        index = widen(index, extent.type)
    if not index_type.signed:
        return index
    negative = builder.icmp_signed("<", index, ir.Constant(extent.type, 0))
    return builder.select(negative, builder.add(index, extent), index)


def _check_bounds(
    context: Any, builder: ir.IRBuilder, extents: list[ir.Value], axis: int, index_type: Any, index: ir.Value
) -> None:
    """With ``boundscheck=True``, raise if an index lies beyond its axis; it is looked at in all its bits."""
    if not context.enable_boundscheck:
        return
    wide = context.cast(builder, index, index_type, types.intp)
    extent = arrays.in_64_bits(builder, extents[axis])
    low = builder.neg(extent) if index_type.signed else ir.Constant(_I64, 0)
    beyond = builder.or_(builder.icmp_signed("<", wide, low), builder.icmp_signed(">=", wide, extent))
    with builder.if_then(beyond, likely=False):
        shape = ", ".join("{}" for _ in extents) + ("," if len(extents) == 1 else "")
        context.call_conv.return_text(
            builder,
            IndexError,
            f"index {{}} is out of bounds for axis {axis} of an array of shape ({shape})",
            [
                (types.int64 if index_type.signed else types.uint64, wide),
                *((getattr(types, f"int{e.type.width}"), e) for e in extents),
            ],
        )


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
    index = positions[0] if positions else ir.Constant(arrays.index_type(array_type), 0)
    for position, extent in zip(positions[1:], extents[1:], strict=True):
        index = builder.add(builder.mul(index, extent), position)
    index = elements.scaled(builder, index, array_type.itemsize // array_type.unit)
    return builder.add(index, array.offset)


def unpacked_index(
    builder: ir.IRBuilder, index_type: Any, index: ir.Value
) -> list[tuple[types.Type, ir.Value]]:
    """Return the parts of an index expression with their types."""
    if not isinstance(index_type, types.BaseTuple):
        return [(index_type, index)]
    kinds: tuple[types.Type, ...] = index_type.types
    return list(zip(kinds, cgutils.unpack_tuple(builder, index, len(index_type)), strict=True))


def _parts(context: Any, builder: ir.IRBuilder, index_type: Any, index: ir.Value) -> Parts:
    """Return the parts of an index expression; what stands for an integer becomes one.

    Raises
    ------
    VulkanUnsupportedError
        If an array of indices is among the parts.
    """
    parts: Parts = []
    for given, value in unpacked_index(builder, index_type, index):
        kind = types.unliteral(given)
        if isinstance(kind, VulkanExpression) or (isinstance(kind, VulkanArray) and kind.ndim):
            raise VulkanUnsupportedError(_MASK if kind.dtype is types.boolean else _INDICES)
        if isinstance(kind, VulkanArray):
            if not isinstance(kind.dtype, types.Integer):
                raise VulkanUnsupportedError(f"an index is an integer, not {noun(kind.dtype)}")
            view = arrays.view_of(context, builder, kind, value)
            parts.append((kind.dtype, arrays.load(context, builder, kind, view.binding, view.offset)))
        elif isinstance(kind, types.IntEnumMember):
            parts.append((types.intp, context.cast(builder, value, kind, types.intp)))
        else:
            parts.append((kind, value))
    return parts


# ---- elements


def positions_of(
    context: Any, builder: ir.IRBuilder, extents: list[ir.Value], integers: Parts
) -> list[ir.Value]:
    """Return the position along each axis that one integer for each names."""
    for axis, (kind, index) in enumerate(integers):
        _check_bounds(context, builder, extents, axis, kind, index)
    return [_position(builder, t, v, extent) for (t, v), extent in zip(integers, extents, strict=True)]


def locate(
    context: Any, builder: ir.IRBuilder, array_type: VulkanArray, array_value: ir.Value, parts: Parts
) -> tuple[ir.Value, ir.Value]:
    """Return binding and element index of ``array[parts]``, one integer for each axis."""
    array = arrays.proxy(context, builder, array_type, array_value)
    extents = arrays.extents(builder, array_type, array)
    integers = [(t, v) for t, v in parts if t is not types.ellipsis]
    positions = positions_of(context, builder, extents, integers)
    return array.binding, _element_index(builder, array_type, array, positions)


# ---- views


def _saturated(builder: ir.IRBuilder, value: ir.Value, to: ir.IntType) -> ir.Value:
    """Return a 64-bit integer as a position; what does not fit becomes the nearest value, beyond every array."""
    if to == _I64:
        return value
    for limit, comparison in ((_LARGEST, ">"), (_SMALLEST, "<")):
        bound = ir.Constant(_I64, limit)
        value = builder.select(builder.icmp_signed(comparison, value, bound), bound, value)
    return builder.trunc(value, to)


def _clamped(
    builder: ir.IRBuilder, bound: ir.Value, extent: ir.Value, low: ir.Value, high: ir.Value
) -> ir.Value:
    """Return the start or the end of a slice as a position between ``low`` and ``high``."""
    negative = builder.icmp_signed("<", bound, ir.Constant(bound.type, 0))
    position = builder.select(negative, builder.add(bound, extent), bound)
    position = builder.select(builder.icmp_signed("<", position, low), low, position)
    return builder.select(builder.icmp_signed(">", position, high), high, position)


def _slice(
    context: Any, builder: ir.IRBuilder, slice_type: Any, value: ir.Value, extent: ir.Value
) -> tuple[ir.Value, ir.Value, ir.Value]:
    """Return first position, number of positions, and step of a slice along an axis."""
    given = context.make_helper(builder, slice_type, value=value)
    kind = extent.type
    start, stop = (_saturated(builder, bound, kind) for bound in (given.start, given.stop))
    zero, one = ir.Constant(kind, 0), ir.Constant(kind, 1)
    if not slice_type.has_step:
        start = _clamped(builder, start, extent, zero, extent)
        stop = _clamped(builder, stop, extent, start, extent)
        return start, builder.sub(stop, start), one
    step = _saturated(builder, given.step, kind)
    with builder.if_then(builder.icmp_signed("==", step, zero), likely=False):
        context.call_conv.return_user_exc(builder, ValueError, ("slice step cannot be zero",), loc=None)
    forward = builder.icmp_signed(">", step, zero)
    # Backwards, positions run from the last one down to the one before the first.
    low = builder.select(forward, zero, ir.Constant(kind, -1))
    high = builder.select(forward, extent, builder.sub(extent, one))
    start = _clamped(builder, start, extent, low, high)
    stop = _clamped(builder, stop, extent, low, high)
    distance = builder.select(forward, builder.sub(stop, start), builder.sub(start, stop))
    width = builder.select(forward, step, builder.neg(step))
    width = builder.select(builder.icmp_unsigned("==", width, zero), one, width)
    count = builder.add(builder.udiv(builder.sub(distance, one), width), one)
    count = builder.select(builder.icmp_signed(">", distance, zero), count, zero)
    return start, count, step


def select(
    context: Any, builder: ir.IRBuilder, array_type: VulkanArray, value: ir.Value, parts: Parts
) -> View:
    """Return the part of an array that basic indexing names."""
    whole = arrays.view_of(context, builder, array_type, value)
    consumed = sum(isinstance(t, types.Integer | types.SliceType) for t, _ in parts)
    index, axis = whole.offset, 0
    extents: list[ir.Value] = []
    steps: list[ir.Value] = []
    for kind, part in parts:
        if kind is types.ellipsis:
            covered = array_type.ndim - consumed
            extents += whole.extents[axis : axis + covered]
            steps += whole.steps[axis : axis + covered]
            axis += covered
            continue
        if isinstance(kind, types.NoneType):
            extents.append(ir.Constant(whole.offset.type, 1))
            steps.append(ir.Constant(whole.offset.type, 0))
            continue
        extent, step = whole.extents[axis], whole.steps[axis]
        axis += 1
        if isinstance(kind, types.SliceType):
            start, count, stride = _slice(context, builder, kind, part, extent)
            extents.append(count)
            steps.append(builder.mul(step, stride))
        else:
            _check_bounds(context, builder, whole.extents, axis - 1, kind, part)
            start = _position(builder, kind, part, extent)
        index = builder.add(index, builder.mul(start, step))
    return View(whole.binding, index, extents + whole.extents[axis:], steps + whole.steps[axis:])


# ---- reading and writing


def _read(context: Any, builder: ir.IRBuilder, sig: Any, args: Values) -> ir.Value:
    array_type, index_type = sig.args
    parts = _parts(context, builder, index_type, args[1])
    if isinstance(sig.return_type, VulkanArray):
        return select(context, builder, array_type, args[0], parts).value(context, builder, sig.return_type)
    binding, index = locate(context, builder, array_type, args[0], parts)
    return arrays.load(context, builder, array_type, binding, index)


def _write(context: Any, builder: ir.IRBuilder, sig: Any, args: Values) -> ir.Value:
    array_type, index_type, value_type = sig.args
    parts = _parts(context, builder, index_type, args[1])
    is_element = len(parts) == array_type.ndim and all(isinstance(t, types.Integer) for t, _ in parts)
    if is_element and not isinstance(value_type, types.Array | types.Sequence):
        binding, index = locate(context, builder, array_type, args[0], parts)
        arrays.store(context, builder, array_type, binding, index, args[2], value_type)
    else:
        target = select(context, builder, array_type, args[0], parts)
        assignment.assign(context, builder, (array_type, target), (value_type, args[2]))
    return context.get_dummy_value()


for _index in (
    types.Integer,
    types.BaseTuple,
    types.SliceType,
    types.NoneType,
    types.EllipsisType,
    types.Array,
    types.IntEnumMember,
):
    lowering.lower(operator.getitem, VulkanArray, _index)(_read)
lowering.lower(operator.setitem, VulkanArray, types.Any, types.Any)(_write)
