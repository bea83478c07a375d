"""Subgroup operations of every type, in uniform and in divergent flow, against NumPy."""

import re
from dataclasses import replace
from functools import reduce

import numpy as np
import pytest
from numba import int32

import numba_vulkan as nv
from numba_vulkan.runtime.launch import check_local_size

COUNT = 128
DTYPES = ["int32", "uint32", "int64", "uint64", "float32", "float64"]
OPERATIONS = {
    "sum": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "and_": np.bitwise_and,
    "or_": np.bitwise_or,
    "xor": np.bitwise_xor,
}
MIX = pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")


def skip_without_type(device, dtype, name=""):
    kind = np.dtype(dtype)
    is_wide_reduction = name in ("prod", "min", "max")
    if kind.kind in "iu" and kind.itemsize == 8 and is_wide_reduction and not device.info.subgroup_int64:
        pytest.skip("the device has no subgroup_int64")


def values_of(dtype, seed=1):
    random = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        # Small whole numbers: sums and products are exact in any order.
        return random.choice([-2, -1, 1, 1, 2], COUNT).astype(kind)
    return random.integers(np.iinfo(kind).min, np.iinfo(kind).max, COUNT, kind, endpoint=True)


def by_subgroup(x, device):
    return x.reshape(-1, device.info.subgroup_size)


def reductions(name):
    whole, inclusive, exclusive = (
        getattr(nv.subgroup, prefix + name) for prefix in ("", "inclusive_", "exclusive_")
    )

    @nv.jit
    def kernel(x, out):
        t = nv.local_id(0)
        out[0, t] = whole(x[t])
        out[1, t] = inclusive(x[t])
        out[2, t] = exclusive(x[t])

    return kernel


@pytest.mark.mesa22
@MIX
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPERATIONS)
def test_reductions_and_scans(device, name, dtype):
    skip_without_type(device, dtype, name)
    if dtype[0] == "f" and name in ("and_", "or_", "xor"):
        pytest.skip("floats have no bits to combine")
    x = values_of(dtype)
    out = np.zeros((3, COUNT), dtype)
    reductions(name)[1, COUNT](x, out)
    with np.errstate(over="ignore"):
        parts = by_subgroup(x, device)
        running = np.array(
            [[reduce(OPERATIONS[name], row[: k + 1]) for k in range(len(row))] for row in parts]
        )
    np.testing.assert_array_equal(by_subgroup(out[1], device), running)
    np.testing.assert_array_equal(
        by_subgroup(out[0], device), np.repeat(running[:, -1:], running.shape[1], axis=1)
    )
    np.testing.assert_array_equal(by_subgroup(out[2], device)[:, 1:], running[:, :-1])


@nv.jit
def moves(x, lanes, out):
    t = nv.local_id(0)
    out[0, t] = nv.subgroup.broadcast(x[t], 2)
    out[1, t] = nv.subgroup.broadcast_first(x[t])
    out[2, t] = nv.subgroup.shuffle(x[t], lanes[t])
    out[3, t] = nv.subgroup.shuffle_xor(x[t], 1)
    out[4, t] = nv.subgroup.shuffle_up(x[t], 1)
    out[5, t] = nv.subgroup.shuffle_down(x[t], 2)
    out[6, t] = nv.subgroup.broadcast(x[t], lanes[0])


@pytest.mark.mesa22
@MIX
@pytest.mark.parametrize("dtype", DTYPES)
def test_moves(device, dtype):
    size = device.info.subgroup_size
    x = values_of(dtype)
    lanes = np.random.default_rng(2).integers(0, size, COUNT).astype(np.int32)
    out = np.zeros((7, COUNT), dtype)
    moves[1, COUNT](x, lanes, out)
    lane = np.arange(COUNT) % size
    first = np.arange(COUNT) - lane
    sources = [
        first + 2,
        first,
        first + lanes,
        first + (lane ^ 1),
        first + np.where(lane >= 1, lane - 1, lane),
        first + np.where(lane + 2 < size, lane + 2, lane),
        first + lanes[0],
    ]
    for row, source in zip(out, sources, strict=True):
        np.testing.assert_array_equal(row, x[source])


@nv.jit
def votes(x, out):
    t = nv.local_id(0)
    out[0, t] = nv.subgroup.any(x[t] > 2)
    out[1, t] = nv.subgroup.all(x[t] > 0)
    out[2, t] = nv.subgroup.elect()
    out[3, t] = nv.subgroup.ballot(x[t] > 1)
    out[4, t] = nv.subgroup.ballot_count(x[t] > 1)
    out[5, t] = nv.subgroup.size()
    out[6, t] = nv.subgroup.lane()
    out[7, t] = nv.subgroup.id()
    out[8, t] = nv.subgroup.count()


@pytest.mark.mesa22
def test_votes_and_numbers(device):
    size = device.info.subgroup_size
    x = np.random.default_rng(3).integers(0, 4, COUNT).astype(np.int32)
    x[:size], x[size : 2 * size] = 1, 0
    out = np.zeros((9, COUNT), np.int64)
    votes[1, COUNT](x, out)
    parts, lane = by_subgroup(x, device), np.arange(size)
    expected = [
        (parts > 2).any(1, keepdims=True),
        (parts > 0).all(1, keepdims=True),
        lane == 0,
        ((parts > 1) << lane).sum(1, keepdims=True),
        (parts > 1).sum(1, keepdims=True),
        size,
        lane,
        np.arange(COUNT // size)[:, None],
        COUNT // size,
    ]
    for row, value in zip(out, expected, strict=True):
        np.testing.assert_array_equal(by_subgroup(row, device), np.broadcast_to(value, parts.shape))


@nv.jit
def divergent(x, out):
    t = nv.local_id(0)
    if x[t] % 2 == 0:
        out[0, t] = nv.subgroup.sum(x[t])
        out[1, t] = nv.subgroup.ballot_count(True)
    else:
        out[0, t] = nv.subgroup.sum(x[t])
        out[1, t] = nv.subgroup.ballot_count(True)
    rounds = 0
    while rounds < x[t]:
        out[2, t] = nv.subgroup.ballot_count(True)
        rounds += 1
    nv.barrier()
    out[3, t] = nv.subgroup.sum(x[t])


@pytest.mark.mesa22
def test_only_those_that_are_here_take_part(device):
    x = np.random.default_rng(4).integers(1, 9, COUNT).astype(np.int32)
    out = np.zeros((4, COUNT), np.int32)
    divergent[1, COUNT](x, out)
    parts = by_subgroup(x, device)
    is_even = parts % 2 == 0
    for row, values in ((0, parts), (1, np.ones_like(parts))):
        sums = [(values * is_even).sum(1, keepdims=True), (values * ~is_even).sum(1, keepdims=True)]
        np.testing.assert_array_equal(by_subgroup(out[row], device), np.where(is_even, *sums))
    still_there = (parts[:, None, :] >= parts[:, :, None]).sum(2)
    np.testing.assert_array_equal(by_subgroup(out[2], device), still_there)
    np.testing.assert_array_equal(
        by_subgroup(out[3], device), np.repeat(parts.sum(1), parts.shape[1]).reshape(parts.shape)
    )


@nv.jit
def sum_of(x, out):
    part = nv.shared.array(32, np.float32)
    total = np.float32(0)
    for i in range(nv.global_id(0), x.size, nv.local_size(0) * nv.num_groups(0)):
        total += x[i]
    total = nv.subgroup.sum(total)
    if nv.subgroup.elect():
        part[nv.subgroup.id()] = total
    nv.barrier()
    if nv.local_id(0) == 0:
        total = np.float32(0)
        for k in range(nv.subgroup.count()):
            total += part[k]
        nv.atomic.add(out, 0, total)


@pytest.mark.mesa22
def test_reduction_by_subgroups(device):
    x = np.random.default_rng(5).integers(0, 100, 10_000).astype(np.float32)
    out = np.zeros(1, np.float32)
    sum_of[4, 64](x, out)
    assert out[0] == x.sum()


def test_what_does_not_work_is_refused(device):
    with pytest.raises(Exception, match=r"subgroup\.xor does not take a float32"):
        reductions("xor")[1, 32](np.zeros(32, np.float32), np.zeros((3, 32), np.float32))
    if not device.info.subgroup_int64:
        with pytest.raises(nv.VulkanUnsupportedError, match="needs subgroup_int64"):
            reductions("min")[1, 32](np.zeros(32, np.int64), np.zeros((3, 32), np.int64))


# ---- a required size


def lanes(out):
    i = nv.global_id(0)
    out[i, 0] = nv.subgroup.size()
    out[i, 1] = nv.subgroup.sum(1)
    out[i, 2] = nv.subgroup.lane()


def test_required_subgroup_size(device):
    info = device.info
    sizes = [1 << k for k in range(8) if info.min_subgroup_size <= 1 << k <= info.max_subgroup_size]
    assert info.subgroup_size in sizes
    for size in sizes:
        out = np.zeros((128, 3), np.int32)
        nv.jit(lanes, require_subgroup_size=size)[2, 64](out)
        assert (out[:, 0] == size).all()
        np.testing.assert_array_equal(out[:, 1], np.full(128, size))
        assert sorted(out[:, 2].tolist()) == sorted(list(range(size)) * (128 // size))


@pytest.mark.needs("subgroup_size_control")
def test_pipelines_that_ask_for_the_subgroup_size(device, monkeypatch):
    """Where there is only one size they need not ask, and then workgroups are not limited."""
    info, size = device.info, device.info.subgroup_size
    kernel = nv.jit(lanes, require_subgroup_size=size)
    out = np.zeros((info.max_local_invocations, 3), np.int32)
    kernel[1, info.max_local_invocations](out)
    assert (out[:, 0] == size).all()
    monkeypatch.setattr(type(info), "asks_for_subgroup_size", property(lambda info: True))
    small = np.zeros((64, 3), np.int32)
    kernel[1, 64](small)
    assert (small[:, 1] == size).all()
    few = replace(info, max_workgroup_subgroups=2)
    with pytest.raises(nv.VulkanSupportError, match=rf"'lanes'.*of 96.*{2 * size} in subgroups of {size}"):
        check_local_size(few, kernel.compile((int32[:, ::1],)), (96, 1, 1))


def test_subgroup_sizes_that_a_device_lacks(device):
    info = device.info
    wanted = (
        rf"'lanes' requires subgroups of 128 .*'{re.escape(info.name)}' offers .*{info.max_subgroup_size}"
    )
    with pytest.raises(nv.VulkanSupportError, match=f"{wanted}.*require_subgroup_size"):
        nv.jit(lanes, require_subgroup_size=128)[1, 64](np.zeros((64, 3), np.int32))


@pytest.mark.parametrize("size", [0, 3, 24, 256, -4])
def test_subgroups_that_no_device_has(device, size):
    with pytest.raises(ValueError, match=f"require_subgroup_size.*{size}"):
        nv.jit(lanes, require_subgroup_size=size)


@pytest.mark.parametrize("size", [8.0, "32", True])
def test_subgroup_sizes_are_integers(device, size):
    with pytest.raises(TypeError, match="require_subgroup_size"):
        nv.jit(lanes, require_subgroup_size=size)
