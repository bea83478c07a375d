"""Views that are no indexing: transposes and reshapes; and iteration over arrays."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import RefType, Registry, iternext_impl
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, bound_function, signature
from numba.core.typing.templates import Registry as TypingRegistry
from numba.extending import overload

from ..errors import VulkanUnsupportedError
from . import arrays, indexing
from .arrays import View
from .types import VulkanArray, VulkanArrayIterator

__all__ = ["lowering", "typing"]

typing = TypingRegistry()
lowering = Registry()
_I64 = ir.IntType(64)


def _axes_of_shape(args: Any) -> int:
    """Return how many axes a shape given as one tuple or as several integers has.

    Raises
    ------
    VulkanUnsupportedError
        If it is no shape.
    """
    is_tuple = len(args) == 1 and isinstance(args[0], types.BaseTuple)
    given = tuple(args[0]) if is_tuple else args
    if not (given or is_tuple) or not all(isinstance(t, types.Integer) for t in given):
        raise VulkanUnsupportedError("reshape takes a tuple of integers, or integers")
    return len(given)


@typing.register_attr
class _ViewAttributes(AttributeTemplate):
    """Methods whose rules differ from those of Numba's arrays: views that Numba makes by copying do not exist."""

    key = VulkanArray

    @bound_function("array.reshape")
    def resolve_reshape(self, array: VulkanArray, args: Any, kws: Any) -> Any:
        """Type ``reshape``: C arrays, and arrays of one axis with any step."""
        ndim = _axes_of_shape(args)
        if kws:
            raise VulkanUnsupportedError("reshape takes no keywords in kernels")
        if array.layout != "C" and array.ndim != 1:
            raise VulkanUnsupportedError(
                "this reshape would need a copy: kernels reshape arrays in C order, or of one axis"
            )
        layout = "C" if array.layout in "CF" else "A"
        return signature(array.copy(ndim=ndim, layout=layout), *args)

    @bound_function("array.ravel")
    def resolve_ravel(self, array: VulkanArray, args: Any, kws: Any) -> Any:
        """Type ``ravel``, which is a view here or an error, never a copy."""
        if args or kws:
            raise VulkanUnsupportedError("ravel takes no arguments in kernels")
        if array.layout != "C" and array.ndim != 1:
            raise VulkanUnsupportedError(
                "this ravel would need a copy: kernels ravel arrays in C order, or of one axis"
            )
        return signature(array.copy(ndim=1, layout="C" if array.layout in "CF" else "A"))

    def resolve_flat(self, array: VulkanArray) -> VulkanArray:
        """Type ``flat``, a view like ``ravel``."""
        if array.layout != "C" and array.ndim != 1:
            raise VulkanUnsupportedError(
                "flat walks arrays in C order, or of one axis, in kernels: loop over np.ndindex(a.shape)"
            )
        return array.copy(ndim=1, layout="C" if array.layout in "CF" else "A")


@lowering.lower_cast(VulkanArray, VulkanArray)
def _convert(context: Any, builder: ir.IRBuilder, given: Any, wanted: Any, value: ir.Value) -> ir.Value:
    """Convert between types of arrays of one element type."""
    view = arrays.view_of(context, builder, given, value).in_units(builder, given.unit // wanted.unit)
    return view.value(context, builder, wanted)


# ---- transposes


def _reversed_axes(context: Any, builder: ir.IRBuilder, array_type: VulkanArray, value: ir.Value) -> View:
    view = arrays.view_of(context, builder, array_type, value)
    return View(view.binding, view.offset, view.extents[::-1], view.steps[::-1])


@lowering.lower_getattr(VulkanArray, "T")
def _lower_t(context: Any, builder: ir.IRBuilder, array_type: Any, value: ir.Value) -> ir.Value:
    if array_type.ndim <= 1:
        return value
    layout = {"C": "F", "F": "C"}.get(array_type.layout, "A")
    result_type = array_type.copy(layout=layout)
    return _reversed_axes(context, builder, array_type, value).value(context, builder, result_type)


@lowering.lower("array.transpose", VulkanArray)
def _lower_transpose(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
    return _lower_t(context, builder, sig.args[0], args[0])


def _permuted(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
    """Permute the axes; which, must be constant, as the result's steps are picked from a table otherwise."""
    array_type = sig.args[0]
    view = arrays.view_of(context, builder, array_type, args[0])
    order = (
        cgutils.unpack_tuple(builder, args[1]) if isinstance(sig.args[1], types.BaseTuple) else list(args[1:])
    )

    def pick(values: list[ir.Value], axis: ir.Value) -> ir.Value:
        count = ir.Constant(axis.type, len(values))
        negative = builder.icmp_signed("<", axis, ir.Constant(axis.type, 0))
        axis = builder.select(negative, builder.add(axis, count), axis)
        picked = values[0]
        for k, value in enumerate(values[1:], start=1):
            picked = builder.select(
                builder.icmp_unsigned("==", axis, ir.Constant(axis.type, k)), value, picked
            )
        return picked

    result = View(
        view.binding,
        view.offset,
        [pick(view.extents, a) for a in order],
        [pick(view.steps, a) for a in order],
    )
    return result.value(context, builder, sig.return_type)


lowering.lower("array.transpose", VulkanArray, types.BaseTuple)(_permuted)
lowering.lower("array.transpose", VulkanArray, types.VarArg(types.Integer))(_permuted)


# ---- reshapes


def _resolved_shape(
    context: Any, builder: ir.IRBuilder, size: ir.Value, given: list[ir.Value], kind: ir.IntType
) -> list[ir.Value]:
    """Return the extents of a reshape as wide as ``kind``, the one that is -1 computed; raise if the sizes differ."""
    minus_one, one = ir.Constant(_I64, -1), ir.Constant(_I64, 1)
    known, unknown = one, ir.Constant(_I64, 0)
    for extent in given:
        is_open = builder.icmp_signed("==", extent, minus_one)
        known = builder.mul(known, builder.select(is_open, one, extent))
        unknown = builder.add(unknown, builder.zext(is_open, _I64))
    divisor = builder.select(builder.icmp_signed("==", known, ir.Constant(_I64, 0)), one, known)
    left = builder.udiv(arrays.fit(builder, size, kind), arrays.fit(builder, divisor, kind))
    has_open = builder.icmp_signed("!=", unknown, ir.Constant(_I64, 0))
    total = builder.mul(known, builder.select(has_open, arrays.in_64_bits(builder, left), one))
    wrong = builder.or_(builder.icmp_signed("!=", total, size), builder.icmp_signed(">", unknown, one))
    for extent in given:
        wrong = builder.or_(wrong, builder.icmp_signed("<", extent, minus_one))
    with builder.if_then(wrong, likely=False):
        context.call_conv.return_user_exc(
            builder, ValueError, ("cannot reshape: the array has another size",), loc=None
        )
    return [
        builder.select(builder.icmp_signed("==", e, minus_one), left, arrays.fit(builder, e, kind))
        for e in given
    ]


def _reshaped(
    context: Any, builder: ir.IRBuilder, sig: Any, value: ir.Value, given: list[ir.Value]
) -> ir.Value:
    array_type = sig.args[0]
    view = arrays.view_of(context, builder, array_type, value)
    size: ir.Value = ir.Constant(_I64, 1)
    for extent in view.extents:
        size = builder.mul(size, arrays.in_64_bits(builder, extent))
    kind = arrays.index_type(array_type)
    extents = _resolved_shape(context, builder, size, given, kind)
    # Steps count only in arrays of one axis, which may step by more than one element.
    is_packed = array_type.layout != "A"
    step = ir.Constant(kind, array_type.itemsize // array_type.unit) if is_packed else view.steps[-1]
    steps: list[ir.Value] = []
    for extent in reversed(extents):
        steps.insert(0, step)
        step = builder.mul(step, extent)
    return View(view.binding, view.offset, extents, steps).value(context, builder, sig.return_type)


def _lower_reshape(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
    given = [
        context.cast(builder, v, t, types.intp)
        for kind, value in zip(sig.args[1:], args[1:], strict=True)
        for t, v in indexing.unpacked_index(builder, kind, value)
    ]
    return _reshaped(context, builder, sig, args[0], given)


lowering.lower("array.reshape", VulkanArray, types.BaseTuple)(_lower_reshape)
lowering.lower("array.reshape", VulkanArray, types.VarArg(types.Any))(_lower_reshape)


@lowering.lower("array.ravel", VulkanArray)
def _lower_ravel(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
    return _reshaped(context, builder, sig, args[0], [ir.Constant(_I64, -1)])


@lowering.lower_getattr(VulkanArray, "flat")
def _lower_flat(context: Any, builder: ir.IRBuilder, array_type: Any, value: ir.Value) -> ir.Value:
    result = array_type.copy(ndim=1, layout="C" if array_type.layout in "CF" else "A")
    return _reshaped(context, builder, signature(result, array_type), value, [ir.Constant(_I64, -1)])


# ---- iteration


@lowering.lower("iternext", VulkanArrayIterator)
@iternext_impl(RefType.BORROWED)
def _next(context: Any, builder: ir.IRBuilder, sig: Any, args: Any, result: Any) -> None:
    """Step along the first axis."""
    iterator_type = sig.args[0]
    array_type = iterator_type.array_type
    state = context.make_helper(builder, iterator_type, value=args[0])
    view = arrays.view_of(context, builder, array_type, state.array)
    position = builder.load(state.index)
    word = arrays.fit(builder, position, arrays.index_type(array_type))
    is_valid = builder.icmp_signed("<", word, view.extents[0])
    result.set_valid(is_valid)
    with builder.if_then(is_valid):
        index = builder.add(view.offset, builder.mul(word, view.steps[0]))
        if array_type.ndim == 1:
            result.yield_(arrays.load(context, builder, array_type, view.binding, index))
        else:
            row = View(view.binding, index, view.extents[1:], view.steps[1:])
            result.yield_(row.value(context, builder, iterator_type.yield_type))
        builder.store(builder.add(position, ir.Constant(position.type, 1)), state.index)


class _IterateNothing(AbstractTemplate):
    key = "getiter"

    def generic(self, args: Any, kws: Any) -> Any:
        """Type the iteration over an empty tuple, such as ``*args`` without arguments: of no integers."""
        is_empty = isinstance(args[0], types.BaseTuple) and not len(args[0])
        return signature(types.range_iter64_type, *args) if is_empty else None


typing.register(_IterateNothing)


@lowering.lower("getiter", types.Tuple)
def _iterate_nothing(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
    numbers = context.make_helper(builder, types.range_state64_type)
    numbers.start = numbers.stop = ir.Constant(_I64, 0)
    numbers.step = ir.Constant(_I64, 1)
    iterate = context.get_function("getiter", signature(sig.return_type, types.range_state64_type))
    return iterate(builder, (numbers._getvalue(),))


# Annotations would have to be repeated in the implementations: hence not strict.
@overload(reversed, target="vulkan", strict=False)
def _reversed(values: Any) -> Any:
    """Walk an array, a tuple or a range backwards."""
    if isinstance(values, VulkanArray | types.BaseTuple):
        return lambda values: values[::-1]
    if isinstance(values, types.RangeType):
        return lambda values: range(
            values.start + (len(values) - 1) * values.step, values.start - values.step, -values.step
        )
    return None
