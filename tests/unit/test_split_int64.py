"""Each 64-bit operation in words equals LLVM's own, over edge values in all combinations and random ones."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from numba_vulkan.errors import SpirvCodegenError
from numba_vulkan.kernel import KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.model import Function
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.types import I64
from numba_vulkan.llvmir.verify import verify
from numba_vulkan.middle import split_int64
from numba_vulkan.middle.passes import Context
from unit.int64_samples import (
    DIVISORS,
    EDGES,
    GENERATOR,
    near_multiples,
    pairs_of_samples,
    samples,
    without_undefined_divisions,
)
from unit.native import guard_shifts, run_over

CONTEXT = Context(KernelInterface("kernel", "kernel.py", 1), Variant(TargetProfile(int64=False)))


def words(x: np.ndarray) -> list[np.ndarray]:
    return [x.astype(np.uint32), (x >> np.uint64(32)).astype(np.uint32)]


def integers_of(results: list[np.ndarray]) -> np.ndarray:
    low, high = results
    return low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)


ARGUMENTS = "i32 %a.low, i32 %a.high, i32 %b.low, i32 %b.high, i32 %c.low, i32 %c.high"
JOINED = "\n".join(f"  %{x} = call i64 @nv.join.i64(i32 %{x}.low, i32 %{x}.high)" for x in "abc")
STORED = """
  %low = call i32 @nv.low.i64(i64 %r)
  %high = call i32 @nv.high.i64(i64 %r)
  store i32 %low, ptr %out.low
  store i32 %high, ptr %out.high
  ret void"""


def of_int64(code: str) -> Function:
    """A function of the 64-bit integers a, b and c, whose result is the 64-bit integer r."""
    text = (
        f"define void @f({ARGUMENTS}, ptr %out.low, ptr %out.high) {{\nentry:\n{JOINED}\n{code}\n{STORED}\n}}"
    )
    return parse_function(text, "f")


def of_condition(code: str) -> Function:
    """A function whose result is the condition r."""
    end = "  %word = zext i1 %r to i32\n  store i32 %word, ptr %out\n  ret void"
    return parse_function(
        f"define void @f({ARGUMENTS}, ptr %out) {{\nentry:\n{JOINED}\n{code}\n{end}\n}}", "f"
    )


def split(function: Function) -> Function:
    split_int64.run(function, CONTEXT)
    verify(function)
    for instruction in function.instructions():
        assert instruction.type is not I64
        assert all(operand.type is not I64 for operand in instruction.operands)
    return function


def check(make: Callable[[str], Function], code: str, left: np.ndarray, right: np.ndarray) -> Function:
    """Compare a function with itself after the pass."""
    inputs = words(left) + words(right) + words(left ^ right)
    expected = run_over(make(code), inputs)
    function = split(make(code))
    guard_shifts(function)
    results = run_over(function, inputs)
    for result, reference in zip(results, expected, strict=True):
        wrong = result != reference
        assert not wrong.any(), [
            (hex(a), hex(b)) for a, b in zip(left[wrong][:4], right[wrong][:4], strict=True)
        ]
    return function


@pytest.mark.parametrize("opcode", ["add", "sub", "mul", "and", "or", "xor"])
def test_arithmetic(opcode: str) -> None:
    check(of_int64, f"%r = {opcode} i64 %a, %b", *pairs_of_samples())


@pytest.mark.parametrize("opcode", ["udiv", "urem", "sdiv", "srem"])
def test_division(opcode: str) -> None:
    check(of_int64, f"%r = {opcode} i64 %a, %b", *without_undefined_divisions(opcode, *pairs_of_samples()))


@pytest.mark.parametrize("opcode", ["udiv", "urem", "sdiv", "srem"])
@pytest.mark.parametrize("divisor", DIVISORS)
def test_division_by_constant(opcode: str, divisor: int) -> None:
    left = near_multiples(divisor)
    if divisor == -1:
        left = left[left != 1 << 63]
    function = check(of_int64, f"%r = {opcode} i64 %a, {divisor}", left, left)
    assert len(function.blocks) == 1
    extended = "%x = {} i32 %a.low to i64\n%r = {} i64 %x, {}"
    check(of_int64, extended.format("zext", opcode, divisor), left, left)
    check(of_int64, extended.format("sext", opcode, divisor), left, left)


def test_quotient_and_remainder_share_a_division() -> None:
    code = "%q = sdiv i64 %a, %b\n%m = srem i64 %a, %b\n%x = shl i64 %q, 1\n%r = xor i64 %x, %m"
    function = check(of_int64, code, *without_undefined_divisions("sdiv", *pairs_of_samples()))
    assert len(function.blocks) == 4


@pytest.mark.parametrize("opcode", ["shl", "lshr", "ashr"])
def test_shift(opcode: str) -> None:
    values = np.concatenate([EDGES, samples(500)])
    left = values.repeat(64)
    distance = np.tile(np.arange(64, dtype=np.uint64), len(values))
    check(of_int64, f"%r = {opcode} i64 %a, %b", left, distance)
    for constant in (0, 1, 8, 31, 32, 33, 62, 63):
        function = check(of_int64, f"%r = {opcode} i64 %a, {constant}", values, values)
        assert sum(i.opcode not in ("call", "store", "ret") for i in function.instructions()) <= 4


PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")


@pytest.mark.parametrize("predicate", PREDICATES)
def test_comparison(predicate: str) -> None:
    check(of_condition, f"%r = icmp {predicate} i64 %a, %b", *pairs_of_samples())
    left = np.concatenate([EDGES, samples(1000)])
    for bound in (0, -1, 1, 100, 2**32 - 1, 2**32, 2**40, -(2**32), 2**63 - 1, -(2**63)):
        check(of_condition, f"%r = icmp {predicate} i64 %a, {bound}", left, left)
    extended = "%x = {} i32 %a.low to i64\n%y = {} i32 %b.low to i64\n%r = icmp " + predicate + " i64 %x, %y"
    for first in ("zext", "sext"):
        for second in ("zext", "sext"):
            function = check(of_condition, extended.format(first, second), *pairs_of_samples())
            if first == second:
                assert sum(i.opcode == "icmp" for i in function.instructions()) == 1


@pytest.mark.parametrize("name", ["smin", "smax", "umin", "umax"])
def test_extremum(name: str) -> None:
    check(of_int64, f"%r = call i64 @llvm.{name}.i64(i64 %a, i64 %b)", *pairs_of_samples())


def test_absolute_value() -> None:
    check(of_int64, "%r = call i64 @llvm.abs.i64(i64 %a, i1 false)", *pairs_of_samples())


def test_select() -> None:
    check(of_int64, "%c0 = icmp slt i64 %a, %b\n%r = select i1 %c0, i64 %a, i64 %c", *pairs_of_samples())
    check(
        of_int64, "%c0 = icmp slt i64 %a, %b\n%r = select i1 %c0, i64 -1, i64 4294967296", *pairs_of_samples()
    )


@pytest.mark.parametrize("source", ["i1", "i8", "i16", "i32"])
@pytest.mark.parametrize("opcode", ["zext", "sext"])
def test_extension_and_truncation(source: str, opcode: str) -> None:
    narrow = f"%n = trunc i64 %a to {source}\n%x = {opcode} {source} %n to i64\n"
    check(of_int64, narrow + "%r = add i64 %x, %b", *pairs_of_samples())
    check(of_int64, narrow + "%r = mul i64 %x, %b", *pairs_of_samples())
    check(of_int64, narrow + "%y = sub i64 %x, %b\n%r = ashr i64 %y, 3", *pairs_of_samples())


def test_extension_of_words_is_free() -> None:
    code = "%x = zext i32 %a.low to i64\n%y = zext i32 %b.low to i64\n%r = or i64 %x, %y"
    function = check(of_int64, code, *pairs_of_samples())
    assert [i.opcode for i in function.instructions()] == ["or", "store", "store", "ret"]


def test_joined_shifts_are_free() -> None:
    code = "%l = zext i32 %a.low to i64\n%h = zext i32 %b.low to i64\n%s = shl i64 %h, 32\n%r = or i64 %l, %s"
    function = check(of_int64, code, *pairs_of_samples())
    assert [i.opcode for i in function.instructions()] == ["store", "store", "ret"]


# ---- conversions


def to_float(code: str) -> Function:
    """A function whose result is the bits of a float32."""
    end = "  %word = bitcast float %r to i32\n  store i32 %word, ptr %out\n  ret void"
    return parse_function(
        f"define void @f({ARGUMENTS}, ptr %out) {{\nentry:\n{JOINED}\n{code}\n{end}\n}}", "f"
    )


def around_ties() -> np.ndarray:
    """Integers of all lengths whose bits below float precision are a tie, or one off it."""
    kept = GENERATOR.integers(1 << 23, 1 << 24, 20_000, dtype=np.uint64)
    shift = GENERATOR.integers(0, 41, 20_000, dtype=np.uint64)
    half = (np.uint64(1) << shift) >> np.uint64(1)
    step = GENERATOR.integers(-1, 2, 20_000).astype(np.uint64)
    return (kept << shift) + half + step


@pytest.mark.parametrize("opcode", ["sitofp", "uitofp"])
def test_to_float32(opcode: str) -> None:
    values = np.concatenate([EDGES, samples(50_000), around_ties(), -around_ties()])
    check(to_float, f"%r = {opcode} i64 %a to float", values, values)
    check(to_float, f"%x = sext i32 %a.low to i64\n%r = {opcode} i64 %x to float", values, values)
    check(to_float, f"%x = zext i32 %a.low to i64\n%r = {opcode} i64 %x to float", values, values)


@pytest.mark.parametrize("opcode", ["sitofp", "uitofp"])
def test_to_float64(opcode: str) -> None:
    shift = GENERATOR.integers(0, 12, 20_000, dtype=np.uint64)
    ties = (samples(20_000) | np.uint64(1 << 52) << shift) & ~(np.uint64(1) << shift) | np.uint64(1) << shift
    values = np.concatenate([EDGES, samples(50_000), around_ties(), ties, -ties])
    code = f"%x = {opcode} i64 %a to double\n%l = call i32 @nv.low.f64(double %x)\n"
    code += "%h = call i32 @nv.high.f64(double %x)\n%r = call i64 @nv.join.i64(i32 %l, i32 %h)"
    check(of_int64, code, values, values)


@pytest.mark.parametrize("opcode", ["fptosi", "fptoui"])
def test_from_float(opcode: str) -> None:
    bound = 2.0**63 if opcode == "fptosi" else 2.0**64
    floats = np.concatenate(
        [
            GENERATOR.uniform(-1, 1, 40_000) * 2.0 ** GENERATOR.integers(-5, 65, 40_000),
            EDGES.astype(np.float64),
        ]
    )
    floats = np.concatenate([floats, np.floor(floats), np.floor(floats) + 0.5, [0.0, -0.0, 0.5, -0.5, 1e-45]])
    for type, dtype in (("float", np.float32), ("double", np.float64)):
        values = floats.astype(dtype)
        lowest = -bound if opcode == "fptosi" else dtype(-0.75)
        values = values[(values >= lowest) & (values < bound)]
        if type == "float":
            words_in = values.view(np.uint32).astype(np.uint64)
            code = f"%x = bitcast i32 %a.low to float\n%r = {opcode} float %x to i64"
        else:
            words_in = values.view(np.uint64)
            code = "%x = call double @nv.join.f64(i32 %a.low, i32 %a.high)\n"
            code += f"%r = {opcode} double %x to i64"
        check(of_int64, code, words_in, words_in)


def test_bits_of_float64() -> None:
    code = "%x = bitcast i64 %a to double\n%y = fneg double %x\n%r = bitcast double %y to i64"
    check(of_int64, code, *pairs_of_samples())


# ---- control flow


def test_loop_with_phis() -> None:
    code = """  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %x = phi i64 [ %a, %entry ], [ %x.next, %loop ]
  %n = phi i32 [ %b.low, %entry ], [ %n.next, %loop ]
  %q = udiv i64 %x, 10
  %d = or i64 %b, 1
  %m = urem i64 %x, %d
  %wide = zext i32 %n to i64
  %y = add i64 %wide, %m
  %n.next = trunc i64 %y to i32
  %x.next = xor i64 %q, %c
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, 5
  br i1 %more, label %loop, label %end
end:
  %z = zext i32 %n.next to i64
  %r = add i64 %x.next, %z"""
    code = code.replace("  %d = or i64 %b, 1\n", "").replace(
        "  %q = udiv", "  %d = or i64 %b, 1\n  %q = udiv"
    )
    left, right = pairs_of_samples()
    check(of_int64, code, left[:5000], right[:5000])


def test_loop_of_small_counters() -> None:
    code = """  %n = and i64 %b, 63
  br label %loop
loop:
  %left = phi i64 [ %n, %entry ], [ %left.next, %body ]
  %k = phi i64 [ -20, %entry ], [ %k.next, %body ]
  %sum = phi i64 [ %a, %entry ], [ %sum.next, %body ]
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %body, label %end
body:
  %left.next = add i64 %left, -1
  %k.next = add i64 %k, 1
  %q = sdiv i64 %k, 3
  %p = mul i64 %q, %left
  %m = call i64 @llvm.smax.i64(i64 %p, i64 -7)
  %c0 = icmp ult i64 %m, %k
  %y = select i1 %c0, i64 %m, i64 %k
  %sum.next = add i64 %sum, %y
  br label %loop
end:
  %r = sub i64 %sum, %k"""
    left, right = pairs_of_samples()
    function = check(of_int64, code, left[:8000], right[:8000])
    assert sum(i.opcode == "phi" for i in function.instructions()) == 4


def random_program(seed: int) -> str:
    """Operations of small and large numbers, mixed."""
    choose = random.Random(seed)
    lines = ["  %s0 = trunc i64 %a to i8", "  %s1 = trunc i64 %b to i16", "  %v0 = zext i8 %s0 to i64"]
    lines += ["  %v1 = sext i16 %s1 to i64", "  %v2 = lshr i64 %c, 40", "  %v3 = sext i32 %a.low to i64"]
    values = ["%a", "%b", "%c", "%v0", "%v1", "%v2", "%v3"]
    for number in range(4, 40):
        opcode = choose.choice(
            ("add", "sub", "mul", "and", "or", "xor", "shl", "ashr", "smin", "umax", "select", "rem")
        )
        small = values[3:] if choose.random() < 0.7 else values
        x, y = choose.choice(small), choose.choice([*small, str(choose.randint(-9, 300))])
        if opcode in ("shl", "ashr"):
            code = f"{opcode} i64 {x}, {choose.randint(0, 63 if opcode == 'ashr' else 9)}"
        elif opcode in ("smin", "umax"):
            code = f"call i64 @llvm.{opcode}.i64(i64 {x}, i64 {y})"
        elif opcode == "select":
            lines.append(f"  %c{number} = icmp {choose.choice(PREDICATES)} i64 {x}, {y}")
            code = f"select i1 %c{number}, i64 {x}, i64 {y}"
        elif opcode == "rem":
            code = (
                f"{choose.choice(('srem', 'sdiv', 'urem'))} i64 {x}, {choose.choice((3, 10, 64, 1000, -7))}"
            )
        else:
            code = f"{opcode} i64 {x}, {y}"
        lines.append(f"  %v{number} = {code}")
        values.append(f"%v{number}")
    lines += [f"  %r{n} = xor i64 %v{n}, {f'%r{n - 1}' if n > 4 else '%a'}" for n in range(4, 40)]
    return "\n".join((*lines, "  %r = add i64 %r39, 0"))


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    left, right = pairs_of_samples()
    check(of_int64, random_program(seed), left[-3000:], right[-3000:])


def test_definitions_after_uses_in_the_text() -> None:
    code = """  br label %first
second:
  %r = add i64 %x, %b
  br label %end
first:
  %x = mul i64 %a, %c
  br label %second
end:"""
    check(of_int64, code, *pairs_of_samples())


@pytest.mark.parametrize(
    "cases", [(0, 1, 5), (2**32, 2**32 + 1), (0, 2**32, 2**63), (2**64 - 1, 2**64 - 2), (0, 1, 2, 3)]
)
def test_switch(cases: tuple[int, ...]) -> None:
    labels = [f"case{number}" for number in range(len(cases))]
    table = " ".join(
        f"i64 {np.uint64(c).astype(np.int64)}, label %{label}" for c, label in zip(cases, labels, strict=True)
    )
    code = [f"  switch i64 %a, label %end [ {table} ]"]
    code += [f"{label}:\n  br label %end" for label in labels]
    incoming = ", ".join(f"[ {number}, %{label} ]" for number, label in enumerate(labels, 100))
    code += ["end:", f"  %r = phi i64 [ %b, %entry ], {incoming}"]
    near = np.array(
        [(c + d) % 2**64 for c in (*cases, *(c ^ 1 << 32 for c in cases)) for d in (-1, 0, 1)], np.uint64
    )
    check(of_int64, "\n".join(code), np.concatenate([near, EDGES]), np.concatenate([near, EDGES]))


# ---- memory


def test_variables() -> None:
    code = """  %p = alloca i64
  %q = alloca [4 x i64]
  store i64 %a, ptr %p
  %k = and i64 %b, 3
  %at = getelementptr i64, ptr %q, i64 %k
  store i64 %c, ptr %at
  %x = load i64, ptr %p
  %y = load i64, ptr %at
  %r = sub i64 %x, %y"""
    check(of_int64, code, *pairs_of_samples())


def test_tables() -> None:
    numbers = (1, -1, 2**32, -(2**63))
    table = "@t = private unnamed_addr constant [4 x i64] [" + ", ".join(f"i64 {n}" for n in numbers) + "]\n"
    code = "  %k = and i64 %b, 3\n  %p = getelementptr inbounds i64, ptr @t, i64 %k\n"
    code += "  %x = load i64, ptr %p\n  %r = add i64 %x, %a"
    text = f"{table}define void @f({ARGUMENTS}, ptr %out.low, ptr %out.high) {{\nentry:\n{JOINED}\n{code}{STORED}\n}}"
    left, right = pairs_of_samples()
    function = split(parse_function(text, "f"))
    assert sorted(function.globals) == ["t.high", "t.low"]
    result = integers_of(run_over(function, words(left) + words(right) + words(right)))
    assert (result == left + np.array([n % 2**64 for n in numbers], np.uint64)[right % 4]).all()


def test_unknown_operation_is_named() -> None:
    with pytest.raises(SpirvCodegenError, match=r"kernel.py:1: no rule splits '.*@llvm.bswap.i64"):
        split(of_int64("%r = call i64 @llvm.bswap.i64(i64 %a)"))
