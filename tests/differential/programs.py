"""Random Python kernels as source text: control flow of every kind around integers, and float32 in a second mode.

A program runs unchanged as a kernel and as plain Python: the names ``int64``, ``int32`` and ``uint32`` are casts of
Numba in the one and functions that wrap Python integers in the other. Expressions are chosen so that it does not
matter where a value wraps: sums, products and bit operations may grow in between, everything else takes wrapped
operands. Each loop has a bound on its trips, and nested loops share a budget, so every program ends soon.

A program is a tree of statements, so that a failing one can be shrunk.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

__all__ = ["SLOTS", "Arm", "Function", "Program", "Statement", "random_program"]

SLOTS = 32  # elements of the trace of an invocation
INPUTS = 16  # elements of each input array
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
_WIDE = ("v0", "v1", "v2", "v3")
_SIGNED = ("s0", "s1")
_UNSIGNED = ("u0", "u1")
_REAL = ("r0", "r1", "r2")


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
)
_REAL_START = ("r0 = reals[i % 16]", "r1 = reals[(i + 5) % 16]", "r2 = float32(0.5)")
_KERNEL_END = (
    *(f"out[i, {24 + k}] = {name}" for k, name in enumerate((*_WIDE, *_SIGNED))),
    "out[i, 30] = int64(u0)",
    "out[i, 31] = int64(u1)",
)
_REAL_END = tuple(f"real_out[i, {k}] = {name}" for k, name in enumerate(_REAL))


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


def random_program(seed: int, floats: bool = False) -> Program:
    """Return the program of a seed."""
    rng = random.Random(f"{seed} {floats}")
    functions: list[Function] = []
    for number in range(rng.choice((0, 0, 1, 1, 2))):
        functions.append(_Writer(rng, tuple(functions), floats=False).function(f"f{number}"))
    writer = _Writer(rng, tuple(functions), floats, left=rng.choice((4, 6, 9, 12, 16, 24, 36)))
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
            return rng.choice(_WIDE)
        if kind < 0.62:
            return rng.choice(_SIGNED)
        if kind < 0.7:
            return f"int64({rng.choice(_UNSIGNED)})"
        if kind < 0.78:
            return rng.choice(("k0", "k1", "k2", "t0", "p"))
        if kind < 0.84:
            return f"data[{self.index(INPUTS)}]"
        number = rng.choice(_CONSTANTS)
        return str(number) if rng.random() < 0.7 else f"(-{number})"

    def index(self, size: int) -> str:
        name = self.rng.choice((*_WIDE, *_SIGNED, "k0", "p"))
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
        if kind < 0.15:
            return f"{rng.choice(_UNSIGNED)} {operator} {rng.choice(_UNSIGNED)}"
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
        x, y = self.rng.choice(_UNSIGNED), self.rng.choice(_UNSIGNED)
        form = self.rng.choice(_UNSIGNED_FORMS)
        return form.replace("X", x).replace("Y", y).replace("V", self.value(1))

    def real(self) -> str:
        return self.rng.choice((*_REAL, *_REAL, f"float32({self.rng.choice((-2.5, 0.125, 0.5, 1.75, 3.0))})"))

    # ---------------------------------------------------------------- simple statements

    def assign(self) -> Statement:
        name = self.rng.choice((*_WIDE, *_WIDE, "p"))
        return Statement((f"{name} = {self.value()}",))

    def assign_int32(self) -> Statement:
        return Statement((f"{self.rng.choice(_SIGNED)} = int32({self.expression()})",))

    def assign_uint32(self) -> Statement:
        return Statement((f"{self.rng.choice(_UNSIGNED)} = uint32({self.unsigned()})",))

    def augment(self) -> Statement:
        name, operator = self.rng.choice(_WIDE), self.rng.choice(("^=", "&=", "|=", ">>=", "%="))
        right = {">>=": str(self.rng.randint(1, 9)), "%=": f"({self.value(1)} | 1)"}
        return Statement((f"{name} {operator} {right.get(operator) or self.value(1)}",))

    def rotate(self) -> Statement:
        names = self.rng.choice((_WIDE, _SIGNED, _UNSIGNED))
        targets = self.rng.sample(names, self.rng.randint(2, min(3, len(names))))
        sources = targets[1:] + targets[:1]
        if names is _WIDE and self.rng.random() < 0.4:
            sources[-1] = self.value()
        return Statement((f"{', '.join(targets)} = {', '.join(sources)}",))

    def trace(self) -> Statement:
        return Statement((f"out[i, p & {SLOTS - 1}] = {self.value()}", "p = int64(p + 1)"))

    def store(self) -> Statement:
        return Statement((f"out[i, {self.index(SLOTS)}] = {self.value()}",))

    def load(self) -> Statement:
        name = self.rng.choice(_WIDE)
        source = self.rng.choice((f"data[{self.index(INPUTS)}]", f"out[i, {self.index(SLOTS)}]"))
        return Statement((f"{name} = {source}",))

    def load_small(self) -> Statement:
        if self.results or self.rng.random() < 0.5:
            name, size = self.rng.choice(_WIDE), INPUTS
            return Statement((f"{name} = data[{self.index(size)}] >> {self.rng.choice((1, 40, 60))}",))
        if self.rng.random() < 0.5:
            return Statement((f"{self.rng.choice(_SIGNED)} = small[{self.index(INPUTS)}]",))
        return Statement((f"{self.rng.choice(_UNSIGNED)} = positive[{self.index(INPUTS)}]",))

    def call(self) -> Statement:
        callable_here = [f for f in self.functions if f.cost * self.trips <= 20 * _TRIPS]
        if not callable_here:
            return self.assign()
        function = self.rng.choice(callable_here)
        self.cost += function.cost * self.trips
        targets = ", ".join(self.rng.sample(_WIDE, function.results))
        call = f"{function.name}({self.value(1)}, {self.value(1)}, data, out, i)"
        if function.results == 1 and self.rng.random() < 0.5:
            call = f"int64({call} {self.rng.choice('+-*^')} {self.atom()})"
        return Statement((f"{targets} = {call}",))

    def assign_real(self) -> Statement:
        name, x, y = self.rng.choice(_REAL), self.real(), self.real()
        form = self.rng.choice(_REAL_FORMS)
        text = (
            form.replace("X", x).replace("Y", y).replace("V", self.value(1)).replace("C", self.condition(1))
        )
        return Statement((f"{name} = {text}",))

    def store_real(self) -> Statement:
        return Statement((f"real_out[i, {self.index(SLOTS)}] = {self.real()}",))

    def load_real(self) -> Statement:
        return Statement((f"{self.rng.choice(_REAL)} = reals[{self.index(INPUTS)}]",))

    def truncate_real(self) -> Statement:
        real = self.rng.choice(_REAL)
        guard = f"float32(-30000.0) < {real} < float32(30000.0)"
        return Statement((f"{self.rng.choice(_WIDE)} = truncated({real}) if {guard} else 7",))

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
        selector = f"({self.rng.choice(_WIDE)} {self.rng.choice(('% 6', '& 7', '% 5'))})"
        arms = []
        for k, case in enumerate(self.rng.sample(range(7), self.rng.randint(3, 5))):
            other = f" or {selector} == {case + 1}" if self.rng.random() < 0.2 else ""
            arms.append(Arm(f"{'elif' if k else 'if'} {selector} == {case}{other}:", self.inner()))
        if self.rng.random() < 0.6:
            arms.append(Arm("else:", self.inner()))
        return Statement((), tuple(arms))

    def count(self) -> Statement:
        """Write a ``for`` loop over a range."""
        if len(self.loops) == 3 or self.trips * 3 > _TRIPS:
            return self.branch()
        x, y, z = (self.rng.choice((*_WIDE, *_SIGNED, "p")) for _ in range(3))
        text, trips = self.rng.choice(_RANGES)
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
