"""The emitter: every opcode and placeholder, four profiles, and what the module declares."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest

from numba_vulkan import abi
from numba_vulkan.errors import SpirvCodegenError
from numba_vulkan.llvmir.model import (
    Aggregate,
    GlobalArray,
    Instruction,
    Location,
    SelectionMerge,
    Undef,
    constant,
)
from numba_vulkan.llvmir.types import F16, F32, F64, I1, I8, I16, I32, I64, VOID, array_type
from numba_vulkan.spirv import instructions
from numba_vulkan.spirv.check import check
from numba_vulkan.storage import Storage, storage_of
from unit.spirv_ir import ALL, PROFILES, TYPES, Kernel, disassembly, loop, saxpy, spirv_val, step
from unit.spirv_rows import ROWS


def module_of(kernel: Kernel, profile=ALL, **options) -> str:
    """Emit, check and validate a kernel; return its disassembly."""
    spirv = kernel.emit(profile, **options).spirv
    check(spirv, profile)
    spirv_val(spirv)
    return disassembly(spirv)


# ---- rows


def test_every_row_of_the_emitter_has_a_test():
    names = {type: name for name, type in TYPES.items()}
    wanted = {f"{opcode} {names[type]}" for opcode, type in instructions.BINARY}
    wanted |= {f"{opcode} {names[a]} {names[b]}" for opcode, a, b in instructions.CONVERSIONS}
    for predicate, type in instructions.COMPARISONS:
        if type is I1:
            wanted.add(f"{predicate} i1")
        else:
            wanted.add(f"{'fcmp' if names[type][0] == 'f' else 'icmp'} {predicate} {names[type]}")
    wanted |= set(instructions.GLSL_CALLS)
    assert wanted - ROWS.keys() == set()


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", ROWS)
def test_rows(name, profile):
    row, target = ROWS[name], PROFILES[profile]
    kernel = row.kernel()
    if lacking := row.lacking(target):
        with pytest.raises(SpirvCodegenError) as error:
            kernel.emit(target)
        # A 64-bit element is declared as words, so its placeholder is what is refused first.
        assert lacking in str(error.value) or "are stored as" in str(error.value)
        return
    compiled = kernel.emit(target)
    check(compiled.spirv, target)
    assert compiled.written_bindings == {len(row.inputs) + 1}
    assert ("Int64" in compiled.capabilities) == ("i64" in row.elements)
    assert ("Float64" in compiled.capabilities) == ("f64" in (*row.elements, row.uses))


@pytest.mark.parametrize("profile", PROFILES)
def test_all_rows_are_valid_together(profile):
    target = PROFILES[profile]
    rows = [row for row in ROWS.values() if not row.lacking(target)]
    kernel = Kernel(" ".join(element for row in rows for element in row.elements))
    i, at = kernel.id(), 0
    for row in rows:
        operands = [kernel.load(at + k, i) for k in range(len(row.inputs))]
        kernel.store(at + len(row.inputs), i, row.build(kernel, operands))
        at += len(row.elements)
    kernel.ret()
    module_of(kernel, target)


# ---- declarations


def test_saxpy():
    compiled = saxpy().emit()
    assert compiled.capabilities == ("Shader", "SignedZeroInfNanPreserve")
    assert compiled.bindings == {1, 2}
    assert compiled.written_bindings == {2}
    assert not compiled.reports_status
    text = module_of(saxpy())
    assert text.count("NoContraction") == 2
    assert text.count("OpExecutionMode %kernel SignedZeroInfNanPreserve 32") == 1
    # What may be the other array, by another name, is not.
    assert "NonWritable" not in text
    text = module_of(saxpy(), aliased=False)
    assert "OpDecorate %argument0 NonWritable" in text
    assert "OpDecorate %argument1 NonWritable" not in text


@pytest.mark.parametrize(("aliased", "count"), [(True, 2), (False, 0)])
def test_aliasing(aliased, count):
    text = module_of(saxpy(), aliased=aliased)
    assert text.count("Aliased") == count
    assert text.count("Restrict") == 2 - count


def test_arrays_that_nobody_writes_do_not_alias():
    kernel = Kernel("f32 f32")
    kernel.load(0, kernel.id())
    kernel.load(1, kernel.id())
    kernel.ret()
    assert "Aliased" not in module_of(kernel)


def test_special_floats_only_where_the_device_keeps_them():
    kernel = ROWS["fpext f32 f64"].kernel()
    text = module_of(kernel, replace(ALL, nan_preserve=(64,)))
    assert "SignedZeroInfNanPreserve 64" in text
    assert "SignedZeroInfNanPreserve 32" not in text
    profile = replace(ALL, nan_preserve=())
    assert "SignedZeroInfNanPreserve" not in module_of(saxpy(), profile)


@pytest.mark.parametrize(
    ("element", "capability"),
    [
        ("i8", "StorageBuffer8BitAccess"),
        ("i16", "StorageBuffer16BitAccess"),
        ("f16", "StorageBuffer16BitAccess"),
    ],
)
def test_small_elements_need_no_arithmetic(element, capability):
    kernel = Kernel(f"{element} {element}")
    i = kernel.id()
    kernel.store(1, i, kernel.load(0, i))
    kernel.store(1, kernel.builder.i32(0), constant(TYPES[element], 0x3C))
    kernel.ret()
    profile = replace(ALL, int8=False, int16=False, float16=False, nan_preserve=())
    compiled = kernel.emit(profile)
    assert compiled.capabilities == ("Shader", capability)
    module_of(kernel, profile)


def test_nearest_half():
    assert "FPRoundingMode RTE" in module_of(ROWS["fptrunc f32 f16"].kernel())


def test_constants_are_unique_and_undefined_values_zero():
    kernel = Kernel("i32 f64 i64")
    i, b = kernel.id(), kernel.builder
    for _ in range(2):
        kernel.store(0, i, constant(I32, 77))
        kernel.store(1, i, constant(F64, 0x4008000000000000))
        kernel.store(2, i, constant(I64, -1))
    kernel.store(0, i, Undef(I32))
    kernel.store(0, i, b.select(Undef(I1), constant(I32, 5), constant(I32, 6)))
    kernel.ret()
    text = module_of(kernel)
    for line in ("%uint 77", "%double 3", "%ulong 18446744073709551615"):
        assert text.count(f"OpConstant {line}\n") == 1
    assert "OpUndef" not in text
    assert text.count("OpConstantFalse") == 1


def test_ids_are_dense():
    lines = disassembly(saxpy().emit().spirv).splitlines()
    bound = int(lines[3].removeprefix("; Bound: "))
    assert sum(" = Op" in line for line in lines) == bound - 1


def test_lines():
    kernel = saxpy()
    for line, block in enumerate(kernel.function.blocks, 10):
        for instruction in block.instructions:
            instruction.location = Location("saxpy.py", line)
    text = module_of(kernel, lines=True)
    assert 'OpString "saxpy.py"' in text
    assert [text.count(f"OpLine %1 {line} 0") for line in (10, 11, 12)] == [0, 0, 0]
    assert text.count("OpLine") == 3
    assert "OpLine" not in module_of(kernel)


# ---- placeholders


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_ids_and_sizes(axis):
    kernel = Kernel("i32")
    for name in abi.ID_PLACEHOLDERS:
        for _ in range(2):
            kernel.store(0, kernel.id(), kernel.id(name, axis))
    kernel.ret()
    text = module_of(kernel)
    for builtin in (
        "GlobalInvocationId",
        "LocalInvocationId",
        "WorkgroupId",
        "NumWorkgroups",
        "WorkgroupSize",
    ):
        assert text.count(f"BuiltIn {builtin}\n") == 1
    assert text.count("OpLoad %v3uint") == 4
    assert [text.count(f"SpecId {k}\n") for k in range(3)] == [1, 1, 1]


@pytest.mark.parametrize("count", [0, 40])
def test_parameters(count):
    kernel = Kernel("i32 i64 f32 f64", "i32 i64 f32 f64" + " f32" * count)
    for _ in range(2):
        for k in range(4):
            kernel.store(k, kernel.id(), kernel.scalar(k))
    kernel.ret()
    compiled = kernel.emit()
    assert kernel.interface.block.in_push_constants == (count == 0)
    assert compiled.bindings == {1, 2, 3, 4} | ({0} if count else set())
    assert 0 not in compiled.written_bindings
    text = module_of(kernel)
    assert ("PushConstant" in text) == (count == 0)
    # Six words, and the vector of ids.
    assert text.count("OpLoad %uint") == 6
    assert "OpDecorate %status NonWritable" in text or not count


def test_extent():
    kernel = Kernel("i32", "i32")
    kernel.store(0, kernel.id(), kernel.builder.call(abi.EXTENT, I32, kernel.builder.i32(0)))
    kernel.ret()
    assert module_of(kernel).count("OpAccessChain %_ptr_PushConstant_uint") == 1


def test_status():
    kernel = Kernel("i32")
    won, done, b = kernel.block("won"), kernel.block("done"), kernel.builder
    b.branch_if(b.call(abi.STATUS_CLAIM, I1, b.i32(3)), won, done)
    kernel.current.merge = SelectionMerge(done)
    kernel.begin(won)
    b = kernel.builder
    b.call(abi.STATUS_PUT, VOID, b.i32(abi.STATUS_PAYLOAD_WORD), b.i32(9))
    b.branch(done)
    kernel.begin(done)
    kernel.ret()
    compiled = kernel.emit()
    assert compiled.reports_status
    assert compiled.bindings == compiled.written_bindings == {0}
    assert "OpAtomicCompareExchange %uint" in module_of(kernel)


def test_word_atomics():
    kernel = Kernel("i8")
    b = kernel.builder
    b.call(abi.WORD_AND, VOID, b.i32(1), kernel.id(), b.i32(-256))
    b.call(abi.WORD_OR, VOID, b.i32(1), kernel.id(), b.i32(7))
    kernel.ret()
    profile = replace(ALL, storage8=False)
    assert storage_of("i8", profile) == Storage("i32", parts=4)
    assert kernel.emit(profile).written_bindings == {1}
    text = module_of(kernel, profile)
    assert text.count("OpAtomicAnd") == text.count("OpAtomicOr") == 1


def reached_in_three_ways() -> Kernel:
    """A kernel that reaches an array of records by words, by bytes, and atomically by 64-bit elements."""
    kernel = Kernel("words f32")
    b, i = kernel.builder, kernel.id()
    kernel.store(0, i, b.i32(1), "i32")
    kernel.store(0, i, b.cast("trunc", i, I8), "i8")
    b.call("nv.atomic.add.i64", I64, b.i32(1), i, constant(I64, 1))
    kernel.store(1, i, constant(F32, 0))
    kernel.ret()
    return kernel


def test_one_array_as_several_elements():
    kernel = reached_in_three_ways()
    text = module_of(kernel, aliased=False)
    places = [line for line in text.splitlines() if line.endswith("Binding 1")]
    assert len(places) == 3
    for line in places:
        assert f"{line.split()[1]} Aliased" in text
    assert text.count("Restrict") == 1
    assert "NonWritable" not in text
    assert kernel.emit(aliased=False).written_bindings == {1, 2}
    assert "OpAtomicIAdd" in module_of(kernel, addressed=True)
    with pytest.raises(SpirvCodegenError, match="stored as i16 or i32 or i64"):
        kernel.emit(replace(ALL, storage8=False))


def test_wide_index():
    kernel = Kernel("f32 f32", "i64")
    kernel.store(1, kernel.scalar(0), kernel.load(0, constant(I64, 5)))
    kernel.ret()
    text = module_of(kernel)
    assert "%uint_0 %uint_5" in text
    kernel = Kernel("f32 f32")
    kernel.store(1, constant(I64, 6), kernel.load(0, constant(I64, 5)))
    kernel.ret()
    assert "Int64" not in module_of(kernel, PROFILES["neither"])


# ---- variables and tables


def table(*values: int) -> GlobalArray:
    type = array_type(I32, len(values))
    return GlobalArray(type, "table", Aggregate(type, tuple(constant(I32, v) for v in values)))


@pytest.mark.parametrize("type", [I1, I32, I64, F32, F64])
def test_variables(type):
    kernel = Kernel("i32")
    b = kernel.builder
    scalar, array = b.alloca(type), b.alloca(array_type(type, 4))
    b.store(constant(type, 1), scalar)
    value = b.load(scalar, type)
    b.store(value, array)
    b.store(value, step(kernel, type, array, kernel.id("nv.id.local")))
    b.store(value, step(kernel, array_type(type, 4), array, constant(I64, 0), b.i32(3)))
    kernel.store(0, kernel.id(), kernel.id())
    kernel.ret()
    text = module_of(kernel)
    assert text.count("Function\n") >= 2
    assert text.count("OpAccessChain %_ptr_Function") == 3


def test_tables():
    kernel = Kernel("i32")
    values = table(4, 5, 6)
    kernel.function.globals["table"] = values
    for _ in range(2):
        pointer = step(kernel, I32, values, kernel.id("nv.id.local"))
        kernel.store(0, kernel.id(), kernel.builder.load(pointer, I32))
    kernel.ret()
    text = module_of(kernel)
    assert text.count("OpConstantComposite") == 1
    assert text.count("OpVariable %_ptr_Function") == 1


def test_nested_table():
    row = array_type(F32, 2)
    rows = tuple(Aggregate(row, (constant(F32, k), constant(F32, k + 1))) for k in (0, 2))
    values = GlobalArray(array_type(row, 2), "table", Aggregate(array_type(row, 2), rows))
    kernel = Kernel("f32")
    pointer = step(
        kernel, array_type(row, 2), values, kernel.builder.i32(0), kernel.id(), kernel.builder.i32(1)
    )
    kernel.store(0, kernel.id(), kernel.builder.load(pointer, F32))
    kernel.ret()
    module_of(kernel)


def bits(type, number: float) -> int:
    return int.from_bytes(struct.pack("<f" if type is F32 else "<d", number), "little")


@pytest.mark.parametrize("type", [F32, F64])
@pytest.mark.parametrize(
    ("yes", "no", "hidden"), [(-1.0, 0.0, 1), (1.0, -0.0, 1), (1.0, 0.0, 0), (2.0, 0.0, 0)]
)
def test_constants_that_drivers_mistake_are_hidden(type, yes, no, hidden):
    element = "f32" if type is F32 else "f64"
    kernel = Kernel(element)
    b, i = kernel.builder, kernel.id()
    chosen = b.select(
        b.icmp("eq", i, b.i32(0)), constant(type, bits(type, yes)), constant(type, bits(type, no))
    )
    kernel.store(0, i, chosen)
    kernel.ret()
    assert module_of(kernel, PROFILES["no int64"]).count("OpBitwiseXor") == hidden
    kernel = Kernel(element)
    b, i = kernel.builder, kernel.id()
    variable, array = b.alloca(type), b.alloca(array_type(type, 2))
    for pointer in (variable, step(kernel, type, array, b.i32(0))):
        b.store(constant(type, bits(type, yes)), pointer)
        b.store(constant(type, bits(type, no)), pointer)
        kernel.store(0, i, b.load(pointer, type))
    kernel.ret()
    # Two stores and a load each.
    assert module_of(kernel, PROFILES["no int64"]).count("OpBitwiseXor") == 6 * hidden


# ---- control flow


def test_loop():
    text = module_of(loop())
    assert text.count("OpLoopMerge") == 1
    assert "OpSelectionMerge" not in text


@pytest.mark.parametrize("type", [I32, I64])
def test_switch(type):
    kernel = Kernel("i32", "i64")
    b = kernel.builder
    selector = kernel.scalar(0) if type is I64 else kernel.id("nv.id.local")
    one, two, other, done = (kernel.block(n) for n in ("one", "two", "other", "done"))
    b.emit(Instruction("switch", VOID, [selector], detail=(1, type.mask), targets=[other, one, two]))
    kernel.current.merge = SelectionMerge(done)
    for value, block in enumerate((one, two)):
        kernel.begin(block)
        kernel.store(0, kernel.id(), kernel.builder.i32(value))
        kernel.builder.branch(done)
    kernel.begin(other)
    kernel.builder.emit(Instruction("unreachable", VOID))
    kernel.begin(done)
    kernel.ret()
    kernel.function.blocks.sort(key=lambda block: block is done)
    text = module_of(kernel)
    assert "OpSwitch" in text
    assert "OpUnreachable" in text


# ---- what must not reach the emitter


def illegal(build) -> str:
    """The message with which an instruction is refused."""
    kernel = Kernel("i32 f32", "i32")
    build(kernel, kernel.builder)
    kernel.ret()
    with pytest.raises(SpirvCodegenError) as error:
        kernel.emit(PROFILES["neither"])
    return str(error.value)


NARROW = constant(I8, 1)
REFUSED = {
    "srem": (lambda k, b: b.binary("srem", k.id(), k.id()), "no rule for this opcode"),
    "freeze": (lambda k, b: b.freeze(k.id()), "no rule for this opcode"),
    "uno": (lambda k, b: b.fcmp("uno", k.load(1, k.id()), constant(F32, 0)), "no comparison uno"),
    "i64": (lambda k, b: b.emit(Instruction("add", I64, [constant(I64, 1)] * 2)), "needs int64"),
    "f64": (lambda k, b: b.cast("fpext", k.load(1, k.id()), F64), "needs computes_float64"),
    "i8 add": (lambda k, b: b.emit(Instruction("add", I8, [NARROW, NARROW])), "no rule for this opcode"),
    "i8 variable": (lambda k, b: b.alloca(I8), "not legal in a shader"),
    "half variable": (lambda k, b: b.alloca(array_type(F16, 2)), "not legal in a shader"),
    "i33": (lambda k, b: b.alloca(I16), "not legal in a shader"),
    "call": (lambda k, b: b.call("llvm.sin.f32", F32, constant(F32, 0)), "no rule for this function"),
    "element": (lambda k, b: k.load(1, k.id(), "i32"), "stored as float"),
    "binding": (lambda k, b: b.call("nv.load.i32.i32", I32, k.id(), k.id()), "binding must be a constant"),
    "no array": (lambda k, b: k.load(4, k.id(), "i32"), "belongs to no array"),
    "status": (lambda k, b: k.load(-1, k.id(), "i32"), "belongs to no array"),
    "axis": (lambda k, b: k.id(axis=3), "no axis 3"),
    "parameter": (lambda k, b: b.call("nv.param.i32", I32, b.i32(1)), "beyond the parameter block"),
    "code": (lambda k, b: b.call(abi.STATUS_PUT, VOID, b.i32(0), b.i32(0)), "none of the payload"),
    "pointer": (lambda k, b: b.load(k.id(), I32), "not one to a variable"),
    "pointee": (lambda k, b: b.load(b.alloca(F32), I32), "accesses a i32 in a variable of type float"),
    "table": (lambda k, b: b.store(b.i32(1), table(1)), "constant table"),
    "order": (
        lambda k, b: b.binary("add", Instruction("add", I32, name="late"), k.id()),
        "before it is written",
    ),
    "value": (lambda k, b: b.binary("add", table(1), k.id()), "no rule"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_illegal_instructions(name):
    build, message = REFUSED[name]
    text = illegal(build)
    assert message in text
    assert "emit" in text


def test_faults_name_kernel_block_instruction_and_line():
    kernel = Kernel("i32")
    kernel.builder.location = Location("kernel.py", 12)
    kernel.builder.freeze(kernel.id()).name = "x"
    with pytest.raises(SpirvCodegenError, match=r"kernel 'kernel', block %entry, freeze %x \(kernel.py:12\)"):
        kernel.emit()
