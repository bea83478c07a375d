"""Waiting for each other, and ordering accesses to memory."""

from __future__ import annotations

from .host import only_in_kernels

__all__ = [
    "barrier",
    "fence_device",
    "fence_workgroup",
    "syncthreads",
    "syncthreads_and",
    "syncthreads_count",
    "syncthreads_or",
]


def barrier() -> None:
    """Wait until every invocation of the workgroup is here; what they wrote before is then visible to all of them.

    Invocations that have returned, or take a way without the barrier, go along to it without having effects. Where the
    compiler cannot arrange that, it refuses the kernel and names the lines.
    """
    only_in_kernels("barrier")


def syncthreads() -> None:
    """Wait as `barrier` does; CUDA's name of it."""
    only_in_kernels("syncthreads")


def syncthreads_count(predicate: bool) -> int:
    """Wait as `barrier` does and return in how many invocations of the workgroup the predicate is true, as an int64."""
    only_in_kernels("syncthreads_count")


def syncthreads_and(predicate: bool) -> bool:
    """Wait as `barrier` does and return whether the predicate is true in all invocations of the workgroup."""
    only_in_kernels("syncthreads_and")


def syncthreads_or(predicate: bool) -> bool:
    """Wait as `barrier` does and return whether the predicate is true in any invocation of the workgroup."""
    only_in_kernels("syncthreads_or")


def fence_workgroup() -> None:
    """Order this invocation's accesses to memory before and after it, as seen by its workgroup."""
    only_in_kernels("fence_workgroup")


def fence_device() -> None:
    """Order this invocation's accesses to memory before and after it, as seen by the whole device."""
    only_in_kernels("fence_device")
