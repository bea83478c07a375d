"""Arrays that an invocation makes for itself, of constant shape."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.npydecl import parse_shape
from numba.core.typing.templates import signature
from numba.extending import intrinsic, overload

from .. import abi, stubs
from ..errors import VulkanUnsupportedError
from . import arrays, placeholders
from .axes import is_given
from .dtypes import dtype_of
from .record_types import VulkanRecord
from .shared import integers
from .types import VulkanArray, element_of
from .wording import name_of

__all__: list[str] = []

_I64 = ir.IntType(64)


def _local_array(_typing_context: Any, shape: Any, dtype: Any) -> Any:
    """Make an array; that its shape is constant shows when everything is inlined."""
    ndim, kind = parse_shape(shape), dtype_of(dtype)
    if ndim is None:
        return None
    if not isinstance(kind, VulkanRecord) and element_of(kind) is None:
        raise VulkanUnsupportedError(f"kernels cannot make arrays of {name_of(kind)}")
    array_type = VulkanArray(kind, ndim, "C")

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        extents = integers(context, builder, sig.args[0], args[0])
        element, count = arrays.made_of(builder, array_type, extents)
        binding = placeholders.call(builder, abi.local_name(element), count)
        return arrays.whole(context, builder, array_type, binding, extents)

    return signature(array_type, shape, dtype), lower


_make: Any = intrinsic(target="vulkan")(_local_array)


def _dtype(dtype: Any) -> Any:
    """Return the element type that a call names, float64 without one."""
    return dtype_of(dtype) if is_given(dtype) else types.float64


@overload(stubs.local.array, target="vulkan", strict=False)
def _array(shape: Any, dtype: Any) -> Any:
    kind = dtype_of(dtype)
    return lambda shape, dtype: _make(shape, kind)


@overload(np.empty, target="vulkan", strict=False)
def _empty(shape: Any, dtype: Any = None) -> Any:
    kind = _dtype(dtype)
    return lambda shape, dtype=None: _make(shape, kind)


def _clear(_typing_context: Any, array: Any) -> Any:
    """Set the bytes of an array that was just made to zero."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        made = arrays.proxy(context, builder, sig.args[0], args[0])
        extents = cgutils.unpack_tuple(builder, made.shape, sig.args[0].ndim)
        element, count = arrays.made_of(builder, sig.args[0], extents)
        assert element == abi.WORDS
        zero = ir.Constant(ir.IntType(32), 0)
        with cgutils.for_range(builder, builder.trunc(count, zero.type)) as loop:
            placeholders.call(builder, abi.store_name("i32"), made.binding, loop.index, zero)
        return context.get_dummy_value()

    return signature(types.none, array), lower


_clear_records: Any = intrinsic(target="vulkan")(_clear)


def _cleared_records(kind: Any) -> Any:
    def implementation(shape: Any, dtype: Any = None) -> Any:
        result = _make(shape, kind)
        _clear_records(result)
        return result

    return implementation


def _filled_with(number: int) -> Any:
    def rule(shape: Any, dtype: Any = None) -> Any:
        kind = _dtype(dtype)
        if isinstance(kind, VulkanRecord):
            return _cleared_records(kind) if number == 0 else None

        def implementation(shape: Any, dtype: Any = None) -> Any:
            result = _make(shape, kind)
            result[...] = kind(number)
            return result

        return implementation

    return rule


overload(np.zeros, target="vulkan", strict=False)(_filled_with(0))
overload(np.ones, target="vulkan", strict=False)(_filled_with(1))


@overload(np.full, target="vulkan", strict=False)
def _full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    kind: Any = dtype_of(dtype) if is_given(dtype) else types.unliteral(fill_value)
    if isinstance(kind, VulkanRecord):
        return None

    def implementation(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
        result = _make(shape, kind)
        result[...] = kind(fill_value)
        return result

    return implementation
