"""By how much integers grow from an invocation to its neighbour along x, as far as that is known; extents are large."""

from __future__ import annotations

from collections.abc import Callable

from .. import abi
from ..llvmir.model import Constant, Instruction, Value

__all__ = ["stride_of"]

# What an extent is taken for.
_LARGE = 1 << 16
_GROWING = frozenset({abi.GLOBAL_ID, abi.LOCAL_ID})
_FIXED = (abi.EXTENT, *map(abi.parameter_name, abi.PARAMETER_TYPES), *abi.ID_PLACEHOLDERS)
_Strides = dict[Value, int | None]


def stride_of(value: Value, known: _Strides) -> int | None:
    """Return by how much a value grows from an invocation to the next one along x; None if that is not known.

    Parameters
    ----------
    value : Value
        An integer.
    known : dict of Value to (int or None)
        Answers given before, to which this adds.
    """
    if not isinstance(value, Instruction):
        return 0
    if value not in known:
        known[value] = None
        strides = [stride_of(operand, known) for operand in value.operands]
        known[value] = _STRIDES.get(value.opcode, _unknown)(value, strides)
    return known[value]


def _unknown(i: Instruction, strides: list[int | None]) -> int | None:
    return 0 if all(stride == 0 for stride in strides) and i.opcode not in ("phi", "call") else None


def _of_call(i: Instruction, strides: list[int | None]) -> int | None:
    axis = i.operands[0]
    if i.callee in _GROWING and isinstance(axis, Constant) and axis.value == 0:
        return 1
    return 0 if i.callee in _FIXED else None


def _combined(combine: Callable[[int, int], int]) -> Callable[[Instruction, list[int | None]], int | None]:
    def stride(i: Instruction, strides: list[int | None]) -> int | None:
        left, right = strides
        return None if left is None or right is None else combine(left, right)

    return stride


def _of_or(i: Instruction, strides: list[int | None]) -> int | None:
    return _sum(i, strides) if "disjoint" in i.flags else _unknown(i, strides)


def _of_product(i: Instruction, strides: list[int | None]) -> int | None:
    for factor, stride in zip(i.operands, reversed(strides), strict=True):
        size = _size(factor)
        if size is not None and stride is not None:
            return stride * size
    return _unknown(i, strides)


def _size(factor: Value) -> int | None:
    if isinstance(factor, Constant):
        return factor.signed
    is_extent = isinstance(factor, Instruction) and factor.opcode == "call" and factor.callee == abi.EXTENT
    return _LARGE if is_extent else None


def _of_shift(i: Instruction, strides: list[int | None]) -> int | None:
    bits, stride = i.operands[1], strides[0]
    if isinstance(bits, Constant) and stride is not None:
        return stride << bits.value
    return _unknown(i, strides)


def _of_select(i: Instruction, strides: list[int | None]) -> int | None:
    """A negative index gets the extent added: few do, or all."""
    return strides[1] if strides[1] == strides[2] else None


_sum = _combined(lambda left, right: left + right)
_STRIDES: dict[str, Callable[[Instruction, list[int | None]], int | None]] = {
    "call": _of_call,
    "add": _sum,
    "sub": _combined(lambda left, right: left - right),
    "or": _of_or,
    "mul": _of_product,
    "shl": _of_shift,
    "select": _of_select,
    **dict.fromkeys(("zext", "sext", "trunc"), lambda i, strides: strides[0]),
}
