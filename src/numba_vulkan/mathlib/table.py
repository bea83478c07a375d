"""Which function of the library is which source, and what it takes and gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .sources import (
    error32,
    exponential32,
    gamma32,
    hyperbolic32,
    inverse32,
    logarithm32,
    remainder32,
    roots32,
    trigonometric32,
)

__all__ = ["FUNCTIONS", "PREFIX", "MathFunction", "symbol_parts"]

PREFIX = "nv.math."


@dataclass(frozen=True)
class MathFunction:
    """One function of the library.

    Attributes
    ----------
    name : str
        Its name in symbols: ``nv.math.<name>.f32`` and ``.f64``.
    operands, results : str
        One letter each: ``f`` for a float of the function's precision, ``i`` for a 32-bit integer.
    single, double : callable
        Its source in each precision.
    """

    name: str
    operands: str
    results: str
    single: Callable[..., Any]
    double: Callable[..., Any] | None

    def symbol(self, precision: str) -> str:
        """Return the name of the compiled function for ``f32`` or ``f64``."""
        return f"{PREFIX}{self.name}.{precision}"


def symbol_parts(symbol: str) -> tuple[MathFunction, str]:
    """Return the function and the precision that a symbol names."""
    name, precision = symbol.removeprefix(PREFIX).rsplit(".", 1)
    return FUNCTIONS[name], precision


def _unary(single: Any, *names: str) -> list[MathFunction]:
    """Return the functions of one float that two modules of sources have."""
    return [MathFunction(n, "f", "f", getattr(single, n), None) for n in names]


FUNCTIONS: dict[str, MathFunction] = {
    function.name: function
    for function in (
        *_unary(exponential32, "exp", "exp2", "exp10", "expm1"),
        *_unary(logarithm32, "log", "log2", "log10", "log1p"),
        *_unary(trigonometric32, "sin", "cos", "tan"),
        *_unary(inverse32, "asin", "acos", "atan"),
        *_unary(hyperbolic32, "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
        *_unary(roots32, "sqrt", "rsqrt", "cbrt"),
        *_unary(error32, "erf", "erfc"),
        *_unary(gamma32, "gamma", "lgamma"),
        MathFunction("atan2", "ff", "f", inverse32.atan2, None),
        MathFunction("hypot", "ff", "f", roots32.hypot, None),
        *(
            MathFunction(name, operands, results, getattr(remainder32, name), None)
            for name, operands, results in (
                ("fmod", "ff", "f"),
                ("remainder", "ff", "f"),
                ("modulo", "ff", "f"),
                ("floor_divide", "ff", "f"),
                ("nextafter", "ff", "f"),
                ("divmod", "ff", "ff"),
                ("modf", "f", "ff"),
                ("frexp", "f", "fi"),
                ("ldexp", "fi", "f"),
                ("round_digits", "fi", "f"),
            )
        ),
        MathFunction("pow", "ff", "f", logarithm32.pow, None),
        MathFunction("sincos", "f", "ff", trigonometric32.sincos, None),
    )
}
