"""Choices between two values, and what a bool becomes as a number."""

from __future__ import annotations

from ..llvmir.model import Constant, Instruction
from ..llvmir.types import F32, F64, I32, I64, Type
from ._tables import Op
from .context import Context

__all__ = ["BOOL_VALUES", "flip", "mistaken_with", "select", "select_constants"]

# What true becomes, by opcode and type, as bits: 1, or -1 where a bool is extended with its sign.
BOOL_VALUES: dict[tuple[str, Type], int] = {
    ("zext", I32): 1,
    ("zext", I64): 1,
    ("sext", I32): 0xFFFF_FFFF,
    ("sext", I64): 0xFFFF_FFFF_FFFF_FFFF,
    ("uitofp", F32): 0x3F80_0000,
    ("uitofp", F64): 0x3FF0_0000_0000_0000,
    ("sitofp", F32): 0xBF80_0000,
    ("sitofp", F64): 0xBFF0_0000_0000_0000,
}

# Mesa (22.3 and 25.0, so all its drivers) takes a choice between 1.0 and -0.0, or -1.0 and 0.0, in either order and as
# integers of the same bits too, for a conversion from bool, and so gets the sign of zero wrong; NVIDIA's driver
# (580.159) does so between -1.0 and -0.0. Neither sees through an exclusive or. A variable that is given such constants
# on two ways becomes such a choice. Held by tests/device/test_emit_device.py.
_HIDDEN_BY = 0x5555_5555
_FORMATS: dict[Type, tuple[int, int]] = {
    **dict.fromkeys((F32, I32), (0x3F80_0000, 0x8000_0000)),
    **dict.fromkeys((F64, I64), (0x3FF0_0000_0000_0000, 0x8000_0000_0000_0000)),
}
# By type, for the bits of each of these constants those of the others.
_MISTAKEN: dict[Type, dict[int, frozenset[int]]] = {
    type: {
        one: frozenset({sign}),
        sign: frozenset({one, one | sign}),
        one | sign: frozenset({0, sign}),
        0: frozenset({one | sign}),
    }
    for type, (one, sign) in _FORMATS.items()
}


def mistaken_with(type: Type, bits: int) -> frozenset[int]:
    """Return the bits of the constants that a driver mistakes in a choice against this one."""
    return _MISTAKEN.get(type, {}).get(bits, frozenset())


def select_constants(context: Context, type: Type, condition_id: int, true_bits: int, false_bits: int) -> int:
    """Write a choice between two constants and return its id."""
    types = context.types
    if false_bits not in mistaken_with(type, true_bits):
        true_id, false_id = types.constant(type, true_bits), types.constant(type, false_bits)
        return context.write(Op.Select, types.of(type), condition_id, true_id, false_id)
    is_wide = type in (F64, I64)
    bits = [word >> 32 if is_wide else word for word in (true_bits, false_bits)]
    hidden = [types.word(word ^ _HIDDEN_BY) for word in bits]
    chosen_id = context.write(Op.Select, types.of(I32), condition_id, *hidden)
    word_id = context.write(Op.BitwiseXor, types.of(I32), chosen_id, types.word(_HIDDEN_BY))
    if is_wide:
        word_id = context.write(Op.CompositeConstruct, types.vector(2), types.word(0), word_id)
    return word_id if type is I32 else context.write(Op.Bitcast, types.of(type), word_id)


def flip(context: Context, type: Type, value_id: int) -> int:
    """Write the exclusive or that hides a value from the driver, or reveals it; return its id."""
    types, word_id = context.types, context.types.of(I32)
    mask_id = types.word(_HIDDEN_BY)
    if type is I32:
        return context.write(Op.BitwiseXor, word_id, value_id, mask_id)
    if type is F32:
        bits_id = context.write(Op.Bitcast, word_id, value_id)
        flipped_id = context.write(Op.BitwiseXor, word_id, bits_id, mask_id)
        return context.write(Op.Bitcast, types.of(type), flipped_id)
    pair_id = context.write(Op.Bitcast, types.vector(2), value_id)
    low_id, high_id = (context.write(Op.CompositeExtract, word_id, pair_id, k) for k in (0, 1))
    flipped_id = context.write(Op.BitwiseXor, word_id, high_id, mask_id)
    pair_id = context.write(Op.CompositeConstruct, types.vector(2), low_id, flipped_id)
    return context.write(Op.Bitcast, types.of(type), pair_id)


def select(context: Context, instruction: Instruction) -> None:
    """Write a select."""
    condition, if_true, if_false = instruction.operands
    condition_id = context.operand(condition, instruction)
    if isinstance(if_true, Constant) and isinstance(if_false, Constant):
        result = select_constants(context, instruction.type, condition_id, if_true.value, if_false.value)
    else:
        ids = (context.operand(if_true, instruction), context.operand(if_false, instruction))
        result = context.write(Op.Select, context.types.of(instruction.type), condition_id, *ids)
    context.ids[instruction] = result
