"""``nv.atomic``: operations on array elements that no other invocation can come between.

They work on arrays of int32, uint32, int64, uint64, float16, float32 and float64, in buffers, in shared memory and in
fields of records, and `add` and `sub` on complex numbers, whose parts change one after the other. An index is an
integer, or a tuple of them for arrays with several axes; negative ones count from the end. All but `store` return the
element as it was before.

`cas` and `exch` order memory: what an invocation wrote before is visible to one that reads the new value with `cas`,
`exch` or `load`. `load` and `store` do their half of that; the others order nothing, unless what one returned decides
a branch, as in a lock.
"""

from __future__ import annotations

from typing import Any

from .host import only_in_kernels

__all__ = [
    "add",
    "and_",
    "cas",
    "dec",
    "exch",
    "inc",
    "load",
    "max",
    "min",
    "nanmax",
    "nanmin",
    "or_",
    "store",
    "sub",
    "xor",
]


def load(array: Any, index: Any) -> Any:
    """Return ``array[index]``; what was written before the `store`, `exch` or `cas` that it sees is visible then."""
    only_in_kernels("atomic.load")


def store(array: Any, index: Any, value: Any) -> None:
    """Set ``array[index]`` to a value, after all that this invocation wrote before."""
    only_in_kernels("atomic.store")


def add(array: Any, index: Any, value: Any) -> Any:
    """Add to ``array[index]``; integers wrap around."""
    only_in_kernels("atomic.add")


def sub(array: Any, index: Any, value: Any) -> Any:
    """Subtract from ``array[index]``; integers wrap around."""
    only_in_kernels("atomic.sub")


def min(array: Any, index: Any, value: Any) -> Any:
    """Set ``array[index]`` to the smaller of it and a value; NaN if one of them is, as `numpy.minimum`."""
    only_in_kernels("atomic.min")


def max(array: Any, index: Any, value: Any) -> Any:
    """Set ``array[index]`` to the larger of it and a value; NaN if one of them is, as `numpy.maximum`."""
    only_in_kernels("atomic.max")


def nanmin(array: Any, index: Any, value: Any) -> Any:
    """Set ``array[index]`` to the smaller of it and a value; a NaN loses, as in `numpy.fmin`."""
    only_in_kernels("atomic.nanmin")


def nanmax(array: Any, index: Any, value: Any) -> Any:
    """Set ``array[index]`` to the larger of it and a value; a NaN loses, as in `numpy.fmax`."""
    only_in_kernels("atomic.nanmax")


def and_(array: Any, index: Any, value: Any) -> Any:
    """Keep those bits of the integer ``array[index]`` that a value has too."""
    only_in_kernels("atomic.and_")


def or_(array: Any, index: Any, value: Any) -> Any:
    """Set the bits of a value in the integer ``array[index]``."""
    only_in_kernels("atomic.or_")


def xor(array: Any, index: Any, value: Any) -> Any:
    """Flip the bits of a value in the integer ``array[index]``."""
    only_in_kernels("atomic.xor")


def exch(array: Any, index: Any, value: Any) -> Any:
    """Set ``array[index]`` to a value."""
    only_in_kernels("atomic.exch")


def cas(array: Any, index: Any, expected: Any, value: Any) -> Any:
    """Set ``array[index]`` to a value if it is ``expected``, bit for bit."""
    only_in_kernels("atomic.cas")


def inc(array: Any, index: Any, limit: Any) -> Any:
    """Add 1 to the integer ``array[index]``, or set it to 0 if it is not below the limit."""
    only_in_kernels("atomic.inc")


def dec(array: Any, index: Any, limit: Any) -> Any:
    """Subtract 1 from the integer ``array[index]``, or set it to the limit if it is 0 or above the limit."""
    only_in_kernels("atomic.dec")
