"""``nv.const``: arrays that a kernel keeps."""

from __future__ import annotations

from typing import Any

from .host import only_in_kernels

__all__ = ["array_like"]


def array_like(array: Any) -> Any:
    """Return an array of a global or a closure as the kernel keeps it, like ``numba.cuda.const.array_like``.

    The name of such an array alone means the same: kernels read what it held when they were compiled.

    Parameters
    ----------
    array : numpy.ndarray
        Of any size and any type that array arguments can have.

    Returns
    -------
    array
        In C order, and not to be written.
    """
    only_in_kernels("const.array_like")
