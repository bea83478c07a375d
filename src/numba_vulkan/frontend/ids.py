"""Typing and lowering of the ids and sizes of invocations and workgroups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.imputils import Registry as LoweringRegistry
from numba.core.typing.templates import AbstractTemplate, Registry, signature

from .. import abi, stubs
from ..errors import VulkanUnsupportedError
from . import placeholders

__all__ = ["lowering", "typing"]

typing = Registry()
lowering = LoweringRegistry()

_PLACEHOLDER: dict[Callable[[int], int], str] = {
    stubs.global_id: abi.GLOBAL_ID,
    stubs.local_id: abi.LOCAL_ID,
    stubs.group_id: abi.GROUP_ID,
    stubs.local_size: abi.LOCAL_SIZE,
    stubs.num_groups: abi.NUM_GROUPS,
}


def _read(builder: ir.IRBuilder, placeholder: str, axis: int) -> ir.Value:
    return placeholders.call(builder, placeholder, ir.Constant(ir.IntType(32), axis))


def _read_chosen(context: Any, builder: ir.IRBuilder, placeholder: str, axis: ir.Value) -> ir.Value:
    """Read the id along an axis that is known at run time only; shaders index built-ins by constants."""
    with builder.if_then(builder.icmp_unsigned(">", axis, ir.Constant(axis.type, 2)), likely=False):
        context.call_conv.return_user_exc(builder, ValueError, ("the axis of an id must be 0, 1 or 2",))
    value = _read(builder, placeholder, 2)
    for candidate in (1, 0):
        chosen = builder.icmp_unsigned("==", axis, ir.Constant(axis.type, candidate))
        value = builder.select(chosen, _read(builder, placeholder, candidate), value)
    return value


def _register(function: Callable[[int], int], placeholder: str) -> None:
    """Give one stub its type and its implementation."""

    class IdTemplate(AbstractTemplate):
        key = function
        prefer_literal = True  # so that a constant axis is seen and checked

        def generic(self, args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Any:
            if kws or len(args) != 1 or not isinstance(args[0], types.Integer):
                raise VulkanUnsupportedError(
                    f"{function.__name__}(axis) takes one argument, the axis: 0, 1 or 2"
                )
            return signature(types.intp, args[0])

    typing.register_global(function, types.Function(IdTemplate))

    @lowering.lower(function, types.Integer)
    def lower_id(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value]) -> ir.Value:
        if isinstance(sig.args[0], types.IntegerLiteral):
            axis = sig.args[0].literal_value
            if axis not in (0, 1, 2):
                raise VulkanUnsupportedError(f"{function.__name__}({axis}): the axis must be 0, 1 or 2")
            value = _read(builder, placeholder, axis)
        else:
            value = _read_chosen(
                context, builder, placeholder, context.cast(builder, args[0], sig.args[0], types.intp)
            )
        return builder.zext(value, ir.IntType(64))


for _function, _name in _PLACEHOLDER.items():
    _register(_function, _name)
