"""Types, constants and global variables: what they are, and that they are built as the specification says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ._tables import Capability, Op, StorageClass
from .check_sections import Sections
from .decode import Instruction, Violation

__all__ = ["Array", "Number", "Pointer", "Struct", "Type", "TypeTable", "Vector", "Void", "read_types"]


@dataclass(frozen=True)
class Void:
    """OpTypeVoid."""


@dataclass(frozen=True)
class Number:
    """A scalar: ``kind`` is ``bool``, ``int`` or ``float``."""

    kind: str
    width: int


@dataclass(frozen=True)
class Vector:
    """OpTypeVector."""

    element_id: int
    count: int


@dataclass(frozen=True)
class Array:
    """An array; ``count`` is None when it is known at run time only."""

    element_id: int
    count: int | None


@dataclass(frozen=True)
class Struct:
    """OpTypeStruct."""

    member_ids: tuple[int, ...]


@dataclass(frozen=True)
class Pointer:
    """OpTypePointer."""

    storage: int
    pointee_id: int


@dataclass(frozen=True)
class Procedure:
    """OpTypeFunction."""

    result_id: int
    parameter_ids: tuple[int, ...]


Type = Void | Number | Vector | Array | Struct | Pointer | Procedure
_NARROW_CAPABILITIES = {
    ("int", 8): Capability.Int8,
    ("int", 16): Capability.Int16,
    ("float", 16): Capability.Float16,
}


class TypeTable:
    """The types of a module, and the type of each global value.

    Attributes
    ----------
    types : dict
        The type of each type id.
    value_types : dict
        The type id of each value; the function's values are added while it is checked.
    specialized, specialized_arrays : set of int
        Integers that a launch chooses, and the types of arrays that have them as lengths.
    narrow : set of int
        Numbers that are only loaded, stored and converted, because no capability allows arithmetic on them.
    bools, ints, floats : set of int
        Ids of the types that arithmetic may have.
    """

    def __init__(self, sections: Sections) -> None:
        self.types: dict[int, Type] = {}
        self.value_types: dict[int, int] = {}
        self.constants: dict[int, int] = {}
        self.specialized: set[int] = set()
        self.specialized_arrays: set[int] = set()
        self.narrow: set[int] = set()
        self.bools: set[int] = set()
        self.ints: set[int] = set()
        self.floats: set[int] = set()
        self._capabilities = set(sections.capabilities)
        self._unique: dict[Type, int] = {}

    def add_values(self, body: list[Instruction]) -> None:
        """Note the types of the function's values."""
        self.value_types.update((i.result_id, i.type_id) for i in body if i.type_id)

    def of_value(self, value_id: int, user: Instruction) -> int:
        """Return the type id of a value."""
        type_id = self.value_types.get(value_id)
        if type_id is None:
            raise Violation("operand", f"%{value_id} in {user} is no value")
        return type_id

    def get(self, type_id: int, user: Instruction) -> Type:
        """Return a type."""
        type = self.types.get(type_id)
        if type is None:
            raise Violation("type", f"%{type_id} in {user} is no type")
        return type

    def number(self, type_id: int, user: Instruction) -> Number:
        """Return a scalar type."""
        type = self.get(type_id, user)
        if not isinstance(type, Number):
            raise Violation("type", f"%{type_id} in {user} is not the type of a number or bool")
        return type

    def add(self, instruction: Instruction) -> None:
        """Add the type that an instruction declares."""
        type = _READERS[instruction.opcode](self, instruction)
        result_id = instruction.result_id
        if not isinstance(type, Array | Struct) and self._unique.setdefault(type, result_id) != result_id:
            raise Violation("unique types", f"{instruction} declares %{self._unique[type]} again")
        self.types[result_id] = type
        if isinstance(type, Number):
            needed = _NARROW_CAPABILITIES.get((type.kind, type.width))
            if needed is not None and needed not in self._capabilities:
                self.narrow.add(result_id)
            else:
                {"bool": self.bools, "int": self.ints, "float": self.floats}[type.kind].add(result_id)

    def member(self, type_id: int, index: int | None, user: Instruction) -> int:
        """Return the type id of a member of a composite; ``index`` is None where it is known at run time."""
        type = self.get(type_id, user)
        if isinstance(type, Vector | Array):
            if index is not None and type.count is not None and not 0 <= index < type.count:
                raise Violation("index", f"{user} has index {index} in {type.count} elements")
            return type.element_id
        if isinstance(type, Struct) and index is not None and 0 <= index < len(type.member_ids):
            return type.member_ids[index]
        raise Violation("index", f"{user} cannot index %{type_id} with {index}")


def _void(table: TypeTable, instruction: Instruction) -> Type:
    """Read the type of nothing."""
    del table, instruction
    return Void()


def _number(kind: str, widths: tuple[int, ...], table: TypeTable, instruction: Instruction) -> Type:
    """Read a type of numbers."""
    del table
    width = instruction.operands[0] if widths != (1,) else 1
    if width not in widths:
        raise Violation("type", f"{instruction} has width {width}")
    # A sign in the type would have to match in every instruction; operations say it themselves.
    if kind == "int" and instruction.operands[1] != 0:
        raise Violation("type", f"{instruction} has a sign")
    return Number(kind, width)


def _vector(table: TypeTable, instruction: Instruction) -> Type:
    """Read a vector type."""
    element_id, count = instruction.operands
    table.number(element_id, instruction)
    if count not in (2, 3, 4):
        raise Violation("type", f"{instruction} has {count} components")
    return Vector(element_id, count)


def _array(table: TypeTable, instruction: Instruction) -> Type:
    """Read an array type."""
    element_id, length_id = instruction.operands
    element = table.get(element_id, instruction)
    count = table.constants.get(length_id)
    if length_id in table.specialized and isinstance(element, Number):
        table.specialized_arrays.add(instruction.result_id)
        return Array(element_id, None)
    if not isinstance(element, Number | Vector | Array | Struct) or not count:
        raise Violation("type", f"{instruction} has a wrong element type or length")
    return Array(element_id, count)


def _runtime_array(table: TypeTable, instruction: Instruction) -> Type:
    """Read the type of an array of unknown length."""
    table.number(instruction.operands[0], instruction)
    return Array(instruction.operands[0], None)


def _struct(table: TypeTable, instruction: Instruction) -> Type:
    """Read a structure type; an array of unknown length can only be its last member."""
    *first, _ = members = [table.get(member_id, instruction) for member_id in instruction.operands] or [
        Void()
    ]
    if any(isinstance(m, Void | Procedure | Pointer) for m in members) or any(
        isinstance(m, Array) and m.count is None for m in first
    ):
        raise Violation("type", f"{instruction} has a member that it cannot have")
    return Struct(tuple(instruction.operands))


def _pointer(table: TypeTable, instruction: Instruction) -> Type:
    """Read a pointer type."""
    storage, pointee_id = instruction.operands
    if isinstance(table.get(pointee_id, instruction), Void | Procedure | Pointer):
        raise Violation("type", f"{instruction} points to no memory")
    return Pointer(storage, pointee_id)


def _procedure(table: TypeTable, instruction: Instruction) -> Type:
    """Read a function type."""
    result_id, *parameter_ids = instruction.operands
    for type_id in instruction.operands:
        table.get(type_id, instruction)
    return Procedure(result_id, tuple(parameter_ids))


_READERS: dict[int, Callable[[TypeTable, Instruction], Type]] = {
    Op.TypeVoid: _void,
    Op.TypeBool: partial(_number, "bool", (1,)),
    Op.TypeInt: partial(_number, "int", (8, 16, 32, 64)),
    Op.TypeFloat: partial(_number, "float", (16, 32, 64)),
    Op.TypeVector: _vector,
    Op.TypeArray: _array,
    Op.TypeRuntimeArray: _runtime_array,
    Op.TypeStruct: _struct,
    Op.TypePointer: _pointer,
    Op.TypeFunction: _procedure,
}


def read_types(sections: Sections) -> TypeTable:
    """Read types, constants and global variables.

    Raises
    ------
    Violation
        If one is built wrongly.
    """
    table = TypeTable(sections)
    for instruction in sections.globals:
        if instruction.opcode in _READERS:
            table.add(instruction)
        elif instruction.result_id:
            _VALUES[instruction.opcode](table, instruction)
            table.value_types[instruction.result_id] = instruction.type_id
    _check_function_type(table, sections.function)
    return table


def _check_function_type(table: TypeTable, function: Instruction) -> None:
    """Check that the function takes and returns nothing."""
    type = table.get(function.operands[1], function)
    result = table.get(function.type_id, function)
    if not isinstance(result, Void) or type != Procedure(function.type_id, ()):
        raise Violation("type", f"{function} takes or returns something")


def _scalar_constant(table: TypeTable, instruction: Instruction) -> None:
    """Check a number."""
    type = table.number(instruction.type_id, instruction)
    if type.kind == "bool" or instruction.type_id in table.narrow:
        raise Violation("constant", f"{instruction} cannot have type %{instruction.type_id}")
    if len(instruction.operands) != -(-type.width // 32):
        raise Violation("constant", f"{instruction} has {len(instruction.operands)} words")
    if instruction.opcode == Op.SpecConstant and type == Number("int", 32):
        table.specialized.add(instruction.result_id)
    if instruction.opcode == Op.Constant and type.kind == "int":
        low, *high = instruction.operands
        table.constants[instruction.result_id] = low | (high[0] << 32 if high else 0)


def _bool_constant(table: TypeTable, instruction: Instruction) -> None:
    """Check true or false."""
    if instruction.type_id not in table.bools:
        raise Violation("constant", f"{instruction} is no bool")


def _composite_constant(table: TypeTable, instruction: Instruction) -> None:
    """Check a constant vector or array."""
    type = table.get(instruction.type_id, instruction)
    if not isinstance(type, Vector | Array) or type.count != len(instruction.operands):
        raise Violation("constant", f"{instruction} has {len(instruction.operands)} elements")
    for value_id in instruction.operands:
        if table.of_value(value_id, instruction) != type.element_id:
            raise Violation("constant", f"%{value_id} in {instruction} has another type")


def _null_constant(table: TypeTable, instruction: Instruction) -> None:
    """Check a zero."""
    if not isinstance(table.get(instruction.type_id, instruction), Number | Vector | Array):
        raise Violation("constant", f"{instruction} is of type %{instruction.type_id}")


def _variable(table: TypeTable, instruction: Instruction) -> None:
    """Check a global variable."""
    type = table.get(instruction.type_id, instruction)
    storage = instruction.operands[0]
    if not isinstance(type, Pointer) or type.storage != storage or storage == StorageClass.Function:
        raise Violation("variable", f"{instruction} has the wrong storage class")
    if len(instruction.operands) > 1:
        raise Violation("variable", f"{instruction} has an initializer")


_VALUES = {
    Op.Constant: _scalar_constant,
    Op.SpecConstant: _scalar_constant,
    Op.ConstantTrue: _bool_constant,
    Op.ConstantFalse: _bool_constant,
    Op.SpecConstantTrue: _bool_constant,
    Op.SpecConstantFalse: _bool_constant,
    Op.ConstantComposite: _composite_constant,
    Op.SpecConstantComposite: _composite_constant,
    Op.ConstantNull: _null_constant,
    Op.Variable: _variable,
}
