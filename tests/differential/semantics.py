"""What each operation of the small IR computes, exactly: the reference that passes and devices are compared with.

Values are: integers as Python integers without a sign, floats as NumPy scalars (which round as IEEE says), pointers as
a buffer with an offset, aggregates as tuples. Where LLVM leaves a result open (a shift by the width, a conversion out
of range) it is 0; division by zero is an error.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from numba_vulkan.llvmir.model import Instruction
from numba_vulkan.llvmir.types import ArrayType, FloatType, IntType, PointerType, StructType, Type, VectorType

__all__ = [
    "CASTS",
    "FLOAT_OPERATIONS",
    "FLOAT_PREDICATES",
    "INTEGER_OPERATIONS",
    "INTEGER_PREDICATES",
    "INTRINSICS",
    "InterpreterError",
    "Operation",
    "Pointer",
    "decode",
    "encode",
    "float_of",
    "signed",
    "size_of",
    "zero_of",
]


class InterpreterError(Exception):
    """The program does something undefined, or something that the interpreter does not know."""


class Pointer(NamedTuple):
    """A place in a variable or a table."""

    buffer: bytearray
    offset: int


Operation = Callable[..., Any]
"""A function of operand values."""

FLOATS: dict[int, type[np.floating[Any]]] = {16: np.float16, 32: np.float32, 64: np.float64}


# ---- types in memory


def size_of(type: Type) -> int:
    """Return the bytes that a value of the type takes in variables and tables, as LLVM lays it out for 64 bits."""
    if isinstance(type, IntType | FloatType):
        return 1 << max(0, ((type.bits + 7) // 8 - 1).bit_length())
    if isinstance(type, ArrayType | VectorType):
        return type.count * size_of(type.element)
    if isinstance(type, StructType):
        return member_offset(type, len(type.members))
    raise InterpreterError(f"values of type {type} have no place in memory")


def member_offset(type: StructType, index: int) -> int:
    """Return where a member begins; one past the last gives the size."""
    offset = 0
    for member in type.members[:index]:
        offset = _round_up(offset, alignment(member)) + size_of(member)
    return _round_up(offset, alignment(type.members[index] if index < len(type.members) else type))


def _round_up(offset: int, step: int) -> int:
    return -(-offset // step) * step


def alignment(type: Type) -> int:
    """Return the alignment of a type."""
    if isinstance(type, ArrayType | VectorType):
        return alignment(type.element)
    if isinstance(type, StructType):
        return max((alignment(member) for member in type.members), default=1)
    return size_of(type)


def encode(type: Type, value: Any) -> bytes:
    """Return the bytes of a value."""
    if isinstance(type, IntType):
        return int(value).to_bytes(size_of(type), "little")
    if isinstance(type, FloatType):
        return value.tobytes()
    if isinstance(type, ArrayType | VectorType):
        return b"".join(encode(type.element, item) for item in value)
    if isinstance(type, StructType):
        result = bytearray(size_of(type))
        for index, (member, item) in enumerate(zip(type.members, value, strict=True)):
            start = member_offset(type, index)
            result[start : start + size_of(member)] = encode(member, item)
        return bytes(result)
    raise InterpreterError(f"values of type {type} cannot be stored")


def decode(type: Type, data: bytes | bytearray) -> Any:
    """Return the value that bytes hold."""
    if isinstance(type, IntType):
        return int.from_bytes(data, "little") & type.mask
    if isinstance(type, FloatType):
        return np.frombuffer(bytes(data), FLOATS[type.bits])[0]
    if isinstance(type, ArrayType | VectorType):
        step = size_of(type.element)
        return tuple(decode(type.element, data[i * step : (i + 1) * step]) for i in range(type.count))
    if isinstance(type, StructType):
        starts = [member_offset(type, index) for index in range(len(type.members))]
        pairs = zip(type.members, starts, strict=True)
        return tuple(decode(member, data[start : start + size_of(member)]) for member, start in pairs)
    raise InterpreterError(f"values of type {type} cannot be loaded")


def zero_of(type: Type) -> Any:
    """Return what undefined values of the type read as."""
    if isinstance(type, PointerType):
        return Pointer(bytearray(), 0)
    return decode(type, bytes(size_of(type)))


# ---- integers


def signed(value: int, bits: int) -> int:
    """Read a value as two's complement."""
    return value - (1 << bits) if value >> (bits - 1) else value


def _bits(type: Type) -> int:
    if not isinstance(type, IntType | FloatType):
        raise InterpreterError(f"no arithmetic on values of type {type}")
    return type.bits


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise InterpreterError("division by zero")
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left: int, right: int) -> int:
    return left - right * _divide(left, right)


_WRAPPING: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "udiv": _divide,
    "urem": _remainder,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}
_SIGNED: dict[str, Callable[[int, int], int]] = {"sdiv": _divide, "srem": _remainder}


def _wrapping(function: Callable[[int, int], int]) -> Callable[[Instruction], Operation]:
    def make(instruction: Instruction) -> Operation:
        mask = (1 << _bits(instruction.type)) - 1
        return lambda left, right: function(left, right) & mask

    return make


def _wrapping_signed(function: Callable[[int, int], int]) -> Callable[[Instruction], Operation]:
    def make(instruction: Instruction) -> Operation:
        bits = _bits(instruction.type)
        mask = (1 << bits) - 1
        return lambda left, right: function(signed(left, bits), signed(right, bits)) & mask

    return make


def _shl(instruction: Instruction) -> Operation:
    bits = _bits(instruction.type)
    mask = (1 << bits) - 1
    return lambda value, count: (value << count) & mask if count < bits else 0


def _lshr(instruction: Instruction) -> Operation:
    bits = _bits(instruction.type)
    return lambda value, count: value >> count if count < bits else 0


def _ashr(instruction: Instruction) -> Operation:
    bits = _bits(instruction.type)
    mask = (1 << bits) - 1
    return lambda value, count: (signed(value, bits) >> count) & mask if count < bits else 0


INTEGER_OPERATIONS: dict[str, Callable[[Instruction], Operation]] = {
    **{name: _wrapping(function) for name, function in _WRAPPING.items()},
    **{name: _wrapping_signed(function) for name, function in _SIGNED.items()},
    "shl": _shl,
    "lshr": _lshr,
    "ashr": _ashr,
}
INTEGER_PREDICATES: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
}

# ---- floats


def float_of(type: Type) -> type[np.floating[Any]]:
    """Return NumPy's scalar type of a float type."""
    return FLOATS[_bits(type)]


def _frem(left: Any, right: Any) -> Any:
    return np.fmod(left, right)


FLOAT_OPERATIONS: dict[str, Operation] = {
    "fadd": operator.add,
    "fsub": operator.sub,
    "fmul": operator.mul,
    "fdiv": np.divide,
    "frem": _frem,
}
_ORDERED: dict[str, Operation] = {
    "eq": operator.eq,
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
    "ne": lambda left, right: left < right or left > right,
}


def _unordered(left: Any, right: Any) -> bool:
    return bool(left != left or right != right)


FLOAT_PREDICATES: dict[str, Operation] = {
    **{"o" + name: test for name, test in _ORDERED.items()},
    **{
        "u" + name: lambda left, right, test=test: _unordered(left, right) or test(left, right)
        for name, test in _ORDERED.items()
    },
    "ord": lambda left, right: not _unordered(left, right),
    "uno": _unordered,
    "false": lambda left, right: False,
    "true": lambda left, right: True,
}


def _fma(a: Any, b: Any, c: Any) -> Any:
    """Multiply and add with one rounding."""
    kind = type(a)
    if not (np.isfinite(a) and np.isfinite(b) and np.isfinite(c)):
        return a * b + c
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if exact == 0:
        return a * b + c
    if kind is np.float64:
        return np.float64(exact.numerator / exact.denominator)
    # Rounding to odd in float64 first makes the second rounding right: 53 >= 2 * 24 + 2.
    near = np.float64(exact.numerator / exact.denominator)
    error = exact - Fraction(float(near))
    if error and not near.view(np.uint64) & np.uint64(1):
        near = np.nextafter(near, np.float64(math.inf if error > 0 else -math.inf))
    return kind(near)


# ---- casts


def _float_to_int(instruction: Instruction) -> Operation:
    bits = _bits(instruction.type)
    low, high = (
        (-(1 << bits - 1), (1 << bits - 1) - 1) if instruction.opcode == "fptosi" else (0, (1 << bits) - 1)
    )

    def convert(value: Any) -> int:
        whole = int(value) if np.isfinite(value) else low - 1
        return whole & ((1 << bits) - 1) if low <= whole <= high else 0

    return convert


def _int_to_float(instruction: Instruction) -> Operation:
    bits, kind = _bits(instruction.operands[0].type), float_of(instruction.type)
    is_signed = instruction.opcode == "sitofp"

    def convert(value: int) -> Any:
        value = signed(value, bits) if is_signed else value
        # NumPy converts its own integers with one rounding; Python's would round to float64 first.
        return np.int64(value).astype(kind) if value < 1 << 63 else np.uint64(value).astype(kind)

    return convert


def _bitcast(instruction: Instruction) -> Operation:
    source, target = instruction.operands[0].type, instruction.type
    return lambda value: decode(target, encode(source, value))


def _resize(instruction: Instruction) -> Operation:
    bits, mask = _bits(instruction.operands[0].type), (1 << _bits(instruction.type)) - 1
    if instruction.opcode == "sext":
        return lambda value: signed(value, bits) & mask
    return lambda value: value & mask


def _refloat(instruction: Instruction) -> Operation:
    return float_of(instruction.type)


CASTS: dict[str, Callable[[Instruction], Operation]] = {
    "trunc": _resize,
    "zext": _resize,
    "sext": _resize,
    "fptosi": _float_to_int,
    "fptoui": _float_to_int,
    "sitofp": _int_to_float,
    "uitofp": _int_to_float,
    "fpext": _refloat,
    "fptrunc": _refloat,
    "bitcast": _bitcast,
}

# ---- intrinsics, by the second part of their names


def _plain(function: Operation) -> Callable[[Instruction], Operation]:
    return lambda instruction: function


def _of_bits(function: Callable[..., int]) -> Callable[[Instruction], Operation]:
    """An integer intrinsic whose function takes the width first."""

    def make(instruction: Instruction) -> Operation:
        bits = _bits(instruction.operands[0].type)
        mask = (1 << bits) - 1
        return lambda *values: function(bits, *values) & mask

    return make


def _overflowing(name: str, is_signed: bool) -> Callable[[Instruction], Operation]:
    function = _WRAPPING[name]

    def make(instruction: Instruction) -> Operation:
        bits = _bits(instruction.operands[0].type)

        def compute(left: int, right: int) -> tuple[int, int]:
            if is_signed:
                left, right = signed(left, bits), signed(right, bits)
            exact = function(left, right)
            wrapped = exact & ((1 << bits) - 1)
            back = signed(wrapped, bits) if is_signed else wrapped
            return wrapped, int(back != exact)

        return compute

    return make


def _funnel(bits: int, high: int, low: int, count: int, left: bool) -> int:
    joined, count = high << bits | low, count % bits
    return joined >> (bits - count) if left else joined >> count


def _smaller(left: Any, right: Any) -> Any:
    return (
        right
        if left != left or (right == right and (right < left or (right == left and np.signbit(right))))
        else left
    )


def _larger(left: Any, right: Any) -> Any:
    return (
        right
        if left != left or (right == right and (right > left or (right == left and np.signbit(left))))
        else left
    )


INTRINSICS: dict[str, Callable[[Instruction], Operation]] = {
    "fabs": _plain(np.abs),
    "floor": _plain(np.floor),
    "ceil": _plain(np.ceil),
    "trunc": _plain(np.trunc),
    "rint": _plain(np.rint),
    "roundeven": _plain(np.rint),
    "sqrt": _plain(np.sqrt),
    "copysign": _plain(np.copysign),
    "fma": _plain(_fma),
    "fmuladd": _plain(lambda a, b, c: a * b + c),
    "minnum": _plain(_smaller),
    "maxnum": _plain(_larger),
    "minimumnum": _plain(_smaller),
    "maximumnum": _plain(_larger),
    "smin": _of_bits(lambda bits, a, b: min(a, b, key=lambda value: signed(value, bits))),
    "smax": _of_bits(lambda bits, a, b: max(a, b, key=lambda value: signed(value, bits))),
    "umin": _of_bits(lambda bits, a, b: min(a, b)),
    "umax": _of_bits(lambda bits, a, b: max(a, b)),
    "abs": _of_bits(lambda bits, a, poison: abs(signed(a, bits))),
    "ctpop": _of_bits(lambda bits, a: a.bit_count()),
    "ctlz": _of_bits(lambda bits, a, poison: bits - a.bit_length()),
    "cttz": _of_bits(lambda bits, a, poison: (a & -a).bit_length() - 1 if a else bits),
    "fshl": _of_bits(lambda bits, a, b, count: _funnel(bits, a, b, count, True)),
    "fshr": _of_bits(lambda bits, a, b, count: _funnel(bits, a, b, count, False)),
    "bswap": _of_bits(lambda bits, a: int.from_bytes(a.to_bytes(bits // 8, "little"), "big")),
    "bitreverse": _of_bits(lambda bits, a: int(f"{a:0{bits}b}"[::-1], 2)),
    "assume": _plain(lambda condition: None),
    "sadd": _overflowing("add", True),
    "uadd": _overflowing("add", False),
    "ssub": _overflowing("sub", True),
    "usub": _overflowing("sub", False),
    "smul": _overflowing("mul", True),
    "umul": _overflowing("mul", False),
}
