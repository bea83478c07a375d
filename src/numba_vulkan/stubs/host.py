"""What the functions of this package do on the host."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["only_in_kernels"]


def only_in_kernels(name: str) -> NoReturn:
    """Raise: ``name`` is a function of kernels."""
    raise RuntimeError(f"{name}() can only be called inside a kernel or function compiled with @nv.jit")
