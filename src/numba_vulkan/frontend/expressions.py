"""Operations on whole arrays: computed element by element where they are used, with broadcasting.

Numba types them, with the loop that NumPy would choose; their values are their operands (`types.VulkanExpression`).
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.np.numpy_support import ufunc_find_matching_loop

from ..errors import VulkanUnsupportedError
from . import arrays
from .arrays import View
from .broadcasting import broadcast
from .types import VulkanArray, VulkanExpression

__all__ = [
    "ARITHMETIC",
    "COMPARISONS",
    "PARTS",
    "Bound",
    "Gather",
    "Gathered",
    "Leaf",
    "Number",
    "Operation",
    "apply",
    "bind",
    "call",
    "chosen",
    "converted",
    "element_of",
    "gathered_leaves_of",
    "leaves_of",
    "make",
    "permuted",
    "shape_of",
]

_I32, _I64 = ir.IntType(32), ir.IntType(64)
_ONE = ir.Constant(_I32, 1)

ARITHMETIC = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.power: operator.pow,
    np.left_shift: operator.lshift,
    np.right_shift: operator.rshift,
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.bitwise_xor: operator.xor,
    np.negative: operator.neg,
    np.positive: operator.pos,
    np.invert: operator.invert,
}
COMPARISONS = {
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
}


def converted(_array: Any) -> None:
    """Stand for copies and conversions, which are operations that compute nothing."""


def chosen(_condition: Any, _x: Any, _y: Any) -> None:
    """Stand for `numpy.where` of three operands."""


def real_part(_array: Any) -> None:
    """Stand for the real parts of numbers."""


def imaginary_part(_array: Any) -> None:
    """Stand for the imaginary parts of numbers; 0 of real ones."""


PARTS = {"real": real_part, "imag": imaginary_part}


# ---- expressions whose leaves are stretched to the extents of where they are used


@dataclass(frozen=True)
class Leaf:
    """An array in an expression."""

    array_type: VulkanArray
    view: View


@dataclass(frozen=True)
class Number:
    """A scalar in an expression."""

    numba_type: Any
    value: ir.Value


@dataclass(frozen=True)
class Operation:
    """A ufunc of other parts."""

    expression: VulkanExpression
    parts: tuple[Bound, ...]


class Gather(ABC):
    """The function of an expression of whose operands many elements make one, such as a sum along an axis."""

    @property
    @abstractmethod
    def __name__(self) -> str:
        """A name that no other has: it becomes part of symbols."""

    @abstractmethod
    def element(
        self,
        context: Any,
        builder: ir.IRBuilder,
        expression: VulkanExpression,
        operands: tuple[ir.Value, ...],
        positions: list[ir.Value],
    ) -> ir.Value:
        """Return the element of an expression at a position."""


@dataclass(frozen=True)
class Gathered:
    """An expression that gathers, stretched.

    Attributes
    ----------
    expression : VulkanExpression
        The expression.
    operands : tuple of ir.Value
        Its operands, which are bound where an element is computed.
    view : View
        Its extents, and for each axis 1, or 0 where it is repeated.
    is_reversed : ir.Value or None
        Whether its axes are in reverse order.
    """

    expression: VulkanExpression
    operands: tuple[ir.Value, ...]
    view: View
    is_reversed: ir.Value | None = None

    def own_positions(self, builder: ir.IRBuilder, positions: Sequence[ir.Value]) -> list[ir.Value]:
        """Return the position in the expression of a position where it is used."""
        found = list(positions)
        if self.is_reversed is not None:
            found = _turned(builder, found, self.is_reversed)
        found = [builder.mul(p, step) for p, step in zip(found, self.view.steps, strict=True)]
        ndim = self.expression.ndim
        return [ir.Constant(_I32, 0)] * (ndim - len(found)) + found[max(len(found) - ndim, 0) :]


Bound = Leaf | Number | Operation | Gathered


def shape_of(context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value) -> list[ir.Value]:
    """Return the extents of an array or an expression in 64 bits."""
    shape = cgutils.create_struct_proxy(kind)(context, builder, value=value).shape
    return cgutils.unpack_tuple(builder, shape, kind.ndim)


def make(
    context: Any,
    builder: ir.IRBuilder,
    kind: VulkanExpression,
    operands: Sequence[ir.Value],
    extents: Sequence[ir.Value],
) -> ir.Value:
    """Return an expression of its operands and extents in 64 bits."""
    made = cgutils.create_struct_proxy(kind)(context, builder)
    for k, value in enumerate(operands):
        setattr(made, f"operand{k}", value)
    made.shape = cgutils.pack_array(builder, list(extents), _I64)
    return made._getvalue()


def bind(
    context: Any, builder: ir.IRBuilder, numba_type: Any, value: ir.Value, extents: list[ir.Value] | None
) -> Bound:
    """Return an operand with its arrays stretched to these extents, or to its own; raise if they do not fit."""
    if isinstance(numba_type, VulkanArray):
        view = arrays.view_of(context, builder, numba_type, value)
        return Leaf(numba_type, view if extents is None else broadcast(context, builder, view, extents))
    if not isinstance(numba_type, VulkanExpression):
        return Number(numba_type, value)
    expression = cgutils.create_struct_proxy(numba_type)(context, builder, value=value)
    own = [builder.trunc(e, _I32) for e in cgutils.unpack_tuple(builder, expression.shape, numba_type.ndim)]
    operands = tuple(getattr(expression, f"operand{k}") for k in range(len(numba_type.operands)))
    if isinstance(numba_type.function, Gather):
        zero = ir.Constant(_I32, 0)
        gathered = Gathered(numba_type, operands, View(zero, zero, own, [_ONE] * len(own)))
        return gathered if extents is None else _stretched(context, builder, gathered, own, extents)
    parts = tuple(
        bind(context, builder, t, v, own) for t, v in zip(numba_type.operands, operands, strict=True)
    )
    bound = Operation(numba_type, parts)
    return bound if extents is None else _stretched(context, builder, bound, own, extents)


def _stretched(
    context: Any, builder: ir.IRBuilder, bound: Bound, own: list[ir.Value], extents: list[ir.Value]
) -> Bound:
    """Return what is stretched to ``own`` stretched to other extents."""
    if isinstance(bound, Number):
        return bound
    if isinstance(bound, Leaf | Gathered):
        return replace(bound, view=broadcast(context, builder, bound.view, extents))
    parts = tuple(_stretched(context, builder, part, own, extents) for part in bound.parts)
    return Operation(bound.expression, parts)


def leaves_of(bound: Bound) -> Iterator[Leaf]:
    """Yield the arrays of an expression of which an element is read at its own position."""
    if isinstance(bound, Leaf):
        yield bound
    elif isinstance(bound, Operation):
        for part in bound.parts:
            yield from leaves_of(part)


def gathered_leaves_of(context: Any, builder: ir.IRBuilder, bound: Bound) -> Iterator[Leaf]:
    """Yield the arrays of an expression of which any element may be read for any position."""
    if isinstance(bound, Operation):
        for part in bound.parts:
            yield from gathered_leaves_of(context, builder, part)
    elif isinstance(bound, Gathered):
        for kind, value in zip(bound.expression.operands, bound.operands, strict=True):
            operand = bind(context, builder, kind, value, None)
            yield from leaves_of(operand)
            yield from gathered_leaves_of(context, builder, operand)


# ---- elements


def element_of(
    context: Any, builder: ir.IRBuilder, bound: Bound, positions: Sequence[ir.Value]
) -> tuple[Any, ir.Value]:
    """Return type and value of an element."""
    if isinstance(bound, Number):
        return bound.numba_type, bound.value
    if isinstance(bound, Leaf):
        view = bound.view
        index = view.element(builder, positions)
        return bound.array_type.dtype, arrays.load(context, builder, bound.array_type, view.binding, index)
    kind = bound.expression.dtype
    if isinstance(bound, Gathered):
        place = bound.own_positions(builder, positions)
        function = bound.expression.function
        return kind, function.element(context, builder, bound.expression, bound.operands, place)
    found = [element_of(context, builder, part, positions) for part in bound.parts]
    return kind, apply(context, builder, bound.expression.function, found, kind)


def _convert(context: Any, builder: ir.IRBuilder, operands: Any, result_type: Any) -> ir.Value:
    ((kind, value),) = operands
    return context.cast(builder, value, kind, result_type)


def _choose(context: Any, builder: ir.IRBuilder, operands: Any, result_type: Any) -> ir.Value:
    (kind, condition), *choices = operands
    values = [context.cast(builder, v, t, result_type) for t, v in choices]
    return builder.select(context.cast(builder, condition, kind, types.boolean), *values)


def _real(context: Any, builder: ir.IRBuilder, operands: Any, _result_type: Any) -> ir.Value:
    ((kind, value),) = operands
    return context.make_complex(builder, kind, value=value).real


def _imaginary(context: Any, builder: ir.IRBuilder, operands: Any, result_type: Any) -> ir.Value:
    ((kind, value),) = operands
    if isinstance(kind, types.Complex):
        return context.make_complex(builder, kind, value=value).imag
    return context.get_constant_generic(builder, result_type, 0)


# Operations that are no ufuncs.
_OWN: dict[Any, Any] = {converted: _convert, chosen: _choose, real_part: _real, imaginary_part: _imaginary}


def apply(
    context: Any, builder: ir.IRBuilder, ufunc: Any, operands: list[tuple[Any, ir.Value]], result_type: Any
) -> ir.Value:
    """Return a ufunc of numbers, computed in the loop that NumPy would choose."""
    given = [t for t, _ in operands]
    if ufunc in _OWN:
        return _OWN[ufunc](context, builder, operands, result_type)
    function = ARITHMETIC.get(ufunc) or COMPARISONS.get(ufunc) or ufunc
    wanted: list[Any] = given
    # Comparisons are exact between types; converting first would make int64 and uint64 floats. Numba converts the units
    # of dates and times where it computes with them.
    has_units = any(isinstance(t, types.NPDatetime | types.NPTimedelta) for t in given)
    if ufunc not in COMPARISONS and not has_units:
        loop: Any = ufunc_find_matching_loop(ufunc, tuple(given))
        wanted = list(loop.inputs[: len(given)])
        if ufunc is np.power and isinstance(given[1], types.Integer) and isinstance(wanted[0], types.Float):
            # Powers of floats with whole exponents are products.
            wanted[1] = given[1]
    values = [context.cast(builder, v, t, w) for (t, v), w in zip(operands, wanted, strict=True)]
    return call(context, builder, function, wanted, values, result_type)


def call(
    context: Any,
    builder: ir.IRBuilder,
    function: Any,
    kinds: Sequence[Any],
    values: Sequence[ir.Value],
    result_type: Any,
) -> ir.Value:
    """Call a function of numbers as Numba types it, and convert the result."""
    typing_context = context.typing_context
    function_type = typing_context.resolve_value_type(function)
    sig = typing_context.resolve_function_type(function_type, tuple(kinds), {})
    if any(isinstance(t, types.NPDatetime | types.NPTimedelta) and not t.unit for t in sig.args):
        raise VulkanUnsupportedError(
            f"{function.__name__} of dates and times is not supported in kernels: compare and choose, or use int64"
        )
    converted = [context.cast(builder, v, t, w) for v, t, w in zip(values, kinds, sig.args, strict=True)]
    result = context.get_function(function_type, sig)(builder, converted)
    if getattr(sig.return_type, "unit", None) == "":
        return result  # Numba leaves it out where it is that of the operands
    return context.cast(builder, result, sig.return_type, result_type)


def permuted(builder: ir.IRBuilder, view: View, is_reversed: ir.Value) -> View:
    """Return a view with its axes in reverse order if so told."""
    extents, steps = (_turned(builder, values, is_reversed) for values in (view.extents, view.steps))
    return View(view.binding, view.offset, extents, steps)


def _turned(builder: ir.IRBuilder, values: list[ir.Value], is_reversed: ir.Value) -> list[ir.Value]:
    return [builder.select(is_reversed, b, a) for a, b in zip(values, values[::-1], strict=True)]
