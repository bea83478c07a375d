"""Assigning to views: scalars, sequences and other arrays, with broadcasting and in an order that overlap allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from . import arrays
from .arrays import View
from .types import VulkanArray

__all__ = ["assign", "positions_of"]

_I32 = ir.IntType(32)
Typed = tuple[Any, ir.Value]


@contextmanager
def positions_of(builder: ir.IRBuilder, extents: list[ir.Value]) -> Iterator[list[ir.Value]]:
    """Open a loop over all positions of an array, the last axis innermost."""
    with ExitStack() as loops:
        yield [loops.enter_context(cgutils.for_range(builder, extent)).index for extent in extents]


def assign(context: Any, builder: ir.IRBuilder, target: tuple[VulkanArray, View], source: Typed) -> None:
    """Assign a scalar, a tuple or an array to a view; the types have been checked by Numba."""
    array_type, view = target
    value_type, value = source
    if isinstance(value_type, VulkanArray):
        given = arrays.view_of(context, builder, value_type, value)
        _assign_array(context, builder, target, value_type, given)
    elif isinstance(value_type, types.BaseTuple):
        _assign_tuple(context, builder, target, value_type, value)
    else:
        element = context.cast(builder, value, value_type, array_type.dtype)
        with positions_of(builder, view.extents) as positions:
            arrays.store(
                context, builder, array_type, view.binding, view.element(builder, positions), element
            )


def _assign_tuple(
    context: Any, builder: ir.IRBuilder, target: tuple[VulkanArray, View], tuple_type: Any, value: ir.Value
) -> None:
    array_type, view = target
    count = ir.Constant(_I32, len(tuple_type))
    differ = builder.icmp_unsigned("!=", view.extents[0], count)
    _refuse_shapes(context, builder, differ, [count], view.extents)
    for k, (kind, item) in enumerate(
        zip(tuple_type.types, cgutils.unpack_tuple(builder, value, len(tuple_type)), strict=True)
    ):
        element = context.cast(builder, item, kind, array_type.dtype)
        index = view.element(builder, [ir.Constant(_I32, k)])
        arrays.store(context, builder, array_type, view.binding, index, element)


def _shape(extents: list[ir.Value]) -> str:
    """Return a template for a shape as Python writes it."""
    return f"({', '.join('{}' for _ in extents)}{',' if len(extents) == 1 else ''})"


def _refuse_shapes(
    context: Any, builder: ir.IRBuilder, differ: ir.Value, given: list[ir.Value], wanted: list[ir.Value]
) -> None:
    """Raise if shapes that must agree do not."""
    with builder.if_then(differ, likely=False):
        text = (
            f"cannot assign a value of shape {_shape(given)} to a part of an array of shape {_shape(wanted)}"
        )
        context.call_conv.return_text(
            builder, ValueError, text, [(types.int32, extent) for extent in (*given, *wanted)]
        )


def broadcast(context: Any, builder: ir.IRBuilder, view: View, extents: list[ir.Value]) -> View:
    """Return a view with these extents; axes of extent 1 are repeated, and more axes added at the front."""
    one, zero = ir.Constant(_I32, 1), ir.Constant(_I32, 0)
    surplus = len(view.extents) - len(extents)
    own, own_steps = view.extents[max(surplus, 0) :], view.steps[max(surplus, 0) :]
    added = len(extents) - len(own)
    differ: ir.Value = ir.Constant(ir.IntType(1), 0)
    for extent in view.extents[: max(surplus, 0)]:
        # NumPy drops surplus leading axes of extent 1 in assignments.
        differ = builder.or_(differ, builder.icmp_unsigned("!=", extent, one))
    steps: list[ir.Value] = [zero] * added
    for extent, step, wanted in zip(own, own_steps, extents[added:], strict=True):
        is_repeated = builder.icmp_unsigned("==", extent, one)
        fits = builder.or_(is_repeated, builder.icmp_unsigned("==", extent, wanted))
        differ = builder.or_(differ, builder.not_(fits))
        steps.append(builder.select(is_repeated, zero, step))
    _refuse_shapes(context, builder, differ, view.extents, extents)
    return replace(view, extents=extents, steps=steps)


def _assign_array(
    context: Any,
    builder: ir.IRBuilder,
    target: tuple[VulkanArray, View],
    source_type: VulkanArray,
    given: View,
) -> None:
    """Copy an array, so that no element is overwritten before it is read."""
    array_type, view = target
    view, source = _outermost_first(builder, view, broadcast(context, builder, given, view.extents))
    directions = _directions(context, builder, view, source)
    with positions_of(builder, view.extents) as counts:
        positions = [turn(count) for turn, count in zip(directions, counts, strict=True)]
        element = arrays.load(
            context, builder, source_type, source.binding, source.element(builder, positions)
        )
        element = context.cast(builder, element, source_type.dtype, array_type.dtype)
        arrays.store(context, builder, array_type, view.binding, view.element(builder, positions), element)


def _length(builder: ir.IRBuilder, step: ir.Value) -> ir.Value:
    return builder.select(builder.icmp_signed("<", step, ir.Constant(_I32, 0)), builder.neg(step), step)


def _outermost_first(builder: ir.IRBuilder, view: View, other: View) -> tuple[View, View]:
    """Return two views with their axes in reverse if the target's first axis has shorter steps than its last."""
    if len(view.steps) < 2:
        return view, other
    first, last = (_length(builder, step) for step in (view.steps[0], view.steps[-1]))
    is_reversed = builder.icmp_signed("<", first, last)

    def turned(values: list[ir.Value]) -> list[ir.Value]:
        return [builder.select(is_reversed, b, a) for a, b in zip(values, values[::-1], strict=True)]

    extents = turned(view.extents)
    return (
        replace(view, extents=extents, steps=turned(view.steps)),
        replace(other, extents=extents, steps=turned(other.steps)),
    )


def _span(builder: ir.IRBuilder, view: View) -> tuple[ir.Value, ir.Value]:
    """Return the lowest and the highest index in the buffer of a view's elements."""
    low = high = view.offset
    zero, one = ir.Constant(_I32, 0), ir.Constant(_I32, 1)
    for extent, step in zip(view.extents, view.steps, strict=True):
        reach = builder.mul(builder.sub(extent, one), step)
        falls = builder.icmp_signed("<", step, zero)
        low = builder.add(low, builder.select(falls, reach, zero))
        high = builder.add(high, builder.select(falls, zero, reach))
    return low, high


def _directions(
    context: Any, builder: ir.IRBuilder, view: View, other: View
) -> list[Callable[[ir.Value], ir.Value]]:
    """Return for each axis how a count becomes a position.

    Two views with the same steps are walked towards the source: in ascending order of addresses if the target lies
    before the source, else in descending order. The walk visits addresses in order if each axis steps beyond all
    that lies within it. Other views that overlap would need a copy; the kernel raises for them.
    """
    true = ir.Constant(ir.IntType(1), 1)
    zero, one = ir.Constant(_I32, 0), ir.Constant(_I32, 1)
    same_steps, ordered, reach = true, true, zero
    is_empty = ir.Constant(ir.IntType(1), 0)
    for extent, step, other_step in reversed(list(zip(view.extents, view.steps, other.steps, strict=True))):
        is_short = builder.icmp_signed("<=", extent, one)
        is_empty = builder.or_(is_empty, builder.icmp_signed("==", extent, zero))
        equal = builder.icmp_signed("==", step, other_step)
        same_steps = builder.and_(same_steps, builder.or_(is_short, equal))
        length = _length(builder, step)
        ordered = builder.and_(ordered, builder.or_(is_short, builder.icmp_signed(">", length, reach)))
        reach = builder.add(reach, builder.mul(builder.sub(extent, one), length))
    low, high = _span(builder, view)
    other_low, other_high = _span(builder, other)
    overlaps = builder.and_(
        builder.icmp_signed("<=", low, other_high), builder.icmp_signed("<=", other_low, high)
    )
    same_buffer = builder.icmp_signed("==", view.binding, other.binding)
    walks = builder.or_(builder.and_(same_steps, ordered), is_empty)
    refused = builder.and_(builder.and_(same_buffer, overlaps), builder.not_(walks))
    with builder.if_then(refused, likely=False):
        context.call_conv.return_user_exc(
            builder,
            ValueError,
            ("cannot assign: the two sides overlap in a way that needs a copy; assign element by element",),
            loc=None,
        )
    ascends = builder.icmp_signed("<=", view.offset, other.offset)

    def direction(extent: ir.Value, step: ir.Value) -> Callable[[ir.Value], ir.Value]:
        rises = builder.icmp_signed(">=", step, zero)
        keeps = builder.icmp_unsigned("==", rises, ascends)
        last = builder.sub(extent, one)
        return lambda count: builder.select(keeps, count, builder.sub(last, count))

    return [direction(extent, step) for extent, step in zip(view.extents, view.steps, strict=True)]
