"""Integer operations whose Numba lowering differs from NumPy or needs a math library, replaced for this target.

Numba registers them for concrete types, so that no registry of a target can override them: the target context looks
here first.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from ..errors import VulkanUnsupportedError
from . import comparisons

__all__ = ["override"]

Lowering = Callable[[Any, ir.IRBuilder, Any, tuple[ir.Value, ...]], ir.Value]


def _wrapping(opcode: str) -> Lowering:
    """Return the lowering of +, - or *, which wraps around as NumPy's does.

    Numba marks these as ``nsw``, with which LLVM may assume that ``x + 1 > x``.
    """

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        left, right = (
            context.cast(builder, a, t, sig.return_type) for a, t in zip(args, sig.args, strict=True)
        )
        return getattr(builder, opcode)(left, right)

    return lower


def _power(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    """Raise to an integer power by squaring; integers wrap around as NumPy's do.

    Numba computes exponents above 65536 with ``math.pow``, which is neither exact nor available in shaders.
    """
    result_type, exponent_type = sig.return_type, sig.args[1]
    one = result_type(1)
    # Numba gives up on exponents that are unsigned before an operation and signed after it.
    zero_exponent, bit = exponent_type(0), exponent_type(1)

    def whole_power(base: Any, exponent: Any) -> Any:
        result = one
        factor = result_type(base)
        if exponent < zero_exponent:
            # Of the integers only 1 and -1 have an integer inverse; NumPy refuses, Numba's CPU target gives 0.
            if factor != 1 and factor != -1:
                return result_type(0)
            exponent = exponent_type(exponent & bit)
        while exponent != zero_exponent:
            if exponent & bit:
                result = result_type(result * factor)
            exponent = exponent_type(exponent >> bit)
            factor = result_type(factor * factor)
        return result

    return context.compile_internal(builder, whole_power, sig, args)


def _shift(opcode: str) -> Lowering:
    """Return the lowering of a shift; by the width or more, NumPy gives 0, or the sign for signed right shifts."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        result_type = sig.return_type
        value = context.cast(builder, args[0], sig.args[0], result_type)
        amount = context.cast(builder, args[1], sig.args[1], result_type)
        width = ir.Constant(value.type, result_type.bitwidth)
        in_range = builder.icmp_unsigned("<", amount, width)
        if opcode == "shl":
            return builder.select(in_range, builder.shl(value, amount), ir.Constant(value.type, 0))
        if not result_type.signed:
            return builder.select(in_range, builder.lshr(value, amount), ir.Constant(value.type, 0))
        last = ir.Constant(value.type, result_type.bitwidth - 1)
        return builder.ashr(value, builder.select(in_range, amount, last))

    return lower


def _quotient_and_remainder(
    context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]
) -> tuple[ir.Value, ir.Value]:
    """Divide as Python does, rounding down, with one division and no case that SPIR-V leaves undefined.

    As in NumPy, dividing by zero gives 0 and 0 (or raises with ``error_model="python"``), and the smallest integer
    divided by -1 wraps to itself; Numba's CPU target gives 0 for the latter.
    """
    result_type = sig.return_type.dtype if isinstance(sig.return_type, types.UniTuple) else sig.return_type
    x = context.cast(builder, args[0], sig.args[0], result_type)
    literal = getattr(args[1], "constant", None)
    if result_type.signed and isinstance(literal, int) and literal > 0:
        return _divided_by(builder, x, literal)
    y = context.cast(builder, args[1], sig.args[1], result_type)
    zero, one = ir.Constant(x.type, 0), ir.Constant(x.type, 1)
    divides_by_zero = builder.icmp_unsigned("==", y, zero)
    if context.error_model.raise_on_fp_zero_division:
        with builder.if_then(divides_by_zero):
            context.error_model.fp_zero_division(builder, ("integer division by zero",))
    if not result_type.signed:
        divisor = builder.select(divides_by_zero, one, y)
        quotient = builder.udiv(x, divisor)
        remainder = builder.sub(x, builder.mul(quotient, divisor))
        return builder.select(divides_by_zero, zero, quotient), remainder
    smallest = ir.Constant(x.type, -(1 << (result_type.bitwidth - 1)))
    overflows = builder.and_(
        builder.icmp_unsigned("==", x, smallest), builder.icmp_unsigned("==", y, ir.Constant(x.type, -1))
    )
    divisor = builder.select(builder.or_(divides_by_zero, overflows), one, y)
    quotient = builder.sdiv(x, divisor)
    remainder = builder.sub(x, builder.mul(quotient, divisor))
    rounded_up = builder.and_(
        builder.icmp_unsigned("!=", remainder, zero),
        builder.icmp_signed("<", builder.xor(remainder, divisor), zero),
    )
    quotient = builder.select(rounded_up, builder.sub(quotient, one), quotient)
    remainder = builder.select(rounded_up, builder.add(remainder, divisor), remainder)
    return builder.select(divides_by_zero, zero, quotient), remainder


def _divided_by(builder: ir.IRBuilder, x: ir.Value, divisor: int) -> tuple[ir.Value, ir.Value]:
    """Divide by a positive number that is known, rounding down: of negative numbers, the complements are divided.

    ``x // d == ~(~x // d)``. GPUs divide unsigned integers faster.
    """
    bits = divisor.bit_length() - 1
    if divisor == 1 << bits:
        low_bits = ir.Constant(x.type, divisor - 1)
        return builder.ashr(x, ir.Constant(x.type, bits)), builder.and_(x, low_bits)
    sign = builder.ashr(x, ir.Constant(x.type, x.type.width - 1))
    known = ir.Constant(x.type, divisor)
    quotient = builder.xor(builder.udiv(builder.xor(x, sign), known), sign)
    return quotient, builder.sub(x, builder.mul(quotient, known))


def _floor_divide(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    return _quotient_and_remainder(context, builder, sig, args)[0]


def _modulo(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    return _quotient_and_remainder(context, builder, sig, args)[1]


def _divmod(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    return cgutils.pack_array(builder, _quotient_and_remainder(context, builder, sig, args))


_OVERRIDES: dict[Any, Lowering] = {
    operator.add: _wrapping("add"),
    operator.iadd: _wrapping("add"),
    operator.sub: _wrapping("sub"),
    operator.isub: _wrapping("sub"),
    operator.mul: _wrapping("mul"),
    operator.imul: _wrapping("mul"),
    operator.floordiv: _floor_divide,
    operator.ifloordiv: _floor_divide,
    operator.mod: _modulo,
    operator.imod: _modulo,
    divmod: _divmod,
    operator.pow: _power,
    operator.ipow: _power,
    pow: _power,
    operator.lshift: _shift("shl"),
    operator.ilshift: _shift("shl"),
    operator.rshift: _shift("shr"),
    operator.irshift: _shift("shr"),
}


_DIVISIONS = (operator.floordiv, operator.ifloordiv, operator.mod, operator.imod, divmod)


def override(function: Any, sig: Any) -> Lowering | None:
    """Return the lowering that replaces Numba's for this function and signature, if there is one."""
    key = getattr(function, "typing_key", function)
    lower = _OVERRIDES.get(key)
    if lower is None and (comparison := comparisons.lowering_of(key, sig)) is not None:
        return comparison
    if lower is None or len(sig.args) != 2:
        return None
    if key in _DIVISIONS and all(isinstance(t, types.NPTimedelta) for t in sig.args):
        raise VulkanUnsupportedError(
            "//, % and divmod of two times are not supported in kernels: divide their views as int64, in one unit"
        )
    base, second = sig.args
    if not isinstance(base, types.Integer) or not isinstance(second, types.Integer):
        return None
    # Powers with a constant exponent are unrolled by Numba.
    if lower is _power and isinstance(second, types.IntegerLiteral) and abs(second.literal_value) <= 0x10000:
        return None
    return lower
