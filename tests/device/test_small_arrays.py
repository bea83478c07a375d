"""Many small arrays: devices allow some thousand allocations of memory, so that arrays share them."""

import gc

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan.runtime.slabs import LARGEST_PIECE

pytestmark = pytest.mark.mesa22


@pytest.fixture
def allocations(device, monkeypatch):
    """The number of allocations that are alive, in a list."""
    functions, alive = device.logical.functions, [0]
    allocate, free = functions.vkAllocateMemory, functions.vkFreeMemory

    def counted(*arguments):
        alive[0] += 1
        return allocate(*arguments)

    def freed(*arguments):
        alive[0] -= 1
        return free(*arguments)

    device.synchronize()
    device.trim()
    gc.collect()
    monkeypatch.setattr(functions, "vkAllocateMemory", counted, raising=False)
    monkeypatch.setattr(functions, "vkFreeMemory", freed, raising=False)
    return alive


@nv.jit
def add(x, y):
    i = nv.global_id(0)
    if i < y.size:
        y[i] += x[i]


def test_twenty_thousand_arrays(device, allocations):
    arrays = [nv.device_array(1 + k % 200, np.int32) for k in range(20_000)]
    for k, array in enumerate(arrays):
        if k % 997 < 7:
            array.fill(k)
    assert 0 < allocations[0] < 200
    for k in range(0, 20_000, 997):
        add.forall(arrays[k].size)(arrays[k], arrays[k + 1])
    sums = dict.fromkeys(range(1, 20_000, 997))
    for k, array in enumerate(arrays):
        if k % 997 < 7:
            found = array.copy_to_host()
            assert (found[: min(k % 200, (k - 1) % 200 + 1)] == (2 * k - 1 if k in sums else k)).all()
    del arrays, array
    gc.collect()
    device.trim()
    assert allocations[0] <= 0  # memory of earlier tests may have been given back as well


def test_memory_is_used_again_only_after_its_work(device, allocations):
    """Arrays die while launches use them, and others are made in between."""
    target = nv.to_device(np.zeros(64, np.int64))
    expected = np.zeros(64, np.int64)
    for k in range(300):
        source = nv.to_device(np.full(64, k))
        add.forall(64)(source, target)
        expected += k
        del source
        if k % 50 == 0:
            device.trim()
    np.testing.assert_array_equal(target.copy_to_host(), expected)


@pytest.mark.parametrize("size", [1, LARGEST_PIECE - 4, LARGEST_PIECE + 4, 5 * LARGEST_PIECE])
def test_neighbours_do_not_touch(device, allocations, size):
    arrays = [nv.to_device(np.full(size, k, np.uint8)) for k in range(6)]
    arrays[3].fill(77)
    for k, array in enumerate(arrays):
        assert (array.copy_to_host() == (77 if k == 3 else k)).all()
    device.synchronize()
    device.trim()  # staging buffers, where copies take them
    assert allocations[0] <= 6


def test_no_room_for_more_allocations(device, allocations, monkeypatch):
    def fail(*_arguments):
        raise MemoryError("vkAllocateMemory failed: VK_ERROR_TOO_MANY_OBJECTS (-10)")

    arrays = [nv.device_array(100, np.float32) for _ in range(5)]
    monkeypatch.setattr(device.logical.functions, "vkAllocateMemory", fail, raising=False)
    with pytest.raises(MemoryError, match="TOO_MANY_OBJECTS"):
        arrays.extend(nv.device_array(100, np.float32) for _ in range(100_000))
    monkeypatch.undo()
    arrays += [nv.to_device(np.full(100, k, np.float32)) for k in range(9)]
    assert arrays[-1][99] == 8
