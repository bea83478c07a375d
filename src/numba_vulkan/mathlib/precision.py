"""Give a source the precision it is compiled for: float literals of float32 sources mean float32."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from .sources.real import ByPrecision

__all__ = ["is_source", "specialise"]

_SOURCES = f"{__package__}.sources."


def specialise(
    function: Any, floats: type[np.floating[Any]], wrap: Callable[[FunctionType], Any], known: dict[Any, Any]
) -> Any:
    """Return a source as a compilable function whose literals and constants have one float type.

    Parameters
    ----------
    function : function
        A function of `mathlib.sources`.
    floats : type
        ``numpy.float32`` or ``numpy.float64``.
    wrap : callable
        Makes a function callable from compiled code; the result and all functions that it calls are wrapped.
    known : dict
        What has been specialised before, by function and type.
    """
    key = function, floats
    if key not in known:
        code = function.__code__
        names = {
            name: _constant(function.__globals__[name], floats, wrap, known)
            for name in _names(code)
            if name in function.__globals__
        }
        constants = tuple(_constant(value, floats, wrap, known) for value in code.co_consts)
        # Numba tells compiled functions apart by their names, too.
        name = f"{function.__name__}_{np.dtype(floats).name}"
        code = code.replace(co_consts=constants, co_name=name, co_qualname=name)
        known[key] = wrap(FunctionType(code, {**names, "__name__": function.__module__}, name))
    return known[key]


def is_source(value: object) -> bool:
    """Return whether a value is a function of `mathlib.sources`."""
    return isinstance(value, FunctionType) and value.__module__.startswith(_SOURCES)


def _names(code: CodeType) -> tuple[str, ...]:
    return code.co_names


def _constant(
    value: Any, floats: type[np.floating[Any]], wrap: Callable[[FunctionType], Any], known: dict[Any, Any]
) -> Any:
    """Return what stands for a literal or a global."""
    if isinstance(value, ByPrecision):
        value = value.single if floats is np.float32 else value.double
    if isinstance(value, float):
        return floats(value)
    if isinstance(value, tuple) and value and all(isinstance(item, float) for item in value):
        return tuple(floats(item) for item in value)
    if is_source(value):
        return specialise(value, floats, wrap, known)
    return value
