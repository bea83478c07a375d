"""Fields of records and of arrays of records: their types, and reading and writing them."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.imputils import Registry as LoweringRegistry
from numba.core.typing.arraydecl import ArrayAttribute, get_array_index_type
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, Registry, signature

from ..errors import VulkanUnsupportedError
from . import arrays, assignment, elements
from .arrays import View
from .record_types import FieldArray, VulkanRecord, unit_at
from .types import VulkanArray, itemsize_of, members_of
from .wording import noun

__all__ = ["field_of", "lowering", "resolve_setattr", "typing"]

typing = Registry()
lowering = LoweringRegistry()
_I32 = ir.IntType(32)


# ---- types


def field_name(record: VulkanRecord, key: str | int) -> str:
    """Return the name of the field that a key between brackets means.

    Raises
    ------
    VulkanUnsupportedError
        If there is no such field.
    """
    names = list(record.fields)
    if isinstance(key, int) and -len(names) <= key < len(names):
        return names[key]
    if key in record.fields:
        return str(key)
    raise VulkanUnsupportedError(f"records have no field {key!r}: these have {', '.join(names)}")


def _array_of(kind: types.Type, ndim: int, layout: str, readonly: bool, unit: int) -> VulkanArray:
    """Return the type of an array in records, whose places are multiples of ``unit``."""
    unit = math.gcd(unit, itemsize_of(kind))
    return VulkanArray(kind, ndim, layout, readonly, unit)


def field_of(record: VulkanRecord, name: str) -> types.Type:
    """Return the type of a field of a record."""
    field = record.fields[name]
    unit, kind = unit_at(record.unit, field.offset), field.type
    if isinstance(kind, FieldArray):
        return _array_of(kind.dtype, len(kind.shape), "C", record.readonly, unit)
    return kind.at(unit, record.readonly) if isinstance(kind, VulkanRecord) else kind


def _column_of(array: VulkanArray, name: str) -> VulkanArray:
    """Return the type of a field of all records of an array."""
    record: Any = array.dtype
    field = record.fields[name]
    unit, kind, ndim = unit_at(array.unit, field.offset), field.type, array.ndim
    if isinstance(kind, FieldArray):
        kind, ndim = kind.dtype, ndim + len(kind.shape)
    return _array_of(kind, ndim, "A", not array.mutable, unit)


def _is_record_array(given: object) -> bool:
    return isinstance(given, VulkanArray) and isinstance(given.dtype, VulkanRecord)


def _record_in(given: Any) -> VulkanRecord:
    """Return the type of a record, or of those of an array."""
    return given if isinstance(given, VulkanRecord) else given.dtype


def _typed(given: Any, key: str | int) -> types.Type:
    """Return the type of what a key between brackets picks from a record, or from an array of them."""
    name = field_name(_record_in(given), key)
    return field_of(given, name) if isinstance(given, VulkanRecord) else _column_of(given, name)


@typing.register_attr
class _RecordFields(AttributeTemplate):
    key = VulkanRecord

    def generic_resolve(self, record: VulkanRecord, attr: str) -> types.Type:
        """Type ``record.field``."""
        return _typed(record, attr)


@typing.register_attr
class _Columns(AttributeTemplate):
    key = VulkanArray

    def generic_resolve(self, array: VulkanArray, attr: str) -> types.Type | None:
        """Type ``array.field``; what all arrays have comes first, as in NumPy."""
        if not _is_record_array(array) or hasattr(ArrayAttribute, f"resolve_{attr}"):
            return None
        record: Any = array.dtype
        return _column_of(array, attr) if attr in record.fields else None


def _has_fields(given: object, key: object) -> bool:
    return (isinstance(given, VulkanRecord) and isinstance(key, str | int)) or (
        _is_record_array(given) and isinstance(key, str)
    )


@typing.register
class _StaticGetItem(AbstractTemplate):
    key = "static_getitem"

    def generic(self, args: Any, kws: Any) -> Any:
        """Type ``record["field"]`` and ``array["field"]``."""
        return signature(_typed(*args), *args) if _has_fields(*args) else None


@typing.register
class _StaticSetItem(AbstractTemplate):
    key = "static_setitem"

    def generic(self, args: Any, kws: Any) -> Any:
        """Type ``record["field"] = value`` and ``array["field"] = value``."""
        target, key, value = args
        if not _has_fields(target, key):
            return None
        name = field_name(_record_in(target), key)
        _require_assignable(self.context, target, name, value)
        return signature(types.void, target, types.literal(key), value)


def resolve_setattr(context: Any, target: types.Type, attr: str, value: types.Type) -> Any:
    """Return the signature of ``target.attr = value``, None if the target has no fields."""
    if not (isinstance(target, VulkanRecord) or _is_record_array(target)):
        return None
    _require_assignable(context, target, field_name(_record_in(target), attr), value)
    return signature(types.void, target, value)


def _require_assignable(context: Any, target: Any, name: str, value: types.Type) -> None:
    """Raise unless a value can be assigned to a field of a record, or of all records of an array."""
    if target.readonly if isinstance(target, VulkanRecord) else not target.mutable:
        raise VulkanUnsupportedError(
            f"field '{name}' cannot be assigned: the records are read-only (an argument that is one record, or an "
            f"array that must not be written); pass a writable array"
        )
    wanted = _typed(target, name)
    if not _converts(context, value, wanted):
        raise VulkanUnsupportedError(f"{noun(value)} cannot be assigned to field '{name}', {noun(wanted)}")


def _converts(context: Any, value: types.Type, wanted: types.Type) -> bool:
    if isinstance(wanted, VulkanArray):
        if isinstance(value, types.BaseTuple):
            return all(_converts(context, part, wanted.dtype) for part in members_of(value))
        given = value.dtype if isinstance(value, types.Array) else value
        return _converts(context, given, wanted.dtype)
    if isinstance(wanted, VulkanRecord):
        return isinstance(value, VulkanRecord) and value.form == wanted.form
    return context.can_convert(value, wanted) is not None


class _SetRecords(AbstractTemplate):
    """Records and arrays of records are assigned byte by byte, whatever is known of where they lie."""

    key = operator.setitem

    def generic(self, args: Any, kws: Any) -> Any:
        """Type ``array[index] = records``."""
        array, index, value = args
        if not _is_record_array(array):
            return None
        record = value.dtype if isinstance(value, types.Array) else value
        place = get_array_index_type(array, index)
        if place is None:
            return None
        if not array.mutable:
            raise VulkanUnsupportedError("the array of records is read-only: pass a writable one")
        if not isinstance(record, VulkanRecord) or record.form != array.dtype.form:
            which = " of another dtype" if isinstance(record, VulkanRecord) else ""
            raise VulkanUnsupportedError(
                f"{noun(value)} cannot be assigned to records{which}: assign to their fields"
            )
        if isinstance(value, types.Array) and not isinstance(place.result, types.Array):
            return None
        return signature(types.none, array, place.index, value)


typing.register_global(operator.setitem, types.Function(_SetRecords))


# ---- reading


def _nested_view(
    builder: ir.IRBuilder, kind: VulkanArray, shape: tuple[int, ...], place: elements.Place
) -> View:
    """Return the view of an array that is a field."""
    steps: list[int] = []
    step = kind.itemsize // kind.unit
    for extent in reversed(shape):
        steps.insert(0, step)
        step *= extent
    offset = elements.scaled(builder, place.index, place.unit // kind.unit, place.offset // kind.unit)
    return View(place.binding, offset, _constants(shape), _constants(steps))


def _constants(numbers: Any) -> list[ir.Value]:
    return [ir.Constant(_I32, number) for number in numbers]


@lowering.lower_getattr_generic(VulkanRecord)
def _read_field(context: Any, builder: ir.IRBuilder, record: Any, value: ir.Value, name: str) -> ir.Value:
    """Return a field of a record; records and arrays in it are references."""
    field = record.fields[name]
    place = arrays.place_of(context, builder, record, value).after(field.offset)
    kind = field_of(record, name)
    if isinstance(kind, VulkanRecord):
        return arrays.record_at(context, builder, kind, place)
    if isinstance(kind, VulkanArray):
        return _nested_view(builder, kind, field.type.shape, place).value(context, builder, kind)
    return elements.load(context, builder, kind, place)


def _column(context: Any, builder: ir.IRBuilder, array_type: Any, value: ir.Value, name: str) -> View:
    """Return the view of a field of all records of an array."""
    field = array_type.dtype.fields[name]
    kind = _column_of(array_type, name)
    whole = arrays.view_of(context, builder, array_type, value)
    view = whole.in_units(builder, array_type.unit // kind.unit, field.offset // kind.unit)
    if not isinstance(field.type, FieldArray):
        return view
    place = elements.Place(view.binding, view.offset, kind.unit)
    inner = _nested_view(builder, kind, field.type.shape, place)
    return View(view.binding, view.offset, view.extents + inner.extents, view.steps + inner.steps)


@lowering.lower_getattr_generic(VulkanArray)
def _lower_column(context: Any, builder: ir.IRBuilder, array: Any, value: ir.Value, name: str) -> ir.Value:
    return _column(context, builder, array, value, name).value(context, builder, _column_of(array, name))


def _lower_static_getitem(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
    given, name = sig.args[0], field_name(_record_in(sig.args[0]), args[1])
    read = _read_field if isinstance(given, VulkanRecord) else _lower_column
    return read(context, builder, given, args[0], name)


lowering.lower("static_getitem", VulkanArray, types.StringLiteral)(_lower_static_getitem)
lowering.lower("static_getitem", VulkanRecord, types.StringLiteral)(_lower_static_getitem)
lowering.lower("static_getitem", VulkanRecord, types.IntegerLiteral)(_lower_static_getitem)


@lowering.lower_cast(VulkanRecord, VulkanRecord)
def _convert(context: Any, builder: ir.IRBuilder, given: Any, wanted: Any, value: ir.Value) -> ir.Value:
    """Convert between references that differ in what is known of their places."""
    return arrays.record_at(context, builder, wanted, arrays.place_of(context, builder, given, value))


@lowering.lower_constant(VulkanRecord)
def _constant(context: Any, builder: ir.IRBuilder, record: Any, value: np.void) -> ir.Value:
    """Return a reference to a global record, as it is now."""
    array_type = VulkanArray(record, 0, "C", readonly=True)
    array = context.make_constant_array(builder, array_type, np.asarray(value))
    view = arrays.view_of(context, builder, array_type, array)
    return arrays.load(context, builder, array_type, view.binding, view.offset)


# ---- writing


def _write_field(
    context: Any, builder: ir.IRBuilder, target: tuple[Any, ir.Value], name: str, source: tuple[Any, ir.Value]
) -> None:
    """Assign to a field of a record, or of all records of an array."""
    kind, value = source
    owner, reference = target
    if not isinstance(owner, VulkanRecord):
        view = _column(context, builder, owner, reference, name)
        assignment.assign(context, builder, (_column_of(owner, name), view), source)
        return
    wanted = field_of(owner, name)
    place = arrays.place_of(context, builder, owner, reference).after(owner.fields[name].offset)
    if isinstance(wanted, VulkanArray):
        shape = owner.fields[name].type.shape
        assignment.assign(context, builder, (wanted, _nested_view(builder, wanted, shape, place)), source)
    elif isinstance(wanted, VulkanRecord):
        elements.copy(builder, wanted.size, arrays.place_of(context, builder, kind, value), place)
    else:
        elements.store(context, builder, wanted, place, context.cast(builder, value, kind, wanted))


def _lower_setattr(context: Any, builder: ir.IRBuilder, sig: Any, args: Any, name: str) -> None:
    _write_field(context, builder, (sig.args[0], args[0]), name, (sig.args[1], args[1]))


def _lower_static_setitem(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> None:
    owner = sig.args[0]
    name = field_name(_record_in(owner), sig.args[1].literal_value)
    _write_field(context, builder, (owner, args[0]), name, (sig.args[2], args[2]))


for _kind in (VulkanRecord, VulkanArray):
    lowering.lower_setattr_generic(_kind)(_lower_setattr)
    lowering.lower("static_setitem", _kind, types.StringLiteral, types.Any)(_lower_static_setitem)
lowering.lower("static_setitem", VulkanRecord, types.IntegerLiteral, types.Any)(_lower_static_setitem)
