"""Typing and lowering of atomic operations on array elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.imputils import Registry as LoweringRegistry
from numba.core.typing.templates import CallableTemplate, Registry

from .. import abi
from ..errors import VulkanUnsupportedError
from ..stubs import atomic
from . import elements, half_atomics, indexing, placeholders, shared
from .types import VulkanArray, element_of, refuse_wide
from .wording import name_of, noun

__all__ = ["lowering", "typing"]

typing = Registry()
lowering = LoweringRegistry()
_SUPPORTED = (
    *(types.int32, types.uint32, types.int64, types.uint64),
    *(types.float16, types.float32, types.float64, types.complex64, types.complex128),
)
# What works on complex numbers, one part after the other.
_OF_PARTS = (atomic.add, atomic.sub)

# Each function's operation on signed integers, unsigned integers and floats; None where there is none.
_OPERATIONS: dict[Callable[..., Any], tuple[str, str, str | None]] = {
    atomic.load: ("load", "load", "load"),
    atomic.store: ("store", "store", "store"),
    atomic.add: ("add", "add", "fadd"),
    atomic.sub: ("add", "add", "fadd"),
    atomic.min: ("smin", "umin", "fmin"),
    atomic.max: ("smax", "umax", "fmax"),
    atomic.nanmin: ("smin", "umin", "nanmin"),
    atomic.nanmax: ("smax", "umax", "nanmax"),
    atomic.and_: ("and", "and", None),
    atomic.or_: ("or", "or", None),
    atomic.xor: ("xor", "xor", None),
    atomic.exch: ("exchange", "exchange", "exchange"),
    atomic.cas: ("cas", "cas", "cas"),
    atomic.inc: ("sinc", "uinc", None),
    atomic.dec: ("sdec", "udec", None),
}


def _operation(function: Callable[..., Any], dtype: types.Type) -> str | None:
    signed, unsigned, of_floats = _OPERATIONS[function]
    if isinstance(dtype, types.Complex):
        return of_floats if function in _OF_PARTS else None
    if not isinstance(dtype, types.Integer):
        return of_floats
    return signed if dtype.signed else unsigned


def _part_bytes(dtype: types.Type) -> int:
    """Return the size of what changes at once: a number, or a part of a complex one."""
    element = element_of(dtype)
    assert element is not None
    return abi.ELEMENT_BYTES[element]


def _check(function: Callable[..., Any], array: types.Type, index: types.Type) -> None:
    """Raise unless a function works on an element of an array."""
    name = f"atomic.{function.__name__}"
    if not isinstance(array, VulkanArray):
        raise VulkanUnsupportedError(f"{name} works on elements of arrays, not on {noun(array)}")
    if array.dtype not in _SUPPORTED or _operation(function, array.dtype) is None:
        known = ", ".join(name_of(dtype) for dtype in _SUPPORTED if _operation(function, dtype) is not None)
        raise VulkanUnsupportedError(
            f"{name} does not work on elements of type {name_of(array.dtype)}: it knows {known}"
        )
    if array.dtype is types.float16:
        refuse_wide(array, "atomic operations on float16")
    if array.unit < _part_bytes(array.dtype):
        raise VulkanUnsupportedError(
            f"{name} needs elements at multiples of their size, and a field of packed records does not keep them so: "
            f"make the dtype with align=True"
        )
    if function is not atomic.load and not array.mutable:
        raise VulkanUnsupportedError(f"{name} writes to a read-only array")
    parts: Any = index if isinstance(index, types.BaseTuple) else (index,)
    if len(parts) != array.ndim or not all(isinstance(part, types.Integer) for part in parts):
        raise VulkanUnsupportedError(
            f"{name} needs one integer for each of {array.ndim} axes, not {noun(index)}"
        )


def _typer_of(function: Callable[..., Any], context: Any) -> Callable[..., types.Type]:
    """Return what types calls; its parameters have the names of the function's."""

    def result(array: types.Type, index: types.Type, *values: types.Type) -> types.Type:
        _check(function, array, index)
        for value in values:
            if context.can_convert(value, array.dtype) is None:
                raise VulkanUnsupportedError(
                    f"atomic.{function.__name__} on elements of type {name_of(array.dtype)} does not take "
                    f"{noun(value)} as a value"
                )
        return types.none if function is atomic.store else array.dtype

    def of_element(array: types.Type, index: types.Type) -> types.Type:
        return result(array, index)

    def with_limit(array: types.Type, index: types.Type, limit: types.Type) -> types.Type:
        return result(array, index, limit)

    def with_value(array: types.Type, index: types.Type, value: types.Type) -> types.Type:
        return result(array, index, value)

    def with_expected(
        array: types.Type, index: types.Type, expected: types.Type, value: types.Type
    ) -> types.Type:
        return result(array, index, expected, value)

    special = {atomic.load: of_element, atomic.cas: with_expected}
    special |= dict.fromkeys((atomic.inc, atomic.dec), with_limit)
    return special.get(function, with_value)


def _locate(
    context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]
) -> tuple[ir.Value, ir.Value]:
    """Return binding and index of the element, which counts numbers of its type or parts of complex ones."""
    array = sig.args[0]
    parts: list[tuple[types.Type, Any]] = [
        (types.intp, part) for part in shared.integers(context, builder, sig.args[1], args[1])
    ]
    binding, index = indexing.locate(context, builder, array, args[0], parts)
    return binding, elements.scaled(builder, index, array.unit // _part_bytes(array.dtype))


def _negated(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    return builder.neg(value) if isinstance(value.type, ir.IntType) else builder.fneg(value)


def _change_parts(
    context: Any,
    builder: ir.IRBuilder,
    array_type: VulkanArray,
    place: tuple[ir.Value, ir.Value],
    function: Callable[..., Any],
    name: str,
    value: ir.Value,
) -> ir.Value:
    """Add to both parts of a complex number, each on its own; return what they were."""
    binding, index = place
    number = context.make_complex(builder, array_type.dtype, value=value)
    parts = [number.real, number.imag]
    if function is atomic.sub:
        parts = [_negated(builder, part) for part in parts]
    old = context.make_complex(builder, array_type.dtype)
    old.real, old.imag = (
        placeholders.call(builder, name, binding, elements.scaled(builder, index, 1, k), part)
        for k, part in enumerate(parts)
    )
    return old._getvalue()


def _register(function: Callable[..., Any]) -> None:
    """Give one stub its type and its implementation."""

    class AtomicTemplate(CallableTemplate):
        key = function

        def generic(self) -> Callable[..., types.Type]:
            return _typer_of(function, self.context)

    typing.register_global(function, types.Function(AtomicTemplate))

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        dtype = sig.args[0].dtype
        operation, element = _operation(function, dtype), element_of(dtype)
        assert operation is not None
        assert element is not None
        values = [context.cast(builder, v, t, dtype) for v, t in zip(args[2:], sig.args[2:], strict=True)]
        place = _locate(context, builder, sig, args)
        if dtype is types.float16:
            old = half_atomics.lower(builder, function, operation, place, values)
            return context.get_dummy_value() if function is atomic.store else old
        name = abi.atomic_name(operation, element, str(place[1].type))
        if isinstance(dtype, types.Complex):
            return _change_parts(context, builder, sig.args[0], place, function, name, values[0])
        if function is atomic.sub:
            values = [_negated(builder, v) for v in values]
        old = placeholders.call(builder, name, *place, *values)
        return context.get_dummy_value() if function is atomic.store else old

    count = {atomic.load: 0, atomic.cas: 2}.get(function, 1)
    lowering.lower(function, VulkanArray, types.Any, *[types.Any] * count)(lower)


for _function in _OPERATIONS:
    _register(_function)
