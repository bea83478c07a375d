"""Numbers and texts that kernels reported, out of the words of a status block or of the records of prints."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

import numpy as np

from ..errors import SpirvCodegenError, VulkanPrintWarning
from ..kernel import KernelInterface, Reported, ReportedText
from ..settings import print_kb

__all__ = ["number_of", "text_of", "printed_text"]

# What numbers are where kernels compute float64 in float32.
_NARROWED: dict[type, type] = {np.float64: np.float32, np.complex128: np.complex64}


def number_of(reported: Reported, words: Sequence[int]) -> Any:
    """Return a number as NumPy's scalar, or the member of an enumeration that it stands for."""
    first = reported.word
    if reported.enumeration is not None:
        return reported.enumeration(number_of(replace(reported, enumeration=None), words).item())
    if reported.dtype == "bool":
        return np.bool_(words[first])
    dtype = np.dtype(reported.dtype)
    size_words = -(-dtype.itemsize // 4)
    return np.array(words[first : first + size_words], np.uint32).view(dtype)[0]


def text_of(text: ReportedText, words: Sequence[int], narrowed_floats: bool = False) -> str:
    """Return a text with its numbers, written as Python writes them.

    Parameters
    ----------
    text : ReportedText
        The text.
    words : sequence of int
        Where the numbers are.
    narrowed_floats : bool, optional
        Whether float64 was computed in float32, of which it has no more digits.
    """
    numbers = (number_of(number, words) for number in text.numbers)
    if narrowed_floats:
        numbers = (_NARROWED.get(type(number), type(number))(number) for number in numbers)
    return text.template.format(*map(_Written, numbers))


class _Written:
    """A number of NumPy's that is written as Python's numbers are, with no more digits than it has."""

    def __init__(self, number: Any) -> None:
        self._number = number

    def __str__(self) -> str:
        return str(self._number)

    def __repr__(self) -> str:
        return repr(self._number) if isinstance(self._number, Enum) else str(self._number)

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        return format(self._number if isinstance(self._number, Enum) else self._number.item(), spec)


def printed_text(interface: KernelInterface, words: Sequence[int], lost: int) -> str:
    """Return the text of the records that launches of a kernel made; warns if some found no room.

    Raises
    ------
    SpirvCodegenError
        If the records are not those of the kernel.
    """
    known = {each.code: each for each in interface.prints}
    texts: list[str] = []
    position = 0
    # What found no room leaves zeros behind at most.
    while position < len(words) and words[position]:
        record = known.get(words[position])
        if record is None:
            raise SpirvCodegenError(
                f"kernel '{interface.name}' printed an unknown record at word {position}; please report it"
            )
        body = words[position : position + record.size_words]
        texts.append(text_of(record.text, body, interface.narrowed_floats))
        position += record.size_words
    if lost:
        warnings.warn(
            VulkanPrintWarning(
                f"kernel '{interface.name}' printed more than {print_kb.value()} KiB: {lost} of its prints are "
                f"missing; print less, or set {print_kb.name}"
            ),
            stacklevel=2,
        )
    return "".join(texts)
