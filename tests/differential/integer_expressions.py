"""Random integer expressions over all integer types, as text for kernels and for a reference in plain Python.

`Integer` is the reference: a number with a type, which operates by Numba's typing rules and with NumPy's results for
overflow, division by zero and shifts by the width or more. Numba's CPU target would not do: since it promises LLVM
that signed operations do not overflow, what it computes after one that does is arbitrary.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from dataclasses import dataclass

__all__ = [
    "BOUNDS",
    "CASTS",
    "COLUMNS",
    "EDGES",
    "Expression",
    "Integer",
    "kernel_text",
    "random_expressions",
]

# Names of the arguments with their types.
COLUMNS = {
    "a": "int32",
    "b": "int32",
    "c": "uint32",
    "d": "uint32",
    "e": "int64",
    "f": "int64",
    "g": "uint64",
    "h": "uint64",
}
BOUNDS = {
    f"{sign}int{bits}": (0 if sign else -(1 << (bits - 1)), (1 << (bits if sign else bits - 1)) - 1)
    for bits in (8, 16, 32, 64)
    for sign in ("", "u")
}


def _edges_of(low: int, high: int) -> list[int]:
    around = [
        s * (1 << k) + d
        for k in (0, 1, 4, 7, 8, 15, 16, 31, 32, 33, 62, 63)
        for s in (1, -1)
        for d in (-1, 0, 1)
    ]
    return sorted(
        {low, low + 1, high - 1, high, *(x for x in (*around, 10, 100, -100, 12345) if low <= x <= high)}
    )


EDGES = {name: _edges_of(*bounds) for name, bounds in BOUNDS.items()}


@dataclass(frozen=True)
class Integer:
    """A number of an integer type."""

    value: int
    type: str

    @property
    def wide(self) -> str:
        """The type of operations with this number alone."""
        return "uint64" if self.type.startswith("u") else "int64"

    def __add__(self, other: Integer) -> Integer:
        return _operated(operator.add, self, other)

    def __sub__(self, other: Integer) -> Integer:
        return _operated(operator.sub, self, other)

    def __mul__(self, other: Integer) -> Integer:
        return _operated(operator.mul, self, other)

    def __and__(self, other: Integer) -> Integer:
        return _operated(operator.and_, self, other)

    def __or__(self, other: Integer) -> Integer:
        return _operated(operator.or_, self, other)

    def __xor__(self, other: Integer) -> Integer:
        return _operated(operator.xor, self, other)

    def __floordiv__(self, other: Integer) -> Integer:
        return _operated(lambda x, y: x // y if y else 0, self, other)

    def __mod__(self, other: Integer) -> Integer:
        return _operated(lambda x, y: x % y if y else 0, self, other)

    def __lshift__(self, other: Integer) -> Integer:
        amount = other.value % 2**64
        return _wrapped(self.value << amount if amount < 64 else 0, self.wide)

    def __rshift__(self, other: Integer) -> Integer:
        return _wrapped(self.value >> min(other.value % 2**64, 64), self.wide)

    def __pow__(self, exponent: int) -> Integer:
        return _wrapped(self.value**exponent, "int64")

    # Numba operates in the type of the operand, then makes the result 64 bits wide.
    def __neg__(self) -> Integer:
        return _wrapped(_wrapped(-self.value, self.type).value, self.wide)

    def __invert__(self) -> Integer:
        return _wrapped(_wrapped(~self.value, self.type).value, self.wide)

    def __abs__(self) -> Integer:
        return _wrapped(abs(self.value), self.type)

    def __bool__(self) -> bool:
        return self.value != 0

    def __lt__(self, other: Integer) -> bool:
        return self.value < other.value

    def __le__(self, other: Integer) -> bool:
        return self.value <= other.value

    def __gt__(self, other: Integer) -> bool:
        return self.value > other.value

    def __ge__(self, other: Integer) -> bool:
        return self.value >= other.value

    def __eq__(self, other: object) -> bool:
        return self.value == other.value if isinstance(other, Integer) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)


def _wrapped(value: int, name: str) -> Integer:
    low, high = BOUNDS[name]
    return Integer((value - low) % (high - low + 1) + low, name)


def _operated(operate: Callable[[int, int], int], x: Integer, y: Integer) -> Integer:
    """Convert both to 64 bits, signed if one of them is, and operate."""
    name = "uint64" if x.wide == y.wide == "uint64" else "int64"
    return _wrapped(operate(_wrapped(x.value, name).value, _wrapped(y.value, name).value), name)


def _cast(name: str) -> Callable[[Integer | int], Integer]:
    def cast(x: Integer | int) -> Integer:
        return _wrapped(x.value if isinstance(x, Integer) else int(x), name)

    return cast


CASTS = {name: _cast(name) for name in BOUNDS}


@dataclass(frozen=True)
class Expression:
    """Text and type of an expression; it mixes int64 and uint64 only where Numba makes no floats of them."""

    text: str
    type: str

    @property
    def is_signed(self) -> bool:
        return not self.type.startswith("u")

    def cast(self, name: str) -> Expression:
        return Expression(f"{name}({self.text})", name)


def _common(x: Expression, y: Expression) -> str:
    """Return the type of an operation of both: 64 bits, unsigned if both are."""
    return "int64" if x.is_signed or y.is_signed else "uint64"


def _agreeing(x: Expression, y: Expression) -> tuple[Expression, Expression]:
    """Cast both to one type where Numba would make floats of int64 and uint64."""
    if x.type != y.type:
        return x.cast(_common(x, y)), y.cast(_common(x, y))
    return x, y


def random_expressions(seed: int, count: int) -> list[Expression]:
    """Return expressions over the names of `COLUMNS`."""
    writer = _Writer(random.Random(f"integers {seed}"))
    return [writer.expression(writer.rng.choice((1, 2, 2, 3, 3, 4))) for _ in range(count)]


class _Writer:
    """Draws expressions."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def leaf(self) -> Expression:
        rng = self.rng
        name = rng.choice(list(COLUMNS))
        found = Expression(name, COLUMNS[name])
        return found.cast(rng.choice(list(BOUNDS))) if rng.random() < 0.2 else found

    def expression(self, depth: int) -> Expression:
        if depth == 0 or self.rng.random() < 0.1:
            return self.leaf()
        write = self.rng.choice(
            (self.binary,) * 5
            + (self.divided,) * 3
            + (self.shifted,) * 3
            + (
                self.unary,
                self.extreme,
                self.compared,
                self.chosen,
                self.converted,
                self.with_constant,
                self.power,
            )
        )
        return write(depth - 1)

    def binary(self, depth: int) -> Expression:
        x, y = self.expression(depth), self.expression(depth)
        return Expression(f"({x.text} {self.rng.choice('+-*&|^')} {y.text})", _common(x, y))

    def with_constant(self, depth: int) -> Expression:
        x = self.expression(depth)
        constant = self.rng.choice(EDGES["int32"] + EDGES["int64"])
        return Expression(f"({x.text} {self.rng.choice('+-*&|^')} int64({constant}))", "int64")

    def divided(self, depth: int) -> Expression:
        x, operator = self.expression(depth), self.rng.choice(("//", "%"))
        if self.rng.random() < 0.4:
            constant = self.rng.choice(EDGES["int64"])
            return Expression(f"({x.text} {operator} int64({constant}))", "int64")
        y = self.expression(depth)
        return Expression(f"({x.text} {operator} {y.text})", _common(x, y))

    def shifted(self, depth: int) -> Expression:
        x, operator = self.expression(depth), self.rng.choice(("<<", ">>"))
        kind = "int64" if x.is_signed else "uint64"
        if self.rng.random() < 0.4:
            return Expression(
                f"({x.text} {operator} {kind}({self.rng.choice((0, 1, 5, 31, 32, 33, 63))}))", kind
            )
        y = self.expression(depth).cast(kind)
        if self.rng.random() < 0.8:  # an amount that is mostly less than the width
            y = Expression(f"({y.text} & {kind}({self.rng.choice((31, 63, 127))}))", kind)
        return Expression(f"({x.text} {operator} {y.text})", kind)

    def unary(self, depth: int) -> Expression:
        x, operator = self.expression(depth), self.rng.choice(("-", "~", "abs"))
        if operator == "abs":
            return Expression(f"abs({x.text})", x.type)
        return Expression(f"({operator}{x.text})", "int64" if x.is_signed else "uint64")

    def extreme(self, depth: int) -> Expression:
        x, y = _agreeing(self.expression(depth), self.expression(depth))
        return Expression(f"{self.rng.choice(('min', 'max'))}({x.text}, {y.text})", x.type)

    def comparison(self, depth: int) -> str:
        x, y = self.expression(depth), self.expression(depth)
        if "uint64" in (x.type, y.type):
            x, y = _agreeing(x, y)
        return f"({x.text} {self.rng.choice(('<', '<=', '>', '>=', '==', '!='))} {y.text})"

    def compared(self, depth: int) -> Expression:
        return Expression(f"int64({self.comparison(depth)})", "int64")

    def chosen(self, depth: int) -> Expression:
        x, y = _agreeing(self.expression(depth), self.expression(depth))
        return Expression(f"({x.text} if {self.comparison(depth)} else {y.text})", x.type)

    def converted(self, depth: int) -> Expression:
        return self.expression(depth).cast(self.rng.choice(list(BOUNDS)))

    def power(self, depth: int) -> Expression:
        x = self.expression(depth).cast("int64")
        return Expression(f"({x.text} ** {self.rng.choice((2, 3, 5))})", "int64")


def kernel_text(expressions: list[Expression]) -> str:
    """Return a kernel that computes the expressions of one row of arguments in each invocation."""
    arrays = ", ".join(f"{name}_" for name in COLUMNS)
    lines = ["@nv.jit", f"def kernel({arrays}, out):", "    i = nv.global_id(0)", "    if i < out.shape[0]:"]
    lines += [f"        {name} = {name}_[i]" for name in COLUMNS]
    lines += [f"        out[i, {k}] = int64({expression.text})" for k, expression in enumerate(expressions)]
    return "\n".join(lines) + "\n"
