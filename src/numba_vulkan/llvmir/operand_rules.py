"""What each opcode asks of its operands, detail and targets: `RULES`, one row per opcode, used by `verify`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .instructions import FLOAT_PREDICATES, INTEGER_PREDICATES, member_type
from .model import Function, Instruction, Value
from .operands import ParseError
from .types import (
    I1,
    PTR,
    VOID,
    ArrayType,
    FloatType,
    IntType,
    StructType,
    Type,
    VectorType,
    array_type,
    float_type,
    int_type,
    struct_type,
    vector_type,
)

__all__ = ["RULES", "Broken", "Rule", "interned"]

Rule = Callable[[Instruction, Function], None]


class Broken(Exception):
    """What is wrong with an instruction."""


def interned(type: Type) -> bool:
    """Whether a type is the one object that stands for it."""
    if isinstance(type, IntType):
        return int_type(type.bits) is type
    if isinstance(type, FloatType):
        return float_type(type.bits) is type
    if isinstance(type, ArrayType):
        return array_type(type.element, type.count) is type and interned(type.element)
    if isinstance(type, VectorType):
        return vector_type(type.element, type.count) is type and interned(type.element)
    if isinstance(type, StructType):
        return struct_type(type.members) is type and all(map(interned, type.members))
    return type is PTR or type is VOID


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise Broken(reason)


def _count(instruction: Instruction, count: int, targets: int = 0) -> list[Value]:
    """Return the operands after checking how many there are, and how many targets."""
    found = len(instruction.operands)
    _require(found == count, f"{found} operands where there should be {count}")
    found = len(instruction.targets)
    _require(found == targets, f"{found} targets where there should be {targets}")
    return instruction.operands


def _lane(type: Type) -> Type:
    return type.element if isinstance(type, VectorType) else type


def _lanes(type: Type) -> int:
    return type.count if isinstance(type, VectorType) else 0


def _same(kind: type[Type] | None, count: int, instruction: Instruction, _: Function) -> None:
    """Operands and result have one type, of a kind."""
    type = instruction.type
    _require(kind is None or isinstance(_lane(type), kind), f"a result of type {type}")
    for operand in _count(instruction, count):
        _require(operand.type is type, f"an operand of type {operand.type} where the result is {type}")


def _comparison(predicates: frozenset[str], instruction: Instruction, _: Function) -> None:
    left, right = _count(instruction, 2)
    _require(instruction.detail in predicates, f"predicate {instruction.detail} does not exist")
    _require(left.type is right.type, f"operands of types {left.type} and {right.type}")
    is_float = isinstance(_lane(left.type), FloatType)
    _require(is_float == (instruction.opcode == "fcmp"), f"operands of type {left.type}")
    lanes = _lanes(left.type)
    expected = vector_type(I1, lanes) if lanes else I1
    _require(instruction.type is expected, f"a result of type {instruction.type}")


def _select(instruction: Instruction, _: Function) -> None:
    condition, left, right = _count(instruction, 3)
    type = instruction.type
    _require(_lane(condition.type) is I1, f"a condition of type {condition.type}")
    _require(left.type is type and right.type is type, f"values of types {left.type} and {right.type}")


_NARROWER, _WIDER, _EQUAL = -1, 1, 0
# Kind of source, kind of result, width of the result compared to that of the source (None: any).
_CASTS: dict[str, tuple[tuple[type[Type], ...], tuple[type[Type], ...], int | None]] = {
    "trunc": ((IntType,), (IntType,), _NARROWER),
    "zext": ((IntType,), (IntType,), _WIDER),
    "sext": ((IntType,), (IntType,), _WIDER),
    "fptrunc": ((FloatType,), (FloatType,), _NARROWER),
    "fpext": ((FloatType,), (FloatType,), _WIDER),
    "fptoui": ((FloatType,), (IntType,), None),
    "fptosi": ((FloatType,), (IntType,), None),
    "uitofp": ((IntType,), (FloatType,), None),
    "sitofp": ((IntType,), (FloatType,), None),
    "bitcast": ((IntType, FloatType), (IntType, FloatType), _EQUAL),
}


def _cast(instruction: Instruction, _: Function) -> None:
    (operand,) = _count(instruction, 1)
    sources, results, order = _CASTS[instruction.opcode]
    source, result = _lane(operand.type), _lane(instruction.type)
    holds = isinstance(source, sources) and isinstance(result, results)
    if holds and order is not None and isinstance(source, IntType | FloatType):
        assert isinstance(result, IntType | FloatType)
        widths = source.bits * max(1, _lanes(operand.type)), result.bits * max(1, _lanes(instruction.type))
        holds = (widths[1] > widths[0]) - (widths[1] < widths[0]) == order
    if instruction.opcode != "bitcast":
        holds = holds and _lanes(operand.type) == _lanes(instruction.type)
    _require(holds, f"from {operand.type} to {instruction.type}")


def _pointer_cast(instruction: Instruction, _: Function) -> None:
    """``inttoptr`` or ``ptrtoint``."""
    (operand,) = _count(instruction, 1)
    types = [operand.type, instruction.type]
    if instruction.opcode == "ptrtoint":
        types.reverse()
    _require(isinstance(types[0], IntType) and types[1] is PTR, f"from {operand.type} to {instruction.type}")


def _phi(instruction: Instruction, _: Function) -> None:
    _require(len(instruction.operands) == len(instruction.targets), "values and blocks differ in number")
    for operand in instruction.operands:
        _require(operand.type is instruction.type, f"a value of type {operand.type}")


def _void(instruction: Instruction) -> None:
    _require(instruction.type is VOID, f"a result of type {instruction.type}")


def _br(instruction: Instruction, _: Function) -> None:
    _void(instruction)
    conditions = len(instruction.operands)
    for condition in _count(instruction, min(conditions, 1), 1 + conditions):
        _require(condition.type is I1, f"a condition of type {condition.type}")


def _switch(instruction: Instruction, _: Function) -> None:
    _void(instruction)
    cases = instruction.detail
    if not isinstance(cases, tuple):
        raise Broken("the cases are no tuple")
    (scrutinee,) = _count(instruction, 1, 1 + len(cases))
    if not isinstance(scrutinee.type, IntType):
        raise Broken(f"a value of type {scrutinee.type}")
    mask = scrutinee.type.mask
    _require(len(set(cases)) == len(cases), "a case stands twice")
    _require(all(0 <= case <= mask for case in cases), f"a case that is no unsigned {scrutinee.type}")


def _ret(instruction: Instruction, function: Function) -> None:
    _void(instruction)
    returned = [operand.type for operand in _count(instruction, len(instruction.operands))]
    expected = [] if function.return_type is VOID else [function.return_type]
    _require(returned == expected, f"the function returns {function.return_type}")


def _unreachable(instruction: Instruction, _: Function) -> None:
    _void(instruction)
    _count(instruction, 0)


def _stored(type: Type) -> None:
    _require(type is not VOID and interned(type), f"{type} cannot be stored")


def _alloca(instruction: Instruction, _: Function) -> None:
    _count(instruction, 0)
    _require(instruction.type is PTR, f"a result of type {instruction.type}")
    _require(isinstance(instruction.detail, Type), "no type to allocate")
    _stored(instruction.element)


def _load(instruction: Instruction, _: Function) -> None:
    (pointer,) = _count(instruction, 1)
    _require(pointer.type is PTR, f"an address of type {pointer.type}")
    _stored(instruction.type)


def _store(instruction: Instruction, _: Function) -> None:
    _void(instruction)
    value, pointer = _count(instruction, 2)
    _require(pointer.type is PTR, f"an address of type {pointer.type}")
    _stored(value.type)


def _getelementptr(instruction: Instruction, _: Function) -> None:
    _require(len(instruction.operands) > 1, "no index")
    base, *indices = _count(instruction, len(instruction.operands))
    _require(_lane(base.type) is PTR, f"an address of type {base.type}")
    _require(all(isinstance(_lane(index.type), IntType) for index in indices), "an index that is no integer")
    lanes = max(_lanes(operand.type) for operand in instruction.operands)
    expected = vector_type(PTR, lanes) if lanes else PTR
    _require(instruction.type is expected, f"a result of type {instruction.type}")
    _require(isinstance(instruction.detail, Type), "no element type")
    _stored(instruction.element)


def _part(instruction: Instruction) -> Type:
    """Return the type of the part that the indices name."""
    indices = instruction.detail
    if not isinstance(indices, tuple) or not indices:
        raise Broken("no indices")
    try:
        return member_type(instruction.operands[0].type, indices)
    except (ParseError, IndexError) as error:
        raise Broken(f"indices {indices} do not fit {instruction.operands[0].type}") from error


def _extractvalue(instruction: Instruction, _: Function) -> None:
    _count(instruction, 1)
    _require(_part(instruction) is instruction.type, f"a result of type {instruction.type}")


def _insertvalue(instruction: Instruction, _: Function) -> None:
    aggregate, value = _count(instruction, 2)
    _require(aggregate.type is instruction.type, f"a result of type {instruction.type}")
    _require(_part(instruction) is value.type, f"a part of type {value.type}")


def _extractelement(instruction: Instruction, _: Function) -> None:
    vector, index = _count(instruction, 2)
    _require(isinstance(vector.type, VectorType) and isinstance(index.type, IntType), "no vector and index")
    _require(_lane(vector.type) is instruction.type, f"a result of type {instruction.type}")


def _insertelement(instruction: Instruction, _: Function) -> None:
    vector, value, index = _count(instruction, 3)
    _require(isinstance(vector.type, VectorType) and isinstance(index.type, IntType), "no vector and index")
    _require(vector.type is instruction.type, f"a result of type {instruction.type}")
    _require(_lane(vector.type) is value.type, f"an element of type {value.type}")


def _shufflevector(instruction: Instruction, _: Function) -> None:
    left, right = _count(instruction, 2)
    mask = instruction.detail
    if not isinstance(mask, tuple):
        raise Broken("no mask")
    _require(isinstance(left.type, VectorType) and left.type is right.type, "operands that are no vectors")
    _require(all(-1 <= lane < 2 * _lanes(left.type) for lane in mask), f"mask {mask} is out of range")
    _require(
        instruction.type is vector_type(_lane(left.type), len(mask)), f"a result of type {instruction.type}"
    )


def _call(instruction: Instruction, _: Function) -> None:
    _count(instruction, len(instruction.operands))
    _require(isinstance(instruction.detail, str) and bool(instruction.detail), "no function to call")


_INTEGER_OPERATIONS = "add sub mul udiv sdiv urem srem and or xor shl lshr ashr".split()
RULES: dict[str, Rule] = {
    **dict.fromkeys(_INTEGER_OPERATIONS, partial(_same, IntType, 2)),
    **dict.fromkeys(("fadd", "fsub", "fmul", "fdiv", "frem"), partial(_same, FloatType, 2)),
    **dict.fromkeys(_CASTS, _cast),
    "fneg": partial(_same, FloatType, 1),
    "freeze": partial(_same, None, 1),
    "icmp": partial(_comparison, INTEGER_PREDICATES),
    "fcmp": partial(_comparison, FLOAT_PREDICATES),
    "select": _select,
    "inttoptr": _pointer_cast,
    "ptrtoint": _pointer_cast,
    "phi": _phi,
    "br": _br,
    "switch": _switch,
    "ret": _ret,
    "unreachable": _unreachable,
    "alloca": _alloca,
    "load": _load,
    "store": _store,
    "getelementptr": _getelementptr,
    "extractvalue": _extractvalue,
    "insertvalue": _insertvalue,
    "extractelement": _extractelement,
    "insertelement": _insertelement,
    "shufflevector": _shufflevector,
    "call": _call,
}
