"""Random kernels that exchange values through shared memory, and what a workgroup computes in plain Python.

Each exchange is a barrier, a store to an element of one's own, a barrier, and loads from anywhere; it stands in
uniform control flow only, in loops with several exits and in functions as well. Between exchanges control parts as it
likes, and invocations return early. So nothing races, and the order in which invocations run does not matter.

The text of a program has marks for barriers and for calls that contain some. A kernel has ``nv.barrier()`` there; as
plain Python, invocations are generators that yield there.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

import numba_vulkan as nv

__all__ = ["GROUPS", "LEAVING", "SIZE", "Arguments", "arguments_of", "expected_of", "kernel_of", "source_of"]

SIZE = 24  # invocations of a workgroup; no multiple of a subgroup's
GROUPS = 2
ROWS = 6  # results of an invocation

FUNCTIONS = """
def turned(part, t, v, by):
    <barrier>
    part[t] = v
    <barrier>
    return part[(t + by) % 24]

def rounds(part, t, v, n):
    total = v
    for k in range(n):
        <barrier>
        part[t] = (total + k) & 1023
        <barrier>
        if part[0] > 700:
            break
        if t % 3 != 1:
            total = (total * 3 + part[(t + 1) % 24]) & 1023
        if part[1] % 5 == 3:
            return total + 1
    return total

def mixed(part, t, v, n):
    if n == 1:
        return <call>turned(part, t, v, 7)</call>
    w = <call>rounds(part, t, v, n + 1)</call>
    if w % 4 == 0:
        return w
    for k in range(w & 3):
        if part[(t + k) % 24] > 500:
            return k
    return w ^ 5
"""
_START = """
def program(x, reals, n, out, real_out):
    part = nv.shared.array(24, np.int32)
    real_part = nv.shared.array(24, np.float32)
    mine = nv.local.array(4, np.int32)
    g = nv.group_id(0)
    t = nv.local_id(0)
    a = x[g, t]
    b = t
    c = n
    u = i = j = k = 0
    r = reals[g, t]
    q = np.float32(0.5)
    for k in range(4):
        mine[k] = k * t
    part[t] = a
    real_part[t] = r
    <barrier>
"""
_END = """
    <barrier>
    part[t] = (a + b) & 1023
    <barrier>
    out[g, 4, t] = a + 1024 * b + 1048576 * c
    out[g, 5, t] = u + i + j + k + mine[t & 3] + part[23 - t]
    real_out[g, t] = r + q * np.float32(0.25)
"""
# Conditions that are the same for all; `part` is read where nobody writes.
UNIFORM = (
    "n > 2",
    "n == 1",
    "part[3] > 500",
    "part[0] + n > 400",
    "u < 2",
    "u % 2 == 1",
    "real_part[5] > r0",
    "g == 0",
)
DIVERGENT = (
    "t < 7",
    "a % 3 == 1",
    "b > 500",
    "x[g, t] > 600",
    "t % 2 == 0 or n == 0",
    "n > 1 and c > 300",
    "part[t] < 400",
    "part[a % 24] > part[t]",
    "r > q",
    "real_part[(t + 1) % 24] <= r",
    "mine[a & 3] > 20",
)
# Conditions of loops that each invocation leaves by itself.
WAITING = ("True", "part[3] < 900", "u < 4", "w < 9", "real_part[5] < 3")
# From this seed on programs have such loops.
LEAVING = 1 << 40
VARIABLES = "abc"
COUNTERS = "ijk"
FLOATS = "rq"


@dataclass
class _Writer:
    """Writes the statements between start and end of one program."""

    rng: random.Random
    lines: list[str] = field(default_factory=list)
    budget: int = 22
    leaving: int = 0  # loops that each leaves by itself that are still to be written

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def value(self) -> str:
        place = self.rng.choice(("t", "(t + 5) % 24", "(a + t) % 24", "n % 24", "b % 24"))
        names = (*VARIABLES, *VARIABLES, *COUNTERS, "u", "t", "g", "n", f"part[{place}]", "mine[(a + t) & 3]")
        return self.rng.choice(names)

    def real(self) -> str:
        return self.rng.choice(
            (*FLOATS, "real_part[(t + 3) % 24]", "real_part[b % 24]", "reals[g, a % 24]", "np.float32(1.25)")
        )

    # ---- statements that need nobody else

    def assign(self, depth: int) -> None:
        form = self.rng.choice(
            ("(X * 3 + Y) & 1023", "(X ^ Y) & 1023", "X if X > Y else (Y & 1023)", "(X * Y) % 1021")
        )
        text = form.replace("X", self.rng.choice(VARIABLES)).replace("Y", self.value())
        self.line(depth, f"{self.rng.choice(VARIABLES)} = {text}")

    def assign_real(self, depth: int) -> None:
        form = self.rng.choice(
            ("(X + Y) * np.float32(0.5)", "X - Y * np.float32(0.125)", "min(X, Y)", "X if X < Y else q")
        )
        text = form.replace("X", self.real()).replace("Y", self.real())
        self.line(depth, f"{self.rng.choice(FLOATS)} = {text}")

    def assign_local(self, depth: int) -> None:
        self.line(depth, f"mine[{self.rng.choice(VARIABLES)} & 3] = {self.value()}")

    def store(self, depth: int) -> None:
        self.line(depth, f"out[g, {self.rng.randrange(4)}, t] = {self.value()}")

    # ---- control flow that may part

    def parted(self, depth: int, loops: int) -> None:
        """Write statements without barriers."""
        for _ in range(self.rng.randint(1, 3)):
            self.budget -= 1
            kinds = [self.assign] * 4 + [self.assign_real, self.assign_local, self.store]
            if self.budget > 0 and depth < 6 and self.rng.random() < 0.45:
                self.rng.choice((self.branch, self.branch, self.parted_loop))(depth, loops)
            else:
                self.rng.choice(kinds)(depth)

    def branch(self, depth: int, loops: int) -> None:
        self.line(depth, f"if {self.rng.choice(DIVERGENT)}:")
        self.parted(depth + 1, loops)
        self.jump(depth + 1, loops, 0.2)
        if self.rng.random() < 0.4:
            self.line(depth, "else:")
            self.parted(depth + 1, loops)
            self.jump(depth + 1, loops, 0.1)

    def jump(self, depth: int, loops: int, chance: float) -> None:
        if self.rng.random() < chance:
            self.line(depth, self.rng.choice(("return", *(("break", "continue") * 2 if loops else ()))))

    def parted_loop(self, depth: int, loops: int) -> None:
        if loops == 2:
            self.branch(depth, loops)
            return
        self.line(depth, f"for k in range({self.rng.choice(('3', 't % 4', 'a & 3', 'n'))}):")
        self.parted(depth + 1, loops + 1)
        self.line(depth + 1, f"if {self.rng.choice(DIVERGENT)}:")
        self.line(depth + 2, self.rng.choice(("break", "continue", "return", "break")))
        self.parted(depth + 1, loops + 1)

    # ---- control flow that all take together

    def together(self, depth: int, loops: int, count: int) -> None:
        for _ in range(count):
            self.budget -= 1
            if self.leaving and self.rng.random() < 0.4:
                self.left_alone(depth, loops)
            elif self.budget > 0 and depth < 4 and self.rng.random() < 0.45:
                kinds = [self.uniform_branch, self.uniform_loop if loops < 2 else self.uniform_branch]
                self.rng.choice(kinds)(depth, loops)
            elif self.rng.random() < 0.45:
                self.rng.choice((self.exchange, self.exchange, self.exchange_real, self.call, self.agree))(
                    depth
                )
            else:
                self.parted_or_plain(depth)

    def parted_or_plain(self, depth: int) -> None:
        if self.rng.random() < 0.6:
            self.branch(depth, 0)
        else:
            self.rng.choice((self.assign, self.assign_real, self.store))(depth)

    def uniform(self) -> str:
        return self.rng.choice(UNIFORM).replace("r0", "np.float32(0.25)")

    def uniform_branch(self, depth: int, loops: int) -> None:
        self.line(depth, f"if {self.uniform()}:")
        self.together(depth + 1, loops, self.rng.randint(1, 3))
        if self.rng.random() < 0.4:
            self.line(depth, "else:")
            self.together(depth + 1, loops, self.rng.randint(1, 2))

    def uniform_loop(self, depth: int, loops: int) -> None:
        counter = COUNTERS[loops]
        self.line(
            depth, f"for {counter} in range({self.rng.choice(('3', 'n', 'n + 1', 'u & 3', 'part[1] % 4'))}):"
        )
        for _ in range(self.rng.randint(1, 2)):
            self.together(depth + 1, loops + 1, self.rng.randint(1, 2))
            if self.rng.random() < 0.7:
                self.line(depth + 1, f"if {self.uniform()}:")
                if self.rng.random() < 0.3:
                    self.exchange(depth + 2)
                self.line(depth + 2, self.rng.choice(("break", "continue", "break", "return")))
        self.together(depth + 1, loops + 1, 1)

    def left_alone(self, depth: int, loops: int) -> None:
        """Write a loop with barriers that each invocation leaves in a round of its own; behind it all are together."""
        self.leaving -= 1
        number = self.leaving
        self.line(depth, "w = 0")
        self.line(depth, f"<enter {number}>")
        self.line(depth, f"while {self.rng.choice(WAITING)}:")
        self.line(depth + 1, "w += 1")
        self.line(depth + 1, f"if w > {self.rng.choice(('3', 't % 4', '(a & 3) + 1', 'n + t % 2'))}:")
        self.line(depth + 2, self.rng.choice(("break", "break", "return")))
        waiting, self.leaving = self.leaving, 0
        self.together(depth + 1, max(loops, 1), self.rng.randint(1, 2))
        if self.rng.random() < 0.6:
            self.line(depth + 1, f"if {self.rng.choice(DIVERGENT)}:")
            self.line(depth + 2, self.rng.choice(("break", "continue", "return", "break")))
            self.together(depth + 1, max(loops, 1), 1)
        self.leaving = waiting
        self.line(depth, f"<leave {number}>")
        self.line(depth, "u = n")  # which each left the loop with another value of

    def exchange(self, depth: int) -> None:
        self.line(depth, "<barrier>")
        self.line(depth, f"part[t] = {self.rng.choice(VARIABLES)} & 1023")
        self.line(depth, "<barrier>")
        self.line(
            depth,
            f"{self.rng.choice(VARIABLES)} = part[{self.rng.choice(('t', '(t + 1) % 24', 'a % 24', '23 - t'))}]",
        )

    def exchange_real(self, depth: int) -> None:
        self.line(depth, "<barrier>")
        self.line(depth, f"real_part[t] = {self.rng.choice(FLOATS)}")
        self.line(depth, "<barrier>")
        self.line(
            depth, f"{self.rng.choice(FLOATS)} = real_part[{self.rng.choice(('(t + 1) % 24', 'c % 24'))}]"
        )

    def call(self, depth: int) -> None:
        name, last = self.rng.choice((("turned", "5"), ("rounds", "n"), ("rounds", "3"), ("mixed", "n")))
        target, v = self.rng.choice(VARIABLES), self.rng.choice(VARIABLES)
        self.line(depth, f"{target} = <call>{name}(part, t, {v} & 1023, {last})</call>")

    def agree(self, depth: int) -> None:
        """Write an assignment of a value that is the same for all."""
        self.line(depth, f"u = {self.rng.choice(('part[3] % 5', '(u + 1) & 3', 'n', 'part[0] & 1'))}")


def source_of(seed: int) -> str:
    """Return the program with this number, with marks."""
    writer = _Writer(random.Random(seed), leaving=2 if seed >= LEAVING else 0)
    while writer.budget > 4 or writer.leaving:
        writer.together(1, 0, 1)
    return FUNCTIONS + _START + "\n".join(writer.lines) + _END


def kernel_of(seed: int) -> Any:
    """Return the program as a kernel."""
    text = source_of(seed).replace("<barrier>", "nv.barrier()").replace("<call>", "").replace("</call>", "")
    for number in range(2):
        text = text.replace(f"<enter {number}>", "nv.barrier()").replace(f"<leave {number}>", "")
    names: dict[str, Any] = {"nv": nv, "np": np}
    exec(compile(text, f"<program {seed}>", "exec"), names)
    for function in ("turned", "rounds", "mixed"):
        names[function] = nv.jit(names[function])
    return nv.jit(names["program"])


@dataclass(frozen=True)
class Arguments:
    """What a program reads: integers and floats for each invocation, and one number."""

    x: np.ndarray
    reals: np.ndarray
    n: int

    def outputs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return new arrays for the results."""
        return np.full((GROUPS, ROWS, SIZE), -1, np.int64), np.full((GROUPS, SIZE), -1, np.float32)


def arguments_of(seed: int) -> Arguments:
    """Return the arguments for the program with this number."""
    rng = np.random.default_rng(seed)
    shape = (GROUPS, SIZE)
    reals = (rng.integers(-64, 64, shape) / 16).astype(np.float32)
    return Arguments(rng.integers(0, 1024, shape).astype(np.int32), reals, int(rng.integers(0, 4)))


def expected_of(seed: int, arguments: Arguments) -> tuple[np.ndarray, np.ndarray]:
    """Return what the program leaves in its two outputs, found in an order that differs in every phase."""
    text = (
        source_of(seed)
        .replace("<barrier>", "yield")
        .replace("<call>", "(yield from ")
        .replace("</call>", ")")
    )
    for number in range(2):
        text = text.replace(f"<enter {number}>", f"enter({number}); yield")
        text = text.replace(f"<leave {number}>", f"yield from leave({number})")
    code = compile(text, f"<program {seed}>", "exec")
    out, real_out = arguments.outputs()
    order = random.Random(seed)
    x = arguments.x.tolist()
    for group in range(GROUPS):
        shared = {np.int32: [0] * SIZE, np.float32: [np.float32(0)] * SIZE}
        loops = _Loops()
        presences = [_Presence(loops) for _ in range(SIZE)]
        running = [
            _invocation(code, shared, group, t, presence)(
                _Rows(x), arguments.reals, arguments.n, out, real_out
            )
            for t, presence in enumerate(presences)
        ]
        running = [_until_gone(*pair) for pair in zip(running, presences, strict=True)]
        while running:
            order.shuffle(running)
            loops.gone = loops.left.copy()
            running = [invocation for invocation in running if next(invocation, "end") != "end"]
    return out, real_out


@dataclass
class _Loops:
    """How many of a workgroup entered each loop that they leave by themselves, left it, and had when a phase began."""

    entered: Counter[int] = field(default_factory=Counter[int])
    left: Counter[int] = field(default_factory=Counter[int])
    gone: Counter[int] = field(default_factory=Counter[int])


@dataclass
class _Presence:
    """In which of these loops an invocation is."""

    loops: _Loops
    inside: list[int] = field(default_factory=list[int])

    def enter(self, loop: int) -> None:
        self.loops.entered[loop] += 1
        self.inside.append(loop)

    def leave(self, loop: int) -> Iterator[None]:
        """Wait for all who entered; all go on in the same phase."""
        self.inside.remove(loop)
        self.loops.left[loop] += 1
        all_of_them = self.loops.entered[loop]
        yield
        while self.loops.gone[loop] < all_of_them:
            yield

    def end(self) -> None:
        self.loops.left.update(self.inside)


def _until_gone(invocation: Iterator[None], presence: _Presence) -> Iterator[None]:
    yield from invocation
    presence.end()


class _Rows:
    """A list of lists that takes two indices."""

    def __init__(self, rows: list[list[int]]) -> None:
        self.rows = rows

    def __getitem__(self, place: tuple[int, int]) -> int:
        return self.rows[place[0]][place[1]]


def _invocation(code: Any, shared: dict[Any, list[Any]], group: int, t: int, presence: _Presence) -> Any:
    """Return the generator function of one invocation."""
    host = SimpleNamespace(
        shared=SimpleNamespace(array=lambda shape, dtype: shared[dtype]),
        local=SimpleNamespace(array=lambda shape, dtype: [0] * shape),
        group_id=lambda axis: group,
        local_id=lambda axis: t,
    )
    names: dict[str, Any] = {"nv": host, "np": np, "enter": presence.enter, "leave": presence.leave}
    exec(code, names)
    program: Any = names["program"]
    return program
