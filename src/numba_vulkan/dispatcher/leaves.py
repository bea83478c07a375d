"""Arguments that consist of others: tuples of anything are taken apart into the arrays and scalars in them."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import types

__all__ = ["Leaf", "leaves_of", "type_of_tree"]


@dataclass(frozen=True)
class Leaf:
    """An array or a scalar among the arguments.

    Attributes
    ----------
    name : str
        How the kernel reaches it, such as ``t[0].x``.
    value : object
        The value; of members of enumerations the number.
    member : enum.Enum or None
        The member that ``value`` is of.
    is_record : bool
        Whether ``value`` is an array without axes that stands for a record.
    """

    name: str
    value: Any
    member: enum.Enum | None = None
    is_record: bool = False


def leaves_of(name: str, value: Any) -> Iterator[Leaf]:
    """Yield the leaves of an argument in order; None has none."""
    if isinstance(value, tuple):
        fields: Any = getattr(value, "_fields", None)
        for position, part in enumerate(value):
            yield from leaves_of(f"{name}.{fields[position]}" if fields else f"{name}[{position}]", part)
    elif isinstance(value, enum.Enum):
        yield Leaf(name, value.value, value)
    elif isinstance(value, np.void) and value.dtype.fields is not None:
        yield Leaf(name, np.ndarray((), value.dtype, value), is_record=True)
    elif value is not None:
        yield Leaf(name, value)


def type_of_tree(value: Any, leaf_types: Iterator[types.Type]) -> types.Type:
    """Return the Numba type of an argument, given those of its leaves in order."""
    if isinstance(value, tuple):
        parts = tuple(type_of_tree(part, leaf_types) for part in value)
        is_named = hasattr(value, "_fields")
        build: Any = types.BaseTuple.from_types
        return build(parts, type(value)) if is_named else build(parts)
    if value is None:
        return types.none
    found = next(leaf_types)
    if isinstance(value, enum.Enum):
        kind: Any = types.IntEnumMember if isinstance(value, enum.IntEnum) else types.EnumMember
        return kind(type(value), found)
    return found
