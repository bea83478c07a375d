"""Numba types of records: a reference to the bytes of one, and which fields kernels can reach."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.core import types
from numba.core.typeconv import Conversion
from numba.np.numpy_support import from_dtype

from ..errors import VulkanUnsupportedError

__all__ = ["VulkanRecord", "largest_unit", "record_of", "require_fields", "unit_at"]

# No element is larger: that of complex128.
_LARGEST_UNIT = 16


def largest_unit(size: int) -> int:
    """Return the largest power of two, up to 16, that divides a size in bytes."""
    return math.gcd(size, _LARGEST_UNIT)


def unit_at(unit: int, offset: int) -> int:
    """Return the largest unit that counts both another unit and an offset in bytes."""
    return math.gcd(unit, offset) if offset else unit


class VulkanRecord(types.Record):
    """A record in an array: which array, and where its bytes begin.

    As on Numba's CPU target, a variable that holds a record refers to it: what is written to its fields is written to
    the array.

    Attributes
    ----------
    unit : int
        The bytes that the value's index counts: a power of two.
    readonly : bool
        Whether fields must not be written.
    """

    def __init__(self, record: types.Record, unit: int, readonly: bool) -> None:
        self.fields = record.fields
        self.size = record.size
        self.aligned = record.aligned
        self.unit = unit
        self.readonly = readonly
        self.bitwidth = 8 * record.size
        fields = ", ".join(f"{name}: {field.type}" for name, field in record.fields.items())
        kind = "readonly record" if readonly else "record"
        types.Type.__init__(self, f"{kind}({fields}; {record.size} bytes)")

    @property
    def form(self) -> tuple[object, ...]:
        """What two records have in common whose bytes mean the same."""
        return self.size, *((name, field.type, field.offset) for name, field in self.fields.items())

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
        return VulkanRecord(self, min(self.unit, other.unit), self.readonly or other.readonly)

    def __repr__(self) -> str:
        return self.name


# ---- dtypes


def record_of(dtype: np.dtype) -> types.Record:
    """Return Numba's type of a structured dtype.

    Raises
    ------
    VulkanUnsupportedError
        If kernels cannot hold one of its fields; the message names it.
    """
    require_fields(dtype)
    record = from_dtype(dtype)
    assert isinstance(record, types.Record)
    return record


_KINDS = {"S": "bytes", "U": "text", "O": "Python objects", "V": "raw bytes"}
_SUPPORTED = "bool, integers, floats of up to 64 bits, complex numbers, dates, records and arrays of these"


def require_fields(dtype: np.dtype, path: str = "") -> None:
    """Raise unless kernels can hold all fields of a structured dtype."""
    if not dtype.itemsize:
        raise VulkanUnsupportedError(f"records without bytes ({dtype}) are not supported by kernels")
    for name, (field, *_) in (dtype.fields or {}).items():
        where = f"{path}.{name}" if path else name
        element = field.base
        if element.fields is not None:
            require_fields(element, where)
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
