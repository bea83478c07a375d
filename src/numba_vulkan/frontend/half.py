"""float16: values are the 16 bits of the number, and are computed with as float32.

Both conversions are done with integers, so that every device gives NumPy's bits: denormals are neither flushed nor
rounded twice, and no optional feature is needed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.imputils import Registry
from numba.core.typing.templates import AbstractTemplate, signature
from numba.core.typing.templates import Registry as TypingRegistry

from .. import abi
from . import placeholders

__all__ = ["from_float", "lowering", "to_float", "typing"]

lowering = Registry()
typing = TypingRegistry()
_I16, _I32, _F32 = ir.IntType(16), ir.IntType(32), ir.FloatType()
Values = tuple[ir.Value, ...]
_SIGN = 0x8000
_INFINITY, _QUIET = 0x7C00, 0x0200
# Bits of float32: the exponents' biases differ by 112; 65536; the smallest normal float16; 1/2, whose last bit is that
# of a float16 denormal.
_BIAS, _BEYOND, _NORMAL, _HALF = 112 << 23, 0x47800000, 0x38800000, 0x3F000000


def _word(value: int) -> ir.Constant:
    return ir.Constant(_I32, value)


def _bits(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    return placeholders.call(builder, abi.BITS_F32, value)


def _from_bits(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    return placeholders.call(builder, abi.FROM_BITS_F32, bits)


def to_float(builder: ir.IRBuilder, half: ir.Value) -> ir.Value:
    """Return the float32 that equals a float16."""
    b = builder
    word = b.zext(half, _I32)
    magnitude = b.and_(word, _word(_SIGN - 1))
    shifted = b.shl(magnitude, _word(13))
    bits = b.add(shifted, _word(_BIAS))
    # Infinities and NaN have the largest exponent of either type.
    bits = b.select(b.icmp_unsigned("<", magnitude, _word(_INFINITY)), bits, b.add(bits, _word(_BIAS)))
    # A denormal is an integer times 2**-24.
    denormal = _bits(b, b.fmul(b.sitofp(magnitude, _F32), ir.Constant(_F32, 2.0**-24)))
    bits = b.select(b.icmp_unsigned("<", magnitude, _word(0x0400)), denormal, bits)
    sign = b.shl(b.and_(word, _word(_SIGN)), _word(16))
    return _from_bits(b, b.or_(bits, sign))


def _from_float_bits(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """Return the float16 nearest to the float32 with these bits, ties to even."""
    b = builder
    magnitude = b.and_(bits, _word(0x7FFFFFFF))
    odd = b.and_(b.lshr(magnitude, _word(13)), _word(1))
    # Half of the last bit but one, and one more if that is odd; a carry into the exponent is right as it is.
    rounded = b.lshr(b.add(b.add(magnitude, _word(0x0FFF - _BIAS)), odd), _word(13))
    # Adding 1/2 rounds at the last bit of a denormal.
    sum_bits = _bits(b, b.fadd(_from_bits(b, magnitude), ir.Constant(_F32, 0.5)))
    denormal = b.sub(sum_bits, _word(_HALF))
    result = b.select(b.icmp_unsigned("<", magnitude, _word(_NORMAL)), denormal, rounded)
    payload = b.and_(b.lshr(magnitude, _word(13)), _word(0x03FF))
    is_nan = b.icmp_unsigned(">", magnitude, _word(0x7F800000))
    nan = b.or_(payload, _word(_INFINITY | _QUIET))
    special = b.select(is_nan, nan, _word(_INFINITY))
    result = b.select(b.icmp_unsigned("<", magnitude, _word(_BEYOND)), result, special)
    sign = b.and_(b.lshr(bits, _word(16)), _word(_SIGN))
    return b.trunc(b.or_(result, sign), _I16)


def from_float(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Return the float16 nearest to a float32, ties to even."""
    return _from_float_bits(builder, _bits(builder, value))


def _from_double(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Round once: what is cut off on the way through float32 is still known."""
    if isinstance(value, ir.Constant):
        return _half(value.constant)
    return _from_float_bits(builder, placeholders.call(builder, abi.ODD_BITS, value))


def _half(number: float) -> ir.Constant:
    with np.errstate(over="ignore"):
        return ir.Constant(_I16, int(np.float16(number).view(np.uint16)))


# ---- casts


@lowering.lower_cast(types.float16, types.float32)
@lowering.lower_cast(types.float16, types.float64)
@lowering.lower_cast(types.float16, types.Integer)
@lowering.lower_cast(types.float16, types.Boolean)
def _cast_from(context: Any, builder: ir.IRBuilder, fromty: Any, toty: Any, value: ir.Value) -> ir.Value:
    number = to_float(builder, value)
    return number if toty is types.float32 else context.cast(builder, number, types.float32, toty)


@lowering.lower_cast(types.float32, types.float16)
def _cast_float(context: Any, builder: ir.IRBuilder, fromty: Any, toty: Any, value: ir.Value) -> ir.Value:
    return from_float(builder, value)


@lowering.lower_cast(types.float64, types.float16)
def _cast_double(context: Any, builder: ir.IRBuilder, fromty: Any, toty: Any, value: ir.Value) -> ir.Value:
    return _from_double(builder, value)


@lowering.lower_cast(types.Integer, types.float16)
@lowering.lower_cast(types.IntegerLiteral, types.float16)
@lowering.lower_cast(types.Boolean, types.float16)
def _cast_integer(context: Any, builder: ir.IRBuilder, fromty: Any, toty: Any, value: ir.Value) -> ir.Value:
    """Convert through float32: integers that it rounds are beyond float16, and stay there."""
    return from_float(builder, context.cast(builder, value, types.unliteral(fromty), types.float32))


@lowering.lower_constant(types.float16)
def _constant(_context: Any, _builder: ir.IRBuilder, _type: Any, value: float) -> ir.Value:
    return _half(value)


# ---- what Numba types for float16 itself; other operations have float32 operands


def _as_float(lower: Callable[[ir.IRBuilder, list[ir.Value]], ir.Value]) -> Callable[..., ir.Value]:
    def implementation(_context: Any, builder: ir.IRBuilder, _sig: Any, args: Values) -> ir.Value:
        return lower(builder, [to_float(builder, value) for value in args])

    return implementation


_FLOATS_OF: dict[Any, types.Type] = {types.float16: types.float32, types.boolean: types.float64}


class _Float(AbstractTemplate):
    key = float

    def generic(self, args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Any:
        """Type what Numba's own rule lacks; a list of cases would convert other numbers to float16."""
        result = _FLOATS_OF.get(args[0]) if len(args) == 1 and not kws else None
        return None if result is None else signature(result, *args)


typing.register_global(float, types.Function(_Float))
lowering.lower(float, types.float16)(_as_float(lambda b, args: args[0]))


@lowering.lower(float, types.boolean)
def _float_of_bool(context: Any, builder: ir.IRBuilder, sig: Any, args: Values) -> ir.Value:
    return context.cast(builder, args[0], types.boolean, sig.return_type)


def _register() -> None:
    half = types.float16
    for comparison, sign in (
        (operator.lt, "<"),
        (operator.le, "<="),
        (operator.gt, ">"),
        (operator.ge, ">="),
        (operator.eq, "=="),
    ):
        lower = _as_float(lambda b, args, sign=sign: b.fcmp_ordered(sign, *args))
        lowering.lower(comparison, half, half)(lower)
    lowering.lower(operator.ne, half, half)(_as_float(lambda b, args: b.fcmp_unordered("!=", *args)))
    lowering.lower(bool, half)(
        _as_float(lambda b, args: b.fcmp_unordered("!=", args[0], ir.Constant(_F32, 0.0)))
    )


_register()
