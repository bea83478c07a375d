"""Conversions between 64-bit integers in words and floats, exact or rounded once to nearest, ties to even."""

from __future__ import annotations

from ...llvmir.model import Value, constant
from ...llvmir.types import F32, F64, I32, FloatType
from .arithmetic import magnitude, with_sign
from .words import Pair, WordBuilder, leading_zeros

__all__ = ["from_float", "power_of_two", "to_float"]

# 2**32 and 2**-32: biased exponents, and the width of the mantissa.
_EXPONENT_BIAS = {F32: 127, F64: 1023}
_MANTISSA_BITS = {F32: 23, F64: 52}


def power_of_two(type: FloatType, exponent: int) -> Value:
    """Return the constant ``2**exponent``."""
    return constant(type, (_EXPONENT_BIAS[type] + exponent) << _MANTISSA_BITS[type])


def from_float(b: WordBuilder, opcode: str, value: Value) -> Pair:
    """Convert by ``fptosi`` or ``fptoui``: truncate. Values out of range give some integer, as LLVM allows.

    Scaling by powers of two is exact, and so is the difference of a float and its own upper bits.
    """
    type = value.type
    assert isinstance(type, FloatType)
    absolute = value if opcode == "fptoui" else b.call(f"llvm.fabs.f{type.bits}", type, value)
    high = b.cast("fptoui", b.binary("fmul", absolute, power_of_two(type, -32)), I32)
    upper = b.binary("fmul", b.cast("uitofp", high, type), power_of_two(type, 32))
    low = b.cast("fptoui", b.binary("fsub", absolute, upper), I32)
    if opcode == "fptoui":
        return Pair(low, high)
    is_negative = b.fcmp("olt", value, constant(type, 0))
    return with_sign(b, Pair(low, high), b.cast("sext", is_negative, I32))


def to_float(b: WordBuilder, opcode: str, x: Pair, type: FloatType) -> Value:
    """Convert by ``sitofp`` or ``uitofp``."""
    if x.is_zero_extended:
        return b.cast("uitofp", x.low, type)
    if opcode == "sitofp" and x.is_sign_extended:
        return b.cast("sitofp", x.low, type)
    return (_to_f32 if type is F32 else _to_f64)(b, opcode, x)


def _to_f64(b: WordBuilder, opcode: str, x: Pair) -> Value:
    """Both words and the scaled high one are exact: the sum rounds, once."""
    high = b.binary("fmul", b.cast(opcode, x.high, F64), power_of_two(F64, 32))
    return b.binary("fadd", high, b.cast("uitofp", x.low, F64))


def _to_f32(b: WordBuilder, opcode: str, x: Pair) -> Value:
    """Round in integers: not every driver rounds a converted word only once."""
    if opcode == "uitofp":
        return b.cast("bitcast", _f32_bits(b, x), F32)
    absolute, sign = magnitude(b, x)
    bits = b.binary("or", _f32_bits(b, absolute), b.binary("and", sign, b.i32(0x80000000)))
    return b.cast("bitcast", bits, F32)


def _f32_bits(b: WordBuilder, x: Pair) -> Value:
    """Return the bits of the float32 nearest to an unsigned integer."""
    zero, one, eight = b.i32(0), b.i32(1), b.i32(8)
    # The highest word that is not 0, shifted so that its highest one is bit 31, and whether anything lies below.
    has_high = b.icmp("ne", x.high, zero)
    first, second = b.select(has_high, x.high, x.low), b.select(has_high, x.low, zero)
    places = leading_zeros(b, b.binary("or", first, one))
    carried = b.binary("lshr", b.binary("lshr", second, one), b.binary("xor", places, b.i32(31)))
    leading = b.binary("or", b.binary("shl", first, places), carried)
    lies_below = b.icmp("ne", b.binary("shl", second, places), zero)

    # 24 bits are kept; up if the rest is more than half, or half and the last bit kept is odd.
    kept = b.binary("lshr", leading, eight)
    rest = b.binary("or", b.binary("shl", leading, b.i32(24)), b.extend(lies_below))
    odd = b.binary("and", kept, one)
    up = b.icmp("ugt", rest, b.binary("sub", b.i32(0x80000000), odd))
    # The one that float32 leaves out adds one to the exponent; so does the carry of the mantissa.
    exponent = b.binary("sub", b.select(has_high, b.i32(127 + 62), b.i32(127 + 30)), places)
    bits = b.binary("add", b.binary("shl", exponent, b.i32(23)), b.binary("add", kept, b.extend(up)))
    return b.select(b.icmp("eq", first, zero), zero, bits)
