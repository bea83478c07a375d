"""Correct float32 quotients and square roots that a driver does not round to the nearest float.

The operands are scaled to [1, 4), where the driver's result is refined with fused multiply-adds: what an approximation
lacks is known exactly, and adding it rounds once (Markstein). Exponents are put back as integers. Operands that are
zero, infinite, no number or denormal, and denormal quotients, keep the driver's result.
"""

from __future__ import annotations

from ..llvmir.build import Builder
from ..llvmir.model import Constant, Function, Instruction, Value, constant
from ..llvmir.types import F32, I32
from .passes import Context
from .rewriting import Rule, rewrite

__all__ = ["run"]

_ONE = 0x3F800000
_MANTISSA = 0x7FFFFF
_SIGN_AND_MANTISSA = 0x807FFFFF
_SIGN = 0x80000000
_INFINITY = 0x7F800000


def run(function: Function, context: Context) -> None:
    """Leave divisions and square roots that are correct when the driver's are not."""
    rewrite(function, _rule_of, context)


def _rule_of(instruction: Instruction) -> Rule | None:
    if instruction.type is not F32:
        return None
    if instruction.opcode == "fdiv":
        return _divide
    return _square_root if instruction.opcode == "call" and instruction.callee == "llvm.sqrt.f32" else None


def _float(bits: int) -> Constant:
    return constant(F32, bits)


def _fma(b: Builder, left: Value, right: Value, addend: Value) -> Value:
    return b.call("llvm.fma.f32", F32, left, right, addend)


def _bits(b: Builder, value: Value) -> Value:
    return b.cast("bitcast", value, I32)


def _from_bits(b: Builder, bits: Value) -> Value:
    return b.cast("bitcast", bits, F32)


def _negated(b: Builder, value: Value) -> Value:
    return _from_bits(b, b.binary("xor", _bits(b, value), b.i32(_SIGN)))


def _exponent(b: Builder, bits: Value) -> Value:
    return b.binary("and", b.binary("lshr", bits, b.i32(23)), b.i32(0xFF))


def _is_normal(b: Builder, exponent: Value) -> Value:
    return b.icmp("ult", b.binary("sub", exponent, b.i32(1)), b.i32(254))


def _near_one(b: Builder, bits: Value) -> Value:
    """Return the number with these bits, scaled to a magnitude in [1, 2)."""
    return _from_bits(b, b.binary("or", b.binary("and", bits, b.i32(_SIGN_AND_MANTISSA)), b.i32(_ONE)))


def _divide(b: Builder, division: Instruction, context: Context) -> Value | None:
    if context.profile.rounds_division:
        return None
    plain = b.emit(Instruction("fdiv", F32, list(division.operands)))
    n_bits, d_bits = (_bits(b, operand) for operand in division.operands)
    n, d = _near_one(b, n_bits), _near_one(b, d_bits)
    minus_d = _negated(b, d)
    one = _float(_ONE)
    r = b.binary("fdiv", one, d)
    r = _fma(b, r, _fma(b, minus_d, r, one), r)
    q = b.binary("fmul", n, r)
    for _ in range(2):
        q = _fma(b, _fma(b, minus_d, q, n), r, q)
    n_exponent, d_exponent = _exponent(b, n_bits), _exponent(b, d_bits)
    difference = b.binary("sub", n_exponent, d_exponent)
    q_bits = _bits(b, q)
    exponent = b.binary("add", _exponent(b, q_bits), difference)
    result = b.binary("add", q_bits, b.binary("shl", difference, b.i32(23)))
    infinity = b.binary("or", b.binary("and", q_bits, b.i32(_SIGN)), b.i32(_INFINITY))
    result = b.select(b.icmp("sgt", exponent, b.i32(254)), infinity, result)
    is_ordinary = b.binary("and", _is_normal(b, n_exponent), _is_normal(b, d_exponent))
    is_ordinary = b.binary("and", is_ordinary, b.icmp("sgt", exponent, b.i32(0)))
    return b.select(is_ordinary, _from_bits(b, result), plain)


def _square_root(b: Builder, call: Instruction, context: Context) -> Value | None:
    if context.profile.rounds_sqrt:
        return None
    (operand,) = call.operands
    plain = b.call("llvm.sqrt.f32", F32, operand)
    bits = _bits(b, operand)
    # An even power of two leaves the root as a power; the rest lies in [1, 4).
    distance = b.binary("sub", _exponent(b, bits), b.i32(127))
    odd = b.binary("and", distance, b.i32(1))
    mantissa = b.binary("and", bits, b.i32(_MANTISSA))
    scaled = b.binary("or", mantissa, b.binary("add", b.i32(_ONE), b.binary("shl", odd, b.i32(23))))
    x = _from_bits(b, scaled)
    s = b.call("llvm.sqrt.f32", F32, x)
    half = b.binary("fmul", b.binary("fdiv", _float(_ONE), s), _float(0x3F000000))
    for _ in range(2):
        s = _fma(b, _fma(b, _negated(b, s), s, x), half, s)
    power = b.binary("shl", b.binary("ashr", distance, b.i32(1)), b.i32(23))
    is_ordinary = b.icmp("ult", b.binary("sub", bits, b.i32(0x00800000)), b.i32(0x7F000000))
    return b.select(is_ordinary, _from_bits(b, b.binary("add", _bits(b, s), power)), plain)
