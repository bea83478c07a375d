"""Shapes and steps of arrays, computed by NumPy on arrays without memory."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

__all__ = [
    "common_runs",
    "contiguous_strides",
    "extents_of",
    "field_of",
    "is_advanced",
    "is_contiguous",
    "phantom",
    "place_of",
    "plain_dtype",
    "span",
]

Extents = tuple[int, ...]
_BASE = np.zeros(1, np.uint8)


def extents_of(shape: int | tuple[int, ...]) -> Extents:
    """Return a shape as a tuple of Python integers.

    Raises
    ------
    ValueError
        If an extent is negative.
    """
    if isinstance(shape, (tuple, list)):
        extents = tuple(operator.index(extent) for extent in shape)
    else:
        extents = (operator.index(shape),)
    if any(extent < 0 for extent in extents):
        raise ValueError(f"shape {extents} has a negative extent")
    return extents


def plain_dtype(dtype: DTypeLike) -> np.dtype:
    """Return the type of elements that lie in memory as they are, or raise TypeError."""
    found = np.dtype(dtype)
    if found.hasobject:
        raise TypeError(f"elements of type {found} are Python objects, which devices cannot hold")
    return found


def contiguous_strides(shape: Extents) -> Extents:
    """Return the steps of a C-contiguous array in elements."""
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def is_contiguous(shape: Extents, strides: Extents) -> bool:
    """Return whether elements lie one after the other in C order."""
    if 0 in shape:
        return True
    step = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent != 1 and stride != step:
            return False
        step *= extent
    return True


def span(shape: Extents, strides: Extents) -> tuple[int, int]:
    """Return the first and one past the last position that elements take, relative to the first element."""
    if 0 in shape:
        return 0, 0
    reach = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    return sum(min(r, 0) for r in reach), 1 + sum(max(r, 0) for r in reach)


def phantom(shape: Extents, strides: Extents) -> np.ndarray:
    """Return an array whose elements must not be touched: views of it have the shapes and steps of ours.

    Its elements are bytes, so that a step in bytes is one in elements.
    """
    return np.lib.stride_tricks.as_strided(_BASE, shape, strides, writeable=False)


def place_of(view: np.ndarray) -> int:
    """Return how many elements after the first one of a phantom its view begins."""
    return view.__array_interface__["data"][0] - _BASE.__array_interface__["data"][0]


def field_of(
    dtype: np.dtype, name: str, strides: Extents, offset: int
) -> tuple[np.dtype, Extents, Extents, int]:
    """Return of a field of an array of records the element type, its own extents, and all steps and the offset.

    Parameters
    ----------
    dtype : numpy.dtype
        The type of the records.
    name : str
        The field.
    strides : tuple of int
        The steps of the array, in records.
    offset : int
        Where it begins in its memory, in records.

    Raises
    ------
    IndexError
        If there is no such field.
    ValueError
        If its elements do not lie at multiples of their size.
    """
    fields: Any = dtype.fields or {}
    field = fields.get(name)
    if field is None:
        raise IndexError(f"no field {name!r} in elements of type {dtype}")
    part, start = field[:2]
    element = part.base
    first = offset * dtype.itemsize + start
    in_bytes = [stride * dtype.itemsize for stride in strides]
    if any(number % element.itemsize for number in (first, *in_bytes)):
        raise ValueError(
            f"field {name!r} of {dtype} does not lie at multiples of its size, as it would with align=True: kernels "
            f"reach it in the array of records, x[i].{name} or x.{name}"
        )
    steps = *(number // element.itemsize for number in in_bytes), *contiguous_strides(part.shape)
    return element, part.shape, steps, first // element.itemsize


def is_advanced(index: Any) -> bool:
    """Return whether an index asks for NumPy's advanced indexing: masks, and arrays or lists of positions."""
    return any(isinstance(part, np.ndarray | list | bool | np.bool_) for part in _parts(index))


def _parts(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def common_runs(shape: Extents, first: Extents, second: Extents) -> tuple[int, np.ndarray, np.ndarray]:
    """Split two arrays of one shape into runs that are contiguous in both.

    Parameters
    ----------
    shape : tuple of int
        Their shape.
    first, second : tuple of int
        Their steps in elements.

    Returns
    -------
    length : int
        Elements of each run.
    starts : numpy.ndarray, numpy.ndarray
        Where the runs begin in each, relative to the first elements.
    """
    inner, length = len(shape), 1
    while inner and (shape[inner - 1] == 1 or first[inner - 1] == second[inner - 1] == length):
        inner -= 1
        length *= shape[inner]
    outer = shape[:inner]
    return length, _positions(outer, first[:inner]), _positions(outer, second[:inner])


def _positions(shape: Extents, strides: Extents) -> np.ndarray:
    positions = np.zeros(1, np.int64)
    for extent, stride in zip(shape, strides, strict=True):
        positions = (positions[:, None] + np.arange(extent, dtype=np.int64) * stride).reshape(-1)
    return positions[: math.prod(shape)]
