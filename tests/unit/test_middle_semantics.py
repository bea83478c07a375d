"""Each operation, after the passes that lower it for some device, gives what LLVM computes for it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from llvmlite import binding as llvm

from numba_vulkan.errors import VulkanUnsupportedError
from numba_vulkan.kernel import KernelInterface, TargetProfile, Variant
from numba_vulkan.llvmir.model import Function
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.printing import print_function
from numba_vulkan.llvmir.types import F32, F64, I1, I32, I64, PTR, VOID, IntType
from numba_vulkan.middle.passes import Context
from numba_vulkan.middle.pipeline import PIPELINE
from unit.native import run_over

FULL = TargetProfile()
NO_INT64 = TargetProfile(int64=False)
LAST = "eliminate-dead"
GENERATOR = np.random.default_rng(20)
SIZE = 5_000

INTEGER_EDGES = [0, 1, 2, 3, 7, 8, 31, 32, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 65536]
INTEGER_EDGES += [2**k - d for k in (23, 24, 31, 32, 33, 52, 53, 63) for d in (-1, 0, 1)]
FLOAT_EDGES = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.5, 1e-40, 1e-30, 1e10, 1e30, np.inf, np.nan]
FLOAT_EDGES += [2.0**k + d for k in (22, 23, 24, 31, 51, 52, 53) for d in (-1, -0.5, 0, 0.5, 1)]


def values(type: str) -> np.ndarray:
    """Edges and random numbers of all lengths, as bit patterns of the type."""
    if type in ("float", "double"):
        dtype = np.dtype("f4" if type == "float" else "f8")
        with np.errstate(over="ignore"):
            edges = np.array([s * x for x in FLOAT_EDGES for s in (1, -1)], "f8").astype(dtype)
        steps = [np.nextafter(edges, dtype.type(np.inf)), np.nextafter(edges, dtype.type(-np.inf))]
        small = GENERATOR.normal(0, 4, SIZE).astype(dtype)
        halves = (GENERATOR.integers(-100, 100, SIZE) / 2).astype(dtype)
        bits = np.frombuffer(GENERATOR.bytes(SIZE * dtype.itemsize), dtype)
        return np.concatenate([edges, *steps, small, halves, bits])
    bits = int(type[1:])
    dtype = np.dtype("u4" if bits <= 32 else "u8")
    edges = [(s * x) % 2**bits for x in INTEGER_EDGES for s in (1, -1)]
    lengths = GENERATOR.integers(0, 64, SIZE, dtype=np.uint64)
    random = GENERATOR.integers(0, 2**64, SIZE, dtype=np.uint64) >> lengths
    negative = np.where(GENERATOR.integers(0, 2, SIZE) == 1, random, ~random)
    return np.concatenate([np.array(edges, "u8"), negative]).astype("u8").astype(dtype) & dtype.type(
        2**bits - 1
    )


def inputs(types: list[str]) -> list[np.ndarray]:
    """All values for the first operand, random choices of them for the others."""
    columns = [values(type) for type in types]
    return [columns[0], *(GENERATOR.choice(column, len(columns[0])) for column in columns[1:])]


def carrier(type: str) -> str:
    """The type of arguments and results of an integer type: tests pass small ones as i32 and odd ones as i64."""
    if type[0] != "i":
        return type
    return "i32" if int(type[1:]) <= 32 else "i64"


def function_of(snippets: list[tuple[str, str]], types: list[str]) -> Function:
    """A function of a, b and c with one result per snippet, %r; 64-bit integers come and go as two words."""
    arguments: list[str] = []
    lines: list[str] = []
    for name, type in zip("abc", types, strict=False):
        wide = carrier(type)
        source = f"%{name}" if wide == type else f"%{name}.wide"
        if wide == "i64":
            arguments += [f"i32 %{name}.low", f"i32 %{name}.high"]
            lines.append(f"{source} = call i64 @nv.join.i64(i32 %{name}.low, i32 %{name}.high)")
        else:
            arguments.append(f"{wide} {source}")
        if wide != type:
            lines.append(f"%{name} = trunc {wide} {source} to {type}")
    for k, (code, result) in enumerate(snippets):
        # Names other than those of the operands become those of the snippet.
        lines += re.sub(r"%(?![abc]\b)([a-z]\w*)", rf"%\1.{k}", code).strip().splitlines()
        lines += result_lines(f"%r.{k}", result, k, arguments)
    body = "".join(f"  {line.strip()}\n" for line in lines)
    text = f"define void @f({', '.join(arguments)}) {{\nentry:\n{body}  ret void\n}}\n"
    return parse_function(re.sub(r"^ *(\w+\.\d+):", r"\1:", text, flags=re.MULTILINE), "f")


def result_lines(value: str, type: str, k: int, arguments: list[str]) -> list[str]:
    """The lines that store a result; they add its pointers to the arguments."""
    lines: list[str] = []
    wide = carrier(type)
    if wide != type:
        lines.append(f"%wide.{k} = zext {type} {value} to {wide}")
        value = f"%wide.{k}"
    if wide != "i64":
        arguments.append(f"ptr %out.{k}")
        return [*lines, f"store {wide} {value}, ptr %out.{k}"]
    for word in ("low", "high"):
        arguments.append(f"ptr %out.{word}.{k}")
        lines.append(f"%{word}.{k} = call i32 @nv.{word}.i64(i64 {value})")
        lines.append(f"store i32 %{word}.{k}, ptr %out.{word}.{k}")
    return lines


def run(function: Function, data: list[np.ndarray]) -> list[np.ndarray]:
    """Call a function of `function_of` for every element of its operands."""
    words: list[np.ndarray] = []
    for column in data:
        wide = column.dtype == np.uint64
        words += [column.astype("u4"), (column >> np.uint64(32)).astype("u4")] if wide else [column]
    return run_over(function, words)


def lower(function: Function, profile: TargetProfile) -> Function:
    """Run the passes up to the structurizer, with LLVM's verifier after each."""
    context = Context(KernelInterface("kernel", "kernel.py", 1), Variant(profile))
    for step in PIPELINE:
        if step.when(profile):
            step.run(function, context)
            llvm.parse_assembly(print_function(function)).verify()
        if step.name == LAST:
            return function
    raise AssertionError(LAST)


def assert_legal(function: Function, profile: TargetProfile) -> None:
    types = {I1, I32, F32, F64, PTR, VOID} | ({I64} if profile.int64 else set())
    illegal = {
        "srem",
        "frem",
        "fneg",
        "freeze",
        "insertvalue",
        "extractvalue",
        "insertelement",
        "shufflevector",
    }
    for instruction in function.instructions():
        assert instruction.type in types, instruction.opcode
        assert instruction.opcode not in illegal
        if instruction.opcode in ("icmp", "add", "mul", "shl") and isinstance(
            instruction.operands[0].type, IntType
        ):
            assert instruction.operands[0].type is not I1
        if instruction.opcode == "fcmp":
            assert instruction.predicate not in ("ord", "uno", "true", "false")


def same(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Where two results are the same bits, or both NaN."""
    if left.dtype.kind == "f":
        bits = f"u{left.dtype.itemsize}"
        return (left.view(bits) == right.view(bits)) | (np.isnan(left) & np.isnan(right))
    return left == right


def check(snippets: list[tuple[str, str]], types: list[str], data: list[np.ndarray] | None = None) -> None:
    """Compare the results of snippets, each code and type of its result, with and without the passes."""
    data = inputs(types) if data is None else data
    reference = run(function_of(snippets, types), data)
    for profile in (FULL, NO_INT64):
        lowered = lower(function_of(snippets, types), profile)
        assert_legal(lowered, profile)
        for k, (expected, actual) in enumerate(zip(reference, run(lowered, data), strict=True)):
            wrong = np.flatnonzero(~same(expected, actual))[:4]
            assert not wrong.size, (
                k,
                profile.int64,
                [d[wrong] for d in data],
                expected[wrong],
                actual[wrong],
            )


WIDTHS = ("i8", "i16", "i24", "i32", "i48", "i64")
PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")


@pytest.mark.parametrize("type", WIDTHS)
def test_integer_arithmetic(type: str) -> None:
    opcodes = ("add", "sub", "mul", "and", "or", "xor")
    check([(f"%t = {op} {type} %a, %b\n%r = {op} {type} %t, 77", type) for op in opcodes], [type, type])


@pytest.mark.parametrize("type", WIDTHS)
def test_integer_division(type: str) -> None:
    # An odd divisor is not 0, and it is not -1 without its second bit.
    divisor = f"%o = or {type} %b, 1\n%d = and {type} %o, -3\n"
    opcodes = ("udiv", "urem", "sdiv", "srem")
    check(
        [(divisor + f"%r = {op} {type} %a, %d", type) for op in opcodes]
        + [(f"%r = {op} {type} %a, 7", type) for op in opcodes],
        [type, type],
    )


@pytest.mark.parametrize("type", WIDTHS)
def test_shifts(type: str) -> None:
    bits = int(type[1:])
    opcodes = ("shl", "lshr", "ashr")
    check(
        [(f"%d = urem {type} %b, {bits}\n%r = {op} {type} %a, %d", type) for op in opcodes]
        + [(f"%r = {op} {type} %a, {bits - 3}", type) for op in opcodes],
        [type, type],
    )


@pytest.mark.parametrize("type", WIDTHS)
def test_comparisons(type: str) -> None:
    check(
        [(f"%s = add {type} %a, %b\n%r = icmp {p} {type} %s, %b", "i1") for p in PREDICATES]
        + [(f"%r = icmp {p} {type} %a, 100", "i1") for p in PREDICATES],
        [type, type],
    )


def test_booleans() -> None:
    both = "%x = trunc i64 %a to i1\n%y = trunc i8 %b to i1\n"
    opcodes = ("add", "sub", "mul", "and", "or", "xor")
    check(
        [(both + f"%r = icmp {p} i1 %x, %y", "i1") for p in PREDICATES]
        + [(both + f"%r = {op} i1 %x, %y", "i1") for op in opcodes]
        + [(both + f"%r = {cast} i1 %x to {type}", type) for cast in ("zext", "sext") for type in WIDTHS]
        + [(both + f"%r = {cast} i1 %x to float", "float") for cast in ("sitofp", "uitofp")],
        ["i64", "i8"],
    )


@pytest.mark.parametrize("source", WIDTHS)
def test_integer_casts(source: str) -> None:
    narrower = [type for type in WIDTHS if int(type[1:]) < int(source[1:])]
    wider = [type for type in WIDTHS if int(type[1:]) > int(source[1:])]
    start = f"%s = sub {source} %a, 5\n"
    check(
        [(start + f"%r = trunc {source} %s to {type}", type) for type in narrower]
        + [
            (start + f"%r = {cast} {source} %s to {type}", type)
            for type in wider
            for cast in ("sext", "zext")
        ],
        [source],
    )


def test_choices_of_small_integers() -> None:
    code = """
    %s = add i8 %a, %b
    %p = icmp ult i8 %s, %b
    %x = select i1 %p, i8 %s, i8 -100
    %y = xor i8 %x, -1
    %r = lshr i8 %y, 1"""
    check([(code, "i8")], ["i8", "i8"])


def test_control_flow_of_small_integers() -> None:
    code = """
    %s = mul i8 %a, 3
    switch i8 %s, label %other [
    i8 -3, label %one
    i8 6, label %two
    i8 -128, label %two
    ]
    one.0:
    br label %end
    two.0:
    %t = shl i8 %s, 1
    br label %end
    other.0:
    br label %end
    end.0:
    %p = phi i8 [ 1, %one ], [ %t, %two ], [ %s, %other ]
    %r = sext i8 %p to i32"""
    check([(code, "i32")], ["i8"])


@pytest.mark.parametrize("type", WIDTHS)
def test_integer_intrinsics(type: str) -> None:
    of_two = ["smin", "smax", "umin", "umax", "sadd.sat", "ssub.sat", "uadd.sat", "usub.sat"]
    of_one = ["ctpop", "bitreverse"] + (["bswap"] if int(type[1:]) % 16 == 0 else [])
    calls = [f"@llvm.{name}.{type}({type} %a, {type} %b)" for name in of_two]
    calls += [f"@llvm.{name}.{type}({type} %a)" for name in of_one]
    calls += [f"@llvm.{name}.{type}({type} %a, i1 false)" for name in ("ctlz", "cttz", "abs")]
    calls += [f"@llvm.{name}.{type}({type} %a, {type} %b, {type} %c)" for name in ("fshl", "fshr")]
    calls += [f"@llvm.{name}.{type}({type} %a, {type} %a, {type} 5)" for name in ("fshl", "fshr")]
    calls += [f"@llvm.{name}.{type}.{type}({type} %a, {type} %b)" for name in ("scmp", "ucmp")]
    check([(f"%r = call {type} {call}", type) for call in calls], [type, type, type])


@pytest.mark.parametrize("type", ["i8", "i32", "i64"])
def test_overflow(type: str) -> None:
    pair = f"{{ {type}, i1 }}"
    snippets: list[tuple[str, str]] = []
    for name in ("sadd", "ssub", "smul", "uadd", "usub", "umul"):
        code = f"%p = call {pair} @llvm.{name}.with.overflow.{type}({type} %a, {type} %b)\n"
        code += f"%r = extractvalue {pair} %p, "
        snippets += [(code + "0", type), (code + "1", "i1")]
    check(snippets, [type, type])


FLOATS = ("float", "double")
SUFFIX = {"float": "f32", "double": "f64"}


@pytest.mark.parametrize("type", FLOATS)
def test_rounding(type: str) -> None:
    names = ("fabs", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven")
    check([(f"%r = call {type} @llvm.{name}.{SUFFIX[type]}({type} %a)", type) for name in names], [type])


@pytest.mark.parametrize("type", FLOATS)
def test_float_intrinsics_of_two(type: str) -> None:
    names = ("copysign", "minimum", "maximum", "minimumnum", "maximumnum")
    operands = (f"{type} %a, {type} %b", f"{type} %a, {type} 0.0", f"{type} -0.0, {type} %a")
    calls = [f"@llvm.{name}.{SUFFIX[type]}({both})" for name in names for both in operands]
    check([(f"%r = call {type} {call}", type) for call in calls], [type, type])


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize(("name", "reference"), [("minnum", np.fmin), ("maxnum", np.fmax)])
def test_minnum(name: str, reference: np.ufunc, type: str) -> None:
    """LLVM allows either zero here; other numbers are those of NumPy."""
    data = inputs([type, type])
    code = f"%r = call {type} @llvm.{name}.{SUFFIX[type]}({type} %a, {type} %b)"
    (actual,) = run(lower(function_of([(code, type)], [type, type]), FULL), data)
    assert np.array_equal(reference(*data), actual, equal_nan=True)


@pytest.mark.parametrize("type", FLOATS)
def test_classes(type: str) -> None:
    masks = (0x003, 0x204, 0x264, 0x1F8, 0x090, 0x060, 0x001, 0x3FF, 0x000, 0x20C, 0x155, 0x2AA)
    call = f"%r = call i1 @llvm.is.fpclass.{SUFFIX[type]}({type} %a, i32 "
    check([(f"{call}{mask})", "i1") for mask in masks], [type])


@pytest.mark.parametrize("type", FLOATS)
def test_float_comparisons(type: str) -> None:
    predicates = ("ord", "uno", "true", "false", "ueq", "one", "ult", "oge", "une", "oeq", "ugt", "ole")
    check(
        [(f"%r = fcmp {p} {type} %a, {b}", "i1") for p in predicates for b in ("%b", "%a", "0.0")],
        [type, type],
    )


@pytest.mark.parametrize("type", FLOATS)
def test_negation_and_multiply_add(type: str) -> None:
    data = inputs([type] * 3)
    code = (
        f"%m = call {type} @llvm.fmuladd.{SUFFIX[type]}({type} %a, {type} %b, {type} %c)\n%r = fneg {type} %m"
    )
    with np.errstate(all="ignore"):
        expected = -(data[0] * data[1] + data[2])
    (actual,) = run(lower(function_of([(code, type)], [type] * 3), FULL), data)
    assert same(expected, actual).all()


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("source", ["i8", "i16", "i32", "i64"])
def test_integers_to_floats(source: str, type: str) -> None:
    code = f"%s = add {source} %a, 3\n%r = "
    check([(code + f"{op} {source} %s to {type}", type) for op in ("sitofp", "uitofp")], [source])


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("target", ["i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("opcode", ["fptosi", "fptoui"])
def test_floats_to_integers(opcode: str, target: str, type: str) -> None:
    data = inputs([type])[0]
    end = 2.0 ** int(target[1:])
    low, high = (0, end) if opcode == "fptoui" else (-end / 2, end / 2)
    data = data[(data >= low) & (data < high)]
    check([(f"%r = {opcode} {type} %a to {target}", target)], [type], [data])


def test_freeze_and_undef() -> None:
    check([("%f = freeze i8 %a\n%r = add i8 %f, 1", "i8")], ["i8"])
    lowered = lower(function_of([("%f = freeze i32 undef\n%r = add i32 %f, %a", "i32")], ["i32"]), FULL)
    assert [i.opcode for i in lowered.instructions()] == ["add", "store", "ret"]


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


# ---- calls that nothing can answer


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("double @llvm.sin.f64(double %a)", "math functions are not available yet: 'sin'"),
        ("double @pow(double %a, double %a)", "math functions are not available yet: 'pow'"),
        ("double @tanhf(double %a)", "math functions are not available yet: 'tanh'"),
        ("double @NRT_Allocate(double %a)", "memory allocated at run time"),
        ("double @PyErr_SetString(double %a)", "Python objects"),
        ("double @unheard_of(double %a)", "cannot call the function 'unheard_of'"),
        ("double @llvm.unheard.of.f64(double %a)", "intrinsic 'llvm.unheard.of.f64' is not available"),
        ("double @nv.load.unknown(double %a)", "does not know"),
    ],
)
def test_unknown_calls(call: str, message: str) -> None:
    function = function_of([(f"%r = call {call}", "double")], ["double"])
    with pytest.raises(VulkanUnsupportedError, match=re.escape(message)) as error:
        lower(function, FULL)
    assert "kernel 'kernel', kernel.py:1: " in str(error.value)
