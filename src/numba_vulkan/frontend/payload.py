"""Numbers that kernels hand to the host: in the status block for exceptions, in records for prints."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import Any

from llvmlite import ir
from numba.core import types

from .. import abi
from ..kernel import Reported, ReportedText
from . import placeholders
from .types import VulkanText

__all__ = ["Payload", "code_of"]

_I32 = ir.IntType(32)


def code_of(parts: object) -> int:
    """Return a status code that is the same in every process; 0 means nothing and the top values are reserved."""
    return zlib.crc32(repr(parts).encode()) % 0x7FFF0000 + 1


class Payload:
    """Gives each number its words, and writes them.

    Parameters
    ----------
    context, builder
        Numba's target context and where to write.
    first_word : int
        The word of the first number.
    end_word : int or None
        The word behind the last that there is room for.

    Attributes
    ----------
    next_word : int
        The word behind the numbers so far.
    """

    def __init__(
        self, context: Any, builder: ir.IRBuilder, first_word: int, end_word: int | None = None
    ) -> None:
        self._context = context
        self._builder = builder
        self.next_word = first_word
        self._end_word = end_word
        self._puts: list[tuple[str, int, ir.Value]] = []

    def add(self, numba_type: Any, value: ir.Value | tuple[ir.Value, ...]) -> Reported | None:
        """Take a number, or the words of one; returns None if it is none, or there is no room left."""
        if isinstance(value, tuple):
            return self._take(str(numba_type), [(abi.STATUS_PUT, word) for word in value], 1)
        if isinstance(numba_type, types.EnumMember):
            member = self.add(numba_type.dtype, value)
            return member and replace(member, enumeration=numba_type.instance_class)
        parts = self._parts_of(numba_type, value)
        return parts and self._take(*parts)

    def _take(self, dtype: str, puts: list[tuple[str, ir.Value]], size_words: int) -> Reported | None:
        """Give the parts of a number their words, if there are so many left."""
        first = self.next_word
        if self._end_word is not None and first + size_words * len(puts) > self._end_word:
            return None
        for name, part in puts:
            self._puts.append((name, self.next_word, part))
            self.next_word += size_words
        return Reported(first, dtype)

    def _parts_of(
        self, numba_type: Any, value: ir.Value
    ) -> tuple[str, list[tuple[str, ir.Value]], int] | None:
        """Return NumPy's name of a type, the placeholders that put its parts, and the words of a part."""
        builder, context = self._builder, self._context
        if isinstance(numba_type, types.Boolean):
            return "bool", [(abi.STATUS_PUT, builder.zext(value, _I32))], 1
        if isinstance(numba_type, types.NPDatetime | types.NPTimedelta):
            name = "datetime64" if isinstance(numba_type, types.NPDatetime) else "timedelta64"
            unit = f"[{numba_type.unit}]" if numba_type.unit else ""
            return f"{name}{unit}", [("nv.status.put.i64", value)], 2
        if isinstance(numba_type, types.Integer):
            size_words = 1 if numba_type.bitwidth <= 32 else 2
            dtype = f"{'' if numba_type.signed else 'u'}int{32 * size_words}"
            wide = f"nv.status.put.{'i' if numba_type.signed else 'u'}64"
            value = context.cast(builder, value, numba_type, getattr(types, dtype))
            return dtype, [(abi.STATUS_PUT if size_words == 1 else wide, value)], size_words
        if isinstance(numba_type, types.Complex):
            number = context.make_complex(builder, numba_type, value=value)
            kind = numba_type.underlying_float
            parts = [self._float(kind, number.real), self._float(kind, number.imag)]
            return str(numba_type), parts, kind.bitwidth // 32
        if isinstance(numba_type, types.Float):
            return str(numba_type), [self._float(numba_type, value)], max(numba_type.bitwidth // 32, 1)
        return None

    def _float(self, numba_type: Any, value: ir.Value) -> tuple[str, ir.Value]:
        if numba_type is types.float16:
            return abi.STATUS_PUT, self._builder.zext(value, _I32)
        if numba_type is types.float32:
            return abi.STATUS_PUT, placeholders.call(self._builder, abi.BITS_F32, value)
        return "nv.status.put.f64", value

    def add_text(self, numba_type: Any, value: ir.Value) -> ReportedText | None:
        """Take a text with its numbers; returns None if it is none, or there is no room left."""
        if not isinstance(numba_type, VulkanText):
            return None
        numbers = [
            self.add(kind, self._builder.extract_value(value, k)) for k, kind in enumerate(numba_type.numbers)
        ]
        known = tuple(number for number in numbers if number is not None)
        return ReportedText(numba_type.template, known) if len(known) == len(numbers) else None

    def write(self, base: ir.Value) -> None:
        """Write the numbers, ``base`` words further than their own."""
        for name, word, value in self._puts:
            place = self._builder.add(base, ir.Constant(_I32, word))
            placeholders.call(self._builder, name, place, value)
