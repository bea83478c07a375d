"""``nv.subgroup``: what invocations that run in lockstep do together.

A workgroup consists of subgroups of `size` invocations (of 4 to 128, by device; the last may be partial). An operation
concerns those invocations of a subgroup that reach it together, and does not wait for others. Values are int32, uint32,
int64, uint64, float32 and float64; smaller integers are widened to 32 bits. Devices offer the operations by classes,
which `DeviceInfo` lists (``subgroup_arithmetic`` and so on).
"""

from __future__ import annotations

from typing import Any

from .host import only_in_kernels

__all__ = [
    "all",
    "and_",
    "any",
    "ballot",
    "ballot_count",
    "broadcast",
    "broadcast_first",
    "count",
    "elect",
    "exclusive_and_",
    "exclusive_max",
    "exclusive_min",
    "exclusive_or_",
    "exclusive_prod",
    "exclusive_sum",
    "exclusive_xor",
    "id",
    "inclusive_and_",
    "inclusive_max",
    "inclusive_min",
    "inclusive_or_",
    "inclusive_prod",
    "inclusive_sum",
    "inclusive_xor",
    "lane",
    "max",
    "min",
    "or_",
    "prod",
    "shuffle",
    "shuffle_down",
    "shuffle_up",
    "shuffle_xor",
    "size",
    "sum",
    "xor",
]


def size() -> int:
    """Return the number of invocations of a full subgroup, as an int64."""
    only_in_kernels("subgroup.size")


def lane() -> int:
    """Return the position of this invocation in its subgroup, as an int64."""
    only_in_kernels("subgroup.lane")


def id() -> int:
    """Return the position of the subgroup in its workgroup, as an int64."""
    only_in_kernels("subgroup.id")


def count() -> int:
    """Return the number of subgroups in a workgroup, as an int64."""
    only_in_kernels("subgroup.count")


def elect() -> bool:
    """Return True in one of the invocations that are here, the one with the lowest lane."""
    only_in_kernels("subgroup.elect")


def any(predicate: bool) -> bool:
    """Return whether the predicate is true in one of the invocations that are here."""
    only_in_kernels("subgroup.any")


def all(predicate: bool) -> bool:
    """Return whether the predicate is true in all invocations that are here."""
    only_in_kernels("subgroup.all")


def ballot(predicate: bool) -> int:
    """Return a uint64 with the predicate of each lane up to 63 as a bit, 0 for those that are not here."""
    only_in_kernels("subgroup.ballot")


def ballot_count(predicate: bool) -> int:
    """Return in how many of the invocations that are here the predicate is true, as an int64."""
    only_in_kernels("subgroup.ballot_count")


def broadcast(value: Any, lane: int) -> Any:
    """Return the value of one lane, the same one in all invocations; it must be here."""
    only_in_kernels("subgroup.broadcast")


def broadcast_first(value: Any) -> Any:
    """Return the value of the lowest lane that is here."""
    only_in_kernels("subgroup.broadcast_first")


def shuffle(value: Any, lane: int) -> Any:
    """Return the value of any lane that is here."""
    only_in_kernels("subgroup.shuffle")


def shuffle_xor(value: Any, mask: int) -> Any:
    """Return the value of the lane whose number is this one's with the bits of a mask flipped."""
    only_in_kernels("subgroup.shuffle_xor")


def shuffle_up(value: Any, delta: int) -> Any:
    """Return the value of the lane ``delta`` below this one; its own where there is none."""
    only_in_kernels("subgroup.shuffle_up")


def shuffle_down(value: Any, delta: int) -> Any:
    """Return the value of the lane ``delta`` above this one; its own where there is none."""
    only_in_kernels("subgroup.shuffle_down")


def sum(value: Any) -> Any:
    """Return the sum of the values of all invocations that are here."""
    only_in_kernels("subgroup.sum")


def inclusive_sum(value: Any) -> Any:
    """Return the sum of the values up to this lane, its own included."""
    only_in_kernels("subgroup.inclusive_sum")


def exclusive_sum(value: Any) -> Any:
    """Return the sum of the values of lower lanes; of none in the lowest lane that is here."""
    only_in_kernels("subgroup.exclusive_sum")


def prod(value: Any) -> Any:
    """Return the product of the values of all invocations that are here."""
    only_in_kernels("subgroup.prod")


def inclusive_prod(value: Any) -> Any:
    """Return the product of the values up to this lane, its own included."""
    only_in_kernels("subgroup.inclusive_prod")


def exclusive_prod(value: Any) -> Any:
    """Return the product of the values of lower lanes; of none in the lowest lane that is here."""
    only_in_kernels("subgroup.exclusive_prod")


def min(value: Any) -> Any:
    """Return the smallest of the values of all invocations that are here."""
    only_in_kernels("subgroup.min")


def inclusive_min(value: Any) -> Any:
    """Return the smallest of the values up to this lane, its own included."""
    only_in_kernels("subgroup.inclusive_min")


def exclusive_min(value: Any) -> Any:
    """Return the smallest of the values of lower lanes; of none in the lowest lane that is here."""
    only_in_kernels("subgroup.exclusive_min")


def max(value: Any) -> Any:
    """Return the largest of the values of all invocations that are here."""
    only_in_kernels("subgroup.max")


def inclusive_max(value: Any) -> Any:
    """Return the largest of the values up to this lane, its own included."""
    only_in_kernels("subgroup.inclusive_max")


def exclusive_max(value: Any) -> Any:
    """Return the largest of the values of lower lanes; of none in the lowest lane that is here."""
    only_in_kernels("subgroup.exclusive_max")


def and_(value: Any) -> Any:
    """Return the bitwise and of the values of all invocations that are here."""
    only_in_kernels("subgroup.and_")


def inclusive_and_(value: Any) -> Any:
    """Return the bitwise and of the values up to this lane, its own included."""
    only_in_kernels("subgroup.inclusive_and_")


def exclusive_and_(value: Any) -> Any:
    """Return the bitwise and of the values of lower lanes; of none in the lowest lane that is here."""
    only_in_kernels("subgroup.exclusive_and_")


def or_(value: Any) -> Any:
    """Return the bitwise or of the values of all invocations that are here."""
    only_in_kernels("subgroup.or_")


def inclusive_or_(value: Any) -> Any:
    """Return the bitwise or of the values up to this lane, its own included."""
    only_in_kernels("subgroup.inclusive_or_")


def exclusive_or_(value: Any) -> Any:
    """Return the bitwise or of the values of lower lanes; of none in the lowest lane that is here."""
    only_in_kernels("subgroup.exclusive_or_")


def xor(value: Any) -> Any:
    """Return the bitwise exclusive or of the values of all invocations that are here."""
    only_in_kernels("subgroup.xor")


def inclusive_xor(value: Any) -> Any:
    """Return the bitwise exclusive or of the values up to this lane, its own included."""
    only_in_kernels("subgroup.inclusive_xor")


def exclusive_xor(value: Any) -> Any:
    """Return the bitwise exclusive or of the values of lower lanes; of none in the lowest lane that is here."""
    only_in_kernels("subgroup.exclusive_xor")
