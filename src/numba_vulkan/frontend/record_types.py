"""Numba types of records: a reference to the bytes of one, and which fields kernels can reach."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba.core import types
from numba.core.typeconv import Conversion
from numba.np.numpy_support import from_dtype

from ..errors import VulkanUnsupportedError

__all__ = ["FieldArray", "VulkanRecord", "largest_unit", "record_of", "unit_at"]

# No element is larger: that of complex128.
_LARGEST_UNIT = 16


def largest_unit(size: int) -> int:
    """Return the largest power of two, up to 16, that divides a size in bytes."""
    return math.gcd(size, _LARGEST_UNIT)


def unit_at(unit: int, offset: int) -> int:
    """Return the largest unit that counts both another unit and an offset in bytes."""
    return math.gcd(unit, offset) if offset else unit


class FieldArray(types.Type):
    """An array that is a field of records.

    Numba's own type for that does not take booleans.
    """

    def __init__(self, dtype: types.Type, shape: tuple[int, ...]) -> None:
        self.dtype = dtype
        self.shape = shape
        super().__init__(f"{dtype}[{', '.join(map(str, shape))}]")


@dataclass(frozen=True)
class Field:
    """A field of records: its type, and where it begins, in bytes."""

    type: types.Type
    offset: int


class VulkanRecord(types.Type):
    """A record in an array: which array, and where its bytes begin.

    As on Numba's CPU target, a variable that holds a record refers to it: what is written to its fields is written to
    the array.

    Attributes
    ----------
    fields : dict
        The fields by name.
    size : int
        The bytes of a record.
    unit : int
        The bytes that the value's index counts: a power of two.
    readonly : bool
        Whether fields must not be written.
    """

    def __init__(
        self, fields: dict[str, Field], size: int, unit: int | None = None, readonly: bool = False
    ) -> None:
        self.fields = fields
        self.size = size
        self.unit = largest_unit(size) if unit is None else unit
        self.readonly = readonly
        # Symbols and types made of this one are told apart by the name.
        named = ", ".join(f"{name}: {field.type} at {field.offset}" for name, field in fields.items())
        kind = "readonly record" if readonly else "record"
        super().__init__(f"{kind}({named}; {size} bytes at multiples of {self.unit})")

    def at(self, unit: int, readonly: bool) -> VulkanRecord:
        """Return the type of such records in another place."""
        return VulkanRecord(self.fields, self.size, unit, readonly)

    @property
    def form(self) -> tuple[object, ...]:
        """What two records have in common whose bytes mean the same."""
        return self.size, *self.fields.items()

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two such types equal."""
        return self.form, self.unit, self.readonly

    def can_convert_to(self, typingctx: Any, other: types.Type) -> Conversion | None:
        """Return how a reference becomes one of another type: it may lose alignment, and writing."""
        if not isinstance(other, VulkanRecord) or other.form != self.form:
            return None
        is_safe = self.unit % other.unit == 0 and (other.readonly or not self.readonly)
        return Conversion.safe if is_safe else None

    def unify(self, typingctx: Any, other: types.Type) -> VulkanRecord | None:
        """Return the type of a variable that holds records of two types."""
        if not isinstance(other, VulkanRecord) or other.form != self.form:
            return None
        return self.at(min(self.unit, other.unit), self.readonly or other.readonly)


# ---- dtypes


@cache
def record_of(dtype: np.dtype) -> VulkanRecord:
    """Return the type of records of a structured dtype.

    Raises
    ------
    VulkanUnsupportedError
        If kernels cannot hold one of its fields; the message names it.
    """
    _require_fields(dtype)
    return _record_of(dtype)


def _record_of(dtype: np.dtype) -> VulkanRecord:
    assert dtype.fields is not None
    fields = {name: Field(_field_type(part), offset) for name, (part, offset, *_) in dtype.fields.items()}
    return VulkanRecord(fields, dtype.itemsize)


def _field_type(dtype: np.dtype) -> types.Type:
    if dtype.shape:
        return FieldArray(_field_type(dtype.base), dtype.shape)
    return from_dtype(dtype) if dtype.fields is None else _record_of(dtype)


_KINDS = {"S": "bytes", "U": "text", "O": "Python objects", "V": "raw bytes"}
_SUPPORTED = "bool, integers, floats of up to 64 bits, complex numbers, dates, records and arrays of these"


def _require_fields(dtype: np.dtype, path: str = "") -> None:
    """Raise unless kernels can hold all fields of a structured dtype."""
    if not dtype.itemsize:
        raise VulkanUnsupportedError(f"records without bytes ({dtype}) are not supported by kernels")
    for name, (field, *_) in (dtype.fields or {}).items():
        where = f"{path}.{name}" if path else name
        element = field.base
        if element.fields is not None:
            _require_fields(element, where)
            continue
        is_known = element.kind in "biufcmM" and element.char not in "gG"
        if is_known and element.isnative:
            continue
        what = f"has foreign byte order ({element.str!r})" if is_known else _described(element)
        raise VulkanUnsupportedError(
            f"field '{where}' of records {what}, which kernels cannot hold: they take {_SUPPORTED} in the byte order "
            f"of the host; pass an array without the field, such as x[['name', ...]] or a copy with another dtype"
        )


def _described(element: np.dtype) -> str:
    kind = _KINDS.get(element.kind)
    return f"holds {kind} ({element})" if kind else f"has dtype {element}"
