"""Typing and lowering of the ids and sizes of invocations and workgroups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.imputils import Registry as LoweringRegistry
from numba.core.typing.templates import AbstractTemplate, Registry, signature

from .. import stubs
from ..errors import VulkanUnsupportedError
from . import placeholders

__all__ = ["lowering", "typing"]

typing = Registry()
lowering = LoweringRegistry()

_PLACEHOLDER: dict[Callable[[int], int], str] = {
    stubs.global_id: "nv.id.global",
    stubs.local_id: "nv.id.local",
    stubs.group_id: "nv.id.group",
    stubs.local_size: "nv.size.local",
    stubs.num_groups: "nv.size.groups",
}
_SIGNATURE = signature(types.intp, types.intp)


def _register(function: Callable[[int], int], placeholder: str) -> None:
    """Give one stub its type and its implementation."""

    class IdTemplate(AbstractTemplate):
        key = function

        def generic(self, args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Any:
            if kws or len(args) != 1 or not isinstance(args[0], types.Integer):
                return None
            axis = getattr(args[0], "literal_value", 0)
            if axis not in (0, 1, 2):
                raise VulkanUnsupportedError(f"{function.__name__}({axis}): the axis must be 0, 1 or 2")
            return _SIGNATURE

    typing.register_global(function, types.Function(IdTemplate))

    @lowering.lower(function, types.intp)
    def lower_id(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value]) -> ir.Value:
        axis = builder.trunc(args[0], ir.IntType(32))
        return builder.zext(placeholders.call(builder, placeholder, axis), ir.IntType(64))


for _function, _name in _PLACEHOLDER.items():
    _register(_function, _name)
