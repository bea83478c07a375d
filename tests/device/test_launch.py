"""Grids, workgroups, ids, devices, and what a launch leaves behind."""

import numpy as np
import pytest

import numba_vulkan as nv
from device.asserting_kernels import picky


@nv.jit
def ids_1d(out):
    i = nv.global_id(0)
    if i < out.shape[0]:
        out[i, 0] = nv.group_id(0)
        out[i, 1] = nv.local_id(0)
        out[i, 2] = nv.local_size(0)
        out[i, 3] = nv.num_groups(0)
        out[i, 4] = nv.local_size(1) * 10 + nv.local_size(2)


@pytest.mark.mesa22
@pytest.mark.parametrize(("groups", "size"), [(1, 1), (3, 7), (5, 64), (2, 256)])
def test_ids_along_one_axis(device, groups, size):
    out = np.zeros((groups * size, 5), np.int32)
    ids_1d[groups, size](out)
    i = np.arange(groups * size)
    expected = np.stack([i // size, i % size, i * 0 + size, i * 0 + groups, i * 0 + 11], axis=1)
    np.testing.assert_array_equal(out, expected)


@nv.jit
def ids_3d(out):
    x, y, z = nv.global_id(0), nv.global_id(1), nv.global_id(2)
    if x < out.shape[0] and y < out.shape[1] and z < out.shape[2]:
        out[x, y, z] = (nv.group_id(0) * 10 + nv.group_id(1)) * 10 + nv.group_id(2)


@pytest.mark.parametrize("local_size", [None, (2, 2, 2), (1, 5), 4])
def test_three_axes(device, local_size):
    out = np.full((5, 6, 7), -1, np.int32)
    ids_3d.forall(out.shape, local_size=local_size)(out)
    size = (8, 4, 4) if local_size is None else (*np.atleast_1d(local_size), 1, 1)[:3]
    x, y, z = (g // s for g, s in zip(np.indices(out.shape), size, strict=True))
    np.testing.assert_array_equal(out, (x * 10 + y) * 10 + z)


@nv.jit
def one(out, n):
    i = nv.global_id(0)
    if i < n:
        out[i] = 1


@pytest.mark.parametrize("extent", [5, (5,), [5], np.int64(5), np.uint8(5)])
def test_extents_of_every_integer_type(device, extent):
    out = np.zeros(8, np.int32)
    one.forall(extent)(out, 5)
    np.testing.assert_array_equal(out, [1] * 5 + [0] * 3)


def test_nothing_is_launched_over_nothing(device):
    out = np.zeros(3, np.int32)
    one.forall(0)(out, 3)
    one[0, 64](out, 3)
    one.forall((4, 0))(out, 3)
    assert (out == 0).all()


@nv.jit
def nothing():
    nv.global_id(0)


def test_a_kernel_without_arguments(device):
    nothing.forall(10)()


def test_one_compilation_serves_all_workgroup_sizes(device):
    @nv.jit
    def kernel(out):
        i = nv.global_id(0)
        if i < out.size:
            out[i] = nv.local_size(0)

    for size in (1, 32, 100):
        out = np.zeros(50, np.int32)
        kernel.forall(50, local_size=size)(out)
        assert (out == size).all()
    assert len(kernel._compiled) == 1


def test_a_device_is_named_for_one_launch(device):
    out = np.zeros(3, np.int32)
    for which in (device, device.info, device.info.index, device.info.name):
        out[:] = 0
        one.forall(3, device=which)(out, 3)
        assert (out == 1).all()


def test_arrays_of_two_devices_are_refused(device):
    others = [info for info in nv.list_devices() if info.index != device.info.index]
    if not others:
        pytest.skip("there is one device only")
    here, there = nv.device_array(3, np.int32), nv.device_array(3, np.int32, device=others[0])

    @nv.jit
    def copy(x, out):
        out[0] = x[0]

    with pytest.raises(ValueError, match="copy it first"):
        copy[1, 1](here, there)
    with pytest.raises(ValueError, match="copy it first"):
        copy.forall(1, device=device)(there, there)


def test_device_arrays_are_where_they_were_made(device):
    others = [info for info in nv.list_devices() if info.index != device.info.index]
    for info in [*others, device.info]:
        out = nv.to_device(np.zeros(3, np.int32), device=info)
        one.forall(3)(out, 3)
        assert out.device.info == info
        assert (out.copy_to_host() == 1).all()


def test_exceptions_raised_in_kernels(device):
    x = np.arange(10, dtype=np.int32)
    out = np.zeros_like(x)
    picky.forall(10)(x, out)
    x[7] = -1
    with pytest.raises(ValueError, match="a negative element") as caught:
        picky.forall(10)(x, out)
    note = "".join(caught.value.__notes__)
    assert "'picky'" in note
    assert "asserting_kernels.py:11" in note
    assert "(7, 0, 0)" in note
    x[7] = 100
    with pytest.raises(AssertionError):
        picky.forall(10)(x, out)
    x[7] = 0
    picky.forall(10)(x, out)
    np.testing.assert_array_equal(out, x + 1)


@nv.jit
def checked(value):
    if value > 5:
        raise OverflowError("more than five")
    return value


@nv.jit
def calls_checked(x):
    i = nv.global_id(0)
    if i < x.size:
        x[i] = checked(x[i]) * 2


def test_exceptions_raised_in_functions_reach_the_launch(device):
    x = np.arange(5, dtype=np.int64)
    calls_checked.forall(5)(x)
    with pytest.raises(OverflowError, match="more than five"):
        calls_checked.forall(5)(x)


def test_dumps_of_every_stage(device, tmp_path, monkeypatch):
    @nv.jit
    def dumped(x):
        i = nv.global_id(0)
        if i < x.size:
            x[i] = i

    monkeypatch.setenv("NUMBA_VULKAN_DUMP", str(tmp_path))
    dumped.forall(3)(np.zeros(3, np.int32))
    names = sorted(p.name.split("-", 2)[2] for p in tmp_path.iterdir())
    assert "lowered-0.ll" in names
    assert "spirv.spv" in names
    assert any(name.endswith("llvm.ll") for name in names)
    assert any(name.endswith("structurize.ll") for name in names)
