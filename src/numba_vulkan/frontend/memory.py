"""What Numba's code asks of a target's memory management: shaders count no references and allocate nothing."""

from __future__ import annotations

from typing import NoReturn

from ..errors import VulkanUnsupportedError

__all__ = ["NoMemory"]


class NoMemory:
    """Stands in for Numba's run-time allocator."""

    def incref(self, *_args: object) -> None:
        """Count nothing."""

    def decref(self, *_args: object) -> None:
        """Count nothing."""

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse everything else, which allocates."""
        raise VulkanUnsupportedError(
            "this creates an array whose size is known only at run time, which kernels cannot: write into an array "
            "argument, or loop over the elements"
        )
