"""How elements of arrays lie in memory that shaders reach, on a device that may lack their types."""

from __future__ import annotations

from dataclasses import dataclass

from . import abi
from .kernel import TargetProfile
from .llvmir.types import F16, F32, F64, I8, I16, I32, I64, FloatType, IntType

__all__ = ["ELEMENT_TYPES", "Storage", "elements_in", "in_words", "shared_storage_of", "storage_of"]

# The types of elements by their names in accesses.
ELEMENT_TYPES: dict[str, IntType | FloatType] = {
    "i8": I8,
    "i16": I16,
    "i32": I32,
    "i64": I64,
    "f16": F16,
    "f32": F32,
    "f64": F64,
}


@dataclass(frozen=True)
class Storage:
    """How the elements of one binding lie in its buffer.

    Attributes
    ----------
    type : str
        The element type that the shader declares: one of `abi.ELEMENTS`.
    words : int
        How many of these make an element (2 for 64-bit elements kept as words), 1 otherwise.
    parts : int
        How many elements share one of these (8- and 16-bit elements kept in words), 1 otherwise.
    """

    type: str
    words: int = 1
    parts: int = 1


_WORDS = Storage("i32", words=2)
_NATIVE = {
    "i8": "storage8",
    "i16": "storage16",
    "f16": "storage16",
    "i64": "stores_int64",
    "f64": "computes_float64",
}
_FALLBACK = {
    "i8": Storage("i32", parts=4),
    "i16": Storage("i32", parts=2),
    "f16": Storage("i32", parts=2),
    "i64": _WORDS,
    "f64": _WORDS,
}


def in_words(element: str) -> Storage:
    """Return how elements lie in an array of words."""
    return _FALLBACK.get(abi.stored_element(element), Storage("i32"))


def storage_of(element: str, profile: TargetProfile) -> Storage:
    """Return how elements of an array are stored; the bytes are the host's on every device."""
    if element == abi.WORDS:
        return Storage("i32")
    if element in _NATIVE and not getattr(profile, _NATIVE[element]):
        return _FALLBACK[element]
    return Storage(element)


def elements_in(element: str, profile: TargetProfile) -> set[str]:
    """Return as which elements a shader may load and store an array: as its own, and records also as parts of words."""
    parts = ("i8", "i16") if element == abi.WORDS else ()
    return {storage_of(element, profile).type, *(p for p in parts if getattr(profile, _NATIVE[p]))}


_COMPUTED = {"i8": "int8", "i16": "int16", "f16": "float16", "i64": "stores_int64"}


def shared_storage_of(element: str, profile: TargetProfile) -> Storage:
    """Return how elements of a shared array are stored; no host sees the bytes, so a narrowed float64 is a float32."""
    if element in _COMPUTED and not getattr(profile, _COMPUTED[element]):
        return _FALLBACK[element]
    return Storage("f32" if element == "f64" and not profile.computes_float64 else element)
