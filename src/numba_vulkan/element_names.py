"""How accesses name the elements of arrays: their type in memory, where they lie, and in what they are computed."""

from __future__ import annotations

__all__ = [
    "ELEMENTS",
    "ELEMENT_BYTES",
    "EXCESS_ELEMENTS",
    "INDEX_TYPES",
    "NARROWED_ELEMENT",
    "NARROWED_INTEGER",
    "NARROWED_UNSIGNED",
    "ODD_ELEMENT",
    "PLACES",
    "SIGNED_EXCESS",
    "UNSIGNED_EXCESS",
    "UNSIGNED_INTEGER",
    "WORDS",
    "place_of",
    "stored_element",
]

# LLVM types as they lie in memory; bool is i8.
ELEMENT_BYTES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "f16": 2, "f32": 4, "f64": 8}
ELEMENTS = tuple(ELEMENT_BYTES)
INDEX_TYPES = ("i32", "i64")
# The elements of an array of 32-bit words that holds values of every type, as records are.
WORDS = "words"
# Where a value lies in such an array, if not at a multiple of its size: its access is one of "f32+8", which begins
# 8 bits into the word that the index counts, or of "f32/2", whose index counts 2 bytes.
PLACES = ("+0", "+8", "+16", "+24", "/1", "/2")
# Stores of unsigned integers of 64 bits say so: where they are computed in 32, the high word follows from that.
UNSIGNED_INTEGER = "u64"
# Access to float64 elements and parameters by a kernel that computes them in float32; the bytes stay float64.
NARROWED_ELEMENT = "f64_as_f32"
# The same for what only `abi.ODD_BITS` are wanted of.
ODD_ELEMENT = "f64_as_odd"
# The same for 64-bit integers that are computed in 32 bits: the low word; stores extend it to the whole element.
NARROWED_INTEGER, NARROWED_UNSIGNED = "i64_as_i32", "u64_as_i32"
# What of such an integer is lost; see `abi.excess_name`.
SIGNED_EXCESS, UNSIGNED_EXCESS = "i64_as_excess", "i64_as_unsigned_excess"
EXCESS_ELEMENTS = (SIGNED_EXCESS, UNSIGNED_EXCESS)


def place_of(element: str) -> tuple[str, str]:
    """Return the type and the place, '' for a multiple of its size, of an element that an access names."""
    for mark in "+/":
        name, found, rest = element.partition(mark)
        if found:
            return name, found + rest
    return element, ""


def stored_element(element: str) -> str:
    """Return which of `ELEMENTS` lies in memory; an access may add in what an element is computed, or its sign."""
    name = element.partition("_as_")[0]
    return f"i{name[1:]}" if name[0] == "u" else name
