"""Barriers in odd places, as kernels and as plain Python with a thread for each invocation."""

from __future__ import annotations

import linecache
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan.runtime import Device

GROUPS = 3
SOURCES = {
    "dev_in_uniform_branch": """
def dev(part, t, v):
    part[t] = v
    nv.barrier()
    r = part[(t + 1) % part.size]
    nv.barrier()
    return r
def k(x, o, n):
    part = nv.shared.array(G, np.int32)
    flag = nv.shared.array(2, np.int32)
    t = nv.local_id(0); i = nv.global_id(0)
    if t == 0:
        flag[0] = x[nv.group_id(0)] % 2
        flag[1] = x[0] % 5
    nv.barrier()
    v = x[i % x.size]
    if flag[0] == 1:
        v = dev(part, t, v)
    else:
        for r in range(flag[1]):
            v += dev(part, t, v + r)
    o[i] = v
""",
    "loop_bounds_shared_scalar_shape": """
def k(x, o, n):
    part = nv.shared.array(G, np.int32)
    t = nv.local_id(0); i = nv.global_id(0)
    part[t] = i
    nv.barrier()
    m = part[G - 1] % 4 + 1
    v = 0
    for a in range(m):
        for b in range(n):
            nv.barrier()
            v = v * 3 + part[(t + a + b) % G]
            nv.barrier()
            part[t] = v % 1000
        for c in range(o.shape[0] % 3):
            nv.barrier()
            v += part[(t + c) % G]
            if c == m: break
            nv.barrier()
            part[t] += 1
    o[i] = v
""",
    "for_else": """
def k(x, o, n):
    part = nv.shared.array(G, np.int32)
    t = nv.local_id(0); i = nv.global_id(0)
    part[t] = x[i % x.size]
    nv.barrier()
    v = 0
    for a in range(n + 2):
        if part[0] % 7 == a:
            nv.barrier()
            part[t] += 1
            nv.barrier()
            break
        v += part[(t + a) % G]
    else:
        nv.barrier()
        v += 1000 + part[(t + 1) % G]
        nv.barrier()
    nv.barrier()
    o[i] = v + part[(t + 3) % G]
""",
    "guards": """
def k(x, o, n):
    part = nv.shared.array(G, np.int32)
    t = nv.local_id(0); i = nv.global_id(0)
    if i >= o.size - 3:
        return
    part[t] = x[i % x.size]
    nv.barrier()
    v = part[0]
    if x[i % x.size] % 3 == 0:
        o[i] = -1
        return
    nv.barrier()
    part[t] = v + t
    nv.barrier()
    if t % 2:
        if x[i % x.size] % 2:
            return
        o[i] = part[0]
    nv.barrier()
    o[i] += part[0] + 5
""",
    "nested_exits": """
def k(x, o, n):
    part = nv.shared.array(G, np.int32)
    t = nv.local_id(0); i = nv.global_id(0)
    part[t] = 0
    nv.barrier()
    v = 0
    for a in range(4):
        b = 0
        while True:
            nv.barrier()
            if t == 0:
                part[0] += n + a
            nv.barrier()
            if part[0] % 5 == 0: break
            for c in range(3):
                if (x[i % x.size] + c) % 4 == 0:
                    v += c
                    break
                if (x[i % x.size] + c) % 7 == 0: continue
                v += 1
            else:
                v += 10
            b += 1
            if b > 3: break
        else:
            v += 1000
        if part[0] > 40:
            nv.barrier()
            v += part[0]
            break
    nv.barrier()
    o[i] = v + part[0]
""",
    "unroll": """
def k(x, o, n):
    part = nv.shared.array(G, np.int32)
    t = nv.local_id(0); i = nv.global_id(0)
    part[t] = x[i % x.size]
    v = 0
    for s in literal_unroll((1, 2.0, 4)):
        nv.barrier()
        v += part[int(t + s) % G]
        nv.barrier()
        if x[i % x.size] % 2 == 0:
            part[t] += np.int32(s)
    o[i] = v
""",
    "barrier_in_two_ways": """
def dev(part, t, n):
    if n == 0:
        return part[t]
    for a in range(n):
        nv.barrier()
        part[t] += a
        nv.barrier()
        if part[0] > 100:
            return -1
    return part[(t + 1) % part.size]
def k(x, o, n):
    part = nv.shared.array(G, np.int32)
    t = nv.local_id(0); i = nv.global_id(0)
    part[t] = x[0] + t
    nv.barrier()
    v = dev(part, t, n) + dev(part, t, part[0] % 2)
    nv.barrier()
    v += dev(part, t, 2)
    o[i] = v
""",
    "early_return_in_loop": """
def k(x, o, n):
    part = nv.shared.array(G, np.int32)
    t = nv.local_id(0); i = nv.global_id(0)
    for a in range(3):
        part[t] = x[(i + a) % x.size]
        if part[t] % 11 == 3:
            o[i] = 500 + a
            return
        nv.barrier()
        v = part[0] if a > 0 else 0
        nv.barrier()
        o[i] += v % 2
    nv.barrier()
    o[i] += 7
""",
    "barrier_under_uniform_of_group": """
def k(x, o, n):
    part = nv.shared.array(G, np.int32)
    t = nv.local_id(0); i = nv.global_id(0); g = nv.group_id(0)
    part[t] = i
    v = 0
    if g % 2 == 0:
        nv.barrier()
        v = part[(t + 1) % G]
        if x[g] > 3:
            nv.barrier()
            part[t] = v
            nv.barrier()
            v += part[(t + 2) % G]
    elif n > 1 or x[g] % 2:
        for a in range(g):
            nv.barrier()
            v += part[(t + a) % G]
            if x[(g + a) % x.size] % 5 == 0:
                break
            nv.barrier()
    o[i] = v
""",
    "condition_that_votes": """
def k(x, o, n):
    t = nv.local_id(0); i = nv.global_id(0)
    left = x[i % x.size] % 7; rounds = 0; mine = 0
    while nv.syncthreads_or(left > n):
        rounds += 1
        if left == 0:
            continue
        left -= 1
        if left == 3:
            mine += 5
            continue
        mine += 1
    o[i] = rounds * 100 + mine
""",
    "condition_that_votes_first": """
def k(x, o, n):
    i = nv.global_id(0)
    left = x[i % x.size] % 7; rounds = 0; mine = 0
    while not nv.syncthreads_and(left == 0) and rounds < n + 2:
        rounds += 1
        if left == 0:
            continue
        left -= 1
        mine += 1
    o[i] = rounds * 100 + mine
""",
    "while_with_continue": """
def k(x, o, n):
    s = nv.shared.array(G, np.int32)
    t = nv.local_id(0); i = nv.global_id(0)
    step = 0; total = 0
    while step < n + 3:
        step += 1
        s[t] = x[i % x.size] + step
        nv.barrier()
        other = s[(t + 1) % G]
        nv.barrier()
        if other % 3 == 0:
            continue
        total += other
    o[i] = total
""",
    "loop_at_the_end_that_votes": """
def k(x, o, n):
    i = nv.global_id(0)
    left = x[i % x.size] % 7
    while nv.syncthreads_or(left > n):
        if left == 0:
            continue
        left -= 1
        o[i] += left + 1
""",
    "condition_that_votes_last": """
def k(x, o, n):
    i = nv.global_id(0)
    left = x[i % x.size] % 7; mine = 0
    for r in range(2):
        rounds = 0
        while rounds < n + 2 and nv.syncthreads_count(left > 0) > 1:
            rounds += 1
            if left == 0:
                continue
            left -= 1
            mine += 1
            if rounds > 4:
                break
        left += i % 3
        mine += rounds * 100
    o[i] = mine
""",
}


class _Barrier:
    """A barrier of those invocations that have not ended."""

    def __init__(self, count: int) -> None:
        self._count, self._waiting, self._round, self._votes = count, 0, 0, 0
        self._changed = threading.Condition()

    def vote(self, is_for: bool) -> int:
        """Return how many are for it."""
        with self._changed:
            self._votes += is_for
        self.wait()
        count = self._votes
        self.wait()
        with self._changed:
            self._votes -= is_for
        return count

    def wait(self) -> None:
        with self._changed:
            own = self._round
            self._waiting += 1
            self._pass_all()
            self._changed.wait_for(lambda: own != self._round)

    def end(self) -> None:
        with self._changed:
            self._count -= 1
            self._pass_all()

    def _pass_all(self) -> None:
        if self._waiting == self._count:
            self._waiting = 0
            self._round += 1
            self._changed.notify_all()


class _Numbers:
    """An array of Python's integers."""

    def __init__(self, values: Any) -> None:
        self._values = [int(v) for v in values]
        self.size, self.shape = len(self._values), (len(self._values),)

    def __getitem__(self, place: int) -> int:
        return self._values[place]

    def __setitem__(self, place: int, value: int) -> None:
        self._values[place] = value


def _plain(source: str, group: int, x: np.ndarray, size: int, n: int) -> list[int]:
    """Run all invocations of a workgroup at once, one workgroup after the other."""
    out, here = _Numbers([0] * size), threading.local()
    package = SimpleNamespace(
        local_id=lambda axis: here.local_id,
        group_id=lambda axis: here.group,
        global_id=lambda axis: here.group * group + here.local_id,
        barrier=lambda: _wait(here),
        syncthreads_or=lambda p: _vote(here, p) > 0,
        syncthreads_and=lambda p: _vote(here, not p) == 0,
        syncthreads_count=lambda p: _vote(here, p),
        shared=SimpleNamespace(array=lambda count, dtype: _shared(here, count)),
    )
    names = {"nv": package, "np": np, "G": group, "literal_unroll": lambda items: items}
    exec(source, names)

    def run(number: int, local_id: int, barrier: _Barrier, arrays: dict[int, _Numbers]) -> None:
        here.group, here.local_id, here.barrier, here.arrays, here.made = number, local_id, barrier, arrays, 0
        names["k"](_Numbers(x), out, n)
        barrier.end()

    for number in range(GROUPS):
        barrier = _Barrier(group)
        arrays = {k: _Numbers([0] * (group + 2)) for k in range(2)}
        arrays[0].size = group
        threads = [
            threading.Thread(target=run, args=(number, t, barrier, arrays), daemon=True) for t in range(group)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
    return [out[i] for i in range(size)]


def _wait(here: threading.local) -> None:
    here.barrier.wait()


def _vote(here: threading.local, is_for: bool) -> int:
    return here.barrier.vote(is_for)


def _shared(here: threading.local, count: int) -> _Numbers:
    here.made += 1
    return here.arrays[here.made - 1]


def _kernel(name: str, group: int) -> Callable[..., Any]:
    """Compile a source; device functions are called `dev`."""
    source, file = SOURCES[name], f"<{name} in groups of {group}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names: dict[str, Any] = {"nv": nv, "np": np, "G": group, "literal_unroll": numba.literal_unroll}
    exec(compile(source, file, "exec"), names)
    if "dev" in names:
        names["dev"] = nv.jit(names["dev"])
    return nv.jit(names["k"])


@pytest.mark.parametrize("group", [1, 5, 32])
@pytest.mark.parametrize("name", SOURCES)
def test_places(device: Device, name: str, group: int) -> None:
    kernel = _kernel(name, group)
    for n in (0, 1, 3):
        x = np.random.default_rng(n).integers(0, 50, 23).astype(np.int32)
        out = np.zeros(GROUPS * group, np.int32)
        kernel[GROUPS, group](x, out, n)
        expected = np.array(_plain(SOURCES[name], group, x, out.size, n)).astype(np.int32)
        np.testing.assert_array_equal(out, expected)
