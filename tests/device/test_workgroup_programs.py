"""Whole algorithms of workgroups against NumPy: a pass of a radix sort, prefix sums over two axes, n-body in tiles."""

import numpy as np
import pytest

import numba_vulkan as nv

GROUP = 64


# ---------------------------------------------------------------- radix sort, four bits at a time


@nv.jit
def count_digits(x, shift, counts):
    part = nv.shared.array(16, np.int32)
    t = nv.local_id(0)
    if t < 16:
        part[t] = 0
    nv.barrier()
    i = nv.global_id(0)
    if i < x.size:
        nv.atomic.add(part, (x[i] >> np.uint32(shift)) & np.uint32(15), 1)
    nv.barrier()
    if t < 16:
        counts[t, nv.group_id(0)] = part[t]


@nv.jit
def scan_counts(counts):
    """Turn counts into the places of the first element of each digit and group; one workgroup."""
    part = nv.shared.array(GROUP, np.int32)
    t = nv.local_id(0)
    flat = counts.reshape(counts.size)
    before = 0
    for first in range(0, flat.size, GROUP):
        here = first + t
        own = flat[here] if here < flat.size else 0
        part[t] = own
        nv.barrier()
        step = 1
        while step < GROUP:
            left = part[t - step] if t >= step else 0
            nv.barrier()
            part[t] += left
            nv.barrier()
            step *= 2
        if here < flat.size:
            flat[here] = before + part[t] - own
        before += part[GROUP - 1]
        nv.barrier()


@nv.jit
def scatter(x, shift, places, out):
    digits = nv.shared.array(GROUP, np.uint8)
    t = nv.local_id(0)
    i = nv.global_id(0)
    digit = np.uint8(16)
    if i < x.size:
        digit = np.uint8((x[i] >> np.uint32(shift)) & np.uint32(15))
    digits[t] = digit
    nv.barrier()
    if i >= x.size:
        return
    rank = 0
    for k in range(t):
        if digits[k] == digit:
            rank += 1
    out[places[digit, nv.group_id(0)] + rank] = x[i]


@pytest.mark.mesa22
@pytest.mark.parametrize("size", [1, 64, 1000])
def test_radix_sort(device, size):
    x = np.random.default_rng(1).integers(0, 2**32, size, dtype=np.uint32)
    groups = -(-size // GROUP)
    counts = np.zeros((16, groups), np.int32)
    keys, out = x.copy(), np.zeros_like(x)
    for shift in range(0, 32, 4):
        count_digits[groups, GROUP](keys, shift, counts)
        scan_counts[1, GROUP](counts)
        scatter[groups, GROUP](keys, shift, counts, out)
        keys, out = out, keys
    np.testing.assert_array_equal(keys, np.sort(x))


# ---------------------------------------------------------------- prefix sums over rows, then over columns


@nv.jit
def scan_rows(x, out):
    """Sum each row up to each element and store it transposed; one workgroup per row."""
    part = nv.shared.array((2, GROUP), np.int32)
    t = nv.local_id(0)
    row = nv.group_id(0)
    before = 0
    for first in range(0, x.shape[1], GROUP):
        now = 0
        column = first + t
        part[now, t] = x[row, column] if column < x.shape[1] else 0
        nv.barrier()
        step = 1
        while step < GROUP:
            part[1 - now, t] = part[now, t] + (part[now, t - step] if t >= step else 0)
            now = 1 - now
            nv.barrier()
            step *= 2
        if column < x.shape[1]:
            out[column, row] = before + part[now, t]
        before += part[now, GROUP - 1]
        nv.barrier()


@pytest.mark.mesa22
@pytest.mark.parametrize("shape", [(1, 1), (5, 130), (70, 64)])
def test_prefix_sum_over_two_axes(device, shape):
    x = np.random.default_rng(2).integers(-99, 99, shape).astype(np.int32)
    rows, out = np.zeros(shape[::-1], np.int32), np.zeros(shape, np.int32)
    scan_rows[shape[0], GROUP](x, rows)
    scan_rows[shape[1], GROUP](rows, out)
    np.testing.assert_array_equal(out, x.cumsum(0).cumsum(1))


# ---------------------------------------------------------------- n-body


@nv.jit
def accelerations(bodies, softening, out):
    """Sum the pull of all bodies (x, y, z, mass) on each; a tile of bodies at a time."""
    tile = nv.shared.array((GROUP, 4), np.float32)
    t = nv.local_id(0)
    i = nv.global_id(0)
    own = min(i, bodies.shape[0] - 1)
    x, y, z = bodies[own, 0], bodies[own, 1], bodies[own, 2]
    ax = ay = az = np.float32(0)
    for first in range(0, bodies.shape[0], GROUP):
        for k in range(4):
            tile[t, k] = bodies[first + t, k] if first + t < bodies.shape[0] else 0
        nv.barrier()
        for k in range(GROUP):
            dx, dy, dz = tile[k, 0] - x, tile[k, 1] - y, tile[k, 2] - z
            squared = dx * dx + dy * dy + dz * dz + softening
            pull = tile[k, 3] / (squared * np.sqrt(squared))
            ax += dx * pull
            ay += dy * pull
            az += dz * pull
        nv.barrier()
    if i < bodies.shape[0]:
        out[i, 0], out[i, 1], out[i, 2] = ax, ay, az


@pytest.mark.mesa22
def test_bodies_in_tiles(device):
    """The sum runs in the order of the bodies, so its float32 bits are those of NumPy adding in that order."""
    bodies = np.random.default_rng(3).normal(size=(150, 4)).astype(np.float32)
    softening = np.float32(0.25)
    out = np.zeros((150, 3), np.float32)
    accelerations.forall(150, GROUP)(bodies, softening, out)
    expected = np.zeros((150, 3), np.float32)
    for body in bodies:
        d = body[:3] - bodies[:, :3]
        squared = d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1] + d[:, 2] * d[:, 2] + softening
        expected += d * (body[3] / (squared * np.sqrt(squared)))[:, None]
    np.testing.assert_array_equal(out, expected)
