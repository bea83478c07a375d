"""Random Python kernels: control flow of every kind around integers, and float32 in a second mode.

Expressions are chosen so that it does not matter where a value wraps: sums, products and bit operations may grow in
between, everything else takes wrapped operands. Each loop has a bound on its trips, and nested loops share a budget,
so every program ends soon.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from differential.programs import (
    INPUTS,
    REAL,
    SIGNED,
    SLOTS,
    UNSIGNED,
    WIDE,
    Arm,
    Function,
    Program,
    Statement,
)

__all__ = ["random_program"]

_TRIPS = 200  # bound on the product of the trips of nested loops
_CONSTANTS = (
    0,
    1,
    2,
    3,
    5,
    7,
    10,
    31,
    63,
    100,
    255,
    1000,
    65535,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**40 + 1,
    2**63 - 1,
)


def random_program(seed: int, floats: bool = False) -> Program:
    """Return the program of a seed."""
    rng = random.Random(f"{seed} {floats}")
    functions: list[Function] = []
    for number in range(rng.choice((0, 0, 1, 1, 2))):
        functions.append(_Writer(rng, tuple(functions), floats=False).function(f"f{number}"))
    writer = _Writer(rng, tuple(functions), floats, left=rng.choice((3, 4, 6, 8, 12, 16, 28)))
    return Program(seed, tuple(functions), writer.whole(), floats)


@dataclass
class _Writer:
    """Writes the statements of one kernel or function."""

    rng: random.Random
    functions: tuple[Function, ...]
    floats: bool
    results: int = 0  # of the function that is written; 0 in a kernel
    depth: int = 0
    loops: list[str] = field(
        default_factory=list
    )  # kinds of the loops around; those with a last line take no continue
    trips: int = 1
    cost: int = 0  # statements that one call may execute, roughly
    left: int = 10  # statements that may still be written as compound ones, roughly

    def function(self, name: str) -> Function:
        self.results = self.rng.choice((1, 1, 2, 3))
        self.left = self.rng.randint(2, 8)
        body = self.whole()
        return Function(name, self.results, body, self.leave(), self.cost)

    def whole(self) -> tuple[Statement, ...]:
        """Write statements until those left are used up."""
        statements: list[Statement] = []
        while self.left > 0:
            statements += self.body(1)
        return tuple(statements)

    def body(self, count: int) -> tuple[Statement, ...]:
        statements: list[Statement] = []
        for _ in range(count):
            self.left -= 1
            self.cost += self.trips
            statements.append(self.statement())
        return tuple(statements)

    def inner(self) -> tuple[Statement, ...]:
        """Write the body of an arm, which may end in a jump."""
        self.depth += 1
        statements = self.body(self.rng.choice((1, 1, 2, 2, 3)) if self.left > 0 else 1)
        if self.rng.random() < (0.25 if self.loops else 0.08):
            statements += (self.jump(),)
        self.depth -= 1
        return statements

    def statement(self) -> Statement:
        choices = _SIMPLE
        if (
            self.left > 0
            and self.depth < 6
            and self.rng.random() < (0.55, 0.55, 0.5, 0.4, 0.3, 0.2)[self.depth]
        ):
            choices = _COMPOUND
        if self.floats and choices is _SIMPLE and self.rng.random() < 0.4:
            choices = _FLOATING
        writers, weights = zip(*choices, strict=True)
        write: Callable[[_Writer], Statement] = self.rng.choices(writers, weights)[0]
        return write(self)

    # ---------------------------------------------------------------- expressions

    def atom(self, constant: bool = True) -> str:
        """Write a 64-bit value that is wrapped; Numba folds operations on constants only, and stops at large ones."""
        rng = self.rng
        kind = rng.random() * (1 if constant else 0.84)
        if kind < 0.5:
            return rng.choice(WIDE)
        if kind < 0.62:
            return rng.choice(SIGNED)
        if kind < 0.7:
            return f"int64({rng.choice(UNSIGNED)})"
        if kind < 0.78:
            return rng.choice(("k0", "k1", "k2", "t0", "p", "pair[0]", "pair[1]"))
        if kind < 0.84:
            return f"data[{self.index(INPUTS)}]"
        number = rng.choice(_CONSTANTS)
        return str(number) if rng.random() < 0.7 else f"(-{number})"

    def index(self, size: int) -> str:
        name = self.rng.choice((*WIDE, *SIGNED, "k0", "p"))
        return self.rng.choice((f"{name} % {size}", f"{name} & {size - 1}", str(self.rng.randrange(size))))

    def value(self, depth: int = 2, constant: bool = True) -> str:
        """Write a 64-bit expression, wrapped."""
        if depth == 0 or self.rng.random() < 0.35:
            return self.atom(constant)
        return f"int64({self.expression(depth)})"

    def expression(self, depth: int = 2, constant: bool = True) -> str:
        """Write a 64-bit expression that may grow in plain Python; a cast has to follow."""
        rng = self.rng
        if depth == 0:
            return self.atom(constant)
        kind = rng.random()
        if kind < 0.45:
            operator = rng.choice(("+", "-", "*", "&", "|", "^"))
            return f"({self.expression(depth - 1, constant=False)} {operator} {self.expression(depth - 1)})"
        x = self.value(depth - 1, constant=False)
        if kind < 0.7:
            operator, right = rng.choice(_OPERATORS)
            return f"({x} {operator} {right.replace('X', self.value(depth - 1))})"
        if kind < 0.78:
            return f"{rng.choice(('min', 'max'))}({x}, {self.value(depth - 1)})"
        if kind < 0.86:
            return rng.choice((f"abs(int64({x}))", f"(-int64({x}))", f"(~{x})"))
        if kind < 0.95:
            return f"({x} if {self.comparison(0)} else {self.value(depth - 1)})"
        return f"({x} + ({self.comparison(0)}))"

    def comparison(self, depth: int) -> str:
        rng = self.rng
        operator = rng.choice(("<", "<=", ">", ">=", "==", "!="))
        kind = rng.random()
        if kind < 0.08:
            return rng.choice(("b0", "b1", "not b0", "b0 != b1"))
        if kind < 0.15:
            return f"{rng.choice(UNSIGNED)} {operator} {rng.choice(UNSIGNED)}"
        if kind < 0.3:
            return f"{self.value(depth)} < {self.value(depth)} <= {self.value(depth)}"
        if kind < 0.6:
            return f"{self.value(depth, constant=False)} % {rng.randint(2, 7)} {operator} {rng.randint(0, 3)}"
        return f"{self.value(depth, constant=False)} {operator} {self.value(depth)}"

    def condition(self, depth: int = 2) -> str:
        rng = self.rng
        kind = rng.random()
        if depth == 0 or kind < 0.4:
            if self.floats and rng.random() < 0.4:
                return f"{self.real()} {rng.choice(('<', '<=', '>', '>=', '==', '!='))} {self.real()}"
            return (
                self.comparison(rng.choice((0, 0, 1)))
                if rng.random() < 0.85
                else f"({self.value(0, constant=False)} & {rng.choice((1, 2, 4, 6))})"
            )
        if kind < 0.9:
            word = rng.choice((" and ", " or "))
            return "(" + word.join(self.condition(depth - 1) for _ in range(rng.choice((2, 2, 3)))) + ")"
        return f"not {self.condition(depth - 1)}"

    def unsigned(self) -> str:
        x, y = self.rng.choice(UNSIGNED), self.rng.choice(UNSIGNED)
        form = self.rng.choice(_UNSIGNED_FORMS)
        return form.replace("X", x).replace("Y", y).replace("V", self.value(1))

    def real(self) -> str:
        return self.rng.choice((*REAL, *REAL, f"float32({self.rng.choice((-2.5, 0.125, 0.5, 1.75, 3.0))})"))

    # ---------------------------------------------------------------- simple statements

    def assign(self) -> Statement:
        name = self.rng.choice((*WIDE, *WIDE, "p"))
        return Statement((f"{name} = {self.value()}",))

    def assign_int32(self) -> Statement:
        return Statement((f"{self.rng.choice(SIGNED)} = int32({self.expression()})",))

    def assign_uint32(self) -> Statement:
        return Statement((f"{self.rng.choice(UNSIGNED)} = uint32({self.unsigned()})",))

    def assign_bool(self) -> Statement:
        name = self.rng.choice(("b0", "b1"))
        if self.rng.random() < 0.2:
            return Statement(("b0, b1 = b1, not b0",))
        return Statement((f"{name} = True if {self.condition(1)} else False",))

    def assign_pair(self) -> Statement:
        lines = (
            f"pair = (int64({self.value(1)}), int64({self.value(1)}))",
            "pair = (pair[1], pair[0])",
            "v2, v0 = pair",
        )
        return Statement((self.rng.choice(lines),))

    def augment(self) -> Statement:
        name, operator = self.rng.choice(WIDE), self.rng.choice(("^=", "&=", "|=", ">>=", "%="))
        right = {">>=": str(self.rng.randint(1, 9)), "%=": f"({self.value(1)} | 1)"}
        return Statement((f"{name} {operator} {right.get(operator) or self.value(1)}",))

    def rotate(self) -> Statement:
        names = self.rng.choice((WIDE, SIGNED, UNSIGNED))
        targets = self.rng.sample(names, self.rng.randint(2, min(3, len(names))))
        sources = targets[1:] + targets[:1]
        if names is WIDE and self.rng.random() < 0.4:
            sources[-1] = self.value()
        return Statement((f"{', '.join(targets)} = {', '.join(sources)}",))

    def trace(self) -> Statement:
        return Statement((f"out[i, p & {SLOTS - 1}] = {self.value()}", "p = int64(p + 1)"))

    def store(self) -> Statement:
        return Statement((f"out[i, {self.index(SLOTS)}] = {self.value()}",))

    def load(self) -> Statement:
        name = self.rng.choice(WIDE)
        source = self.rng.choice((f"data[{self.index(INPUTS)}]", f"out[i, {self.index(SLOTS)}]"))
        return Statement((f"{name} = {source}",))

    def load_small(self) -> Statement:
        if self.results or self.rng.random() < 0.5:
            name, size = self.rng.choice(WIDE), INPUTS
            return Statement((f"{name} = data[{self.index(size)}] >> {self.rng.choice((1, 40, 60))}",))
        if self.rng.random() < 0.5:
            return Statement((f"{self.rng.choice(SIGNED)} = small[{self.index(INPUTS)}]",))
        return Statement((f"{self.rng.choice(UNSIGNED)} = positive[{self.index(INPUTS)}]",))

    def call(self) -> Statement:
        callable_here = [f for f in self.functions if f.cost * self.trips <= 20 * _TRIPS]
        if not callable_here:
            return self.assign()
        function = self.rng.choice(callable_here)
        self.cost += function.cost * self.trips
        targets = ", ".join(self.rng.sample(WIDE, function.results))
        call = f"{function.name}({self.value(1)}, {self.value(1)}, data, out, i)"
        if function.results == 1 and self.rng.random() < 0.5:
            call = f"int64({call} {self.rng.choice('+-*^')} {self.atom()})"
        return Statement((f"{targets} = {call}",))

    def assign_real(self) -> Statement:
        name, x, y = self.rng.choice(REAL), self.real(), self.real()
        form = self.rng.choice(_REAL_FORMS)
        text = (
            form.replace("X", x).replace("Y", y).replace("V", self.value(1)).replace("C", self.condition(1))
        )
        return Statement((f"{name} = {text}",))

    def store_real(self) -> Statement:
        return Statement((f"real_out[i, {self.index(SLOTS)}] = {self.real()}",))

    def load_real(self) -> Statement:
        return Statement((f"{self.rng.choice(REAL)} = reals[{self.index(INPUTS)}]",))

    def truncate_real(self) -> Statement:
        real = self.rng.choice(REAL)
        guard = f"float32(-30000.0) < {real} < float32(30000.0)"
        return Statement((f"{self.rng.choice(WIDE)} = truncated({real}) if {guard} else 7",))

    # ---------------------------------------------------------------- compound statements

    def branch(self) -> Statement:
        arms = [Arm(f"if {self.condition()}:", self.inner())]
        for _ in range(self.rng.choice((0, 0, 0, 1, 2))):
            arms.append(Arm(f"elif {self.condition()}:", self.inner()))
        if self.rng.random() < 0.5:
            arms.append(Arm("else:", self.inner()))
        return Statement((), tuple(arms))

    def choice(self) -> Statement:
        """Write a chain that LLVM turns into a switch."""
        selector = f"({self.rng.choice(WIDE)} {self.rng.choice(('% 6', '& 7', '% 5'))})"
        arms = []
        for k, case in enumerate(self.rng.sample(range(7), self.rng.randint(3, 5))):
            other = f" or {selector} == {case + 1}" if self.rng.random() < 0.2 else ""
            arms.append(Arm(f"{'elif' if k else 'if'} {selector} == {case}{other}:", self.inner()))
        if self.rng.random() < 0.6:
            arms.append(Arm("else:", self.inner()))
        return Statement((), tuple(arms))

    def count(self) -> Statement:
        """Write a ``for`` loop over a range, or over a tuple."""
        if len(self.loops) == 3 or self.trips * 3 > _TRIPS:
            return self.branch()
        x, y, z = (self.rng.choice((*WIDE, *SIGNED, "p")) for _ in range(3))
        text, trips = self.rng.choice(_RANGES)
        if self.rng.random() < 0.08:
            text, trips = f"(int64({self.value(1)}), int64(X), int64({self.value(1)}), int64(Y))", 4
        text = text.replace("X", x).replace("Y", y).replace("Z", z)
        return self.loop(f"for k{len(self.loops)} in {text}:", "for", trips)

    def spin(self) -> Statement:
        """Write a ``while`` loop with a counter of its own."""
        if len(self.loops) == 3 or self.trips * 3 > _TRIPS:
            return self.branch()
        rng, counter = self.rng, f"t{len(self.loops)}"
        trips = rng.randint(1, 7)
        start = (f"{counter} = 0",)
        step, limit = f"{counter} += 1", f"if {counter} > {trips}:"
        leave = self.leave() if rng.random() < 0.15 else "break"
        kind = rng.random()
        if kind < 0.5:
            condition = f"{counter} < {trips} and {self.condition()}"
            if rng.random() < 0.3:
                condition = f"({self.condition(1)} or {self.condition(1)}) and {counter} < {trips}"
            return self.loop(f"while {condition}:", "while", trips, start, first=(step,))
        if kind < 0.8:
            return self.loop("while True:", "while", trips, start, first=(step, limit, f"    {leave}"))
        return self.loop("while True:", "do", trips, start, last=(step, limit, f"    {leave}"))

    def loop(
        self,
        head: str,
        kind: str,
        trips: int,
        before: tuple[str, ...] = (),
        first: tuple[str, ...] = (),
        last: tuple[str, ...] = (),
    ) -> Statement:
        outside = self.trips
        self.trips *= trips
        self.loops.append(kind)
        body = self.inner()
        jumps = bool(body[-1].lines) and body[-1].lines[-1].split()[0] in ("break", "continue", "return")
        if not jumps and self.rng.random() < 0.4:
            body += (Statement((), (Arm(f"if {self.condition(1)}:", (self.jump(),)),)), *self.inner())
        self.loops.pop()
        self.trips = outside
        arms = [Arm(head, body, first, last)]
        if self.rng.random() < 0.3:
            arms.append(Arm("else:", self.inner()))
        return Statement(before, tuple(arms))

    def jump(self) -> Statement:
        kinds = ["leave"]
        if self.loops:
            kinds += ["break", "break", "break"]
            if self.loops[-1] != "do":
                kinds += ["continue", "continue", "continue"]
        kind = self.rng.choice(kinds)
        if kind != "leave":
            return Statement((kind,))
        before = () if self.results else (f"out[i, {self.index(SLOTS)}] = {self.value()}",)
        return Statement((*before, self.leave()))

    def leave(self) -> str:
        if not self.results:
            return "return"
        return "return " + ", ".join(f"int64({self.value(1)})" for _ in range(self.results))


# A right operand that keeps the operation defined; X is a wrapped value.
_OPERATORS = (
    ("//", "(X | 1)"),
    ("%", "(X | 1)"),
    ("//", "((X & 7) + 1)"),
    ("%", "((X & 7) + 1)"),
    ("//", "(-(X & 7) - 1)"),
    ("%", "(-(X & 7) - 1)"),
    ("//", "10"),
    ("%", "7"),
    ("//", "(-3)"),
    ("%", "(-16)"),
    ("<<", "(X & 63)"),
    (">>", "(X & 63)"),
    ("<<", "3"),
    (">>", "33"),
)
# X and Y are variables of type uint32, V is a 64-bit value. Only the last operation may leave 32 bits.
_UNSIGNED_FORMS = (
    "V",
    "X + Y",
    "X - Y",
    "X * Y",
    "X ^ Y",
    "X & Y",
    "~X",
    "X // (Y | uint32(1))",
    "X % (Y | uint32(1))",
    "X >> (Y & uint32(31))",
    "X << (Y & uint32(31))",
    "max(X, Y)",
    "X if X < Y else Y + uint32(1)",
)
# Products are followed by a sum that keeps results away from denormal numbers.
_REAL_FORMS = (
    "X + Y",
    "X - Y",
    "X * Y + float32(0.75)",
    "X * float32(-0.5) + Y",
    "-X",
    "abs(X)",
    "X if X < Y else Y",
    "Y if C else X",
    "float32(V & 65535) * float32(0.25)",
    "X + float32(V % 9 - 4)",
)
_RANGES = (
    ("range(3)", 3),
    ("range(1, 6)", 5),
    ("range(5, 0, -1)", 5),
    ("range(9, -3, -4)", 3),
    ("range(X % 5)", 4),
    ("range(int32(X & 3))", 3),
    ("range(X % 4, Y % 7)", 6),
    ("range(X % 9, Y % 6 - 2, -2)", 5),
    ("range(-(X % 6), Y % 4, (Z & 1) + 1)", 8),
    ("range(X % 5, Y % 5, (Z & 3) * 2 - 3)", 5),
    ("range(X & 3, 40, 11)", 4),
)
_SIMPLE = (
    (_Writer.assign, 6),
    (_Writer.assign_int32, 2),
    (_Writer.assign_uint32, 2),
    (_Writer.assign_bool, 1),
    (_Writer.assign_pair, 1),
    (_Writer.augment, 1),
    (_Writer.rotate, 2),
    (_Writer.trace, 4),
    (_Writer.store, 1),
    (_Writer.load, 1),
    (_Writer.load_small, 1),
    (_Writer.call, 2),
)
_FLOATING = (
    (_Writer.assign_real, 5),
    (_Writer.store_real, 2),
    (_Writer.load_real, 1),
    (_Writer.truncate_real, 1),
)
_COMPOUND = ((_Writer.branch, 4), (_Writer.choice, 1), (_Writer.count, 4), (_Writer.spin, 4))
