"""Random kernels in which invocations part in front of barriers, and what each invocation computes in plain Python.

What is shared is written before control parts, so that an invocation alone tells what it must compute.
"""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import numpy as np

import numba_vulkan as nv

SIZE = 32
HEAD = """def program(x, n, out):
    part = nv.shared.array(32, np.int32)
    t = nv.local_id(0)
    part[t] = x[t]
    nv.barrier()
    a = b = c = 0
    i = j = k = 0
"""
UNIFORM = ("n > 2", "part[3] > 50", "n == 1", "part[0] + n > 60", "i < 2", "j == 1", "k > 0")
DIVERGENT = (
    "t < 7",
    "a % 3 == 1",
    "b > 500",
    "x[t] > 60",
    "t % 2 == 0 or n == 0",
    "n > 1 and c > 300",
    "part[t] < 40",
)
VARIABLES = "abc"
COUNTERS = "ijk"


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.budget = 28

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def block(self, depth: int, loops: int) -> None:
        for _ in range(self.random.randint(1, 4)):
            self.statement(depth, loops)

    def statement(self, depth: int, loops: int) -> None:
        self.budget -= 1
        choices = ["assign"] * 4 + ["barrier"] * 3 + ["store"]
        if self.budget > 0 and depth < 5:
            choices += ["if_divergent"] * 3 + ["if_uniform"] * 2 + ["leave"] * 2
            if loops < 3:
                choices += ["loop"] * 3
        getattr(self, self.random.choice(choices))(depth, loops)

    def assign(self, depth: int, loops: int) -> None:
        name, other = self.random.choice(VARIABLES), self.random.choice(VARIABLES + COUNTERS)
        place = self.random.choice(("t", "(t + 5) % 32", "(a + t) % 32", "n"))
        self.line(depth, f"{name} = ({name} * {self.random.randint(2, 9)} + {other} + part[{place}]) & 1023")

    def store(self, depth: int, loops: int) -> None:
        self.line(
            depth,
            f"out[{self.random.randint(0, 2)}, t] = {self.random.choice(VARIABLES)} + {self.random.randint(0, 9)}",
        )

    def barrier(self, depth: int, loops: int) -> None:
        self.line(depth, "nv.barrier()")

    def if_divergent(self, depth: int, loops: int) -> None:
        self.branch(depth, loops, self.random.choice(DIVERGENT))

    def if_uniform(self, depth: int, loops: int) -> None:
        self.branch(depth, loops, self.random.choice(UNIFORM))

    def branch(self, depth: int, loops: int, condition: str) -> None:
        self.line(depth, f"if {condition}:")
        self.block(depth + 1, loops)
        if self.random.random() < 0.3:
            self.line(depth, "else:")
            self.block(depth + 1, loops)

    def leave(self, depth: int, loops: int) -> None:
        self.line(depth, f"if {self.random.choice(DIVERGENT + UNIFORM[:4])}:")
        if self.random.random() < 0.4:
            self.assign(depth + 1, loops)
        if self.random.random() < 0.3:
            self.store(depth + 1, loops)
        self.line(depth + 1, self.random.choice(["return"] + (["break", "continue"] * 2 if loops else [])))

    def loop(self, depth: int, loops: int) -> None:
        counter = COUNTERS[loops]
        self.line(depth, f"for {counter} in range({self.random.choice(('3', 'n', 'n + 1', 'part[1] % 4'))}):")
        self.block(depth + 1, loops + 1)


def source_of(seed: int) -> str:
    """Return the program with this number."""
    writer = Writer(seed)
    while writer.budget > 8:
        writer.statement(1, 0)
    tail = "    nv.barrier()\n    out[3, t] = a + 1024 * b + 1048576 * c + i + j + k\n"
    return HEAD + "\n".join(writer.lines) + "\n" + tail


def kernel_of(seed: int) -> Any:
    """Return the program as a kernel."""
    names: dict[str, object] = {"nv": nv, "np": np}
    exec(compile(source_of(seed), f"<program {seed}>", "exec"), names)
    return nv.jit(names["program"])


def expected_of(seed: int, x: np.ndarray, n: int) -> np.ndarray:
    """Return what the program computes."""
    out = np.zeros((4, SIZE), np.int64)
    at = [0]
    shared = SimpleNamespace(array=lambda shape, dtype: [int(v) for v in x])
    host = SimpleNamespace(shared=shared, local_id=lambda axis: at[0], barrier=lambda: None)
    names: dict[str, object] = {"nv": host, "np": np}
    exec(compile(source_of(seed), f"<program {seed}>", "exec"), names)
    values = [int(v) for v in x]
    for t in range(SIZE):
        at[0] = t
        names["program"](values, n, out)
    return out
