"""Sorting, stencils, locks and n-body by workgroups of several sizes, for types and data of several sizes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import numba_vulkan as nv
from device.critical_sections import check_sections, until_a_flag_falls
from device.program_cases import FEW_GROUPS, SIZES, numbers, types_and_groups

# ---------------------------------------------------------------- sorting


@cache
def bitonic(dtype, largest):
    @nv.jit
    def kernel(x, places):
        """Sort each row in one workgroup, whatever its size; places is a power of two."""
        part = nv.shared.array(places, dtype)
        t, step, row = nv.local_id(0), nv.local_size(0), nv.group_id(0)
        for k in range(t, places, step):
            part[k] = x[row, k] if k < x.shape[1] else largest
        size = 2
        while size <= places:
            distance = size // 2
            while distance > 0:
                nv.barrier()
                for k in range(t, places, step):
                    other = k ^ distance
                    if other > k and (part[k] > part[other]) == ((k & size) == 0):
                        part[k], part[other] = part[other], part[k]
                distance //= 2
            size *= 2
        nv.barrier()
        for k in range(t, x.shape[1], step):
            x[row, k] = part[k]

    return kernel


@types_and_groups()
def test_bitonic_sort(device, dtype, group):
    largest = np.inf if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max
    for width in (1, 37, 130):
        x = numbers(dtype, (3, width))
        expected = np.sort(x, axis=1)
        bitonic(dtype, dtype(largest))[3, group](x, 1 << (width - 1).bit_length())
        np.testing.assert_array_equal(x, expected)


@cache
def radix_pass(dtype):
    @nv.jit
    def count(x, shift, counts):
        part = nv.shared.array(16, np.int32)
        i, t = nv.global_id(0), nv.local_id(0)
        for k in range(t, 16, nv.local_size(0)):
            part[k] = 0
        nv.barrier()
        if i < x.size:
            nv.atomic.add(part, np.int64((x[i] >> dtype(shift)) & dtype(15)), 1)
        nv.barrier()
        for k in range(t, 16, nv.local_size(0)):
            counts[k, nv.group_id(0)] = part[k]

    @nv.jit
    def scatter(x, shift, places, out, group):
        digits = nv.shared.array(group, np.uint8)
        i, t = nv.global_id(0), nv.local_id(0)
        digits[t] = 16 if i >= x.size else np.uint8((x[i] >> dtype(shift)) & dtype(15))
        nv.barrier()
        if i >= x.size:
            return
        rank = 0
        for k in range(t):
            rank += digits[k] == digits[t]
        out[places[digits[t], nv.group_id(0)] + rank] = x[i]

    return count, scatter


@pytest.mark.parametrize("group", FEW_GROUPS)
@pytest.mark.parametrize("key", [np.uint8, np.int32, np.uint64])
def test_radix_sort_pass(device, key, group):
    count, scatter = radix_pass(key)
    for size in SIZES:
        x, groups = numbers(key, size), -(-size // group)
        for shift in (0, 4):
            counts, out = np.zeros((16, groups), np.int32), np.zeros_like(x)
            count[groups, group](x, shift, counts)
            places = (np.cumsum(counts).reshape(counts.shape) - counts).astype(np.int32)
            scatter[groups, group](x, shift, places, out, group)
            expected = x[np.argsort((x >> key(shift)) & key(15), kind="stable")]
            np.testing.assert_array_equal(out, expected)
            x = out
        np.testing.assert_array_equal(x, np.sort(x))


# ---------------------------------------------------------------- stencils


@cache
def stencil(dtype):
    @nv.jit
    def kernel(x, out, group, reach):
        tile = nv.shared.array(group + 2 * reach, dtype)
        t, first = nv.local_id(0), nv.group_id(0) * group - reach
        for k in range(t, tile.size, group):
            i = first + k
            tile[k] = x[i] if 0 <= i < x.size else dtype(0)
        nv.barrier()
        i = nv.global_id(0)
        if i < x.size:
            total = dtype(0)
            for k in range(2 * reach + 1):
                total += tile[t + k]
            out[i] = total

    return kernel


@types_and_groups()
def test_stencil_with_halo(device, dtype, group):
    for size in SIZES:
        for reach in (0, 1, 5):
            x = numbers(dtype, size)
            out = np.zeros_like(x)
            stencil(dtype)[-(-size // group), group](x, out, group, reach)
            padded = np.pad(x, reach)
            expected = sum((padded[k : k + size] for k in range(2 * reach + 1)), np.zeros_like(x))
            np.testing.assert_array_equal(out, expected)


@cache
def life(dtype):
    @nv.jit
    def kernel(x, out, width, height):
        tile = nv.shared.array((height + 2, width + 2), dtype)
        tx, ty = nv.local_id(0), nv.local_id(1)
        top, left = nv.group_id(1) * height - 1, nv.group_id(0) * width - 1
        for row in range(ty, height + 2, height):
            for column in range(tx, width + 2, width):
                tile[row, column] = x[(top + row) % x.shape[0], (left + column) % x.shape[1]]
        nv.barrier()
        column, row = nv.global_id(0), nv.global_id(1)
        if row >= x.shape[0] or column >= x.shape[1]:
            return
        count = dtype(0)
        for dy in range(3):
            for dx in range(3):
                if dx != 1 or dy != 1:
                    count += tile[ty + dy, tx + dx]
        out[row, column] = count == 3 or (count == 2 and tile[ty + 1, tx + 1] == 1)

    return kernel


@types_and_groups([(1, 1), (7, 3), (16, 8)], [(7, 3)])
def test_game_of_life(device, dtype, group):
    for shape in ((3, 5), (20, 33)):
        x = (numbers(np.int32, shape) < 40).astype(dtype)
        for _ in range(3):
            out = np.zeros_like(x)
            groups = -(-shape[1] // group[0]), -(-shape[0] // group[1])
            life(dtype)[groups, group](x, out, *group)
            count = sum(
                np.roll(x, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0)
            )
            expected = ((count == 3) | ((count == 2) & (x == 1))).astype(dtype)
            np.testing.assert_array_equal(out, expected)
            x = out


# ---------------------------------------------------------------- locks


@types_and_groups()
def test_lock(device, dtype, group):
    for size in SIZES:
        place = np.arange(size, dtype=np.int32) % 5
        check_sections(device, until_a_flag_falls, place, numbers(dtype, size), group)


# ---------------------------------------------------------------- n-body


@cache
def pulls(dtype):
    @nv.jit
    def kernel(bodies, out, group):
        tile = nv.shared.array((group, 3), dtype)
        i, t = nv.global_id(0), nv.local_id(0)
        own = min(i, bodies.shape[0] - 1)
        x, y = bodies[own, 0], bodies[own, 1]
        ax = ay = dtype(0)
        for first in range(0, bodies.shape[0], group):
            if first + t < bodies.shape[0]:
                for k in range(3):
                    tile[t, k] = bodies[first + t, k]
            nv.barrier()
            for k in range(min(group, bodies.shape[0] - first)):
                dx, dy = tile[k, 0] - x, tile[k, 1] - y
                pull = tile[k, 2] / (dx * dx + dy * dy + dtype(1))
                ax += dx * pull
                ay += dy * pull
            nv.barrier()
        if i < bodies.shape[0]:
            out[i, 0], out[i, 1] = ax, ay

    return kernel


@pytest.mark.parametrize("group", FEW_GROUPS)
@pytest.mark.parametrize("real", [np.float32, pytest.param(np.float64, marks=pytest.mark.needs("float64"))])
def test_bodies_in_tiles(device, real, group):
    """Sums run in the order of the bodies, so that their bits are those of NumPy."""
    for size in (1, 97, 150):
        bodies = np.random.default_rng(3).normal(size=(size, 3)).astype(real)
        out, expected = np.zeros((size, 2), real), np.zeros((size, 2), real)
        pulls(real)[-(-size // group), group](bodies, out, group)
        for body in bodies:
            d = body[:2] - bodies[:, :2]
            expected += d * (body[2] / (d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1] + real(1)))[:, None]
        np.testing.assert_array_equal(out, expected)
