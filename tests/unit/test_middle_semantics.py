"""Each operation, after the passes that lower it for some device, gives what LLVM computes for it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from numba_vulkan.errors import VulkanUnsupportedError
from unit.middle_ir import FULL, check, function_of, inputs, lower, run, same

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


# ---- calls that nothing can answer


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("double @llvm.sin.f64(double %a)", "cannot call 'llvm.sin.f64' of C or LLVM: call 'sin' of math"),
        ("double @pow(double %a, double %a)", "cannot call 'pow' of C or LLVM: call 'pow' of math"),
        ("double @tanhf(double %a)", "cannot call 'tanhf' of C or LLVM: call 'tanh' of math"),
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
