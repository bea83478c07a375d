"""Intervals of signed 64-bit integers, and what operations make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from ... import abi
from ...llvmir.model import Constant, Instruction, Value
from ...llvmir.types import I32, I64, IntType
from ..intrinsics import intrinsic_stem

__all__ = ["FULL", "Range", "asked_besides", "constant_range", "fit", "intersection", "transfer", "union"]


class Range(NamedTuple):
    """All integers from ``low`` to ``high``, both included."""

    low: int
    high: int


FULL = Range(-(2**63), 2**63 - 1)
_WORD = Range(-(2**31), 2**31 - 1)
_UNSIGNED_WORD = Range(0, 2**32 - 1)
_COUNT = Range(0, 2**31 - 1)


def fit(low: int, high: int) -> Range:
    """Return an interval, everything if it does not fit into 64 bits."""
    return Range(low, high) if FULL.low <= low and high <= FULL.high else FULL


def union(x: Range, y: Range) -> Range:
    """Return the smallest interval that contains both."""
    return Range(min(x.low, y.low), max(x.high, y.high))


def intersection(x: Range, y: Range) -> Range | None:
    """Return what two intervals have in common."""
    low, high = max(x.low, y.low), min(x.high, y.high)
    return Range(low, high) if low <= high else None


@lru_cache(maxsize=4096)
def constant_range(value: Constant) -> Range:
    """Return the interval of one number."""
    return Range(value.signed, value.signed)


def transfer(instruction: Instruction, operands: list[Range], known: Mapping[Value, Range]) -> Range:
    """Return the interval of a result.

    Parameters
    ----------
    instruction : Instruction
        With a 64-bit result; not a phi.
    operands : list of Range
        The intervals of its 64-bit operands.
    known : mapping
        Intervals of other 64-bit values.
    """
    opcode = instruction.opcode
    if opcode in _OF_TWO:
        result = _OF_TWO[opcode](*operands)
        pattern = _PATTERNS.get(opcode)
        is_wide = result.high >= 2**31 - 1 or result.low < 0
        special = pattern(instruction, operands, known) if pattern and is_wide else None
        return result if special is None else intersection(result, special) or result
    if opcode in ("zext", "sext"):
        return _extended(opcode, instruction.operands[0], known)
    if opcode == "select":
        return union(*operands)
    if opcode == "call":
        rule = _OF_CALLS.get(intrinsic_stem(instruction.callee))
        return rule(*operands) if rule else FULL
    return FULL


def _is_positive(*ranges: Range) -> bool:
    return all(range.low >= 0 for range in ranges)


def _magnitude(x: Range) -> int:
    return max(abs(x.low), abs(x.high))


def _multiply(x: Range, y: Range) -> Range:
    corners = [a * b for a in x for b in y]
    return fit(min(corners), max(corners))


def _bits(x: Range, y: Range) -> Range:
    """``or`` and ``xor``: no more bits than the operands have, and a sign only if one of them may have it."""
    bits = max((value if value >= 0 else ~value).bit_length() for value in (*x, *y))
    return Range(0 if _is_positive(x, y) else -(1 << bits), (1 << bits) - 1)


def _and(x: Range, y: Range) -> Range:
    bounds = [range.high for range in (x, y) if range.low >= 0]
    return Range(0, min(bounds)) if bounds else _bits(x, y)


def _distance(y: Range) -> int | None:
    """Return the distance of a shift if it is constant."""
    return y.low if y.low == y.high and 0 <= y.low <= 63 else None


def _shift_left(x: Range, y: Range) -> Range:
    distance = _distance(y)
    return FULL if distance is None else fit(x.low << distance, x.high << distance)


def _shift_right(x: Range, y: Range) -> Range:
    distance = _distance(y)
    if x.low >= 0:
        return Range(0, x.high) if distance is None else Range(x.low >> distance, x.high >> distance)
    return Range(0, (1 << 64 - distance) - 1) if distance else FULL


def _shift_right_with_sign(x: Range, y: Range) -> Range:
    distance = _distance(y)
    if distance is None:
        return Range(min(x.low, 0), max(x.high, 0))
    return Range(x.low >> distance, x.high >> distance)


def _divide(x: Range, y: Range) -> Range:
    if _is_positive(x, y):
        return Range(x.low // max(y.high, 1), x.high // max(y.low, 1))
    if _is_positive(y):
        return Range(min(x.low, 0), max(x.high, 0))
    return fit(-_magnitude(x), _magnitude(x))


def _divide_unsigned(x: Range, y: Range) -> Range:
    return _divide(x, y) if _is_positive(x, y) else FULL


def _remainder(x: Range, y: Range) -> Range:
    largest = max(_magnitude(y) - 1, 0)
    return Range(-min(largest, max(-x.low, 0)), min(largest, max(x.high, 0)))


def _remainder_unsigned(x: Range, y: Range) -> Range:
    if y.low < 0:
        return FULL
    largest = max(y.high - 1, 0)
    return Range(0, min(largest, x.high) if x.low >= 0 else largest)


def _smaller(x: Range, y: Range) -> Range:
    return Range(min(x.low, y.low), min(x.high, y.high))


def _larger(x: Range, y: Range) -> Range:
    return Range(max(x.low, y.low), max(x.high, y.high))


def _smaller_unsigned(x: Range, y: Range) -> Range:
    return _smaller(x, y) if _is_positive(x, y) else FULL


def _larger_unsigned(x: Range, y: Range) -> Range:
    return _larger(x, y) if _is_positive(x, y) else FULL


def _absolute(x: Range, *_: Range) -> Range:
    lowest = 0 if x.low <= 0 <= x.high else min(abs(x.low), abs(x.high))
    return fit(lowest, _magnitude(x))


# ---- what several operations together give

_REMAINDERS = {"sdiv": _remainder, "udiv": _remainder_unsigned}


def _remainder_of_quotient(
    i: Instruction, operands: list[Range], known: Mapping[Value, Range]
) -> Range | None:
    """``x - x / y * y``."""
    x, product = i.operands
    if not isinstance(product, Instruction) or product.opcode != "mul":
        return None
    for quotient, y in (product.operands, product.operands[::-1]):
        if (
            isinstance(quotient, Instruction)
            and quotient.opcode in _REMAINDERS
            and quotient.operands[0] is x
            and quotient.operands[1] is y
        ):
            divisor = constant_range(y) if isinstance(y, Constant) else known.get(y, FULL)
            return _REMAINDERS[quotient.opcode](operands[0], divisor)
    return None


def _without_sign(i: Instruction, operands: list[Range], known: Mapping[Value, Range]) -> Range | None:
    """The complement of a negative number, or the number itself: ``x ^ x >> 63``."""
    for (x, sign), range in zip(_either_way("xor", i), operands, strict=True):
        if _is_sign(sign, x):
            return Range(0, max(range.high, ~range.low))
    return None


def _is_sign(value: Value, x: Value) -> bool:
    if not isinstance(value, Instruction) or value.opcode != "ashr" or value.operands[0] is not x:
        return False
    distance = value.operands[1]
    return isinstance(distance, Constant) and distance.value == 63


def _remainder_rounding_down(
    i: Instruction, operands: list[Range], known: Mapping[Value, Range]
) -> Range | None:
    """``x + ~(~x / d) * -d``, where the front end divides complements, and LLVM adds."""
    for x, product in _either_way("add", i):
        for quotient, factor in _either_way("mul", product):
            if isinstance(factor, Constant) and _divisor_rounding_down(quotient, x) == -factor.signed:
                return Range(0, -factor.signed - 1)
    return None


def _divisor_rounding_down(quotient: Value, x: Value) -> int | None:
    """Return the constant of ``(x ^ sign) / d ^ sign``, as `frontend.arithmetic` divides by it."""
    for divided, sign in _either_way("xor", quotient):
        if not isinstance(divided, Instruction) or divided.opcode != "udiv" or not _is_sign(sign, x):
            continue
        complement, divisor = divided.operands
        if isinstance(divisor, Constant) and (x, sign) in _either_way("xor", complement):
            return divisor.signed
    return None


def _either_way(opcode: str, value: Value) -> list[tuple[Value, Value]]:
    """Return the operands of an operation in both orders; nothing if it is another one."""
    if not isinstance(value, Instruction) or value.opcode != opcode:
        return []
    left, right = value.operands
    return [(left, right), (right, left)]


def _sum(i: Instruction, operands: list[Range], known: Mapping[Value, Range]) -> Range | None:
    return _grid_sum(i, operands, known) or _remainder_rounding_down(i, operands, known)


# A launch has at most 2**31 - 1 invocations along each axis.
_LARGEST_ID = 2**31 - 2
_GRID_SIZE = {abi.NUM_GROUPS, abi.LOCAL_SIZE}
_GRID_START = {abi.GROUP_ID, abi.LOCAL_SIZE}


def _grid_product(i: Instruction, operands: list[Range], known: Mapping[Value, Range]) -> Range | None:
    """The number of invocations along an axis, or of those in front of a workgroup."""
    (name, axis), (other, other_axis) = map(_grid_call, i.operands)
    return _COUNT if axis is other_axis and {name, other} in (_GRID_SIZE, _GRID_START) else None


def _grid_sum(i: Instruction, operands: list[Range], known: Mapping[Value, Range]) -> Range | None:
    """The id of an invocation along an axis, from those of its workgroup and in its workgroup."""
    for start, local in (i.operands, i.operands[::-1]):
        if not isinstance(start, Instruction) or start.opcode != "mul":
            continue
        name, axis = _grid_call(local)
        if name == abi.LOCAL_ID:
            calls = dict(map(_grid_call, start.operands))
            if calls.keys() == _GRID_START and all(other is axis for other in calls.values()):
                return Range(0, _LARGEST_ID)
    return None


def _grid_call(value: Value) -> tuple[str, Value | None]:
    """Return name and axis of the id or the size that a value is extended from."""
    while isinstance(value, Instruction) and value.opcode in ("zext", "sext"):
        value = value.operands[0]
    if isinstance(value, Instruction) and value.opcode == "call" and value.callee in abi.ID_PLACEHOLDERS:
        return value.callee, value.operands[0]
    return "", None


_OF_TWO: dict[str, Callable[[Range, Range], Range]] = {
    "add": lambda x, y: fit(x.low + y.low, x.high + y.high),
    "sub": lambda x, y: fit(x.low - y.high, x.high - y.low),
    "mul": _multiply,
    "and": _and,
    "or": _bits,
    "xor": _bits,
    "shl": _shift_left,
    "lshr": _shift_right,
    "ashr": _shift_right_with_sign,
    "sdiv": _divide,
    "udiv": _divide_unsigned,
    "srem": _remainder,
    "urem": _remainder_unsigned,
}
_PATTERNS: dict[str, Callable[[Instruction, list[Range], Mapping[Value, Range]], Range | None]] = {
    "sub": _remainder_of_quotient,
    "mul": _grid_product,
    "add": _sum,
    "xor": _without_sign,
}
_OF_CALLS: dict[str, Callable[..., Range]] = {
    "llvm.smin": _smaller,
    "llvm.smax": _larger,
    "llvm.umin": _smaller_unsigned,
    "llvm.umax": _larger_unsigned,
    "llvm.abs": _absolute,
}


# ---- what has an interval that others follow from


def asked_besides(instruction: Instruction) -> Iterator[Value]:
    """Yield the values whose intervals `transfer` may ask for, besides those of the operands."""
    if instruction.opcode in ("zext", "sext"):
        yield from _truncated(instruction.operands[0])
    elif instruction.opcode == "sub":
        product = instruction.operands[1]
        if isinstance(product, Instruction) and product.opcode == "mul":
            for quotient in product.operands:
                if isinstance(quotient, Instruction) and quotient.opcode in _REMAINDERS:
                    yield quotient.operands[1]


# ---- words


def _extended(opcode: str, value: Value, known: Mapping[Value, Range]) -> Range:
    type = value.type
    assert isinstance(type, IntType)
    if type is not I32:
        return Range(0, type.mask) if opcode == "zext" else Range(-(type.mask // 2) - 1, type.mask // 2)
    word = _word(value, known)
    return word if opcode == "sext" or word.low >= 0 else _UNSIGNED_WORD


# Operations of words that are followed.
_DEPTH = 4


def _word(value: Value, known: Mapping[Value, Range], depth: int = _DEPTH) -> Range:
    """Return the interval of an i32 from the few instructions that make it."""
    if isinstance(value, Constant):
        return constant_range(value)
    if not isinstance(value, Instruction):
        return _WORD
    opcode, operands = value.opcode, value.operands
    if opcode == "call" and value.callee in _OF_PLACEHOLDERS:
        return _OF_PLACEHOLDERS[value.callee]
    if opcode in ("zext", "sext") and operands[0].type is not I64:
        return _extended(opcode, operands[0], known)
    if opcode == "trunc" and operands[0].type is I64:
        whole = known.get(operands[0], FULL)
        return whole if intersection(whole, _WORD) == whole else _WORD
    operation = _operation_of_words(value) if depth else None
    if operation is not None:
        result = operation(*(_word(operand, known, depth - 1) for operand in operands[-2:]))
        # What may wrap around has no interval.
        if intersection(result, _WORD) == result:
            return result
    last = operands[-1] if operands else None
    if opcode == "and" and isinstance(last, Constant) and last.signed >= 0:
        return Range(0, last.value)
    if opcode == "lshr" and isinstance(last, Constant) and 0 < last.value < 32:
        return Range(0, (1 << 32 - last.value) - 1)
    return _WORD


def _truncated(word: Value, depth: int = _DEPTH) -> Iterator[Value]:
    """Yield the values of which `_word` sees the low words."""
    if not isinstance(word, Instruction):
        return
    if word.opcode == "trunc":
        yield word.operands[0]
    elif depth and _operation_of_words(word) is not None:
        for operand in word.operands[-2:]:
            yield from _truncated(operand, depth - 1)


def _operation_of_words(i: Instruction) -> Callable[[Range, Range], Range] | None:
    """Return what an operation of two words makes of their intervals, if 64 bits make the same of them."""
    if i.type is not I32:
        return None
    if i.opcode == "call":
        return _OF_CALLS[stem] if (stem := intrinsic_stem(i.callee)) in _EXTREMA else None
    return union if i.opcode == "select" else _OF_TWO[i.opcode] if i.opcode in _OF_WORDS else None


_OF_WORDS = frozenset(("add", "sub", "mul", "and", "ashr", "srem"))
_EXTREMA = frozenset(f"llvm.{name}" for name in ("smin", "smax", "umin", "umax"))
_IDS = (abi.GLOBAL_ID, abi.LOCAL_ID, abi.GROUP_ID)
_OF_PLACEHOLDERS = {
    **dict.fromkeys((*abi.ID_PLACEHOLDERS, abi.EXTENT), _COUNT),
    **dict.fromkeys(_IDS, Range(0, _LARGEST_ID)),
}
