"""Locks that invocations of one subgroup wait for: who holds one releases it while the others wait in their loops.

Not for llvmpipe of Mesa 22.3, which ends loops: whoever waits for an invocation that another thread runs gets there.
"""

from __future__ import annotations

import numpy as np
import pytest

import numba_vulkan as nv
from device.critical_sections import FORMS, check_sections, lock, unlock

GRIDS = [(1, 1, 1), (16, 8, 1), (97, 7, 5), (300, 100, 3), (300, 64, 1), (128, 128, 2)]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_sums_under_locks(device, form):
    for size, group, count in GRIDS:
        i = np.arange(size, dtype=np.int32)
        check_sections(device, form, i % count, i % 5, group)


@nv.jit
def ending_in_the_section(x, locks, out):
    i = nv.global_id(0)
    if i >= x.size:
        return
    p = i % locks.size
    while True:
        if nv.atomic.exch(locks, p, 1) == 0:
            out[p] += x[i]
            nv.fence_device()
            nv.atomic.store(locks, p, 0)
            return


def test_kernels_that_end_in_the_section(device):
    for size, group, count in GRIDS:
        x, out, locks = (
            np.arange(size, dtype=np.int32) % 5,
            np.zeros(count, np.int32),
            np.zeros(count, np.int32),
        )
        ending_in_the_section[-(-size // group), group](x, locks, out)
        np.testing.assert_array_equal(out, [x[p::count].sum() for p in range(count)])
        assert not locks.any()


@nv.jit
def one_lock_after_the_other(x, locks, out):
    i = nv.global_id(0)
    if i < x.size:
        seen = 0
        for k in range(3):
            p = (i + k) % locks.size
            lock(locks, p)
            out[p] += x[i]
            seen += out[p]
            unlock(locks, p)
        lock(locks, 0)
        if seen < 0:
            out[0] = -1
        unlock(locks, 0)


@nv.jit
def one_lock_in_the_other(x, locks, out):
    i = nv.global_id(0)
    if i < x.size:
        p = i % (locks.size - 1)
        lock(locks, p)
        lock(locks, p + 1)
        out[p] += x[i]
        out[p + 1] += x[i]
        unlock(locks, p + 1)
        unlock(locks, p)


def test_several_locks(device):
    for size, group, count in ((1, 1, 2), (97, 7, 5), (300, 100, 3), (128, 128, 2)):
        x, locks = np.arange(size, dtype=np.int32) % 5, np.zeros(count, np.int32)
        out, expected = np.zeros(count, np.int32), np.zeros(count, np.int32)
        one_lock_after_the_other[-(-size // group), group](x, locks, out)
        for k in range(3):
            np.add.at(expected, (np.arange(size) + k) % count, x)
        np.testing.assert_array_equal(out, expected)
        out, expected = np.zeros(count, np.int32), np.zeros(count, np.int32)
        one_lock_in_the_other[-(-size // group), group](x, locks, out)
        for k in range(2):
            np.add.at(expected, np.arange(size) % (count - 1) + k, x)
        np.testing.assert_array_equal(out, expected)
        assert not locks.any()


@nv.jit
def in_shared_memory(x, out):
    held, part = nv.shared.array(1, np.int32), nv.shared.array(1, np.int32)
    i, t = nv.global_id(0), nv.local_id(0)
    if t == 0:
        held[0] = 0
        part[0] = 0
    nv.barrier()
    if i < x.size:
        lock(held, 0)
        part[0] += x[i]
        unlock(held, 0)
    nv.barrier()
    if t == 0:
        nv.atomic.add(out, 0, part[0])


@nv.jit
def in_shared_memory_of_full_groups(x, out):
    held, part = nv.shared.array(1, np.int32), nv.shared.array(1, np.int32)
    t = nv.local_id(0)
    if t == 0:
        held[0] = 0
        part[0] = 0
    nv.barrier()
    is_waiting = True
    while is_waiting:
        if nv.atomic.cas(held, 0, 0, 1) == 0:
            part[0] += x[nv.global_id(0) % x.size]
            nv.atomic.exch(held, 0, 0)
            is_waiting = False
    nv.barrier()
    if t == 0:
        nv.atomic.add(out, 0, part[0])


def test_lock_between_barriers(device):
    for size, group, _ in GRIDS:
        x, out, groups = np.arange(size, dtype=np.int32), np.zeros(1, np.int32), -(-size // group)
        in_shared_memory[groups, group](x, out)
        assert out[0] == x.sum()
        out[0] = 0
        in_shared_memory_of_full_groups[groups, group](x, out)
        assert out[0] == x[np.arange(groups * group) % size].sum()


@nv.jit
def insert(keys, table, counts):
    i = nv.global_id(0)
    if i >= keys.size:
        return
    key = keys[i]
    place = key * 7 % table.size
    while True:
        old = nv.atomic.cas(table, place, 0, key)
        if old == 0 or old == key:
            nv.atomic.add(counts, place, 1)
            return
        place = (place + 1) % table.size


def test_hash_table(device):
    keys = np.random.default_rng(1).integers(1, 60, 500).astype(np.int32)
    table, counts = np.zeros(64, np.int32), np.zeros(64, np.int32)
    insert.forall(500, 100)(keys, table, counts)
    found, numbers = np.unique(keys, return_counts=True)
    order = np.argsort(table)[-found.size :]
    np.testing.assert_array_equal(table[order], found)
    np.testing.assert_array_equal(counts[order], numbers)
