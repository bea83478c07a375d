"""Structures, vectors and variables, split into scalars, hold what LLVM says they hold."""

from __future__ import annotations

import pytest

from numba_vulkan.errors import VulkanUnsupportedError
from unit.middle_ir import FULL, check, function_of, lower

# ---- aggregates and vectors


def test_structures() -> None:
    type = "{ i32, { double, [2 x i32] } }"
    constant = "{ i32 1, { double, [2 x i32] } { double 2.0, [2 x i32] [ i32 5, i32 6 ] } }"
    code = f"""
    %p = icmp slt i32 %a, 0
    br i1 %p, label %left, label %right
    left.0:
    %x = insertvalue {type} undef, i32 %a, 0
    %y = insertvalue {type} %x, [2 x i32] [ i32 3, i32 4 ], 1, 1
    br label %end
    right.0:
    %z = insertvalue {type} {constant}, i32 %b, 1, 1, 0
    br label %end
    end.0:
    %s = phi {type} [ %y, %left ], [ %z, %right ]
    %q = icmp slt i32 %b, 0
    %t = select i1 %q, {type} %s, {type} zeroinitializer
    %u = extractvalue {type} %t, 1, 1
    %v = extractvalue [2 x i32] %u, 0
    %w = extractvalue {type} %t, 0
    %r = add i32 %v, %w"""
    check([(code, "i32")], ["i32", "i32"])


def test_vectors() -> None:
    code = """
    %v = insertelement <2 x float> undef, float %a, i32 0
    %w = insertelement <2 x float> %v, float %b, i64 1
    %s = fadd <2 x float> %w, <float 1.0, float 2.0>
    %k = fcmp olt <2 x float> %s, %w
    %t = select <2 x i1> %k, <2 x float> %s, <2 x float> %w
    %u = shufflevector <2 x float> %t, <2 x float> %s, <3 x i32> <i32 1, i32 2, i32 3>
    %m = call <3 x float> @llvm.fabs.v3f32(<3 x float> %u)
    %x = extractelement <3 x float> %m, i32 0
    %y = extractelement <3 x float> %m, i32 2
    %r = fsub float %x, %y"""
    check([(code, "float")], ["float", "float"])


def test_vector_index() -> None:
    code = """
    %v = insertelement <4 x i32> <i32 1, i32 2, i32 3, i32 4>, i32 %a, i32 2
    %i = and i32 %b, 3
    %w = insertelement <4 x i32> %v, i32 %b, i32 %i
    %j = lshr i32 %b, 30
    %r = extractelement <4 x i32> %w, i32 %j"""
    check([(code, "i32")], ["i32", "i32"])


def test_bitcasts_of_vectors() -> None:
    snippets: list[tuple[str, str]] = []
    for vector in ("<2 x i32>", "<4 x i16>", "<8 x i8>", "<2 x float>"):
        count = int(vector[1])
        order = ", ".join(f"i32 {count - 1 - k}" for k in range(count))
        code = f"""
        %v = bitcast i64 %a to {vector}
        %w = shufflevector {vector} %v, {vector} poison, <{count} x i32> <{order}>
        %r = bitcast {vector} %w to i64"""
        snippets.append((code, "i64"))
    check(snippets, ["i64"])


# ---- memory


def test_array_variable() -> None:
    code = """
    %m = alloca [4 x i64], align 8
    %p1 = getelementptr inbounds i8, ptr %m, i64 8
    %p2 = getelementptr inbounds [4 x i64], ptr %m, i64 0, i64 2
    store i64 %a, ptr %m
    store i64 %b, ptr %p1
    store i64 3, ptr %p2
    %p3 = getelementptr inbounds i64, ptr %p2, i32 1
    store i64 4, ptr %p3
    %i = and i64 %a, 3
    %q = getelementptr inbounds [4 x i64], ptr %m, i64 0, i64 %i
    %r = load i64, ptr %q"""
    check([(code, "i64")], ["i64", "i64"])


def test_array_of_structures() -> None:
    type = "{ i64, double, i8 }"
    stores = "".join(
        f"%m{k} = getelementptr i8, ptr %m, i64 {24 * k}\n"
        f"store {type} {{ i64 {k}, double {k}.5, i8 {7 - 4 * k} }}, ptr %m{k}\n"
        for k in range(4)
    )
    code = f"""
    %m = alloca [4 x {type}], align 8
    %i = and i32 %a, 3
    {stores}
    %p = getelementptr [4 x {type}], ptr %m, i64 0, i32 %i
    %q = getelementptr i8, ptr %p, i64 8
    %s = load double, ptr %q
    %q2 = getelementptr {type}, ptr %p, i32 0, i32 2
    %t = load i8, ptr %q2
    %u = sitofp i8 %t to double
    %r = fadd double %s, %u"""
    check([(code, "double")], ["i32"])


def test_reinterpreted_variable() -> None:
    code = """
    %m = alloca { double, i8 }, align 8
    %p = getelementptr i8, ptr %m, i64 8
    store double %a, ptr %m
    %k = fcmp olt double %a, 0.0
    store i1 %k, ptr %p
    %bits = load i64, ptr %m
    %flag = load i8, ptr %p
    %wider = zext i8 %flag to i64
    %r = add i64 %bits, %wider"""
    check([(code, "i64")], ["double"])


COPIES = """
    %m = alloca { i64, [3 x i32] }, align 8
    %n = alloca { i64, [3 x i32] }, align 8
    %o = alloca [24 x i8], align 8
    call void @llvm.memset.p0.i64(ptr %m, i8 -1, i64 24, i1 false)
    store i64 %a, ptr %m
    call void @llvm.memcpy.p0.p0.i64(ptr %n, ptr %m, i64 24, i1 false)
    call void @llvm.memcpy.p0.p0.i64(ptr %o, ptr %n, i64 24, i1 false)
    %q = getelementptr i8, ptr %o, i64 8
    %q2 = ADDRESS
    store i32 77, ptr %q2
    %q3 = getelementptr i8, ptr %o, i64 16
    %x = load i32, ptr %q3
    %y = load i64, ptr %o
    %z = zext i32 %x to i64
    %r = add i64 %y, %z"""


def test_copies() -> None:
    check([(COPIES.replace("ADDRESS", "getelementptr i8, ptr %q, i64 4"), "i64")], ["i64"])


def test_indexed_part_of_a_structure() -> None:
    code = COPIES.replace("ADDRESS", "getelementptr [3 x i32], ptr %q, i64 0, i64 %a")
    with pytest.raises(VulkanUnsupportedError, match=r"kernel\.py:1: a tuple .* needs a pointer"):
        lower(function_of([(code, "i64")], ["i64"]), FULL)
