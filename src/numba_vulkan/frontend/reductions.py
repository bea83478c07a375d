"""Sums, extremes and the like over arrays, views and operations on arrays: functions of NumPy, and methods.

Written as plain Python over indices; their order of evaluation is that of the elements, not NumPy's.
"""

# Kernels have no generators: any() and enumerate() over these indices are loops.
# ruff: noqa: SIM110, SIM113

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import signature
from numba.extending import intrinsic, overload, overload_method

from ..errors import VulkanUnsupportedError
from .types import VulkanArray, VulkanExpression

__all__: list[str] = []

Implementation = Callable[..., Any]


# An intrinsic, because the state of an iterator must lie in the function that iterates.
def _indices(_typing_context: Any, array: Any) -> Any:
    """Return the positions of an array in order: integers, or tuples of them."""
    is_flat = array.ndim == 1
    result = types.range_state64_type if is_flat else types.NumpyNdIndexType(array.ndim)

    def lower(context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        shape = cgutils.create_struct_proxy(array)(context, builder, value=args[0]).shape
        extents = cgutils.unpack_tuple(builder, shape, array.ndim)
        if is_flat:
            state = context.make_helper(builder, result)
            state.start, state.step = context.get_constant(types.intp, 0), context.get_constant(types.intp, 1)
            state.stop = extents[0]
            return state._getvalue()
        made = import_module("numba.np.arrayobj").make_ndindex_cls(result)(context, builder)
        made.init_specific(context, builder, extents)
        return made._getvalue()

    return signature(result, array), lower


indices: Any = intrinsic(target="vulkan")(_indices)


def _is_array(kind: Any) -> bool:
    return isinstance(kind, VulkanArray | VulkanExpression)


def _no_axis(axis: Any, name: str) -> None:
    if not isinstance(axis, types.NoneType | types.Omitted) and axis is not None:
        raise VulkanUnsupportedError(
            f"{name} along an axis gives an array: in kernels, loop over the other axes and reduce a view of each"
        )


def _total_type(kind: Any) -> Any:
    """Return the type in which NumPy adds and multiplies elements of a type."""
    if isinstance(kind, types.Boolean):
        return types.int64
    if isinstance(kind, types.Integer):
        return types.int64 if kind.signed else types.uint64
    return kind


def _mean_type(kind: Any) -> Any:
    return kind if isinstance(kind, types.Float | types.Complex) else types.float64


def _sum(array: Any) -> Implementation:
    total = _total_type(array.dtype)

    def implementation(a: Any, axis: Any = None) -> Any:
        result = total(0)
        for index in indices(a):
            result = total(result + a[index])
        return result

    return implementation


def _prod(array: Any) -> Implementation:
    total = _total_type(array.dtype)

    def implementation(a: Any, axis: Any = None) -> Any:
        result = total(1)
        for index in indices(a):
            result = total(result * a[index])
        return result

    return implementation


def _mean(array: Any) -> Implementation:
    kind = _mean_type(array.dtype)

    def implementation(a: Any, axis: Any = None) -> Any:
        total = kind(0)
        for index in indices(a):
            total = kind(total + kind(a[index]))
        return kind(total / kind(a.size))

    return implementation


def _var(array: Any) -> Implementation:
    kind = _mean_type(array.dtype)

    def implementation(a: Any, axis: Any = None) -> Any:
        total = kind(0)
        for index in indices(a):
            total = kind(total + kind(a[index]))
        mean = kind(total / kind(a.size))
        total = kind(0)
        for index in indices(a):
            distance = kind(kind(a[index]) - mean)
            total = kind(total + distance * distance)
        return kind(total / kind(a.size))

    return implementation


def _std(_array: Any) -> Implementation:
    def implementation(a: Any, axis: Any = None) -> Any:
        return _root(np.var(a))

    return implementation


def _extreme(array: Any, is_minimum: bool) -> Implementation:
    """Return the smallest or largest element; NaN if there is one."""
    name = "minimum" if is_minimum else "maximum"
    message = f"zero-size array to reduction operation {name} which has no identity"
    first = (0,) * array.ndim

    def smallest(a: Any, axis: Any = None) -> Any:
        if a.size == 0:
            raise ValueError(message)
        result = a[first]
        for index in indices(a):
            value = a[index]
            if value < result or value != value:
                result = value
            if result != result:
                break
        return result

    def largest(a: Any, axis: Any = None) -> Any:
        if a.size == 0:
            raise ValueError(message)
        result = a[first]
        for index in indices(a):
            value = a[index]
            if value > result or value != value:
                result = value
            if result != result:
                break
        return result

    return smallest if is_minimum else largest


def _position(array: Any, is_minimum: bool) -> Implementation:
    """Return the number of the first smallest or largest element; of the first NaN if there is one."""
    message = f"attempt to get arg{'min' if is_minimum else 'max'} of an empty sequence"
    first = (0,) * array.ndim

    def of_smallest(a: Any, axis: Any = None) -> Any:
        if a.size == 0:
            raise ValueError(message)
        best, found, count = a[first], 0, 0
        for index in indices(a):
            value = a[index]
            if (value < best or value != value) and best == best:
                best, found = value, count
            count += 1
        return found

    def of_largest(a: Any, axis: Any = None) -> Any:
        if a.size == 0:
            raise ValueError(message)
        best, found, count = a[first], 0, 0
        for index in indices(a):
            value = a[index]
            if (value > best or value != value) and best == best:
                best, found = value, count
            count += 1
        return found

    return of_smallest if is_minimum else of_largest


def _any(_array: Any) -> Implementation:
    def implementation(a: Any, axis: Any = None) -> Any:
        for index in indices(a):
            if a[index]:
                return True
        return False

    return implementation


def _all(_array: Any) -> Implementation:
    def implementation(a: Any, axis: Any = None) -> Any:
        for index in indices(a):
            if not a[index]:
                return False
        return True

    return implementation


_METHODS: dict[str, Callable[[Any], Implementation]] = {
    "sum": _sum,
    "prod": _prod,
    "mean": _mean,
    "var": _var,
    "std": _std,
    "min": lambda array: _extreme(array, is_minimum=True),
    "max": lambda array: _extreme(array, is_minimum=False),
    "argmin": lambda array: _position(array, is_minimum=True),
    "argmax": lambda array: _position(array, is_minimum=False),
    "any": _any,
    "all": _all,
}


# ---- without NaN


def _nansum(array: Any) -> Implementation:
    total = _total_type(array.dtype)

    def implementation(a: Any, axis: Any = None) -> Any:
        result = total(0)
        for index in indices(a):
            value = a[index]
            if value == value:
                result = total(result + value)
        return result

    return implementation


def _nanprod(array: Any) -> Implementation:
    total = _total_type(array.dtype)

    def implementation(a: Any, axis: Any = None) -> Any:
        result = total(1)
        for index in indices(a):
            value = a[index]
            if value == value:
                result = total(result * value)
        return result

    return implementation


def _nanmean(array: Any) -> Implementation:
    kind = _mean_type(array.dtype)

    def implementation(a: Any, axis: Any = None) -> Any:
        total, count = kind(0), 0
        for index in indices(a):
            value = kind(a[index])
            if value == value:
                total = kind(total + value)
                count += 1
        return kind(total / kind(count))

    return implementation


def _nan_extreme(array: Any, is_minimum: bool) -> Implementation:
    """Return the smallest or largest element that is no NaN, else NaN."""
    smallest = _extreme(array, is_minimum)
    name = "minimum" if is_minimum else "maximum"
    message = f"zero-size array to reduction operation fm{name[1:3]} which has no identity"
    first = (0,) * array.ndim

    def of_smallest(a: Any, axis: Any = None) -> Any:
        if a.size == 0:
            raise ValueError(message)
        result = a[first]
        for index in indices(a):
            value = a[index]
            if value < result or result != result:
                result = value
        return result

    def of_largest(a: Any, axis: Any = None) -> Any:
        if a.size == 0:
            raise ValueError(message)
        result = a[first]
        for index in indices(a):
            value = a[index]
            if value > result or result != result:
                result = value
        return result

    if not isinstance(array.dtype, types.Float):
        return smallest
    return of_smallest if is_minimum else of_largest


# ---- registration


def _root(_number: Any) -> Any:
    raise NotImplementedError


@overload(_root, target="vulkan", strict=False)
def _root_of(number: Any) -> Any:
    def implementation(number: Any) -> Any:
        return math.sqrt(number)

    return implementation


_FUNCTIONS: dict[str, Callable[[Any], Implementation]] = {
    "nansum": _nansum,
    "nanprod": _nanprod,
    "nanmean": _nanmean,
    "nanmin": lambda array: _nan_extreme(array, is_minimum=True),
    "nanmax": lambda array: _nan_extreme(array, is_minimum=False),
}


def _rule(name: str, make: Callable[[Any], Implementation]) -> Callable[..., Any]:
    def rule(a: Any, axis: Any = None) -> Any:
        if not _is_array(a):
            return None
        _no_axis(axis, name)
        return make(a)

    return rule


for _name, _make in (_METHODS | _FUNCTIONS).items():
    for _function in {getattr(np, _name), getattr(np, f"a{_name}", getattr(np, _name))}:
        overload(_function, target="vulkan")(_rule(_name, _make))
for _name, _make in _METHODS.items():
    for _kind in (VulkanArray, VulkanExpression):
        overload_method(_kind, _name, target="vulkan")(_rule(_name, _make))


@overload(np.dot, target="vulkan")
def _dot(a: Any, b: Any) -> Any:
    """Multiply two arrays of one axis."""
    if not (_is_array(a) and _is_array(b)):
        return None
    if a.ndim != 1 or b.ndim != 1:
        raise VulkanUnsupportedError(
            "np.dot in kernels takes two arrays of one axis: use it on rows and columns"
        )

    def implementation(a: Any, b: Any) -> Any:
        if a.shape[0] != b.shape[0]:
            raise ValueError("the arrays of np.dot have different sizes", a.shape[0], b.shape[0])
        return (a * b).sum()

    return implementation
