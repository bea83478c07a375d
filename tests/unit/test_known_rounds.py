"""Loops whose rounds are known when a kernel is compiled: how many, and which of them are written out for GPUs."""

from __future__ import annotations

import pytest
from numba.core.compiler_lock import global_compiler_lock

from numba_vulkan.kernel import TargetProfile, Variant
from numba_vulkan.llvmir.model import Block, Function
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.verify import verify
from numba_vulkan.middle.known_rounds import latches_to_unroll, rounds_of
from numba_vulkan.middle.llvm_passes import optimise_kernel

GPU, CPU = Variant(TargetProfile(loads_wait=True)), Variant(TargetProfile(loads_wait=False))
AT_THE_TOP = """
define void @k(i32 %n) {{
entry:
  br label %loop
loop:
  %i = phi {type} [ {start}, %entry ], [ %next, %body ]
  %go = icmp {predicate} {type} %i, {bound}
  br i1 %go, label %body, label %end
body:
  %next = {step}
  br label %loop
end:
  ret void
}}
"""
AT_THE_END = """
define void @k(i32 %n) {{
entry:
  br label %loop
loop:
  %i = phi {type} [ {start}, %entry ], [ %next, %loop ]
  %next = {step}
  %go = icmp {predicate} {type} %next, {bound}
  br i1 %go, label %loop, label %end
end:
  ret void
}}
"""


def loop(form: str, **parts: str) -> Function:
    function = parse_function(form.format(**parts), "k")
    verify(function)
    return function


def rounds(function: Function) -> int | None:
    blocks = {block.name: block for block in function.blocks}
    members: list[Block] = [blocks[name] for name in ("loop", "body") if name in blocks]
    return rounds_of(blocks["loop"], members[-1], blocks["loop"], members)


LOOPS = {
    "up": ("i32", "0", "slt", "5", "add i32 %i, 1", 6),
    "down": ("i64", "3", "sgt", "0", "add i64 %i, -1", 4),
    "never": ("i32", "7", "slt", "5", "add i32 %i, 1", 1),
    "doubling": ("i64", "1", "slt", "256", "shl i64 %i, 1", 9),
    "halving": ("i32", "128", "sgt", "0", "ashr i32 %i, 1", 9),
    "unsigned": ("i8", "250", "uge", "250", "add i8 %i, 1", 7),
    "wrapping": ("i8", "100", "sgt", "0", "add i8 %i, 1", 29),
    "too many": ("i32", "0", "slt", "64", "add i32 %i, 1", None),
    "for ever": ("i32", "0", "slt", "5", "add i32 %i, 0", None),
    "unknown start": ("i32", "%n", "slt", "5", "add i32 %i, 1", None),
    "unknown bound": ("i32", "0", "slt", "%n", "add i32 %i, 1", None),
    "unknown step": ("i32", "0", "slt", "5", "add i32 %i, %n", None),
    "shifted too far": ("i32", "1", "eq", "1", "shl i32 %i, 40", 2),
}


@pytest.mark.parametrize(
    ("type", "start", "predicate", "bound", "step", "expected"), LOOPS.values(), ids=LOOPS
)
def test_rounds(type: str, start: str, predicate: str, bound: str, step: str, expected: int | None) -> None:
    parts = {"type": type, "start": start, "predicate": predicate, "bound": bound, "step": step}
    assert rounds(loop(AT_THE_TOP, **parts)) == expected
    if expected != 1:  # one more round is complete where the test comes last
        completed = expected and expected - 1
        assert rounds(loop(AT_THE_END, **parts)) == (64 if bound == "64" else completed)


DECLARATIONS = """
declare i32 @nv.id.global(i32)
declare float @nv.load.f32.i32(i32, i32)
declare void @nv.store.f32.i32(i32, i32, float)
declare void @nv.barrier() convergent
"""
# A nest of two loops, whose inner one has so many additions, and does something else in each round.
NEST = """
define void @k() {{
entry:
  %x = call float @nv.load.f32.i32(i32 1, i32 0)
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %s = phi float [ %x, %entry ], [ %s.2, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %s.1 = phi float [ %s, %outer ], [ %s.2, %inner ]
  %s.0.2 = fadd float %s.1, %x
{additions}
  %s.2 = fadd float %s.{last}.2, %x
  {does}
  %j.next = add i32 %j, 1
  %j.go = icmp slt i32 %j.next, {inner}
  br i1 %j.go, label %inner, label %latch
latch:
  %i.next = add i32 %i, 1
  %i.go = icmp slt i32 %i.next, {outer}
  br i1 %i.go, label %outer, label %end
end:
  call void @nv.store.f32.i32(i32 2, i32 0, float %s.2)
  ret void
}}
"""


def nest(outer: int | str, inner: int | str, size: int, does: str = "") -> str:
    lines = [f"  %s.{n}.2 = fadd float %s.{n - 1}.2, %x" for n in range(1, size)]
    return DECLARATIONS + NEST.format(
        outer=outer, inner=inner, additions="\n".join(lines), last=size - 1, does=does
    )


NESTS = {
    "both": (3, 3, 40, ["inner", "latch"]),
    "inner": (16, 16, 40, ["inner"]),
    "neither": (16, 16, 100, []),
    "outer rounds unknown": ("%n", 4, 40, ["inner"]),
    "outer around a loop": (3, "%n", 40, ["latch"]),
}


def test_an_outer_loop_whose_rounds_end_in_front_of_the_last_inner_block() -> None:
    text = """define void @k() {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %inner ]
  %i.next = add i32 %i, 1
  %go = icmp slt i32 %i, 3
  br i1 %go, label %start, label %end
start:
  br label %inner
inner:
  %j = phi i32 [ 0, %start ], [ %j.next, %body ]
  %more = icmp slt i32 %j, 3
  br i1 %more, label %body, label %outer
body:
  %j.next = add i32 %j, 1
  br label %inner
end:
  ret void
}"""
    assert [block.name for block in latches_to_unroll(parse_function(text, "k"))] == ["body", "inner"]


@pytest.mark.parametrize(("outer", "inner", "size", "expected"), NESTS.values(), ids=NESTS)
def test_what_is_unrolled(outer: int | str, inner: int | str, size: int, expected: list[str]) -> None:
    text = nest(outer, inner, size).replace("@k()", "@k(i32 %n)")
    assert [block.name for block in latches_to_unroll(parse_function(text, "k"))] == expected


def loop_of(number: int, before: str, behind: str) -> str:
    """A loop of three rounds with 300 additions, which has one block."""
    additions = "\n".join(f"  %sum{number}.{n} = fadd float %x, %x" for n in range(300))
    return f"""loop{number}:
  %i{number} = phi i32 [ 0, %{before} ], [ %next{number}, %loop{number} ]
{additions}
  %next{number} = add i32 %i{number}, 1
  %go{number} = icmp slt i32 %next{number}, 3
  br i1 %go{number}, label %loop{number}, label %{behind}
"""


def test_all_loops_together_stay_below_a_limit() -> None:
    names = ["entry", *(f"loop{k}" for k in range(10)), "end"]
    loops = [loop_of(k, names[k], names[k + 2]) for k in range(10)]
    text = (
        "define void @k(float %x) {\nentry:\n  br label %loop0\n" + "".join(loops) + "end:\n  ret void\n}\n"
    )
    # Six of them grow by 604 instructions each, to 906; the next one would not fit into 4000.
    assert [block.name for block in latches_to_unroll(parse_function(text, "k"))] == names[10:4:-1]


@pytest.mark.parametrize("does", ["", "call void @nv.barrier()"])
def test_nests_are_written_out_for_gpus_only(does: str) -> None:
    text = nest(3, 3, 40, does)
    with global_compiler_lock:
        functions = [
            parse_function(optimise_kernel((text,), "k", variant).text, "k") for variant in (GPU, CPU)
        ]
    assert [len(function.blocks) == 1 for function in functions] == [True, False]
    additions = [sum(i.opcode == "fadd" for i in function.instructions()) for function in functions]
    assert additions == [9 * 41, 3 * 41]
    barriers = [sum(i.detail == "nv.barrier" for i in function.instructions()) for function in functions]
    assert barriers == ([9, 3] if does else [0, 0])
