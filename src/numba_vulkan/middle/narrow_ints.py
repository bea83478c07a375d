"""Compute 64-bit integers in 32 bits, where the user has asked for it.

A value keeps its low word. That is exact as long as it fits into 32 bits, read as signed or as unsigned as each
operation does; otherwise it wraps around. Constants that do not fit are refused, but for the smallest and the largest
64-bit integer, which become those of 32 bits.

The bits of float64 values stay 64-bit integers, with all that is computed from them or leads to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from .. import abi
from ..errors import VulkanUnsupportedError
from ..llvmir.build import Builder
from ..llvmir.model import Aggregate, Constant, Function, Instruction, Undef, Value, constant
from ..llvmir.types import I32, I64, ArrayType, FloatType, Type, array_type
from ..narrowing import name_of
from .int64.conversions import power_of_two
from .int64.float_bits import root_of, wide_values
from .passes import Context
from .rewriting import replace_uses, unsupported

__all__ = ["run"]


def run(function: Function, context: Context) -> None:
    """Leave no 64-bit integers but those that are the bits of floats."""
    narrowing = _Narrowing(function, context)
    for block in function.blocks:
        rewritten: list[Instruction] = []
        builder = Builder(rewritten)
        for instruction in block.instructions:
            builder.location = instruction.location
            narrowing.rewrite(builder, instruction)
        block.instructions = rewritten
    replace_uses(function, narrowing.replacements)


def _narrow_type(type: Type) -> Type:
    if isinstance(type, ArrayType):
        return array_type(_narrow_type(type.element), type.count)
    return I32 if type is I64 else type


# What asks how an integer is computed.
_QUESTIONS = abi.EXCESS | {abi.LOST_SIGN}
_HIGHEST = {-(2**63): -(2**31), 2**63 - 1: 2**31 - 1}


class _Narrowing:
    """The state of one run; types of what is narrowed change before instructions are rewritten, so that they say it.

    Attributes
    ----------
    wide : set
        The integers that stay as they are.
    extended : Counter
        For each shift to the left how often it is shifted back, which is how LLVM extends a part of an integer.
    """

    def __init__(self, function: Function, context: Context) -> None:
        self.context = context
        self.replacements: dict[Value, Value] = {}
        self.wide = wide_values(function)
        self.uses: Counter[Value] = Counter()
        self.extended: Counter[Value] = Counter()
        for table in function.globals.values():
            if table not in self.wide:
                table.initializer = self._narrow_table(table.initializer)
        for instruction in function.instructions():
            self.uses.update(instruction.operands)
            if instruction.opcode in ("ashr", "lshr") and _extended_shift(instruction) is not None:
                self.extended[instruction.operands[0]] += 1
        self.concerned = {i for i in function.instructions() if self._concerns(i)}
        for instruction in self.concerned:
            instruction.type = _narrow_type(instruction.type)

    def _concerns(self, instruction: Instruction) -> bool:
        """Whether an instruction has a 64-bit integer that is narrowed, or asks whether it is."""
        if instruction.opcode == "call" and instruction.callee in _QUESTIONS:
            return True
        if instruction.opcode == "alloca":
            return instruction not in self.wide
        if instruction.opcode == "getelementptr":
            return True
        if instruction.type is I64:
            return instruction not in self.wide
        operands = [operand for operand in instruction.operands if operand.type is I64]
        computed = [operand for operand in operands if not isinstance(operand, Constant | Undef)]
        # Constants are as wide as what they meet.
        return any(operand not in self.wide for operand in computed or operands)

    def rewrite(self, b: Builder, instruction: Instruction) -> None:
        """Emit what an instruction becomes."""
        rule = _RULES.get(instruction.opcode) if instruction in self.concerned else None
        value = rule(self, b, instruction) if rule else None
        if value is None:
            b.emit(instruction)
        else:
            self.replacements[instruction] = value

    # ---- constants

    def fit(self, value: Value, user: Instruction, *, unsigned: bool = False) -> Value:
        """Return an operand in 32 bits; a constant has to fit, read as signed, or as ``unsigned`` too."""
        if isinstance(value, Undef):
            return Undef(I32) if value.type is I64 else value
        if not isinstance(value, Constant) or value.type is not I64:
            return value
        number = _HIGHEST.get(value.signed, value.signed)
        if -(2**31) <= number < 2**31 or (unsigned and 0 <= number < 2**32):
            return constant(I32, number)
        raise self.refusal(f"the constant {number} does not fit into 32 bits", user)

    def refusal(self, what: str, user: Instruction) -> VulkanUnsupportedError:
        """Return the error for something that needs more than 32 bits."""
        mode = self.context.profile.mode
        others = "None (exact) and 'floats' (exact, float64 in float32)" if mode.floats else "None (exact)"
        return unsupported(
            f"{what}, and {name_of(mode)} computes integers in 32 bits: compile the kernel with another narrow=, such "
            f"as {others}",
            user,
            self.context,
        )

    def _narrow_table(self, table: Value) -> Value:
        if isinstance(table, Aggregate):
            return Aggregate(_narrow_type(table.type), tuple(map(self._narrow_table, table.elements)))
        return self.fit(table, Instruction("load", I64), unsigned=True)


# ---- rules: change an instruction in place, or return what stands for it

_Rule = Callable[[_Narrowing, Builder, Instruction], Value | None]


def _of_any(n: _Narrowing, b: Builder, i: Instruction) -> None:
    i.operands = [n.fit(o, i) for o in i.operands]
    i.flags = frozenset()


def _unsigned(n: _Narrowing, b: Builder, i: Instruction) -> None:
    i.operands = [n.fit(o, i, unsigned=True) for o in i.operands]
    i.flags = frozenset()


def _bitwise(n: _Narrowing, b: Builder, i: Instruction) -> None:
    for position, operand in enumerate(i.operands):
        # LLVM masks with ones that go on beyond 32 bits.
        if i.opcode == "and" and isinstance(operand, Constant) and operand.type is I64:
            low = operand.value & 0xFFFFFFFF
            if low >> 31 and _is_run_of_ones(operand.value):
                i.operands[position] = constant(I32, low)
                continue
        i.operands[position] = n.fit(operand, i, unsigned=True)
    i.flags = frozenset()


def _is_run_of_ones(value: int) -> bool:
    filled = value | (value & -value) - 1
    return filled & (filled + 1) == 0


def _compare(n: _Narrowing, b: Builder, i: Instruction) -> None:
    i.operands = [n.fit(o, i, unsigned=i.predicate[0] != "s") for o in i.operands]


def _extend(n: _Narrowing, b: Builder, i: Instruction) -> Value | None:
    return i.operands[0] if i.operands[0].type is i.type else None


def _truncate(n: _Narrowing, b: Builder, i: Instruction) -> Value | None:
    i.operands = [n.fit(i.operands[0], i, unsigned=True)]
    return i.operands[0] if i.type is I32 else None


def _from_float(n: _Narrowing, b: Builder, i: Instruction) -> Value:
    """Convert a float to the low word of the integer that it is, unsigned ones included, which go up to 2**32."""
    value = i.operands[0]
    assert isinstance(value.type, FloatType)
    is_high = b.fcmp("oge", value, power_of_two(value.type, 31))
    lowered = b.binary("fsub", value, power_of_two(value.type, 32))
    return b.cast("fptosi", b.select(is_high, lowered, value), I32)


def _shift(n: _Narrowing, b: Builder, i: Instruction) -> Value | None:
    value, distance = i.operands
    if not isinstance(distance, Constant):
        return _shift_by_variable(b, i.opcode, n.fit(value, i, unsigned=True), distance)
    places = distance.value
    part = _extended_shift(i)
    if part is not None:
        back = b.i32(places - 32)
        return b.binary(i.opcode, b.binary("shl", part, back), back)
    if i.opcode == "ashr" or (i.opcode == "lshr" and places == 63):
        places = min(places, 31)
    elif places >= 32:
        if n.uses[i] == n.extended[i]:
            return b.i32(0)
        raise n.refusal(f"shifting by {places} places leaves nothing of an integer", i)
    return b.binary(i.opcode, n.fit(value, i, unsigned=True), b.i32(places))


def _extended_shift(shift: Instruction) -> Value | None:
    """Return what is extended by a shift to the left and back by 32 places or more, None if the shift is another."""
    value, back = shift.operands
    if shift.opcode == "shl" or not isinstance(back, Constant) or back.value < 32:
        return None
    if not isinstance(value, Instruction) or value.opcode != "shl" or value.operands[1] is not back:
        return None
    return value.operands[0]


def _shift_by_variable(b: Builder, opcode: str, value: Value, distance: Value) -> Value:
    """Shift; by 32 places or more nothing is left, or the sign."""
    within = b.binary("and", distance, b.i32(31))
    is_near = b.icmp("ult", distance, b.i32(32))
    if opcode == "ashr":
        return b.binary(opcode, value, b.select(is_near, within, b.i32(31)))
    return b.select(is_near, b.binary(opcode, value, within), b.i32(0))


def _call(n: _Narrowing, b: Builder, i: Instruction) -> Value | None:
    name = i.callee
    if name in abi.EXCESS:
        binding, index, element = i.operands
        return b.i32(0) if element in n.wide else b.call(name, I32, binding, index)
    if name == abi.LOST_SIGN:
        return _lost_sign(n, b, *i.operands)
    if name.startswith((abi.LOADS, abi.STORES)):
        _access(n, i)
        return None
    i.operands = [n.fit(o, i) for o in i.operands]
    i.detail = abi.parameter_name("i32") if name == _PARAMETER else name.replace(".i64", ".i32")
    return None


def _lost_sign(n: _Narrowing, b: Builder, number: Value, is_signed: Value) -> Value:
    """Say whether a number becomes another one where its highest bit is read differently; constants have 64 bits."""
    if isinstance(number, Constant):
        loses = number.signed < 0 if is_signed is b.i32(1) else not 0 <= number.signed < 2**31
        return b.i32(int(loses))
    return b.i32(0) if number in n.wide else b.binary("lshr", number, b.i32(31))


_PARAMETER = abi.parameter_name("i64")
_NARROWED = {"i64": abi.NARROWED_INTEGER, abi.UNSIGNED_INTEGER: abi.NARROWED_UNSIGNED}


def _access(n: _Narrowing, i: Instruction) -> None:
    """Narrow the index of an access, and the element unless it is wide."""
    _, kind, element, _ = i.callee.split(".")
    binding, index, *values = i.operands
    index = n.fit(index, i)
    type, place = abi.place_of(element)
    if type in _NARROWED and not any(value in n.wide for value in (i, *values)):
        element = _NARROWED[type] + place
        values = [n.fit(value, i, unsigned=True) for value in values]
    i.operands = [binding, index, *values]
    name = abi.load_name if kind == "load" else abi.store_name
    i.detail = name(element, str(_narrow_type(index.type)))


def _switch(n: _Narrowing, b: Builder, i: Instruction) -> None:
    cases = [n.fit(constant(I64, case), i, unsigned=True) for case in i.indices]
    i.detail = tuple(case.value for case in cases if isinstance(case, Constant))


def _allocate(n: _Narrowing, b: Builder, i: Instruction) -> None:
    i.detail = _narrow_type(i.element)


def _address(n: _Narrowing, b: Builder, i: Instruction) -> None:
    i.operands = [n.fit(o, i) for o in i.operands]
    if root_of(i) not in n.wide:
        i.detail = _narrow_type(i.element)


def _store(n: _Narrowing, b: Builder, i: Instruction) -> None:
    if root_of(i.operands[1]) not in n.wide:
        i.operands[0] = n.fit(i.operands[0], i, unsigned=True)


_RULES: dict[str, _Rule] = {
    **dict.fromkeys(("add", "sub", "mul", "sdiv", "srem", "select", "phi"), _of_any),
    **dict.fromkeys(("udiv", "urem"), _unsigned),
    **dict.fromkeys(("and", "or", "xor"), _bitwise),
    **dict.fromkeys(("shl", "lshr", "ashr"), _shift),
    "icmp": _compare,
    "zext": _extend,
    "sext": _extend,
    "trunc": _truncate,
    **dict.fromkeys(("fptosi", "fptoui"), _from_float),
    "call": _call,
    "switch": _switch,
    "alloca": _allocate,
    "getelementptr": _address,
    "store": _store,
}
