"""Typing and lowering of shared arrays, barriers and fences."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import Registry as LoweringRegistry
from numba.core.typing.npydecl import parse_shape
from numba.core.typing.templates import CallableTemplate, ConcreteTemplate, Registry, signature

from .. import abi, stubs
from ..errors import VulkanUnsupportedError
from . import arrays, placeholders
from .dtypes import dtype_of
from .record_types import VulkanRecord
from .types import VulkanArray, element_of
from .wording import name_of, noun

__all__ = ["integers", "lowering", "typing"]

typing = Registry()
lowering = LoweringRegistry()
_I64 = ir.IntType(64)


class _SharedArray(CallableTemplate):
    key = stubs.shared.array
    prefer_literal = True  # so that a shape of 0 is seen

    def generic(self) -> Callable[..., VulkanArray]:
        """Return what types a call."""

        def typer(shape: types.Type, dtype: types.Type) -> VulkanArray:
            ndim, element = parse_shape(shape), dtype_of(dtype)
            if ndim is None:
                raise VulkanUnsupportedError(
                    f"the shape of a shared array is an integer or a tuple of them, not {noun(shape)}"
                )
            if not isinstance(element, VulkanRecord) and element_of(element) is None:
                raise VulkanUnsupportedError(f"shared arrays of {name_of(element)} are not supported")
            return VulkanArray(element, ndim, "C")

        return typer


typing.register_global(stubs.shared.array, types.Function(_SharedArray))


def integers(context: Any, builder: ir.IRBuilder, given: Any, value: ir.Value) -> list[ir.Value]:
    """Return an integer, or each of a tuple of them, as int64."""
    if not isinstance(given, types.BaseTuple):
        return [context.cast(builder, value, given, types.intp)]
    kinds: tuple[types.Type, ...] = given.types
    items = cgutils.unpack_tuple(builder, value)
    return [context.cast(builder, item, kind, types.intp) for item, kind in zip(items, kinds, strict=True)]


def _site(builder: ir.IRBuilder) -> int:
    """Return a number for a call of ``shared.array``: that of its function and of the calls in it before."""
    before = sum(
        isinstance(i, ir.CallInstr) and i.callee.name.startswith(abi.shared_name(""))
        for block in builder.function.blocks
        for i in block.instructions
    )
    digest = hashlib.blake2b(f"{builder.function.name}:{before}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


@lowering.lower(stubs.shared.array, types.Any, types.Any)
def _lower_array(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    """Make a shared array; that its shape is constant shows when everything is inlined."""
    array_type = sig.return_type
    if _is_dynamic(sig.args[0]):
        return _dynamic_array(context, builder, array_type)
    extents = integers(context, builder, sig.args[0], args[0])
    element, count = arrays.made_of(builder, array_type, extents)
    site = ir.Constant(_I64, _site(builder))
    binding = placeholders.call(builder, abi.shared_name(element), site, count)
    return arrays.whole(context, builder, array_type, binding, extents)


def _is_dynamic(shape: Any) -> bool:
    """Whether a shape is the literal 0: the launch says how large such arrays are."""
    extents: Any = shape if isinstance(shape, types.BaseTuple) else (shape,)
    only = extents[0] if len(extents) == 1 else None
    return isinstance(only, types.IntegerLiteral) and only.literal_value == 0


def _dynamic_array(context: Any, builder: ir.IRBuilder, array_type: VulkanArray) -> ir.Value:
    """Make an array over all of the dynamic shared memory, which all such arrays share."""
    context.active_code_library.add_dynamic(array_type.itemsize)
    i32 = ir.IntType(32)
    size = placeholders.call(builder, abi.SHARED_BYTES)
    words = builder.lshr(builder.add(size, ir.Constant(i32, 3)), ir.Constant(i32, 2))
    site = ir.Constant(_I64, abi.DYNAMIC_SITE)
    binding = placeholders.call(builder, abi.shared_name(abi.WORDS), site, builder.zext(words, _I64))
    extent = builder.zext(builder.udiv(size, ir.Constant(i32, array_type.itemsize)), _I64)
    return arrays.whole(context, builder, array_type, binding, [extent])


_WITHOUT_ARGUMENTS: dict[Callable[[], None], str] = {
    stubs.barrier: abi.BARRIER,
    stubs.syncthreads: abi.BARRIER,
    stubs.fence_workgroup: abi.FENCE_WORKGROUP,
    stubs.fence_device: abi.FENCE_DEVICE,
}


def _register(function: Callable[[], None], placeholder: str) -> None:
    """Give a stub without arguments its type and its implementation."""

    class Template(ConcreteTemplate):
        key = function
        cases = [signature(types.none)]  # noqa: RUF012

    typing.register_global(function, types.Function(Template))

    @lowering.lower(function)
    def lower(context: Any, builder: ir.IRBuilder, _sig: Any, _args: tuple[()]) -> ir.Value:
        placeholders.call(builder, placeholder)
        return context.get_dummy_value()


for _function, _name in _WITHOUT_ARGUMENTS.items():
    _register(_function, _name)
