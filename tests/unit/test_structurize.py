"""The structurizer on typical shapes, deep ones and bad ones; the checker on what is not structured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from differential import control_shapes
from differential.interpreter import InterpreterError, interpret
from numba_vulkan.errors import SpirvCodegenError
from numba_vulkan.kernel import KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.model import Function, LoopMerge, SelectionMerge
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.printing import print_function
from numba_vulkan.middle import check_structure, structurize
from numba_vulkan.middle.passes import Context


def structured(text: str) -> Function:
    function = parse_function(text, "k")
    structurize.run(function)
    check_structure.check(function)
    return function


def counts(function: Function) -> Counter[str]:
    """What tells how good the result is: tests of the target variable, selections, loops, blocks."""
    result: Counter[str] = Counter()
    for block in function.blocks:
        result["blocks"] += 1
        result["selections"] += isinstance(block.merge, SelectionMerge)
        result["loops"] += isinstance(block.merge, LoopMerge)
        result["tests"] += any(
            i.opcode == "load" and getattr(i.operands[0], "name", "") == "target" for i in block.instructions
        )
    return result


STORE = 'call void @"nv.store.i32.i32"(i32 1, i32 0, i32 {})\n'


def blocks(**bodies: str) -> str:
    """A function of blocks; a number in a body is a store of it, what follows is the terminator."""
    text = ["define void @k(i1 %a, i1 %b, i1 %c, i32 %n) {"]
    for name, body in bodies.items():
        text.append(f"{name}:")
        for part in body.split("|"):
            part = part.strip()
            text.append(STORE.format(part) if part.isdigit() else part)
    return "\n".join([*text, "}"])


def go(condition: str, yes: str, no: str) -> str:
    return f"br i1 %{condition}, label %{yes}, label %{no}"


# Shapes of Python, with the tests of the target variable that they need.
SHAPES: dict[str, tuple[str, int]] = {
    "if": (blocks(entry=go("a", "x", "end"), x="1 | br label %end", end="ret void"), 0),
    "if else": (
        blocks(entry=go("a", "x", "y"), x="1 | br label %end", y="2 | br label %end", end="3 | ret void"),
        0,
    ),
    "if a and b": (
        blocks(
            entry=go("a", "and", "end"),
            **{"and": go("b", "x", "end")},
            x="1 | br label %end",
            end="2 | ret void",
        ),
        0,
    ),
    "if a or b": (
        blocks(
            entry=go("a", "x", "or"), **{"or": go("b", "x", "end")}, x="1 | br label %end", end="2 | ret void"
        ),
        1,
    ),
    "if a and b else": (
        blocks(
            entry=go("a", "and", "y"),
            **{"and": go("b", "x", "y")},
            x="1 | br label %end",
            y="2 | br label %end",
            end="3 | ret void",
        ),
        1,
    ),
    "return in the middle": (
        blocks(
            entry=go("a", "end", "x"), x="1 | " + go("b", "end", "y"), y="2 | br label %end", end="ret void"
        ),
        0,
    ),
    "while": (
        blocks(entry="br label %h", h=go("a", "x", "end"), x="1 | br label %h", end="2 | ret void"),
        0,
    ),
    "while with break and continue": (
        blocks(
            entry="br label %h",
            h=go("a", "x", "end"),
            x="1 | " + go("b", "end", "y"),
            y="2 | " + go("c", "h", "z"),
            z="3 | br label %h",
            end="4 | ret void",
        ),
        0,
    ),
    "loop in loop": (
        blocks(
            entry="br label %h",
            h=go("a", "p", "end"),
            p="1 | br label %i",
            i=go("b", "x", "q"),
            x="2 | br label %i",
            q="3 | br label %h",
            end="4 | ret void",
        ),
        0,
    ),
    "return in a loop in a loop": (
        blocks(
            entry="br label %h",
            h=go("a", "i", "end"),
            i=go("b", "x", "h"),
            x="2 | " + go("c", "end", "i"),
            end="ret void",
        ),
        0,
    ),
    "while else": (
        blocks(
            entry="br label %h",
            h=go("a", "x", "else"),
            x="1 | " + go("b", "end", "h"),
            **{"else": "2 | br label %end"},
            end="4 | ret void",
        ),
        1,
    ),
    "break of two loops": (
        blocks(
            entry="br label %h",
            h=go("a", "i", "end"),
            i=go("b", "x", "h"),
            x="2 | " + go("c", "end", "i"),
            end="3 | ret void",
        ),
        1,
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_typical_shapes_test_targets_only_where_several_are_possible(name: str):
    text, tests = SHAPES[name]
    function = structured(text)
    assert counts(function)["tests"] == tests
    assert print_function(function).count("%target = alloca") == min(tests, 1)
    stores = text.count("nv.store")
    assert print_function(function, declarations=False).count("nv.store") == stores


def test_jumps_out_of_the_function_do_not_nest():
    tests = [go("a", "end", f"b{i + 1}") for i in range(50)]
    function = structured(
        blocks(
            entry="br label %b0",
            **{f"b{i}": t for i, t in enumerate(tests)},
            b50="1 | ret void",
            end="ret void",
        )
    )
    for block in function.blocks:
        if isinstance(block.merge, SelectionMerge):
            assert block.merge.merge in block.successors


ENDS_IN_A_LOOP = blocks(
    entry="br label %h", h=go("a", "x", "end"), x="1 | " + go("b", "h", "end"), end="ret void"
)


def test_a_loop_at_the_end_of_the_function_is_left_by_its_merge_block():
    function = structured(ENDS_IN_A_LOOP)
    assert [block.terminator.opcode for block in function.blocks].count("ret") == 1
    assert function.blocks[-1].terminator.opcode == "ret"
    assert counts(function)["tests"] == 0


def test_loops_are_left_by_their_merge_blocks_where_drivers_end_them():
    profile = TargetProfile(loop_limit=True)
    context = Context(KernelInterface("k", "kernel.py", 1), Variant(profile))
    text, _ = SHAPES["return in a loop in a loop"]
    function = parse_function(text, "k")
    structurize.run(function, context)
    check_structure.check(function)
    merges = [block.merge.merge for block in function.blocks if isinstance(block.merge, LoopMerge)]
    assert len(merges) == 2
    assert all(merge.terminator.opcode != "unreachable" for merge in merges)
    assert [block.terminator.opcode for block in function.blocks].count("ret") == 1


def test_break_and_continue_need_no_selection():
    function = structured(SHAPES["while with break and continue"][0])
    assert counts(function)["selections"] == 0
    assert counts(function)["loops"] == 1


DEEP: dict[str, Callable[[], Function]] = {
    "200 sequential conditions": lambda: control_shapes.sequential_conditions(200),
    "30 nested conditions": lambda: control_shapes.nested_conditions(30),
    "3000 nested conditions": lambda: control_shapes.nested_conditions(3000),
    "2000 times elif": lambda: control_shapes.elif_chain(2000),
    "2000 jumps to one block": lambda: control_shapes.jumps_to_one_block(2000),
    "1000 loops": lambda: control_shapes.nested_loops(1000),
    "1000 loops with breaks out of all": lambda: control_shapes.nested_loops(1000, breaks=True),
    "switch of 3000": lambda: control_shapes.wide_switch(3000),
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_shapes(name: str):
    function = DEEP[name]()
    before = len(function.blocks)
    structurize.run(function)
    check_structure.check(function)
    assert len(function.blocks) <= 2.5 * before


def test_sequences_need_no_targets():
    function = control_shapes.sequential_conditions(200)
    structurize.run(function)
    assert counts(function) == Counter(blocks=401, selections=200, loops=0, tests=0)


def test_values_of_a_loop_are_stored_where_they_are_defined():
    function = structured(
        """define i32 @k(i32 %n) {
entry:
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %next, %h ]
  %next = add i32 %i, 1
  %square = mul i32 %next, %next
  %more = icmp slt i32 %next, %n
  br i1 %more, label %h, label %end
end:
  ret i32 %square
}"""
    )
    body = next(block for block in function.blocks if block.name == "h").instructions
    square = next(place for place, i in enumerate(body) if i.name == "square")
    assert body[square + 1].opcode == "store"
    assert body[square + 1].operands[0] is body[square]
    last = function.blocks[-1]
    assert [i.opcode for i in last.instructions] == ["load", "ret"]


def test_addresses_of_a_loop_are_computed_again():
    function = structured(
        """define void @k(i32 %n) {
entry:
  %table = alloca [8 x i32]
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %next, %h ]
  %place = getelementptr i32, ptr %table, i32 %i
  store i32 %i, ptr %place
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 5
  br i1 %more, label %h, label %end
end:
  %last = load i32, ptr %place
  call void @"nv.store.i32.i32"(i32 1, i32 0, i32 %last)
  ret void
}"""
    )
    end = next(block for block in function.blocks if block.name == "end")
    assert [i.opcode for i in end.instructions][:3] == ["load", "getelementptr", "load"]


def test_unreachable_blocks_are_dropped():
    function = structured(
        """define i32 @k() {
entry:
  br label %end
lost:
  br label %end
end:
  %r = phi i32 [ 1, %entry ], [ 2, %lost ]
  ret i32 %r
}"""
    )
    assert [block.name for block in function.blocks] == ["entry", "end"]
    assert interpret(function).result == 1


def test_irreducible_control_flow_is_refused():
    text = blocks(
        entry=go("a", "x", "y"), x="1 | " + go("b", "y", "end"), y="2 | br label %x", end="ret void"
    )
    with pytest.raises(SpirvCodegenError, match=r"irreducible.*block %[xy] of k"):
        structured(text)


def test_pointers_chosen_by_control_flow_are_refused():
    with pytest.raises(SpirvCodegenError, match="pointer, %p, is chosen by control flow"):
        structured(
            """define i32 @k(i1 %c) {
entry:
  %a = alloca i32
  %b = alloca i32
  br i1 %c, label %x, label %end
x:
  br label %end
end:
  %p = phi ptr [ %a, %entry ], [ %b, %x ]
  %r = load i32, ptr %p
  ret i32 %r
}"""
        )


# ---- the checker, and the watch of the interpreter, on annotations that are wrong

BAD: dict[str, tuple[str, str]] = {
    "selection without merge": (
        blocks(entry=go("a", "x", "y"), x="1 | br label %y", y="ret void"),
        "without a merge annotation",
    ),
    "back edge to no header": (
        blocks(
            entry="br label %h",
            h="1 | " + go("a", "x", "end") + " ; selection %end",
            x="br label %h",
            end="ret void",
        ),
        "must not branch to %h",
    ),
    "two back edges": (
        blocks(
            entry="br label %h",
            h="br label %x ; loop %end %c",
            x=go("a", "c", "end"),
            c=go("b", "h", "d"),
            d="br label %h",
            end="ret void",
        ),
        "header with 2 back edges",
    ),
    "branch out of two selections": (
        blocks(
            entry=go("a", "x", "end") + " ; selection %end",
            x=go("b", "y", "m") + " ; selection %m",
            y="1 | br label %end",
            m="br label %end",
            end="ret void",
        ),
        "must not branch to %end",
    ),
    "branch out of two loops": (
        blocks(
            entry="br label %h",
            h="br label %i ; loop %end %c",
            i="br label %x ; loop %m %d",
            x=go("a", "end", "y"),
            y=go("b", "m", "d"),
            d="br label %i",
            m="br label %c",
            c="br label %h",
            end="ret void",
        ),
        "must not branch to %end",
    ),
    "header does not dominate its merge block": (
        blocks(
            entry=go("a", "x", "end") + " ; selection %m",
            x=go("b", "y", "end") + " ; selection %end",
            y="br label %end",
            end="br label %m",
            m="ret void",
        ),
        "does not dominate its merge",
    ),
    "one merge block for two": (
        blocks(
            entry=go("a", "x", "end") + " ; selection %end",
            x=go("b", "y", "end") + " ; selection %end",
            y="1 | br label %end",
            end="ret void",
        ),
        "has the merge block %end of %entry",
    ),
    "dominator comes later": (
        blocks(entry="br label %x", y="ret void", x="br label %y"),
        "comes before its dominator",
    ),
    "switch without merge": (
        blocks(entry="switch i32 %n, label %end [ i32 1, label %x ]", x="br label %end", end="ret void"),
        "switch without a selection merge",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_checker_refuses(name: str):
    text, message = BAD[name]
    with pytest.raises(SpirvCodegenError, match=message):
        check_structure.check(parse_function(text, "k"))


def test_checker_refuses_values_that_are_not_defined():
    text = """define i32 @k(i1 %a, i32 %n) {
entry:
  br i1 %a, label %x, label %end ; selection %end
x:
  %v = add i32 %n, 1
  br label %end
end:
  ret i32 %v
}"""
    with pytest.raises(SpirvCodegenError, match="uses %v where it is not defined"):
        check_structure.check(parse_function(text, "k"))


def test_interpreter_refuses_branches_out_of_two_loops():
    text = """define void @k() {
entry:
  br label %h
h:
  br label %i ; loop %end %c
i:
  br label %x ; loop %m %d
x:
  br label %end
d:
  br label %i
m:
  br label %c
c:
  br label %h
end:
  ret void
}"""
    with pytest.raises(InterpreterError, match="out of two loops"):
        interpret(parse_function(text, "k"))
