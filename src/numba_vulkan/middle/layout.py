"""How LLVM lays out types in memory with the data layout that `llvm_passes` sets."""

from __future__ import annotations

from functools import cache

from ..llvmir.types import ArrayType, FloatType, IntType, StructType, Type, VectorType

__all__ = ["Leaf", "is_aggregate", "leaf_count", "leaves", "member", "member_types", "size_bytes"]

Leaf = tuple[int, Type]
"""Offset in bytes and type of a scalar within a type."""


def is_aggregate(type: Type) -> bool:
    """Return whether a type has members."""
    return isinstance(type, StructType | ArrayType | VectorType)


@cache
def member_types(type: Type) -> tuple[Type, ...]:
    """Return the types of the members of a structure, an array or a vector."""
    if isinstance(type, StructType):
        return type.members
    assert isinstance(type, ArrayType | VectorType)
    return (type.element,) * type.count


@cache
def alignment_bytes(type: Type) -> int:
    """Return the alignment of a type; that of i64 is 4 unless a data layout says otherwise."""
    if isinstance(type, IntType):
        return min(_power_of_two(-(-type.bits // 8)), 4)
    if isinstance(type, StructType):
        return max(map(alignment_bytes, type.members), default=1)
    if isinstance(type, ArrayType):
        return alignment_bytes(type.element)
    if isinstance(type, VectorType):
        return _power_of_two(_vector_bytes(type))
    return type.bits // 8 if isinstance(type, FloatType) else 8


def _power_of_two(value: int) -> int:
    return 1 << max(value - 1, 0).bit_length()


@cache
def size_bytes(type: Type) -> int:
    """Return how far elements of a type lie apart."""
    if isinstance(type, IntType):
        return _align(-(-type.bits // 8), alignment_bytes(type))
    if isinstance(type, FloatType):
        return type.bits // 8
    if isinstance(type, ArrayType):
        return size_bytes(type.element) * type.count
    if isinstance(type, VectorType):
        return _power_of_two(_vector_bytes(type))
    if isinstance(type, StructType):
        end = max((o + size_bytes(m) for o, m in zip(_offsets(type), type.members, strict=True)), default=0)
        return _align(end, alignment_bytes(type))
    return 8


def _vector_bytes(type: VectorType) -> int:
    """Return the bytes that the lanes of a vector take, one after the other."""
    element = type.element
    bits = element.bits if isinstance(element, IntType | FloatType) else 64
    return -(-bits * type.count // 8)


def _align(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


@cache
def _offsets(type: Type) -> tuple[int, ...]:
    """Return the offset of each member."""
    if isinstance(type, VectorType):
        return tuple(_vector_bytes(type) // type.count * k for k in range(type.count))
    if not isinstance(type, StructType):
        return tuple(size_bytes(m) * k for k, m in enumerate(member_types(type)))
    offsets: list[int] = []
    end = 0
    for inner in type.members:
        end = _align(end, alignment_bytes(inner))
        offsets.append(end)
        end += size_bytes(inner)
    return tuple(offsets)


def member(type: Type, index: int) -> Leaf:
    """Return offset and type of a member."""
    return _offsets(type)[index], member_types(type)[index]


@cache
def leaves(type: Type) -> tuple[Leaf, ...]:
    """Return the scalars of a type in order; a scalar is its own."""
    if not is_aggregate(type):
        return ((0, type),)
    return tuple(
        (offset + inner, leaf)
        for offset, type_ in zip(_offsets(type), member_types(type), strict=True)
        for inner, leaf in leaves(type_)
    )


def leaf_count(type: Type) -> int:
    """Return the number of scalars of a type."""
    return len(leaves(type))
