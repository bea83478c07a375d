"""``nv.local``: memory of one invocation."""

from __future__ import annotations

from typing import Any

from .host import only_in_kernels

__all__ = ["array"]


def array(shape: Any, dtype: Any) -> Any:
    """Return an array that belongs to this invocation; its elements are undefined at first.

    ``np.empty``, ``np.zeros``, ``np.ones`` and ``np.full`` in kernels make such arrays too.

    Parameters
    ----------
    shape : int or tuple of int
        The extents, which the compiler must find to be constant once everything is inlined: literals, globals,
        arguments of device functions that are given constants, and arithmetic on these.
    dtype : dtype
        Any type that array arguments can have.

    Returns
    -------
    array
        In C order.
    """
    only_in_kernels("local.array")
