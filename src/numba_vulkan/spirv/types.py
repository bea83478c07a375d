"""Types and constants of a module, each declared once, when first used."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import SpirvCodegenError
from ..kernel import TargetProfile
from ..llvmir.model import Aggregate, Constant, Value
from ..llvmir.types import F16, F32, F64, I1, I8, I16, I32, I64, VOID, ArrayType, Type
from ._tables import Capability, Op
from .module import Module

__all__ = ["SCALARS", "STORAGE_ONLY", "IllegalType", "Types"]


@dataclass(frozen=True)
class _Row:
    """A scalar type: its declaration, the capability it needs, and the field of the profile that allows it."""

    words: tuple[int, ...]
    capability: int | None = None
    feature: str = ""


# What 8- and 16-bit types need depends on the memory that they are in: whoever declares that adds the capability.
_ROWS: dict[Type, _Row] = {
    VOID: _Row((Op.TypeVoid,)),
    I1: _Row((Op.TypeBool,)),
    I8: _Row((Op.TypeInt, 8, 0)),
    I16: _Row((Op.TypeInt, 16, 0)),
    I32: _Row((Op.TypeInt, 32, 0)),
    I64: _Row((Op.TypeInt, 64, 0), Capability.Int64, "int64"),
    F16: _Row((Op.TypeFloat, 16)),
    F32: _Row((Op.TypeFloat, 32)),
    F64: _Row((Op.TypeFloat, 64), Capability.Float64, "computes_float64"),
}
# What a kernel computes with and keeps in variables.
SCALARS = (I1, I32, I64, F32, F64)
# These are only loaded from, stored to and converted beside a buffer: that needs no arithmetic on them.
STORAGE_ONLY = (I8, I16, F16)


class IllegalType(SpirvCodegenError):
    """A type that an earlier pass must have removed; the emitter adds where it was."""


class Types:
    """Declares types and constants in ``module``; refuses those that ``profile`` does not have."""

    def __init__(self, module: Module, profile: TargetProfile) -> None:
        self._module = module
        self._profile = profile
        self._types: dict[Type, int] = {}
        self._vectors: dict[int, int] = {}
        self._word_pair = 0
        self._pointers: dict[tuple[int, int], int] = {}
        self._constants: dict[tuple[Type, int], int] = {}
        self._composites: dict[tuple[int, ...], int] = {}

    @property
    def float_widths(self) -> list[int]:
        """The widths of the float types in use."""
        return [width for width, type in ((16, F16), (32, F32), (64, F64)) if type in self._types]

    def of(self, type: Type) -> int:
        """Return the id of a type."""
        found = self._types.get(type)
        if found is None:
            found = self._types[type] = self._declare(type)
        return found

    def _declare(self, type: Type) -> int:
        """Declare a scalar or an array of them."""
        if isinstance(type, ArrayType):
            # Arguments are evaluated before the array's own id is taken: both must be declared first.
            return self._module.declare(Op.TypeArray, self.of(type.element), self.word(type.count))
        row = _ROWS.get(type)
        if row is None:
            raise IllegalType(f"type {type} has no counterpart in SPIR-V")
        if row.feature and not getattr(self._profile, row.feature):
            raise IllegalType(f"type {type} needs {row.feature}, which the profile lacks")
        if row.capability is not None:
            self._module.capabilities.add(row.capability)
        return self._module.declare(*row.words)

    def vector(self, count: int) -> int:
        """Return the id of the vector of ``count`` 32-bit integers."""
        if count not in self._vectors:
            self._vectors[count] = self._module.declare(Op.TypeVector, self.of(I32), count)
        return self._vectors[count]

    def word_pair(self) -> int:
        """Return the id of the structure of two 32-bit integers, which extended multiplication gives."""
        if not self._word_pair:
            self._word_pair = self._module.declare(Op.TypeStruct, self.of(I32), self.of(I32))
        return self._word_pair

    def pointer(self, storage: int, type_id: int) -> int:
        """Return the id of a pointer type."""
        key = (storage, type_id)
        if key not in self._pointers:
            self._pointers[key] = self._module.declare(Op.TypePointer, storage, type_id)
        return self._pointers[key]

    def constant(self, type: Type, bits: int) -> int:
        """Return the id of a scalar constant with this bit pattern."""
        key = (type, bits)
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = self._declare_constant(type, bits)
        return found

    def _declare_constant(self, type: Type, bits: int) -> int:
        """Declare a constant of a type in which kernels compute."""
        if type not in SCALARS:
            raise IllegalType(f"a constant of type {type} cannot be declared")
        type_id = self.of(type)
        if type is I1:
            return self._module.declare_value(Op.ConstantTrue if bits else Op.ConstantFalse, type_id)
        if type in (I64, F64):
            return self._module.declare_value(Op.Constant, type_id, bits & 0xFFFFFFFF, bits >> 32)
        return self._module.declare_value(Op.Constant, type_id, bits)

    def word(self, value: int) -> int:
        """Return the id of a 32-bit integer constant."""
        return self.constant(I32, value)

    def composite(self, value: Value) -> int:
        """Return the id of a constant table or of one of its elements."""
        if isinstance(value, Aggregate):
            key = (self.of(value.type), *map(self.composite, value.elements))
            if key not in self._composites:
                self._composites[key] = self._module.declare_value(Op.ConstantComposite, *key)
            return self._composites[key]
        return self.constant(value.type, value.value if isinstance(value, Constant) else 0)
