"""Packing the scalars of launches like an earlier one into their parameter block."""

from __future__ import annotations

import struct
from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np
from numba.core import types

from .. import abi
from ..kernel import CompiledKernel
from .arguments import Arguments

__all__ = ["Scalars", "scalars_of"]

# Type of the argument: format of its parameter. Values that do not fit raise, and take the long way.
_FORMATS = {
    (int, types.int64): "q",
    (float, types.float64): "d",
    (bool, types.boolean): "i",
    **{
        (np.dtype(t).type, getattr(types, t)): f
        for t, f in zip(
            "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split(),
            "iiiqiiIQfd",
            strict=True,
        )
    },
}
_BYTES = {"i": 4, "I": 4, "f": 4, "q": 8, "Q": 8, "d": 8}


class Scalars:
    """Packs the scalars of a launch, which come first in the parameter block.

    Attributes
    ----------
    pack : callable
        Makes bytes of the scalars.
    positions, arrays : tuple of int
        Which arguments are scalars, in the order of their parameters, and which are arrays.
    take, take_arrays : callable
        Return these out of a tuple of arguments.
    offsets : dict
        Where the parameters of an argument begin, in bytes.
    """

    __slots__ = ("arrays", "offsets", "pack", "positions", "take", "take_arrays")

    def __init__(
        self,
        pack: struct.Struct,
        positions: tuple[int, ...],
        arrays: tuple[int, ...],
        offsets: dict[int, int],
    ) -> None:
        self.pack = pack.pack
        self.offsets = offsets
        self.positions = positions
        self.arrays = arrays
        self.take = _taker(positions)
        self.take_arrays = _taker(arrays)


def _taker(positions: tuple[int, ...]) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """Return a function that takes elements out of a tuple; faster than an expression in Python."""
    if len(positions) > 1:
        return itemgetter(*positions)
    # Of a single element it would return that itself.
    start = positions[0] if positions else 0
    return itemgetter(slice(start, start + len(positions)))


def scalars_of(kernel: CompiledKernel, bound: Arguments) -> Scalars | None:
    """Return how to pack a kernel's parameters, or None if that takes more than values of known types."""
    block = kernel.interface.block
    # A pipeline of its own for each length that a launch computes: the long way finds it.
    if kernel.shared_lengths or not block.in_push_constants or kernel.variant.profile.mode.ints:
        return None
    formats, positions, arrays, offset = "=", [], [], 0
    offsets: dict[int, int] = {}
    for parameter in sorted(block.parameters, key=lambda p: p.offset_words):
        if parameter.offset_words * 4 != offset:
            return None
        if parameter.kind not in ("scalar", "extent", "stride", "offset"):
            return None
        if parameter.kind != "scalar" and parameter.type != "i32":
            return None
        argument = parameter.argument
        offsets.setdefault(argument, offset)
        if parameter.kind == "scalar":
            code = _FORMATS.get((type(bound.values[argument]), bound.types[argument]))
            if code is None or arrays or _BYTES[code] != abi.ELEMENT_BYTES[parameter.type]:
                return None
            formats += code
            positions.append(argument)
            offset += _BYTES[code]
        else:
            if argument not in arrays:
                arrays.append(argument)
            offset += 4
    return Scalars(struct.Struct(formats), tuple(positions), tuple(arrays), offsets)
