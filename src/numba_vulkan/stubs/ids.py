"""Ids and sizes of invocations and workgroups."""

from __future__ import annotations

from .host import only_in_kernels

__all__ = ["global_id", "group_id", "local_id", "local_size", "num_groups"]


def global_id(axis: int) -> int:
    """Return the position of this invocation in the whole grid.

    Parameters
    ----------
    axis : {0, 1, 2}
        The axis of the grid.

    Returns
    -------
    int
        An int64 that is never negative; ``group_id(axis) * local_size(axis) + local_id(axis)``.
    """
    only_in_kernels("global_id")


def local_id(axis: int) -> int:
    """Return the position of this invocation in its workgroup along ``axis``, as an int64."""
    only_in_kernels("local_id")


def group_id(axis: int) -> int:
    """Return the position of this workgroup in the grid along ``axis``, as an int64."""
    only_in_kernels("group_id")


def local_size(axis: int) -> int:
    """Return the number of invocations in a workgroup along ``axis``, as an int64."""
    only_in_kernels("local_size")


def num_groups(axis: int) -> int:
    """Return the number of workgroups of the grid along ``axis``, as an int64."""
    only_in_kernels("num_groups")
