"""Random programs of loops around a few float32 numbers, as Python source: counted ones, such that end early, nests."""

from __future__ import annotations

import random
from collections.abc import Callable

__all__ = ["PARAMETERS", "loop_program"]

PARAMETERS = "x, table, low, high, step, out, total"
_NUMBERS = ("a", "b", "c")
_CONSTANTS = (0.5, 2.0, -1.25, 0.0, 3.0)
_BOUNDS = (4.0, 1e10, -3.0, 100.0)
_COUNTERS = ("int64", "int32", "uint32", "uint64", "int8", "int16")
_RANGES = ("0, high", "low, high", "high, low", "high, 0", "0, 3", "0, 5", "0, 9")
_STEPS = ("", ", 1", ", 2", ", 3", ", -1", ", -2", ", step")
_MOST_NESTED = 2


class _Writer:
    """Writes one program, line by line; each loop ends because its counter changes first of all in each round."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines = ["a, b, c = x[0], x[1], x[2]", "m = 3"]
        self._loops = 0

    def number(self, depth: int = 0) -> str:
        """Write an operation on float32 numbers."""
        rng, kind = self.rng, self.rng.random()
        if depth > 2 or kind < 0.25:
            return rng.choice(_NUMBERS)
        if kind < 0.33:
            return f"np.float32({rng.choice(_CONSTANTS)})"
        if kind < 0.37:
            return "np.float32(m & 15)"
        left, right = self.number(depth + 1), self.number(depth + 1)
        return f"({left} {rng.choice('**+-')} {left if rng.random() < 0.3 else right})"

    def condition(self) -> str:
        bound = self.rng.choice(_BOUNDS)
        return f"{self.number()} {self.rng.choice(('<=', '<', '>', '!='))} np.float32({bound})"

    def body(self, indent: str, depth: int) -> None:
        """Write what a round does."""
        for _ in range(self.rng.randint(1, 3)):
            writers, weights = zip(*_STATEMENTS, strict=True)
            write: Callable[[_Writer, str, int], None] = self.rng.choices(writers, weights)[0]
            write(self, indent, depth)

    def assignment(self, indent: str, depth: int) -> None:
        self.lines.append(f"{indent}{self.rng.choice(_NUMBERS)} = {self.number()}")

    def two_assignments(self, indent: str, depth: int) -> None:
        self.lines.append(f"{indent}a, b = {self.number()}, {self.number()}")

    def square(self, indent: str, depth: int) -> None:
        name = self.rng.choice(_NUMBERS)
        self.lines.append(f"{indent}c = {name} * {name} + c")

    def count(self, indent: str, depth: int) -> None:
        self.lines.append(f"{indent}m = (m * 7 + 5) & 0xFFFF")

    def load(self, indent: str, depth: int) -> None:
        name, array = self.rng.choice(_NUMBERS), self.rng.choice(("x", "table"))
        self.lines.append(f"{indent}{name} = {array}[m & 3] {self.rng.choice('+*')} {name}")

    def store(self, indent: str, depth: int) -> None:
        self.lines.append(f"{indent}out[4 + (m & 3)] = {self.rng.choice(_NUMBERS)}")

    def branch(self, indent: str, depth: int) -> None:
        self.lines.append(f"{indent}if {self.condition()}:")
        self.assignment(f"{indent}    ", depth)
        kind = self.rng.random()
        if kind < 0.4:
            self.lines.append(f"{indent}    {self.rng.choice(('continue', 'break', 'm += 1', 'return'))}")
        elif kind < 0.7:
            self.lines.append(f"{indent}else:")
            self.assignment(f"{indent}    ", depth)

    def loop(self, indent: str, depth: int) -> None:
        if depth > _MOST_NESTED:
            return self.assignment(indent, depth)
        self._loops += 1
        name, rng = f"k{self._loops}", self.rng
        kind = rng.random()
        if kind < 0.25:
            return self._endless(indent, name, depth)
        if kind < 0.7:
            self.lines.append(f"{indent}for {name} in range({rng.choice(_RANGES)}{rng.choice(_STEPS)}):")
            if rng.random() < 0.5:
                self.lines.append(f"{indent}    a = a + np.float32({name}) * np.float32(0.5)")
        else:
            self._while(indent, name)
        return self.body(f"{indent}    ", depth + 1)

    def _endless(self, indent: str, name: str, depth: int) -> None:
        """Write a loop that ends after a round, for what the next one computes again."""
        again = f"{self.number(2)} {self.rng.choice('**+-')} {self.number(2)}"
        self.lines += [
            f"{indent}{name} = np.int32(0)",
            f"{indent}while True:",
            f"{indent}    {name} = np.int32({name} + np.int32(1))",
            f"{indent}    {self.rng.choice(_NUMBERS)} = ({again}) {self.rng.choice('+-')} {self.number(1)}",
        ]
        self.body(f"{indent}    ", depth + 1)
        bound = f"np.float32({self.rng.choice(_BOUNDS)})"
        self.lines += [
            f"{indent}    if {name} >= high or {again} > {bound}:",
            f"{indent}        break",
        ]

    def _while(self, indent: str, name: str) -> None:
        """Write the head of a loop with a counter of some type, up or down, and what counts."""
        rng, type = self.rng, f"np.{self.rng.choice(_COUNTERS)}"
        sign, start, end = rng.choice(
            (("+", "0", "< {}(high)"), ("+", "1", "<= {}(high)"), ("-", "high", "> {}(0)"))
        )
        step = 1 if sign == "-" else rng.choice((1, 1, 2, 3))
        conditions = [f"{name} {end.format(type)}"] + [
            self.condition() for _ in range(rng.choice((0, 0, 1, 2)))
        ]
        self.lines += [
            f"{indent}{name} = {type}({start})",
            f"{indent}while {' and '.join(conditions)}:",
            f"{indent}    {name} = {type}({name} {sign} {type}({step}))",
        ]


_STATEMENTS = (
    (_Writer.assignment, 8),
    (_Writer.two_assignments, 3),
    (_Writer.square, 3),
    (_Writer.count, 2),
    (_Writer.load, 2),
    (_Writer.store, 1),
    (_Writer.branch, 3),
    (_Writer.loop, 2),
)


def loop_program(seed: int) -> str:
    """Return the body of a function of `PARAMETERS`.

    ``x`` and ``table`` are four float32 numbers each, ``low``, ``high`` and ``step`` small integers, ``high`` not
    negative and ``step`` not 0; ``out`` are eight float32 numbers and ``total`` one int64.
    """
    writer = _Writer(random.Random(seed))
    for _ in range(writer.rng.choice((1, 1, 2))):
        writer.loop("", 1)
    return "\n".join([*writer.lines, "out[0] = a", "out[1] = b", "out[2] = c", "total[0] = m"])
