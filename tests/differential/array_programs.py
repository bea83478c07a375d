"""Random programs of slices, operations on arrays, assignments and reductions, as Python source."""

from __future__ import annotations

import random

__all__ = ["PARAMETERS", "array_program"]

PARAMETERS = "a, b, m, out"
_SIZE, _ROWS, _COLUMNS = 8, 3, 4
_OPERATORS = ("+", "-", "*", "&", "|", "^")
_COMPARISONS = ("<", "<=", "==", "!=", ">")
_FUNCTIONS = ("abs", "negative", "square", "sign", "invert", "flip", "round")
_OF_TWO = ("maximum", "minimum", "add", "multiply", "bitwise_xor")
_OF_MATRICES = (
    "m",
    "np.flipud(m)",
    "np.fliplr(m)",
    "m.T.swapaxes(0, 1)",
    "np.moveaxis(m.T, 0, 1)",
    "np.flip(m)",
)
_REDUCTIONS = ("sum", "prod", "min", "max", "argmin", "argmax", "any", "all")


class _Writer:
    """Writes one program.

    Sizes are kept in view, so that most statements have operands that go together; those that do not must raise in
    both worlds.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.readable = "abm"

    def slice_of(self, size: int, count: int) -> str:
        """Return a slice that takes ``count`` of ``size`` elements."""
        step = self.rng.choice([s for s in (1, 1, 2, -1, -2) if (count - 1) * abs(s) < size])
        start = self.rng.randrange(size - (count - 1) * abs(step))
        stop = start + (count - 1) * abs(step) + 1
        if step > 0:
            return f"{start - size if self.rng.random() < 0.3 else start}:{stop}{'' if step == 1 else f':{step}'}"
        return f"{stop - 1}:{start - 1 if start else ''}:{step}"

    def vector(self, count: int, depth: int = 0) -> str:
        """Return an operand of one axis."""
        choice = self.rng.random()
        if depth < 2 and choice < 0.15:
            return self.called(count, depth + 1)
        if depth < 2 and choice < 0.4:
            return f"({self.vector(count, depth + 1)} {self.rng.choice(_OPERATORS)} {self.operand(count, depth + 1)})"
        if count <= _COLUMNS and choice < 0.6 and "m" in self.readable:
            matrix = self.rng.choice(_OF_MATRICES)
            return f"{matrix}[{self.rng.randrange(-_ROWS, _ROWS)}, {self.slice_of(_COLUMNS, count)}]"
        if count <= _ROWS and choice < 0.7 and "m" in self.readable:
            column = self.rng.randrange(_COLUMNS)
            line = self.rng.choice((f"m.T[{column}]", "m.diagonal()", f"m[:, None].squeeze(1)[:, {column}]"))
            return f"{line}[{self.slice_of(_ROWS, count)}]"
        name = self.rng.choice([name for name in self.readable if name != "m"])
        return f"{name}[{self.slice_of(_SIZE, count)}]"

    def called(self, count: int, depth: int) -> str:
        """Return a function of NumPy of operands of one axis."""
        choice = self.rng.random()
        if choice < 0.35:
            # A function that gives a view takes an array in memory.
            name = self.rng.choice(_FUNCTIONS)
            return f"np.{name}({self.vector(count, 2 if name == 'flip' else depth)})"
        if choice < 0.7:
            return f"np.{self.rng.choice(_OF_TWO)}({self.vector(count, depth)}, {self.operand(count, depth)})"
        if choice < 0.85:
            low = self.rng.randrange(-9, 9)
            return f"np.clip({self.vector(count, depth)}, np.int32({low}), np.int32({low + self.rng.randrange(9)}))"
        condition = (
            f"{self.vector(count, depth)} {self.rng.choice(_COMPARISONS)} {self.operand(count, depth)}"
        )
        return f"np.where({condition}, {self.vector(count, depth)}, {self.operand(count, depth)})"

    def operand(self, count: int, depth: int) -> str:
        """Return an array or a number."""
        choice = self.rng.random()
        if choice < 0.2:
            return f"np.int32({self.rng.randrange(-9, 9)})"
        if choice < 0.35:
            return f"{self.rng.choice('ab')}[{self.rng.randrange(-_SIZE, _SIZE)}]"
        return self.vector(count, depth)

    def statement(self) -> str:
        """Return one statement; what it writes is seldom read by it, since most such overlaps are refused."""
        written = self.rng.choice("ab")
        self.readable = "abm"
        count = self.rng.randint(1, 4)
        choice = self.rng.random()
        place = self.rng.randrange(8)
        if choice < 0.12:
            return self.along_an_axis(place)
        if choice < 0.18:
            return self.number(place, count)
        if choice < 0.3:
            name = self.rng.choice(_REDUCTIONS)
            return f"out[{place}] = {self.vector(count)}.{name}()"
        if choice < 0.4:
            left, right = self.vector(count), self.vector(count)
            return f"out[{place}] = ({left} {self.rng.choice(_COMPARISONS)} {right}).sum()"
        if choice < 0.5:
            self.readable = "ab"
            return f"m[{self.rng.choice((':', '1:', '::-1'))}] {self.rng.choice('+*')}= {self.vector(4)}"
        if choice < 0.6:
            values = f"{self.rng.choice('ab')}[{self.slice_of(_SIZE, count)}]"
            return f"for k, v in enumerate({values}):\n    out[k] += np.int64(v) * k"
        if self.rng.random() < 0.85:
            self.readable = self.readable.replace(written, "")
        target = f"{written}[{self.slice_of(_SIZE, count)}]"
        operator = self.rng.choice(("", "", "+", "-", "*", "copyto", "clip"))
        if operator == "copyto":
            return f"np.copyto({target}, {self.operand(count, 0)})"
        if operator == "clip":
            return f"np.clip({self.vector(count)}, np.int32(-5), np.int32(7), {target})"
        return f"{target} {operator}= {self.operand(count, 0)}"

    def number(self, place: int, count: int) -> str:
        """Return a statement with a number out of arrays."""
        left, right = self.vector(count), self.vector(count)
        value = self.rng.choice(
            (
                f"np.ptp({left})",
                f"np.array_equal({left}, {right})",
                f"np.vdot({left}, {right})",
                f"({self.rng.choice('ab')}[{place}] in {left})",
                f"any({left} > {right}) + all({left} <= {right})",
                f"np.trace(m) + max(a[{self.slice_of(_SIZE, count)}]) - min(m.T[{place % _COLUMNS}])",
                f"m.reshape(3, 2, 2).{self.rng.choice(_REDUCTIONS[:4])}(axis=({self.rng.choice(('0, 1', '2, 0'))}))[1]",
                f"(m * np.int32(3)).sum(axis=({self.rng.choice(('0, 1', '-1, 0'))}))",
            )
        )
        return f"out[{place}] = {value}"

    def along_an_axis(self, place: int) -> str:
        """Return a statement with a reduction along an axis, or a product."""
        name, axis = self.rng.choice(_REDUCTIONS), self.rng.choice((0, 1, -1))
        count = _COLUMNS if axis == 0 else _ROWS
        operand = self.rng.choice(
            ("m", "(m * np.int32(3))", f"(m - m[{self.rng.randrange(_ROWS)}])", "(m & np.int32(5))")
        )
        reduced = f"{operand}.{name}(axis={axis})"
        choice = self.rng.random()
        if choice < 0.3:
            return f"out[:{count}] {self.rng.choice(('', '+', '-'))}= {reduced}"
        if choice < 0.5:
            return f"out[:{count}] = {reduced} * {self.vector(count)}"
        if choice < 0.65:
            return f"out[{place}] = {reduced}.sum()"
        if choice < 0.75:
            return f"out[:4] = ({operand} - {operand}.sum(axis={axis}, keepdims=True))[{self.rng.randrange(_ROWS)}, 0]"
        if choice < 0.85:
            return f"m[0] = m[1:].{self.rng.choice(('sum', 'min', 'max'))}(axis=0)"
        return f"out[:{_ROWS}] = m @ {self.vector(_COLUMNS)}"


def array_program(seed: int, statements: int = 6) -> str:
    """Return the body of a function of int32 arrays ``a``, ``b`` (8), ``m`` (3, 4) and an int64 array ``out`` (8)."""
    writer = _Writer(random.Random(seed))
    return "\n".join(writer.statement() for _ in range(statements))
