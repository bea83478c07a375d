"""Every operation of the SPIR-V emitter, run on the device and compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from numba_vulkan import abi
from numba_vulkan.kernel import CompiledKernel
from numba_vulkan.llvmir.model import Aggregate, GlobalArray, Instruction, SelectionMerge, constant
from numba_vulkan.llvmir.types import F32, F64, I1, I32, I64, VOID, array_type
from numba_vulkan.spirv.check import check
from unit.spirv_ir import TYPES, Kernel, loop, step
from unit.spirv_rows import DTYPES, ROWS

LOCAL = 16


def emit(device, kernel: Kernel, *, aliased: bool = False) -> CompiledKernel:
    compiled = kernel.emit(device.profile, aliased=aliased)
    check(compiled.spirv, device.profile)
    return compiled


def launch(device, kernel: Kernel, count: int, *arrays: np.ndarray, push: bytes = b"") -> tuple[int, ...]:
    """Run over ``count`` invocations, rounded up to workgroups, and copy every array back."""
    compiled = emit(device, kernel)
    buffers = {k + 1: device.create_buffer(max(a.nbytes, 4)) for k, a in enumerate(arrays)}
    for binding, buffer in buffers.items():
        device.upload(buffer, arrays[binding - 1])
    groups = -(-count // LOCAL)
    status = device.run(compiled, (groups, 1, 1), buffers, push, local_size=(LOCAL, 1, 1))
    for binding, buffer in buffers.items():
        device.download(buffer, arrays[binding - 1])
    return status


def padded(array: np.ndarray) -> np.ndarray:
    """The array, repeated to a whole number of workgroups: these kernels have no bounds."""
    size = -(-array.size // LOCAL) * LOCAL
    return np.resize(array, size)


@pytest.mark.parametrize("name", ROWS)
def test_rows(device, name):
    row = ROWS[name]
    if lacking := row.lacking(device.profile):
        pytest.skip(f"{device.info.name} lacks {lacking}")
    inputs = [padded(x) for x in row.arrays()]
    out = np.zeros(inputs[0].size, DTYPES[row.result])
    launch(device, row.kernel(), out.size, *inputs, out)
    with np.errstate(all="ignore"):
        expected = row.expected(*inputs)
    assert expected.dtype == out.dtype
    if row.rtol:
        np.testing.assert_allclose(out, expected, rtol=row.rtol)
        return
    np.testing.assert_array_equal(out, expected)
    if row.result.startswith("f"):
        keep = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(out[keep]), np.signbit(expected[keep]))


MAGIC = (0.0, -0.0, 1.0, -1.0, 2.0)


@pytest.mark.mesa22
@pytest.mark.parametrize("type", ["f32", "i32", "f64", "i64"])
def test_choices_of_constants(device, type):
    if {"f64": not device.profile.computes_float64, "i64": not device.profile.int64}.get(type):
        pytest.skip(f"{device.info.name} lacks {type}")
    dtype = np.dtype(f"f{type[1:]}".replace("32", "4").replace("64", "8"))
    numbers = np.array(MAGIC, dtype)
    bits = [int(word) for word in numbers.view(f"u{dtype.itemsize}")]
    pairs = [(a, b) for a in range(len(MAGIC)) for b in range(len(MAGIC)) if a != b]
    kernel = Kernel(f"i32 {type}")
    i, b = kernel.id(), kernel.builder
    flag = b.icmp("ne", kernel.load(0, i), b.i32(0))
    for k, (yes, no) in enumerate(pairs):
        at = b.binary("add", b.binary("mul", i, b.i32(len(pairs))), b.i32(k))
        kernel.store(1, at, b.select(flag, constant(TYPES[type], bits[yes]), constant(TYPES[type], bits[no])))
    kernel.ret()
    flags = np.arange(LOCAL, dtype=np.int32) % 2
    out = np.zeros((LOCAL, len(pairs)), f"u{dtype.itemsize}")
    launch(device, kernel, LOCAL, flags, out)
    expected = [[bits[yes] if f else bits[no] for yes, no in pairs] for f in flags]
    np.testing.assert_array_equal(out, np.array(expected, out.dtype))


@pytest.mark.mesa22
@pytest.mark.parametrize("type", ["f32", "i32", "f64", "i64"])
@pytest.mark.parametrize("is_array", [False, True])
def test_variables_given_constants_on_two_ways(device, type, is_array):
    if {"f64": not device.profile.computes_float64, "i64": not device.profile.int64}.get(type):
        pytest.skip(f"{device.info.name} lacks {type}")
    dtype = np.dtype(f"f{type[1:]}".replace("32", "4").replace("64", "8"))
    numbers = np.array(MAGIC, dtype)
    bits = [int(word) for word in numbers.view(f"u{dtype.itemsize}")]
    flags = np.arange(LOCAL, dtype=np.int32) % 2
    for yes, no in [(a, b) for a in range(len(MAGIC)) for b in range(len(MAGIC)) if a != b]:
        kernel = Kernel(f"i32 {type}")
        i, b = kernel.id(), kernel.builder
        variable = b.alloca(array_type(TYPES[type], 2) if is_array else TYPES[type])
        pointer = step(kernel, TYPES[type], variable, b.i32(1)) if is_array else variable
        b.store(constant(TYPES[type], bits[no]), pointer)
        then, merge = kernel.block("then"), kernel.block("merge")
        b.branch_if(b.icmp("ne", kernel.load(0, i), b.i32(0)), then, merge)
        kernel.current.merge = SelectionMerge(merge)
        kernel.begin(then)
        kernel.builder.store(constant(TYPES[type], bits[yes]), pointer)
        kernel.builder.branch(merge)
        kernel.begin(merge)
        kernel.store(1, i, kernel.builder.load(pointer, TYPES[type]))
        kernel.ret()
        out = np.zeros(LOCAL, f"u{dtype.itemsize}")
        launch(device, kernel, LOCAL, flags, out)
        np.testing.assert_array_equal(out, np.where(flags, bits[yes], bits[no]).astype(out.dtype))


def test_ids_and_sizes(device):
    kernel = Kernel("i32")
    i, b = kernel.id(), kernel.builder
    names = [(name, axis) for name in abi.ID_PLACEHOLDERS for axis in range(3)]
    for k, (name, axis) in enumerate(names):
        at = b.binary("add", b.binary("mul", i, b.i32(len(names))), b.i32(k))
        kernel.store(0, at, kernel.id(name, axis))
    kernel.ret()
    out = np.zeros((3 * LOCAL, len(names)), np.int32)
    launch(device, kernel, len(out), out)
    i = np.arange(len(out))
    values = {
        "nv.id.global": i,
        "nv.id.local": i % LOCAL,
        "nv.id.group": i // LOCAL,
        "nv.size.local": i * 0 + LOCAL,
        "nv.size.groups": i * 0 + 3,
    }
    for k, (name, axis) in enumerate(names):
        along = 1 if name.startswith("nv.size") else 0
        expected = values[name] if axis == 0 else i * 0 + along
        np.testing.assert_array_equal(out[:, k], expected, err_msg=f"{name} {axis}")


@pytest.mark.parametrize("count", [0, 40])
def test_parameters(device, count):
    types = [t for t in ("i32", "i64", "f32", "f64") if not ROWS[f"select {t}"].lacking(device.profile)]
    kernel = Kernel(" ".join(types), " ".join(types) + " f32" * count)
    for k in range(len(types)):
        kernel.store(k, kernel.id(), kernel.scalar(k))
    kernel.ret()
    values = {"i32": -7, "i64": -(1 << 40) - 3, "f32": 1.25, "f64": -1e300}
    block = kernel.interface.block
    assert block.in_push_constants == (count == 0)
    push = bytearray(block.size_words * 4)
    for k, t in enumerate(types):
        at = 4 * block.offset(kernel.first_scalar + k, "scalar")
        data = np.array(values[t], DTYPES[t]).tobytes()
        push[at : at + len(data)] = data
    outs = [np.zeros(LOCAL, DTYPES[t]) for t in types]
    launch(device, kernel, LOCAL, *outs, push=bytes(push))
    for t, out in zip(types, outs, strict=True):
        np.testing.assert_array_equal(out, np.full(LOCAL, values[t], DTYPES[t]))


def test_one_invocation_claims_the_status(device):
    kernel = Kernel("i32")
    won, done, b, i = kernel.block("won"), kernel.block("done"), kernel.builder, kernel.id()
    b.branch_if(b.call(abi.STATUS_CLAIM, I1, b.i32(5)), won, done)
    kernel.current.merge = SelectionMerge(done)
    kernel.begin(won)
    b = kernel.builder
    b.call(abi.STATUS_PUT, VOID, b.i32(abi.STATUS_PAYLOAD_WORD), i)
    kernel.store(0, i, b.i32(1))
    b.branch(done)
    kernel.begin(done)
    kernel.ret()
    out = np.zeros(4 * LOCAL, np.int32)
    status = launch(device, kernel, out.size, out)
    assert out.sum() == 1
    assert status[0] == 5
    assert status[abi.STATUS_PAYLOAD_WORD] == out.argmax()


def test_variables_and_tables(device):
    kernel = Kernel("i32 f32")
    b, i, local = kernel.builder, kernel.id(), kernel.id("nv.id.local")
    variable = b.alloca(array_type(I32, LOCAL))
    for k in range(LOCAL):
        b.store(b.binary("mul", i, b.i32(k)), step(kernel, I32, variable, b.i32(k)))
    kernel.store(0, i, b.load(step(kernel, I32, variable, local), I32))
    type = array_type(F32, LOCAL)
    numbers = np.arange(LOCAL, dtype=np.float32) ** 2 + 0.5
    elements = tuple(constant(F32, int(word)) for word in numbers.view(np.uint32))
    table = GlobalArray(type, "table", Aggregate(type, elements))
    kernel.store(1, i, b.load(step(kernel, type, table, b.i32(0), local), F32))
    kernel.ret()
    products, read = np.zeros(2 * LOCAL, np.int32), np.zeros(2 * LOCAL, np.float32)
    launch(device, kernel, products.size, products, read)
    i = np.arange(2 * LOCAL)
    np.testing.assert_array_equal(products, i * (i % LOCAL))
    np.testing.assert_array_equal(read, numbers[i % LOCAL])


def test_loop_with_break(device):
    x = np.ones(20, np.int32)
    x[13] = 0
    out = np.zeros(LOCAL, np.int32)
    for n, expected in ((20, sum(range(13))), (5, 10), (0, 0)):
        launch(device, loop(), LOCAL, x, out, push=np.int32(n).tobytes())
        np.testing.assert_array_equal(out, np.full(LOCAL, expected))


@pytest.mark.parametrize("type", [I32, I64])
def test_switch(device, type):
    if type is I64 and not device.profile.int64:
        pytest.skip(f"{device.info.name} lacks int64")
    kernel = Kernel("i32")
    b, i = kernel.builder, kernel.id()
    selector = b.binary("sub", i, b.i32(2))
    if type is I64:
        selector = b.cast("sext", selector, I64)
    cases = {-1: 10, 0: 20, 7: 30}
    blocks = [kernel.block(f"case{k}") for k in range(len(cases) + 1)]
    done = kernel.block("done")
    values = tuple(value & type.mask for value in cases)
    b.emit(Instruction("switch", VOID, [selector], detail=values, targets=blocks))
    kernel.current.merge = SelectionMerge(done)
    for block, value in zip(blocks, (99, *cases.values()), strict=True):
        kernel.begin(block)
        kernel.store(0, i, kernel.builder.i32(value))
        kernel.builder.branch(done)
    kernel.begin(done)
    kernel.ret()
    out = np.zeros(LOCAL, np.int32)
    launch(device, kernel, LOCAL, out)
    np.testing.assert_array_equal(out, [cases.get(i - 2, 99) for i in range(LOCAL)])


def test_neighbours_in_one_word(device):
    kernel = Kernel("i32", "i32")
    b, i = kernel.builder, kernel.id()
    word = b.binary("lshr", i, b.i32(2))
    shift = b.binary("shl", b.binary("and", i, b.i32(3)), b.i32(3))
    b.call(abi.WORD_AND, VOID, b.i32(1), word, b.binary("xor", b.binary("shl", b.i32(255), shift), b.i32(-1)))
    b.call(abi.WORD_OR, VOID, b.i32(1), word, b.binary("shl", b.binary("and", i, b.i32(255)), shift))
    kernel.ret()
    out = np.full(64, -1, np.int32)
    launch(device, kernel, 256, out, push=bytes(4))
    np.testing.assert_array_equal(out.view(np.uint8), np.arange(256, dtype=np.uint8))


def test_constant_halves(device):
    if not device.profile.storage16:
        pytest.skip(f"{device.info.name} lacks storage16")
    numbers = np.array([1.5, -0.0, 65504, np.inf], np.float16)
    kernel = Kernel("f16")
    for k, word in enumerate(numbers.view(np.uint16)):
        kernel.store(0, kernel.builder.i32(k), constant(TYPES["f16"], int(word)))
    kernel.ret()
    out = np.zeros(4, np.float16)
    launch(device, kernel, 1, out)
    np.testing.assert_array_equal(out.view(np.uint16), numbers.view(np.uint16))


@pytest.mark.parametrize("type", [F32, F64])
def test_contraction_is_forbidden(device, type):
    name = {F32: "f32", F64: "f64"}[type]
    if ROWS[f"select {name}"].lacking(device.profile):
        pytest.skip(f"{device.info.name} lacks {name}")
    kernel = Kernel(f"{name} {name} {name} {name}")
    b, i = kernel.builder, kernel.id()
    product = b.binary("fmul", kernel.load(0, i), kernel.load(1, i))
    kernel.store(3, i, b.binary("fadd", product, kernel.load(2, i)))
    kernel.ret()
    x = (1 + np.arange(LOCAL) / 1000).astype(DTYPES[name])
    y = (1 - np.arange(LOCAL) / 700).astype(DTYPES[name])
    z = -(x * y)
    out = np.ones(LOCAL, DTYPES[name])
    launch(device, kernel, LOCAL, x, y, z, out)
    np.testing.assert_array_equal(out, np.zeros(LOCAL))
