"""What was nearly right in a kernel: names that are almost others, and how many arguments a function takes."""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Iterator, Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core import types

from .. import stubs

__all__ = ["count_refusal", "suggestion", "uncalled"]

# Functions that take any number of arguments in Python: how many they take in kernels, and what to write for others.
_COUNTS: dict[Any, tuple[int, str]] = {
    math.log: (1, "the logarithm to a base b is math.log(x) / math.log(b)"),
    math.hypot: (2, "of three numbers it is math.hypot(math.hypot(x, y), z)"),
    math.gcd: (2, "of three numbers it is math.gcd(math.gcd(x, y), z)"),
    math.lcm: (2, "of three numbers it is math.lcm(math.lcm(x, y), z)"),
}
_FUNCTIONS = (np.ufunc, FunctionType, BuiltinFunctionType)


def count_refusal(function: Any, name: str, given: Sequence[Any]) -> str:
    """Return how many arguments a function takes, '' if as many were given, or it is not known."""
    if isinstance(function, np.ufunc):
        taken = function.nin
        remedy = (
            f"of three it is {name}({name}(x, y), z)" if taken == 2 else "an array to write to may follow"
        )
        is_right = len(given) <= taken or (len(given) == taken + 1 and isinstance(given[-1], types.Array))
    elif isinstance(function, BuiltinFunctionType) and function in _COUNTS:
        taken, remedy = _COUNTS[function]
        is_right = len(given) == taken
    else:
        return ""
    plural = "" if taken == 1 else "s"
    return "" if is_right else f"{name} takes {taken} argument{plural} in kernels, not {len(given)}: {remedy}"


def suggestion(context: Any, module: Any, base: str, attribute: str) -> str:
    """Return the name in a module most like one that it does not have, '' if none is.

    Parameters
    ----------
    context : numba.core.typing.BaseContext
        Knows which functions kernels can call.
    module : module
        What lacks the name.
    base : str
        How the source names the module.
    attribute : str
        The name.
    """
    found = difflib.get_close_matches(attribute, _names(context, module), 1)
    return f"did you mean {base}.{found[0]}?" if found else ""


def _names(context: Any, module: Any) -> Iterator[str]:
    """Yield the public names of a module that kernels can use, and those of its parts, as shared.array."""
    for name, value in vars(module).items():
        if isinstance(value, ModuleType):
            if value.__name__.startswith(f"{stubs.__name__}."):
                yield from (f"{name}.{inner}" for inner in _names(context, value))
        elif name.startswith("_") or not isinstance(value, _FUNCTIONS):
            continue
        elif context._lookup_global(value) is not None:
            yield name


def uncalled(given: Any) -> str:
    """Return that a function of this package needs a call, '' if none of the types is that of one."""
    for kind in given:
        function: Any = kind.typing_key if isinstance(kind, types.Function) else None
        if (getattr(function, "__module__", None) or "").startswith(stubs.__name__):
            parameters = ", ".join(inspect.signature(function).parameters)
            return f"{function.__name__} is a function: call it, as in nv.{function.__name__}({parameters})"
    return ""
