"""Builder: appends instructions to a list and folds what is trivially constant; used by every pass that emits IR."""

from __future__ import annotations

from .folds import FOLDS
from .model import Block, Constant, Instruction, Location, Undef, Value, constant
from .types import I1, I32, PTR, VOID, FloatType, IntType, Type

__all__ = ["Builder"]

_RIGHT_NEUTRAL = {"add": 0, "sub": 0, "or": 0, "xor": 0, "shl": 0, "lshr": 0, "ashr": 0, "mul": 1}


class Builder:
    """Append instructions to ``instructions``, each at ``location``.

    Parameters
    ----------
    instructions : list of Instruction
        Where new instructions go, usually the list of a block under construction.
    location : Location, optional
        The user's line that new instructions belong to.
    """

    __slots__ = ("instructions", "location")

    def __init__(self, instructions: list[Instruction], location: Location | None = None) -> None:
        self.instructions = instructions
        self.location = location

    def emit(self, instruction: Instruction) -> Instruction:
        """Append an instruction and give it the builder's location if it has none."""
        if instruction.location is None:
            instruction.location = self.location
        self.instructions.append(instruction)
        return instruction

    def binary(self, opcode: str, left: Value, right: Value) -> Value:
        """Emit an integer or float operation of two operands of one type."""
        if isinstance(right, Constant) and isinstance(right.type, IntType):
            if isinstance(left, Constant) and opcode in FOLDS:
                return constant(right.type, FOLDS[opcode](left.value, right.value))
            if _RIGHT_NEUTRAL.get(opcode) == right.value:
                return left
            if opcode in ("and", "mul") and right.value == 0:
                return right
        return self.emit(Instruction(opcode, left.type, [left, right]))

    def icmp(self, predicate: str, left: Value, right: Value) -> Value:
        """Emit an integer comparison."""
        return self.emit(Instruction("icmp", I1, [left, right], detail=predicate))

    def fcmp(self, predicate: str, left: Value, right: Value) -> Value:
        """Emit a float comparison."""
        return self.emit(Instruction("fcmp", I1, [left, right], detail=predicate))

    def negate(self, condition: Value) -> Value:
        """Emit the opposite of a condition."""
        return self.binary("xor", condition, constant(I1, 1))

    def select(self, condition: Value, if_true: Value, if_false: Value) -> Value:
        """Emit a choice between two values."""
        if if_true is if_false:
            return if_true
        if isinstance(condition, Constant):
            return if_true if condition.value else if_false
        return self.emit(Instruction("select", if_true.type, [condition, if_true, if_false]))

    def cast(self, opcode: str, value: Value, type: Type) -> Value:
        """Emit ``trunc``, ``zext``, ``sext``, ``bitcast``, ``fptrunc``, ``fpext`` or a conversion."""
        if value.type is type and opcode in ("bitcast", "trunc", "zext"):
            return value
        if isinstance(value, Constant):
            if opcode in ("trunc", "zext") and isinstance(type, IntType):
                return constant(type, value.value)
            if opcode == "bitcast" and isinstance(type, IntType | FloatType):
                return constant(type, value.value)
            if opcode == "sext" and isinstance(type, IntType):
                return constant(type, value.signed)
        return self.emit(Instruction(opcode, type, [value]))

    def call(self, callee: str, type: Type, *operands: Value) -> Instruction:
        """Emit a call of a placeholder or an intrinsic."""
        return self.emit(Instruction("call", type, list(operands), detail=callee))

    def freeze(self, value: Value) -> Value:
        """Emit a freeze unless the value cannot be undefined."""
        return value if isinstance(value, Constant) else self.emit(Instruction("freeze", value.type, [value]))

    def alloca(self, element: Type, name: str = "") -> Instruction:
        """Emit a function variable; the caller places it in the entry block."""
        return self.emit(Instruction("alloca", PTR, [], detail=element, name=name))

    def load(self, pointer: Value, type: Type) -> Instruction:
        """Emit a load from a function variable."""
        return self.emit(Instruction("load", type, [pointer]))

    def store(self, value: Value, pointer: Value) -> Instruction:
        """Emit a store to a function variable."""
        return self.emit(Instruction("store", VOID, [value, pointer]))

    def branch(self, target: Block) -> Instruction:
        """Emit an unconditional branch."""
        return self.emit(Instruction("br", VOID, [], targets=[target]))

    def branch_if(self, condition: Value, if_true: Block, if_false: Block) -> Instruction:
        """Emit a conditional branch."""
        return self.emit(Instruction("br", VOID, [condition], targets=[if_true, if_false]))

    def i32(self, value: int) -> Constant:
        """Return a 32-bit constant."""
        return constant(I32, value)

    def undef(self, type: Type) -> Undef:
        """Return an undefined value."""
        return Undef(type)
