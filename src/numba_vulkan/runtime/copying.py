"""Copies from host memory to host memory, by several threads where they are large and there are processors for it."""

from __future__ import annotations

import functools
import itertools
import os
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

__all__ = ["copy_host", "start_copy", "thread_count"]

# One thread copies less than a bus to a GPU takes; more than eight wait for memory.
_MAX_THREADS = 8
# Below this, handing a part to a thread takes longer than copying it.
_SMALLEST_PART_BYTES = 1 << 20


def copy_host(target: np.ndarray, source: np.ndarray) -> None:
    """Copy the elements of an array to another one of the same shape, as ``numpy.copyto`` does."""
    parts = min(thread_count(), target.nbytes // _SMALLEST_PART_BYTES)
    is_plain = target.dtype == source.dtype and target.flags.c_contiguous and source.flags.c_contiguous
    if parts < 2 or not is_plain:
        np.copyto(target, source)
        return
    flat_target, flat_source = target.reshape(-1), source.reshape(-1)
    bounds = [flat_target.size * i // parts for i in range(parts + 1)]
    pieces = [slice(start, end) for start, end in itertools.pairwise(bounds)]
    others = [start_copy(flat_target[p], flat_source[p]) for p in pieces[1:]]
    np.copyto(flat_target[pieces[0]], flat_source[pieces[0]])
    for each in others:
        each.result()


def start_copy(target: np.ndarray, source: np.ndarray) -> Future[None]:
    """Let another thread copy the elements of an array to another one."""
    return _threads().submit(np.copyto, target, source)


@functools.cache
def thread_count() -> int:
    """Return how many threads copy: half the processors, as the others have work of their own."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(_MAX_THREADS, usable // 2))


@functools.cache
def _threads() -> ThreadPoolExecutor:
    """Return the threads, which only copy: none of them ever waits for a device."""
    return ThreadPoolExecutor(thread_count(), "numba-vulkan-copy")
