"""What workgroups take of the limits of a device, and workgroups up to these limits and beyond."""

import numpy as np
import pytest
from numba import float32, int32

import numba_vulkan as nv


@nv.jit
def tiled(x):
    part = nv.shared.array(1024, np.float32)
    rest = nv.shared.array(0, np.float32)
    i = nv.local_id(0)
    part[i] = x[i]
    rest[0] = 1
    nv.barrier()
    x[i] = part[i] + rest[0]


def test_occupancy_counts_what_a_workgroup_takes(device):
    info = device.info
    found = tiled.occupancy((float32[::1],), 60, shared_bytes=4096)
    subgroups = -(-60 // info.subgroup_size)
    assert (found.local_size, found.invocations) == ((60, 1, 1), 60)
    assert (found.subgroup_size, found.subgroups) == (info.subgroup_size, subgroups)
    assert found.idle_lanes == subgroups * info.subgroup_size - 60
    assert found.shared_bytes == 8192
    by_memory, by_invocations = info.max_shared_memory // 8192, info.max_local_invocations // 60
    assert found.workgroups == min(by_memory, by_invocations)
    assert found.limited_by == ("shared memory" if by_memory < by_invocations else "invocations")


def test_occupancy_of_a_kernel_that_shares_nothing(device):
    @nv.jit
    def fill(x):
        x[nv.global_id(0)] = 1

    found = fill.occupancy((int32[::1],), (8, 4), device=device)
    assert (found.local_size, found.invocations, found.shared_bytes) == ((8, 4, 1), 32, 0)
    assert (found.workgroups, found.limited_by) == (device.info.max_local_invocations // 32, "invocations")


def test_occupancy_refuses_what_the_device_does(device):
    most = device.info.max_local_invocations
    with pytest.raises(nv.VulkanSupportError, match=rf"'tiled'.*{2 * most} invocations.*{most}"):
        tiled.occupancy((float32[::1],), 2 * most)
    with pytest.raises(nv.VulkanSupportError, match=rf"'tiled'.*bytes.*{device.info.max_shared_memory}"):
        tiled.occupancy((float32[::1],), 64, shared_bytes=device.info.max_shared_memory)
    with pytest.raises(ValueError, match="local_size"):
        tiled.occupancy((float32[::1],), 0)
    with pytest.raises(ValueError, match=r"kernel 'tiled' .* has dynamic shared arrays .* shared_bytes is 0"):
        tiled.occupancy((float32[::1],), 64)


@nv.jit
def numbered(out):
    i, j, k = nv.global_id(0), nv.global_id(1), nv.global_id(2)
    out[i, j, k] += 1 + nv.local_size(0) * nv.local_id(1)


def shapes_at_the_limit(info):
    most, (x, y, z) = info.max_local_invocations, info.max_local_size
    return [
        (min(x, most), 1, 1),
        (1, min(y, most), 1),
        (1, 1, min(z, most)),
        (most // 2, 2, 1),
        (most // 8, 2, 4),
    ]


def test_workgroups_up_to_the_limits_of_the_device(device):
    for size in shapes_at_the_limit(device.info):
        out = np.zeros(size, np.int32)
        numbered[1, size](out)
        expected = 1 + size[0] * np.arange(size[1])[:, None]
        np.testing.assert_array_equal(out, np.broadcast_to(expected, size))


def test_workgroups_beyond_the_limits_of_the_device(device):
    info = device.info
    for size in (
        (info.max_local_size[0] + 1, 1, 1),
        (1, 1, info.max_local_size[2] + 1),
        (2, info.max_local_invocations, 1),
    ):
        with pytest.raises(nv.VulkanSupportError, match=rf"{info.max_local_invocations}.*local_size"):
            numbered[1, size](np.zeros(size, np.int32))
