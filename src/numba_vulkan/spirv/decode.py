"""Bytes to instructions, for the checker: every word is accounted for by the tables."""

from __future__ import annotations

import sys
from array import array
from dataclasses import dataclass, field
from typing import NamedTuple

from ..errors import SpirvCodegenError
from ._tables import BIT_KINDS, ENUMERANTS, LAYOUTS, MAGIC, Op
from .module import VERSION

__all__ = ["Decoded", "Instruction", "Violation", "decode", "opcode_name"]

_NAMES = {value: name for name, value in vars(Op).items() if isinstance(value, int)}
_HEADER_WORDS = 5


def opcode_name(opcode: int) -> str:
    """Return the name of an opcode as the specification writes it."""
    return f"Op{_NAMES.get(opcode, opcode)}"


class Violation(SpirvCodegenError):
    """A module breaks a rule; `check` adds which kernel it was."""

    def __init__(self, rule: str, problem: str) -> None:
        super().__init__(f"{rule}: {problem}")
        self.rule = rule
        self.problem = problem


class Instruction:
    """An instruction of the module.

    Attributes
    ----------
    opcode, type_id, result_id : int
        The latter two are 0 where the opcode has none.
    operands : list of int
        The words after type and result.
    ids : list of int
        Those of the operands that are ids.
    """

    __slots__ = ("ids", "opcode", "operands", "result_id", "type_id")

    def __init__(
        self, opcode: int, type_id: int, result_id: int, operands: list[int], ids: list[int]
    ) -> None:
        self.opcode = opcode
        self.type_id = type_id
        self.result_id = result_id
        self.operands = operands
        self.ids = ids

    def __str__(self) -> str:
        result = f" %{self.result_id}" if self.result_id else ""
        return f"{opcode_name(self.opcode)}{result}"


@dataclass
class Decoded:
    """All instructions of a module, and the (enumeration, value) pairs that they name."""

    bound: int
    instructions: list[Instruction] = field(default_factory=list[Instruction])
    enumerants: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])


class _Shape(NamedTuple):
    """A layout taken apart: type and result, operands of one word each, and what may follow them."""

    has_type: bool
    has_result: bool
    words: int
    id_positions: tuple[int, ...]
    all_ids: bool
    repeats_ids: bool
    repeats_literals: bool
    is_plain: bool
    layout: str


def _shape(layout: str) -> _Shape:
    """Take a layout apart; one with enumerations or strings is not plain and is read letter by letter."""
    has_type, has_result = layout.startswith("T"), "R" in layout
    rest = layout[has_type + has_result :]
    fixed = rest
    while fixed.endswith(("?", "*")):
        fixed = fixed[:-2]
    tail = rest[len(fixed) :]
    return _Shape(
        has_type,
        has_result,
        1 + has_type + has_result + len(fixed),
        tuple(k for k, letter in enumerate(fixed) if letter == "I"),
        fixed == "I" * len(fixed),
        tail == "I*",
        tail == "L*",
        set(fixed) <= {"I", "L"},
        rest,
    )


_SHAPES = {opcode: _shape(layout) for opcode, layout in LAYOUTS.items()}


def decode(spirv: bytes) -> Decoded:
    """Split a module into instructions.

    Raises
    ------
    Violation
        If header, word counts, opcodes, operands or the range of ids are wrong.
    """
    if len(spirv) % 4 or len(spirv) < 4 * _HEADER_WORDS:
        raise Violation("header", f"{len(spirv)} bytes are not a whole module")
    stream = array("I", spirv)
    if sys.byteorder == "big":
        stream.byteswap()
    words = stream.tolist()
    if words[0] != MAGIC or words[1] != VERSION or words[4] != 0:
        raise Violation("header", f"begins with {words[0]:#x}, version {words[1]:#x}, schema {words[4]}")
    module = Decoded(words[3])
    at, end = _HEADER_WORDS, len(words)
    append = module.instructions.append
    while at < end:
        head = words[at]
        stop = at + (head >> 16)
        shape = _SHAPES.get(head & 0xFFFF)
        if shape is None:
            raise Violation(
                "opcode", f"{opcode_name(head & 0xFFFF)} at word {at} is none that kernels contain"
            )
        if stop == at or stop > end:
            raise Violation(
                "word count", f"{opcode_name(head & 0xFFFF)} at word {at} claims {head >> 16} words"
            )
        append(_instruction(module, head & 0xFFFF, shape, words, at, stop))
        at = stop
    return module


def _instruction(
    module: Decoded, opcode: int, shape: _Shape, words: list[int], at: int, stop: int
) -> Instruction:
    """Decode the instruction of the words from ``at`` to ``stop``."""
    first = at + 1
    type_id = result_id = 0
    if stop - at < shape.words:
        raise Violation("word count", f"{opcode_name(opcode)} at word {at} has {stop - at} words")
    if shape.has_type:
        type_id = words[first]
        first += 1
    if shape.has_result:
        result_id = words[first]
        first += 1
        if not 0 < result_id < module.bound:
            raise Violation("bound", f"{opcode_name(opcode)} at word {at} defines id {result_id}")
    operands = words[first:stop]
    extra = stop - at - shape.words
    if shape.is_plain and (not extra or shape.repeats_ids or shape.repeats_literals):
        if shape.all_ids and not (extra and shape.repeats_literals):
            return Instruction(opcode, type_id, result_id, operands, operands)
        ids = [operands[k] for k in shape.id_positions]
        if extra and shape.repeats_ids:
            ids += operands[len(operands) - extra :]
        return Instruction(opcode, type_id, result_id, operands, ids)
    reader = _Reader(module, opcode, operands)
    reader.read(shape.layout)
    if reader.at != len(operands):
        raise Violation("operands", f"{opcode_name(opcode)} at word {at} has {stop - at} words")
    return Instruction(opcode, type_id, result_id, operands, reader.ids)


class _Reader:
    """Reads operands letter by letter."""

    def __init__(self, module: Decoded, opcode: int, operands: list[int]) -> None:
        self._module = module
        self._opcode = opcode
        self._operands = operands
        self.at = 0
        self.ids: list[int] = []

    def read(self, layout: str) -> None:
        """Read operands of this layout."""
        position = 0
        while position < len(layout):
            letter = layout[position]
            quantifier = layout[position + 1 : position + 2]
            position += 1
            if quantifier not in ("?", "*"):
                self._one(letter)
                continue
            position += 1
            while self.at < len(self._operands):
                self._one(letter)
                if quantifier == "?":
                    break

    def _next(self) -> int:
        """Take a word."""
        if self.at >= len(self._operands):
            raise Violation("operands", f"{opcode_name(self._opcode)} lacks operands")
        self.at += 1
        return self._operands[self.at - 1]

    def _one(self, letter: str) -> None:
        """Read one operand."""
        if letter in ENUMERANTS:
            self._enumerant(letter, self._next())
        elif letter == "I":
            self.ids.append(self._next())
        elif letter == "P":
            self.ids += (self._next(), self._next())
        elif letter == "S":
            while self._next() >> 24:
                pass
        elif letter in ("N", "C"):
            # How long they are depends on a type: whoever knows the types looks at them.
            self._next()
            self.at = len(self._operands)
        else:
            self._next()

    def _enumerant(self, letter: str, value: int) -> None:
        """Read a value of an enumeration, and what its parameters are."""
        known = ENUMERANTS[letter]
        values = [value]
        if letter in BIT_KINDS and value not in known:
            values = [1 << bit for bit in range(value.bit_length()) if value >> bit & 1]
        for single in values:
            row = known.get(single)
            if row is None:
                raise Violation(
                    "operands", f"{opcode_name(self._opcode)} has an operand {single:#x} not in use"
                )
            self._module.enumerants.add((letter, single))
            self.read(row[0])
