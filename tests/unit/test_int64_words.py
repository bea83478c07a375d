"""The builder of words emits nothing for what constants decide, and decides it right."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from numba_vulkan.llvmir.model import Argument, Block, Constant, Value, constant
from numba_vulkan.llvmir.types import F32, I1, I32, I64
from numba_vulkan.middle.int64.arithmetic import add, bitwise, compare, multiply, select, subtract
from numba_vulkan.middle.int64.conversions import to_float
from numba_vulkan.middle.int64.division import divide_unsigned
from numba_vulkan.middle.int64.shifts import shift
from numba_vulkan.middle.int64.words import Pair, WordBuilder, pair_of_constant, sign_extended

RANDOM = random.Random(64)
NUMBERS = [0, 1, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1] + [
    RANDOM.getrandbits(RANDOM.randint(1, 64)) for _ in range(30)
]

Operation = Callable[[WordBuilder, Pair, Pair], Pair]
OPERATIONS: dict[str, tuple[Operation, Callable[[int, int], int]]] = {
    "add": (add, lambda a, b: a + b),
    "sub": (subtract, lambda a, b: a - b),
    "mul": (multiply, lambda a, b: a * b),
    "xor": (lambda b, x, y: bitwise(b, "xor", x, y), lambda a, b: a ^ b),
    "shl": (lambda b, x, y: shift(b, "shl", x, y.low), lambda a, b: a << (b & 63)),
    "lshr": (lambda b, x, y: shift(b, "lshr", x, y.low), lambda a, b: a >> (b & 63)),
    "udiv": (lambda b, x, y: divide_unsigned(b, x, y).quotient, lambda a, b: a // b),
    "urem": (lambda b, x, y: divide_unsigned(b, x, y).remainder, lambda a, b: a % b),
}


def pair(number: int) -> Pair:
    return pair_of_constant(constant(I64, number))


@pytest.mark.parametrize("name", OPERATIONS)
def test_constants_fold(name: str) -> None:
    operation, reference = OPERATIONS[name]
    b = WordBuilder(Block("entry"))
    for left in NUMBERS:
        for right in NUMBERS:
            if right or name not in ("udiv", "urem"):
                result = operation(b, pair(left), pair(right))
                assert result.value == reference(left, right) % 2**64, (left, right)
    assert b.instructions == []


@pytest.mark.parametrize("predicate", ["eq", "ne", "ult", "uge", "slt", "sle", "sgt", "sge"])
def test_comparisons_of_constants_fold(predicate: str) -> None:
    operators = {
        "eq": int.__eq__,
        "ne": int.__ne__,
        "lt": int.__lt__,
        "le": int.__le__,
        "gt": int.__gt__,
        "ge": int.__ge__,
    }
    operator = operators[predicate[-2:]]
    b = WordBuilder(Block("entry"))
    for left in NUMBERS:
        for right in NUMBERS:
            read = (lambda n: n - (n >> 63 << 64)) if predicate[0] == "s" else int
            result = compare(b, predicate, pair(left), pair(right))
            assert isinstance(result, Constant)
            assert result.value == operator(read(left), read(right)), (left, right)
    assert b.instructions == []


def unknown_words() -> tuple[WordBuilder, Value, Value]:
    return WordBuilder(Block("entry")), Argument(I32, "x"), Argument(I32, "y")


def opcodes(b: WordBuilder) -> list[str]:
    return [instruction.opcode for instruction in b.instructions]


def test_small_numbers_compare_as_words() -> None:
    b, x, y = unknown_words()
    zero = b.i32(0)
    compare(b, "slt", Pair(x, zero), Pair(y, zero))
    assert [i.predicate for i in b.instructions] == ["ult"]
    b = WordBuilder(Block("entry"))
    pairs = sign_extended(b, x), sign_extended(b, y)
    compare(b, "slt", *pairs)
    assert [i.opcode for i in b.instructions] == ["ashr", "ashr", "icmp"]
    assert b.instructions[-1].operands == [x, y]


def test_sign_of_a_constant_needs_both_words() -> None:
    b, x, _ = unknown_words()
    compare(b, "slt", sign_extended(b, x), pair(2**31))
    assert opcodes(b) != ["ashr", "icmp"]


def test_division_of_small_numbers_is_one_division() -> None:
    b, x, y = unknown_words()
    divide_unsigned(b, Pair(x, b.i32(0)), Pair(y, b.i32(0)))
    assert opcodes(b) == ["udiv", "mul", "sub"]


def test_division_by_a_power_of_two_is_a_shift() -> None:
    b, x, y = unknown_words()
    quotient, remainder = divide_unsigned(b, Pair(x, y), pair(2**32))
    assert quotient == Pair(y, b.i32(0))
    assert remainder == Pair(x, b.i32(0))
    assert b.instructions == []


def test_conversion_of_small_numbers_is_that_of_a_word() -> None:
    b, x, _ = unknown_words()
    to_float(b, "sitofp", Pair(x, b.i32(0)), F32)
    to_float(b, "sitofp", sign_extended(b, x), F32)
    assert opcodes(b) == ["uitofp", "ashr", "sitofp"]


def test_selections_of_equal_words_vanish() -> None:
    b, x, y = unknown_words()
    chosen = select(b, Argument(I1, "c"), Pair(x, b.i32(0)), Pair(y, b.i32(0)))
    assert opcodes(b) == ["select"]
    assert chosen.is_zero_extended
