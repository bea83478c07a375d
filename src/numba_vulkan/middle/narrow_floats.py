"""Compute float64 in float32, where the device has no float64 or the user has asked for it.

Types and constants change, operations stay. Values keep the meaning of a float64 where their bits can be seen:
elements of arrays and parameters are converted as they are loaded and stored (`lower_access` does that), and the
bits of a narrowed value are those of the float64 that equals it.
"""

from __future__ import annotations

from functools import cache

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Aggregate, Constant, Function, Instruction, Undef, Value, constant
from ..llvmir.types import F32, F64, I32, I64, ArrayType, Type, array_type
from ..narrowing import name_of
from .float64_words import cut_f32, f32_to_words, nearest_f32, words_to_f32
from .passes import Context
from .rewriting import Rule, replace_uses, rewrite, unsupported
from .users import Users

__all__ = ["run"]


def run(function: Function, context: Context) -> None:
    """Leave no float64."""
    for value in (*function.arguments, *function.globals.values()):
        value.type = _narrow_type(value.type)
    for table in function.globals.values():
        table.initializer = _narrow_constant(table.initializer)
    function.return_type = _narrow_type(function.return_type)
    _cut_at_the_source(function)
    for instruction in function.instructions():
        _narrow_instruction(instruction)
    _test_narrow_signs(function)
    rewrite(function, _rule_of, context)


def _cut_at_the_source(function: Function) -> None:
    """Let what is cut from an element or a parameter be cut from its float64, not from the float32 nearest to it."""
    cut: dict[Value, Value] = {}
    for instruction in function.instructions():
        if instruction.opcode == "call" and instruction.callee == abi.ODD_BITS:
            cut[instruction] = instruction.operands[0]
    sources = {value for value in cut.values() if _is_source(value)}
    bits: dict[Value, Value] = {
        c: constant(I32, cut_f32(c.value)) for c in cut.values() if isinstance(c, Constant)
    }
    for block in function.blocks if sources else ():
        rewritten: list[Instruction] = []
        for instruction in block.instructions:
            rewritten.append(instruction)
            if instruction in sources:
                b = Builder(rewritten, instruction.location)
                name = instruction.callee.replace(".f64", f".{abi.ODD_ELEMENT}")
                bits[instruction] = b.call(name, I32, *instruction.operands)
        block.instructions = rewritten
    replace_uses(function, {call: bits[value] for call, value in cut.items() if value in bits})


def _test_narrow_signs(function: Function) -> None:
    """Take bits that are asked for their sign alone from the narrow value, which has the same."""
    users = Users(function.instructions())
    for block in function.blocks:
        rewritten: list[Instruction] = []
        for i in block.instructions:
            is_bits = i.opcode == "bitcast" and i.operands[0].type is F32 and i.type is I64
            if is_bits and users.of(i) and all(_asks_for_sign(user, i) for user in users.of(i)):
                narrow = Builder(rewritten, i.location).cast("bitcast", i.operands[0], I32)
                i.opcode, i.operands = "sext", [narrow]
            rewritten.append(i)
        block.instructions = rewritten


def _asks_for_sign(user: Instruction, value: Value) -> bool:
    """Whether an operation on 64 bits depends on the highest of them only."""
    if not user.operands or user.operands[0] is not value or len(user.operands) != 2:
        return False
    other = user.operands[1]
    if not isinstance(other, Constant):
        return False
    if user.opcode == "icmp":
        return (user.predicate, other.signed) in (("slt", 0), ("sgt", -1))
    return user.opcode in ("lshr", "ashr") and other.value == 63


def _is_source(value: Value) -> bool:
    return (
        isinstance(value, Instruction)
        and value.opcode == "call"
        and value.callee.startswith((abi.LOADS, abi.PARAMETERS))
    )


# ---- types and constants


def _narrow_type(type: Type) -> Type:
    if isinstance(type, ArrayType):
        return array_type(_narrow_type(type.element), type.count)
    return F32 if type is F64 else type


def _narrow_constant(value: Value) -> Value:
    """Return what stands for an operand; values that are no constants have their new type already or get it."""
    if isinstance(value, Constant):
        return constant(F32, nearest_f32(value.value)) if value.type is F64 else value
    if isinstance(value, Undef):
        return Undef(_narrow_type(value.type))
    if isinstance(value, Aggregate):
        return Aggregate(_narrow_type(value.type), tuple(map(_narrow_constant, value.elements)))
    return value


def _narrow_instruction(instruction: Instruction) -> None:
    instruction.type = _narrow_type(instruction.type)
    instruction.operands = [_narrow_constant(operand) for operand in instruction.operands]
    if isinstance(instruction.detail, Type):
        instruction.detail = _narrow_type(instruction.detail)
    elif instruction.opcode == "call":
        instruction.detail = _narrow_callee(instruction.callee)


@cache
def _narrow_callee(name: str) -> str:
    """Return the function that does with float32 what ``name`` does with float64."""
    if name.startswith((abi.LOADS, abi.STORES, abi.PARAMETERS, abi.WORKGROUP_ARRAYS, abi.ATOMICS)):
        narrow = abi.NARROWED_ELEMENT
    elif name.startswith(("llvm.", abi.SUBGROUP_OPERATIONS)):
        narrow = "f32"
    else:
        return name
    places = (abi.place_of(part) for part in name.split("."))
    return ".".join((narrow if part == "f64" else part) + place for part, place in places)


# ---- conversions that are left over, recognised by operands that have become float32


def _rule_of(instruction: Instruction) -> Rule | None:
    if instruction.opcode == "call":
        return _CALLS.get(instruction.callee)
    return _OPCODES.get(instruction.opcode)


def _drop_conversion(b: Builder, conversion: Instruction, context: Context) -> Value | None:
    value = conversion.operands[0]
    return value if value.type is conversion.type else None


def _bitcast(b: Builder, bitcast: Instruction, context: Context) -> Value | None:
    types = bitcast.operands[0].type, bitcast.type
    if types not in ((F32, I64), (I64, F32)):
        return None
    reason = (
        "the device has no float64"
        if not context.profile.float64
        else f"{name_of(context.profile.mode)} asks for it"
    )
    raise unsupported(
        f"the bits of a float64 are used, which is computed in float32 because {reason}: use float32 and 32-bit "
        f"integers there, or another narrow= on a device that has float64",
        bitcast,
        context,
    )


def _bits(b: Builder, instruction: Instruction, context: Context) -> Value:
    return b.call(abi.JOIN_I64, I64, *f32_to_words(b, instruction.operands[0]))


def _from_bits(b: Builder, instruction: Instruction, context: Context) -> Value:
    value = instruction.operands[0]
    if isinstance(value, Constant):
        return constant(F32, nearest_f32(value.value))
    return words_to_f32(b, b.call(abi.LOW_I64, I32, value), b.call(abi.HIGH_I64, I32, value))


def _odd_bits(b: Builder, instruction: Instruction, context: Context) -> Value:
    return b.call(abi.BITS_F32, I32, instruction.operands[0])


_OPCODES: dict[str, Rule] = {"fpext": _drop_conversion, "fptrunc": _drop_conversion, "bitcast": _bitcast}
_CALLS: dict[str, Rule] = {
    abi.BITS_F64: _bits,
    abi.FROM_BITS_F64: _from_bits,
    abi.ODD_BITS: _odd_bits,
}
