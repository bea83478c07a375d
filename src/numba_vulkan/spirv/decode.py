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
    """A layout taken apart: type and result, operands of one word each, and what may follow them.

    ``enumerant_at`` is the operand that is the first value of an enumeration; -1 if there is none.
    """

    has_type: bool
    has_result: bool
    words: int
    enumerant_at: int
    has_strings: bool
    layout: str


class _Form(NamedTuple):
    """What all instructions with the same first word have in common: `Instruction` says what of.

    ``type_at`` and ``result_at`` are 0 where there is none; ``id_positions`` is None where all operands are ids.
    """

    opcode: int
    type_at: int
    result_at: int
    first: int
    id_positions: tuple[int, ...] | None
    enumerants: tuple[tuple[str, int], ...]


def _shape(layout: str) -> _Shape:
    """Take a layout apart."""
    has_type, has_result = layout.startswith("T"), "R" in layout
    rest = layout[has_type + has_result :]
    fixed = rest
    while fixed.endswith(("?", "*")):
        fixed = fixed[:-2]
    return _Shape(
        has_type,
        has_result,
        1 + has_type + has_result + len(fixed),
        next((k for k, letter in enumerate(rest) if letter in ENUMERANTS), -1),
        "S" in rest,
        rest,
    )


_SHAPES = {opcode: _shape(layout) for opcode, layout in LAYOUTS.items()}
# By first word, and by first word and the value of the only enumeration, which is so many words behind it. The others
# contain strings.
_forms: dict[int, _Form] = {}
_chosen_at: dict[int, int] = {}
_chosen_forms: dict[tuple[int, int], _Form] = {}


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
    bound = words[3]
    module = Decoded(bound)
    at, end = _HEADER_WORDS, len(words)
    append = module.instructions.append
    forms, chosen, chosen_at = _forms, _chosen_forms, _chosen_at
    last_enumerants: tuple[tuple[str, int], ...] = ()
    while at < end:
        head = words[at]
        stop = at + (head >> 16)
        if stop > end:
            raise Violation(
                "word count", f"{opcode_name(head & 0xFFFF)} at word {at} claims {head >> 16} words"
            )
        form = forms.get(head) or chosen.get((head, words[at + chosen_at.get(head, 0)])) or _form(words, at)
        opcode, type_at, result_at, first, id_positions, enumerants = form
        type_id = words[at + type_at] if type_at else 0
        result_id = words[at + result_at] if result_at else 0
        if result_at and not 0 < result_id < bound:
            raise Violation("bound", f"{opcode_name(opcode)} at word {at} defines id {result_id}")
        operands = words[at + first : stop]
        ids = operands if id_positions is None else [operands[k] for k in id_positions]
        append(Instruction(opcode, type_id, result_id, operands, ids))
        if enumerants is not last_enumerants:
            module.enumerants.update(enumerants)
            last_enumerants = enumerants
        at = stop
    return module


def _form(words: list[int], at: int) -> _Form:
    """Return the form of the instruction at a word."""
    head = words[at]
    opcode, count = head & 0xFFFF, head >> 16
    shape = _SHAPES.get(opcode)
    if shape is None:
        raise Violation("opcode", f"{opcode_name(opcode)} at word {at} is none that kernels contain")
    if count < shape.words:
        raise Violation("word count", f"{opcode_name(opcode)} at word {at} has {count} words")
    first = 1 + shape.has_type + shape.has_result
    reader = _Reader(opcode, words[at + first : at + count])
    reader.read(shape.layout)
    if reader.at != count - first:
        raise Violation("operands", f"{opcode_name(opcode)} at word {at} has {count} words")
    positions = tuple(reader.id_positions)
    form = _Form(
        opcode,
        int(shape.has_type),
        shape.has_type + 1 if shape.has_result else 0,
        first,
        None if positions == tuple(range(count - first)) else positions,
        tuple(reader.enumerants),
    )
    if not shape.has_strings and reader.enumerations == 0:
        _forms[head] = form
    elif not shape.has_strings and reader.enumerations == 1:
        chosen_at = _chosen_at[head] = first + shape.enumerant_at
        _chosen_forms[head, words[at + chosen_at]] = form
    return form


class _Reader:
    """Reads operands letter by letter.

    Attributes
    ----------
    enumerations : int
        How many operands were values of enumerations.
    """

    def __init__(self, opcode: int, operands: list[int]) -> None:
        self._opcode = opcode
        self._operands = operands
        self.at = 0
        self.id_positions: list[int] = []
        self.enumerants: list[tuple[str, int]] = []
        self.enumerations = 0

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

    def _id(self) -> None:
        """Take an id."""
        self._next()
        self.id_positions.append(self.at - 1)

    def _one(self, letter: str) -> None:
        """Read one operand."""
        if letter in ENUMERANTS:
            self._enumerant(letter, self._next())
        elif letter == "I":
            self._id()
        elif letter == "P":
            self._id()
            self._id()
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
        self.enumerations += 1
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
            self.enumerants.append((letter, single))
            self.read(row[0])
