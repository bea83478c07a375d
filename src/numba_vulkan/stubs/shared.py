"""``nv.shared``: memory that the invocations of a workgroup share."""

from __future__ import annotations

from typing import Any

from .host import only_in_kernels

__all__ = ["array"]


def array(shape: Any, dtype: Any) -> Any:
    """Return an array in the memory that a workgroup shares; its elements are undefined at first.

    Each call in the source is one array of the workgroup, however often and by whichever invocations it is reached.

    Parameters
    ----------
    shape : int or tuple of int
        The extents, known before the launch: literals, globals, scalar arguments of the kernel, extents of its arrays,
        arithmetic on these, and arguments of device functions that are given such values. 0 stands for the dynamic
        shared memory, whose size the launch gives in bytes and which all arrays of shape 0 share.
    dtype : dtype
        Any type that array arguments can have.

    Returns
    -------
    array
        In C order. The arrays of a kernel fit together into `DeviceInfo.max_shared_memory` bytes.
    """
    only_in_kernels("shared.array")
