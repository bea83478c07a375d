"""Conversions between float32 and float64 words equal those of the host, for special values and random bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from numba_vulkan.llvmir.build import Builder
from numba_vulkan.llvmir.model import Argument, Block, Function, Instruction, Value
from numba_vulkan.llvmir.types import F32, I32, PTR, VOID
from numba_vulkan.middle.float64_words import cut_f32, f32_to_words, words_to_f32, words_to_f32_bits
from unit.native import run_over

GENERATOR = np.random.default_rng(20)
COUNT = 200_000


def converting(convert: Callable[[Builder, Value, Value], Value]) -> Function:
    """A function that stores what is made of the words of a float64."""
    low, high, out = Argument(I32, "low"), Argument(I32, "high"), Argument(PTR, "out")
    block = Block("entry")
    builder = Builder(block.instructions)
    builder.store(convert(builder, low, high), out)
    builder.emit(Instruction("ret", VOID))
    return Function("narrow", VOID, [low, high, out], [block])


def cut_bits(builder: Builder, low: Value, high: Value) -> Value:
    return words_to_f32_bits(builder, low, high, to_odd=True)


def widening() -> Function:
    """A function that stores the two words of a float32."""
    value, low, high = Argument(F32, "value"), Argument(PTR, "low"), Argument(PTR, "high")
    block = Block("entry")
    builder = Builder(block.instructions)
    for word, pointer in zip(f32_to_words(builder, value), (low, high), strict=True):
        builder.store(word, pointer)
    builder.emit(Instruction("ret", VOID))
    return Function("widen", VOID, [value, low, high], [block])


def float64_samples() -> np.ndarray:
    """Bit patterns around every rounding and range boundary of float32, both signs, and random ones."""
    exact = np.arange(0, 2**32, 9973, dtype=np.uint64).astype(np.uint32).view(np.float32)
    with np.errstate(invalid="ignore"):
        near = exact.astype(np.float64).view(np.uint64)
    half = np.uint64(1 << 28)
    ties = np.concatenate([near + half, near + half - np.uint64(1), near + half + np.uint64(1), near])
    # Results that are denormal: exponents from 2**-155 to 2**-120, mantissas that end in a tie or next to one.
    exponents = GENERATOR.integers(1023 - 155, 1023 - 120, COUNT).astype(np.uint64) << np.uint64(52)
    shift = GENERATOR.integers(0, 52, COUNT).astype(np.uint64)
    mantissas = (GENERATOR.integers(0, 2**52, COUNT).astype(np.uint64) >> shift) << shift
    mantissas = (mantissas + GENERATOR.integers(-1, 2, COUNT).astype(np.uint64)) & np.uint64(2**52 - 1)
    anything = GENERATOR.integers(0, 2**64, COUNT, dtype=np.uint64)
    signs = GENERATOR.integers(0, 2, COUNT).astype(np.uint64) << np.uint64(63)
    special = np.array(
        [0, 1, 2**52 - 1, 2**52, 0x7FF << 52, (0x7FF << 52) + 1, (0x7FF << 52) + (1 << 29)], np.uint64
    )
    special = np.concatenate([special, special | np.uint64(1 << 63)])
    return np.concatenate([ties, exponents | mantissas | signs, anything, special])


def same_float32(result: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Equal bits; a NaN's sign, quiet bit and payload count too."""
    return result.view(np.uint32) == expected.view(np.uint32)


def test_words_to_f32() -> None:
    bits = float64_samples()
    low, high = bits.astype(np.uint32), (bits >> np.uint64(32)).astype(np.uint32)
    (result,) = run_over(converting(words_to_f32), [low, high])
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        expected = bits.view(np.float64).astype(np.float32)
    wrong = ~same_float32(result, expected)
    assert not wrong.any(), [hex(b) for b in bits[wrong][:5]]


def test_f32_to_words() -> None:
    every_exponent = np.arange(0, 2**32, 4999, dtype=np.uint64).astype(np.uint32)
    denormals = np.concatenate([np.arange(5000), 2 ** np.arange(24) - 1, 2 ** np.arange(24)]).astype(
        np.uint32
    )
    bits = np.concatenate([every_exponent, denormals, denormals | np.uint32(1 << 31)])
    low, high = run_over(widening(), [bits.view(np.float32)])
    with np.errstate(invalid="ignore"):
        expected = bits.view(np.float32).astype(np.float64).view(np.uint64)
    result = low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)
    assert (result == expected).all(), [hex(b) for b in bits[result != expected][:5]]


def test_cutting_keeps_what_rounding_once_more_needs():
    """Half of the float32 between two float16, ties and their neighbours: the float16 is that of the float64."""
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    middles = (halves[:-1] + halves[1:]) / 2
    numbers = np.concatenate([halves, middles, np.nextafter(middles, 0), np.nextafter(middles, np.inf)])
    numbers = np.concatenate([numbers, [5e-324, 1e-300, 1e-45, 1e300, np.inf]])
    words = np.concatenate([numbers, -numbers]).view(np.uint64)
    (cut,) = run_over(
        converting(cut_bits), [words.astype(np.uint32), (words >> np.uint64(32)).astype(np.uint32)]
    )
    with np.errstate(over="ignore"):
        expected = words.view(np.float64).astype(np.float16).view(np.uint16)
        found = cut.view(np.float32).astype(np.float16).view(np.uint16)
        folded = np.array([cut_f32(word) for word in words.tolist()], np.uint32).view(np.float32)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(folded.astype(np.float16).view(np.uint16), expected)
