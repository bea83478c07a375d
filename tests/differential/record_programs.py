"""Random dtypes of records, nested, packed and aligned, and random programs that read and write them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

__all__ = ["PARAMETERS", "random_dtype", "record_program"]

PARAMETERS = "i, a, b, out"
_NUMBERS = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()
_LONGEST = 3


def random_dtype(rng: random.Random, depth: int = 0) -> np.dtype:
    """Return a dtype with fields of every kind."""
    fields: list[tuple[object, ...]] = []
    for number in range(rng.randrange(1, 5 - depth)):
        choice = rng.random()
        kind: object = random_dtype(rng, depth + 1) if choice < 0.25 and depth < 2 else rng.choice(_NUMBERS)
        shape = tuple(rng.randrange(1, _LONGEST) for _ in range(rng.choice((0, 0, 0, 1, 2))))
        fields.append((f"f{number}", kind, shape) if shape else (f"f{number}", kind))
    return np.dtype(fields, align=rng.random() < 0.4)


@dataclass(frozen=True)
class _Part:
    """Something in a record.

    Attributes
    ----------
    path : str
        How it is reached from the record.
    column, indices : str
        The fields on the way to it from the array, and the indices of arrays on the way.
    dtype : numpy.dtype
        What it is.
    """

    path: str
    column: str
    indices: str
    dtype: np.dtype


def _parts(rng: random.Random, dtype: np.dtype, within: _Part | None = None) -> Iterator[_Part]:
    """Yield the parts of a record; of arrays a random element as well."""
    path, column, indices = (within.path, within.column, within.indices) if within else ("", "", "")
    for name in dtype.names or ():
        part = _Part(f'{path}["{name}"]', f'{column}["{name}"]', indices, dtype[name])
        yield part
        if part.dtype.shape:
            index = ", ".join(str(rng.randrange(extent)) for extent in part.dtype.shape)
            part = _Part(f"{part.path}[{index}]", part.column, f"{indices}, {index}", part.dtype.base)
            yield part
        yield from _parts(rng, part.dtype, part)


class _Writer:
    """Writes one program over two arrays of one dtype."""

    def __init__(self, rng: random.Random, dtype: np.dtype) -> None:
        self.rng = rng
        self.parts = list(_parts(rng, dtype))

    def reach(self, array: str, part: _Part) -> str:
        """Return an expression for a part of record ``i``."""
        if self.rng.random() < 0.3:
            return f"{array}{part.column}[i{part.indices}]"
        return f"{array}[i]{part.path}"

    def number(self) -> tuple[str, _Part] | None:
        """Return an expression for a number in a record, and which it is."""
        numbers = [part for part in self.parts if not part.dtype.shape and part.dtype.names is None]
        if not numbers:
            return None
        part = self.rng.choice(numbers)
        return self.reach(self.rng.choice("ab"), part), part

    def statement(self) -> str:
        """Return one statement."""
        source = self.rng.choice("ab")
        target = self.rng.choice("ab")
        choice = self.rng.random()
        if choice < 0.15:
            return f"{target}[i] = {source}[i]"
        part = self.rng.choice(self.parts)
        alike = [other for other in self.parts if other.dtype == part.dtype]
        if choice < 0.5:
            # What is assigned to a part of itself must not overlap it in another place.
            other = self.rng.choice(alike) if target != source else part
            return f"{self.reach(target, part)} = {self.reach(source, other)}"
        found = self.number()
        if found is None:
            return f"{target}[i] = {source}[i]"
        expression, part = found
        if part.dtype.kind in "iu" and choice < 0.75:
            return f"{self.reach(target, part)} = {expression} + 1"
        if part.dtype.kind == "c":
            return f"out[i] += {expression}.real + {expression}.imag"
        return f"out[i] += {expression}"


def record_program(seed: int) -> tuple[np.dtype, str]:
    """Return a dtype and the body of a function over ``i``, two arrays of it and an array of float32."""
    rng = random.Random(seed)
    dtype = random_dtype(rng)
    writer = _Writer(rng, dtype)
    return dtype, "\n".join(writer.statement() for _ in range(rng.randrange(3, 9)))
