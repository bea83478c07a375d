"""Rewrite operations that SPIR-V lacks, or that drivers get wrong: one rule per opcode."""

from __future__ import annotations

from collections.abc import Callable

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Constant, Function, Instruction, Value, constant
from ..llvmir.types import F32, I1, I32, I64, IntType
from .passes import Context
from .rewriting import Rule, rewrite

__all__ = ["RULES", "run"]


def run(function: Function, context: Context) -> None:
    """Leave operations that the emitter has."""
    hides_signs = any(map(_has_large_factor, function.instructions()))
    rewrite(function, _rule_hiding_signs if hides_signs else _rule_of, context)


def _rule_of(instruction: Instruction) -> Rule | None:
    opcode = instruction.opcode
    if opcode == "call":
        return _CALLS.get(instruction.callee)
    rule = RULES.get(opcode)
    if rule is None and instruction.type is I1:
        return _LOGIC.get(opcode)
    return rule


def _switch(b: Builder, i: Instruction, context: Context) -> Value | None:
    """Switch on an integer: LLVM switches on a boolean where only its two values are left, SPIR-V does not."""
    if i.operands[0].type is not I1:
        return None
    cases = tuple(case & 1 for case in i.indices)
    selector = b.cast("zext", i.operands[0], I32)
    return b.emit(Instruction("switch", i.type, [selector], detail=cases, targets=i.targets))


# ---- integers


def _remainder_from_quotient(b: Builder, i: Instruction, context: Context) -> Value:
    # NVIDIA 580: OpSRem is wrong for negative int64 operands; SwiftShader: INT32_MIN % -1 is not 0.
    left, right = i.operands
    return b.binary("sub", left, b.binary("mul", b.binary("sdiv", left, right), right))


def _shift_by_31(b: Builder, i: Instruction, context: Context) -> Value | None:
    """Shift a 64-bit value left by 31 word by word.

    NVIDIA 580.159 makes one multiplication of it, by 2**31 as a signed word, when the value is a sign-extended 32-bit
    one: 2 << 31 became -2**32. Other amounts and factors are right. Held by tests/device/test_arithmetic.py,
    test_factors_at_the_edge_of_a_word.
    """
    value, amount = i.operands
    if i.type is not I64 or amount is not constant(I64, 31):
        return None
    low = b.cast("trunc", value, I32)
    high = b.cast("trunc", b.binary("lshr", value, constant(I64, 32)), I32)
    upper = b.binary("or", b.binary("shl", high, b.i32(31)), b.binary("lshr", low, b.i32(1)))
    lower = b.cast("zext", b.binary("shl", low, b.i32(31)), I64)
    return b.binary("or", lower, b.binary("shl", b.cast("zext", upper, I64), constant(I64, 32)))


def _has_large_factor(i: Instruction) -> bool:
    """Return whether 64 bits are multiplied by a constant of which, with others, 2**31 may become."""
    if i.type is not I64 or i.opcode not in ("mul", "shl") or not isinstance(i.operands[1], Constant):
        return False
    factor = i.operands[1].signed
    return factor >= 28 if i.opcode == "shl" else abs(factor) >= 1 << 28


def _rule_hiding_signs(instruction: Instruction) -> Rule | None:
    """Return the rules for functions in which the driver might multiply a sign-extended word by 2**31.

    It does so when it joins products of one value, as in ``x * (2**31 - 1) + x``, and finds out by itself which values
    fit into a word; that one is put together from two words is not seen through.
    """
    return _EXTENSIONS.get(instruction.opcode) or _rule_of(instruction)


def _extend_sign(b: Builder, i: Instruction, context: Context) -> Value | None:
    value = i.operands[0]
    return _sign_extended(b, value) if value.type is I32 and i.type is I64 else None


def _upper_word(b: Builder, i: Instruction, context: Context) -> Value | None:
    value, amount = i.operands
    if i.type is not I64 or not isinstance(amount, Constant) or amount.value < 32:
        return None
    high = b.cast("trunc", b.binary("lshr", value, constant(I64, 32)), I32)
    return _sign_extended(b, b.binary("ashr", high, b.i32(amount.value - 32)))


def _sign_extended(b: Builder, word: Value) -> Value:
    sign = b.cast("zext", b.binary("ashr", word, b.i32(31)), I64)
    return b.binary("or", b.cast("zext", word, I64), b.binary("shl", sign, constant(I64, 32)))


_EXTENSIONS: dict[str, Rule] = {"sext": _extend_sign, "ashr": _upper_word}


def _truncate(b: Builder, i: Instruction, context: Context) -> Value | None:
    if i.type is not I1:
        return None
    value = i.operands[0]
    type = value.type
    assert isinstance(type, IntType)
    return b.icmp("ne", b.binary("and", value, constant(type, 1)), constant(type, 0))


def _bitcast(b: Builder, i: Instruction, context: Context) -> Value | None:
    return i.operands[0] if i.operands[0].type is i.type else None


# ---- booleans: true is 1 to unsigned comparisons, -1 to signed ones

_COMPARE_BOOLS: dict[str, Callable[[Builder, Value, Value], Value]] = {
    "eq": lambda b, x, y: b.negate(b.binary("xor", x, y)),
    "ne": lambda b, x, y: b.binary("xor", x, y),
    "ult": lambda b, x, y: b.binary("and", b.negate(x), y),
    "ugt": lambda b, x, y: b.binary("and", x, b.negate(y)),
    "ule": lambda b, x, y: b.binary("or", b.negate(x), y),
    "uge": lambda b, x, y: b.binary("or", x, b.negate(y)),
}
_UNSIGNED_OF_SWAPPED = {"slt": "ugt", "sgt": "ult", "sle": "uge", "sge": "ule"}


def _compare(b: Builder, i: Instruction, context: Context) -> Value | None:
    if i.operands[0].type is not I1:
        return None
    predicate = _UNSIGNED_OF_SWAPPED.get(i.predicate, i.predicate)
    return _COMPARE_BOOLS[predicate](b, *i.operands)


def _logical(opcode: str) -> Rule:
    def rule(b: Builder, i: Instruction, context: Context) -> Value:
        return b.binary(opcode, *i.operands)

    return rule


def _first_operand(b: Builder, i: Instruction, context: Context) -> Value:
    """The other operand can only be what changes nothing: a shift by 0, a division by 1."""
    return i.operands[0]


# ---- conversions


def _unsigned_to_float(b: Builder, i: Instruction, context: Context) -> Value | None:
    """Convert as a signed number; those from 2**31 on, if any, after halving them, keeping the bit that falls out."""
    value = i.operands[0]
    if value.type is not I32 or i.type is not F32:
        return None
    if "nneg" in i.flags:
        return b.cast("sitofp", value, F32)
    # SwiftShader rounds twice when it converts unsigned numbers to float32.
    is_large = b.icmp("slt", value, b.i32(0))
    one = b.i32(1)
    half = b.binary("or", b.binary("lshr", value, one), b.binary("and", value, one))
    converted = b.cast("sitofp", b.select(is_large, half, value), F32)
    return b.select(is_large, b.binary("fadd", converted, converted), converted)


def _to_bool(b: Builder, i: Instruction, context: Context) -> Value | None:
    if i.type is not I1:
        return None
    number = b.cast(i.opcode, i.operands[0], I32)
    return b.icmp("ne", b.binary("and", number, b.i32(1)), b.i32(0))


# ---- words of native 64-bit values


def _join(b: Builder, call: Instruction, context: Context) -> Value | None:
    if not context.profile.int64:
        return None
    low, high = (b.cast("zext", word, I64) for word in call.operands)
    return b.binary("or", low, b.binary("shl", high, constant(I64, 32)))


def _low(b: Builder, call: Instruction, context: Context) -> Value | None:
    return b.cast("trunc", call.operands[0], I32) if context.profile.int64 else None


def _high(b: Builder, call: Instruction, context: Context) -> Value | None:
    if not context.profile.int64:
        return None
    return b.cast("trunc", b.binary("lshr", call.operands[0], constant(I64, 32)), I32)


RULES: dict[str, Rule] = {
    "srem": _remainder_from_quotient,
    "shl": _shift_by_31,
    "trunc": _truncate,
    "uitofp": _unsigned_to_float,
    "fptosi": _to_bool,
    "fptoui": _to_bool,
    "icmp": _compare,
    "bitcast": _bitcast,
    "switch": _switch,
}
_LOGIC: dict[str, Rule] = {
    "add": _logical("xor"),
    "sub": _logical("xor"),
    "mul": _logical("and"),
    **dict.fromkeys(("shl", "lshr", "ashr", "udiv", "sdiv"), _first_operand),
}
_CALLS: dict[str, Rule] = {abi.JOIN_I64: _join, abi.LOW_I64: _low, abi.HIGH_I64: _high}
