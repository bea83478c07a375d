"""Registration of rules for functions of arrays and for methods of the same meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import overload, overload_method

from .types import VulkanArray, VulkanExpression

__all__ = ["register"]

Rule = Callable[..., Any]


def register(
    function: Any, method: str = "", kinds: tuple[type, ...] = (VulkanArray, VulkanExpression)
) -> Callable[[Rule], Rule]:
    """Register a rule for a function, and for a method of these kinds of arrays; constants reach it as literal types.

    Annotations of rules would have to be repeated in the implementations that they return: hence not strict.
    """
    options: dict[str, Any] = {"target": "vulkan", "strict": False, "prefer_literal": True}

    def decorate(rule: Rule) -> Rule:
        overload(function, **options)(rule)
        for kind in kinds if method else ():
            overload_method(kind, method, **options)(rule)
        return rule

    return decorate
