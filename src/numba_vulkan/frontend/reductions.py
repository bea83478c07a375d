"""Sums, extremes and the like over arrays, views and operations on arrays: functions of NumPy, and methods.

Written as plain Python over indices; their order of evaluation is that of the elements, not NumPy's. Along an axis they
are expressions, whose elements are reductions of lanes.
"""

# Kernels have no generators: any() and enumerate() over these indices are loops.
# ruff: noqa: SIM110, SIM113

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import signature
from numba.extending import intrinsic, overload, overload_method

from ..errors import VulkanUnsupportedError
from .axes import axes_of, constant_of, is_given
from .dtypes import dtype_of
from .gathering import Along, gathering
from .types import VulkanArray, VulkanExpression, is_array

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


def _total_type(kind: Any, dtype: Any) -> Any:
    """Return the type in which NumPy adds and multiplies elements of a type."""
    if dtype is not None:
        return dtype
    if isinstance(kind, types.Boolean):
        return types.int64
    if isinstance(kind, types.Integer):
        return types.int64 if kind.signed else types.uint64
    return kind


def _mean_type(kind: Any, dtype: Any) -> Any:
    return dtype or (kind if isinstance(kind, types.Float | types.Complex) else types.float64)


def _real_type(kind: Any) -> Any:
    return kind.underlying_float if isinstance(kind, types.Complex) else kind


# The implementations take what all reductions may be given; `_rule` has looked at it.


def _sum(array: Any, given: Any) -> Implementation:
    if isinstance(array.dtype, types.NPTimedelta):
        return _sum_of_times(array)
    total = _total_type(array.dtype, given)

    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        result = total(0)
        for index in indices(a):
            result = total(result + total(a[index]))
        return result

    return implementation


def _sum_of_times(array: Any) -> Implementation:
    zero = np.timedelta64(0, array.dtype.unit)

    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        result = zero
        for index in indices(a):
            result = result + a[index]
        return result

    return implementation


def _prod(array: Any, given: Any) -> Implementation:
    total = _total_type(array.dtype, given)

    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        result = total(1)
        for index in indices(a):
            result = total(result * total(a[index]))
        return result

    return implementation


def _mean(array: Any, given: Any) -> Implementation:
    kind = _mean_type(array.dtype, given)

    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        total = kind(0)
        for index in indices(a):
            total = kind(total + kind(a[index]))
        return kind(total / kind(a.size))

    return implementation


def _var(array: Any, given: Any) -> Implementation:
    kind = _mean_type(array.dtype, given)
    real = _real_type(kind)

    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        total = kind(0)
        for index in indices(a):
            total = kind(total + kind(a[index]))
        mean = kind(total / kind(a.size))
        squares = real(0)
        for index in indices(a):
            squares = real(squares + _square(kind(kind(a[index]) - mean)))
        return real(squares / real(max(a.size - ddof, 0)))

    return implementation


def _std(array: Any, given: Any) -> Implementation:
    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        return _root(np.var(a, None, given, ddof))

    return implementation


def _extreme(array: Any, is_minimum: bool) -> Implementation:
    """Return the smallest or largest element; NaN if there is one."""
    name = "minimum" if is_minimum else "maximum"
    message = f"zero-size array to reduction operation {name} which has no identity"
    first = (0,) * array.ndim
    is_beyond = operator.lt if is_minimum else operator.gt

    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        if a.size == 0:
            raise ValueError(message)
        result = a[first]
        for index in indices(a):
            value = a[index]
            if is_beyond(value, result) or value != value:
                result = value
            if result != result:
                break
        return result

    return implementation


def _position(array: Any, is_minimum: bool) -> Implementation:
    """Return the number of the first smallest or largest element; of the first NaN if there is one."""
    message = f"attempt to get arg{'min' if is_minimum else 'max'} of an empty sequence"
    first = (0,) * array.ndim
    is_beyond = operator.lt if is_minimum else operator.gt

    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        if a.size == 0:
            raise ValueError(message)
        best, found, count = a[first], 0, 0
        for index in indices(a):
            value = a[index]
            if (is_beyond(value, best) or value != value) and best == best:
                best, found = value, count
            count += 1
        return found

    return implementation


def _any(_array: Any) -> Implementation:
    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        for index in indices(a):
            if a[index]:
                return True
        return False

    return implementation


def _all(_array: Any) -> Implementation:
    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        for index in indices(a):
            if not a[index]:
                return False
        return True

    return implementation


def _count_nonzero(_array: Any) -> Implementation:
    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        count = 0
        for index in indices(a):
            if a[index]:
                count += 1
        return count

    return implementation


# ---- without NaN


def _nansum(array: Any, given: Any) -> Implementation:
    total = _total_type(array.dtype, given)

    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        result = total(0)
        for index in indices(a):
            value = a[index]
            if value == value:
                result = total(result + total(value))
        return result

    return implementation


def _nanprod(array: Any, given: Any) -> Implementation:
    total = _total_type(array.dtype, given)

    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        result = total(1)
        for index in indices(a):
            value = a[index]
            if value == value:
                result = total(result * total(value))
        return result

    return implementation


def _nanmean(array: Any, given: Any) -> Implementation:
    kind = _mean_type(array.dtype, given)

    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        total, count = kind(0), 0
        for index in indices(a):
            value = kind(a[index])
            if value == value:
                total = kind(total + value)
                count += 1
        return kind(total / kind(count))

    return implementation


def _nanvar(array: Any, given: Any) -> Implementation:
    kind = _mean_type(array.dtype, given)
    real = _real_type(kind)

    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        total, count = kind(0), 0
        for index in indices(a):
            value = kind(a[index])
            if value == value:
                total = kind(total + value)
                count += 1
        mean = kind(total / kind(count))
        squares = real(0)
        for index in indices(a):
            value = kind(a[index])
            if value == value:
                squares = real(squares + _square(kind(value - mean)))
        # NumPy has no variance where there are too few numbers.
        return real(squares / real(count - ddof)) if count > ddof else real(math.nan)

    return implementation


def _nanstd(array: Any, given: Any) -> Implementation:
    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        return _root(np.nanvar(a, None, given, ddof))

    return implementation


def _nan_extreme(array: Any, is_minimum: bool) -> Implementation:
    """Return the smallest or largest element that is no NaN, else NaN."""
    if not isinstance(array.dtype, types.Float):
        return _extreme(array, is_minimum)
    message = f"zero-size array to reduction operation fm{'in' if is_minimum else 'ax'} which has no identity"
    first = (0,) * array.ndim
    is_beyond = operator.lt if is_minimum else operator.gt

    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        if a.size == 0:
            raise ValueError(message)
        result = a[first]
        for index in indices(a):
            value = a[index]
            if is_beyond(value, result) or result != result:
                result = value
        return result

    return implementation


def _nan_position(array: Any, is_minimum: bool) -> Implementation:
    """Return the number of the first smallest or largest element that is no NaN."""
    if not isinstance(array.dtype, types.Float):
        return _position(array, is_minimum)
    first = (0,) * array.ndim
    is_beyond = operator.lt if is_minimum else operator.gt

    def implementation(
        a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        best, found, count = a[first], -1, 0
        for index in indices(a):
            value = a[index]
            if value == value and (found < 0 or is_beyond(value, best)):
                best, found = value, count
            count += 1
        if found < 0:
            raise ValueError("All-NaN slice encountered")
        return found

    return implementation


# ---- helpers that differ between floats and complex numbers


def _root(_number: Any) -> Any:
    raise NotImplementedError


def _square(_number: Any) -> Any:
    raise NotImplementedError


@overload(_root, target="vulkan", strict=False)
def _root_of(number: Any) -> Any:
    def implementation(number: Any) -> Any:
        return math.sqrt(number)

    return implementation


@overload(_square, target="vulkan", strict=False)
def _square_of(number: Any) -> Any:
    if isinstance(number, types.Complex):
        return lambda number: number.real * number.real + number.imag * number.imag
    return lambda number: number * number


# ---- registration


@dataclass(frozen=True)
class _Reduction:
    """A reduction: what makes its implementation, and what else it takes than an axis."""

    make: Callable[..., Implementation]
    takes_dtype: bool = False
    takes_ddof: bool = False
    is_method: bool = True

    def implementation(self, array: Any, dtype: Any) -> Implementation:
        """Return the function for an array type that reduces all of it."""
        return self.make(array, dtype) if self.takes_dtype else self.make(array)


_REDUCTIONS: dict[str, _Reduction] = {
    "sum": _Reduction(_sum, takes_dtype=True),
    "prod": _Reduction(_prod, takes_dtype=True),
    "mean": _Reduction(_mean, takes_dtype=True),
    "var": _Reduction(_var, takes_dtype=True, takes_ddof=True),
    "std": _Reduction(_std, takes_dtype=True, takes_ddof=True),
    "min": _Reduction(lambda array: _extreme(array, is_minimum=True)),
    "max": _Reduction(lambda array: _extreme(array, is_minimum=False)),
    "argmin": _Reduction(lambda array: _position(array, is_minimum=True)),
    "argmax": _Reduction(lambda array: _position(array, is_minimum=False)),
    "any": _Reduction(_any),
    "all": _Reduction(_all),
    "count_nonzero": _Reduction(_count_nonzero, is_method=False),
    "nansum": _Reduction(_nansum, takes_dtype=True, is_method=False),
    "nanprod": _Reduction(_nanprod, takes_dtype=True, is_method=False),
    "nanmean": _Reduction(_nanmean, takes_dtype=True, is_method=False),
    "nanvar": _Reduction(_nanvar, takes_dtype=True, takes_ddof=True, is_method=False),
    "nanstd": _Reduction(_nanstd, takes_dtype=True, takes_ddof=True, is_method=False),
    "nanmin": _Reduction(lambda array: _nan_extreme(array, is_minimum=True), is_method=False),
    "nanmax": _Reduction(lambda array: _nan_extreme(array, is_minimum=False), is_method=False),
    "nanargmin": _Reduction(lambda array: _nan_position(array, is_minimum=True), is_method=False),
    "nanargmax": _Reduction(lambda array: _nan_position(array, is_minimum=False), is_method=False),
}


def _rule(name: str, reduction: _Reduction) -> Callable[..., Any]:
    function = getattr(np, name)

    def rule(a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
        if not is_array(a):
            return None
        kind = dtype_of(dtype) if is_given(dtype) else None
        ddof, axis, keepdims = (
            constant_of(ddof, 0),
            constant_of(axis, None),
            constant_of(keepdims, default=False),
        )
        if (kind is not None and not reduction.takes_dtype) or (ddof != 0 and not reduction.takes_ddof):
            raise VulkanUnsupportedError(f"{name} takes an array, axis and keepdims in kernels")
        if axis is None and keepdims is False:
            return reduction.implementation(a, kind)
        axes = axes_of(name, a, axis)
        if axes is None or not (isinstance(ddof, int) and isinstance(keepdims, bool)):
            raise VulkanUnsupportedError(
                f"{name} along an axis, or with keepdims, needs axis, ddof and keepdims that are constants: write a "
                f"reduction in each branch"
            )
        if len(axes) == a.ndim and not keepdims:
            return reduction.implementation(a, kind)
        along = gathering(Along(function, axes, keepdims, kind, ddof))

        def implementation(
            a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
        ) -> Any:
            return along(a)

        return implementation

    return rule


for _name, _reduction in _REDUCTIONS.items():
    for _function in {getattr(np, _name), getattr(np, f"a{_name}", getattr(np, _name))}:
        overload(_function, target="vulkan", prefer_literal=True)(_rule(_name, _reduction))
    for _kind in (VulkanArray, VulkanExpression) if _reduction.is_method else ():
        overload_method(_kind, _name, target="vulkan", prefer_literal=True)(_rule(_name, _reduction))
