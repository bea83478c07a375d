"""LLVM's part of the middle keeps the promises that later stages rely on."""

from __future__ import annotations

import pytest

from numba_vulkan import abi, mathbuild
from numba_vulkan.errors import SpirvCodegenError, VulkanUnsupportedError
from numba_vulkan.llvmir.model import Function, Instruction
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.types import I32, IntType
from numba_vulkan.llvmir.verify import verify
from numba_vulkan.middle.llvm_passes import optimise

DECLARATIONS = """
declare i32 @nv.id.global(i32)
declare i32 @nv.id.local(i32)
declare i32 @nv.param.i32(i32)
declare i32 @nv.param.extent(i32)
declare i64 @nv.param.i64(i32)
declare float @nv.load.f32.i32(i32, i32)
declare i32 @nv.load.i32.i32(i32, i32)
declare void @nv.store.f32.i32(i32, i32, float)
declare void @nv.store.i32.i32(i32, i32, i32)
"""


def optimised(*bodies: str, entry: str = "k") -> Function:
    function = parse_function(optimise(tuple(DECLARATIONS + body for body in bodies), entry), entry)
    verify(function)
    return function


def opcodes(function: Function) -> list[str]:
    return [i.callee if i.opcode == "call" else i.opcode for i in function.instructions()]


def calls(function: Function, name: str) -> list[Instruction]:
    return [i for i in function.instructions() if i.opcode == "call" and i.callee == name]


def test_functions_of_all_modules_are_inlined():
    helper = "define float @twice(float %x) {\n  %r = fadd float %x, %x\n  ret float %r\n}"
    kernel = """
declare float @twice(float)
define void @k() {
  %i = call i32 @nv.id.global(i32 0)
  %x = call float @nv.load.f32.i32(i32 1, i32 %i)
  %y = call float @twice(float %x)
  call void @nv.store.f32.i32(i32 2, i32 %i, float %y)
  ret void
}"""
    expected = ["nv.id.global", "nv.load.f32.i32", "fadd", "nv.store.f32.i32", "ret"]
    for modules in ((helper, kernel), (kernel, helper)):
        assert opcodes(optimised(*modules)) == expected


def test_functions_that_must_not_be_inlined_are_our_fault():
    with pytest.raises(SpirvCodegenError, match="noinline"):
        optimised("define void @one() noinline {\n  ret void\n}\ndefine void @k() {\n  ret void\n}")


def test_attributes_of_the_placeholders_survive_linking():
    body = """
define void @k() {
  %i = call i32 @nv.id.global(i32 0)
  %x = call float @nv.load.f32.i32(i32 1, i32 %i)
  %l = call i32 @nv.load.i32.i32(i32 3, i32 0)
  call void @nv.store.f32.i32(i32 2, i32 %i, float %x)
  ret void
}"""
    text = optimise((DECLARATIONS + body,), "k")
    assert "declare noundef range(i32 0, -2147483648) i32 @nv.id.global(i32) #" in text
    (attributes,) = [line for line in text.splitlines() if line.startswith("declare float @nv.load.f32.i32")]
    group = f"attributes {attributes.split()[-1]} = {{ "
    (line,) = [line for line in text.splitlines() if line.startswith(group)]
    assert "memory(read)" in line
    # The load into %l has no use, and LLVM may drop it because it only reads.
    assert "call i32 @nv.load.i32.i32" not in text
    assert set(abi.PLACEHOLDERS) >= {
        i.callee for i in parse_function(text, "k").instructions() if i.opcode == "call"
    }


def test_index_arithmetic_becomes_32_bits_wide():
    function = optimised("""
define void @k() {
  %i32 = call i32 @nv.id.global(i32 0)
  %i = zext i32 %i32 to i64
  %n32 = call i32 @nv.param.extent(i32 1)
  %n = zext i32 %n32 to i64
  %row = mul i64 %i, %n
  %next = add nsw i64 %row, 5
  %negative = icmp slt i64 %next, 0
  %wrapped = add i64 %next, %n
  %index = select i1 %negative, i64 %wrapped, i64 %next
  %shifted = shl i64 %index, 1
  %t = trunc i64 %shifted to i32
  %x = call float @nv.load.f32.i32(i32 1, i32 %t)
  %plain = add i64 %row, %i
  %u = trunc i64 %plain to i32
  call void @nv.store.f32.i32(i32 2, i32 %u, float %x)
  ret void
}""")
    (store,) = calls(function, "nv.store.f32.i32")
    address = store.operands[1]
    assert isinstance(address, Instruction)
    assert address.opcode in ("add", "mul")
    assert {operand.type for operand in address.operands} == {I32}
    widths = {i.type.bits for i in function.instructions() if isinstance(i.type, IntType)}
    assert widths <= {1, 32, 64}
    (load,) = calls(function, "nv.load.f32.i32")
    index = load.operands[1]
    assert isinstance(index, Instruction)
    assert index.type is I32
    # What remains in 64 bits is the test of the sign.
    assert [
        i.opcode for i in function.instructions() if isinstance(i.type, IntType) and i.type.bits == 64
    ].count("shl") == 0


def switch_of_constants(cases: int) -> str:
    labels = "\n".join(f"    i32 {i}, label %c{i}" for i in range(cases))
    blocks = "\n".join(f"c{i}:\n  br label %end" for i in range(cases))
    values = ", ".join(f"[ {(7 * i * i + 3) % 101}, %c{i} ]" for i in range(cases))
    return f"""
define void @k() {{
  %i = call i32 @nv.id.global(i32 0)
  switch i32 %i, label %other [
{labels}
  ]
{blocks}
other:
  br label %end
end:
  %v = phi i32 {values}, [ -1, %other ]
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %v)
  ret void
}}"""


def test_switches_stay_switches():
    for cases in (4, 16, 64):
        function = optimised(switch_of_constants(cases))
        assert function.globals == {}
        assert "switch" in opcodes(function)
        assert "load" not in opcodes(function)


CONVERGENT = """
declare void @barrier() convergent nounwind
declare i32 @shuffle(i32) convergent nounwind memory(none) willreturn
"""


def test_convergent_calls_are_neither_merged_nor_moved():
    function = optimised(
        CONVERGENT
        + """
define void @k() {
  %i = call i32 @nv.id.global(i32 0)
  %c = icmp ult i32 %i, 7
  br i1 %c, label %a, label %b
a:
  call void @barrier()
  %x = call i32 @shuffle(i32 %i)
  br label %end
b:
  call void @barrier()
  %y = call i32 @shuffle(i32 %i)
  br label %end
end:
  %v = phi i32 [ %x, %a ], [ %y, %b ]
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %v)
  ret void
}"""
    )
    assert len(calls(function, "barrier")) == 2
    assert len(calls(function, "shuffle")) == 2
    places = [
        b for b in function.blocks for i in b.instructions if i.opcode == "call" and i.callee == "shuffle"
    ]
    assert function.entry not in places
    assert len(set(places)) == 2


def test_a_join_with_a_convergent_call_is_not_threaded():
    function = optimised(
        CONVERGENT
        + """
define void @k() {
  %i = call i32 @nv.id.global(i32 0)
  %c = icmp ult i32 %i, 7
  br i1 %c, label %a, label %join
a:
  call void @nv.store.i32.i32(i32 1, i32 0, i32 %i)
  br label %join
join:
  call void @barrier()
  br i1 %c, label %b, label %end
b:
  call void @nv.store.i32.i32(i32 1, i32 1, i32 %i)
  br label %end
end:
  ret void
}"""
    )
    assert len(calls(function, "barrier")) == 1


def loop(trip_count: str, body: int = 1) -> str:
    lines = "\n".join(
        f"  %v{n} = call i32 @nv.load.i32.i32(i32 {n}, i32 {'%i' if n == 0 else f'%v{n - 1}'})"
        for n in range(body)
    )
    return f"""
define void @k() {{
entry:
  %n = call i32 @nv.param.i32(i32 0)
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %s = phi i32 [ 1, %entry ], [ %sum, %body ]
  %c = icmp slt i32 %i, {trip_count}
  br i1 %c, label %body, label %exit
body:
{lines}
  %sum = mul i32 %s, %v{body - 1}
  %next = add nsw i32 %i, 1
  br label %head
exit:
  call void @nv.store.i32.i32(i32 9, i32 0, i32 %s)
  ret void
}}"""


@pytest.mark.parametrize(
    ("trip_count", "body", "unrolled"), [("3", 2, True), ("8", 1, True), ("30", 8, False)]
)
def test_unrolling_is_bounded(trip_count, body, unrolled):
    function = optimised(loop(trip_count, body))
    assert len(calls(function, "nv.load.i32.i32")) == (int(trip_count) * body if unrolled else body)
    assert ("br" not in opcodes(function)) == unrolled


@pytest.mark.parametrize("trip_count", ["100000", "%n"])
def test_long_and_unknown_loops_stay(trip_count):
    assert len(calls(optimised(loop(trip_count)), "nv.load.i32.i32")) == 1


def test_widths_that_no_device_has_do_not_appear():
    """A sum over a range has a closed form, which loop optimisations compute with 33 or 65 bits."""
    function = optimised("""
define void @k() {
entry:
  %n = call i64 @nv.param.i64(i32 0)
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %head ]
  %s = phi i64 [ 0, %entry ], [ %sum, %head ]
  %sum = add i64 %s, %i
  %next = add i64 %i, 1
  %c = icmp slt i64 %next, %n
  br i1 %c, label %head, label %exit
exit:
  %t = trunc i64 %sum to i32
  call void @nv.store.i32.i32(i32 1, i32 0, i32 %t)
  ret void
}""")
    assert {i.type.bits for i in function.instructions() if isinstance(i.type, IntType)} <= {1, 32, 64}


RECURSION = """
declare i32 @odd(i32)
define i32 @even(i32 %n) !dbg !4 {
  %c = icmp eq i32 %n, 0
  br i1 %c, label %yes, label %no
yes:
  ret i32 1
no:
  %m = sub i32 %n, 1
  %r = call i32 @CALLEE(i32 %m), !dbg !5
  ret i32 %r
}
define void @k() {
  %i = call i32 @nv.id.global(i32 0)
  %r = call i32 @even(i32 %i)
  call void @nv.store.i32.i32(i32 1, i32 %i, i32 %r)
  ret void
}
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!3}
!0 = !DIFile(filename: "k.py", directory: "/src/project")
!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !0, emissionKind: LineTablesOnly)
!2 = !DISubroutineType(types: !{})
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "is_even", scope: !0, file: !0, line: 42, type: !2, unit: !1, isDefinition: true)
!5 = !DILocation(line: 43, scope: !4)
"""


def test_recursion_is_refused_with_name_line_and_remedy():
    with pytest.raises(VulkanUnsupportedError) as caught:
        optimised(RECURSION.replace("@CALLEE", "@even"))
    message = str(caught.value)
    assert "'is_even' (/src/project/k.py:42) calls itself" in message
    assert "write a loop" in message


def test_mutual_recursion_is_refused():
    odd = "declare i32 @even(i32)\ndefine i32 @odd(i32 %n) {\n  %r = call i32 @even(i32 %n)\n  ret i32 %r\n}"
    with pytest.raises(VulkanUnsupportedError, match=r"recursion .* odd calls itself: write a loop"):
        optimised(RECURSION.replace("@CALLEE", "@odd"), odd)


def test_what_llvm_refuses_is_our_fault():
    with pytest.raises(SpirvCodegenError, match="LLVM refuses a module"):
        optimise(("define void @k() {\n  nonsense\n}",), "k")
    with pytest.raises(SpirvCodegenError, match="LLVM refuses a module"):
        optimise(("define void @k() {\n  ret void\n}",) * 2, "k")
    with pytest.raises(SpirvCodegenError, match="no valid LLVM IR"):
        optimise(("define void @f() {\n  ret void\n}",), "k")


def test_calls_of_a_math_function_with_the_same_argument_are_one():
    """Also where the second is made only under a condition, and its argument is computed anew."""
    mathbuild.install()
    body = """
declare float @nv.math.exp.f32(float)
define void @k() {{
  %i = call i32 @nv.id.global(i32 0)
  %x = call float @nv.load.f32.i32(i32 1, i32 %i)
  %a = fadd float %x, 1.0
  %once = call float @nv.math.exp.f32(float %a)
  %c = fcmp olt float %once, 1.0
  br i1 %c, label %again, label %done
again:
  %b = fadd float %x, 1.0
  {second}
  call void @nv.store.f32.i32(i32 2, i32 %i, float %twice)
  br label %done
done:
  call void @nv.store.f32.i32(i32 3, i32 %i, float %once)
  ret void
}}"""
    once = optimised(body.format(second="%twice = fadd float %once, %b"))
    twice = optimised(body.format(second="%twice = call float @nv.math.exp.f32(float %b)"))
    assert opcodes(once).count("fmul") > 3
    assert opcodes(twice).count("fmul") == opcodes(once).count("fmul")
