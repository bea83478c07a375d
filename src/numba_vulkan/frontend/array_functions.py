"""Functions of NumPy and of Python that take arrays and give numbers, or write to an array that is there.

Written in terms of other functions and of loops, for the types they are called with.
"""

# Kernels have no generators: any() and all() over elements are loops.
# ruff: noqa: SIM110

from __future__ import annotations

import math
import operator
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import signature
from numba.extending import intrinsic
from numba.np.numpy_support import as_dtype, from_dtype

from ..errors import VulkanUnsupportedError
from .axes import constant_of, is_given
from .dtypes import dtype_of
from .reductions import indices
from .registration import register
from .types import VulkanArray, is_array, members_of

__all__: list[str] = []


# ---- elements within bounds, and rounded


@register(np.clip, "clip")
def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None) -> Any:
    if not (is_array(a) or isinstance(types.unliteral(a), types.Number)):
        return None
    has_low, has_high = is_given(a_min), is_given(a_max)
    if not (has_low or has_high):
        raise VulkanUnsupportedError("np.clip needs a bound")

    def into(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None) -> Any:
        out[...] = np.clip(a, a_min, a_max)
        return out

    def above(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None) -> Any:
        return np.maximum(a, a_min)

    def below(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None) -> Any:
        return np.minimum(a, a_max)

    def between(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None) -> Any:
        return np.minimum(np.maximum(a, a_min), a_max)

    if is_given(out):
        return into
    return between if has_low and has_high else above if has_low else below


def _round(a: Any, decimals: Any = 0) -> Any:
    kind = types.unliteral(getattr(a, "dtype", a))
    if constant_of(decimals, 0) != 0:
        raise VulkanUnsupportedError(
            "np.round rounds to whole numbers in kernels: multiply before, and divide after"
        )
    if isinstance(kind, types.Integer):
        return (lambda a, decimals=0: a.copy()) if is_array(a) else (lambda a, decimals=0: a)
    return (lambda a, decimals=0: np.rint(a)) if isinstance(kind, types.Float) else None


register(np.round, "round")(_round)
register(np.around)(_round)


# ---- numbers out of arrays


@register(np.ptp)
def _ptp(a: Any) -> Any:
    if not is_array(a):
        return None
    kind = a.dtype
    return lambda a: kind(a.max() - a.min())


@register(np.average)
def _average(a: Any, weights: Any = None) -> Any:
    if not is_array(a):
        return None

    def mean(a: Any, weights: Any = None) -> Any:
        return a.mean()

    def weighted(a: Any, weights: Any = None) -> Any:
        return (a * weights).sum() / weights.sum()

    return weighted if is_given(weights) else mean


def _scalar_product(function: Callable[..., Any], name: str, conjugates: bool) -> None:
    """Register a function of two vectors."""

    @register(function)
    def rule(a: Any, b: Any) -> Any:
        if not (is_array(a) and is_array(b)):
            return None
        if not a.ndim == b.ndim == 1:
            raise VulkanUnsupportedError(f"{name} takes arrays of one axis in kernels: use np.dot, or ravel")
        if conjugates and isinstance(a.dtype, types.Complex):
            return lambda a, b: np.conj(a) @ b
        return lambda a, b: a @ b


_scalar_product(np.vdot, "np.vdot", conjugates=True)
_scalar_product(np.inner, "np.inner", conjugates=False)


@register(np.linalg.norm)
def _norm(x: Any, ord: Any = None) -> Any:
    if not is_array(x):
        return None
    kind: Any = x.dtype.underlying_float if isinstance(x.dtype, types.Complex) else x.dtype
    kind = kind if isinstance(kind, types.Float) else types.float64
    number = np.dtype(str(kind)).type
    order = constant_of(ord, None)
    if order is None or (x.ndim == 1 and order == 2):
        return lambda x, ord=None: math.sqrt(np.square(np.abs(x).astype(number)).sum())
    if x.ndim == 1 and order == 1:
        return lambda x, ord=None: np.abs(x).astype(number).sum()
    if x.ndim != 1 or not isinstance(ord, types.Float):
        raise VulkanUnsupportedError(
            "np.linalg.norm has in kernels the orders 1, 2, inf and -inf of vectors, and none for other arrays"
        )

    def extreme(x: Any, ord: Any = None) -> Any:
        if not math.isinf(ord):
            raise ValueError("norms in kernels are those of the orders 1, 2, inf and -inf")
        sizes = np.abs(x).astype(number)
        return sizes.max() if ord > 0 else sizes.min()

    return extreme


@register(np.array_equal)
def _array_equal(a1: Any, a2: Any) -> Any:
    if not (is_array(a1) and is_array(a2)):
        return None
    if a1.ndim != a2.ndim:
        return lambda a1, a2: False

    def implementation(a1: Any, a2: Any) -> Any:
        if a1.shape != a2.shape:
            return False
        for index in indices(a1):
            if a1[index] != a2[index]:
                return False
        return True

    return implementation


@register(operator.contains)
def _contains(a: Any, b: Any) -> Any:
    if not is_array(a):
        return None

    def implementation(a: Any, b: Any) -> Any:
        for index in indices(a):
            if a[index] == b:
                return True
        return False

    return implementation


@register(np.searchsorted)
def _searchsorted(a: Any, v: Any, side: Any = "left") -> Any:
    which = constant_of(side, "left")
    if not is_array(a) or which not in ("left", "right"):
        return None
    if not isinstance(types.unliteral(v), types.Number):
        raise VulkanUnsupportedError("np.searchsorted takes one number in kernels: call it for each")
    is_left = which == "left"

    def implementation(a: Any, v: Any, side: Any = "left") -> Any:
        low, high = 0, a.shape[0]
        while low < high:
            middle = (low + high) // 2
            value = a[middle]
            # NaN lies behind all numbers.
            is_before = value < v or (v != v and value == value)
            if is_before or (not is_left and (value == v or (v != v and value != value))):
                low = middle + 1
            else:
                high = middle
        return low

    return implementation


@register(np.interp)
def _interp(x: Any, xp: Any, fp: Any) -> Any:
    if not (is_array(xp) and is_array(fp)):
        return None
    if not isinstance(types.unliteral(x), types.Integer | types.Float):
        raise VulkanUnsupportedError("np.interp takes one number in kernels: call it for each")

    def implementation(x: Any, xp: Any, fp: Any) -> Any:
        count = xp.shape[0]
        if count == 0 or fp.shape[0] != count:
            raise ValueError("np.interp takes as many values as points, and at least one", count, fp.shape[0])
        place = np.float64(x)
        if place != place:
            return place
        if place < xp[0]:
            return np.float64(fp[0])
        k = np.searchsorted(xp, place, "right") - 1
        if k >= count - 1 or place == xp[k]:
            return np.float64(fp[min(k, count - 1)])
        left, right = np.float64(fp[k]), np.float64(fp[k + 1])
        slope = (right - left) / (np.float64(xp[k + 1]) - np.float64(xp[k]))
        result = slope * (place - np.float64(xp[k])) + left
        if result != result:
            result = slope * (place - np.float64(xp[k + 1])) + right
            if result != result and left == right:
                result = left
        return result

    return implementation


@register(np.ndim)
def _ndim(a: Any) -> Any:
    return (lambda a: a.ndim) if is_array(a) else None


@register(np.size)
def _size(a: Any) -> Any:
    return (lambda a: a.size) if is_array(a) else None


@register(np.shape)
def _shape(a: Any) -> Any:
    return (lambda a: a.shape) if is_array(a) else None


# ---- into arrays that are there


@register(np.copyto)
def _copyto(dst: Any, src: Any) -> Any:
    if not isinstance(dst, VulkanArray):
        return None

    def implementation(dst: Any, src: Any) -> Any:
        dst[...] = src

    return implementation


@register(np.outer)
def _outer(a: Any, b: Any, out: Any = None) -> Any:
    if not (isinstance(a, VulkanArray) and isinstance(b, VulkanArray) and a.ndim == b.ndim == 1):
        return None
    if not is_given(out):
        return lambda a, b, out=None: a[:, None] * b[None, :]

    def into(a: Any, b: Any, out: Any = None) -> Any:
        out[...] = a[:, None] * b[None, :]
        return out

    return into


@register(np.array)
def _array(object: Any, dtype: Any = None) -> Any:
    """Make an array of a tuple of numbers."""
    if not isinstance(object, types.BaseTuple) or not len(object):
        return None
    members: list[Any] = [types.unliteral(t) for t in members_of(object)]
    if not all(isinstance(t, types.Number | types.Boolean) for t in members):
        return None
    given = _element_type(members, dtype)
    number, size, convert = as_dtype(given).type, len(members), _members_as(given)

    def implementation(object: Any, dtype: Any = None) -> Any:
        result = np.empty(size, number)
        result[:] = convert(object)
        return result

    return implementation


def _element_type(members: list[Any], dtype: Any) -> Any:
    """Return the type that was given, or that of NumPy for an array of these numbers."""
    return dtype_of(dtype) if is_given(dtype) else from_dtype(np.result_type(*map(as_dtype, members)))


def _members_as(kind: Any) -> Any:
    """Return what converts the members of a tuple to one type."""

    def typed(_typing_context: Any, values: Any) -> Any:
        result = types.UniTuple(kind, len(values))

        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
            return context.cast(builder, args[0], sig.args[0], result)

        return signature(result, values), lower

    return intrinsic(target="vulkan")(typed)


# ---- any, all


def _truth(function: Callable[..., bool], of_array: Callable[..., Any], combine: Callable[..., Any]) -> None:
    """Register ``any`` or ``all`` for arrays of one axis and for tuples."""

    @register(function)
    def rule(iterable: Any) -> Any:
        if isinstance(iterable, types.BaseTuple):
            if not len(iterable):
                empty = function(())
                return lambda iterable: empty
            return lambda iterable: combine(bool(iterable[0]), function(iterable[1:]))
        return (lambda iterable: of_array(iterable)) if is_array(iterable) and iterable.ndim == 1 else None  # noqa: PLW0108


_truth(any, np.any, operator.or_)
_truth(all, np.all, operator.and_)


# ---- what types know


_IntegerLimits = namedtuple("_IntegerLimits", "bits min max")
_FloatLimits = namedtuple("_FloatLimits", "bits eps max min tiny resolution smallest_normal")


@register(np.iinfo)
def _iinfo(int_type: Any) -> Any:
    kind = getattr(int_type, "dtype", int_type)
    if not isinstance(kind, types.Integer):
        return None
    known = np.iinfo(as_dtype(kind))
    bits, low, high = known.bits, known.min, known.max
    return lambda int_type: _IntegerLimits(bits, low, high)


@register(np.finfo)
def _finfo(dtype: Any) -> Any:
    kind = getattr(dtype, "dtype", dtype)
    if not isinstance(kind, types.Float):
        return None
    known = np.finfo(as_dtype(kind))
    bits, number = known.bits, as_dtype(kind).type
    eps, high, low = float(known.eps), float(known.max), float(known.min)
    tiny, resolution = float(known.tiny), float(known.resolution)
    return lambda dtype: _FloatLimits(
        bits, number(eps), number(high), number(low), number(tiny), number(resolution), number(tiny)
    )


def _type_named(kind: Any) -> Any:
    return kind.dtype if isinstance(kind, types.DType | types.NumberClass) else None


def _same_type(wanted: bool) -> Callable[..., Any]:
    def rule(a: Any, b: Any) -> Any:
        kinds = _type_named(a), _type_named(b)
        if None in kinds:
            return None
        result = (kinds[0] == kinds[1]) == wanted
        return lambda a, b: result

    return rule


register(operator.eq)(_same_type(wanted=True))
register(operator.ne)(_same_type(wanted=False))


# ---- members of enumerations


def _number_of_member(convert: Callable[[Any], Any]) -> None:
    """Register what converts members of enumerations of integers to a number."""

    @register(convert)
    def rule(value: Any) -> Any:
        return (lambda value: convert(value.value)) if isinstance(value, types.IntEnumMember) else None


for _convert in (int, float, bool):
    _number_of_member(_convert)
