"""Floats as integers: their signs, magnitudes and special values."""

from __future__ import annotations

from ..llvmir.build import Builder
from ..llvmir.model import Constant, Value, constant
from ..llvmir.types import FloatType, int_type

__all__ = ["MANTISSA_BITS", "FloatBits", "float_type"]

MANTISSA_BITS = {16: 10, 32: 23, 64: 52}


def float_type(value: Value) -> FloatType:
    """Return the type of a float."""
    assert isinstance(value.type, FloatType)
    return value.type


class FloatBits:
    """A float as an integer, with the constants of its format."""

    def __init__(self, b: Builder, value: Value) -> None:
        self.builder = b
        self.float = float_type(value)
        self.type = int_type(self.float.bits)
        self.mantissa_bits = MANTISSA_BITS[self.float.bits]
        self.value = b.cast("bitcast", value, self.type)

    @property
    def sign_bit(self) -> int:
        """The integer with nothing but the sign."""
        return 1 << (self.type.bits - 1)

    @property
    def infinity(self) -> int:
        """The bits of infinity."""
        return (self.sign_bit - 1) >> self.mantissa_bits << self.mantissa_bits

    @property
    def one(self) -> int:
        """The bits of 1.0."""
        return self.infinity >> (self.mantissa_bits + 1) << self.mantissa_bits

    def constant(self, value: int) -> Constant:
        """Return a constant of the integer's type."""
        return constant(self.type, value)

    def apply(self, opcode: str, left: Value, right: Value | int) -> Value:
        """Emit an operation on integers."""
        return self.builder.binary(opcode, left, self.constant(right) if isinstance(right, int) else right)

    def magnitude(self) -> Value:
        """Return the bits without the sign."""
        return self.apply("and", self.value, self.sign_bit - 1)

    def sign(self) -> Value:
        """Return the sign, at its place."""
        return self.apply("and", self.value, self.sign_bit)

    def is_nan(self) -> Value:
        """Return whether the float is no number."""
        return self.builder.icmp("ugt", self.magnitude(), self.constant(self.infinity))

    def as_float(self, bits: Value) -> Value:
        """Return bits as a float."""
        return self.builder.cast("bitcast", bits, self.float)
