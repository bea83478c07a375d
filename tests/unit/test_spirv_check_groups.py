"""The checker on what invocations do together: shared arrays, barriers, atomic operations, subgroups."""

from __future__ import annotations

from dataclasses import replace

import pytest

from numba_vulkan.llvmir.model import constant
from numba_vulkan.llvmir.types import F32, I1, I32, I64, VOID
from numba_vulkan.spirv._tables import Capability, Op, StorageClass
from unit.spirv_ir import ALL, Kernel
from unit.spirv_modules import Module, accepted_by_spirv_val, rule_of

SHARED = 1 << 16
PROFILE = replace(ALL, float32_atomic_add=True)


def together() -> Kernel:
    """A kernel with one of everything."""
    kernel = Kernel("i32 f32 i64")
    b = kernel.builder
    b.call("nv.workgroup.i32", VOID, b.i32(SHARED), b.i32(8))
    i = kernel.id("nv.id.local")
    is_low = b.icmp("ult", i, b.i32(4))
    b.call("nv.store.i32.i32", VOID, b.i32(SHARED), i, b.i32(1))
    b.call("nv.barrier", VOID)
    b.call("nv.barrier.shared", VOID)
    b.call("nv.fence.device", VOID)
    b.call("nv.atomic.add.i32", I32, b.i32(SHARED), i, b.i32(1))
    old = b.call("nv.atomic.cas.i32", I32, b.i32(1), i, b.i32(0), b.i32(1))
    b.call("nv.atomic.store.i32", VOID, b.i32(1), i, old)
    seen = b.call("nv.atomic.load.i32", I32, b.i32(1), i)
    b.call("nv.atomic.fadd.f32", F32, b.i32(2), i, constant(F32, 0))
    b.call("nv.atomic.add.i64", I64, b.i32(3), i, constant(I64, 1))
    total = b.call("nv.subgroup.reduce.iadd.i32", I32, seen)
    moved = b.call("nv.subgroup.shuffle.i32", I32, total, b.i32(1))
    b.call("nv.subgroup.any", I1, is_low)
    count = b.call("nv.subgroup.count", I32, is_low)
    b.call("nv.atomic.exchange.i32", I32, b.i32(1), i, b.binary("add", count, moved))
    kernel.ret()
    return kernel


def word(m: Module, value: int) -> int:
    """The id of a constant word, made if there is none."""
    int_id = next(row[1] for row in m.rows if row[0] & 0xFFFF == Op.TypeInt and row[2] == 32)
    for row in m.rows:
        if row[0] & 0xFFFF == Op.Constant and row[1:] == [int_id, row[2], value]:
            return row[2]
    m.insert(m.find(Op.Function), Op.Constant, int_id, m.new_id(), value)
    return m.head[3] - 1


def to_word(opcode: int, position: int, value: int, number: int = 0):
    """Replace an operand by a constant."""
    return lambda m: m.set(opcode, position, word(m, value), number)


def to_value(opcode: int, position: int, other: int):
    """Replace an operand by the result of another instruction."""
    return lambda m: m.set(opcode, position, m.id(other))


def initialised(m: Module) -> None:
    """Give the shared array an initial value, of which it can have none."""
    variable = next(
        row for row in m.rows if row[0] & 0xFFFF == Op.Variable and row[3] == StorageClass.Workgroup
    )
    variable.append(word(m, 1))


def shared_block(m: Module) -> None:
    """Bind the shared array as if it were a buffer."""
    variable = next(
        row for row in m.rows if row[0] & 0xFFFF == Op.Variable and row[3] == StorageClass.Workgroup
    )
    m.insert(m.find(Op.Decorate), Op.Decorate, variable[2], 33, 0)


CAS, ADD, ANY = Op.AtomicCompareExchange, Op.AtomicIAdd, Op.GroupNonUniformAny
REDUCE, SHUFFLE, COUNT = Op.GroupNonUniformIAdd, Op.GroupNonUniformShuffle, Op.GroupNonUniformBallotBitCount
BALLOT, ID, BOOL = Op.GroupNonUniformBallot, Op.CompositeExtract, Op.ULessThan
# What is broken: the rule, the change, and whether spirv-val lets it pass.
CHANGES = {
    "scope of a barrier": ("operand types", to_word(Op.ControlBarrier, 1, 9), False),
    "computed scope": ("operand types", to_value(Op.ControlBarrier, 1, ID), False),
    "order of a barrier": ("operand types", to_word(Op.ControlBarrier, 3, 0), True),
    "order of a fence": ("operand types", to_word(Op.MemoryBarrier, 2, 0x40), False),
    "scope of an atomic": ("operand types", to_word(ADD, 4, 9), False),
    "computed order": ("operand types", to_value(ADD, 5, ID), False),
    "acquiring store": ("operand types", to_word(Op.AtomicStore, 3, 2 | 0x40), False),
    "releasing load": ("operand types", to_word(Op.AtomicLoad, 5, 4 | 0x40), False),
    "releasing failure": ("operand types", to_word(CAS, 6, 4 | 0x40), False),
    "atomic through a value": ("operand types", to_value(ADD, 3, ID), False),
    "atomic value": ("operand types", to_value(ADD, 6, BOOL), False),
    "atomic float value": ("operand types", to_value(Op.AtomicFAddEXT, 6, ADD), False),
    "atomic result": ("operand types", lambda m: m.set(ADD, 1, m.id(Op.TypeFloat)), False),
    "integer added as float": (
        "operand types",
        lambda m: m.set(Op.AtomicFAddEXT, 3, m.rows[m.find(CAS)][3]),
        False,
    ),
    "scope of a subgroup": ("operand types", to_word(REDUCE, 3, 2), False),
    "reduced type": ("operand types", lambda m: m.set(REDUCE, 1, m.id(Op.TypeFloat)), True),
    "reduced value": ("operand types", to_value(REDUCE, 5, BOOL), True),
    "shuffled value": ("operand types", to_value(SHUFFLE, 4, BOOL), True),
    "lane": ("operand types", to_value(SHUFFLE, 5, BOOL), True),
    "vote": ("operand types", to_value(ANY, 4, ID), True),
    "ballot": ("operand types", to_value(BALLOT, 4, ID), True),
    "count of a word": ("operand types", to_value(COUNT, 5, ID), False),
    "initialised": ("definition before use", initialised, False),
    "bound shared array": ("decoration", shared_block, False),
    "no capability for votes": (
        "missing capability",
        lambda m: m.rows.remove([Op.Capability, Capability.GroupNonUniformVote]),
        False,
    ),
    "no capability for 64 bits": (
        "missing capability",
        lambda m: m.rows.remove([Op.Capability, Capability.Int64Atomics]),
        False,
    ),
    "no capability for floats": (
        "missing capability",
        lambda m: m.rows.remove([Op.Capability, Capability.AtomicFloat32AddEXT]),
        False,
    ),
}


def made() -> Module:
    module = Module(together(), profile=PROFILE)
    for row in module.rows:
        row[0] &= 0xFFFF
    return module


def test_the_kernel_is_right():
    spirv = made().to_bytes()
    assert rule_of(spirv, PROFILE) == ""
    assert accepted_by_spirv_val(spirv)


@pytest.mark.parametrize("name", CHANGES)
def test_changed_modules(name):
    rule, change, is_stricter = CHANGES[name]
    module = made()
    change(module)
    spirv = module.to_bytes()
    assert rule_of(spirv, PROFILE) == rule
    assert accepted_by_spirv_val(spirv) == is_stricter


@pytest.mark.parametrize(
    "changes",
    [
        {"float32_atomic_add": False},
        {"int64_atomics": False},
        {"subgroup_classes": ("basic", "vote", "ballot", "arithmetic")},
        {"subgroup_classes": ("basic", "ballot", "arithmetic", "shuffle")},
        {"subgroup_classes": ("basic", "vote", "arithmetic", "shuffle")},
        {"subgroup_classes": ("basic", "vote", "ballot", "shuffle")},
    ],
    ids=str,
)
def test_what_a_profile_lacks_is_refused(changes):
    assert rule_of(made().to_bytes(), replace(PROFILE, **changes)) == "hidden feature"
