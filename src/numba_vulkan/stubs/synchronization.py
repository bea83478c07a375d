"""Waiting for each other, and ordering accesses to memory."""

from __future__ import annotations

from .host import only_in_kernels

__all__ = ["barrier", "fence_device", "fence_workgroup", "syncthreads"]


def barrier() -> None:
    """Wait until every invocation of the workgroup is here; what they wrote before is then visible to all of them.

    All invocations of a workgroup must reach the same barriers, in the same order.
    """
    only_in_kernels("barrier")


def syncthreads() -> None:
    """Wait as `barrier` does; CUDA's name of it."""
    only_in_kernels("syncthreads")


def fence_workgroup() -> None:
    """Order this invocation's accesses to memory before and after it, as seen by its workgroup."""
    only_in_kernels("fence_workgroup")


def fence_device() -> None:
    """Order this invocation's accesses to memory before and after it, as seen by the whole device."""
    only_in_kernels("fence_device")
