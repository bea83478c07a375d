"""Assigning to views: scalars, tuples, arrays and expressions, in an order that overlap allows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from .. import abi
from . import arrays, elements, placeholders
from .arrays import View
from .broadcasting import loops, refuse_shapes
from .expressions import Bound, Gathered, Leaf, bind, element_of, gathered_leaves_of, leaves_of, permuted
from .record_types import VulkanRecord
from .types import VulkanArray, VulkanExpression, members_of, refuse_wide

__all__ = ["assign", "assign_bound"]

_I32 = ir.IntType(32)
Target = tuple[VulkanArray, View]


def assign(context: Any, builder: ir.IRBuilder, target: Target, source: tuple[Any, ir.Value]) -> None:
    """Assign a scalar, a tuple, an array or an expression to a view; the types have been checked by Numba."""
    array_type, view = target
    value_type, value = source
    for kind in (array_type, value_type) if isinstance(value_type, types.Array | types.BaseTuple) else ():
        if isinstance(kind, VulkanArray):
            refuse_wide(kind, "assignments of arrays and tuples")
    if isinstance(value_type, VulkanArray | VulkanExpression):
        assign_bound(context, builder, target, bind(context, builder, value_type, value, view.extents))
    elif isinstance(value_type, types.BaseTuple):
        _assign_tuple(context, builder, target, value_type, value)
    else:
        if not isinstance(value_type, VulkanRecord):
            value_type, value = array_type.dtype, context.cast(builder, value, value_type, array_type.dtype)
        with loops(builder, view.extents) as positions:
            index = view.element(builder, positions)
            arrays.store(context, builder, array_type, view.binding, index, value, value_type)


def _assign_tuple(
    context: Any, builder: ir.IRBuilder, target: Target, tuple_type: Any, value: ir.Value
) -> None:
    array_type, view = target
    count = ir.Constant(_I32, len(tuple_type))
    differ = builder.icmp_unsigned("!=", view.extents[0], count)
    refuse_shapes(context, builder, differ, [count], view.extents)
    for k, (kind, item) in enumerate(
        zip(members_of(tuple_type), cgutils.unpack_tuple(builder, value, len(tuple_type)), strict=True)
    ):
        index = view.element(builder, [ir.Constant(_I32, k)])
        arrays.store(context, builder, array_type, view.binding, index, item, kind)


def assign_bound(context: Any, builder: ir.IRBuilder, target: Target, source: Bound) -> None:
    """Store an expression, whose arrays have the target's extents, so that nothing is overwritten before it is read."""
    array_type, view = target
    leaves = list(leaves_of(source))
    stuck = _FALSE
    for leaf in gathered_leaves_of(context, builder, source):
        stuck = builder.or_(stuck, _may_meet(builder, target, (leaf.array_type, leaf.view)))
    is_reversed = _has_short_first_axis(builder, view)
    view, source = permuted(builder, view, is_reversed), _turned(builder, source, is_reversed)
    target_of = array_type, view
    overlaps = [_Overlap(builder, target_of, (leaf.array_type, leaf.view)) for leaf in leaves_of(source)]
    ascends = _direction(context, builder, overlaps, stuck)
    is_copy = isinstance(source, Leaf) and source.array_type.element_form == array_type.element_form
    with builder.if_then(builder.not_(overlaps[0].is_same if is_copy and leaves else _FALSE)):
        turns = [
            _turn(builder, extent, step, ascends)
            for extent, step in zip(view.extents, view.steps, strict=True)
        ]
        with loops(builder, view.extents) as counts:
            positions = [
                builder.select(keeps, count, builder.sub(last, count))
                for (keeps, last), count in zip(turns, counts, strict=True)
            ]
            kind, value = element_of(context, builder, source, positions)
            index = view.element(builder, positions)
            arrays.store(context, builder, array_type, view.binding, index, value, kind)


_FALSE, _TRUE = ir.Constant(ir.IntType(1), 0), ir.Constant(ir.IntType(1), 1)


def _turn(
    builder: ir.IRBuilder, extent: ir.Value, step: ir.Value, ascends: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """Return of an axis whether its positions are walked upwards, and the last one."""
    rises = builder.icmp_signed(">=", step, ir.Constant(_I32, 0))
    return builder.icmp_unsigned("==", rises, ascends), builder.sub(extent, ir.Constant(_I32, 1))


def _length(builder: ir.IRBuilder, step: ir.Value) -> ir.Value:
    return builder.select(builder.icmp_signed("<", step, ir.Constant(_I32, 0)), builder.neg(step), step)


def _has_short_first_axis(builder: ir.IRBuilder, view: View) -> ir.Value:
    """Return whether the first axis has shorter steps than the last: the loop over it belongs inside."""
    if len(view.steps) < 2:
        return _FALSE
    return builder.icmp_signed("<", _length(builder, view.steps[0]), _length(builder, view.steps[-1]))


def _turned(builder: ir.IRBuilder, bound: Bound, is_reversed: ir.Value) -> Bound:
    """Return an expression with its axes in reverse order if so told."""
    if isinstance(bound, Leaf):
        return replace(bound, view=permuted(builder, bound.view, is_reversed))
    if isinstance(bound, Gathered):
        return replace(bound, is_reversed=is_reversed)
    parts = getattr(bound, "parts", None)
    if parts is None:
        return bound
    return replace(bound, parts=tuple(_turned(builder, part, is_reversed) for part in parts))


# ---- overlap


def _span(builder: ir.IRBuilder, view: View, size: int) -> tuple[ir.Value, ir.Value]:
    """Return the lowest and the highest index in the buffer of a view's elements, which take ``size`` units each."""
    low = high = view.offset
    zero, one = ir.Constant(_I32, 0), ir.Constant(_I32, 1)
    for extent, step in zip(view.extents, view.steps, strict=True):
        reach = builder.mul(builder.sub(extent, one), step)
        falls = builder.icmp_signed("<", step, zero)
        low = builder.add(low, builder.select(falls, reach, zero))
        high = builder.add(high, builder.select(falls, zero, reach))
    return low, elements.scaled(builder, high, 1, size - 1)


def _in_one_unit(builder: ir.IRBuilder, target: Target, source: Target) -> tuple[View, View, int]:
    """Return two views in the smaller of their units, and that."""
    unit = min(array_type.unit for array_type, _ in (target, source))
    view, other = (v.in_units(builder, array_type.unit // unit) for array_type, v in (target, source))
    return view, other, unit


def _are_interleaved(builder: ir.IRBuilder, view: View, other: View, sizes: list[int]) -> ir.Value:
    """Return whether elements of two views with the same steps lie between each other's, as columns of records do."""
    if not view.steps:
        return _FALSE
    zero, one = ir.Constant(_I32, 0), ir.Constant(_I32, 1)
    period = _length(builder, view.steps[-1])
    period = builder.select(builder.icmp_signed("==", period, zero), one, period)
    distance = builder.srem(builder.sub(other.offset, view.offset), period)
    falls = builder.icmp_signed("<", distance, zero)
    distance = builder.select(falls, builder.add(distance, period), distance)
    behind = builder.icmp_signed(">=", distance, ir.Constant(_I32, sizes[0]))
    fits = builder.icmp_signed("<=", distance, builder.sub(period, ir.Constant(_I32, sizes[1])))
    found = builder.and_(behind, fits)
    for extent, step in zip(view.extents[:-1], view.steps[:-1], strict=True):
        is_multiple = builder.icmp_signed("==", builder.srem(step, period), zero)
        found = builder.and_(found, builder.or_(builder.icmp_signed("<=", extent, one), is_multiple))
    return found


def _spans_meet(builder: ir.IRBuilder, views: tuple[View, View], sizes: list[int]) -> ir.Value:
    """Return whether there are indices that two views in one unit reach, or pass by."""
    (low, high), (other_low, other_high) = (
        _span(builder, v, size) for v, size in zip(views, sizes, strict=True)
    )
    return builder.and_(
        builder.icmp_signed("<=", low, other_high), builder.icmp_signed("<=", other_low, high)
    )


def _may_meet(builder: ir.IRBuilder, target: Target, source: Target) -> ir.Value:
    """Return whether views of any shapes may share elements."""
    view, other, unit = _in_one_unit(builder, target, source)
    sizes = [array_type.itemsize // unit for array_type, _ in (target, source)]
    is_empty = _FALSE
    for extent in (*view.extents, *other.extents):
        is_empty = builder.or_(is_empty, builder.icmp_signed("==", extent, ir.Constant(_I32, 0)))
    meets = _spans_meet(builder, (view, other), sizes)
    may_share = placeholders.call(builder, abi.ARE_ALIASED)
    same_buffer = builder.icmp_signed("==", view.binding, other.binding)
    aliased_meets = meets if sizes[0] == sizes[1] else _TRUE
    shares = builder.select(same_buffer, meets, builder.and_(may_share, aliased_meets))
    return builder.and_(shares, builder.not_(is_empty))


class _Overlap:
    """What a target and an array that is read have in common.

    Two views with the same steps are walked towards the one that is read: in ascending order of addresses if the
    target lies before it, else in descending order. The walk visits addresses in order if each axis steps beyond all
    that lies within it.

    Attributes
    ----------
    conflicts : ir.Value
        Whether they share elements at different positions.
    walks : ir.Value
        Whether there is an order that helps.
    ascends : ir.Value
        Whether it is the ascending one.
    is_same : ir.Value
        Whether they are the same elements at the same positions.
    """

    def __init__(self, builder: ir.IRBuilder, target: Target, source: Target) -> None:
        view, other, unit = _in_one_unit(builder, target, source)
        sizes = [array_type.itemsize // unit for array_type, _ in (target, source)]
        zero, one = ir.Constant(_I32, 0), ir.Constant(_I32, 1)
        same_steps, ordered, is_empty, reach = _TRUE, _TRUE, _FALSE, zero
        for extent, step, other_step in reversed(
            list(zip(view.extents, view.steps, other.steps, strict=True))
        ):
            is_short = builder.icmp_signed("<=", extent, one)
            is_empty = builder.or_(is_empty, builder.icmp_signed("==", extent, zero))
            equal = builder.icmp_signed("==", step, other_step)
            same_steps = builder.and_(same_steps, builder.or_(is_short, equal))
            length = _length(builder, step)
            ordered = builder.and_(ordered, builder.or_(is_short, builder.icmp_signed(">", length, reach)))
            reach = builder.add(reach, builder.mul(builder.sub(extent, one), length))
        meets = _spans_meet(builder, (view, other), sizes)
        same_buffer = builder.icmp_signed("==", view.binding, other.binding)
        at_same = builder.and_(same_steps, builder.icmp_signed("==", view.offset, other.offset))
        self.is_same = builder.and_(same_buffer, at_same)
        apart = builder.and_(same_steps, _are_interleaved(builder, view, other, sizes))
        meets = builder.and_(meets, builder.not_(builder.or_(builder.or_(at_same, is_empty), apart)))
        # Arrays at different bindings may share memory all the same. Then they lie in one buffer, with indices that
        # can be compared if their elements have one size; if not, nothing is known of where they meet.
        if sizes[0] == sizes[1]:
            aliased_meets = meets
        else:
            aliased_meets, same_steps = builder.not_(is_empty), builder.and_(same_steps, same_buffer)
        may_share = placeholders.call(builder, abi.ARE_ALIASED)
        self.conflicts = builder.select(same_buffer, meets, builder.and_(may_share, aliased_meets))
        self.meets = meets
        self.walks = builder.and_(same_steps, ordered)
        self.ascends = builder.icmp_signed("<=", view.offset, other.offset)


def _direction(context: Any, builder: ir.IRBuilder, overlaps: list[_Overlap], stuck: ir.Value) -> ir.Value:
    """Return whether addresses are walked upwards; raise if no order does, or it is known that none does."""
    needs_up = needs_down = wants_down = _FALSE
    for overlap in overlaps:
        stuck = builder.or_(stuck, builder.and_(overlap.conflicts, builder.not_(overlap.walks)))
        needs_up = builder.or_(needs_up, builder.and_(overlap.conflicts, overlap.ascends))
        falls = builder.not_(overlap.ascends)
        needs_down = builder.or_(needs_down, builder.and_(overlap.conflicts, falls))
        wants_down = builder.or_(wants_down, builder.and_(overlap.meets, falls))
    stuck = builder.or_(stuck, builder.and_(needs_up, needs_down))
    with builder.if_then(stuck, likely=False):
        context.call_conv.return_user_exc(
            builder,
            ValueError,
            ("cannot assign: the two sides overlap in a way that needs a copy; assign element by element",),
            loc=None,
        )
    return builder.not_(builder.or_(needs_down, builder.and_(wants_down, builder.not_(needs_up))))
