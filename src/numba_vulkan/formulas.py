"""Integers that a launch computes from its parameters, such as the length of a shared array."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["FORMULA_OPERATIONS", "Formula"]


@dataclass(frozen=True)
class Formula:
    """An integer that a launch computes from its parameters.

    Attributes
    ----------
    opcode : str
        'constant', 'parameter', or an operation of LLVM's on integers.
    bits : int
        The width of the result.
    value : int
        The constant, or the parameter's offset in words.
    operands : tuple of Formula
        What it is computed from.
    """

    opcode: str
    bits: int
    value: int = 0
    operands: tuple[Formula, ...] = ()

    def evaluate(self, parameters: bytes) -> int:
        """Return the value for a parameter block, as an unsigned integer."""
        mask = (1 << self.bits) - 1
        if self.opcode == "constant":
            return self.value & mask
        if self.opcode == "parameter":
            start = 4 * self.value
            return int.from_bytes(parameters[start : start + self.bits // 8], "little")
        values = [operand.evaluate(parameters) for operand in self.operands]
        if self.opcode == "sext":
            width = self.operands[0].bits
            values[0] -= (values[0] >> (width - 1)) << width
        return FORMULA_OPERATIONS[self.opcode](*values) & mask


def _shifted(value: int, distance: int) -> int:
    return value << min(distance, 64)


FORMULA_OPERATIONS: dict[str, Callable[..., int]] = {
    "add": int.__add__,
    "sub": int.__sub__,
    "mul": int.__mul__,
    "and": int.__and__,
    "or": int.__or__,
    "xor": int.__xor__,
    "shl": _shifted,
    "lshr": int.__rshift__,
    **dict.fromkeys(("zext", "sext", "trunc"), int),
}
