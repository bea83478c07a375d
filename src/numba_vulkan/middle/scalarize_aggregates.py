"""Split values that are structures, arrays or vectors into their scalars.

A value is represented by its scalars in order; inserting and extracting then only picks among them. Loads and stores
of aggregates become one per scalar, at byte offsets that `split_allocas` resolves.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import SpirvCodegenError
from ..llvmir.build import Builder
from ..llvmir.model import Aggregate, Constant, Function, Instruction, Undef, Value, constant
from ..llvmir.types import I1, I8, I64, PTR, FloatType, IntType, Type, VectorType, int_type
from .blocks import blocks_in_order
from .layout import is_aggregate, leaf_count, leaves, member_types
from .passes import Context
from .rewriting import location_text, replace_uses

__all__ = ["run"]

Parts = tuple[Value, ...]


def run(function: Function, context: Context) -> None:
    """Leave scalar values only."""
    types = {i.type for i in function.instructions()}
    types.update(o.type for i in function.instructions() if i.opcode in _READERS for o in i.operands)
    if any(map(is_aggregate, types)):
        _Scalarization(function, context).run()


def _has_aggregate(instruction: Instruction) -> bool:
    if is_aggregate(instruction.type):
        return True
    return instruction.opcode in _READERS and any(is_aggregate(o.type) for o in instruction.operands)


# What can take an aggregate without giving one.
_READERS = frozenset(("store", "extractvalue", "extractelement", "bitcast", "ret"))


class _Scalarization:
    """The state of one run: the scalars of each aggregate, and what stands for each scalar that is gone."""

    def __init__(self, function: Function, context: Context) -> None:
        self.function = function
        self.context = context
        self.parts: dict[Value, Parts] = {}
        self.replacements: dict[Value, Value] = {}
        self.phis: list[tuple[Instruction, list[Instruction]]] = []

    def run(self) -> None:
        """Visit blocks so that definitions come before their uses; phis get their operands at the end."""
        for block in blocks_in_order(self.function):
            rewritten: list[Instruction] = []
            builder = Builder(rewritten)
            for instruction in block.instructions:
                if _has_aggregate(instruction):
                    builder.location = instruction.location
                    self._split(builder, instruction)
                else:
                    rewritten.append(instruction)
            block.instructions = rewritten
        for phi, scalars in self.phis:
            for operand in phi.operands:
                for scalar, part in zip(scalars, self.parts_of(operand), strict=True):
                    scalar.operands.append(part)
        replace_uses(self.function, self.replacements)

    def _split(self, b: Builder, instruction: Instruction) -> None:
        rule = _RULES.get(instruction.opcode)
        if rule is None and isinstance(instruction.type, VectorType):
            rule = _by_lanes
        if rule is None:
            where = location_text(instruction.location, self.context)
            raise SpirvCodegenError(f"{where}: no rule splits '{instruction.opcode}' of {instruction.type}")
        parts = rule(self, b, instruction)
        if is_aggregate(instruction.type):
            self.parts[instruction] = parts
        elif parts:
            (self.replacements[instruction],) = parts

    def parts_of(self, value: Value) -> Parts:
        """Return the scalars of a value; a scalar is its own."""
        if not is_aggregate(value.type):
            return (value,)
        known = self.parts.get(value)
        if known is not None:
            return known
        if isinstance(value, Undef):
            return tuple(Undef(type) for _, type in leaves(value.type))
        if isinstance(value, Aggregate):
            return tuple(part for element in value.elements for part in self.parts_of(element))
        where = location_text(value.location if isinstance(value, Instruction) else None, self.context)
        raise SpirvCodegenError(f"{where}: a value of type {value.type} has no scalars")


def _span(type: Type, indices: tuple[int, ...]) -> tuple[int, int]:
    """Return where the scalars of a member begin and end among those of the whole."""
    start = 0
    for index in indices:
        members = member_types(type)
        start += sum(leaf_count(m) for m in members[:index])
        type = members[index]
    return start, start + leaf_count(type)


# ---- rules: each returns the scalars of the result


def _insert_value(s: _Scalarization, b: Builder, i: Instruction) -> Parts:
    whole, inserted = (s.parts_of(o) for o in i.operands)
    start, end = _span(i.type, i.indices)
    return whole[:start] + inserted + whole[end:]


def _extract_value(s: _Scalarization, b: Builder, i: Instruction) -> Parts:
    start, end = _span(i.operands[0].type, i.indices)
    return s.parts_of(i.operands[0])[start:end]


def _phi(s: _Scalarization, b: Builder, i: Instruction) -> Parts:
    scalars = [
        b.emit(Instruction("phi", type, [], targets=list(i.targets), name=_part_name(i, k)))
        for k, (_, type) in enumerate(leaves(i.type))
    ]
    s.phis.append((i, scalars))
    return tuple(scalars)


def _part_name(instruction: Instruction, position: int) -> str:
    return f"{instruction.name}.{position}" if instruction.name else ""


def _select(s: _Scalarization, b: Builder, i: Instruction) -> Parts:
    condition, if_true, if_false = (s.parts_of(o) for o in i.operands)
    conditions = condition if len(condition) > 1 else condition * len(if_true)
    return tuple(map(b.select, conditions, if_true, if_false))


def _freeze(s: _Scalarization, b: Builder, i: Instruction) -> Parts:
    return tuple(b.freeze(part) for part in s.parts_of(i.operands[0]))


def _load(s: _Scalarization, b: Builder, i: Instruction) -> Parts:
    (pointer,) = i.operands
    return tuple(b.load(_at(b, pointer, offset), type) for offset, type in leaves(i.type))


def _store(s: _Scalarization, b: Builder, i: Instruction) -> Parts:
    value, pointer = i.operands
    for part, (offset, _) in zip(s.parts_of(value), leaves(value.type), strict=True):
        if not isinstance(part, Undef):
            b.store(part, _at(b, pointer, offset))
    return ()


def _at(b: Builder, pointer: Value, offset_bytes: int) -> Value:
    if offset_bytes == 0:
        return pointer
    return b.emit(Instruction("getelementptr", PTR, [pointer, constant(I64, offset_bytes)], detail=I8))


# ---- vectors


def _insert_element(s: _Scalarization, b: Builder, i: Instruction) -> Parts:
    vector, scalar, index = i.operands
    return tuple(
        b.select(_is_lane(b, index, lane), scalar, old) for lane, old in enumerate(s.parts_of(vector))
    )


def _extract_element(s: _Scalarization, b: Builder, i: Instruction) -> Parts:
    vector, index = i.operands
    lanes = s.parts_of(vector)
    result = lanes[0]
    for lane, value in enumerate(lanes[1:], start=1):
        result = b.select(_is_lane(b, index, lane), value, result)
    return (result,)


def _is_lane(b: Builder, index: Value, lane: int) -> Value:
    assert isinstance(index.type, IntType)
    wanted = constant(index.type, lane)
    if isinstance(index, Constant):
        return constant(I1, index is wanted)
    return b.icmp("eq", index, wanted)


def _shuffle(s: _Scalarization, b: Builder, i: Instruction) -> Parts:
    lanes = s.parts_of(i.operands[0]) + s.parts_of(i.operands[1])
    assert isinstance(i.type, VectorType)
    return tuple(lanes[lane] if lane >= 0 else Undef(i.type.element) for lane in i.indices)


def _by_lanes(s: _Scalarization, b: Builder, i: Instruction) -> Parts:
    """Do an elementwise operation once per lane."""
    assert isinstance(i.type, VectorType)
    element = i.type.element
    columns = [s.parts_of(o) for o in i.operands]
    return tuple(
        b.emit(Instruction(i.opcode, element, list(operands), detail=i.detail, flags=i.flags))
        for operands in zip(*columns, strict=True)
    )


def _bitcast(s: _Scalarization, b: Builder, i: Instruction) -> Parts:
    """Regroup the bits of lanes; the first lane holds the lowest ones."""
    lanes = s.parts_of(i.operands[0])
    targets = [type for _, type in leaves(i.type)]
    if len(lanes) == len(targets):
        return tuple(b.cast("bitcast", lane, type) for lane, type in zip(lanes, targets, strict=True))
    words = [_as_integer(b, lane) for lane in lanes]
    wide, narrow = (words, targets) if len(lanes) < len(targets) else (targets, words)
    if len(narrow) % len(wide):
        where = location_text(i.location, s.context)
        raise SpirvCodegenError(f"{where}: cannot regroup {i.operands[0].type} as {i.type}")
    ratio = len(narrow) // len(wide)
    if wide is words:
        pieces = [piece for word in words for piece in _divide(b, word, ratio)]
    else:
        pieces = [_join(b, words[k : k + ratio]) for k in range(0, len(words), ratio)]
    return tuple(b.cast("bitcast", piece, type) for piece, type in zip(pieces, targets, strict=True))


def _as_integer(b: Builder, value: Value) -> Value:
    assert isinstance(value.type, IntType | FloatType)
    return b.cast("bitcast", value, int_type(value.type.bits))


def _divide(b: Builder, value: Value, count: int) -> list[Value]:
    """Return equal pieces of an integer, the lowest first."""
    type = value.type
    assert isinstance(type, IntType)
    piece = type.bits // count
    shifted = (b.binary("lshr", value, constant(type, piece * k)) for k in range(count))
    return [b.cast("trunc", word, int_type(piece)) for word in shifted]


def _join(b: Builder, pieces: list[Value]) -> Value:
    """Return the integer with these pieces, the lowest first."""
    piece = pieces[0].type
    assert isinstance(piece, IntType)
    type = int_type(piece.bits * len(pieces))
    joined: Value = constant(type, 0)
    for position, value in enumerate(pieces):
        wide = b.binary("shl", b.cast("zext", value, type), constant(type, piece.bits * position))
        joined = b.binary("or", wide, joined)
    return joined


_RULES: dict[str, Callable[[_Scalarization, Builder, Instruction], Parts]] = {
    "insertvalue": _insert_value,
    "extractvalue": _extract_value,
    "phi": _phi,
    "select": _select,
    "freeze": _freeze,
    "load": _load,
    "store": _store,
    "insertelement": _insert_element,
    "extractelement": _extract_element,
    "shufflevector": _shuffle,
    "bitcast": _bitcast,
}
