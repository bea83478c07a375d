"""Arrays that are reached by address: what the emitter writes and what the checker refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from numba_vulkan.spirv._tables import Decoration, MemoryAccess, Op, StorageClass
from unit.spirv_ir import ALL, PROFILES, Kernel, saxpy
from unit.spirv_modules import Module, accepted_by_spirv_val, rule_of


def summing(element: str, index: str = "i32") -> Kernel:
    """Store an element of one array in another, with an atomic addition to a third."""
    kernel = Kernel(f"{element} {element} i32")
    b, i = kernel.builder, kernel.id()
    place = b.cast("zext", i, index) if index != "i32" else i
    kernel.store(1, place, kernel.load(0, place))
    b.call("nv.atomic.add.i32", i.type, b.i32(3), i, b.i32(1))
    kernel.ret()
    return kernel


@pytest.mark.parametrize("profile", ["all", "no int64"])
@pytest.mark.parametrize("element", ["i8", "i16", "i32", "f32", "f64", "i64"])
def test_every_element(element, profile):
    if element == "i64" and profile == "no int64":
        return  # its elements are words there, which an earlier pass makes of them
    compiled = summing(element).emit(PROFILES[profile], addressed=True)
    assert rule_of(compiled.spirv, PROFILES[profile]) == ""
    assert compiled.bindings == {0, 1, 2, 3}
    assert compiled.descriptors == (0,)
    assert compiled.arrays == (1, 2, 3)
    assert compiled.written_bindings == {2, 3}
    if profile == "all" or element not in ("i8", "i16"):
        assert accepted_by_spirv_val(compiled.spirv)


def test_hidden_addresses():
    spirv = saxpy().emit(addressed=True).spirv
    assert rule_of(spirv, replace(ALL, buffer_addresses=False)) == "hidden feature"


def test_kernels_without_arrays_need_no_addresses():
    kernel = Kernel()
    kernel.ret()
    compiled = kernel.emit(addressed=True)
    assert compiled.descriptors == ()
    assert "PhysicalStorageBufferAddresses" not in compiled.capabilities


def no_alignment(m: Module) -> None:
    row = m.rows[next(k for k, row in enumerate(m.rows) if row[0] & 0xFFFF == Op.Load and len(row) > 4)]
    del row[4:]


def wrong_alignment(m: Module) -> None:
    row = m.rows[next(k for k, row in enumerate(m.rows) if row[0] & 0xFFFF == Op.Store and len(row) > 3)]
    row[-1] = 8


def aligned_parameter(m: Module) -> None:
    m.rows[m.find(Op.Load)] += [MemoryAccess.Aligned, 4]


def addressed_pointers(m: Module) -> list[list[int]]:
    rows = [row for row in m.rows if row[0] & 0xFFFF == Op.TypePointer]
    return [row for row in rows if row[2] == StorageClass.PhysicalStorageBuffer]


def read_only(m: Module) -> None:
    pointers = {row[1]: row[3] for row in addressed_pointers(m)}
    structs = [pointers[row[1]] for row in m.rows if row[0] & 0xFFFF == Op.ConvertUToPtr]
    decorated = [
        row[1] for row in m.rows if row[0] & 0xFFFF == Op.MemberDecorate and row[3] != Decoration.Offset
    ]
    (struct,) = set(structs) - set(decorated)
    m.insert(m.find(Op.MemberDecorate), Op.MemberDecorate, struct, 0, Decoration.NonWritable)


def pointer_of_float(m: Module) -> None:
    m.set(Op.ConvertUToPtr, 3, m.id(Op.FMul))


def pointer_to_element(m: Module) -> None:
    wanted = next(row[1] for row in addressed_pointers(m) if row[3] == m.id(Op.TypeFloat))
    m.set(Op.ConvertUToPtr, 1, wanted)


CHANGES = {
    "alignment missing": ("operand types", no_alignment, False),
    "alignment wrong": ("operand types", wrong_alignment, True),
    "alignment of a parameter": ("operand types", aligned_parameter, True),
    "write": ("read-only memory", read_only, True),
    "pointer of a float": ("dominance", pointer_of_float, False),
    "pointer to an element": ("operand types", pointer_to_element, False),
    "logical": ("addressing", lambda m: m.set(Op.MemoryModel, 1, 0), False),
    "layout": ("block", lambda m: m.drop(Op.MemberDecorate, 2), False),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changed_modules(name):
    rule, change, is_stricter = CHANGES[name]
    module = Module(saxpy(), addressed=True, aliased=False)
    assert rule_of(module.to_bytes()) == ""
    change(module)
    assert rule_of(module.to_bytes()) == rule
    assert accepted_by_spirv_val(module.to_bytes()) == is_stricter


def test_decorations_of_members_belong_to_addresses():
    module = Module(saxpy())
    struct = module.rows[module.find(Op.MemberDecorate)][1]
    module.insert(module.find(Op.Decorate), Op.MemberDecorate, struct, 0, Decoration.NonWritable)
    assert rule_of(module.to_bytes()) == "decoration"
