"""Elements in arrays of 32-bit words: where they lie, and how they are read from and written into the words.

An element of 8 or 16 bits is a part of a word, one of 64 bits is two words; elements of packed records begin anywhere.
Words that an element does not fill are changed by atomic operations, so that neighbours may be written at the same
time; where the device can store parts of words, in these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Constant, Value, constant
from ..llvmir.types import I32, VOID, IntType, int_type

__all__ = ["Place", "part_of", "place", "read", "write", "write_parts"]

_ALL = 0xFFFFFFFF


@dataclass(frozen=True)
class Place:
    """Where an element lies.

    Attributes
    ----------
    word : Value
        The index of its first word.
    bit : Value
        Where it begins in that word, an i32.
    bits : int
        Its size.
    spans : bool
        Whether it may go on in a further word because of where it begins.
    """

    word: Value
    bit: Value
    bits: int
    spans: bool = False


def place(b: Builder, index: Value, bits: int, where: str = "") -> Place:
    """Return where an element lies.

    Parameters
    ----------
    b : Builder
        Takes the instructions.
    index : Value
        The index that the access names.
    bits : int
        The size of the element: 8, 16, 32 or 64.
    where : str
        One of `abi.PLACES`, or '' if the index counts elements.
    """
    type = index.type
    assert isinstance(type, IntType)
    if where.startswith("+"):
        return Place(index, b.i32(int(where[1:])), bits)
    if not where and bits >= 32:
        return Place(b.binary("shl", index, constant(type, bits // 64)), b.i32(0), bits)
    unit = 8 * int(where[1:]) if where else bits
    # Units of a word, and bits of a unit, are powers of two.
    word = b.binary("lshr", index, constant(type, (32 // unit).bit_length() - 1))
    position = b.binary("and", b.cast("trunc", index, I32), b.i32(32 // unit - 1))
    return Place(word, b.binary("shl", position, b.i32(unit.bit_length() - 1)), bits, bits > unit)


def read(b: Builder, binding: Value, at: Place) -> list[Value]:
    """Return the words of an element, the low one first; above 8 or 16 bits there are zeros."""
    count = max(at.bits // 32, 1)
    if isinstance(at.bit, Constant):
        shift = at.bit.value
        loaded = [_load(b, binding, _further(b, at.word, k)) for k in range(_words_touched(shift + at.bits))]
        after = [*loaded[1:], None][:count]
    else:
        shift = -1
        loaded = [_load(b, binding, _further(b, at.word, k)) for k in range(count)]
        last = _load(b, binding, _last(b, at)) if at.spans else None
        after = [*loaded[1:], last]
    if shift == 0:
        words = loaded
    else:
        words = [
            _or(b, b.binary("lshr", low, at.bit), _carried_down(b, high, at.bit))
            for low, high in zip(loaded[:count], after, strict=True)
        ]
    if at.bits < 32 and shift + at.bits != 32:
        words[0] = b.binary("and", words[0], b.i32((1 << at.bits) - 1))
    return words


def write(b: Builder, binding: Value, at: Place, words: list[Value]) -> None:
    """Write the words of an element, the low one first; what is above 8 or 16 bits does not count."""
    mask = _ALL if at.bits >= 32 else (1 << at.bits) - 1
    masks: list[Value] = [b.i32(mask)] * len(words)
    words = [b.binary("and", word, b.i32(mask)) if mask != _ALL else word for word in words]
    touched = [_further(b, at.word, k) for k in range(len(words))]
    is_shifted = not isinstance(at.bit, Constant) or at.bit.value
    if isinstance(at.bit, Constant):
        touched += [
            _further(b, at.word, k) for k in range(len(words), _words_touched(at.bit.value + at.bits))
        ]
    elif at.spans:
        touched.append(_last(b, at))
    for k, word in enumerate(touched):
        if not is_shifted:
            _put(b, binding, word, masks[k], words[k])
        else:
            _put(b, binding, word, _shifted(b, masks, k, at.bit), _shifted(b, words, k, at.bit))


def _part_bytes(bits: int, where: str) -> int:
    """Return the largest number of bytes, up to a word, that counts begin and size of an element; see `place`."""
    start = int(where[1:]) // 8 if where.startswith("+") else int(where[1:]) if where else bits // 8
    return math.gcd(start, bits // 8, 4)


def part_of(bits: int, where: str = "") -> str:
    """Return the largest integer that an element at a place can be stored as, in one part or several."""
    return f"i{8 * _part_bytes(bits, where)}"


def write_parts(b: Builder, binding: Value, index: Value, bits: int, where: str, words: list[Value]) -> None:
    """Write an element, given as for `place` and `write`, by stores of integers that fill parts of words."""
    size, part = _part_bytes(bits, where), part_of(bits, where)
    unit = 4 if where.startswith("+") else int(where[1:]) if where else bits // 8
    assert isinstance(index.type, IntType)
    first = b.binary("shl", index, constant(index.type, (unit // size).bit_length() - 1))
    start = int(where[1:]) // 8 // size if where.startswith("+") else 0
    for k in range(bits // 8 // size):
        word, byte = divmod(k * size, 4)
        value = b.cast("trunc", b.binary("lshr", words[word], b.i32(8 * byte)), int_type(8 * size))
        b.call(abi.store_name(part, str(index.type)), VOID, binding, _further(b, first, start + k), value)


def _words_touched(bits: int) -> int:
    return (bits + 31) // 32


def _further(b: Builder, word: Value, count: int) -> Value:
    """Return the index of a word behind another."""
    assert isinstance(word.type, IntType)
    return b.binary("add", word, constant(word.type, count)) if count else word


def _last(b: Builder, at: Place) -> Value:
    """Return the index of the word with the last bit of an element: an element that begins a word spans no more."""
    assert isinstance(at.word.type, IntType)
    beyond = b.binary("lshr", b.binary("add", at.bit, b.i32(at.bits - 1)), b.i32(5))
    return b.binary("add", at.word, b.cast("zext", beyond, at.word.type))


def _load(b: Builder, binding: Value, word: Value) -> Value:
    return b.call(abi.load_name("i32", str(word.type)), I32, binding, word)


def _or(b: Builder, value: Value, other: Value | None) -> Value:
    return value if other is None else b.binary("or", value, other)


def _carried_down(b: Builder, higher: Value | None, bit: Value) -> Value | None:
    """Return what a word gets from the next one when both are shifted down; nothing for a shift by 0."""
    if higher is None:
        return None
    if isinstance(bit, Constant):
        return b.binary("shl", higher, b.i32(32 - bit.value))
    return b.binary("shl", b.binary("shl", higher, b.i32(1)), b.binary("sub", b.i32(31), bit))


def _shifted(b: Builder, words: list[Value], k: int, bit: Value) -> Value:
    """Return word number ``k`` of words that are shifted up."""
    up = b.binary("shl", words[k], bit) if k < len(words) else None
    if not k:
        assert up is not None
        return up
    if isinstance(bit, Constant):
        carried = b.binary("lshr", words[k - 1], b.i32(32 - bit.value))
    else:
        half = b.binary("lshr", words[k - 1], b.i32(1))
        carried = b.binary("lshr", half, b.binary("sub", b.i32(31), bit))
    return carried if up is None else b.binary("or", up, carried)


def _put(b: Builder, binding: Value, word: Value, mask: Value, value: Value) -> None:
    """Change the bits of a word that a mask tells."""
    if isinstance(mask, Constant) and mask.value == _ALL:
        b.call(abi.store_name("i32", str(word.type)), VOID, binding, word, value)
        return
    b.call(abi.WORD_AND, VOID, binding, word, b.binary("xor", mask, b.i32(_ALL)))
    if not (isinstance(value, Constant) and value.value == 0):
        b.call(abi.WORD_OR, VOID, binding, word, value)
