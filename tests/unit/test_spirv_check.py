"""The checker: the smallest module that breaks each rule, and damaged modules."""

from __future__ import annotations

import shutil
import struct
from array import array
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from numba_vulkan.errors import SpirvCodegenError, VulkanSupportError
from numba_vulkan.llvmir.model import constant
from numba_vulkan.llvmir.types import F32, array_type
from numba_vulkan.spirv import _tables
from numba_vulkan.spirv._tables import BuiltIn, Capability, Decoration, ExecutionMode, Op, StorageClass
from numba_vulkan.spirv.decode import decode
from numba_vulkan.spirv.validate import disassemble, validate
from unit.spirv_graphs import STRUCTURED, graph
from unit.spirv_ir import ALL, PROFILES, Kernel, loop, saxpy, step
from unit.spirv_modules import Module, accepted_by_spirv_val, rule_of
from unit.spirv_rows import ROWS

# ---- bytes


def test_header_and_words():
    spirv = saxpy().emit().spirv
    assert rule_of(spirv) == ""
    assert rule_of(spirv[:-1]) == rule_of(b"") == rule_of(spirv[:16]) == "header"
    assert rule_of(b"\0" + spirv[1:]) == "header"
    assert rule_of(spirv[:4] + struct.pack("<I", 0x00010600) + spirv[8:]) == "header"
    assert rule_of(spirv[:-4] + struct.pack("<I", 2 << 16 | Op.FunctionEnd)) == "word count"
    assert rule_of(spirv[:-4] + struct.pack("<I", Op.FunctionEnd)) == "word count"
    assert rule_of(spirv[:-4] + struct.pack("<I", 1 << 16 | 0xFFFF)) == "opcode"
    assert rule_of(spirv[:-4]) == "sections"
    assert rule_of(spirv[:20]) == "sections"


# ---- one changed instruction


def at_return(m: Module) -> int:
    return m.find(Op.Return)


def append(m: Module, opcode: int, *words: int) -> None:
    """An instruction at the end of the last block."""
    m.insert(at_return(m), opcode, *words)


def undefined_value(m: Module) -> None:
    append(m, Op.Undef, m.id(Op.TypeInt), m.new_id())


def late_definition(m: Module) -> None:
    row = m.drop(Op.FMul)
    m.rows.insert(m.find(Op.FAdd) + 1, row)


def from_branch(m: Module) -> None:
    append(m, Op.FAdd, m.id(Op.TypeFloat), m.new_id(), m.id(Op.FMul), m.id(Op.FMul))


def swap(m: Module, first: int, second: int) -> None:
    a, b = m.find(first), m.find(second)
    m.rows[a], m.rows[b] = m.rows[b], m.rows[a]


def second_type(m: Module) -> None:
    m.insert(m.find(Op.Function), Op.TypeFloat, m.new_id(), 32)


def second_variable(m: Module) -> None:
    m.insert(m.find(Op.Function), Op.Variable, m.id(Op.TypePointer), m.new_id(), StorageClass.Input)


def unlisted(m: Module) -> None:
    m.rows[m.find(Op.EntryPoint)].pop()


def decorate(m: Module, target: int, *words: int) -> None:
    m.insert(m.find(Op.Decorate), Op.Decorate, target, *words)


def drop_decoration(m: Module, decoration: int) -> None:
    position = next(
        k for k, row in enumerate(m.rows) if row[0] & 0xFFFF == Op.Decorate and row[2] == decoration
    )
    m.rows.pop(position)


def signed_integer(m: Module) -> None:
    m.set(Op.TypeInt, 3, 1)


def return_early(m: Module) -> None:
    m.insert(m.find(Op.FMul), Op.Return)


def store_to_input(m: Module) -> None:
    zero = m.id(Op.Constant)
    pointer_type, pointer = m.new_id(), m.new_id()
    m.insert(m.find(Op.Function), Op.TypePointer, pointer_type, StorageClass.Input, m.id(Op.TypeInt))
    position = at_return(m)
    m.insert(position, Op.AccessChain, pointer_type, pointer, m.id(Op.Variable), zero)
    m.insert(position + 1, Op.Store, pointer, zero)


def store_to_read_only(m: Module) -> None:
    m.set(Op.Store, 1, m.id(Op.AccessChain, 2))


def whole_array(m: Module) -> None:
    append(m, Op.Load, m.id(Op.TypeStruct), m.new_id(), m.id(Op.Variable, 1))


def private_variable(m: Module) -> None:
    pointer_type, variable = m.new_id(), m.new_id()
    position = m.find(Op.Function)
    m.insert(position, Op.TypePointer, pointer_type, StorageClass.Private, m.id(Op.TypeFloat))
    m.insert(position + 1, Op.Variable, pointer_type, variable, StorageClass.Private)
    m.rows[m.find(Op.EntryPoint)].append(variable)


def late_variable(m: Module) -> None:
    pointer_type = m.new_id()
    m.insert(m.find(Op.Function), Op.TypePointer, pointer_type, StorageClass.Function, m.id(Op.TypeFloat))
    append(m, Op.Variable, pointer_type, m.new_id(), StorageClass.Function)


def glsl(number: int, count: int):
    def change(m: Module) -> None:
        set_id = m.new_id()
        m.insert(m.find(Op.MemoryModel), Op.ExtInstImport, set_id, *text("GLSL.std.450"))
        append(m, Op.ExtInst, m.id(Op.TypeInt), m.new_id(), set_id, number, *[m.id(Op.Constant)] * count)

    return change


def text(string: str) -> list[int]:
    data = string.encode() + b"\0"
    return array("I", data + b"\0" * (-len(data) % 4)).tolist()


INT, FLOAT, BOOL = Op.TypeInt, Op.TypeFloat, Op.TypeBool


# Rule: what breaks it in saxpy. `None` as the third: spirv-val accepts it, this package does not.
def share_binding(m: Module) -> None:
    """Give a buffer that is not Aliased the binding of another one."""
    places = [row for row in m.rows if row[0] & 0xFFFF == Op.Decorate and row[2] == Decoration.Binding]
    places[0][3] = places[1][3]
    drop_decoration(m, Decoration.Aliased)


CHANGES = {
    "bound: id beyond": ("bound", lambda m: m.head.__setitem__(3, m.head[3] - 1)),
    "bound: id 0": ("bound", lambda m: m.set(Op.FMul, 2, 0)),
    "single definition": ("single definition", lambda m: m.set(Op.FAdd, 2, m.id(Op.FMul))),
    "undefined id": ("definition before use", lambda m: m.set(Op.FMul, 3, m.new_id())),
    "forward type": ("definition before use", lambda m: swap(m, Op.TypeVector, Op.SpecConstantComposite)),
    "later in the block": ("dominance", late_definition),
    "not dominated": ("dominance", from_branch),
    "sections": ("sections", lambda m: swap(m, Op.MemoryModel, Op.EntryPoint)),
    "memory model twice": ("sections", lambda m: m.rows.insert(0, m.rows[m.find(Op.MemoryModel)])),
    "addressing": ("missing capability", lambda m: m.set(Op.MemoryModel, 1, 5348)),
    "no memory model": ("sections", lambda m: m.drop(Op.MemoryModel)),
    "decoration in function": ("sections", lambda m: append(m, Op.Name, m.id(INT), 0)),
    "import": (
        "sections",
        lambda m: m.insert(m.find(Op.MemoryModel), Op.ExtInstImport, m.new_id(), *text("x")),
    ),
    "entry point missing": ("entry point", lambda m: m.drop(Op.EntryPoint)),
    "entry point name": ("entry point", lambda m: m.set(Op.EntryPoint, 3, text("nope")[0]), None),
    "entry point id": ("entry point", lambda m: m.set(Op.EntryPoint, 2, m.id(INT))),
    "mode of another": ("entry point", lambda m: m.set(Op.ExecutionMode, 1, m.id(INT))),
    "interface": ("interface", unlisted),
    "interface twice": (
        "interface",
        lambda m: m.rows[m.find(Op.EntryPoint)].append(m.rows[m.find(Op.EntryPoint)][-1]),
    ),
    "type twice": ("unique types", second_type),
    "sign": ("type", signed_integer, None),
    "width": ("type", lambda m: m.set(FLOAT, 2, 31)),
    "vector of 5": ("type", lambda m: m.set(Op.TypeVector, 3, 5)),
    "array length": ("type", lambda m: m.set(Op.TypeArray, 3, m.id(INT))),
    "function type": ("type", lambda m: m.set(Op.Function, 1, m.id(INT))),
    "type of a value": ("type", lambda m: m.set(Op.FMul, 1, m.id(Op.Constant))),
    "constant words": ("constant", lambda m: m.rows[m.find(Op.Constant)].append(0)),
    "composite": ("constant", lambda m: m.rows[m.find(Op.SpecConstantComposite)].pop()),
    "global variable": ("variable", lambda m: m.set(Op.Variable, 3, StorageClass.Private)),
    "private": ("variable", private_variable, None),
    "function variable": ("variable", late_variable),
    "block": ("block", lambda m: drop_decoration(m, Decoration.Block)),
    "offset": ("block", lambda m: m.drop(Op.MemberDecorate)),
    "stride missing": ("block", lambda m: drop_decoration(m, Decoration.ArrayStride)),
    "binding missing": ("binding", lambda m: drop_decoration(m, Decoration.Binding)),
    "set missing": ("binding", lambda m: drop_decoration(m, Decoration.DescriptorSet)),
    "binding shared": ("binding", share_binding, None),
    "aliased and not": ("binding", lambda m: decorate(m, m.id(Op.Variable, 2), Decoration.Restrict)),
    "decorated twice": (
        "decoration",
        lambda m: decorate(m, m.id(Op.Variable, 2), Decoration.Binding, 1),
        None,
    ),
    "decorated type": ("decoration", lambda m: decorate(m, m.id(INT), Decoration.Binding, 1)),
    "decorated input": ("decoration", lambda m: decorate(m, m.id(Op.Variable), Decoration.Restrict), None),
    "decorated member": ("decoration", lambda m: m.set(Op.MemberDecorate, 2, 1)),
    "decoration not in use": ("operands", lambda m: m.set(Op.Decorate, 2, 0)),
    "built-in missing": ("built-in", lambda m: m.rows.pop(m.find(Op.Decorate, 4)), None),
    "built-in type": ("built-in", lambda m: m.set(Op.Decorate, 3, BuiltIn.LocalInvocationIndex, 4), None),
    "specialization": ("specialization", lambda m: m.set(Op.Decorate, 3, 0, 1), None),
    "workgroup size": ("workgroup size", lambda m: m.rows.pop(m.find(Op.Decorate, 3)), None),
    "capability missing": ("missing capability", lambda m: m.drop(Op.Capability, 1)),
    "capability unused": (
        "unused capability",
        lambda m: m.rows.insert(0, [Op.Capability, Capability.Int64]),
        None,
    ),
    "capability twice": ("capabilities", lambda m: m.rows.insert(0, [Op.Capability, 1]), None),
    "capability of no profile": ("hidden feature", lambda m: m.rows.insert(0, [Op.Capability, 6033])),
    "mode of no profile": ("hidden feature", lambda m: m.set(Op.ExecutionMode, 3, 16, 1), None),
    "mode unknown": ("operands", lambda m: m.set(Op.ExecutionMode, 2, ExecutionMode.LocalSize + 1)),
    "operand missing": ("word count", lambda m: m.rows[m.find(Op.FMul)].pop()),
    "operand too many": ("operands", lambda m: m.rows[m.find(Op.FMul)].append(1)),
    "float operands": ("operand types", lambda m: m.set(Op.FMul, 3, m.id(Op.Constant))),
    "float result": ("operand types", lambda m: m.set(Op.FMul, 1, m.id(INT))),
    "type as operand": ("operand types", lambda m: m.set(Op.FMul, 3, m.id(FLOAT))),
    "compare": ("operand types", lambda m: m.set(Op.ULessThan, 3, m.id(Op.Bitcast))),
    "compare result": ("operand types", lambda m: m.set(Op.ULessThan, 1, m.id(INT))),
    "condition": ("operand types", lambda m: m.set(Op.BranchConditional, 1, m.id(Op.Constant))),
    "select": (
        "operand types",
        lambda m: append(m, Op.Select, m.id(INT), m.new_id(), *[m.id(Op.Constant)] * 3),
    ),
    "convert": (
        "operand types",
        lambda m: append(m, Op.UConvert, m.id(INT), m.new_id(), m.id(Op.Constant)),
    ),
    "bitcast size": ("operand types", lambda m: m.set(Op.Bitcast, 3, m.id(Op.CompositeExtract) - 1)),
    "stored type": ("operand types", lambda m: m.set(Op.Store, 2, m.id(Op.Constant))),
    "loaded type": ("operand types", lambda m: m.set(Op.Load, 1, m.id(INT), 4)),
    "loaded value": ("operand types", lambda m: m.set(Op.Load, 3, m.id(Op.Constant))),
    "whole structure": ("operand types", whole_array, None),
    "pointer type": ("operand types", lambda m: m.set(Op.AccessChain, 1, m.id(Op.TypePointer), 2)),
    "float index": ("operand types", lambda m: m.set(Op.AccessChain, 5, m.id(Op.Bitcast), 2)),
    "member": ("index", lambda m: m.set(Op.AccessChain, 4, m.id(Op.Constant, 1), 0)),
    "component": ("index", lambda m: m.set(Op.CompositeExtract, 4, 3)),
    "extended type": ("operand types", glsl(_tables.Glsl.Floor, 1)),
    "extended count": ("operand types", glsl(_tables.Glsl.UMin, 1)),
    "extended number": ("operand types", glsl(13, 1)),
    "read-only": ("read-only memory", store_to_read_only, None),
    "input": ("read-only memory", store_to_input),
    "undefined value": ("opcode", undefined_value, None),
    "no contraction": ("NoContraction", lambda m: drop_decoration(m, Decoration.NoContraction), None),
    "no terminator": ("terminator", lambda m: m.drop(Op.Return)),
    "two terminators": ("terminator", return_early),
    "no label": ("terminator", lambda m: m.drop(Op.Label)),
    "operand of none": ("operands", lambda m: m.rows.__setitem__(at_return(m), [Op.Unreachable, 1])),
    "kill": ("terminator", lambda m: m.rows.__setitem__(at_return(m), [Op.Kill])),
    "target": ("branch target", lambda m: m.set(Op.Branch, 1, m.id(INT))),
    "entry as target": ("branch target", lambda m: m.set(Op.Branch, 1, m.id(Op.Label))),
    "merge elsewhere": ("merge instruction", lambda m: swap(m, Op.SelectionMerge, Op.ULessThan)),
    "no merge": ("missing merge", lambda m: m.drop(Op.SelectionMerge)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changed_modules(name):
    rule, change, *is_stricter = CHANGES[name]
    # Of arrays that may be the same none is read-only.
    module = Module(saxpy(), aliased=name != "read-only")
    change(module)
    spirv = module.to_bytes()
    assert rule_of(spirv) == rule
    assert accepted_by_spirv_val(spirv) == bool(is_stricter)


def changed(kernel: Kernel, change) -> str:
    module = Module(kernel)
    assert rule_of(module.to_bytes()) == ""
    change(module)
    return rule_of(module.to_bytes())


def test_rules_of_other_kernels():
    convert = ROWS["fpext f32 f64"].kernel()
    assert changed(convert, lambda m: drop_decoration(m, Decoration.NoContraction)) == "NoContraction"
    assert changed(convert, lambda m: drop_decoration(m, Decoration.ArrayStride)) == "block"
    small = ROWS["trunc i32 i8"].kernel()
    int8 = 1 if Module(small).rows[Module(small).find(INT, 1)][2] == 8 else 0

    def add_small(m: Module) -> None:
        value = m.id(Op.UConvert)
        m.insert(at_return(m), Op.IAdd, m.id(INT, int8), m.new_id(), value, value)

    assert changed(small, add_small) == "operand types"
    assert changed(loop(), lambda m: m.drop(Op.LoopMerge)) == "back edge"
    assert changed(loop(), lambda m: m.set(Op.LoopMerge, 1, m.id(Op.Label, 2))) != ""
    counts = ROWS["select f32"].kernel()
    assert changed(counts, lambda m: m.set(Op.Select, 3, m.id(Op.Constant))) == "operand types"


def test_index_of_an_array():
    kernel = Kernel("f32")
    variable = kernel.builder.alloca(array_type(F32, 3))
    pointer = step(kernel, F32, variable, kernel.builder.i32(3))
    kernel.builder.store(constant(F32, 0), pointer)
    kernel.ret()
    assert rule_of(kernel.emit().spirv) == "index"


def test_variable_begins_the_entry_block():
    kernel = Kernel("f32")
    kernel.builder.alloca(F32)
    kernel.store(0, kernel.id(), constant(F32, 0))
    kernel.ret()

    def move(m: Module) -> None:
        position = next(k for k, row in enumerate(m.rows) if row[0] & 0xFFFF == Op.Variable and row[3] == 7)
        row = m.rows.pop(position)
        m.rows.insert(at_return(m), row)

    assert changed(kernel, move) == "variable"


@pytest.mark.parametrize(
    ("element", "profile"),
    [
        ("i64", PROFILES["no int64"]),
        ("f64", PROFILES["no float64"]),
        ("i8", replace(ALL, storage8=False)),
        ("i16", replace(ALL, storage16=False)),
        ("f16", replace(ALL, storage16=False)),
    ],
)
def test_hidden_features(element, profile):
    kernel = Kernel(f"{element} {element}")
    kernel.store(1, kernel.id(), kernel.load(0, kernel.id()))
    kernel.ret()
    spirv = kernel.emit().spirv
    assert rule_of(spirv) == ""
    assert rule_of(spirv, profile) == "hidden feature"
    assert rule_of(saxpy().emit().spirv, replace(ALL, nan_preserve=())) == "hidden feature"


# ---- damaged modules

VALID = [
    kernel.emit().spirv
    for kernel in (
        saxpy(),
        loop(),
        ROWS["fptrunc f64 f16"].kernel(),
        ROWS["llvm.fma.f32"].kernel(),
        graph(STRUCTURED["fall through"]),
        graph(STRUCTURED["loop in continue"]),
    )
]


@given(
    which=st.integers(0, len(VALID) - 1),
    changes=st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 0xFFFFFFFF) | st.integers(0, 80)),
        min_size=1,
        max_size=3,
    ),
)
@example(which=0, changes=[(0.15, 0xFFFFFFFF)])
def test_damaged_modules_never_crash_the_checker(which, changes):
    words = array("I", VALID[which])
    for place, value in changes:
        words[int(place * len(words))] = value
    rule_of(words.tobytes())


@given(
    which=st.integers(0, len(VALID) - 1),
    place=st.floats(0, 1, exclude_max=True),
    source=st.floats(0, 1, exclude_max=True),
    kind=st.sampled_from(["copy", "drop", "swap"]),
)
def test_moved_instructions_never_crash_the_checker(which, place, source, kind):
    words = array("I", VALID[which]).tolist()
    rows, at = [], 5
    while at < len(words):
        rows.append(words[at : at + (words[at] >> 16)])
        at += words[at] >> 16
    here, there = int(place * len(rows)), int(source * len(rows))
    if kind == "copy":
        rows.insert(here, rows[there])
    elif kind == "drop":
        rows.pop(here)
    else:
        rows[here], rows[there] = rows[there], rows[here]
    rule_of(array("I", sum(rows, words[:5])).tobytes())


def test_all_words_of_a_module_are_read():
    for spirv in VALID:
        decoded = decode(spirv)
        assert len(decoded.instructions) > 30
        assert all(0 < i.result_id < decoded.bound for i in decoded.instructions if i.opcode == Op.Label)


# ---- spirv-val on request


def test_validate(monkeypatch):
    spirv = saxpy().emit().spirv
    monkeypatch.setenv("NUMBA_VULKAN_VALIDATE", "1")
    validate(spirv, "saxpy")
    with pytest.raises(SpirvCodegenError, match="spirv-val refuses the SPIR-V of kernel 'saxpy'"):
        validate(spirv[:-4], "saxpy")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(VulkanSupportError, match=r"NUMBA_VULKAN_VALIDATE .* spirv-tools"):
        validate(spirv)
    assert disassemble(spirv) is None
    monkeypatch.setenv("NUMBA_VULKAN_VALIDATE", "0")
    validate(b"")


@pytest.mark.skipif(shutil.which("spirv-dis") is None, reason="spirv-dis is not installed")
def test_disassemble():
    assert "OpFMul" in disassemble(saxpy().emit().spirv)
    assert disassemble(b"nothing") is None
