"""Python kernels as trees of statements, which can be printed and shrunk.

A program runs unchanged as a kernel and as plain Python: the names ``int64``, ``int32`` and ``uint32`` are casts of
Numba in the one and functions that wrap Python integers in the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

__all__ = [
    "INPUTS",
    "REAL",
    "SIGNED",
    "SLOTS",
    "UNSIGNED",
    "WIDE",
    "Arm",
    "Function",
    "Program",
    "Statement",
]

SLOTS = 32  # elements of the trace of an invocation
INPUTS = 16  # elements of each input array
# Variables: int64, int32, uint32, float32.
WIDE = ("v0", "v1", "v2", "v3")
SIGNED = ("s0", "s1")
UNSIGNED = ("u0", "u1")
REAL = ("r0", "r1", "r2")


@dataclass(frozen=True)
class Arm:
    """One header with its body, such as ``else:``; ``first`` and ``last`` are lines that the loop needs to end."""

    head: str
    body: tuple[Statement, ...]
    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()


@dataclass(frozen=True)
class Statement:
    """Lines, then the arms of a compound statement, if it is one."""

    lines: tuple[str, ...]
    arms: tuple[Arm, ...] = ()


@dataclass(frozen=True)
class Function:
    """A function called from the kernel; ``results`` is the number of values that it returns."""

    name: str
    results: int
    body: tuple[Statement, ...]
    last: str
    cost: int

    def text(self) -> str:
        lines = ["@nv.jit", f"def {self.name}(v0, v1, data, out, i):", *_indented(_FUNCTION_START, 1)]
        return "\n".join([*lines, *_rendered(self.body, 1), "    " + self.last])


@dataclass(frozen=True)
class Program:
    """A kernel, the functions it calls, and the seed that repeats it."""

    seed: int
    functions: tuple[Function, ...]
    body: tuple[Statement, ...]
    floats: bool

    def text(self) -> str:
        parts = [function.text() for function in self.functions]
        lines = ["@nv.jit", "def kernel(data, small, positive, reals, a, out, real_out):"]
        lines += _indented(_KERNEL_START + (_REAL_START if self.floats else ()), 1)
        lines += _rendered(self.body, 1)
        lines += _indented(_KERNEL_END + (_REAL_END if self.floats else ()), 1)
        return "\n\n\n".join([*parts, "\n".join(lines)]) + "\n"

    def smaller(self) -> Iterator[Program]:
        """Yield programs that lack a part of this one, large parts first."""
        for k in range(len(self.functions)):
            yield replace(self, functions=self.functions[:k] + self.functions[k + 1 :])
        for body in _smaller_bodies(self.body):
            yield replace(self, body=body)
        for k, function in enumerate(self.functions):
            for body in _smaller_bodies(function.body):
                changed = replace(function, body=body)
                yield replace(self, functions=(*self.functions[:k], changed, *self.functions[k + 1 :]))


_FUNCTION_START = (
    "v2 = v3 = k0 = k1 = k2 = t0 = t1 = t2 = 0",
    "p = 3",
    "s0 = s1 = int32(v1)",
    "u0 = u1 = uint32(v0)",
    "b0 = b1 = v0 < v1",
    "pair = (v0, v1)",
)
_KERNEL_START = (
    "i = nv.global_id(0)",
    "if i >= out.shape[0]:",
    "    return",
    "v0 = data[i % 16]",
    "v1 = a",
    "v2 = int64(i)",
    "v3 = k0 = k1 = k2 = t0 = t1 = t2 = p = 0",
    "s0 = small[i % 16]",
    "s1 = int32(i)",
    "u0 = positive[i % 16]",
    "u1 = uint32(i)",
    "b0 = b1 = v0 < v1",
    "pair = (v0, v1)",
)
_REAL_START = ("r0 = reals[i % 16]", "r1 = reals[(i + 5) % 16]", "r2 = float32(0.5)")
_KERNEL_END = (
    *(f"out[i, {24 + k}] = {name}" for k, name in enumerate((*WIDE, *SIGNED))),
    "out[i, 30] = int64(u0)",
    "out[i, 31] = int64(u1)",
)
_REAL_END = tuple(f"real_out[i, {k}] = {name}" for k, name in enumerate(REAL))


def _indented(lines: tuple[str, ...], depth: int) -> list[str]:
    return ["    " * depth + line for line in lines]


def _rendered(statements: tuple[Statement, ...], depth: int) -> list[str]:
    lines: list[str] = []
    for statement in statements:
        lines += _indented(statement.lines, depth)
        for arm in statement.arms:
            lines += _indented((arm.head, *("    " + line for line in arm.first)), depth)
            lines += _rendered(arm.body, depth + 1)
            lines += _indented(arm.last, depth + 1)
            if not (arm.first or arm.body or arm.last):
                lines += _indented(("pass",), depth + 1)
    return lines


def _smaller_bodies(body: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    half = len(body) // 2
    if half > 1:
        yield body[:half]
        yield body[half:]
    for k, statement in enumerate(body):
        for fewer in _smaller_statements(statement):
            yield (*body[:k], *fewer, *body[k + 1 :])


def _smaller_statements(statement: Statement) -> Iterator[tuple[Statement, ...]]:
    """Yield what can stand in place of a statement: nothing, the body of an arm, the statement with less in it."""
    yield ()
    for k, arm in enumerate(statement.arms):
        yield arm.body
        if k:
            yield (replace(statement, arms=statement.arms[:k] + statement.arms[k + 1 :]),)
        for body in _smaller_bodies(arm.body):
            arms = (*statement.arms[:k], replace(arm, body=body), *statement.arms[k + 1 :])
            yield (replace(statement, arms=arms),)
