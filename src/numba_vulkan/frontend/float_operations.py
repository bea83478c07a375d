"""Operators and built-ins on floats that need the math library: %, //, divmod, ** and round."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import types

from .math_lowering import Lowering, library, to_integer

__all__ = ["override"]

_round_to_digits = library("round_digits")
_BINARY: dict[Any, Lowering] = {
    operator.mod: library("modulo"),
    operator.imod: library("modulo"),
    operator.floordiv: library("floor_divide"),
    operator.ifloordiv: library("floor_divide"),
    divmod: library("divmod"),
    operator.pow: library("pow"),
    operator.ipow: library("pow"),
    pow: library("pow"),
}
_POWERS = (operator.pow, operator.ipow, pow)


def _checked(lower: Lowering) -> Lowering:
    """Return the lowering of a division, which raises for a zero divisor with ``error_model="python"``."""

    def lower_division(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        if context.error_model.raise_on_fp_zero_division:
            zero = ir.Constant(args[1].type, 0 if isinstance(sig.args[1], types.Integer) else 0.0)
            equal = builder.icmp_signed if isinstance(sig.args[1], types.Integer) else builder.fcmp_ordered
            with builder.if_then(equal("==", args[1], zero)):
                context.error_model.fp_zero_division(builder, ("float modulo by zero",))
        return lower(context, builder, sig, args)

    return lower_division


def _round(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    if len(args) == 1:
        return to_integer("rint")(context, builder, sig, args)
    return _round_to_digits(context, builder, sig, args)


def override(function: Any, sig: Any) -> Lowering | None:
    """Return the lowering that replaces Numba's for this function and signature, if there is one."""
    key = getattr(function, "typing_key", function)
    if key is round:
        return _round if isinstance(sig.args[0], types.Float) else None
    lower = _BINARY.get(key)
    numbers = types.Float | types.Integer
    if lower is None or len(sig.args) != 2 or not all(isinstance(a, numbers) for a in sig.args):
        return None
    if not any(isinstance(t, types.Float) for t in sig.args):
        return None
    if key in _POWERS:
        # Powers with a small constant exponent are unrolled by Numba.
        second = sig.args[1]
        return None if isinstance(second, types.IntegerLiteral) and abs(second.literal_value) <= 64 else lower
    return _checked(lower)
