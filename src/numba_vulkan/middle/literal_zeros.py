"""Operations with a literal zero, which drivers fold as if there were no signed zeros, infinities and NaN."""

from __future__ import annotations

from ..llvmir.build import Builder
from ..llvmir.model import Constant, Instruction, Value
from .bits_of_floats import FloatBits, float_type
from .passes import Context
from .rewriting import Rule

__all__ = ["rule_of"]


def _literal_zero(value: Value) -> Constant | None:
    """Return a value that is the constant 0.0 or -0.0."""
    if not isinstance(value, Constant):
        return None
    magnitude = value.value & ((1 << (float_type(value).bits - 1)) - 1)
    return None if magnitude else value


def _sum_with_zero(b: Builder, add: Instruction, context: Context) -> Value | None:
    # llvmpipe (Mesa 22.3 and 25.0) takes x + 0.0 for x, and 0.0 - x for -x: -0.0 + 0.0 is 0.0.
    for zero, other in (add.operands, add.operands[::-1]):
        found = _literal_zero(zero)
        if found is not None and not found.value:
            return _positive_zero(FloatBits(b, other))
    return None


def _zero_minus(b: Builder, sub: Instruction, context: Context) -> Value | None:
    zero = _literal_zero(sub.operands[0])
    if zero is None or zero.value:
        return None
    bits = FloatBits(b, sub.operands[1])
    bits.value = bits.apply("xor", bits.value, bits.sign_bit)
    return _positive_zero(bits)


def _positive_zero(bits: FloatBits) -> Value:
    """Return a float, 0.0 for -0.0."""
    is_negative = bits.builder.icmp("eq", bits.value, bits.constant(bits.sign_bit))
    return bits.as_float(bits.builder.select(is_negative, bits.constant(0), bits.value))


def _times_zero(b: Builder, multiply: Instruction, context: Context) -> Value | None:
    # llvmpipe of Mesa 22.3 takes it for 0.0, whatever the sign, infinities and NaN.
    for zero, other in (multiply.operands, multiply.operands[::-1]):
        found = _literal_zero(zero)
        if found is not None:
            bits = FloatBits(b, other)
            is_finite = b.icmp("ult", bits.magnitude(), bits.constant(bits.infinity))
            return _signed(bits, is_finite, 0, found)
    return None


def _quotient_with_zero(b: Builder, divide: Instruction, context: Context) -> Value | None:
    # llvmpipe (Mesa 22.3 and 25.0) leaves out what uses x / 0.0, and takes 0.0 / x for 0.0.
    dividend, divisor = map(_literal_zero, divide.operands)
    zero = divisor or dividend
    if zero is None:
        return None
    bits = FloatBits(b, divide.operands[0 if divisor else 1])
    # From the smallest number to infinity; those that are none are larger, and so is 0 - 1.
    reduced = bits.apply("sub", bits.magnitude(), 1)
    is_number = b.icmp("ult", reduced, bits.constant(bits.infinity))
    return _signed(bits, is_number, bits.infinity if divisor else 0, zero)


def _signed(bits: FloatBits, is_number: Value, magnitude: int, zero: Constant) -> Value:
    """Return a magnitude with the sign of the product with a zero, NaN where there is no number."""
    sign = bits.apply("xor", bits.sign(), zero.value)
    nan = bits.constant(bits.infinity | bits.infinity >> 1)
    return bits.as_float(bits.builder.select(is_number, bits.apply("or", sign, magnitude), nan))


_RULES: dict[str, Rule] = {
    "fadd": _sum_with_zero,
    "fdiv": _quotient_with_zero,
    "fmul": _times_zero,
    "fsub": _zero_minus,
}


def rule_of(instruction: Instruction) -> Rule | None:
    """Return the rule for an operation on a literal zero."""
    rule = _RULES.get(instruction.opcode)
    if rule is not None:
        for operand in instruction.operands:
            if isinstance(operand, Constant) and _literal_zero(operand) is not None:
                return rule
    return None
