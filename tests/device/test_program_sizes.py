"""Sums, scans, histograms and products by workgroups of several sizes, for types and data of several sizes."""

from __future__ import annotations

from functools import cache

import numpy as np

import numba_vulkan as nv
from device.program_cases import SIZES, numbers, types_and_groups, wide

# ---------------------------------------------------------------- reductions


@cache
def sums(dtype):
    total_type = wide(dtype)

    @nv.jit
    def tree(x, partial, group):
        part = nv.shared.array(group, total_type)
        t = nv.local_id(0)
        total = total_type(0)
        for i in range(nv.global_id(0), x.size, nv.local_size(0) * nv.num_groups(0)):
            total += x[i]
        part[t] = total
        nv.barrier()
        count = group
        while count > 1:
            half = (count + 1) // 2
            if t + half < count:
                part[t] += part[t + half]
            nv.barrier()
            count = half
        if t == 0:
            partial[nv.group_id(0)] = part[0]

    @nv.jit
    def by_subgroups(x, partial, group):
        part = nv.shared.array(group, total_type)
        i, t = nv.global_id(0), nv.local_id(0)
        total = nv.subgroup.sum(total_type(x[i] if i < x.size else dtype(0)))
        if nv.subgroup.elect():
            part[nv.subgroup.id()] = total
        nv.barrier()
        if t == 0:
            for k in range(1, nv.subgroup.count()):
                total += part[k]
            partial[nv.group_id(0)] = total

    return tree, by_subgroups


@types_and_groups()
def test_reductions(device, dtype, group):
    tree, by_subgroups = sums(dtype)
    for size in SIZES:
        x, groups = numbers(dtype, size), -(-size // group)
        for kernel, count in ((tree, 3), (by_subgroups, groups)):
            partial = np.zeros(count, wide(dtype))
            kernel[count, group](x, partial, group)
            assert partial.sum() == x.sum(dtype=wide(dtype)), kernel


# The sums of workgroups meet in a buffer, where the last workgroup adds them up.
@cache
def single_pass(dtype):
    @nv.jit
    def kernel(x, partial, ticket, out, group):
        part = nv.shared.array(group, dtype)
        is_last = nv.shared.array(1, np.int32)
        i, t = nv.global_id(0), nv.local_id(0)
        part[t] = x[i] if i < x.size else dtype(0)
        nv.barrier()
        if t == 0:
            for k in range(1, group):
                part[0] = max(part[0], part[k])
            partial[nv.group_id(0)] = part[0]
            nv.fence_device()
            is_last[0] = nv.atomic.inc(ticket, 0, nv.num_groups(0) - 1) == nv.num_groups(0) - 1
            nv.fence_device()
        nv.barrier()
        if is_last[0] == 0:
            return
        part[t] = 0
        for k in range(t, nv.num_groups(0), group):
            part[t] = max(part[t], partial[k])
        nv.barrier()
        if t == 0:
            for k in range(1, group):
                part[0] = max(part[0], part[k])
            out[0] = part[0]

    return kernel


@types_and_groups()
def test_last_workgroup_finishes(device, dtype, group):
    kernel, ticket = single_pass(dtype), np.zeros(1, np.uint32)
    for size in SIZES:
        x, out, groups = numbers(dtype, size), np.zeros(1, dtype), -(-size // group)
        kernel[groups, group](x, np.zeros(groups, dtype), ticket, out, group)
        assert out[0] == x.max()
        assert ticket[0] == 0


# ---------------------------------------------------------------- scans


@cache
def scans(dtype):
    @nv.jit
    def hillis_steele(x, out, group):
        part = nv.shared.array((2, group), dtype)
        i, t = nv.global_id(0), nv.local_id(0)
        now = 0
        part[now, t] = x[i] if i < x.size else dtype(0)
        nv.barrier()
        step = 1
        while step < group:
            part[1 - now, t] = part[now, t] + (part[now, t - step] if t >= step else dtype(0))
            now = 1 - now
            nv.barrier()
            step *= 2
        if i < x.size:
            out[i] = part[now, t]

    @nv.jit
    def blelloch(x, out, group, places):
        """Sum what is in front of each element, exclusively; places is the next power of two."""
        part = nv.shared.array(places, dtype)
        i, t = nv.global_id(0), nv.local_id(0)
        part[t] = x[i] if i < x.size else dtype(0)
        if group + t < places:
            part[group + t] = 0
        step = 1
        while step < places:
            nv.barrier()
            k = (2 * t + 2) * step - 1
            if k < places:
                part[k] += part[k - step]
            step *= 2
        nv.barrier()
        if t == 0:
            part[places - 1] = 0
        while step > 1:
            step //= 2
            nv.barrier()
            k = (2 * t + 2) * step - 1
            if k < places:
                left = part[k - step]
                part[k - step] = part[k]
                part[k] += left
        nv.barrier()
        if i < x.size:
            out[i] = part[t]

    return hillis_steele, blelloch


@types_and_groups()
def test_scans(device, dtype, group):
    hillis_steele, blelloch = scans(dtype)
    for size in SIZES:
        x, groups = numbers(dtype, size), -(-size // group)
        padded = np.zeros(groups * group, dtype)
        padded[:size] = x
        inclusive = padded.reshape(groups, group).cumsum(1, dtype=dtype).reshape(-1)[:size]
        out = np.zeros_like(x)
        hillis_steele[groups, group](x, out, group)
        np.testing.assert_array_equal(out, inclusive)
        blelloch[groups, group](x, out, group, 1 << (group - 1).bit_length())
        np.testing.assert_array_equal(out, inclusive - x)


# ---------------------------------------------------------------- sums over two axes


@cache
def row_scan(dtype):
    @nv.jit
    def kernel(x, out, group):
        """Sum each row up to each element and store it transposed; one workgroup per row."""
        part = nv.shared.array(group, dtype)
        t, row = nv.local_id(0), nv.group_id(0)
        before = dtype(0)
        for first in range(0, x.shape[1], group):
            column = first + t
            part[t] = x[row, column] if column < x.shape[1] else dtype(0)
            nv.barrier()
            step = 1
            while step < group:
                left = part[t - step] if t >= step else dtype(0)
                nv.barrier()
                part[t] += left
                nv.barrier()
                step *= 2
            if column < x.shape[1]:
                out[column, row] = before + part[t]
            before = dtype(before + part[group - 1])
            nv.barrier()

    return kernel


@types_and_groups()
def test_prefix_sums_over_two_axes(device, dtype, group):
    kernel = row_scan(dtype)
    for shape in ((1, 1), (5, 131), (19, 33)):
        x = numbers(dtype, shape)
        rows, out = np.zeros(shape[::-1], dtype), np.zeros(shape, dtype)
        kernel[shape[0], group](x, rows, group)
        kernel[shape[1], group](rows, out, group)
        np.testing.assert_array_equal(out, x.cumsum(0, dtype=dtype).cumsum(1, dtype=dtype))


# ---------------------------------------------------------------- histogram


@cache
def histogram(dtype):
    @nv.jit
    def kernel(x, counts):
        part = nv.shared.array(counts.size, np.uint32)
        t, step = nv.local_id(0), nv.local_size(0)
        for k in range(t, part.size, step):
            part[k] = 0
        nv.barrier()
        for i in range(nv.global_id(0), x.size, step * nv.num_groups(0)):
            nv.atomic.add(part, np.int64(x[i]), 1)
        nv.barrier()
        for k in range(t, part.size, step):
            nv.atomic.add(counts, k, part[k])

    return kernel


@types_and_groups()
def test_histogram_in_shared_memory(device, dtype, group):
    for size in SIZES:
        x, counts = numbers(dtype, size), np.zeros(101, np.uint32)
        histogram(dtype)[3, group](x, counts)
        np.testing.assert_array_equal(counts, np.bincount(x.astype(np.int64), minlength=101))


# ---------------------------------------------------------------- tiled product of matrices


@cache
def product(dtype):
    total_type = wide(dtype)

    @nv.jit
    def kernel(a, b, c, side):
        left, right = nv.shared.array((side, side), dtype), nv.shared.array((side, side), dtype)
        x, y = nv.local_id(0), nv.local_id(1)
        column, row = nv.global_id(0), nv.global_id(1)
        total = total_type(0)
        for first in range(0, a.shape[1], side):
            left[y, x] = a[row, first + x] if row < a.shape[0] and first + x < a.shape[1] else dtype(0)
            right[y, x] = b[first + y, column] if first + y < b.shape[0] and column < b.shape[1] else dtype(0)
            nv.barrier()
            for k in range(side):
                total += total_type(left[y, k]) * total_type(right[k, x])
            nv.barrier()
        if row < c.shape[0] and column < c.shape[1]:
            c[row, column] = total

    return kernel


@types_and_groups([1, 5, 8, 11], [5])
def test_product_of_matrices_in_tiles(device, dtype, group):
    side = group
    for n, m, p in ((1, 1, 1), (17, 23, 9)):
        a, b = numbers(dtype, (n, m)), numbers(dtype, (m, p), 1)
        c = np.zeros((n, p), wide(dtype))
        product(dtype)[(-(-p // side), -(-n // side)), (side, side)](a, b, c, side)
        np.testing.assert_array_equal(c, a.astype(wide(dtype)) @ b.astype(wide(dtype)))
