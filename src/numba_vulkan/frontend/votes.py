"""Typing and lowering of barriers that count: Python functions over shared memory, one array for all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.imputils import Registry as LoweringRegistry
from numba.core.typing.templates import CallableTemplate, Registry, signature

from .. import stubs
from ..stubs import atomic, shared

__all__ = ["lowering", "typing"]

typing = Registry()
lowering = LoweringRegistry()


def _count(predicate: Any) -> Any:
    """Count in a word that one invocation clears; nobody gets here before all have read what was counted before."""
    counted = shared.array(1, np.int32)
    stubs.barrier()
    if stubs.local_id(0) == 0 and stubs.local_id(1) == 0 and stubs.local_id(2) == 0:
        counted[0] = 0
    stubs.barrier()
    if predicate:
        atomic.add(counted, 0, 1)
    stubs.barrier()
    return np.int64(counted[0])


def _all(predicate: Any) -> Any:
    """Ask those who are left, as CUDA does: who has returned votes neither for it nor against."""
    return stubs.syncthreads_count(not predicate) == 0


def _any(predicate: Any) -> Any:
    return stubs.syncthreads_count(predicate) > 0


def _register(function: Callable[..., Any], body: Callable[..., Any], result: types.Type) -> None:
    """Give one stub its type and its implementation."""

    class VoteTemplate(CallableTemplate):
        key = function

        def generic(self) -> Callable[..., types.Type | None]:
            def typer(predicate: types.Type) -> types.Type | None:
                return result if isinstance(predicate, types.Boolean | types.Number) else None

            return typer

    typing.register_global(function, types.Function(VoteTemplate))

    @lowering.lower(function, types.Any)
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value]) -> ir.Value:
        predicate = context.cast(builder, args[0], sig.args[0], types.boolean)
        return context.compile_internal(builder, body, signature(result, types.boolean), (predicate,))


_register(stubs.syncthreads_count, _count, types.int64)
_register(stubs.syncthreads_and, _all, types.boolean)
_register(stubs.syncthreads_or, _any, types.boolean)
