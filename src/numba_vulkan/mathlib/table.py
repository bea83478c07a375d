"""Which function of the library is which source, and what it takes and gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .sources import (
    complex_numbers,
    error32,
    error64,
    exponential32,
    exponential64,
    fast32,
    fused,
    gamma,
    hyperbolic,
    inverse,
    logarithm32,
    logarithm64,
    power,
    remainder32,
    remainder64,
    roots,
    roots32,
    roots64,
    sums,
    trigonometric,
)

__all__ = ["FAST", "FUNCTIONS", "PREFIX", "MathFunction", "symbol_parts", "symbols"]

PREFIX = "nv.math."
# What stands in the place of a precision in the names of functions that use the driver's.
FAST = "fast"


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
    double: Callable[..., Any]

    def symbol(self, precision: str) -> str:
        """Return the name of the compiled function for ``f32``, ``f64`` or `FAST`."""
        return f"{PREFIX}{self.name}.{precision}"

    def source(self, precision: str) -> Callable[..., Any]:
        """Return its source in ``f32`` or ``f64``, or for float32 by functions of the driver."""
        if precision == FAST:
            return getattr(fast32, self.name)
        return self.single if precision == "f32" else self.double

    @property
    def is_fast(self) -> bool:
        """Whether there is a source by functions of the driver."""
        return self.name in fast32.__all__


def symbol_parts(symbol: str) -> tuple[MathFunction, str]:
    """Return the function and the precision that a symbol names."""
    name, precision = symbol.removeprefix(PREFIX).rsplit(".", 1)
    return FUNCTIONS[name], precision


def _unary(single: Any, double: Any, *names: str) -> list[MathFunction]:
    """Return the functions of one float that two modules of sources have."""
    return [MathFunction(n, "f", "f", getattr(single, n), getattr(double, n)) for n in names]


FUNCTIONS: dict[str, MathFunction] = {
    function.name: function
    for function in (
        *_unary(exponential32, exponential64, "exp", "exp2", "exp10", "expm1"),
        *_unary(logarithm32, logarithm64, "log", "log2", "log10", "log1p"),
        *_unary(trigonometric, trigonometric, "sin", "cos", "tan"),
        *_unary(inverse, inverse, "asin", "acos", "atan"),
        *_unary(hyperbolic, hyperbolic, "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
        *_unary(roots, roots, "sqrt"),
        *_unary(roots32, roots64, "rsqrt", "cbrt"),
        *_unary(error32, error64, "erf", "erfc"),
        *_unary(gamma, gamma, "gamma", "lgamma"),
        MathFunction("atan2", "ff", "f", inverse.atan2, inverse.atan2),
        MathFunction("hypot", "ff", "f", roots.hypot, roots.hypot),
        *(
            MathFunction(name, operands, results, getattr(remainder32, name), getattr(remainder64, name))
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
        MathFunction("pow", "ff", "f", power.pow, power.pow),
        *(
            MathFunction(name, "ff", "ff", getattr(complex_numbers, name), getattr(complex_numbers, name))
            for name in (
                *("cexp", "cexp2", "cexpm1", "clog", "clog2", "clog10", "clog1p", "csqrt"),
                *("csin", "ccos", "ctan", "casin", "cacos", "catan"),
                *("csinh", "ccosh", "ctanh", "casinh", "cacosh", "catanh"),
                "rect",
            )
        ),
        *_unary(sums, sums, "spacing"),
        MathFunction("logaddexp", "ff", "f", sums.logaddexp, sums.logaddexp),
        MathFunction("logaddexp2", "ff", "f", sums.logaddexp2, sums.logaddexp2),
        MathFunction("fma", "fff", "f", fused.fma, fused.fma),
        MathFunction("cpow", "ffff", "ff", complex_numbers.cpow, complex_numbers.cpow),
        MathFunction("sincos", "f", "ff", trigonometric.sincos, trigonometric.sincos),
    )
}


def symbols() -> list[str]:
    """Return the symbols of all functions in all precisions."""
    every = [function.symbol(precision) for function in FUNCTIONS.values() for precision in ("f32", "f64")]
    return every + [function.symbol(FAST) for function in FUNCTIONS.values() if function.is_fast]
