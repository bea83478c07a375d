"""What operations on integers give, where their operands are known."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["FOLDS"]

# Operations on integers, which are taken as unsigned; the result is to be cut to their width.
FOLDS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << min(b, 64),
    "lshr": lambda a, b: a >> b,
}
