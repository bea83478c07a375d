"""Reading and writing one value in a buffer: a number, or the bytes of a record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from .. import abi
from ..errors import VulkanUnsupportedError
from . import placeholders
from .record_types import unit_at
from .types import element_of
from .wording import name_of

__all__ = ["Place", "copy", "element_name", "load", "scaled", "store"]

_I32 = ir.IntType(32)
# Records of more bytes are copied by a loop.
_MOST_UNROLLED = 64


@dataclass(frozen=True)
class Place:
    """Where a value lies.

    Attributes
    ----------
    binding : ir.Value
        The buffer.
    index : ir.Value
        Counts units.
    unit : int
        The bytes of a unit, a power of two.
    offset : int
        Bytes after that.
    """

    binding: ir.Value
    index: ir.Value
    unit: int
    offset: int = 0

    def after(self, size: int) -> Place:
        """Return the place some bytes further on."""
        return replace(self, offset=self.offset + size)


def scaled(builder: ir.IRBuilder, index: ir.Value, factor: int, offset: int = 0) -> ir.Value:
    """Return ``index * factor + offset``."""
    if factor != 1:
        index = builder.mul(index, ir.Constant(index.type, factor))
    return builder.add(index, ir.Constant(index.type, offset)) if offset else index


def _located(builder: ir.IRBuilder, place: Place, element: str) -> tuple[str, ir.Value]:
    """Return how an access names an element at a place, and the index there; see `abi.PLACES`.

    What is known here of where it lies in its word makes better code than what shows at run time.
    """
    size, unit, offset = abi.ELEMENT_BYTES[abi.stored_element(element)], place.unit, place.offset
    is_aligned = unit % size == 0 and offset % size == 0
    if unit >= 4 and not (is_aligned and size >= 4):
        return f"{element}+{offset % 4 * 8}", scaled(builder, place.index, unit // 4, offset // 4)
    if is_aligned:
        return element, scaled(builder, place.index, unit // size, offset // size)
    shared = unit_at(unit, offset)
    return f"{element}/{shared}", scaled(builder, place.index, unit // shared, offset // shared)


def element_name(dtype: types.Type) -> str:
    """Return the `abi` element of a dtype.

    Raises
    ------
    VulkanUnsupportedError
        If kernels cannot hold such numbers.
    """
    element = element_of(dtype)
    if element is None:
        raise VulkanUnsupportedError(f"arrays of {name_of(dtype)} are not supported by kernels")
    return element


def _check_width(
    context: Any, builder: ir.IRBuilder, dtype: types.Type, place: Place, element: ir.Value
) -> None:
    """With ``boundscheck=True``, raise for an element that is lost where integers are computed in 32 bits."""
    if not context.enable_boundscheck or not isinstance(dtype, types.Integer) or dtype.bitwidth < 64:
        return
    with builder.if_then(placeholders.call(builder, abi.NARROWS_INTEGERS)):
        located, index = _located(builder, place, "i64")
        name = abi.excess_name(dtype.signed, abi.place_of(located)[1])
        excess = placeholders.call(builder, name, place.binding, index, element)
        with builder.if_then(builder.icmp_unsigned("!=", excess, ir.Constant(_I32, 0)), likely=False):
            low = builder.trunc(element, _I32)
            extension = builder.ashr(low, ir.Constant(_I32, 31)) if dtype.signed else ir.Constant(_I32, 0)
            context.call_conv.return_text(
                builder,
                OverflowError,
                f"an element of an array of {dtype} is {{}}, which does not fit into the 32 bits in which narrow= "
                f"computes integers here: leave it out of @jit for exact integers",
                [(dtype, (low, builder.xor(excess, extension)))],
            )


def _load_element(builder: ir.IRBuilder, place: Place, element: str) -> ir.Value:
    located, index = _located(builder, place, element)
    return placeholders.call(builder, abi.load_name(located, str(index.type)), place.binding, index)


def _store_element(builder: ir.IRBuilder, place: Place, element: str, value: ir.Value) -> None:
    located, index = _located(builder, place, element)
    placeholders.call(builder, abi.store_name(located, str(index.type)), place.binding, index, value)


def load(context: Any, builder: ir.IRBuilder, dtype: types.Type, place: Place) -> ir.Value:
    """Return the number at a place."""
    element = element_name(dtype)
    if isinstance(dtype, types.Complex):
        number = context.make_complex(builder, dtype)
        number.real = _load_element(builder, place, element)
        number.imag = _load_element(builder, place.after(abi.ELEMENT_BYTES[element]), element)
        return number._getvalue()
    value = _load_element(builder, place, element)
    if dtype is types.boolean:
        return builder.icmp_unsigned("!=", value, ir.Constant(value.type, 0))
    _check_width(context, builder, dtype, place, value)
    return value


def store(context: Any, builder: ir.IRBuilder, dtype: types.Type, place: Place, value: ir.Value) -> None:
    """Store a number at a place."""
    element = abi.UNSIGNED_INTEGER if dtype is types.uint64 else element_name(dtype)
    if isinstance(dtype, types.Complex):
        number = context.make_complex(builder, dtype, value=value)
        _store_element(builder, place, element, number.real)
        _store_element(builder, place.after(abi.ELEMENT_BYTES[element]), element, number.imag)
        return
    if dtype is types.boolean:
        value = builder.zext(value, ir.IntType(8))
    _store_element(builder, place, element, value)


# ---- bytes


def copy(builder: ir.IRBuilder, size: int, source: Place, target: Place) -> None:
    """Copy the bytes of a record; all are read before one is written, unless there are too many for that."""
    if target.unit < 4 and size >= 8:
        _copy_to_odd(builder, size, source, target)
        return
    words, rest = divmod(size, 4)
    if size > _MOST_UNROLLED:
        with cgutils.for_range(builder, _word(words)) as loop:
            value = _load_element(builder, _word_of(builder, source, loop.index), "i32")
            _store_element(builder, _word_of(builder, target, loop.index), "i32", value)
        pieces = []
    else:
        pieces = [("i32", 4 * k) for k in range(words)]
    if rest & 2:
        pieces.append(("i16", 4 * words))
    if rest & 1:
        pieces.append(("i8", size - 1))
    values = [_load_element(builder, source.after(offset), element) for element, offset in pieces]
    for (element, offset), value in zip(pieces, values, strict=True):
        _store_element(builder, target.after(offset), element, value)


def _word(value: int) -> ir.Constant:
    return ir.Constant(_I32, value)


def _word_of(builder: ir.IRBuilder, place: Place, k: ir.Value) -> Place:
    """Return the place of word number ``k`` from a place on."""
    unit = min(place.unit, 4)
    index = scaled(builder, place.index, place.unit // unit)
    return replace(place, index=builder.add(index, scaled(builder, k, 4 // unit)), unit=unit)


def _copy_to_odd(builder: ir.IRBuilder, size: int, source: Place, target: Place) -> None:
    """Copy the bytes of a record to where no word begins; its first and its last word hold bytes of others as well."""
    start = scaled(builder, target.index, target.unit, target.offset)
    first, skipped = builder.lshr(start, _word(2)), builder.and_(start, _word(3))
    end = builder.add(skipped, _word(size))
    last = builder.lshr(builder.sub(end, _word(1)), _word(2))
    before, after = scaled(builder, skipped, 8), builder.and_(scaled(builder, end, -8), _word(31))
    source = Place(source.binding, scaled(builder, source.index, source.unit, source.offset), 1)

    def load(k: ir.Value) -> ir.Value:
        index = builder.add(source.index, builder.sub(scaled(builder, k, 4), skipped))
        return _load_element(builder, replace(source, index=index), "i32")

    def store(k: ir.Value, value: ir.Value) -> None:
        index = builder.add(first, k)
        placeholders.call(builder, abi.store_name("i32"), target.binding, index, value)

    def change(k: ir.Value, mask: ir.Value, value: ir.Value) -> None:
        index = builder.add(first, k)
        placeholders.call(builder, abi.WORD_AND, target.binding, index, builder.not_(mask))
        placeholders.call(builder, abi.WORD_OR, target.binding, index, value)

    head = builder.shl(_load_element(builder, source, "i32"), before)
    tail = builder.lshr(_load_element(builder, source.after(size - 4), "i32"), after)
    full = size // 4
    inner = [] if size > _MOST_UNROLLED else [load(_word(k)) for k in range(1, full)]
    with builder.if_then(builder.icmp_unsigned(">", last, _word(full))):
        store(_word(full), load(_word(full)))
    for k, value in enumerate(inner, start=1):
        store(_word(k), value)
    if size > _MOST_UNROLLED:
        with cgutils.for_range(builder, _word(full - 1)) as loop:
            k = builder.add(loop.index, _word(1))
            store(k, load(k))
    change(_word(0), builder.shl(_word(-1), before), head)
    change(last, builder.lshr(_word(-1), after), tail)
