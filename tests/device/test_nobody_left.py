"""Loops with barriers end where all invocations of a workgroup have left, in whatever round each of them did."""

from __future__ import annotations

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan.runtime import Device

pytestmark = pytest.mark.mesa22
SIZE = 48


@nv.jit
def grows(x, n, out):
    """A workgroup of which no invocation has an element would wait for a level that nobody raises."""
    level = nv.shared.array(1, np.int32)
    i, t = nv.global_id(0), nv.local_id(0)
    if i >= n:
        return
    if t == 0:
        level[0] = 0
    nv.barrier()
    while level[0] < 5:
        nv.barrier()
        if t == 0:
            level[0] += 1
        nv.barrier()
    out[i] = x[i] + level[0]


@pytest.mark.parametrize("n", [0, 1, 47, 48, 49, 100])
def test_workgroups_without_elements(device: Device, n: int) -> None:
    x = np.arange(4 * SIZE, dtype=np.int32)
    out = np.full(4 * SIZE, -1, np.int32)
    grows[4, SIZE](x, n, out)
    np.testing.assert_array_equal(out, np.where(x < n, x + 5, -1))


@nv.jit
def counts_some_rounds(n, out):
    """What counts the rounds does so in those only in which shared memory says so."""
    level = nv.shared.array(1, np.int32)
    i, t = nv.global_id(0), nv.local_id(0)
    if t == 0:
        level[0] = 0
    nv.barrier()
    if i >= n:
        return
    k = 0
    while k < 3:
        if t == 0:
            level[0] += 1
        nv.barrier()
        if level[0] % 4 == 3:
            nv.barrier()
            k += 1
        nv.barrier()
    out[i] = k + level[0]


@pytest.mark.parametrize("n", [0, 48, 60])
def test_rounds_that_only_some_count(device: Device, n: int) -> None:
    out = np.zeros(2 * SIZE, np.int32)
    counts_some_rounds[2, SIZE](n, out)
    np.testing.assert_array_equal(out, np.where(np.arange(2 * SIZE) < n, 3 + 11, 0))


@nv.jit
def agrees(n, out):
    """Those who have returned do not vote."""
    i = nv.global_id(0)
    if i >= n:
        return
    rounds = 0
    while not nv.syncthreads_and(rounds > 3):
        rounds += 1
    out[i] = 10 * rounds + nv.syncthreads_and(i < n)


@pytest.mark.parametrize("n", [0, 5, 48, 60])
def test_votes_of_those_who_are_left(device: Device, n: int) -> None:
    out = np.zeros(2 * SIZE, np.int32)
    agrees[2, SIZE](n, out)
    np.testing.assert_array_equal(out, np.where(np.arange(2 * SIZE) < n, 41, 0))


@nv.jit
def own_rounds(x, out):
    """Each leaves when it wants; the loop has no end that all take alike."""
    part = nv.shared.array(SIZE, np.int32)
    t, g = nv.local_id(0), nv.group_id(0)
    k = 0
    part[t] = 0
    while k < x[g, t]:
        nv.barrier()
        part[t] = k
        nv.barrier()
        k += part[(t + 1) % SIZE] % 3 + 1
    out[g, t] = k


def test_each_leaves_when_it_wants(device: Device) -> None:
    x = np.random.default_rng(1).integers(-5, 40, (3, SIZE)).astype(np.int32)
    x[2] = 0
    out = np.full_like(x, -1)
    own_rounds[3, SIZE](x, out)
    for limit, found in zip(x, out, strict=True):
        k, part = np.zeros(SIZE, np.int32), np.zeros(SIZE, np.int32)
        while (inside := k < limit).any():
            part[inside] = k[inside]
            k[inside] += np.roll(part, -1)[inside] % 3 + 1
        np.testing.assert_array_equal(found, k)


@nv.jit
def two_ways_out(x, stop, out):
    """Some return and some break, and nobody is left who would write what the loop waits for."""
    present = nv.shared.array(64, np.int32)
    t = nv.local_id(0)
    present[t] = 0
    if t < 16:
        present[48 + t] = 0
    rounds = 0
    nv.barrier()
    while True:
        nv.atomic.add(present, rounds % 64, 1)
        nv.barrier()
        count = present[rounds % 64]
        if count == stop:
            break
        rounds += 1
        if rounds == x[t]:
            out[t] = 1000 * count + rounds
            return
        if rounds == -x[t]:
            break
    out[t] = -1000 * count - rounds


@pytest.mark.parametrize("stop", [-1, 9])
def test_two_ways_out(device: Device, stop: int) -> None:
    x = np.random.default_rng(2).integers(1, 20, SIZE).astype(np.int32)
    x[::3] *= -1
    out, expected = np.zeros(SIZE, np.int32), np.zeros(SIZE, np.int32)
    two_ways_out[1, SIZE](x, stop, out)
    inside, rounds = np.ones(SIZE, bool), 0
    while inside.any():
        count = int(inside.sum())
        if count == stop:
            expected[inside] = -1000 * count - rounds
            break
        rounds += 1
        leaves = inside & (np.abs(x) == rounds)
        expected[leaves] = np.sign(x[leaves]) * (1000 * count + rounds)
        inside &= ~leaves
    np.testing.assert_array_equal(out, expected)


@nv.jit
def skips(x, limit, out):
    """LLVM makes two loops of this one, and those that continue would enter the inner one anew."""
    part = nv.shared.array(SIZE, np.int32)
    t = nv.local_id(0)
    a = x[t]
    rounds = 0
    while True:
        rounds += 1
        if rounds > limit:
            break
        nv.barrier()
        part[t] = a
        nv.barrier()
        c = part[(t + 7) % SIZE]
        if (a + c) % 3 == 0:
            continue
        if c % 2 == 1:
            a = (a * 3 + c) & 1023
        else:
            out[t, 1] = rounds
    out[t, 0] = a


def test_rounds_that_begin_in_two_places(device: Device) -> None:
    a = np.random.default_rng(3).integers(0, 1024, SIZE).astype(np.int32)
    out, expected = np.zeros((SIZE, 2), np.int32), np.zeros((SIZE, 2), np.int32)
    skips[1, SIZE](a, 9, out)
    for rounds in range(1, 10):
        c = np.roll(a, -7)
        goes_on = (a + c) % 3 != 0
        odd = goes_on & (c % 2 == 1)
        expected[goes_on & ~odd, 1] = rounds
        a = np.where(odd, (a * 3 + c) & 1023, a)
    expected[:, 0] = a
    np.testing.assert_array_equal(out, expected)


@nv.jit
def with_dynamic_memory(x, out):
    """The word in which the workgroup counts lies beside arrays of every kind."""
    whole = nv.shared.array(0, np.int32)
    fixed = nv.shared.array(3, np.float32)
    t = nv.local_id(0)
    whole[t] = x[t]
    if t < 3:
        fixed[t] = np.float32(0.5) * np.float32(t)
    nv.barrier()
    while whole[t] > 0:
        nv.barrier()
        whole[t] -= 1 + t % 3
    out[t] = np.float32(whole[t]) + fixed[t % 3]


def test_beside_other_shared_memory(device: Device) -> None:
    x = np.arange(SIZE, dtype=np.int32)
    out = np.zeros(SIZE, np.float32)
    with_dynamic_memory[1, SIZE, 0, 4 * SIZE](x, out)
    step = 1 + x % 3
    np.testing.assert_array_equal(out, -((-x) % step) + np.float32(0.5) * (x % 3))
