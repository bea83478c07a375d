"""Arguments of array functions that must be constants: axes and options."""

from __future__ import annotations

from typing import Any

from numba.core import types

from ..errors import VulkanUnsupportedError
from .types import members_of

__all__ = ["axes_of", "constant_of", "is_given"]


def constant_of(given: Any, default: object) -> Any:
    """Return the value of a constant argument, the default if there is none; the type itself if it is not constant."""
    if isinstance(given, types.Omitted):
        return given.value
    if isinstance(given, types.BaseTuple) and all(isinstance(t, types.Literal) for t in members_of(given)):
        return tuple(t.literal_value for t in members_of(given))
    if isinstance(given, types.Literal):
        return given.literal_value
    return default if isinstance(given, types.NoneType) else given


def is_given(kind: Any) -> bool:
    """Return whether a call has an argument for a parameter whose default is None."""
    return kind is not None and not isinstance(kind, types.NoneType | types.Omitted)


def axes_of(name: str, array: Any, axis: Any) -> tuple[int, ...] | None:
    """Return axes counted from 0 in ascending order, all without a constant that names some; None if there is none."""
    given = tuple(range(array.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not all(isinstance(each, int) for each in given):
        return None
    if isinstance(axis, tuple) and name.endswith(("argmin", "argmax")):
        raise VulkanUnsupportedError(f"{name} takes one axis")
    for each in given:
        if not -array.ndim <= each < array.ndim:
            raise VulkanUnsupportedError(f"{name} along axis {each} of an array with {array.ndim} axes")
    axes = tuple(sorted(each % array.ndim for each in given))
    if len(set(axes)) < len(axes):
        raise VulkanUnsupportedError(f"{name} along axes of which one is named twice")
    return axes
