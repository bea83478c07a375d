"""NumPy's functions and methods that give views: other orders of axes, axes of one element, diagonals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import signature
from numba.extending import intrinsic, overload

from ..errors import VulkanUnsupportedError
from . import arrays
from .arrays import View
from .axes import axes_of, constant_of
from .registration import register
from .types import VulkanArray

__all__: list[str] = []

# ---- views whose axes are picked from those of an array


@dataclass(frozen=True)
class _Axes:
    """Which axis of an array each axis of a view is, None for a new one of one element, and which run backwards."""

    order: tuple[int | None, ...]
    flipped: frozenset[int] = frozenset()

    def type_of(self, array: VulkanArray) -> VulkanArray:
        """Return the type of the view; axes of one element do not change in which order elements lie."""
        kept = [axis for axis in self.order if axis is not None]
        layout = "A"
        if not self.flipped and kept == sorted(kept):
            layout = array.layout
        elif not self.flipped and kept == sorted(kept, reverse=True):
            layout = {"C": "F", "F": "C"}.get(array.layout, "A")
        return array.copy(ndim=len(self.order), layout=layout)

    def pick(self, context: Any, builder: ir.IRBuilder, whole: View) -> View:
        """Return the view; raise if an axis that is left out has not one element."""
        kind = whole.offset.type
        one, zero = ir.Constant(kind, 1), ir.Constant(kind, 0)
        for axis, extent in enumerate(whole.extents):
            if axis not in self.order:
                with builder.if_then(builder.icmp_unsigned("!=", extent, one), likely=False):
                    text = f"axis {axis}, which squeeze takes away, has {{}} elements"
                    wide = arrays.in_64_bits(builder, extent)
                    context.call_conv.return_text(builder, ValueError, text, [(types.int64, wide)])
        offset, steps = whole.offset, list(whole.steps)
        for axis in self.flipped:
            last = builder.mul(builder.sub(whole.extents[axis], one), steps[axis])
            is_empty = builder.icmp_unsigned("==", whole.extents[axis], zero)
            offset = builder.add(offset, builder.select(is_empty, zero, last))
            steps[axis] = builder.neg(steps[axis])
        return View(
            whole.binding,
            offset,
            [one if axis is None else whole.extents[axis] for axis in self.order],
            [zero if axis is None else steps[axis] for axis in self.order],
        )


@dataclass(frozen=True)
class _Diagonal:
    """The elements of a matrix whose row and column have one number."""

    def type_of(self, array: VulkanArray) -> VulkanArray:
        """Return the type of the view."""
        return array.copy(ndim=1, layout="A")

    def pick(self, context: Any, builder: ir.IRBuilder, whole: View) -> View:
        """Return the view."""
        rows, columns = whole.extents
        extent = builder.select(builder.icmp_unsigned("<", rows, columns), rows, columns)
        return View(whole.binding, whole.offset, [extent], [builder.add(*whole.steps)])


@cache
def _viewing(rule: _Axes | _Diagonal) -> Any:
    """Return what makes a view of an array; kernels call it."""

    def typed(_typing_context: Any, a: Any) -> Any:
        result = rule.type_of(a)

        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
            whole = arrays.view_of(context, builder, sig.args[0], args[0])
            return rule.pick(context, builder, whole).value(context, builder, result)

        return signature(result, a), lower

    return intrinsic(target="vulkan")(typed)


_ARRAYS = (VulkanArray,)
_VIEWED = "is a view in kernels, and needs an array in memory: write it around the arrays of an operation"


def _viewed(a: Any, name: str) -> bool:
    """Return whether the argument is an array; refuse operations, of which there are no views."""
    if isinstance(a, types.Array) and not isinstance(a, VulkanArray):
        raise VulkanUnsupportedError(f"{name} {_VIEWED}")
    return isinstance(a, VulkanArray)


def _axes(name: str, a: Any, given: Any) -> tuple[int, ...]:
    axes = axes_of(name, a, constant_of(given, None))
    if axes is None:
        raise VulkanUnsupportedError(f"the axes of {name} must be constants in kernels")
    return axes


# Implementations repeat the parameters of their rules; what these are is settled when the rule looks at their types.


@register(np.flip)
def _flip(m: Any, axis: Any = None) -> Any:
    if not _viewed(m, "np.flip"):
        return None
    view = _viewing(_Axes(tuple(range(m.ndim)), frozenset(_axes("np.flip", m, axis))))
    return lambda m, axis=None: view(m)


def _flips(axis: int, name: str) -> Callable[..., Any]:
    def rule(m: Any) -> Any:
        if not _viewed(m, name):
            return None
        view = _viewing(_Axes(tuple(range(m.ndim)), frozenset(_axes(name, m, types.literal(axis)))))

        def implementation(m: Any) -> Any:
            return view(m)

        return implementation

    return rule


register(np.flipud)(_flips(0, "np.flipud"))
register(np.fliplr)(_flips(1, "np.fliplr"))


@register(np.swapaxes, "swapaxes", _ARRAYS)
def _swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    if not _viewed(a, "np.swapaxes"):
        return None
    order = list(range(a.ndim))
    (first,), (second,) = _axes("np.swapaxes", a, axis1), _axes("np.swapaxes", a, axis2)
    order[first], order[second] = second, first
    view = _viewing(_Axes(tuple(order)))
    return lambda a, axis1, axis2: view(a)


@register(np.moveaxis)
def _moveaxis(a: Any, source: Any, destination: Any) -> Any:
    if not _viewed(a, "np.moveaxis"):
        return None
    (first,), (second,) = _axes("np.moveaxis", a, source), _axes("np.moveaxis", a, destination)
    order = [axis for axis in range(a.ndim) if axis != first]
    order.insert(second, first)
    view = _viewing(_Axes(tuple(order)))
    return lambda a, source, destination: view(a)


@register(np.expand_dims)
def _expand_dims(a: Any, axis: Any) -> Any:
    if not _viewed(a, "np.expand_dims"):
        return None
    count = a.ndim + 1
    at = constant_of(axis, None)
    if not isinstance(at, int) or not -count <= at < count:
        raise VulkanUnsupportedError(
            f"the axis of np.expand_dims must be a constant from {-count} to {count - 1}"
        )
    order: list[int | None] = list(range(a.ndim))
    order.insert(at % count, None)
    view = _viewing(_Axes(tuple(order)))
    return lambda a, axis: view(a)


@register(np.squeeze, "squeeze", _ARRAYS)
def _squeeze(a: Any, axis: Any = None) -> Any:
    if not _viewed(a, "np.squeeze"):
        return None
    if constant_of(axis, None) is None:
        raise VulkanUnsupportedError(
            "np.squeeze needs an axis in kernels, since extents are known only at run time: squeeze(axis=0)"
        )
    left_out = _axes("np.squeeze", a, axis)
    view = _viewing(_Axes(tuple(k for k in range(a.ndim) if k not in left_out)))
    return lambda a, axis=None: view(a)


def _at_least(orders: dict[int, tuple[int | None, ...]], name: str) -> Callable[..., Any]:
    """Return the rule of a function that adds axes to arrays with few."""

    def rule(a: Any) -> Any:
        if not _viewed(a, name):
            return None
        view = _viewing(_Axes(orders.get(a.ndim, tuple(range(a.ndim)))))

        def implementation(a: Any) -> Any:
            return view(a)

        return implementation

    return rule


register(np.atleast_1d)(_at_least({0: (None,)}, "np.atleast_1d"))
register(np.atleast_2d)(_at_least({0: (None, None), 1: (None, 0)}, "np.atleast_2d"))
register(np.atleast_3d)(_at_least({0: (None,) * 3, 1: (None, 0, None), 2: (0, 1, None)}, "np.atleast_3d"))


# ---- diagonals

_diagonal_of = _viewing(_Diagonal())


def _is_matrix(a: Any, offset: Any, name: str) -> bool:
    if not _viewed(a, name):
        return False
    if a.ndim != 2 or constant_of(offset, 0) != 0:
        raise VulkanUnsupportedError(
            f"{name} takes a matrix, and its main diagonal, in kernels: slice the matrix"
        )
    return True


@register(np.diagonal, "diagonal", _ARRAYS)
def _diagonal(a: Any, offset: Any = 0) -> Any:
    return (lambda a, offset=0: _diagonal_of(a)) if _is_matrix(a, offset, "np.diagonal") else None


@register(np.diag)
def _diag(v: Any, k: Any = 0) -> Any:
    return (lambda v, k=0: _diagonal_of(v)) if _is_matrix(v, k, "np.diag") else None


@register(np.trace, "trace", _ARRAYS)
def _trace(a: Any, offset: Any = 0) -> Any:
    return (lambda a, offset=0: _diagonal_of(a).sum()) if _is_matrix(a, offset, "np.trace") else None


@register(np.fill_diagonal)
def _fill_diagonal(a: Any, val: Any) -> Any:
    if not _is_matrix(a, 0, "np.fill_diagonal"):
        return None

    def implementation(a: Any, val: Any) -> Any:
        _diagonal_of(a)[:] = val

    return implementation


# ---- iteration over elements with their positions


# Inlined, because the state of an iterator must lie in the function that iterates.
@overload(np.ndenumerate, target="vulkan", strict=False, inline="always")
def _ndenumerate(arr: Any) -> Any:
    if not _viewed(arr, "np.ndenumerate"):
        return None
    return lambda arr: zip(np.ndindex(arr.shape), arr.flat)  # noqa: B905 - Numba's zip has no keywords
