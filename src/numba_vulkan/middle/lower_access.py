"""Let loads, stores and parameters move what the buffers hold.

Arrays have the host's bytes on every device. Where a shader cannot hold an element type, its elements are two words,
or parts of a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .. import abi
from ..errors import SpirvCodegenError
from ..llvmir.build import Builder
from ..llvmir.model import Constant, Function, Instruction, Value, constant
from ..llvmir.types import F32, F64, I32, I64, VOID, FloatType, IntType, int_type
from ..storage import Storage, elements_in, in_words, shared_storage_of, storage_of
from . import words
from .float64_words import f32_to_words, words_to_f32, words_to_f32_bits
from .passes import Context
from .place_shared import made_elements
from .rewriting import REMOVED, Rule, location_text, rewrite, unsupported

__all__ = ["run"]

_LOAD, _STORE, _WORKGROUP, _ATOMIC = abi.LOADS, abi.STORES, abi.WORKGROUP_ARRAYS, abi.ATOMICS
_PARTS = ("i8", "i16")
_WIDE = ("i64", "f64", abi.UNSIGNED_INTEGER)


def run(function: Function, context: Context) -> None:
    """Leave accesses whose binding is a constant and whose index and element the device has."""
    rewrite(function, _Lowering(function, context).rule_of, context)


class _Lowering:
    """The rules for one device."""

    def __init__(self, function: Function, context: Context) -> None:
        profile = context.profile
        self.storage = {element: storage_of(element, profile) for element in abi.ELEMENTS}
        wide = (abi.UNSIGNED_INTEGER, abi.NARROWED_INTEGER, abi.NARROWED_UNSIGNED, *abi.EXCESS_ELEMENTS)
        self.storage |= dict.fromkeys((abi.NARROWED_ELEMENT, abi.ODD_ELEMENT), self.storage["f64"])
        self.storage |= dict.fromkeys(wide, self.storage["i64"])
        self.shared = {element: shared_storage_of(element, profile) for element in abi.ELEMENTS}
        self.shared |= dict.fromkeys((abi.NARROWED_ELEMENT, abi.ODD_ELEMENT), Storage("f32"))
        self.shared |= dict.fromkeys(wide, self.shared["i64"])
        arrays = context.interface.bound
        self.elements = {array.binding: array.element for array in arrays}
        self.elements.update(made_elements(function))
        self.parameters: dict[str, Rule] = {
            abi.parameter_name(abi.NARROWED_ELEMENT): _narrowed_parameter,
            abi.parameter_name(abi.ODD_ELEMENT): _odd_parameter,
            **dict.fromkeys((*abi.STATUS_PUT_NUMBER, "nv.status.put.i32"), _put_number),
        }
        if not profile.int64:
            self.parameters[abi.parameter_name("i64")] = _wide_parameter
        # The elements of arrays that change atomically.
        self.atomic: dict[Value, set[str]] = {}
        for i in function.calls():
            if i.callee.startswith(_ATOMIC):
                self.atomic.setdefault(i.operands[0], set()).add(i.callee.split(".")[3])
            elif i.callee in abi.WORD_ATOMICS:
                self.atomic.setdefault(i.operands[0], set()).add("i32")
        self.profile = profile
        # Words of elements that are parts of one, by the load that stood for them.
        self.words: dict[Value, Value] = {}
        # The loads and the stored values whose elements are parts of words, and nowhere else elements of their own.
        self.parts = set(self._elements(function, True)) - set(self._elements(function, False))

    def _elements(self, function: Function, in_words: bool) -> Iterator[Value]:
        """Yield what moves elements that are parts of words, or those that are not."""
        for i in function.calls((_LOAD, _STORE)):
            element, where = abi.place_of(i.callee.split(".")[2])
            is_part = element in _PARTS and (bool(where) or self.storage_in(i.operands[0], element).parts > 1)
            if is_part is in_words:
                yield i if i.callee.startswith(_LOAD) else i.operands[2]

    def storage_in(self, binding: Value, element: str) -> Storage:
        """Return how elements of a buffer, or of a shared array, are stored."""
        is_shared = isinstance(binding, Constant) and binding.value >= abi.SHARED_BASE
        atomic = self.atomic.get(binding, ())
        if isinstance(binding, Constant) and self.elements.get(binding.value) == abi.WORDS:
            # The pass widen-shared makes of such an array one of 64-bit elements.
            is_widened = is_shared and "i64" in atomic and element in _WIDE
            return Storage("i64") if is_widened else in_words(element)
        storage = (self.shared if is_shared else self.storage)[element]
        if storage.type in _PARTS and atomic:
            return in_words(element)  # atomic operations work on whole words
        # Floats on whose bits atomic operations work are stored as integers.
        bits = f"i{storage.type[1:]}"
        return Storage(bits) if storage.type[0] == "f" and bits in atomic else storage

    def rule_of(self, instruction: Instruction) -> Rule | None:
        opcode = instruction.opcode
        if opcode == "call":
            name = instruction.callee
            if name.startswith(_LOAD):
                return self.load
            if name.startswith(_STORE):
                return self.store
            if name.startswith(_WORKGROUP):
                return self.declare
            return self.parameters.get(name)
        if self.parts:
            if opcode in ("zext", "sext") and instruction.operands[0] in self.parts:
                return self.extend
            if opcode == "trunc" and instruction in self.parts:
                return self.drop
        return None

    def declare(self, b: Builder, call: Instruction, context: Context) -> None:
        """Declare a shared array as it is stored."""
        binding, count = call.operands
        storage = self.storage_in(binding, call.callee.split(".")[2])
        call.detail = abi.workgroup_name(storage.type)
        count = b.binary("shl", count, b.i32(storage.words - 1))
        if storage.parts > 1:
            count = b.binary("add", count, b.i32(storage.parts - 1))
            count = b.binary("lshr", count, b.i32(storage.parts.bit_length() - 1))
        call.operands[1] = count

    def element_of(self, call: Instruction, context: Context) -> tuple[str, Storage, str]:
        """Return the element type that an access names, how it is stored and where; check the binding."""
        element, where = abi.place_of(call.callee.split(".")[2])
        binding = call.operands[0]
        assert isinstance(binding, Constant)
        name = abi.stored_element(element)
        declared = self.elements.get(binding.value, abi.WORDS if where else name)
        if declared not in (name, abi.WORDS) or (where and declared != abi.WORDS):
            raise SpirvCodegenError(
                f"{location_text(call.location, context)}: '{call.callee}' accesses binding {binding.value}, which "
                f"holds {declared}"
            )
        return element, in_words(name) if where else self.storage_in(binding, element), where

    def load(self, b: Builder, call: Instruction, context: Context) -> Value | None:
        element, storage, where = self.element_of(call, context)
        binding, index = call.operands[0], _index(b, call.operands[1], context)
        if where or storage.words == 2 or storage.parts > 1:
            at = words.place(b, index, _bits_of(call, element, context), where)
            if element == abi.NARROWED_INTEGER:
                at = replace(at, bits=32)
            return self.from_words(b, call, element, words.read(b, binding, at))
        name = abi.load_name(storage.type, str(index.type))
        if storage.type[0] == "i" and isinstance(call.type, FloatType):
            return b.cast("bitcast", b.call(name, int_type(call.type.bits), binding, index), call.type)
        if storage.type == "f32" and element == abi.ODD_ELEMENT:
            return b.cast("bitcast", b.call(name, F32, binding, index), I32)
        call.operands[1] = index
        call.detail = name
        return None

    def from_words(self, b: Builder, call: Instruction, element: str, found: list[Value]) -> Value:
        """Return the value of an element that lies in these words."""
        if element in abi.EXCESS_ELEMENTS:
            return b.binary("xor", found[1], _extension(b, found[0], element == abi.UNSIGNED_EXCESS))
        if element == abi.NARROWED_ELEMENT:
            return words_to_f32(b, *found)
        if element == abi.ODD_ELEMENT:
            return words_to_f32_bits(b, *found, to_odd=True)
        if len(found) == 2:
            name, type = (abi.JOIN_I64, I64) if element == "i64" else (abi.JOIN_F64, call.type)
            return b.call(name, type, *found)
        if element in _PARTS:
            self.words[call] = found[0]
        return b.cast("bitcast", found[0], F32) if element == "f32" else found[0]

    def store(self, b: Builder, call: Instruction, context: Context) -> Value | None:
        element, storage, where = self.element_of(call, context)
        binding, index, value = call.operands[0], _index(b, call.operands[1], context), call.operands[2]
        if where or storage.words == 2 or storage.parts > 1:
            bits = _bits_of(call, element, context)
            if self.has_parts(binding, words.part_of(bits, where)):
                words.write_parts(b, binding, index, bits, where, _words_of(b, element, value))
            else:
                at = words.place(b, index, bits, where)
                words.write(b, binding, at, _words_of(b, element, value))
            return REMOVED
        if storage.type[0] == "i" and isinstance(value.type, FloatType):
            value = b.cast("bitcast", value, int_type(value.type.bits))
        call.operands[1:] = [index, value]
        call.detail = abi.store_name(storage.type, str(index.type))
        return None

    def has_parts(self, binding: Value, part: str) -> bool:
        """Whether the device can store parts of words in an array; nothing may change whole words there meanwhile."""
        if not isinstance(binding, Constant) or binding.value >= abi.SHARED_BASE or part not in _PARTS:
            return False
        declared = self.elements.get(binding.value)
        is_records = declared == abi.WORDS and "i32" not in self.atomic.get(binding, ())
        return is_records and part in elements_in(abi.WORDS, self.profile)

    def extend(self, b: Builder, extension: Instruction, context: Context) -> Value:
        """Extend a part of a word, which is zero-extended already."""
        element = extension.operands[0]
        word = self.words.get(element)
        type = extension.type
        if word is None or not isinstance(type, IntType):
            where = location_text(extension.location, context)
            raise SpirvCodegenError(f"{where}: '{extension.opcode}' of {element.type} does not follow a load")
        if extension.opcode == "sext":
            assert isinstance(element.type, IntType)
            distance = b.i32(32 - element.type.bits)
            word = b.binary("ashr", b.binary("shl", word, distance), distance)
        return word if type is I32 else b.cast(extension.opcode, word, type)

    def drop(self, b: Builder, truncation: Instruction, context: Context) -> Value:
        """Drop a truncation before a store: the store masks."""
        return REMOVED


def _bits_of(call: Instruction, element: str, context: Context) -> int:
    """Return the size of an element that lies in words."""
    if element == "f16":
        raise unsupported("arrays of f16 need 16-bit storage, which the device lacks", call, context)
    return 8 * abi.ELEMENT_BYTES[abi.stored_element(element)]


def _index(b: Builder, index: Value, context: Context) -> Value:
    """Return an index in at most the width that the device computes; without int64 no array needs more than 32 bits."""
    if isinstance(index, Constant) and index.value < 1 << 30:
        return b.i32(index.value)
    return b.cast("trunc", index, I32) if index.type is I64 and not context.profile.int64 else index


def _words_of(b: Builder, element: str, value: Value) -> list[Value]:
    """Return the words of a value, the low one first."""
    if element in _PARTS:
        return [_before_truncation(value)]
    if element in (abi.NARROWED_INTEGER, abi.NARROWED_UNSIGNED):
        return [value, _extension(b, value, element == abi.NARROWED_UNSIGNED)]
    if element == abi.NARROWED_ELEMENT:
        return list(f32_to_words(b, value))
    if value.type in (I32, F32):
        return [b.cast("bitcast", value, I32)]
    if isinstance(value, Constant):
        return [b.i32(value.value), b.i32(value.value >> 32)]
    low, high = (abi.LOW_F64, abi.HIGH_F64) if element == "f64" else (abi.LOW_I64, abi.HIGH_I64)
    return [b.call(low, I32, value), b.call(high, I32, value)]


def _extension(b: Builder, low: Value, is_unsigned: bool) -> Value:
    """Return the high word of an integer from its low one."""
    if is_unsigned:
        return b.i32(0)
    return b.i32(low.signed >> 31) if isinstance(low, Constant) else b.binary("ashr", low, b.i32(31))


def _before_truncation(value: Value) -> Value:
    """Return the i32 that was truncated to an element."""
    if isinstance(value, Constant):
        return constant(I32, value.value)
    assert isinstance(value, Instruction)
    assert value.opcode == "trunc"
    return value.operands[0]


def _wide_parameter(b: Builder, call: Instruction, context: Context) -> Value:
    return b.call(abi.JOIN_I64, I64, *_parameter_words(b, call))


def _narrowed_parameter(b: Builder, call: Instruction, context: Context) -> Value:
    return words_to_f32(b, *_parameter_words(b, call))


def _put_number(b: Builder, call: Instruction, context: Context) -> Value:
    """Report a number as the words of its 64 bits, whatever width it is computed in."""
    word, value = call.operands
    if value.type is F32:
        low, high = f32_to_words(b, value)
    elif value.type is F64:
        low, high = b.call(abi.LOW_F64, I32, value), b.call(abi.HIGH_F64, I32, value)
    elif value.type is I64:
        low, high = (b.cast("trunc", v, I32) for v in (value, b.binary("lshr", value, constant(I64, 32))))
    else:
        is_signed = call.callee.endswith(".i32")
        low, high = value, b.binary("ashr", value, b.i32(31)) if is_signed else b.i32(0)
    b.call(abi.STATUS_PUT, VOID, word, low)
    b.call(abi.STATUS_PUT, VOID, b.binary("add", word, b.i32(1)), high)
    return REMOVED


def _odd_parameter(b: Builder, call: Instruction, context: Context) -> Value:
    return words_to_f32_bits(b, *_parameter_words(b, call), to_odd=True)


def _parameter_words(b: Builder, call: Instruction) -> tuple[Value, Value]:
    offset = call.operands[0]
    assert isinstance(offset, Constant)
    name = abi.parameter_name("i32")
    return b.call(name, I32, offset), b.call(name, I32, b.i32(offset.value + 1))
