"""Integers that a launch computes from its parameters, such as the length of a shared array."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .llvmir.folds import FOLDS

__all__ = ["FORMULA_OPERATIONS", "Formula"]


@dataclass(frozen=True)
class Formula:
    """An integer that a launch computes from its parameters.

    Attributes
    ----------
    opcode : str
        'constant', 'parameter', or an operation of `FORMULA_OPERATIONS`.
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
        if self.opcode in _OF_SIGNED:
            widths = [operand.bits for operand in self.operands]
            values = [v - (v >> (w - 1) << w) for v, w in zip(values, widths, strict=True)]
        return FORMULA_OPERATIONS[self.opcode](*values) & mask


def _high_product(left: int, right: int) -> int:
    return left * right >> 32


def _chosen(condition: int, if_true: int, if_false: int) -> int:
    return if_true if condition else if_false


FORMULA_OPERATIONS: dict[str, Callable[..., int]] = {
    **FOLDS,
    "ashr": int.__rshift__,
    "mulhi": _high_product,
    **dict.fromkeys(("zext", "sext", "trunc"), int),
    "icmp eq": int.__eq__,
    "icmp ne": int.__ne__,
    **dict.fromkeys(("icmp ult", "icmp slt"), int.__lt__),
    **dict.fromkeys(("icmp ule", "icmp sle"), int.__le__),
    **dict.fromkeys(("icmp ugt", "icmp sgt"), int.__gt__),
    **dict.fromkeys(("icmp uge", "icmp sge"), int.__ge__),
    **dict.fromkeys(("umin", "smin"), min),
    **dict.fromkeys(("umax", "smax"), max),
    "select": _chosen,
}
_OF_SIGNED = frozenset({"sext", "ashr", "smin", "smax", "icmp slt", "icmp sle", "icmp sgt", "icmp sge"})
