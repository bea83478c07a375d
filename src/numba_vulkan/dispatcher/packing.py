"""Packing the parameters of launches like an earlier one into their block."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np
from numba.core import types

from .. import abi
from ..kernel import CompiledKernel
from ..parameters import Parameter
from ..runtime import DeviceArray
from .arguments import Arguments

__all__ = ["Packing", "packing_of"]

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


class Packing:
    """Packs the parameters of a launch on scalars and device arrays that have a key.

    Attributes
    ----------
    arrays : tuple of int
        Which arguments are arrays, in the order of their parameters.
    offsets : dict
        Where the parameters of an argument begin, in bytes.
    """

    __slots__ = ("_pack", "_take", "arrays", "offsets")

    def __init__(
        self, formats: str, positions: tuple[int, ...], arrays: tuple[int, ...], offsets: dict[int, int]
    ) -> None:
        self._pack = struct.Struct(formats).pack
        self._take = _taker(positions)
        self.arrays = arrays
        self.offsets = offsets

    def block(self, args: tuple[Any, ...] | list[Any]) -> bytes | None:
        """Return the parameter block, or None if a scalar does not fit the type that the plan is for."""
        try:
            return self._pack(*[v.parameters if type(v) is DeviceArray else v for v in self._take(args)])
        except (struct.error, OverflowError):
            return None


def _taker(positions: tuple[int, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that takes elements out of a tuple; faster than an expression in Python."""
    if len(positions) > 1:
        return itemgetter(*positions)
    # Of a single element it would return that itself.
    start = positions[0] if positions else 0
    return itemgetter(slice(start, start + len(positions)))


def packing_of(kernel: CompiledKernel, bound: Arguments) -> Packing | None:
    """Return how to pack a kernel's parameters, or None if that takes more than values of known types."""
    block = kernel.interface.block
    # A pipeline of its own for each length that a launch computes: the long way finds it.
    if kernel.shared_lengths or not block.in_push_constants or kernel.variant.profile.mode.ints:
        return None
    formats, end = "=", 0
    arrays: list[int] = []
    offsets: dict[int, int] = {}
    in_order = sorted(block.parameters, key=lambda p: p.offset_words)
    for argument, group in itertools.groupby(in_order, key=lambda p: p.argument):
        parameters = tuple(group)
        size = sum(abi.ELEMENT_BYTES[p.type] for p in parameters)
        is_array = argument in bound.arrays
        code = f"{size}s" if is_array else _scalar_format(parameters, bound)
        if code is None or argument in offsets or 4 * parameters[0].offset_words != end:
            return None
        formats += code
        offsets[argument] = end
        arrays += [argument] * is_array
        end += size
    return Packing(formats, tuple(offsets), tuple(arrays), offsets)


def _scalar_format(parameters: tuple[Parameter, ...], bound: Arguments) -> str | None:
    """Return the format of a scalar of one part, None of anything else."""
    (first, *others) = parameters
    if others or first.kind != "scalar":
        return None
    code = _FORMATS.get((type(bound.values[first.argument]), bound.types[first.argument]))
    return code if code and _BYTES[code] == abi.ELEMENT_BYTES[first.type] else None
