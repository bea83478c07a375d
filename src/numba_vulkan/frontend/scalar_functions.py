"""NumPy's functions of complex scalars (``np.real``, ``np.imag``) and of dates (``np.isnat``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.imputils import Registry as LoweringRegistry
from numba.core.typing.templates import AbstractTemplate, ConcreteTemplate, Registry, signature

__all__ = ["lowering", "typing"]

typing = Registry()
lowering = LoweringRegistry()
_COMPLEX: dict[Any, types.Type] = {types.complex64: types.float32, types.complex128: types.float64}
Lowering = Callable[[Any, ir.IRBuilder, Any, tuple[ir.Value, ...]], ir.Value]


def _part(name: str) -> Lowering:
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        return getattr(context.make_complex(builder, sig.args[0], value=args[0]), name)

    return lower


def _register(function: Any, name: str) -> None:
    class Template(ConcreteTemplate):
        key = function
        cases = [signature(part, number) for number, part in _COMPLEX.items()]  # noqa: RUF012

    typing.register_global(function, types.Function(Template))
    for number in _COMPLEX:
        lowering.lower(function, number)(_part(name))


_register(np.real, "real")
_register(np.imag, "imag")


class _IsNat(AbstractTemplate):
    """Typing of ``np.isnat``; Numba has a lowering for it that holds on any target."""

    key = np.isnat

    def generic(self, args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Any:
        """Return the signature for a date or a time."""
        is_time = len(args) == 1 and isinstance(args[0], types.NPDatetime | types.NPTimedelta)
        return signature(types.boolean, *args) if is_time and not kws else None


typing.register_global(np.isnat, types.Function(_IsNat))
