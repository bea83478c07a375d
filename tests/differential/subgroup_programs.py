"""Random kernels in which invocations part, in loops of different lengths too, and what subgroups do on the way.

What Vulkan promises differs. Where a workgroup comes to a branch or a loop together and all leave it at its end, they
are together again: there a subgroup has a result for all of its invocations, which plain Python computes. Inside, it is
open who of those that go the same way goes together. But those that do agree: they are in the same round, have taken
the same branch, and operations that follow each other concern the same invocations. A kernel counts where not.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

import numba_vulkan as nv
from differential.barrier_programs import COUNTERS, DIVERGENT, SIZE, UNIFORM, VARIABLES, Writer

__all__ = ["ROWS", "SIZE", "expected_of", "kernel_of", "source_of"]

ROWS = 6
_HEAD = """def program(x, n, out):
    part = nv.shared.array(32, np.int32)
    way = nv.local.array(8, np.int32)
    t = nv.local_id(0)
    part[t] = x[t]
    nv.barrier()
    a = b = c = 0
    i = j = k = u = 0
    wrong = 0
"""
_TAIL = """
    out[3, t] = a + 1024 * b + 1048576 * c + i + j + k
    out[4, t] = u
    out[5, t] = wrong
"""
_FULL = {"sum": sum, "max": max, "min": min, "ballot_count": lambda values: sum(map(bool, values))}
_TRIPS = ("3", "n", "t % 4", "a & 3", "x[t] % 5", "part[1] % 4")


@nv.jit
def together(key, way):
    """Say whether those who are here disagree on who they are, on what they do, or on the way that led here.

    No other place has the same key, so that what depends on it is not what was found out before.
    """
    key, lane = np.int32(key), np.int32(nv.subgroup.lane())
    bits = np.uint32(nv.subgroup.ballot(True))
    own_bits = nv.subgroup.or_(np.uint32(1) << np.uint32(lane))
    count, total = nv.subgroup.ballot_count(True), nv.subgroup.sum(key)
    lowest, highest = nv.subgroup.min(key), nv.subgroup.max(key)
    first, smallest = nv.subgroup.broadcast_first(lane), nv.subgroup.min(np.int32(lane + key))
    elected = nv.subgroup.sum(np.int32(key + nv.subgroup.elect()))
    is_same_way = nv.subgroup.all(way == 1)
    agree = bits == own_bits and total == key * count and lowest == highest
    return 0 if agree and first + key == smallest and elected == total + 1 and is_same_way else 1


class _Writer(Writer):
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.returns = self.random.random() < 0.4
        # Whether all come here together; nobody knows once some may have returned.
        self.is_uniform = not self.returns
        self.site = 0

    def statement(self, depth: int, loops: int) -> None:
        self.budget -= 1
        choices = ["assign"] * 3 + ["store", "full"] + ["check"] * 2
        if self.budget > 0 and depth < 5:
            choices += (
                ["if_divergent"] * 3 + ["if_uniform"] + ["leave"] * 2 + ["loop"] * (3 if loops < 3 else 0)
            )
        getattr(self, self.random.choice(choices))(depth, loops)

    def full(self, depth: int, loops: int) -> None:
        """Write an operation of whole subgroups, where it is one."""
        if self.is_uniform:
            operand = self.random.choice(VARIABLES + COUNTERS)
            self.line(
                depth,
                f"u = (u * 5 + <full>{self.random.choice(sorted(_FULL))}(np.int32({operand}))</full>) & 65535",
            )
            return
        self.check(depth, loops)

    def check(self, depth: int, loops: int) -> None:
        self.site += 1
        key = str(self.site)
        for counter in COUNTERS[:loops]:
            key = f"({key} * 64 + {counter})"
        self.line(depth, f"wrong += together({key}, {f'way[{depth}]' if depth > 1 else 1})")

    def if_uniform(self, depth: int, loops: int) -> None:
        conditions = UNIFORM[:4] if self.is_uniform else UNIFORM
        self.branch(depth, loops, self.random.choice(conditions))

    def if_divergent(self, depth: int, loops: int) -> None:
        self.inside(lambda: self.branch(depth, loops, self.random.choice(DIVERGENT)))

    def branch(self, depth: int, loops: int, condition: str) -> None:
        self.line(depth, f"way[{depth + 1}] = 1 if {condition} else 0")
        self.line(depth, f"if {condition}:")
        self.block(depth + 1, loops)
        if self.random.random() < 0.3:
            self.line(depth, "else:")
            self.line(depth + 1, f"way[{depth + 1}] = 1 - way[{depth + 1}]")
            self.block(depth + 1, loops)

    def leave(self, depth: int, loops: int) -> None:
        jumps = ["return"] * self.returns + ["break", "continue"] * bool(loops)
        if not jumps:
            self.assign(depth, loops)
            return
        self.line(depth, f"if {self.random.choice(DIVERGENT)}:")
        if self.random.random() < 0.4:
            self.assign(depth + 1, loops)
        self.line(depth + 1, self.random.choice(jumps))

    def loop(self, depth: int, loops: int) -> None:
        self.line(depth, f"for {COUNTERS[loops]} in range({self.random.choice(_TRIPS)}):")
        self.line(depth + 1, f"way[{depth + 1}] = 1")
        self.inside(lambda: self.block(depth + 1, loops + 1))

    def inside(self, write: Any) -> None:
        """Write statements to which not all come together."""
        before, self.is_uniform = self.is_uniform, False
        write()
        self.is_uniform = before


def source_of(seed: int) -> str:
    """Return the program with this number, with marks."""
    writer = _Writer(seed)
    while writer.budget > 8:
        writer.statement(1, 0)
    writer.full(1, 0)
    return _HEAD + "\n".join(writer.lines) + _TAIL


def kernel_of(seed: int) -> Any:
    """Return the program as a kernel."""
    text = source_of(seed).replace("<full>", "nv.subgroup.").replace("</full>", "")
    names: dict[str, Any] = {"nv": nv, "np": np, "together": together}
    exec(compile(text, f"<program {seed}>", "exec"), names)
    return nv.jit(names["program"])


def expected_of(seed: int, x: np.ndarray, n: int, subgroup_size: int) -> np.ndarray:
    """Return what the program leaves: invocations wait for each other where a subgroup has a result for all."""
    text = source_of(seed)
    for name in _FULL:
        text = text.replace(f"<full>{name}(", f"(yield '{name}', ")
    text = text.replace(")</full>", ")").replace("out[5, t]", "yield\n    out[5, t]")
    code = compile(text, f"<program {seed}>", "exec")
    out = np.zeros((ROWS, SIZE), np.int64)
    values = [int(v) for v in x]
    running = [_invocation(code, values, t)(values, n, out) for t in range(SIZE)]
    asked = [next(invocation, None) for invocation in running]
    while any(asked):
        answers: list[int] = []
        for first in range(0, SIZE, subgroup_size):
            part = asked[first : first + subgroup_size]
            answers += [_FULL[part[0][0]]([value for _, value in part])] * len(part)
        asked = [invocation.send(answer) for invocation, answer in zip(running, answers, strict=True)]
    for invocation in running:
        next(invocation, None)
    return out


def _invocation(code: Any, values: list[int], t: int) -> Any:
    """Return the generator function of one invocation."""
    host = SimpleNamespace(
        shared=SimpleNamespace(array=lambda shape, dtype: list(values)),
        local=SimpleNamespace(array=lambda shape, dtype: [0] * shape),
        local_id=lambda axis: t,
        barrier=lambda: None,
    )
    names: dict[str, Any] = {"nv": host, "np": np, "together": lambda key, way: 0}
    exec(code, names)
    program: Any = names["program"]
    return program
