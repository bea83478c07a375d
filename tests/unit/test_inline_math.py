"""Math functions that LLVM does not link come out as if it had; those of which it can leave something out it links."""

from __future__ import annotations

from collections import Counter

import pytest
from numba.core.compiler_lock import global_compiler_lock

from numba_vulkan import mathbuild
from numba_vulkan.kernel import KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.model import Function
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.verify import verify
from numba_vulkan.mathlib.table import FUNCTIONS, symbols
from numba_vulkan.middle import (
    eliminate_dead,
    inline_math,
    llvm_passes,
    math_calls,
    merge_values,
    scalarize_aggregates,
)
from numba_vulkan.middle.passes import Context

VARIANT = Variant(TargetProfile())
CONTEXT = Context(KernelInterface("k", "user.py", 1), VARIANT)
BEFORE = """
declare float @nv.load.f32.i32(i32, i32)
declare i32 @nv.load.i32.i32(i32, i32)
declare float @nv.param.f32(i32)
declare void @nv.store.f32.i32(i32, i32, float)
declare float @llvm.fabs.f32(float)
{declarations}
define void @k() {{
  %x = call float @nv.load.f32.i32(i32 1, i32 0)
  %y = call float @nv.load.f32.i32(i32 2, i32 0)
  %i = call i32 @nv.load.i32.i32(i32 3, i32 0)
"""
AFTER = """
  ret void
}
"""


@pytest.fixture(autouse=True)
def compiler():
    mathbuild.install()
    with global_compiler_lock:
        yield


def module(code: str) -> str:
    used = [f.symbol("f32") for f in FUNCTIONS.values() if f"@{f.symbol('f32')}(" in code]
    return BEFORE.format(declarations="".join(map(math_calls.declaration, used))) + code + AFTER


def storing(code: str, result: str = "%r") -> str:
    return module(f"{code}\n  call void @nv.store.f32.i32(i32 4, i32 0, float {result})")


def calls_math(text: str) -> bool:
    return any(" call " in line and "@nv.math." in line for line in text.splitlines())


def completed(function: Function) -> Function:
    """What the first passes of the middle make of a kernel."""
    for step in (merge_values.run, inline_math.run, scalarize_aggregates.run, eliminate_dead.run):
        step(function, CONTEXT)
        verify(function)
    return function


def left_to_us(text: str) -> Function:
    simplified = llvm_passes.optimise_kernel((text,), "k", VARIANT)
    assert simplified.function is not None
    assert calls_math(simplified.text)
    return completed(simplified.function)


def linked_by_llvm(text: str) -> Function:
    return completed(parse_function(llvm_passes.optimise((text,), "k", VARIANT), "k"))


def operations(function: Function) -> Counter[tuple[str, object]]:
    return Counter((i.opcode, i.detail) for i in function.instructions())


CALLS = {
    "one block": "%r = call float @nv.math.exp.f32(float %x)",
    "branches": "%r = call float @nv.math.lgamma.f32(float %x)",
    "integers": "%r = call float @nv.math.ldexp.f32(float %x, i32 %i)",
    "one argument twice": "%r = call float @nv.math.pow.f32(float %x, float %x)",
    "a result of another": """
  %a = call float @nv.math.log.f32(float %x)
  %p = fmul float %a, %y
  %r = call float @nv.math.exp.f32(float %p)""",
    "two of one argument": """
  %a = call float @nv.math.exp.f32(float %x)
  %b = call float @nv.math.expm1.f32(float %x)
  %r = fadd float %a, %b""",
    "sine and cosine": """
  %a = call float @nv.math.sin.f32(float %x)
  %b = call float @nv.math.cos.f32(float %x)
  %r = fmul float %a, %b""",
    "the same twice": """
  %a = call float @nv.math.tanh.f32(float %x)
  %b = call float @nv.math.tanh.f32(float %x)
  %r = fsub float %a, %b""",
    "a part of several results": """
  %parts = call { float, i32 } @nv.math.frexp.f32(float %x)
  %r = extractvalue { float, i32 } %parts, 0""",
}


@pytest.mark.parametrize("code", CALLS.values(), ids=CALLS.keys())
def test_functions_come_out_as_llvm_links_them(code):
    ours, theirs = operations(left_to_us(storing(code))), operations(linked_by_llvm(storing(code)))
    assert not [key for key in ours if str(key[1]).startswith("nv.math.")]
    assert ours == theirs


LOOP = """
  br label %l
l:
  %k = phi i32 [ 0, %0 ], [ %next, %l ]
  %sum = phi float [ 0.0, %0 ], [ %more, %l ]
  %e = call float @nv.load.f32.i32(i32 1, i32 %k)
  %v = call float @nv.math.{call}
  %more = fadd float %sum, %v
  %next = add nuw nsw i32 %k, 1
  %c = icmp ult i32 %next, {rounds}
  br i1 %c, label %l, label %end
end:
  %r = fmul float %more, %y"""


@pytest.mark.parametrize("call", ["exp.f32(float %e)", "fmod.f32(float %y, float %e)"])
def test_functions_in_loops_come_out_as_llvm_links_them(call):
    text = storing(LOOP.format(call=call, rounds="%i"))
    assert operations(left_to_us(text)) == operations(linked_by_llvm(text))


def test_llvm_unrolls_only_what_is_short_with_its_functions():
    text = storing(LOOP.format(call="sin.f32(float %e)", rounds="4"))
    assert not calls_math(llvm_passes.optimise_kernel((text,), "k", VARIANT).text)
    assert (
        operations(completed(parse_function(llvm_passes.optimise((text,), "k", VARIANT), "k")))["phi", None]
        > 2
    )


KNOWN = {
    "%a = fadd float %x, 1.0": False,
    "%a = fmul float %x, %y": False,
    "%s = fmul float %x, %x\n  %a = fmul float %s, %y": False,
    "%s = sitofp i32 %i to float\n  %p = call float @nv.param.f32(i32 0)\n  %a = fmul float %s, %p": False,
    "%a = call float @nv.math.exp.f32(float %x)": False,
    "%a = fmul float %x, %x": True,
    "%s = fmul float %x, %x\n  %t = fmul float %y, %y\n  %a = fadd float %s, %t": True,
    "%a = sitofp i32 %i to float": True,
    "%a = fneg float %x": True,
    "%a = call float @llvm.fabs.f32(float %x)": True,
    "%c = fcmp olt float %x, %y\n  %a = select i1 %c, float %x, float %y": True,
}


@pytest.mark.parametrize(("code", "is_known"), KNOWN.items())
def test_llvm_links_functions_of_what_it_knows_something_of(code, is_known):
    text = storing(f"{code}\n  %r = call float @nv.math.log.f32(float %a)")
    assert calls_math(llvm_passes.optimise_kernel((text,), "k", VARIANT).text) != is_known


@pytest.mark.parametrize(
    "code",
    [
        "%r = call float @nv.math.pow.f32(float %x, float 2.5)",
        "%e = call float @nv.math.exp.f32(float %x)\n  %r = fneg float %e",
        "br label %l\nl:\n  %p = phi float [ %x, %0 ], [ %r, %l ]\n"
        "  %r = call float @nv.math.exp.f32(float %p)\n  %c = fcmp olt float %r, %y\n"
        "  br i1 %c, label %l, label %e\ne:",
    ],
    ids=["constant", "negated result", "test of a result in a loop"],
)
def test_llvm_links_functions_that_become_shorter(code):
    simplified = llvm_passes.optimise_kernel((storing(code),), "k", VARIANT)
    assert not calls_math(simplified.text)


def test_a_sum_of_squares_needs_no_way_for_negative_numbers():
    squares = "%s = fmul float %x, %x\n  %r = call float @nv.math.lgamma.f32(float %s)"
    any_number = "%s = fmul float %x, %y\n  %r = call float @nv.math.lgamma.f32(float %s)"
    sizes = [linked_by_llvm(storing(code)) for code in (squares, any_number)]
    short, long = (sum(1 for _ in function.instructions()) for function in sizes)
    assert short < long / 1.5


def test_what_follows_a_call_follows_the_function():
    """Calls in a loop, of which the second of its block is a jump back; phis take from where control comes from."""
    text = """
define void @k() {
entry:
  %x = call float @nv.load.f32.i32(i32 1, i32 0)
  br label %loop
loop:
  %v = phi float [ %x, %entry ], [ %w, %loop ]
  %u = call float @nv.math.sinh.f32(float %v), !dbg !1
  %w = call float @nv.math.pow.f32(float %u, float %x)
  %c = fcmp olt float %w, %x
  br i1 %c, label %loop, label %end
end:
  call void @nv.store.f32.i32(i32 2, i32 0, float %w)
  ret void
}
!1 = !DILocation(line: 7, scope: !2)
!2 = !DISubprogram(name: "k", file: !3)
!3 = !DIFile(filename: "user.py", directory: "/home")
"""
    function = parse_function(text, "k")
    inline_math.run(function, CONTEXT)
    verify(function)
    (phi, *_) = function.blocks[1].phis()
    assert [target.name for target in phi.targets] == [
        "entry",
        function.predecessors()[function.blocks[1]][1].name,
    ]
    lines = {i.location.line for i in function.instructions() if i.location is not None}
    assert lines == {7}


@pytest.mark.slow
def test_functions_of_the_library_have_no_variables_and_no_tables():
    for symbol in symbols():
        function = inline_math.math_function(symbol)
        assert not function.globals
        assert not {"alloca", "load", "store"} & {i.opcode for i in function.instructions()}
        assert [i for i in function.instructions() if i.opcode == "ret"]
