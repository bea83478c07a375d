"""Critical sections as kernels write them, and a launch of many that counts who was inside.

Each form is a function ``(locks, p, out, value) -> bool``: it lets ``out[p]`` take in a value while it holds the lock
``p``, and says whether it came to that.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import numba_vulkan as nv

__all__ = ["FORMS", "check_sections", "lock", "unlock", "until_a_flag_falls"]

# More than anybody needs: of 150 invocations on an NVIDIA H200 the last got in at the 158th.
TRIES = 1 << 24


@nv.jit
def take_in(out, p, value):
    """Keep a sum and a maximum: of sections that overlap, one would be lost."""
    out[p, 0] += value
    out[p, 1] = max(out[p, 1], value)


@nv.jit
def lock(locks, p):
    while nv.atomic.cas(locks, p, 0, 1) != 0:
        pass


@nv.jit
def unlock(locks, p):
    nv.atomic.exch(locks, p, 0)


@nv.jit
def until_a_flag_falls(locks, p, out, value):
    is_waiting = True
    while is_waiting:
        if nv.atomic.cas(locks, p, 0, 1) == 0:
            take_in(out, p, value)
            nv.atomic.exch(locks, p, 0)
            is_waiting = False
    return True


@nv.jit
def until_break(locks, p, out, value):
    while True:
        if nv.atomic.cas(locks, p, 0, 1) == 0:
            take_in(out, p, value)
            nv.atomic.exch(locks, p, 0)
            break
    return True


@nv.jit
def until_return(locks, p, out, value):
    while True:
        if nv.atomic.exch(locks, p, 1) == 0:
            if value < 0:
                nv.atomic.store(locks, p, 0)
                return False
            take_in(out, p, value)
            nv.fence_device()
            nv.atomic.store(locks, p, 0)
            return True


@nv.jit
def by_bits_and_a_plain_store(locks, p, out, value):
    while nv.atomic.or_(locks, p, 1) != 0:
        pass
    nv.fence_device()
    take_in(out, p, value)
    nv.fence_device()
    locks[p] = 0
    return True


@nv.jit
def by_functions(locks, p, out, value):
    lock(locks, p)
    if value % 2:
        for _ in range(value):
            out[p, 0] += 1
        out[p, 1] = max(out[p, 1], value)
    else:
        take_in(out, p, value)
    unlock(locks, p)
    return True


@nv.jit
def with_a_count(locks, p, out, value):
    tries = 0
    while True:
        tries += 1
        if nv.atomic.cas(locks, p, 0, 1) == 0:
            take_in(out, p, value if tries < 1 << 29 else -1)
            nv.atomic.exch(locks, p, 0)
            return True
        if tries > 1 << 30:
            return False


@nv.jit
def with_a_number_of_tries(locks, p, out, value):
    has_entered = False
    for _ in range(TRIES):
        if nv.atomic.or_(locks, p, 1) == 0:
            for _ in range(value):
                out[p, 0] += 1
            out[p, 1] = max(out[p, 1], value)
            nv.atomic.and_(locks, p, 0)
            has_entered = True
            break
    return has_entered


FORMS = [
    until_a_flag_falls,
    until_break,
    until_return,
    by_bits_and_a_plain_store,
    by_functions,
    with_a_count,
    with_a_number_of_tries,
]


@cache
def kernel_of(form: Any) -> Any:
    """Return the kernel that enters the section of a form once in each invocation."""

    @nv.jit
    def kernel(place, value, locks, out, entered):
        i = nv.global_id(0)
        if i < value.size:
            entered[i] = form(locks, place[i], out, value[i])

    return kernel


def check_sections(device: Any, form: Any, place: np.ndarray, value: np.ndarray, group: int) -> None:
    """Launch one section for each value, under the lock of its place, and compare what came in with who was inside."""
    count, dtype = int(place.max()) + 1, value.dtype
    locks, out = np.zeros(count, np.int32), np.zeros((count, 2), dtype)
    entered = np.zeros(value.size, np.int32)
    kernel_of(form).forall(value.size, group, device=device)(place, value, locks, out, entered)
    inside = [value[(place == p) & (entered == 1)] for p in range(count)]
    np.testing.assert_array_equal(out[:, 0], [one.sum(dtype=dtype) for one in inside])
    np.testing.assert_array_equal(out[:, 1], [max(one, default=0) for one in inside])
    assert not locks.any()
    assert entered.all()
