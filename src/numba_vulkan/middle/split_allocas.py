"""Split variables and constant tables into scalars and arrays of scalars, each addressed by one index.

LLVM addresses memory in bytes. Every address that a kernel forms is a variable plus a constant plus multiples of
indices; the greatest common divisor of the multiples is the distance of the variable's elements, and what is accessed
at one offset within an element is one field. Each field becomes a variable of its own: a scalar if nothing is
indexed, else an array.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from ..llvmir.build import Builder
from ..llvmir.model import (
    Aggregate,
    Constant,
    Function,
    GlobalArray,
    Instruction,
    Undef,
    Value,
    constant,
)
from ..llvmir.types import I32, PTR, FloatType, IntType, Type, array_type, int_type
from .copy_memory import expand_copies
from .layout import member, size_bytes
from .memory import Address, Memory, is_foreign
from .passes import Context
from .rewriting import replace_uses

__all__ = ["run"]


def run(function: Function, context: Context) -> None:
    """Leave variables and tables of one scalar type each, addressed by one index."""
    memory = Memory(function, context)
    if memory.roots:
        expand_copies(function, memory)
        split = _Split(memory)
        split.find_fields(function)
        split.rewrite(function)


@dataclass(eq=False)
class Field:
    """What lies at one offset within the elements of a variable."""

    offset: int
    type: IntType | FloatType
    replacement: Value | None = None


def _offset(field: Field) -> int:
    return field.offset


class _Split:
    """The state of one run.

    Attributes
    ----------
    distance : dict
        How many bytes the elements of each variable lie apart.
    fields : dict
        The fields of each variable by their offset within an element.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.distance: dict[Value, int] = {}
        self.fields: dict[Value, dict[int, Field]] = {}

    # ---- fields

    def accesses(self, function: Function) -> list[tuple[Instruction, Address, Type]]:
        """Return all loads and stores of variables and tables; refuse other uses of addresses."""
        found: list[tuple[Instruction, Address, Type]] = []
        for block in function.blocks:
            for i in block.instructions:
                opcode = i.opcode
                if is_foreign(i):
                    continue
                if opcode == "load":
                    found.append((i, self.memory.address(i.operands[0], i), i.type))
                elif opcode == "store":
                    if i.operands[0].type is PTR:
                        raise self.memory.unsupported(i)
                    found.append((i, self.memory.address(i.operands[1], i), i.operands[0].type))
                elif opcode not in ("getelementptr", "alloca") and any(o.type is PTR for o in i.operands):
                    raise self.memory.unsupported(i)
        return found

    def find_fields(self, function: Function) -> None:
        """Find out what each variable consists of."""
        found = self.accesses(function)
        for _, address, _ in found:
            distance = self.distance.get(address.root, 0)
            self.distance[address.root] = gcd(distance, *(stride for _, stride in address.terms))
        for root, distance in self.distance.items():
            self.distance[root] = distance or max(size_bytes(self.memory.roots[root]), 1)
        for access, address, type in found:
            self._add_field(access, address, type)
        for root, fields in self.fields.items():
            self._make(root, sorted(fields.values(), key=_offset))

    def _add_field(self, access: Instruction, address: Address, type: Type) -> None:
        assert isinstance(type, IntType | FloatType)
        offset = address.constant % self.distance[address.root]
        fields = self.fields.setdefault(address.root, {})
        field = fields.get(offset)
        if field is None:
            fields[offset] = Field(offset, type)
        elif field.type is not type:
            if size_bytes(field.type) != size_bytes(type):
                raise self.memory.unsupported(access)
            # A bool is stored as i1 and loaded as i8, or the other way round.
            if isinstance(type, IntType) and isinstance(field.type, IntType):
                field.type = max(field.type, type, key=lambda t: t.bits)

    def _make(self, root: Value, fields: list[Field]) -> None:
        """Make a variable or a table for each field."""
        distance = self.distance[root]
        ends = [field.offset for field in fields[1:]] + [distance]
        for number, (field, end) in enumerate(zip(fields, ends, strict=True)):
            if field.offset + size_bytes(field.type) > end:
                location = root.location if isinstance(root, Instruction) else None
                raise self.memory.unsupported(Instruction("alloca", PTR, location=location))
            count = max(-(-(size_bytes(self.memory.roots[root]) - field.offset) // distance), 1)
            suffix = f".{number}" if len(fields) > 1 else ""
            if isinstance(root, GlobalArray):
                table = _table(root, field, distance, count, suffix)
                field.replacement = table
            else:
                assert isinstance(root, Instruction)
                type = field.type if count == 1 else array_type(field.type, count)
                name = root.name and root.name + suffix
                field.replacement = Instruction("alloca", PTR, detail=type, name=name, location=root.location)

    # ---- rewriting

    def rewrite(self, function: Function) -> None:
        """Replace the variables, and let loads and stores use the new ones."""
        variables: list[Instruction] = []
        tables: dict[str, GlobalArray] = {}
        for fields in self.fields.values():
            for field in sorted(fields.values(), key=_offset):
                if isinstance(field.replacement, GlobalArray):
                    tables[field.replacement.name] = field.replacement
                elif isinstance(field.replacement, Instruction):
                    variables.append(field.replacement)
        results: dict[Value, Value] = {}
        for block in function.blocks:
            if any(i.opcode in _MEMORY for i in block.instructions):
                rewritten: list[Instruction] = []
                builder = Builder(rewritten)
                for i in block.instructions:
                    if i.opcode not in _MEMORY or is_foreign(i):
                        rewritten.append(i)
                    elif i.opcode in ("load", "store"):
                        builder.location = i.location
                        self._rewrite_access(builder, i, results)
                block.instructions = rewritten
        function.entry.instructions[:0] = variables
        function.globals = tables
        replace_uses(function, results)

    def _rewrite_access(self, b: Builder, access: Instruction, results: dict[Value, Value]) -> None:
        pointer = access.operands[-1]
        address = self.memory.addresses[pointer]
        distance = self.distance[address.root]
        field = self.fields[address.root][address.constant % distance]
        assert field.replacement is not None
        place = self._place(b, field, address, distance)
        if access.opcode == "store":
            access.operands = [_convert(b, access.operands[0], field.type), place]
            b.emit(access)
        elif access.type is field.type:
            access.operands = [place]
            b.emit(access)
        else:
            type = access.type
            assert isinstance(type, IntType | FloatType)
            results[access] = _convert(b, b.load(place, field.type), type)

    def _place(self, b: Builder, field: Field, address: Address, distance: int) -> Value:
        """Return the pointer to an element of a field; the arithmetic is modulo 2**32, which no variable exceeds."""
        variable = field.replacement
        assert variable is not None
        type = variable.initializer.type if isinstance(variable, GlobalArray) else None
        if isinstance(variable, Instruction):
            type = variable.element
        if type is field.type:
            return variable
        index: Value | None = None
        for value, stride in address.terms:
            term = b.binary("mul", _index(b, value), b.i32(stride // distance))
            index = term if index is None else b.binary("add", index, term)
        first = b.i32((address.constant - field.offset) // distance)
        index = first if index is None else b.binary("add", index, first)
        return b.emit(Instruction("getelementptr", PTR, [variable, index], detail=field.type))


_MEMORY = frozenset(("alloca", "getelementptr", "load", "store"))


def _index(b: Builder, value: Value) -> Value:
    type = value.type
    assert isinstance(type, IntType)
    if type.bits == 32:
        return value
    return b.cast("trunc" if type.bits > 32 else "sext", value, I32)


def _convert(b: Builder, value: Value, type: IntType | FloatType) -> Value:
    """Return a value of another type of the same size in memory."""
    source = value.type
    if source is type:
        return value
    assert isinstance(source, IntType | FloatType)
    bits = b.cast("bitcast", value, int_type(source.bits))
    wanted = int_type(type.bits)
    bits = b.cast("zext" if source.bits < type.bits else "trunc", bits, wanted)
    return b.cast("bitcast", bits, type)


def _table(root: GlobalArray, field: Field, distance: int, count: int, suffix: str) -> GlobalArray:
    """Return the table of one field of a table."""
    values = dict(_scalars(root.initializer, 0))
    elements: list[Value] = []
    for position in range(count):
        value = values.get(field.offset + position * distance)
        if not isinstance(value, Constant):
            elements.append(constant(field.type, 0))
        else:
            elements.append(constant(field.type, value.value))
    initializer = Aggregate(array_type(field.type, count), tuple(elements))
    return GlobalArray(PTR, root.name + suffix, initializer)


def _scalars(value: Value, offset: int) -> list[tuple[int, Value]]:
    """Return the scalars of a constant with their offsets."""
    if isinstance(value, Undef):
        return []
    if not isinstance(value, Aggregate):
        return [(offset, value)]
    found: list[tuple[int, Value]] = []
    for position, element in enumerate(value.elements):
        found += _scalars(element, offset + member(value.type, position)[0])
    return found
