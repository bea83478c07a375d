"""Operations that drivers lack or get wrong, lowered for the device, give what LLVM computes for them natively."""

from __future__ import annotations

import numpy as np
import pytest

from numba_vulkan import codegen
from numba_vulkan.kernel import ArrayArgument, KernelInterface, LoweredKernel, Variant
from numba_vulkan.runtime import Device
from unit.middle_ir import function_of, same, values
from unit.middle_ir import run as run_natively

ELEMENTS = {"float": "f32", "double": "f64", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64"}
DTYPES = {"float": "f4", "double": "f8", "i8": "u1", "i16": "u2", "i32": "u4", "i64": "u8"}
GROUP = 64


def upload(device: Device, array: np.ndarray) -> object:
    # A buffer holds whole words, whatever the elements are.
    size_bytes = -(-array.nbytes // 4) * 4
    buffer = device.create_buffer(size_bytes)
    padded = np.zeros(size_bytes, "u1")
    padded[: array.nbytes] = array.view("u1")
    device.upload(buffer, padded)
    return buffer


def run_on_device(device: Device, code: str, type: str, result: str, data: list[np.ndarray]) -> np.ndarray:
    """Compute r of a and b for each element."""
    count = len(data[0])
    lines = [
        f"%{name} = call {type} @nv.load.{ELEMENTS[type]}.i32(i32 {k}, i32 %i)"
        for k, name in ((1, "a"), (2, "b"))
    ]
    lines += [line.strip() for line in code.splitlines()]
    lines.append(f"call void @nv.store.{ELEMENTS[result]}.i32(i32 3, i32 %i, {result} %r)")
    body = "\n".join(f"  {line}" for line in ("%i = call i32 @nv.id.global(i32 0)", *lines, "ret void"))
    declarations = [
        "declare i32 @nv.id.global(i32)",
        f"declare {type} @nv.load.{ELEMENTS[type]}.i32(i32, i32)",
        f"declare void @nv.store.{ELEMENTS[result]}.i32(i32, i32, {result})",
        *(
            f"declare {type} @llvm.{name}.{ELEMENTS[type]}({arguments})"
            for name, arguments in INTRINSICS[type]
        ),
    ]
    if type in ("float", "double"):
        declarations.append(f"declare i1 @llvm.is.fpclass.{ELEMENTS[type]}({type}, i32)")
    text = "\n".join(declarations) + f"\ndefine void @operation() {{\nentry:\n{body}\n}}\n"
    arrays = tuple(ArrayArgument(k, ELEMENTS[t], 1, "C") for k, t in enumerate((type, type, result)))
    interface = KernelInterface("operation", "operation.py", 1, arrays)
    kernel = codegen.build(LoweredKernel(interface, (text,), "operation"), Variant(device.profile))
    output = np.zeros(count, DTYPES[result])
    buffers = {k: upload(device, array) for k, array in enumerate((*data, output), start=1)}
    assert device.run(kernel, (count // GROUP, 1, 1), buffers, local_size=(GROUP, 1, 1)) == ()
    padded = np.zeros(-(-output.nbytes // 4) * 4, "u1")
    device.download(buffers[3], padded)
    return padded[: output.nbytes].view(output.dtype)


def intrinsics(type: str) -> list[tuple[str, str]]:
    one, two = type, f"{type}, {type}"
    if type[0] == "i":
        return [
            ("smin", two),
            ("fshl", f"{two}, {type}"),
            ("ctlz", f"{type}, i1"),
            ("ctpop", one),
            ("bitreverse", one),
        ]
    rounding = ("floor", "ceil", "trunc", "rint", "round", "fabs")
    return [(name, one) for name in rounding] + [
        (name, two) for name in ("copysign", "minimum", "maximum", "minimumnum", "maximumnum")
    ]


INTRINSICS = {type: intrinsics(type) for type in ELEMENTS}


def operands(type: str, denormals: bool) -> list[np.ndarray]:
    generator = np.random.default_rng(3)
    column = values(type).astype(DTYPES[type])
    if type in ("float", "double") and not denormals:
        column = column[~((np.abs(column) < np.finfo(column.dtype).tiny) & (column != 0))]
    column = column[: len(column) // GROUP * GROUP]
    return [column, generator.permutation(column)]


def check(device: Device, code: str, type: str, result: str, denormals: bool = True) -> None:
    if type == "double" and not device.profile.computes_float64:
        pytest.skip("the device has no float64")
    data = operands(type, denormals)
    wide = [column.astype({"u1": "u4", "u2": "u4"}.get(DTYPES[type], column.dtype)) for column in data]
    reference = run_natively(function_of([(code, result)], [type, type]), wide)
    expected = reference[0]
    if len(reference) == 2:
        expected = reference[0].astype("u8") | reference[1].astype("u8") << np.uint64(32)
    actual = run_on_device(device, code, type, result, data)
    wrong = np.flatnonzero(~same(expected.astype(actual.dtype), actual))[:4]
    assert not wrong.size, ([column[wrong] for column in data], expected[wrong], actual[wrong])


FLOATS = pytest.mark.parametrize("type", ["float", "double"])


@FLOATS
@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "rint", "round", "fabs"])
def test_rounding(device: Device, name: str, type: str):
    check(device, f"%r = call {type} @llvm.{name}.{ELEMENTS[type]}({type} %a)", type, type)


@FLOATS
@pytest.mark.parametrize("name", ["copysign", "minimum", "maximum", "minimumnum", "maximumnum"])
def test_two_floats(device: Device, name: str, type: str):
    code = f"%r = call {type} @llvm.{name}.{ELEMENTS[type]}({type} %a, {type} %b)"
    check(device, code, type, type, denormals=name == "copysign")


@FLOATS
def test_negation(device: Device, type: str):
    check(device, f"%r = fneg {type} %a", type, type)


@FLOATS
@pytest.mark.parametrize("predicate", ["ord", "uno", "oeq", "une", "ueq", "one", "olt", "ult", "oge", "uge"])
def test_comparison(device: Device, predicate: str, type: str):
    code = f"%c = fcmp {predicate} {type} %a, %b\n%r = zext i1 %c to i32"
    check(device, code, type, "i32", denormals=predicate in ("ord", "uno"))


@FLOATS
@pytest.mark.parametrize("mask", [0x003, 0x204, 0x264, 0x090, 0x0F0, 0x155])
def test_class(device: Device, mask: int, type: str):
    code = f"%c = call i1 @llvm.is.fpclass.{ELEMENTS[type]}({type} %a, i32 {mask})\n%r = zext i1 %c to i32"
    check(device, code, type, "i32")


@FLOATS
@pytest.mark.parametrize("source", ["i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("opcode", ["sitofp", "uitofp"])
def test_integer_to_float(device: Device, opcode: str, source: str, type: str):
    if type == "double" and not device.profile.computes_float64:
        pytest.skip("the device has no float64")
    check(device, f"%r = {opcode} {source} %a to {type}", source, type)


INTEGERS = pytest.mark.parametrize("type", ["i8", "i16", "i32", "i64"])


@INTEGERS
@pytest.mark.parametrize("opcode", ["sdiv", "srem", "udiv", "urem"])
def test_division(device: Device, opcode: str, type: str):
    # An odd divisor is not 0, and it is not -1 without its second bit.
    check(device, f"%o = or {type} %b, 1\n%d = and {type} %o, -3\n%r = {opcode} {type} %a, %d", type, type)


@INTEGERS
@pytest.mark.parametrize("opcode", ["shl", "lshr", "ashr"])
def test_shift(device: Device, opcode: str, type: str):
    check(device, f"%d = and {type} %b, {int(type[1:]) - 1}\n%r = {opcode} {type} %a, %d", type, type)


@INTEGERS
@pytest.mark.parametrize("name", ["smin", "ctlz", "ctpop", "bitreverse", "fshl"])
def test_bits(device: Device, name: str, type: str):
    rest = {"smin": f", {type} %b", "ctlz": ", i1 false", "fshl": f", {type} %b, {type} %b"}.get(name, "")
    check(device, f"%r = call {type} @llvm.{name}.{type}({type} %a{rest})", type, type)


@INTEGERS
def test_comparison_of_integers(device: Device, type: str):
    check(
        device, f"%s = add {type} %a, %b\n%c = icmp slt {type} %s, %b\n%r = sext i1 %c to {type}", type, type
    )
