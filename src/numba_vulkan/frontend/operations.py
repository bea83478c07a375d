"""Operations on whole arrays: making expressions, operations in place, and reading elements of expressions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.imputils import Registry
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, bound_function, signature
from numba.core.typing.templates import Registry as TypingRegistry
from numba.extending import intrinsic, overload
from numba.np.numpy_support import as_dtype, from_dtype, ufunc_find_matching_loop

from ..errors import VulkanUnsupportedError
from . import arrays, assignment, indexing
from .broadcasting import shape_template
from .dtypes import KINDS, dtype_of
from .expressions import (
    ARITHMETIC,
    COMPARISONS,
    Operation,
    apply,
    bind,
    chosen,
    converted,
    element_of,
    make,
    shape_of,
)
from .gathering import Part
from .types import VulkanArray, VulkanExpression, members_of, refuse_wide

__all__ = ["lowering", "override", "typing"]

typing = TypingRegistry()
lowering = Registry()
_I32, _I64 = ir.IntType(32), ir.IntType(64)
Lowering = Callable[[Any, ir.IRBuilder, Any, tuple[ir.Value, ...]], ir.Value]

_OPERATORS = {f: u for u, f in (ARITHMETIC | COMPARISONS).items()}
_IN_PLACE = {
    getattr(operator, f"i{f.__name__.strip('_')}"): u
    for f, u in _OPERATORS.items()
    if hasattr(operator, f"i{f.__name__.strip('_')}")
}


# ---- making expressions


def _broadcast_extents(
    context: Any, builder: ir.IRBuilder, operands: list[tuple[Any, ir.Value]], ndim: int
) -> list[ir.Value]:
    """Return the extents of an operation in 64 bits; raise if those of its operands do not go together."""
    one = ir.Constant(_I64, 1)
    extents: list[ir.Value] = [one] * ndim
    differ: ir.Value = ir.Constant(ir.IntType(1), 0)
    shapes = [
        shape_of(context, builder, t, v) for t, v in operands if isinstance(t, VulkanArray | VulkanExpression)
    ]
    for shape in shapes:
        for axis, extent in enumerate(shape, start=ndim - len(shape)):
            known = extents[axis]
            stretches = builder.icmp_signed("==", known, one)
            fits = builder.or_(
                builder.or_(stretches, builder.icmp_signed("==", extent, one)),
                builder.icmp_signed("==", extent, known),
            )
            differ = builder.or_(differ, builder.not_(fits))
            extents[axis] = builder.select(stretches, extent, known)
    with builder.if_then(differ, likely=False):
        texts = " and ".join(shape_template(shape) for shape in shapes)
        context.call_conv.return_text(
            builder,
            ValueError,
            f"operands could not be broadcast together: their shapes are {texts}",
            [(types.int32, builder.trunc(e, _I32)) for shape in shapes for e in shape],
        )
    return extents


def _make(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    """Make an expression of its operands."""
    kind = sig.return_type
    operands = [
        (w, context.cast(builder, v, t, w)) for v, t, w in zip(args, sig.args, kind.operands, strict=True)
    ]
    extents = _broadcast_extents(context, builder, operands, kind.ndim)
    return make(context, builder, kind, [value for _, value in operands], extents)


def _into(ufunc: Any) -> Lowering:
    """Return the lowering of an operation whose result overwrites its first operand, or an explicit output."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        operand_types = tuple(map(types.unliteral, sig.args[: ufunc.nin]))
        target_type, target = (
            (sig.args[0], args[0]) if len(sig.args) == ufunc.nin else (sig.args[-1], args[-1])
        )
        refuse_wide(target_type, "operations on whole arrays")
        loop: Any = ufunc_find_matching_loop(ufunc, tuple(getattr(t, "dtype", t) for t in operand_types))
        kind = VulkanExpression(ufunc, operand_types, loop.outputs[0], target_type.ndim)
        view = arrays.view_of(context, builder, target_type, target)
        parts = tuple(
            bind(context, builder, t, v, view.extents)
            for t, v in zip(operand_types, args[: ufunc.nin], strict=True)
        )
        assignment.assign_bound(context, builder, (target_type, view), Operation(kind, parts))
        return target

    return lower


def _of_elements(ufunc: Any) -> Lowering:
    """Return the lowering of an operation on arrays without axes: its result is a number."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        bound = [
            bind(context, builder, types.unliteral(t), v, None) for t, v in zip(sig.args, args, strict=True)
        ]
        found = [element_of(context, builder, part, ()) for part in bound]
        return apply(context, builder, ufunc, found, sig.return_type)

    return lower


def override(function: Any, sig: Any) -> Lowering | None:
    """Return the lowering of an operation on arrays, if it is one."""
    key = getattr(function, "typing_key", function)
    if key is np.matmul:  # a ufunc, but not of elements: see `products`
        return None
    ufunc = key if isinstance(key, np.ufunc) else _OPERATORS.get(key)
    if isinstance(sig.return_type, VulkanExpression):
        return _make if ufunc is not None else None
    if not isinstance(sig.return_type, VulkanArray):
        has_arrays = any(isinstance(t, VulkanArray | VulkanExpression) for t in sig.args)
        return _of_elements(ufunc) if ufunc is not None and has_arrays else None
    if isinstance(key, np.ufunc) and len(sig.args) == key.nin + 1:
        return _into(key)
    return _into(_IN_PLACE[key]) if key in _IN_PLACE else None


# ---- copies and conversions


class _Conversions(AttributeTemplate):
    """Types ``copy`` and ``astype`` as operations."""

    @bound_function("array.copy")
    def resolve_copy(self, array: Any, args: Any, kws: Any) -> Any:
        """Type ``copy``."""
        if args or kws:
            raise VulkanUnsupportedError("copy takes no arguments in kernels")
        return signature(VulkanExpression(converted, (array,), array.dtype, array.ndim))

    @bound_function("array.astype")
    def resolve_astype(self, array: Any, args: Any, kws: Any) -> Any:
        """Type ``astype``."""
        kind: Any = dtype_of(args[0]) if len(args) == 1 and not kws else None
        if kind is None:
            raise VulkanUnsupportedError("astype takes one dtype in kernels")
        return signature(VulkanExpression(converted, (array,), kind, array.ndim), *args)


for _class in (VulkanArray, VulkanExpression):
    typing.register_attr(type(f"ConversionsOf{_class.__name__}", (_Conversions,), {"key": _class}))


@lowering.lower("array.copy", VulkanArray)
@lowering.lower("array.copy", VulkanExpression)
def _convert(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    return _make(context, builder, signature(sig.return_type, sig.args[0]), args[:1])


for _class, _kind in product((VulkanArray, VulkanExpression), KINDS):
    lowering.lower("array.astype", _class, _kind)(_convert)


# ---- choices


def _choice(_typing_context: Any, condition: Any, x: Any, y: Any) -> Any:
    """Type `numpy.where`; an intrinsic, because its result is an expression."""
    operands = tuple(map(types.unliteral, (condition, x, y)))
    kinds = [as_dtype(getattr(t, "dtype", t)) for t in operands[1:]]
    ndim = max(getattr(t, "ndim", 0) for t in operands)
    kind = VulkanExpression(chosen, operands, from_dtype(np.result_type(*kinds)), ndim)
    return signature(kind, *operands), _make


_choose: Any = intrinsic(target="vulkan")(_choice)


@overload(np.where, target="vulkan", strict=False)
def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Choose between elements."""
    if isinstance(x, types.Omitted | types.NoneType) or x is None:
        raise VulkanUnsupportedError(
            "np.where of a condition alone gives an array whose size is known only at run time: loop over the elements"
        )
    if not any(isinstance(t, VulkanArray | VulkanExpression) for t in (condition, x, y)):
        return lambda condition, x=None, y=None: x if condition else y
    return lambda condition, x=None, y=None: _choose(condition, x, y)


# ---- reading elements


class _GetPart(AbstractTemplate):
    key = operator.getitem

    def generic(self, args: Any, kws: Any) -> Any:
        """Type an index with fewer integers than there are axes."""
        kind, index = args
        if not isinstance(kind, VulkanExpression):
            return None
        parts = members_of(index) if isinstance(index, types.BaseTuple) else (index,)
        if len(parts) >= kind.ndim or not all(isinstance(types.unliteral(t), types.Integer) for t in parts):
            return None
        return signature(Part().type_of(kind, len(parts)), kind, index)


typing.register_global(operator.getitem, types.Function(_GetPart))


@lowering.lower(operator.getitem, VulkanExpression, types.Integer)
@lowering.lower(operator.getitem, VulkanExpression, types.BaseTuple)
def _get(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    """Compute the element at an index, or make the part that it names."""
    kind, index_type = sig.args
    parts = [(types.unliteral(t), v) for t, v in indexing.unpacked_index(builder, index_type, args[1])]
    if not all(isinstance(t, types.Integer) for t, _ in parts):
        raise VulkanUnsupportedError(
            "index an operation on arrays with integers: slice the arrays in it instead"
        )
    shape = shape_of(context, builder, kind, args[0])
    extents = [builder.trunc(e, _I32) for e in shape]
    positions = indexing.positions_of(context, builder, extents[: len(parts)], parts)
    if len(parts) == kind.ndim:
        return element_of(context, builder, bind(context, builder, kind, args[0], None), positions)[1]
    place = context.make_tuple(builder, sig.return_type.operands[1], positions)
    return make(context, builder, sig.return_type, (args[0], place), shape[len(parts) :])


@lowering.lower("array.item", VulkanArray)
@lowering.lower("array.item", VulkanExpression)
def _item(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    """Return the one element; raise if there are more, or none."""
    kind = sig.args[0]
    one, differs = ir.Constant(_I64, 1), ir.Constant(ir.IntType(1), 0)
    for extent in shape_of(context, builder, kind, args[0]):
        differs = builder.or_(differs, builder.icmp_signed("!=", extent, one))
    with builder.if_then(differs, likely=False):
        message = "can only convert an array of size 1 to a Python scalar"
        context.call_conv.return_user_exc(builder, ValueError, (message,), loc=None)
    first = [ir.Constant(_I32, 0)] * kind.ndim
    return element_of(context, builder, bind(context, builder, kind, args[0], None), first)[1]


@lowering.lower_getattr(VulkanExpression, "size")
def _size(context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value) -> ir.Value:
    size: ir.Value = ir.Constant(_I64, 1)
    for extent in shape_of(context, builder, kind, value):
        size = builder.mul(size, extent)
    return size
