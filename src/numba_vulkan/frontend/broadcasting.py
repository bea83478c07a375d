"""Shapes that must go together, and loops over all positions of one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from .arrays import View

__all__ = ["broadcast", "loops", "refuse_shapes", "shape_template"]

_I32 = ir.IntType(32)


@contextmanager
def loops(builder: ir.IRBuilder, extents: list[ir.Value]) -> Iterator[list[ir.Value]]:
    """Open a loop over all positions of an array, the last axis innermost."""
    with ExitStack() as opened:
        yield [opened.enter_context(cgutils.for_range(builder, extent)).index for extent in extents]


def shape_template(extents: list[ir.Value]) -> str:
    """Return a template for a shape as Python writes it."""
    numbers = ", ".join("{}" for _ in extents)
    return f"({numbers}{',' if len(extents) == 1 else ''})"


def refuse_shapes(
    context: Any, builder: ir.IRBuilder, differ: ir.Value, given: list[ir.Value], wanted: list[ir.Value]
) -> None:
    """Raise if shapes that must agree do not."""
    with builder.if_then(differ, likely=False):
        value, part = shape_template(given), shape_template(wanted)
        text = f"cannot assign a value of shape {value} to a part of an array of shape {part}"
        context.call_conv.return_text(
            builder, ValueError, text, [(types.int32, extent) for extent in (*given, *wanted)]
        )


def broadcast(context: Any, builder: ir.IRBuilder, view: View, extents: list[ir.Value]) -> View:
    """Return a view with these extents; axes of extent 1 are repeated, and more axes added at the front."""
    one, zero = ir.Constant(_I32, 1), ir.Constant(_I32, 0)
    surplus = len(view.extents) - len(extents)
    own, own_steps = view.extents[max(surplus, 0) :], view.steps[max(surplus, 0) :]
    added = len(extents) - len(own)
    differ: ir.Value = ir.Constant(ir.IntType(1), 0)
    for extent in view.extents[: max(surplus, 0)]:
        # NumPy drops surplus leading axes of extent 1 in assignments.
        differ = builder.or_(differ, builder.icmp_unsigned("!=", extent, one))
    steps: list[ir.Value] = [zero] * added
    for extent, step, wanted in zip(own, own_steps, extents[added:], strict=True):
        is_repeated = builder.icmp_unsigned("==", extent, one)
        fits = builder.or_(is_repeated, builder.icmp_unsigned("==", extent, wanted))
        differ = builder.or_(differ, builder.not_(fits))
        steps.append(builder.select(is_repeated, zero, step))
    refuse_shapes(context, builder, differ, view.extents, extents)
    return replace(view, extents=extents, steps=steps)
