"""Make subgroup operations those that the device has, on 32-bit values where it must be.

Values of 64 bits move as two words. Integers of 64 bits are added in four parts of 16 bits each, whose sums over a
subgroup fit a word; their other reductions need the device.
"""

from __future__ import annotations

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Function, Instruction, Value, constant
from ..llvmir.types import F64, I32, I64, Type
from .passes import Context
from .rewriting import Rule, rewrite, unsupported

__all__ = ["run"]

_PREFIX = abi.SUBGROUP_OPERATIONS
# Operation: the class that a device offers it by.
_CLASSES = {
    "elect": "basic",
    "any": "vote",
    "all": "vote",
    "ballot": "ballot",
    "count": "ballot",
    "broadcast": "shuffle",
    "first": "ballot",
    "shuffle": "shuffle",
    "xor": "shuffle",
    "up": "shuffle_relative",
    "down": "shuffle_relative",
    **dict.fromkeys(("reduce", "inclusive", "exclusive"), "arithmetic"),
}
_BITWISE = ("and", "or", "xor")
_PART_BITS = 16


def run(function: Function, context: Context) -> None:
    """Leave only operations of the device."""
    if function.calls(_PREFIX):
        rewrite(function, _rule_of, context)


def _rule_of(instruction: Instruction) -> Rule | None:
    if instruction.opcode != "call" or not instruction.callee.startswith(_PREFIX):
        return None
    return _operation


def _operation(b: Builder, call: Instruction, context: Context) -> Value | None:
    """Check the class of an operation, and split values that are too wide."""
    _, _, kind, *rest = call.callee.split(".")
    needed = _CLASSES[kind]
    if needed not in context.profile.subgroup_classes:
        raise unsupported(
            f"this operation needs subgroup_{needed}, which the device does not offer: choose another device",
            call,
            context,
        )
    if call.type not in (I64, F64):
        return None
    if needed != "arithmetic":
        return _by_words(b, call)
    operation = rest[0]
    if operation in _BITWISE:
        return _by_words(b, call)
    if operation == "iadd":
        return _sum_of_parts(b, call)
    if call.type is F64 or context.profile.subgroup_int64:
        return None
    raise unsupported(
        f"'{operation}' of 64-bit integers over a subgroup needs subgroup_int64, which the device does not offer: use "
        f"int32 or uint32",
        call,
        context,
    )


def _by_words(b: Builder, call: Instruction) -> Value:
    """Do the same to both words of a value."""
    low, high, join = _PAIR_OF[call.type]
    value, *others = call.operands
    name = call.callee.rpartition(".")[0] + ".i32"
    words = [b.call(name, I32, b.call(part, I32, value), *others) for part in (low, high)]
    return b.call(join, call.type, *words)


_PAIR_OF: dict[Type, tuple[str, str, str]] = {
    I64: (abi.LOW_I64, abi.HIGH_I64, abi.JOIN_I64),
    F64: (abi.LOW_F64, abi.HIGH_F64, abi.JOIN_F64),
}


def _sum_of_parts(b: Builder, call: Instruction) -> Value:
    """Add 64-bit integers in parts, with whose carries the sum is put together."""
    name = call.callee.rpartition(".")[0] + ".i32"
    mask = b.i32((1 << _PART_BITS) - 1)
    total: Value = constant(I64, 0)
    for word, distance in ((abi.LOW_I64, 0), (abi.HIGH_I64, 32)):
        bits = b.call(word, I32, call.operands[0])
        for shift in (0, _PART_BITS):
            part = b.binary("and", b.binary("lshr", bits, b.i32(shift)), mask)
            wide = b.cast("zext", b.call(name, I32, part), I64)
            total = b.binary("add", b.binary("shl", wide, constant(I64, distance + shift)), total)
    return total
