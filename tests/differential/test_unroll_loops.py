"""Random loops that count, on both sides of where integers wrap, do the same before and after they are unrolled."""

from __future__ import annotations

import random

import numpy as np
import pytest

from differential.interpreter import State, StepLimitError, interpret
from numba_vulkan.kernel import ArrayArgument, KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.verify import verify
from numba_vulkan.middle import unroll_loops
from numba_vulkan.middle.passes import Context

LOOPS = 800
MOST_STEPS = 2000
PREDICATES = ("ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
ARRAYS = tuple(ArrayArgument(i, "i32", 1, "C") for i in range(3))
CONTEXT = Context(KernelInterface("k", "kernel.py", 1, ARRAYS), Variant(TargetProfile(), aliased=False))
EFFECTS = (
    "",
    "call void @nv.store.i32.i32(i32 2, i32 %slot, i32 %v)",
    "call void @nv.store.i32.i32(i32 3, i32 0, i32 %v)",
)
# A round that only computes, with a branch.
BRANCHING = """  %x = sitofp i32 %at to float
  %odd = and i32 %at, 1
  %is_even = icmp eq i32 %odd, 0
  br i1 %is_even, label %there, label %join
there:
  %thrice = fmul float %x, 3.000000e+00
  br label %join
join:
  %y = phi float [ %x, %BEFORE ], [ %thrice, %there ]
  %v = fptosi float %y to i32
"""


def written_work(rng: random.Random, tests_next: bool) -> tuple[str, str]:
    """What a round computes, and the block that leads to the next one."""
    if rng.random() < 0.4:
        text = BRANCHING.replace("BEFORE", "loop" if tests_next else "more")
        return text, "more" if tests_next else "join"
    text = f"""  %v = call i32 @nv.load.i32.i32(i32 1, i32 %at)
  {rng.choice(EFFECTS).replace("%slot", "%at")}
"""
    return text, "more"


def written_loop(rng: random.Random) -> tuple[str, list[int]]:
    """A loop of random form, and its parameters: words of start, step and bound."""
    bits = rng.choice((32, 64))
    type, tests_next = f"i{bits}", rng.random() < 0.5
    predicate = rng.choice(PREDICATES)
    step = rng.choice((1, 1, 1, 2, 3, 7, 1 << bits - 4)) * rng.choice((1, -1))
    edge = rng.choice((0, 0, 1 << bits - 1, 1 << bits - 2))
    start = edge + rng.randrange(-40, 40)
    bound = start + step * rng.randrange(30) + rng.choice((0, 0, 1, -1))
    numbers = [n % (1 << bits) for n in (start, step, bound)]
    texts = [str(n) if rng.random() < 0.5 else f"%{name}" for n, name in zip(numbers, "asb", strict=True)]
    tested = "%next" if tests_next else "%i"
    sides, written = (tested, texts[2]), predicate
    if rng.random() < 0.3:
        sides, written = (
            sides[::-1],
            predicate.translate(str.maketrans("lg", "gl")) if predicate != "ne" else "ne",
        )
    targets = ("more", "done")
    if rng.random() < 0.3:
        opposite = {"l": "g", "g": "l", "t": "e", "e": "t"}
        written = "eq" if written == "ne" else written[0] + opposite[written[1]] + opposite[written[2]]
        targets = ("done", "more")
    narrow = "trunc i64" if bits == 64 else "add i32 0,"
    to_word = " to i32" if bits == 64 else ""
    work, latch = written_work(rng, tests_next)
    body = f"""  %slot = {narrow} %i{to_word}
  %at = and i32 %slot, 63
{work}  %t3 = mul i32 %t, 3
  %total = add i32 %t3, %v
"""
    step_text = f"  %next = add {type} %i, {texts[1]}\n"
    test = f"  %go = icmp {written} {type} {sides[0]}, {sides[1]}\n"
    test += f"  br i1 %go, label %{targets[0]}, label %{targets[1]}\n"
    inner = f"{body}{step_text}{test}more:\n  br label %loop\n"
    result = "%total"
    if not tests_next:
        inner, result = f"{test}more:\n{body}{step_text}  br label %loop\n", "%t"
    text = f"""define void @k() {{
entry:
  %a = call {type} @nv.param.{type}(i32 0)
  %s = call {type} @nv.param.{type}(i32 2)
  %b = call {type} @nv.param.{type}(i32 4)
  br label %loop
loop:
  %i = phi {type} [ {texts[0]}, %entry ], [ %next, %{latch} ]
  %t = phi i32 [ 7, %entry ], [ %total, %{latch} ]
{inner}done:
  call void @nv.store.i32.i32(i32 2, i32 0, i32 {result})
  %last = {narrow} {"%next" if tests_next else "%i"}{to_word}
  call void @nv.store.i32.i32(i32 2, i32 1, i32 %last)
  ret void
}}
"""
    return text, [word for n in numbers for word in (n & 0xFFFFFFFF, n >> 32)]


def ran(text: str, words: list[int], unrolls: bool) -> tuple[State, bool]:
    """The run of a loop, and whether it was unrolled."""
    function = parse_function(text, "k")
    blocks = len(function.blocks)
    if unrolls:
        unroll_loops.run(function, CONTEXT)
        verify(function)
    table = np.arange(64, dtype="u4") * np.uint32(2654435761)
    memory = {1: table, 2: np.zeros(64, "u4"), 3: np.zeros(1, "u4")}
    return interpret(function, memory, params=words, max_steps=MOST_STEPS), len(function.blocks) > blocks


@pytest.mark.parametrize("seed", range(3))
def test_loops(seed: int):
    rng = random.Random(seed)
    unrolled = ended = 0
    for _ in range(LOOPS):
        text, words = written_loop(rng)
        try:
            before, _ = ran(text, words, False)
        except StepLimitError:
            continue  # it goes on for as long as the integers last
        after, was_unrolled = ran(text, words, True)
        assert after.stores == before.stores, text
        ended += 1
        unrolled += was_unrolled
    assert ended > LOOPS / 2
    assert unrolled > ended / 2
