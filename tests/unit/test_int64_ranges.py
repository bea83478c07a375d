"""Intervals of 64-bit integers: right for every operation, and as narrow as kernels need them."""

from __future__ import annotations

import random

import pytest

from numba_vulkan.llvmir.model import Argument, Constant, Function, Instruction, Value, constant
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.types import I64
from numba_vulkan.middle.int64.conditions import refine
from numba_vulkan.middle.int64.intervals import FULL, Range, asked_besides, transfer
from numba_vulkan.middle.int64.ranges import signed_ranges

RANDOM = random.Random(64)
WIDTH = 1 << 64


def signed(value: int) -> int:
    value %= WIDTH
    return value - WIDTH if value >> 63 else value


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)


def u(a: int) -> int:
    return a % WIDTH


# None where LLVM promises nothing.
OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b if 0 <= b < 64 else None,
    "lshr": lambda a, b: u(a) >> b if 0 <= b < 64 else None,
    "ashr": lambda a, b: a >> b if 0 <= b < 64 else None,
    "sdiv": lambda a, b: quotient(a, b) if b else None,
    "srem": lambda a, b: a - b * quotient(a, b) if b else None,
    "udiv": lambda a, b: u(a) // u(b) if b else None,
    "urem": lambda a, b: u(a) % u(b) if b else None,
    "llvm.smin.i64": min,
    "llvm.smax.i64": max,
    "llvm.umin.i64": lambda a, b: min(a, b, key=u),
    "llvm.umax.i64": lambda a, b: max(a, b, key=u),
    "llvm.abs.i64": lambda a, b: abs(a),
}


def number() -> int:
    bits = RANDOM.choice((1, 2, 3, 5, 8, 31, 32, 33, 62, 63))
    return RANDOM.choice((1, -1)) * RANDOM.getrandbits(bits)


def interval() -> Range:
    low, high = sorted((number(), number()))
    return RANDOM.choice(
        (Range(low, high), Range(low, low), Range(min(abs(low), abs(high)), max(abs(low), abs(high))))
    )


def member(range: Range) -> int:
    return RANDOM.choice((range.low, range.high, RANDOM.randint(range.low, range.high)))


@pytest.mark.parametrize("name", OPERATIONS)
def test_results_lie_in_the_interval(name: str) -> None:
    operands = [Argument(I64, "a"), Argument(I64, "b")]
    opcode = "call" if name.startswith("llvm") else name
    instruction = Instruction(opcode, I64, operands, detail=name if opcode == "call" else None)
    bounded = 0
    for _ in range(4000):
        x, y = interval(), interval()
        if name in ("shl", "lshr", "ashr") and RANDOM.random() < 0.8:
            distance = RANDOM.randint(0, 63)
            y = Range(distance, distance)
        known = transfer(instruction, [x] if name == "llvm.abs.i64" else [x, y], {})
        bounded += known != FULL
        for _ in range(6):
            a, b = member(x), member(y)
            result = OPERATIONS[name](a, b)
            if result is not None:
                assert known.low <= signed(result) <= known.high, (name, x, y, a, b)
    assert bounded > 400


PREDICATES = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
    "ult": lambda a, b: u(a) < u(b),
    "ule": lambda a, b: u(a) <= u(b),
    "ugt": lambda a, b: u(a) > u(b),
    "uge": lambda a, b: u(a) >= u(b),
}


@pytest.mark.parametrize("predicate", PREDICATES)
def test_conditions_keep_what_fulfils_them(predicate: str) -> None:
    narrowed = 0
    for _ in range(4000):
        x, y = interval(), interval()
        left = refine(x, predicate, y)
        narrowed += left != x
        for _ in range(6):
            a, b = member(x), member(y)
            if PREDICATES[predicate](a, b):
                assert left is not None
                assert left.low <= a <= left.high, (predicate, x, y, a, b)
    assert narrowed > 20


def ranges(code: str) -> dict[str, Range]:
    """The intervals of the named 64-bit instructions of a function."""
    text = f"define void @f(i64 %n, i64 %any, i1 %flag) {{\nentry:\n{code}\n}}"
    function: Function = parse_function(text, "f")
    return {value.name: range for value, range in signed_ranges(function).items()}


ID = "  %g = call i32 @nv.id.global(i32 0)\n  %i = zext i32 %g to i64\n"
EXTENT = "  %e = call i32 @nv.param.extent(i32 0)\n  %m = zext i32 %e to i64\n"
COUNT = 2**31 - 1


def rounded_down(x: str, divisor: int, swapped: bool = False) -> str:
    """As the front end divides by a literal; LLVM writes operands in either order."""

    def order(left: str, right: str) -> str:
        return f"{right}, {left}" if swapped else f"{left}, {right}"

    return (
        f"  %sign = ashr i64 {x}, 63\n  %complement = xor i64 {order(x, '%sign')}\n"
        f"  %divided = udiv i64 %complement, {divisor}\n  %quotient = xor i64 {order('%divided', '%sign')}\n"
        f"  %product = mul i64 %quotient, {-divisor}\n  %remainder = add i64 {order(x, '%product')}\n  ret void"
    )


@pytest.mark.parametrize("swapped", [False, True])
def test_divisions_by_literals(swapped: bool) -> None:
    found = ranges(f"{ID}  %x = sub i64 %i, 5\n" + rounded_down("%x", 7, swapped))
    assert found["sign"] == (-1, 0)
    assert found["complement"] == (0, COUNT - 6)
    assert found["divided"] == (0, (COUNT - 6) // 7)
    assert found["remainder"] == (0, 6)
    whole = ranges(rounded_down("%any", 7, swapped))
    assert whole["complement"] == (0, 2**63 - 1)
    assert whole["remainder"] == (0, 6)


@pytest.mark.parametrize(
    ("old", "new"),
    [("ashr i64 %any, 63", "ashr i64 %n, 63"), ("%any, 63", "%any, 62"), ("%quotient, -7", "%quotient, -8")],
)
def test_what_only_looks_like_a_division_by_a_literal(old: str, new: str) -> None:
    code = rounded_down("%any", 7)
    assert old in code
    assert (
        "remainder" not in ranges(code.replace(old, new))
        or ranges(code.replace(old, new))["remainder"] == FULL
    )


def test_ids_and_neighbours() -> None:
    found = ranges(
        f"{ID}  %left = sub i64 %i, 1\n  %twice = mul i64 %i, 2\n  %sum = add i64 %i, %any\n  ret void"
    )
    assert found == {"i": (0, COUNT - 1), "left": (-1, COUNT - 2), "twice": (0, 2 * COUNT - 2)}


def test_clamped_index() -> None:
    code = f"""{ID}{EXTENT}
  %shifted = sub i64 %i, 2
  %positive = call i64 @llvm.smax.i64(i64 %shifted, i64 0)
  %last = sub i64 %m, 1
  %clamped = call i64 @llvm.smin.i64(i64 %last, i64 %positive)
  ret void"""
    assert ranges(code)["clamped"] == (-1, COUNT - 3)


def test_condition_holds_in_the_blocks_it_leads_to() -> None:
    code = """  %low = icmp sge i64 %n, 0
  %high = icmp slt i64 %n, 100
  %both = and i1 %low, %high
  br i1 %both, label %inside, label %outside
inside:
  %x = add i64 %k, 5
  ret void
outside:
  %y = add i64 %k, 5
  ret void"""
    code = code.replace("%n,", "%k,").replace("  %low", "  %k = mul i64 %n, 3\n  %low", 1)
    assert ranges(code) == {"x": (5, 104)}


def test_grid_stride_loop() -> None:
    code = f"""{ID}{EXTENT}
  %s = call i32 @nv.size.groups(i32 0)
  %step = zext i32 %s to i64
  br label %loop
loop:
  %k = phi i64 [ %i, %entry ], [ %next, %loop ]
  %next = add i64 %k, %step
  %more = icmp ult i64 %next, %m
  br i1 %more, label %loop, label %end
end:
  ret void"""
    found = ranges(code)
    assert found["k"] == (0, COUNT - 1)
    assert found["next"] == (0, 2 * COUNT - 1)


@pytest.mark.parametrize(("start", "bound"), [("0", 10), ("-5", 10), ("3", 2**40)])
def test_counting_up(start: str, bound: int) -> None:
    code = f"""  br label %loop
loop:
  %k = phi i64 [ {start}, %entry ], [ %next, %body ]
  %more = icmp slt i64 %k, {bound}
  br i1 %more, label %body, label %end
body:
  %next = add i64 %k, 1
  br label %loop
end:
  ret void"""
    assert ranges(code) == {"k": (int(start), bound), "next": (int(start) + 1, bound)}


RANGE_LOOP = """{entry}
  br label %loop
loop:
  %left = phi i64 [ {count}, %entry ], [ %left.next, %body ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %body ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %body ]
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %body, label %end
body:
  %left.next = add i64 %left, -1
  %k.next = add i64 %k, 7
  %sum.next = add i64 %sum, %k
  br label %loop
end:
  ret void"""


def test_counters_of_one_loop_bound_each_other() -> None:
    found = ranges(RANGE_LOOP.format(entry="", count="1000"))
    assert found["left"] == (0, 1000)
    assert found["k"] == (0, 7000)
    assert "sum" not in found
    found = ranges(RANGE_LOOP.format(entry=EXTENT, count="%m"))
    assert found["left"] == (0, COUNT)
    assert found["k"] == (0, 7 * COUNT)


def test_loops_without_a_known_end_say_nothing() -> None:
    assert ranges(RANGE_LOOP.format(entry="", count="%any")) == {"left.next": (0, 2**63 - 2)}
    wraps = RANGE_LOOP.format(entry="", count="1000").replace("icmp sgt i64 %left, 0", "icmp ne i64 %any, 0")
    assert ranges(wraps) == {}


def test_counting_down_to_zero() -> None:
    code = RANGE_LOOP.format(entry=EXTENT, count="%m").replace(
        "icmp sgt i64 %left, 0", "icmp ne i64 %left, 0"
    )
    found = ranges(code)
    assert found["left"] == (0, COUNT)
    assert found["k"] == (0, 7 * COUNT)


def test_steps_that_jump_over_the_end_wrap() -> None:
    code = RANGE_LOOP.format(entry="", count="1000").replace("icmp sgt i64 %left, 0", "icmp ne i64 %left, 0")
    assert ranges(code.replace("%left, -1", "%left, -3")) == {}


def test_many_phis_end() -> None:
    count = 200
    phis = [f"  %p{k} = phi i64 [ 0, %entry ], [ %q{(k + 1) % count}, %loop ]" for k in range(count)]
    sums = [f"  %q{k} = add i64 %p{k}, 1" for k in range(count)]
    code = [
        "  br label %loop",
        "loop:",
        *phis,
        *sums,
        "  br i1 %flag, label %loop, label %end",
        "end:",
        "  ret void",
    ]
    assert ranges("\n".join(code)) == {}


def test_constants_are_their_own_interval() -> None:
    value = constant(I64, -3)
    assert isinstance(value, Constant)
    found = ranges("  %x = select i1 %flag, i64 -3, i64 5\n  ret void")
    assert found == {"x": (-3, 5)}


def test_numbers_of_invocations() -> None:
    """A launch has at most 2**31 - 1 invocations along an axis; sizes of different axes have no such product."""
    calls = "".join(
        f"  %{short}{axis} = call i32 @nv.{name}(i32 {axis})\n  %w{short}{axis} = zext i32 %{short}{axis} to i64\n"
        for short, name in (("n", "size.groups"), ("s", "size.local"), ("g", "id.group"), ("l", "id.local"))
        for axis in (0, 1)
    )
    found = ranges(
        calls
        + """  %all = mul i64 %ws0, %wn0
  %mixed = mul i64 %ws0, %wn1
  %first = mul i64 %wg1, %ws1
  %id = add i64 %wl1, %first
  %other = add i64 %wl0, %first
  %both = add i64 %id, %all
  ret void"""
    )
    assert found["all"] == found["first"] == (0, COUNT)
    assert found["mixed"] == (0, COUNT**2)
    assert found["id"] == (0, COUNT - 1)
    assert found["other"] == (0, 2 * COUNT - 1)
    assert found["both"] == (0, 2 * COUNT - 1)


def test_remainders_of_quotients() -> None:
    code = f"""{ID}{EXTENT}
  %x = sub i64 %i, %any
  %q = sdiv i64 %x, %m
  %p = mul i64 %m, %q
  %r = sub i64 %x, %p
  %not = sub i64 %m, %p
  ret void"""
    found = ranges(code)
    assert found["r"] == (1 - COUNT, COUNT - 1)
    assert "not" not in found


def test_operations_of_words() -> None:
    code = """  %w = call i32 @nv.id.global(i32 0)
  %e = call i32 @nv.param.extent(i32 0)
  %next = add i32 %w, 1
  %right = zext i32 %next to i64
  %after = add i32 %w, 2
  %a = zext i32 %after to i64
  %less = sub i32 %e, 1
  %l = sext i32 %less to i64
  %divisor = call i32 @llvm.umax.i32(i32 %e, i32 1)
  %d = zext i32 %divisor to i64
  ret void"""
    found = ranges(code)
    assert found["right"] == (1, COUNT)
    assert found["a"] == (0, 2**32 - 1)
    assert found["l"] == (-1, COUNT - 1)
    assert found["d"] == (1, COUNT)


def test_what_is_seen_through_words_and_quotients_grows_with_a_counter() -> None:
    """A word of a counter, and the divisor of a remainder, are no operands of what follows from them."""
    code = """  br label %loop
loop:
  %k = phi i64 [ 1, %entry ], [ %next, %body ]
  %word = trunc i64 %k to i32
  %third = add i32 %word, 2
  %back = sext i32 %third to i64
  %q = sdiv i64 %any, %k
  %p = mul i64 %q, %k
  %r = sub i64 %any, %p
  %more = icmp slt i64 %k, 100
  br i1 %more, label %body, label %end
body:
  %next = add i64 %k, 1
  br label %loop
end:
  ret void"""
    found = ranges(code)
    assert found["k"] == (1, 100)
    assert found["back"] == (3, 102)
    assert found["r"] == (-99, 99)


class Asked(dict[Value, Range]):
    """Says nothing of any value and notes which ones it was asked for."""

    def get(self, key: Value, default: Range | None = None) -> Range | None:  # type: ignore[override]
        self[key] = FULL
        return default


def test_what_intervals_follow_from_is_known_beforehand() -> None:
    """Else an interval in a loop would not be found anew when one changes that it follows from."""
    draw = random.Random(5)
    values = {"i64": ["%n", "%any", "3"], "i32": ["%w", "5"]}
    lines: list[str] = []
    operations = [name for name in OPERATIONS if not name.startswith("llvm.")] + ["trunc", "sext", "zext"]
    for k in range(1500):
        operation, type = draw.choice(operations), draw.choice(["i64", "i32"])
        if operation in ("trunc", "sext", "zext"):
            source, type = ("i64", "i32") if operation == "trunc" else ("i32", "i64")
            lines.append(f"  %x{k} = {operation} {source} {draw.choice(values[source][-30:])} to {type}")
        else:
            left, right = draw.choices(values[type][-6:], k=2)
            lines.append(f"  %x{k} = {operation} {type} {left}, {right}")
        if operation == "sdiv" and type == "i64":
            lines += [f"  %p{k} = mul i64 %x{k}, {right}", f"  %r{k} = sub i64 {left}, %p{k}"]
        values[type].append(f"%x{k}")
    code = "\n".join([*lines, "  ret void"])
    function = parse_function(f"define void @f(i64 %n, i64 %any, i32 %w) {{\nentry:\n{code}\n}}", "f")
    asked_for = 0
    for i in function.instructions():
        if i.type is I64:
            asked = Asked()
            transfer(i, [FULL for operand in i.operands if operand.type is I64], asked)
            assert asked.keys() <= {*i.operands, *asked_besides(i)}, i.opcode
            asked_for += len(asked)
    assert asked_for > 100


def test_counters_of_nested_loops() -> None:
    """The inner loop counts down from what the outer one leaves; the step of the outer one is not constant."""
    code = f"""{ID}{EXTENT}
  br label %outer
outer:
  %k = phi i64 [ 0, %entry ], [ %after, %inner.end ]
  %more = icmp slt i64 %k, %m
  br i1 %more, label %body, label %end
body:
  %after = add i64 %k, %i
  %left = sub i64 %m, %k
  br label %inner
inner:
  %count = phi i64 [ %left, %body ], [ %fewer, %inner.body ]
  %goes = icmp sgt i64 %count, 0
  br i1 %goes, label %inner.body, label %inner.end
inner.body:
  %fewer = add nsw i64 %count, -1
  br label %inner
inner.end:
  br label %outer
end:
  ret void"""
    found = ranges(code)
    assert found["k"] == (0, 2 * COUNT - 2)
    assert found["count"] == (2 - COUNT, COUNT)
