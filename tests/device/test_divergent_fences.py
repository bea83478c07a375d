"""Fences, and atomic operations that order memory, in loops that some subgroups leave before others.

llvmpipe of Mesa 22.3 takes them for barriers and ends such loops; `spirv.order` has the way round it.
"""

from __future__ import annotations

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan.runtime import Device

pytestmark = pytest.mark.mesa22
# Item k of the output belongs to the invocation i with FIRST[i] <= k < FIRST[i + 1]; two subgroups and more take part.
FIRST = np.array([0, 3, 5, 5, 9, *range(9, 20), 40], np.int32)
SIZE = int(FIRST[-1])
OWNERS = np.repeat(np.arange(len(FIRST) - 1, dtype=np.int32), np.diff(FIRST))


@nv.jit
def exchange(out, k, i):
    return nv.atomic.exch(out, k, i) == -1


@nv.jit
def compare(out, k, i):
    return nv.atomic.cas(out, k, -1, i) == -1


@nv.jit
def fence_device(out, k, i):
    out[k] = i
    nv.fence_device()
    return True


@nv.jit
def fence_workgroup(out, k, i):
    out[k] = i
    nv.fence_workgroup()
    return True


@nv.jit
def load_and_store(out, k, i):
    if nv.atomic.load(out, k) == -1:
        nv.atomic.store(out, k, i)
    return True


@nv.jit
def shared(out, k, i):
    seen = nv.shared.array(SIZE, np.int32)
    nv.atomic.store(seen, k, 5)
    if nv.atomic.exch(seen, k, i) == 5:
        out[k] = i
    return True


STEPS = [exchange, compare, fence_device, fence_workgroup, load_and_store, shared]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.py_func.__name__)
def test_loops_of_different_length(device: Device, step) -> None:
    @nv.jit
    def kernel(first, out, count):
        i = nv.global_id(0)
        if i < first.size - 1:
            for k in range(first[i], first[i + 1]):
                if step(out, k, i):
                    nv.atomic.add(count, 0, 1)

    out, count = np.full(SIZE, -1, np.int32), np.zeros(1, np.int32)
    kernel.forall(64, local_size=64, device=device)(FIRST, out, count)
    np.testing.assert_array_equal(out, OWNERS)
    assert count[0] == SIZE


def test_levels_of_a_graph(device: Device) -> None:
    """Each level is one launch: what one invocation finds, no other one finds again."""

    @nv.jit
    def spread(first, targets, level, current, changed):
        i = nv.global_id(0)
        if i < level.size and level[i] == current:
            for k in range(first[i], first[i + 1]):
                if nv.atomic.cas(level, targets[k], -1, current + 1) == -1:
                    nv.atomic.add(changed, 0, 1)

    random = np.random.default_rng(5)
    edges = [np.unique(random.integers(0, 200, 3)) for _ in range(200)]
    first = np.cumsum([0, *map(len, edges)]).astype(np.int32)
    targets = np.concatenate(edges).astype(np.int32)
    level, wanted = np.full(200, -1, np.int32), np.full(200, -1, np.int32)
    level[0] = wanted[0] = 0
    for current in range(200):
        changed = np.zeros(1, np.int32)
        spread.forall(200, device=device)(first, targets, level, current, changed)
        found = {int(t) for i in np.flatnonzero(wanted == current) for t in edges[i] if wanted[t] == -1}
        wanted[list(found)] = current + 1
        np.testing.assert_array_equal(level, wanted)
        assert changed[0] == len(found)
        if not found:
            return
