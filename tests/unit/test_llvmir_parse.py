"""Reading LLVM assembly: every kind of instruction, constant and annotation, and what is refused."""

from __future__ import annotations

import struct

import pytest

from numba_vulkan.errors import SpirvCodegenError
from numba_vulkan.llvmir.model import (
    Aggregate,
    Argument,
    Constant,
    Function,
    Instruction,
    Location,
    LoopMerge,
    Null,
    SelectionMerge,
    Undef,
)
from numba_vulkan.llvmir.parse import defined_functions, parse_function
from numba_vulkan.llvmir.types import (
    F16,
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    PTR,
    VOID,
    array_type,
    int_type,
    struct_type,
    vector_type,
)


def parse_body(
    body: str, head: str = "define void @f(i32 %a, i32 %b, float %x, double %y, ptr %p)"
) -> Function:
    return parse_function(f"{head} {{\nentry:\n{body}\n}}\n", "f")


def parse_line(
    line: str, head: str = "define void @f(i32 %a, i32 %b, float %x, double %y, ptr %p)"
) -> Instruction:
    return parse_body(f"  {line}\n  ret void", head).entry.instructions[0]


def operand_names(instruction: Instruction) -> list[object]:
    return [
        operand.name if isinstance(operand, Argument | Instruction) else getattr(operand, "value", operand)
        for operand in instruction.operands
    ]


@pytest.mark.parametrize(
    ("line", "opcode", "type", "operands", "flags"),
    [
        ("%r = add nuw nsw i32 %a, -5", "add", I32, ["a", 2**32 - 5], {"nuw", "nsw"}),
        ("%r = sdiv exact i32 %a, %b", "sdiv", I32, ["a", "b"], {"exact"}),
        ("%r = or disjoint i32 %a, 1", "or", I32, ["a", 1], {"disjoint"}),
        ("%r = fmul nnan ninf float %x, 1.5", "fmul", F32, ["x", 0x3FC00000], {"nnan", "ninf"}),
        ("%r = fneg fast double %y", "fneg", F64, ["y"], {"fast"}),
        ("%r = freeze i32 %a", "freeze", I32, ["a"], set()),
        ("%r = zext nneg i32 %a to i64", "zext", I64, ["a"], {"nneg"}),
        ("%r = trunc nuw nsw i32 %a to i8", "trunc", I8, ["a"], {"nuw", "nsw"}),
        ("%r = uitofp nneg i32 %a to half", "uitofp", F16, ["a"], {"nneg"}),
        ("%r = fptosi double %y to i33", "fptosi", int_type(33), ["y"], set()),
        ("%r = bitcast float %x to i32", "bitcast", I32, ["x"], set()),
        ("%r = load volatile i32, ptr %p, align 4", "load", I32, ["p"], {"volatile"}),
        ("store i32 %a, ptr %p, align 4, !tbaa !7", "store", VOID, ["a", "p"], set()),
        ("%r = select fast i1 true, float %x, float 0.000000e+00", "select", F32, [1, "x", 0], {"fast"}),
    ],
)
def test_simple_instructions(line, opcode, type, operands, flags):
    instruction = parse_line(line)
    assert (instruction.opcode, instruction.type) == (opcode, type)
    assert operand_names(instruction) == operands
    assert instruction.flags == flags
    assert instruction.name == ("" if opcode == "store" else "r")


def test_all_integer_and_float_operations_parse():
    for opcode in "add sub mul udiv sdiv urem srem and or xor shl lshr ashr".split():
        assert parse_line(f"%r = {opcode} i32 %a, %b").opcode == opcode
    for opcode in "fadd fsub fmul fdiv frem".split():
        assert parse_line(f"%r = {opcode} double %y, %y").opcode == opcode


def test_comparisons():
    icmp = parse_line("%r = icmp samesign ult i32 %a, %b")
    assert (icmp.predicate, icmp.type, icmp.flags) == ("ult", I1, {"samesign"})
    fcmp = parse_line("%r = fcmp nnan une float %x, 0x7FF8000000000000")
    assert (fcmp.predicate, operand_names(fcmp)) == ("une", ["x", 0x7FC00000])
    vector = parse_line("%r = icmp slt <4 x i32> %v, zeroinitializer", "define void @f(<4 x i32> %v)")
    assert vector.type is vector_type(I1, 4)


@pytest.mark.parametrize(
    ("type", "text", "bits"),
    [
        ("i32", "-1", 0xFFFFFFFF),
        ("i32", "4294967295", 0xFFFFFFFF),
        ("i64", "-9223372036854775808", 1 << 63),
        ("i8", "-128", 0x80),
        ("i1", "true", 1),
        ("i1", "false", 0),
        ("i1", "-1", 1),
        ("float", "1.000000e+00", 0x3F800000),
        ("float", "-0.000000e+00", 0x80000000),
        ("float", "0x36A0000000000000", 0x00000001),
        ("float", "0x7FF0000000000000", 0x7F800000),
        ("float", "0xFFF8000000000000", 0xFFC00000),
        ("float", "0x7FF8000020000000", 0x7FC00001),
        ("float", "0x7FF4000000000000", 0x7FA00000),
        ("float", "0x3FB99999A0000000", 0x3DCCCCCD),
        ("double", "1.000000e-01", 0x3FB999999999999A),
        ("double", "0x7FF8000000000001", 0x7FF8000000000001),
        ("double", "2.250000e+00", 0x4002000000000000),
        ("half", "0xH3C00", 0x3C00),
        ("half", "0xHFE01", 0xFE01),
        ("half", "1.500000e+00", 0x3E00),
    ],
)
def test_number_constants(type, text, bits):
    operand = parse_line(f"call void @g({type} {text})").operands[0]
    assert isinstance(operand, Constant)
    assert operand.value == bits


def test_float_constants_need_not_be_rounded():
    with pytest.raises(SpirvCodegenError, match="is no float"):
        parse_line("call void @g(float 1.000000e-01)")


def test_aggregate_constants():
    line = (
        'call void @g([2 x i8] c"\\01\\\\", { i32, { ptr, i8 } } { i32 1, { ptr, i8 } zeroinitializer }, '
        "<2 x i32> splat (i32 -1), [0 x i32] zeroinitializer, ptr null, i64 poison, [2 x float] undef)"
    )
    string, structure, vector, empty, null, poison, undef = parse_line(line).operands
    assert isinstance(string, Aggregate)
    assert [byte.value for byte in string.elements] == [1, 0x5C]
    assert structure.type is struct_type((I32, struct_type((PTR, I8))))
    assert isinstance(structure.elements[1].elements[0], Null)
    assert [lane.value for lane in vector.elements] == [0xFFFFFFFF] * 2
    assert empty.elements == ()
    assert isinstance(null, Null)
    assert isinstance(poison, Undef)
    assert poison.type is I64
    assert undef.type is array_type(F32, 2)


def test_calls():
    call = parse_line(
        'tail call fast noundef nofpclass(nan inf) float @"nv g.x"(ptr noundef nonnull align 8 dereferenceable(8) %p, '
        'i32 range(i32 0, 5) "a"="b" %a, float 2.000000e+00) #3 [] ; comment'.replace(" []", "")
    )
    assert (call.opcode, call.type, call.callee, call.flags) == ("call", F32, "nv g.x", {"fast"})
    assert operand_names(call) == ["p", "a", 0x40000000]
    assert parse_line(
        "call fastcc range(i32 0, 9) { i32, i1 } @h() nounwind memory(none), !range !3"
    ).type is (struct_type((I32, I1)))
    assert parse_line("musttail call void @h()").opcode == "call"


def test_memory():
    assert parse_line("%r = alloca [4 x i32], align 16").element is array_type(I32, 4)
    assert parse_line("%r = alloca i16, i32 3, align 2").element is array_type(I16, 3)
    address = parse_line(
        "%r = getelementptr inbounds nuw { i32, [4 x i8] }, ptr %p, i64 0, i32 1, i32 %a, !tbaa !2"
    )
    assert address.element is struct_type((I32, array_type(I8, 4)))
    assert operand_names(address) == ["p", 0, 1, "a"]
    assert address.flags == {"inbounds", "nuw"}


def test_aggregates_and_vectors():
    head = "define void @f({ i32, [2 x float] } %s, <4 x float> %v, i32 %i)"
    part = parse_line("%r = extractvalue { i32, [2 x float] } %s, 1, 0", head)
    assert (part.type, part.indices) == (F32, (1, 0))
    whole = parse_line("%r = insertvalue { i32, [2 x float] } %s, float 1.0, 1, 1", head)
    assert (whole.type, whole.indices) == (struct_type((I32, array_type(F32, 2))), (1, 1))
    assert parse_line("%r = extractelement <4 x float> %v, i32 %i", head).type is F32
    assert parse_line("%r = insertelement <4 x float> %v, float 0.0, i64 2", head).type is vector_type(F32, 4)
    shuffle = parse_line(
        "%r = shufflevector <4 x float> %v, <4 x float> poison, <2 x i32> <i32 3, i32 poison>", head
    )
    assert (shuffle.type, shuffle.indices) == (vector_type(F32, 2), (3, -1))


CONTROL_FLOW = """
define i32 @"odd name"(i32 %0, i64) #0 !dbg !5 {
  switch i32 %0, label %7 [
    i32 0, label %"a b"
    i32 -1, label %3
  ], !prof !9

"a b":                                            ; preds = %2
  br label %3

3:                                                ; preds = %"a b", %2, %3
  %4 = phi i32 [ %5, %3 ], [ 7, %"a b" ], [ %0, %2 ]
  %5 = add i32 %4, 1
  %6 = icmp slt i32 %5, 9
  br i1 %6, label %3, label %7

7:                                                ; preds = %3, %2
  unreachable
}
"""


def test_control_flow_numbers_and_forward_references():
    function = parse_function(CONTROL_FLOW, "odd name")
    entry, named, loop, end = function.blocks
    assert [argument.type for argument in function.arguments] == [I32, I64]
    assert [block.name for block in function.blocks] == ["entry", "a b", "bb2", "bb3"]
    switch = entry.terminator
    assert switch.indices == (0, 0xFFFFFFFF)
    assert switch.targets == [end, named, loop]
    phi, addition, comparison, branch = loop.instructions
    assert phi.operands[0] is addition
    assert phi.operands[2] is function.arguments[0]
    assert phi.targets == [loop, named, entry]
    assert branch.operands == [comparison]
    assert branch.targets == [loop, end]
    assert {i.name for i in function.instructions()} == {""}
    assert end.terminator.opcode == "unreachable"


def test_merge_annotations_and_places_in_comments():
    function = parse_body(
        "  br label %h ; an ordinary %comment\n"
        "h:\n  br i1 true, label %m, label %c ; loop %m %c ; at /a b/k.py:12\n"
        "c:\n  br label %h\n"
        "m:\n  br i1 true, label %x, label %x; selection %x\n"
        "x:\n  ret void ; at noon: see below"
    )
    entry, header, continuing, merge, end = function.blocks
    assert entry.merge is None
    assert isinstance(header.merge, LoopMerge)
    assert (header.merge.merge, header.merge.continue_) == (merge, continuing)
    assert header.terminator.location == Location("/a b/k.py", 12)
    assert isinstance(merge.merge, SelectionMerge)
    assert merge.merge.merge is end
    assert end.terminator.location is None


DEBUG_INFO = """
define void @f() !dbg !3 {
  %1 = call i32 @g(), !dbg !6
  %2 = call i32 @g(), !dbg !7, !range !11
  %3 = call i32 @g(), !dbg !8
    #dbg_value(i32 %3, !12, !DIExpression(), !6)
  %4 = call i32 @g()
  %5 = call i32 @g(), !dbg !14
  ret void
}
declare i32 @g()
define internal void @h() {
  ret void
}
!1 = !DIFile(filename: "k.py", directory: "/src/a \\5Cb")
!2 = !DIFile(directory: "/ignored", filename: "/lib/other.py")
!3 = distinct !DISubprogram(name: "ker \\22nel", linkageName: "f", scope: !1, file: !1, line: 10, unit: !0)
!4 = distinct !DISubprogram(name: "helper", scope: null, file: !2, line: 1)
!5 = distinct !DILexicalBlock(scope: !4, line: 2)
!6 = !DILocation(line: 11, column: 3, scope: !3)
!7 = !DILocation(line: 5, column: 1, scope: !5, inlinedAt: !6)
!8 = !DILocation(line: 0, scope: !4, inlinedAt: !9)
!9 = distinct !DILocation(line: 12, scope: !3)
!14 = !DILocation(line: 0, scope: !3)
"""


def test_locations():
    function = parse_function(DEBUG_INFO, "f")
    kernel = "/src/a \\b/k.py"
    assert [instruction.location for instruction in function.instructions()] == [
        Location(kernel, 11),
        Location("/lib/other.py", 5),
        Location(kernel, 12),
        None,
        None,
        None,
    ]


def test_defined_functions():
    assert defined_functions(DEBUG_INFO) == {
        "f": ('ker "nel', Location("/src/a \\b/k.py", 10)),
        "h": None,
    }


def test_only_the_tables_that_are_used_are_read():
    text = """
@table = private unnamed_addr constant [2 x i32] [i32 5, i32 -6], align 4
@"other one" = internal constant [1 x double] [double 0x7FF8000000000001]
@unused = external global ptr
define i32 @f(i64 %i) {
  %p = getelementptr inbounds [2 x i32], ptr @table, i64 0, i64 %i
  %v = load i32, ptr %p
  %w = load double, ptr @"other one"
  ret i32 %v
}
"""
    function = parse_function(text, "f")
    assert list(function.globals) == ["table", "other one"]
    assert function.entry.instructions[0].operands[0] is function.globals["table"]
    assert [element.value for element in function.globals["table"].initializer.elements] == [5, 2**32 - 6]


def test_function_head_with_attributes():
    head = "define linkonce_odr dso_local noundef range(i32 0, 5) i32 @f(ptr noalias writeonly captures(none) %p) #3"
    assert parse_body("  ret i32 1", head).return_type is I32
    assert parse_body("  unreachable", "define { i32, [2 x i8] } @f()").return_type is struct_type(
        (I32, array_type(I8, 2))
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("%r = atomicrmw add ptr %p, i32 1 seq_cst", "instruction atomicrmw is not supported"),
        ("fence acquire", "instruction fence is not supported"),
        ("%r = call i32 (ptr, ...) @printf(ptr %p)", "variable arguments"),
        ("%r = call i32 %p(i32 1)", "through a pointer"),
        ('call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 8) ]', "operand bundles"),
        ("%r = load i32, ptr addrspace(1) %p", "is no constant of type ptr"),
        ("call void @g(ptr addrspace(3) %p)", "address spaces"),
        ("%r = load atomic i32, ptr %p seq_cst, align 4", "type atomic is not supported"),
        ("%r = load i32, ptr getelementptr (i8, ptr @g, i64 4)", "constant expressions"),
        ("%r = add x86_fp80 %a, %b", "type x86_fp80"),
        ("%r = add <vscale x 4 x i32> %a, %b", "scalable vectors"),
        ("%r = add i64 %a, 1", "%a is a i32, not a i64"),
        ("%r = add i8 300, 1", "300 does not fit into i8"),
        ("%r = add i32 %a, %nowhere", "there is no value %nowhere"),
        ("%r = icmp smaller i32 %a, %b", "predicate smaller"),
        ("%r = add i32 %a, 1, !srcloc !{!1}", "metadata written in place"),
        ("%r = add i32 %a, 1 nonsense", "'nonsense' is not supported here"),
        ("%r = add i32 %a", "unknown syntax"),
        ("%r = add i32 %a, 1, !dbg !9", "there is no metadata node !9"),
        ("%a = add i32 %b, 1", "a second value %a"),
        ("%r = load i32, ptr @g", "@g is used as a value"),
        ("%r = call i32 @g(<{ i8, i32 }> undef)", "packed structures"),
    ],
)
def test_refusals_name_line_and_reason(line, reason):
    with pytest.raises(SpirvCodegenError, match=reason) as caught:
        parse_line(line)
    assert "function 'f' cannot be read at line" in str(caught.value)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("  %r = add i32 %a, 1\nnext:\n  ret void", "block %entry has no terminator"),
        ("  ret void\nentry:\n  ret void", "a second block %entry"),
        ("  ret void\n  ret void", "after the end of a block"),
        ("  br label %x", "no block %x"),
        ("  %r = add i32 %a, 1", "no terminator"),
        ("  %r = zext i1 %c to i32\n  %c = add i32 %a, 1\n  ret void", "%c is a i32, but was used as a i1"),
    ],
)
def test_broken_functions(body, reason):
    with pytest.raises(SpirvCodegenError, match=reason):
        parse_body(body)


def test_mutable_variables_are_refused():
    text = "@g = global i32 0\ndefine i32 @f() {\n  %v = load i32, ptr @g\n  ret i32 %v\n}\n"
    with pytest.raises(SpirvCodegenError, match="variable @g is not constant"):
        parse_function(text, "f")


def test_missing_and_unfinished_functions():
    with pytest.raises(SpirvCodegenError, match="defines no function 'g'"):
        parse_function("define void @f() {\n  ret void\n}\n", "g")
    with pytest.raises(SpirvCodegenError, match="at its end"):
        parse_function("define void @f() {\n  ret void\n", "f")


def test_float_text_of_python_and_llvm_agree():
    for value in (0.1, 1e300, 5e-324, -2.5, 1e16, 123456789.0):
        bits = parse_line(f"call void @g(double {value!r})").operands[0].value
        assert struct.unpack("<d", struct.pack("<Q", bits))[0] == value
