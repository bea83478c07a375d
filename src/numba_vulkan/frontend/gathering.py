"""Expressions of whose operands many elements make one: reductions along an axis, products of matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import signature
from numba.extending import intrinsic

from .expressions import Gather, bind, call, element_of, make, shape_of
from .functions import device_jit
from .types import VulkanExpression, members_of

__all__ = ["Along", "MatrixProduct", "Part", "gathering"]

_I64 = ir.IntType(64)


@dataclass(frozen=True)
class _Lane(Gather):
    """The elements of an array along some axes, at a place along the others, which is the second operand."""

    axes: tuple[int, ...]

    @property
    def __name__(self) -> str:
        return f"lane{'_'.join(map(str, self.axes))}"

    def element(
        self,
        context: Any,
        builder: ir.IRBuilder,
        expression: VulkanExpression,
        operands: tuple[ir.Value, ...],
        positions: list[ir.Value],
    ) -> ir.Value:
        """Return an element."""
        kind = expression.operands[0]
        place = cgutils.unpack_tuple(builder, operands[1], kind.ndim - len(self.axes))
        for axis, position in zip(self.axes, positions, strict=True):
            place.insert(axis, position)
        return element_of(context, builder, bind(context, builder, kind, operands[0], None), place)[1]


@dataclass(frozen=True)
class Part(Gather):
    """The elements of an expression at a place along its first axes, which is the second operand."""

    @property
    def __name__(self) -> str:
        return "part"

    def type_of(self, kind: Any, count: int) -> VulkanExpression:
        """Return the type of a part whose place has a number of axes."""
        place = types.UniTuple(types.int32, count)
        return VulkanExpression(self, (kind, place), kind.dtype, kind.ndim - count)

    def element(
        self,
        context: Any,
        builder: ir.IRBuilder,
        expression: VulkanExpression,
        operands: tuple[ir.Value, ...],
        positions: list[ir.Value],
    ) -> ir.Value:
        """Return an element."""
        kind, place_type = expression.operands
        place = [*cgutils.unpack_tuple(builder, operands[1], len(members_of(place_type))), *positions]
        return element_of(context, builder, bind(context, builder, kind, operands[0], None), place)[1]


def _lane_type(kind: Any, axes: tuple[int, ...]) -> Any:
    """Return the type of the lanes of an array or an expression; one without other axes is its own."""
    if kind.ndim == len(axes):
        return kind
    place = types.UniTuple(types.int32, kind.ndim - len(axes))
    return VulkanExpression(_Lane(axes), (kind, place), kind.dtype, len(axes))


def _lane(
    context: Any,
    builder: ir.IRBuilder,
    kind: Any,
    value: ir.Value,
    axes: tuple[int, ...],
    place: list[ir.Value],
) -> ir.Value:
    if kind.ndim == len(axes):
        return value
    lane_type = _lane_type(kind, axes)
    where = context.make_tuple(builder, lane_type.operands[1], place)
    shape = shape_of(context, builder, kind, value)
    return make(context, builder, lane_type, (value, where), [shape[axis] for axis in axes])


@cache
def _reducer(function: Callable[..., Any], dtype: Any, ddof: int) -> Any:
    """Return a function of an array that reduces it."""
    given = None if dtype is None else np.dtype(str(dtype)).type

    def reduce(a: Any) -> Any:
        return function(a, None, given, ddof)

    return device_jit(reduce)


@dataclass(frozen=True)
class Along(Gather):
    """A reduction along one or several axes.

    Attributes
    ----------
    function : callable
        The function of NumPy.
    axes : tuple of int
        The axes, counted from 0, in ascending order.
    keeps_axes : bool
        Whether the result has the axes, with an extent of 1.
    dtype : numba type or None
        In which type to compute.
    ddof : int
        What the divisor of a variance lacks of the number of elements.
    """

    function: Callable[..., Any]
    axes: tuple[int, ...]
    keeps_axes: bool
    dtype: Any = None
    ddof: int = 0

    @property
    def __name__(self) -> str:
        axes = "_".join(map(str, self.axes))
        return f"{self.function.__name__}_{axes}_{self.keeps_axes:d}_{self.dtype}_{self.ddof}"

    def type_of(self, typing_context: Any, kind: Any) -> VulkanExpression:
        """Return the type of the result."""
        reducer = typing_context.resolve_value_type(_reducer(self.function, self.dtype, self.ddof))
        sig = typing_context.resolve_function_type(reducer, (_lane_type(kind, self.axes),), {})
        ndim = kind.ndim if self.keeps_axes else kind.ndim - len(self.axes)
        return VulkanExpression(self, (kind,), sig.return_type, ndim)

    def extents(
        self, context: Any, builder: ir.IRBuilder, kinds: tuple[Any, ...], values: tuple[ir.Value, ...]
    ) -> list[ir.Value]:
        """Return the extents of the result."""
        one = ir.Constant(_I64, 1)
        found = [
            one if axis in self.axes else extent
            for axis, extent in enumerate(shape_of(context, builder, kinds[0], values[0]))
        ]
        return found if self.keeps_axes else self._others(found)

    def _others(self, values: list[ir.Value]) -> list[ir.Value]:
        """Return what belongs to the axes that stay."""
        return [value for axis, value in enumerate(values) if axis not in self.axes]

    def element(
        self,
        context: Any,
        builder: ir.IRBuilder,
        expression: VulkanExpression,
        operands: tuple[ir.Value, ...],
        positions: list[ir.Value],
    ) -> ir.Value:
        """Reduce the lane at a position."""
        kind = expression.operands[0]
        place = self._others(positions) if self.keeps_axes else positions
        lane = _lane(context, builder, kind, operands[0], self.axes, place)
        reducer = _reducer(self.function, self.dtype, self.ddof)
        return call(context, builder, reducer, [_lane_type(kind, self.axes)], [lane], expression.dtype)


@dataclass(frozen=True)
class MatrixProduct(Gather):
    """The product of a matrix with a matrix or a vector; ``multiply`` is a function of two vectors."""

    multiply: Callable[..., Any]

    @property
    def __name__(self) -> str:
        return "matrix_product"

    @staticmethod
    def _axes(kinds: tuple[Any, ...]) -> tuple[int, int]:
        """Return the axes that are summed over."""
        return kinds[0].ndim - 1, max(kinds[1].ndim - 2, 0)

    def type_of(self, typing_context: Any, left: Any, right: Any) -> VulkanExpression:
        """Return the type of the result."""
        lanes = tuple(
            _lane_type(t, (axis,)) for t, axis in zip((left, right), self._axes((left, right)), strict=True)
        )
        multiply = typing_context.resolve_value_type(self.multiply)
        sig = typing_context.resolve_function_type(multiply, lanes, {})
        return VulkanExpression(self, (left, right), sig.return_type, left.ndim + right.ndim - 2)

    def extents(
        self, context: Any, builder: ir.IRBuilder, kinds: tuple[Any, ...], values: tuple[ir.Value, ...]
    ) -> list[ir.Value]:
        """Return the extents of the result; raise if the operands do not go together."""
        shapes = [shape_of(context, builder, t, v) for t, v in zip(kinds, values, strict=True)]
        summed = [shape.pop(axis) for shape, axis in zip(shapes, self._axes(kinds), strict=True)]
        with builder.if_then(builder.icmp_unsigned("!=", *summed), likely=False):
            context.call_conv.return_text(
                builder,
                ValueError,
                "matrices do not go together: the last axis of the left one has {} elements, the one that it is "
                "multiplied with {}",
                [(types.int64, extent) for extent in summed],
            )
        return shapes[0] + shapes[1]

    def element(
        self,
        context: Any,
        builder: ir.IRBuilder,
        expression: VulkanExpression,
        operands: tuple[ir.Value, ...],
        positions: list[ir.Value],
    ) -> ir.Value:
        """Multiply a row with a column."""
        kinds, axes = expression.operands, self._axes(expression.operands)
        split = kinds[0].ndim - 1
        lanes = [
            _lane(context, builder, kind, value, (axis,), place)
            for kind, value, axis, place in zip(
                kinds, operands, axes, (positions[:split], positions[split:]), strict=True
            )
        ]
        lane_types = [_lane_type(kind, (axis,)) for kind, axis in zip(kinds, axes, strict=True)]
        return call(context, builder, self.multiply, lane_types, lanes, expression.dtype)


@cache
def gathering(function: Along | MatrixProduct) -> Any:
    """Return what makes the expression of a function; kernels call it with the operands."""

    def typed(typing_context: Any, *operands: Any) -> Any:
        kind = function.type_of(typing_context, *operands)

        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
            extents = function.extents(context, builder, kind.operands, args)
            return make(context, builder, kind, args, extents)

        return signature(kind, *operands), lower

    def of_one(typing_context: Any, a: Any) -> Any:
        return typed(typing_context, a)

    def of_two(typing_context: Any, a: Any, b: Any) -> Any:
        return typed(typing_context, a, b)

    return intrinsic(target="vulkan")(of_one if isinstance(function, Along) else of_two)
