"""Locks that invocations of the same subgroup want: what gives them back happens in the loop that waits for them."""

from __future__ import annotations

import numpy as np
import pytest

import numba_vulkan as nv
from device.critical_sections import FORMS, check_sections
from numba_vulkan.runtime import Device

pytestmark = pytest.mark.mesa22
COUNT = 150


@pytest.mark.parametrize("places", [1, 3])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_critical_sections(device: Device, form, places: int) -> None:
    random = np.random.default_rng(places)
    place, value = random.integers(0, places, COUNT), random.integers(0, 5, COUNT)
    check_sections(device, form, place.astype(np.int32), value.astype(np.int32), 64)


def test_tickets(device: Device) -> None:
    """Whoever drew the number that is served goes on; in the order of numbers."""

    @nv.jit
    def kernel(ticket, serving, order):
        i = nv.local_id(0)
        mine = nv.atomic.add(ticket, 0, 1)
        while nv.atomic.load(serving, 0) != mine:
            pass
        order[mine] = i
        nv.atomic.add(serving, 0, 1)

    ticket, serving, order = np.zeros(1, np.int32), np.zeros(1, np.int32), np.full(64, -1, np.int32)
    kernel.forall(64, local_size=64, device=device)(ticket, serving, order)
    assert sorted(order.tolist()) == list(range(64))
    assert ticket[0] == serving[0] == 64


def test_two_locks_at_once(device: Device) -> None:
    """Amounts move between accounts, both locked, in the order of their numbers."""

    @nv.jit
    def kernel(source, target, amount, lock, account):
        i = nv.global_id(0)
        if i < source.size:
            first, second = min(source[i], target[i]), max(source[i], target[i])
            while nv.atomic.cas(lock, first, 0, 1) != 0:
                pass
            while nv.atomic.cas(lock, second, 0, 1) != 0:
                pass
            account[source[i]] -= amount[i]
            account[target[i]] += amount[i]
            nv.atomic.exch(lock, second, 0)
            nv.atomic.exch(lock, first, 0)

    random = np.random.default_rng(4)
    source = random.integers(0, 5, COUNT).astype(np.int32)
    target = ((source + random.integers(1, 5, COUNT)) % 5).astype(np.int32)
    amount = random.integers(-99, 99, COUNT).astype(np.int32)
    lock, account = np.zeros(5, np.int32), np.zeros(5, np.int32)
    kernel.forall(COUNT, local_size=64, device=device)(source, target, amount, lock, account)
    np.testing.assert_array_equal(account, np.bincount(target, amount, 5) - np.bincount(source, amount, 5))
    assert not lock.any()


def test_in_shared_memory_with_barriers(device: Device) -> None:
    """Locks of a workgroup, taken several times by each invocation, between barriers."""

    @nv.jit
    def kernel(items, out):
        lock, best = nv.shared.array(2, np.int32), nv.shared.array(2, np.int32)
        t = nv.local_id(0)
        if t < 2:
            lock[t] = 0
            best[t] = 0
        nv.barrier()
        for k in range(items.shape[1]):
            item = items[t, k]
            if item >= 0:
                waiting = True
                while waiting:
                    if nv.atomic.cas(lock, item % 2, 0, 1) == 0:
                        best[item % 2] = best[item % 2] + item
                        nv.atomic.exch(lock, item % 2, 0)
                        waiting = False
        nv.barrier()
        if t < 2:
            out[nv.group_id(0), t] = best[t]

    items = np.random.default_rng(3).integers(-20, 50, (32, 5)).astype(np.int32)
    out = np.zeros((2, 2), np.int32)
    kernel.forall(64, local_size=32, device=device)(items, out)
    chosen = items[items >= 0]
    wanted = [int(chosen[chosen % 2 == p].sum()) for p in range(2)]
    assert out.tolist() == [wanted, wanted]


def test_numbers_that_are_exchanged_until_nobody_interferes(device: Device) -> None:
    """Loops of compare and exchange, one after another on the same array, wait for nobody."""

    @nv.jit
    def change(x, k, factor, summand):
        seen = nv.atomic.load(x, k)
        while True:
            known = seen
            seen = nv.atomic.cas(x, k, known, known * factor + summand)
            if seen == known:
                return seen

    @nv.jit
    def kernel(x, count):
        i = nv.global_id(0)
        if i < count:
            change(x, 0, np.uint32(3), np.uint32(1))
            change(x, 1, np.uint32(5), np.uint32(0))
            change(x, 0, np.uint32(3), np.uint32(1))

    x = np.array([0, 1], np.uint32)
    kernel.forall(COUNT, local_size=64, device=device)(x, COUNT)
    assert x.tolist() == [(3 ** (2 * COUNT) - 1) // 2 % 2**32, 5**COUNT % 2**32]
