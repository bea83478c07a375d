"""Expand LLVM's integer intrinsics, drop hints, and refuse calls that nothing can answer.

Float intrinsics stay for `expand_floats`, which runs when the width of floats is settled; `llvm.memcpy` and its kin
stay for `split_allocas`, which knows the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Function, Instruction, Value, constant
from ..llvmir.types import I1, I32, I64, VOID, IntType, VectorType, struct_type
from .intrinsics import FLOAT_STEMS, MEMORY_STEMS, intrinsic_stem, scalar_name
from .passes import Context
from .rewriting import REMOVED, Rule, drop_unreachable, rewrite
from .unknown_calls import refuse

__all__ = ["run"]


def run(function: Function, context: Context) -> None:
    """Leave only calls that later passes or SPIR-V know, and only blocks that control can reach."""
    _end_blocks_at_traps(function)
    drop_unreachable(function)
    rewrite(function, _rule_of, context)


def _rule_of(instruction: Instruction) -> Rule | None:
    if instruction.opcode != "call":
        return None
    name = instruction.callee
    if name in _KNOWN:
        return None
    if name.startswith("llvm.") and any(isinstance(o.type, VectorType) for o in instruction.operands):
        return _by_lanes
    return _rule_for(name)


_KNOWN = frozenset(
    {*abi.PLACEHOLDERS, *abi.PAIRS, *abi.NARROWED, *abi.WORKGROUP_VARIABLES, *abi.LOCAL_VARIABLES}
)


@cache
def _rule_for(name: str) -> Rule | None:
    """Return the rule for a function that is no placeholder."""
    stem = intrinsic_stem(name)
    if stem in FLOAT_STEMS or stem in MEMORY_STEMS:
        return None
    return RULES.get(stem, refuse)


def _by_lanes(b: Builder, call: Instruction, context: Context) -> Value | None:
    """Split an elementwise intrinsic of vectors into one call per lane."""
    vector = call.type
    if not isinstance(vector, VectorType):
        return refuse(b, call, context)
    rule = _rule_for(call.callee)
    name = scalar_name(call.callee)
    result: Value = b.undef(vector)
    for lane in range(vector.count):
        operands = [_lane(b, operand, lane) for operand in call.operands]
        lane_call = Instruction(
            "call", vector.element, operands, detail=name, flags=call.flags, location=call.location
        )
        value = rule(b, lane_call, context) if rule else b.emit(lane_call)
        value = b.emit(lane_call) if value is None else value
        result = b.emit(Instruction("insertelement", vector, [result, value, b.i32(lane)]))
    return result


def _lane(b: Builder, operand: Value, lane: int) -> Value:
    if not isinstance(operand.type, VectorType):
        return operand
    return b.emit(Instruction("extractelement", operand.type.element, [operand, b.i32(lane)]))


def _end_blocks_at_traps(function: Function) -> None:
    """End blocks at `llvm.trap`: what follows never runs."""
    for block in function.blocks:
        for position, instruction in enumerate(block.instructions):
            if instruction.opcode == "call" and instruction.callee in ("llvm.trap", "llvm.ubsantrap"):
                end = Instruction("unreachable", VOID, location=instruction.location)
                block.instructions[position:] = [end]
                break


# ---- rules


def _integer(value: Value) -> IntType:
    assert isinstance(value.type, IntType)
    return value.type


def _drop(b: Builder, call: Instruction, context: Context) -> Value:
    return REMOVED


def _first_operand(b: Builder, call: Instruction, context: Context) -> Value:
    return call.operands[0]


def _false(b: Builder, call: Instruction, context: Context) -> Value:
    return constant(I1, 0)


def _abs(b: Builder, call: Instruction, context: Context) -> Value:
    x = call.operands[0]
    zero = constant(_integer(x), 0)
    return b.select(b.icmp("slt", x, zero), b.binary("sub", zero, x), x)


def _extremum(predicate: str) -> Rule:
    """Return the rule of a minimum or maximum; SPIR-V has them for 32 and 64 bits."""

    def rule(b: Builder, call: Instruction, context: Context) -> Value | None:
        if call.type is I32 or call.type is I64:
            return None
        left, right = call.operands
        return b.select(b.icmp(predicate, left, right), left, right)

    return rule


def _three_way(less: str, greater: str) -> Rule:
    def rule(b: Builder, call: Instruction, context: Context) -> Value:
        left, right = call.operands
        above = b.cast("zext", b.icmp(greater, left, right), call.type)
        return b.binary("sub", above, b.cast("zext", b.icmp(less, left, right), call.type))

    return rule


def _funnel_shift(b: Builder, call: Instruction, context: Context) -> Value:
    """Shift two words as one; the distance counts modulo the width, and no single shift goes as far as that."""
    high, low, distance = call.operands
    type = _integer(high)
    last = constant(type, type.bits - 1)
    if type.bits & (type.bits - 1):
        distance = b.binary("urem", distance, constant(type, type.bits))
    else:
        distance = b.binary("and", distance, last)
    back = b.binary("sub", last, distance)
    one = constant(type, 1)
    if intrinsic_stem(call.callee) == "llvm.fshl":
        return b.binary(
            "or", b.binary("shl", high, distance), b.binary("lshr", b.binary("lshr", low, one), back)
        )
    return b.binary("or", b.binary("shl", b.binary("shl", high, one), back), b.binary("lshr", low, distance))


# SPIR-V's bit operations are defined for 32 bits only; others are put together from words.


def _halves(b: Builder, value: Value) -> tuple[Value, Value]:
    """Return the low and the high word of an i64, by calls that say that it is needed as a whole."""
    return b.call(abi.LOW_I64, I32, value), b.call(abi.HIGH_I64, I32, value)


def _resize(b: Builder, value: Value, type: IntType) -> Value:
    """Zero-extend or truncate a value."""
    if value.type is type:
        return value
    return b.cast("trunc" if _integer(value).bits > type.bits else "zext", value, type)


def _count_ones(b: Builder, call: Instruction, context: Context) -> Value | None:
    return None if call.type is I32 else _ones(b, call.operands[0])


def _ones(b: Builder, value: Value) -> Value:
    type = _integer(value)
    if type.bits <= 32:
        return _resize(b, b.call("llvm.ctpop.i32", I32, _resize(b, value, I32)), type)
    low, high = _halves(b, _resize(b, value, I64))
    count = b.binary("add", b.call("llvm.ctpop.i32", I32, low), b.call("llvm.ctpop.i32", I32, high))
    return _resize(b, count, type)


def _count_trailing_zeros(b: Builder, call: Instruction, context: Context) -> Value:
    """Count the ones of a number that has them exactly below the lowest one of the operand."""
    x = call.operands[0]
    type = _integer(x)
    below = b.binary("and", b.binary("xor", x, constant(type, -1)), b.binary("add", x, constant(type, -1)))
    return _ones(b, below)


def _count_leading_zeros(b: Builder, call: Instruction, context: Context) -> Value | None:
    x = call.operands[0]
    type = _integer(x)
    if type is I32:
        return None
    if type.bits < 32:
        count = _zeros_of_word(b, _resize(b, x, I32))
        return _resize(b, b.binary("sub", count, b.i32(32 - type.bits)), type)
    low, high = _halves(b, _resize(b, x, I64))
    of_low = b.binary("add", _zeros_of_word(b, low), b.i32(32))
    count = b.select(b.icmp("eq", high, b.i32(0)), of_low, _zeros_of_word(b, high))
    return _resize(b, b.binary("sub", count, b.i32(64 - type.bits)), type)


def _zeros_of_word(b: Builder, word: Value) -> Value:
    return b.call("llvm.ctlz.i32", I32, word, constant(I1, 0))


def _by_words(of_word: Callable[[Builder, Value], Value]) -> Rule:
    """Return the rule of an operation that mirrors an integer, given what it does to 32 bits."""

    def rule(b: Builder, call: Instruction, context: Context) -> Value | None:
        x = call.operands[0]
        type = _integer(x)
        if type.bits <= 32:
            mirrored = of_word(b, _resize(b, x, I32))
            return _resize(b, b.binary("lshr", mirrored, b.i32(32 - type.bits)), type)
        low, high = _halves(b, _resize(b, x, I64))
        mirrored = b.call(abi.JOIN_I64, I64, of_word(b, high), of_word(b, low))
        return _resize(b, b.binary("lshr", mirrored, constant(I64, 64 - type.bits)), type)

    return rule


def _reversed_bits(b: Builder, word: Value) -> Value:
    return b.call("llvm.bitreverse.i32", I32, word)


def _swapped_bytes(b: Builder, word: Value) -> Value:
    odd, eight, half = b.i32(0x00FF00FF), b.i32(8), b.i32(16)
    up = b.binary("shl", b.binary("and", word, odd), eight)
    pairs = b.binary("or", up, b.binary("and", b.binary("lshr", word, eight), odd))
    return b.binary("or", b.binary("shl", pairs, half), b.binary("lshr", pairs, half))


_reverse_bits_by_words = _by_words(_reversed_bits)


def _reverse_bits(b: Builder, call: Instruction, context: Context) -> Value | None:
    return None if call.type is I32 else _reverse_bits_by_words(b, call, context)


# ---- overflow


def _sign_of_both(b: Builder, left: Value, right: Value) -> Value:
    """Return whether both values are negative."""
    return b.icmp("slt", b.binary("and", left, right), constant(_integer(left), 0))


def _add_overflows(b: Builder, left: Value, right: Value, total: Value) -> Value:
    return _sign_of_both(b, b.binary("xor", left, total), b.binary("xor", right, total))


def _subtract_overflows(b: Builder, left: Value, right: Value, difference: Value) -> Value:
    return _sign_of_both(b, b.binary("xor", left, right), b.binary("xor", left, difference))


def _add_carries(b: Builder, left: Value, right: Value, total: Value) -> Value:
    return b.icmp("ult", total, left)


def _subtract_borrows(b: Builder, left: Value, right: Value, difference: Value) -> Value:
    return b.icmp("ult", left, right)


def _multiply_overflows(b: Builder, left: Value, right: Value, product: Value) -> Value:
    type = _integer(left)
    if type.bits <= 32:
        exact = b.binary("mul", b.cast("sext", left, I64), b.cast("sext", right, I64))
        return b.icmp("ne", exact, b.cast("sext", product, I64))
    # Division gives back the other factor exactly when nothing was lost; 0 and -1 are no divisors for that.
    zero, minus_one = constant(type, 0), constant(type, -1)
    is_zero, is_minus_one = b.icmp("eq", left, zero), b.icmp("eq", left, minus_one)
    divisor = b.select(b.binary("or", is_zero, is_minus_one), constant(type, 1), left)
    lost = b.icmp("ne", b.binary("sdiv", product, divisor), right)
    lowest = b.icmp("eq", right, constant(type, 1 << (type.bits - 1)))
    return b.select(is_minus_one, lowest, b.select(is_zero, constant(I1, 0), lost))


def _multiply_carries(b: Builder, left: Value, right: Value, product: Value) -> Value:
    type = _integer(left)
    if type.bits < 32:
        exact = b.binary("mul", b.cast("zext", left, I64), b.cast("zext", right, I64))
        return b.icmp("ugt", exact, constant(I64, type.mask))
    if type.bits == 32:
        return b.icmp("ne", b.call(abi.MULHI_U32, I32, left, right), b.i32(0))
    is_zero = b.icmp("eq", left, constant(type, 0))
    divisor = b.select(is_zero, constant(type, 1), left)
    lost = b.icmp("ne", b.binary("udiv", product, divisor), right)
    return b.select(is_zero, constant(I1, 0), lost)


Test = Callable[[Builder, Value, Value, Value], Value]


def _with_overflow(opcode: str, test: Test) -> Rule:
    def rule(b: Builder, call: Instruction, context: Context) -> Value:
        left, right = call.operands
        result = b.binary(opcode, left, right)
        overflows = test(b, left, right, result)
        pair = struct_type((left.type, I1))
        first = b.emit(Instruction("insertvalue", pair, [b.undef(pair), result], detail=(0,)))
        return b.emit(Instruction("insertvalue", pair, [first, overflows], detail=(1,)))

    return rule


def _saturate_unsigned(opcode: str, test: Test, bound: int) -> Rule:
    def rule(b: Builder, call: Instruction, context: Context) -> Value:
        left, right = call.operands
        result = b.binary(opcode, left, right)
        return b.select(test(b, left, right, result), constant(_integer(left), bound), result)

    return rule


def _saturate_signed(opcode: str, test: Test) -> Rule:
    def rule(b: Builder, call: Instruction, context: Context) -> Value:
        left, right = call.operands
        type = _integer(left)
        result = b.binary(opcode, left, right)
        # The bound on the side of the left operand: the largest value, or all its bits turned.
        sign = b.binary("ashr", left, constant(type, type.bits - 1))
        bound = b.binary("xor", sign, constant(type, type.mask >> 1))
        return b.select(test(b, left, right, result), bound, result)

    return rule


_HINTS = (
    "assume dbg.assign dbg.declare dbg.label dbg.value donothing experimental.noalias.scope.decl invariant.end "
    "invariant.start lifetime.end lifetime.start prefetch sideeffect stackrestore stacksave var.annotation"
)
_IDENTITIES = "annotation arithmetic.fence canonicalize expect expect.with.probability ssa.copy"

RULES: dict[str, Rule] = {
    **{f"llvm.{name}": _drop for name in _HINTS.split()},
    **{f"llvm.{name}": _first_operand for name in _IDENTITIES.split()},
    "llvm.is.constant": _false,
    "llvm.abs": _abs,
    "llvm.smin": _extremum("slt"),
    "llvm.smax": _extremum("sgt"),
    "llvm.umin": _extremum("ult"),
    "llvm.umax": _extremum("ugt"),
    "llvm.scmp": _three_way("slt", "sgt"),
    "llvm.ucmp": _three_way("ult", "ugt"),
    "llvm.fshl": _funnel_shift,
    "llvm.fshr": _funnel_shift,
    "llvm.ctpop": _count_ones,
    "llvm.cttz": _count_trailing_zeros,
    "llvm.ctlz": _count_leading_zeros,
    "llvm.bitreverse": _reverse_bits,
    "llvm.bswap": _by_words(_swapped_bytes),
    "llvm.sadd.with.overflow": _with_overflow("add", _add_overflows),
    "llvm.ssub.with.overflow": _with_overflow("sub", _subtract_overflows),
    "llvm.smul.with.overflow": _with_overflow("mul", _multiply_overflows),
    "llvm.uadd.with.overflow": _with_overflow("add", _add_carries),
    "llvm.usub.with.overflow": _with_overflow("sub", _subtract_borrows),
    "llvm.umul.with.overflow": _with_overflow("mul", _multiply_carries),
    "llvm.sadd.sat": _saturate_signed("add", _add_overflows),
    "llvm.ssub.sat": _saturate_signed("sub", _subtract_overflows),
    "llvm.uadd.sat": _saturate_unsigned("add", _add_carries, -1),
    "llvm.usub.sat": _saturate_unsigned("sub", _subtract_borrows, 0),
}
