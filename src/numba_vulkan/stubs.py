"""The functions that only kernels can call; called on the host they say so."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["global_id", "group_id", "local_id", "local_size", "num_groups"]


def _only_in_kernels(name: str) -> NoReturn:
    raise RuntimeError(f"{name}() can only be called inside a kernel or function compiled with @nv.jit")


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
    _only_in_kernels("global_id")


def local_id(axis: int) -> int:
    """Return the position of this invocation in its workgroup along ``axis``, as an int64."""
    _only_in_kernels("local_id")


def group_id(axis: int) -> int:
    """Return the position of this workgroup in the grid along ``axis``, as an int64."""
    _only_in_kernels("group_id")


def local_size(axis: int) -> int:
    """Return the number of invocations in a workgroup along ``axis``, as an int64."""
    _only_in_kernels("local_size")


def num_groups(axis: int) -> int:
    """Return the number of workgroups of the grid along ``axis``, as an int64."""
    _only_in_kernels("num_groups")
