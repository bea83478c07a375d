"""A workgroup is asked whether anybody is left only where loops on the way to barriers might not end by themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan.frontend import entry
from numba_vulkan.kernel import TargetProfile, Variant
from numba_vulkan.middle import pipeline

N = 64


def tree(x, n, out):
    part = nv.shared.array(N, np.float32)
    i, t = nv.global_id(0), nv.local_id(0)
    if i >= n:
        return
    part[t] = x[i]
    nv.barrier()
    half = nv.local_size(0) // 2
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        nv.barrier()
        half //= 2
    out[nv.group_id(0)] = part[0]


def tiles(x, n, out):
    part = nv.shared.array(N, np.float32)
    i, t = nv.global_id(0), nv.local_id(0)
    if i >= n:
        return
    total = np.float32(0)
    for first in range(0, n, N):
        part[t] = x[first + t]
        nv.barrier()
        for k in range(N):
            total += part[k]
        nv.barrier()
    out[i] = total


def rows(x, n, out):
    """The bounds of the loop are read from an array that nobody writes."""
    t, g = nv.local_id(0), nv.group_id(0)
    if t >= n:
        return
    for k in range(np.int32(x[g]), np.int32(x[g + 1])):
        nv.barrier()
        out[t] += np.float32(k)


def doubling(x, n, out):
    part = nv.shared.array(N, np.float32)
    t = nv.local_id(0)
    part[t] = x[t]
    nv.barrier()
    step = 1
    while step < nv.local_size(0):
        value = part[t - step] if t >= step else np.float32(0)
        nv.barrier()
        if value < 0:
            return
        part[t] += value
        nv.barrier()
        step *= 2
    out[t] = part[t]


def waits(x, n, out):
    part = nv.shared.array(1, np.float32)
    t = nv.local_id(0)
    if t >= n:
        return
    while part[0] < 1:
        nv.barrier()
        part[0] += x[0]
        nv.barrier()


def bound_in_shared_memory(x, n, out):
    part = nv.shared.array(1, np.int32)
    t = nv.local_id(0)
    if t >= n:
        return
    part[0] = np.int32(x[0])
    nv.barrier()
    for _ in range(part[0]):
        nv.barrier()


def times_asked(kernel: Callable[..., None], profile: TargetProfile) -> int:
    """Count the places at which a kernel asks whether anybody is left."""
    compiled: Any = nv.jit(kernel)
    x, out = np.zeros(N, np.float32), np.zeros(N, np.float32)
    lowered = entry.lower(compiled, compiled.bind((x, np.int32(N), out), {}).types)
    texts: dict[str, str] = {}

    def note(_index: int, name: str, text: Callable[[], str]) -> None:
        texts[name] = text()

    pipeline.run(lowered, Variant(profile, aliased=False), note)
    assert "@nv.barrier()" in texts["uniform-barriers"]
    return texts["uniform-barriers"].count("call void @nv.atomic.store.i32(")


@pytest.mark.parametrize("profile", [TargetProfile(), TargetProfile(int64=False)], ids=["int64", "words"])
@pytest.mark.parametrize("kernel", [tree, tiles, rows, doubling])
def test_loops_that_end_by_themselves(kernel, profile):
    assert times_asked(kernel, profile) == 0


@pytest.mark.parametrize("kernel", [waits, bound_in_shared_memory])
def test_loops_that_end_by_what_others_write(kernel):
    assert times_asked(kernel, TargetProfile()) == 1
