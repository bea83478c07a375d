"""Arguments, references and error bounds of the math functions, in units in the last place."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

from numba_vulkan.mathlib.table import FUNCTIONS
from unit.math_twin import twin

Array = np.ndarray
Wide = np.longdouble
WIDTHS = {"f32": np.float32, "f64": np.float64}

# Largest errors promised, for float32 and float64.
BOUNDS: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p"), (1.0, 1.0)),
    **dict.fromkeys(("sin", "cos", "atan", "pow", "hypot", "cbrt", "rsqrt", "erf"), (1.0, 1.0)),
    **dict.fromkeys(("tan", "asin", "acos", "atan2", "sinh", "cosh", "tanh"), (1.5, 1.5)),
    **dict.fromkeys(("asinh", "acosh", "atanh"), (2.0, 2.0)),
    "erfc": (2.0, 4.0),
    "gamma": (5.0, 10.0),
    "lgamma": (5.0, 10.0),
    "sqrt": (0.5, 0.5),
}


def _by_mpmath(function: Callable[[Any], Any]) -> Callable[[Array], Array]:
    """Return a function of arrays in extended precision from one of single numbers."""

    def one(x: float) -> Wide:
        if not math.isfinite(x):
            return Wide(float(function(x)))
        if x == 0 and function is mpmath.erf:
            return Wide(x)
        try:
            value = function(mpmath.mpf(x))
        except ValueError:
            return Wide(math.nan)
        head = float(value)
        return Wide(head) + Wide(float(value - head)) if math.isfinite(head) else Wide(head)

    vectorised = np.vectorize(one, otypes=[Wide])

    def many(x: Array) -> Array:
        with mpmath.workprec(180):
            return vectorised(x.astype(np.float64))

    return many


def _gamma(x: Any) -> Any:
    return mpmath.gamma(x)


def _erfc(x: Any) -> Any:
    # mpmath gives up where nothing is left.
    return mpmath.mpf(0 if x > 0 else 2) if abs(x) >= 40 else mpmath.erfc(x)


def _log_gamma(x: Any) -> Any:
    if not math.isfinite(x):
        return abs(x)
    if x <= 0 and x == mpmath.floor(x):
        return math.inf
    return mpmath.log(abs(mpmath.gamma(x))) if x < 0 else mpmath.loggamma(x)


# float64 is checked against x87's extended precision, which has 11 bits more, float32 against the same.
REFERENCES: dict[str, Callable[..., Array]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "exp10": lambda x: np.power(Wide(10), x),
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "cbrt": np.cbrt,
    "hypot": np.hypot,
    "pow": np.power,
    "erf": _by_mpmath(mpmath.erf),
    "erfc": _by_mpmath(_erfc),
    "gamma": _by_mpmath(_gamma),
    "lgamma": _by_mpmath(_log_gamma),
}
SLOW = ("erf", "erfc", "gamma", "lgamma")


def arguments(precision: str, operands: int, count: int, seed: int = 1) -> list[Array]:
    """Return arrays of arguments: all exponents, the ranges in which functions change, and near 1."""
    rng = np.random.default_rng(seed)
    width = WIDTHS[precision]
    unsigned = np.uint32 if precision == "f32" else np.uint64
    highest = 110 if precision == "f32" else 760

    def ranges() -> list[Array]:
        return [
            rng.integers(0, np.iinfo(unsigned).max, count, unsigned).view(width),
            rng.uniform(-highest, highest, count).astype(width),
            rng.standard_normal(count).astype(width),
            (1 + 0.1 * rng.standard_normal(count)).astype(width),
            rng.uniform(-1.1, 1.1, count).astype(width),
            rng.uniform(-12, 12, count).astype(width),
        ]

    if operands == 1:
        return [np.concatenate(ranges())]
    pairs = [(a[: count // 4], b[: count // 4]) for a in ranges() for b in ranges()]
    return [np.concatenate(column) for column in zip(*pairs, strict=True)]


def errors(name: str, precision: str, operands: list[Array], results: Array) -> Array:
    """Return the error of each result in units in the last place of the exact value."""
    width = WIDTHS[precision]
    information = np.finfo(width)
    with np.errstate(all="ignore"):
        exact = REFERENCES[name](*(x.astype(Wide) for x in operands))
        # Around its zeros at negative arguments, lgamma is good to the last place of 1.
        least = np.where(operands[0] < 0, 1.0, information.tiny) if name == "lgamma" else information.tiny
        magnitude = np.maximum(np.abs(exact), Wide(least))
        _, exponent = np.frexp(np.minimum(magnitude, Wide(information.max)))
        unit = np.ldexp(Wide(1), exponent - 1 - information.nmant)
        rounded = exact.astype(width)
        distance = np.abs(results.astype(Wide) - exact) / unit
    agree = (results == rounded) | (np.isnan(results) & np.isnan(rounded))
    distance = np.where(agree & ~np.isfinite(rounded), 0, distance)
    return np.where(np.isnan(distance), np.inf, distance).astype(np.float64)


@functools.cache
def measured(name: str, precision: str, count: int, seed: int = 1) -> tuple[float, tuple[float, ...]]:
    """Return the largest error of the twin on the CPU and where it is."""
    operands = arguments(precision, len(FUNCTIONS[name].operands), count, seed)
    found = errors(name, precision, operands, twin(name, precision)(*operands))
    worst = int(np.argmax(found))
    return float(found[worst]), tuple(float(x[worst]) for x in operands)
