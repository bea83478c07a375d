"""``nv.const.array_like``: what it is given is a constant already."""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from .. import stubs
from ..errors import VulkanUnsupportedError
from .types import VulkanArray
from .wording import noun

__all__: list[str] = []


@overload(stubs.const.array_like, target="vulkan", strict=False)
def _array_like(array: Any) -> Any:
    if not isinstance(array, VulkanArray) or array.mutable:
        raise VulkanUnsupportedError(
            f"nv.const.array_like takes an array of a global or a closure, not {noun(array)}: these keep in a "
            f"kernel what they held when it was compiled"
        )
    return lambda array: array
