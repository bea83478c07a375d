"""The types of the small IR: interned, so that identity is equality."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

__all__ = [
    "F16",
    "F32",
    "F64",
    "I1",
    "I8",
    "I16",
    "I32",
    "I64",
    "PTR",
    "VOID",
    "ArrayType",
    "FloatType",
    "IntType",
    "PointerType",
    "StructType",
    "Type",
    "VectorType",
    "VoidType",
    "array_type",
    "float_type",
    "int_type",
    "struct_type",
    "vector_type",
]


class Type:
    """Base of all types; two types are equal exactly when they are the same object."""

    __slots__ = ()


@dataclass(frozen=True, eq=False, slots=True)
class VoidType(Type):
    """The type of instructions without a result."""

    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, eq=False, slots=True)
class PointerType(Type):
    """LLVM's opaque pointer; what it points to is known at its uses."""

    def __str__(self) -> str:
        return "ptr"


@dataclass(frozen=True, eq=False, slots=True)
class IntType(Type):
    """An integer of ``bits`` bits without a sign, as in LLVM."""

    bits: int

    @property
    def mask(self) -> int:
        """The largest value of the type read as unsigned."""
        return (1 << self.bits) - 1

    def __str__(self) -> str:
        return f"i{self.bits}"


_FLOAT_NAMES = {16: "half", 32: "float", 64: "double"}


@dataclass(frozen=True, eq=False, slots=True)
class FloatType(Type):
    """An IEEE 754 binary float of ``bits`` bits."""

    bits: int

    def __str__(self) -> str:
        return _FLOAT_NAMES[self.bits]


@dataclass(frozen=True, eq=False, slots=True)
class ArrayType(Type):
    """``count`` elements of one type, one after the other."""

    element: Type
    count: int

    def __str__(self) -> str:
        return f"[{self.count} x {self.element}]"


@dataclass(frozen=True, eq=False, slots=True)
class VectorType(Type):
    """An LLVM vector; shaders see it only until vectors are split."""

    element: Type
    count: int

    def __str__(self) -> str:
        return f"<{self.count} x {self.element}>"


@dataclass(frozen=True, eq=False, slots=True)
class StructType(Type):
    """A literal structure."""

    members: tuple[Type, ...]

    def __str__(self) -> str:
        return "{ " + ", ".join(map(str, self.members)) + " }" if self.members else "{}"


@cache
def int_type(bits: int) -> IntType:
    """Return the integer type of ``bits`` bits."""
    return IntType(bits)


@cache
def float_type(bits: int) -> FloatType:
    """Return the float type of ``bits`` bits."""
    return FloatType(bits)


@cache
def array_type(element: Type, count: int) -> ArrayType:
    """Return the type of an array."""
    return ArrayType(element, count)


@cache
def vector_type(element: Type, count: int) -> VectorType:
    """Return the type of a vector."""
    return VectorType(element, count)


@cache
def struct_type(members: tuple[Type, ...]) -> StructType:
    """Return the type of a literal structure."""
    return StructType(members)


VOID = VoidType()
PTR = PointerType()
I1, I8, I16, I32, I64 = (int_type(bits) for bits in (1, 8, 16, 32, 64))
F16, F32, F64 = (float_type(bits) for bits in (16, 32, 64))
