"""Which arrays a kernel writes."""

from __future__ import annotations

from .. import abi
from ..llvmir.model import Constant, Function, Value
from .passes import Context

__all__ = ["WrittenArrays"]


class WrittenArrays:
    """The arrays that a kernel writes, found once.

    Attributes
    ----------
    bindings : set of int
        Their bindings, shared arrays included.
    """

    def __init__(self, function: Function, context: Context) -> None:
        self.bindings: set[int] = set()
        for i in function.calls(abi.WRITES):
            binding = i.operands[0]
            if not i.callee.startswith(abi.atomic_name("load", "")) and isinstance(binding, Constant):
                self.bindings.add(binding.value)
        self._is_aliased = context.variant.aliased and len(context.interface.arrays) > 1
        self._constants = {array.binding for array in context.interface.constants}

    def is_written_buffer(self, binding: Value) -> bool:
        """Whether the kernel may write a binding that is a buffer, which another binding may be as well."""
        if not isinstance(binding, Constant):
            return True
        if binding.value >= abi.SHARED_BASE or binding.value in self._constants:
            return False
        if self._is_aliased:
            return any(written < abi.SHARED_BASE for written in self.bindings)
        return binding.value in self.bindings

    def may_change(self, binding: Value) -> bool:
        """Whether the kernel may write an array."""
        is_shared = isinstance(binding, Constant) and binding.value in self.bindings
        return is_shared or self.is_written_buffer(binding)
