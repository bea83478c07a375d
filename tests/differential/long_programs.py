"""Kernels with long chains and deep nests of branches, as lines of Python that also run without a device.

A program keeps whole numbers in ``t`` and ``n`` and a float in ``r``, reads ``x`` and writes the element ``i`` of its
outputs. What it computes stays small enough for int64, and every loop ends.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

__all__ = ["SHAPES", "kernel_text", "random_lines"]

Lines = list[str]


def kernel_text(lines: Iterable[str], functions: str = "", options: str = "") -> str:
    """Return the source of a kernel with these lines."""
    start = ["i = nv.global_id(0)", "if i >= out.size:", "    return", "t = x[i]", "n = 0", "r = reals[i]"]
    end = ["out[i] = out[i] * 7 + t * 3 + n", "real_out[i] += r"]
    body = "\n".join(f"    {line}" for line in [*start, *lines, *end])
    return f"{functions}\n@nv.jit{options}\ndef kernel(x, reals, out, real_out):\n{body}\n"


def _indented(lines: Iterable[str], levels: int = 1) -> Lines:
    return [" " * levels + line for line in lines]


def _elif(count: int, key: Callable[[int], int], arm: Callable[[int], Lines], selector: str = "t") -> Lines:
    lines: Lines = []
    for k in range(count):
        lines += [f"{'el' if k else ''}if {selector} == {key(k)}:", *_indented(arm(k))]
    return [*lines, "else:", " n -= 1", " out[i] += n"]


def _dense(count: int) -> Lines:
    return _elif(count, lambda k: k, lambda k: [f"n += {k * 3}", f"out[i] -= n % {k + 2}"])


def _only_values(count: int) -> Lines:
    return _elif(count, lambda k: k, lambda k: [f"n += {k * k % 97}"])


def _sparse(count: int) -> Lines:
    return _elif(count, lambda k: k if k % 3 else k * 7919 - 40000, lambda k: [f"out[i] += {k}", f"t += {k}"])


def _floats(count: int) -> Lines:
    return _elif(
        count,
        lambda k: k,
        lambda k: [f"r = r * np.float32({k % 5 - 2}) + np.float32({k / 4})", f"n = {k} - n"],
    )


def _arm_that_jumps(k: int) -> Lines:
    jump = ("break", "continue", "out[i] = n", f"n += {k}", "return", "pass")[k % 6]
    return [f"n += {k}", f"out[i] += n * {k % 3}", jump]


def _jumping(count: int) -> Lines:
    arms = _elif(count, lambda k: k * 3 % count, _arm_that_jumps, f"(t + q * 11) % {count + 20}")
    return ["for q in range(7):", *_indented([*arms, "n += q", "out[i] ^= n"])]


def _exits(count: int, jump: str) -> Lines:
    lines: Lines = []
    for k in range(count):
        lines += [f"if t == {k}:", f" out[i] = {k * 7} + n", f" {jump}", f"t -= {k % 2}"]
        lines += [f"n += t % {k % 5 + 2}"] if k % 3 == 0 else []
        lines += [f"out[i] += t % {k + 3}"]
    return lines


def _in_loop(lines: Lines) -> Lines:
    return ["for q in range(4):", *_indented(["t += q * 3", *lines, "n += q"]), "r += np.float32(n % 8)"]


def _conditions(count: int, word: str) -> Lines:
    negated = "!=" if word == "and" else "=="
    tests = f" {word} ".join(f"x[(i + {k}) % x.size] {negated} {k * 5 + 3}" for k in range(count))
    return [f"if {tests}:", " n += 5", " out[i] += n", "else:", " r = -r"]


def _nested(count: int, both: bool) -> Lines:
    lines: Lines = []
    for k in range(count):
        lines += _indented([f"if t != {k * 3}:", f" n += {k}", f" out[i] += n % {k + 2}"], k)
    for k in reversed(range(count)):
        lines += _indented([f" out[i] ^= {k}"], k)
        lines += (
            _indented(
                ["else:", f" n = n * 2 + {k}", f" r += np.float32({k})", f" out[i] -= r > np.float32({k})"], k
            )
            if both
            else []
        )
    return lines


def _left_from_inside(count: int, jump: str) -> Lines:
    """Return branches that are left from inside, one after the other."""
    lines: Lines = []
    for k in range(count):
        lines += [f"if t % {k + 2} != 1:", f" if t == {k * 2}:", "  out[i] += n", f"  {jump}"]
        lines += [f" n += {k}", f"n ^= {k}"]
    return lines


def _loops_in_a_row(count: int) -> Lines:
    lines: Lines = []
    for k in range(count):
        lines += [
            f"for q in range(t % {k % 4 + 2} + 1):",
            f" if n + q == {k * 2 + 9}:",
            "  out[i] += q",
            "  return",
        ]
        lines += [" out[i] += q", f" n += (t + q) % {k % 3 + 2}"]
    return lines


def _asserted(count: int) -> Lines:
    lines: Lines = []
    for k in range(count):
        lines += [f"assert t != -{k + 5}", f"out[i] += t % {k + 2}"]
    return lines


SHAPES: dict[str, Lines] = {
    "elif 100": _dense(100),
    "elif values 400": _only_values(400),
    "elif sparse 120": _sparse(120),
    "elif floats 90": _floats(90),
    "elif in elif": _elif(30, lambda k: k, lambda k: _dense(20) if k % 10 == 1 else [f"n += {k}"]),
    "elif jumps 100": _jumping(100),
    "returns and stores 150": _exits(150, "return"),
    "continues 100": _in_loop(_exits(100, "continue")),
    "returns in a loop 90": _in_loop(_exits(90, "return")),
    "and 100": _conditions(100, "and"),
    "or 100": _conditions(100, "or"),
    "and in a loop 90": _in_loop(_conditions(90, "and")),
    "nested 90": _nested(90, both=False),
    "nested with else 85": _nested(85, both=True),
    "nested in a loop 80": _in_loop(_nested(80, both=False)),
    "returns from inside 90": _left_from_inside(90, "return"),
    "continues from inside 90": _in_loop(_left_from_inside(90, "continue")),
    "loops left from inside 80": _loops_in_a_row(80),
    "asserts 100": _asserted(100),
}


class _Writer:
    """Writes random lines; ``left`` bounds their number."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.left = rng.choice((150, 300, 500))
        self.loops = 0

    def step(self) -> Lines:
        """Return a few statements without control flow."""
        k = self.rng.randrange(2, 30)
        choices = (
            f"n += t % {k}",
            f"t = (t + {k}) % 1009",
            f"out[i] += n % {k}",
            f"r = r * np.float32(0.5) + np.float32({k})",
            f"n ^= {k}",
        )
        return self.rng.sample(choices, self.rng.choice((1, 1, 2)))

    def condition(self) -> str:
        """Return a condition."""
        k = self.rng.randrange(2, 40)
        return self.rng.choice(
            (
                f"t != {k}",
                f"t % {k} != 1",
                f"n % {k} == 0",
                f"x[(i + {k}) % x.size] > n",
                f"r < np.float32({k})",
            )
        )

    def jump(self) -> str:
        """Return a way out of where the writer is."""
        return self.rng.choice(("break", "continue", "return") if self.loops else ("return",))

    def block(self, indent: int) -> Lines:
        """Return something long."""
        count = min(self.rng.choice((3, 10, 40, 100)), max(self.left // 3, 2))
        self.left -= 3 * count
        shapes = [self.chain, self.exits, self.conditions]
        if indent < 40:
            shapes += [self.nest, self.sides] + [self.loop] * (self.loops < 2)
        return self.rng.choice(shapes)(count, indent)

    def inner(self, indent: int) -> Lines:
        """Return what stands inside something: seldom something long."""
        return self.block(indent) if self.left > 0 and self.rng.random() < 0.08 else self.step()

    def chain(self, count: int, indent: int) -> Lines:
        """Return an elif chain on one number."""
        step = self.rng.choice((1, 1, 7))
        selector = self.rng.choice(("t", "n", f"(t + n) % {count * step + 3}"))
        jumps = self.rng.random() < 0.5

        def arm(k: int) -> Lines:
            return [*self.inner(indent + 1), *([self.jump()] if jumps and self.rng.random() < 0.2 else [])]

        return _elif(count, lambda k: k * step, arm, selector)

    def exits(self, count: int, indent: int) -> Lines:
        """Return branches that jump, in a row."""
        lines: Lines = []
        for _ in range(count):
            k = self.rng.randrange(1000)
            lines += [f"if t == {k}:", *_indented([*self.step(), self.jump()]), *self.inner(indent)]
        return lines

    def conditions(self, count: int, indent: int) -> Lines:
        """Return a branch on many conditions."""
        word = self.rng.choice((" and ", " or "))
        tests = word.join(self.condition() for _ in range(count))
        return [
            f"if {tests}:",
            *_indented(self.inner(indent + 1)),
            "else:",
            *_indented(self.inner(indent + 1)),
        ]

    def nest(self, count: int, indent: int) -> Lines:
        """Return branches in each other."""
        count = min(count, 60 - indent)
        lines: Lines = []
        for k in range(count):
            lines += _indented([f"if {self.condition()}:", *_indented(self.step())], k)
        for k in reversed(range(count)):
            if self.rng.random() < 0.5:
                lines += _indented(["else:", *_indented(self.step())], k)
            if self.rng.random() < 0.3:
                lines += _indented(self.step(), k)
        return lines

    def sides(self, count: int, indent: int) -> Lines:
        """Return something long on both sides of a branch."""
        return [
            f"if {self.condition()}:", *_indented(self.block(indent + 1)),
            "else:", *_indented(self.block(indent + 1)),
        ]  # fmt: skip

    def loop(self, count: int, indent: int) -> Lines:
        """Return a loop around something long."""
        self.loops += 1
        name = f"q{self.loops}"
        lines = [f"for {name} in range({self.rng.choice((2, 3))}):"]
        lines += _indented([f"t += {name}", *self.block(indent + 1), *self.step()])
        self.loops -= 1
        return [*lines, *self.step()]


def random_lines(seed: int) -> Lines:
    """Return the lines of the program of a seed."""
    writer = _Writer(random.Random(f"long {seed}"))
    lines: Lines = []
    while writer.left > 0:
        lines += [*writer.block(0), *writer.step()]
    return lines
