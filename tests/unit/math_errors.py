"""Arguments, references and error bounds of the math functions, in units in the last place.

float32 is measured against the C library's float64, float64 against its extended precision, which has 11 bits more;
what comes near its bound is measured again against mpmath.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numba
import numpy as np

from numba_vulkan.mathlib.table import FUNCTIONS
from unit.c_functions import c_function
from unit.math_twin import twin

Array = np.ndarray
WIDTHS: dict[str, Any] = {"f32": np.float32, "f64": np.float64}
REFERENCE_WIDTHS: dict[str, Any] = {"f32": np.float64, "f64": np.longdouble}
BITS: dict[str, Any] = {"f32": np.uint32, "f64": np.uint64}

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
# How near to its bound an error is measured again.
NEAR = 0.05
_C_NAMES = {"gamma": "tgamma"}
_MPMATH: dict[str, Callable[..., Any]] = {
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "exp10": lambda x: mpmath.mpf(10) ** x,
    "log2": lambda x: mpmath.log(x, 2),
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "pow": lambda x, y: abs(x) ** y * (-1 if x < 0 and y % 2 else 1),
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x))),
}


def reference(name: str, precision: str, operands: list[Array]) -> Array:
    """Return results in the wider precision."""
    width = REFERENCE_WIDTHS[precision]
    if name == "rsqrt":
        with np.errstate(all="ignore"):
            return 1 / np.sqrt(operands[0].astype(width))
    return c_function(_C_NAMES.get(name, name), len(operands), width)(*operands)


def _least(name: str, operands: list[Array], tiny: float) -> Any:
    """Return the smallest magnitude whose last place counts."""
    # Around its zeros at negative arguments, lgamma is good to the last place of 1.
    return np.where(operands[0] < 0, 1.0, tiny) if name == "lgamma" else tiny


def arguments(precision: str, operands: int, count: int, seed: int = 1) -> list[Array]:
    """Return arrays of arguments: all exponents, the ranges in which functions change, and near 1."""
    rng = np.random.default_rng(seed)
    width, unsigned = WIDTHS[precision], BITS[precision]
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
    width, wide = WIDTHS[precision], REFERENCE_WIDTHS[precision]
    information = np.finfo(width)
    with np.errstate(all="ignore"):
        exact = reference(name, precision, operands)
        least = _least(name, operands, float(information.tiny))
        magnitude = np.maximum(np.abs(exact), least)
        _, exponent = np.frexp(np.minimum(magnitude, wide(information.max)))
        unit = np.ldexp(wide(1), exponent - 1 - information.nmant)
        rounded = exact.astype(width)
        distance = np.abs(results.astype(wide) - exact) / unit
    agree = (results == rounded) | (np.isnan(results) & np.isnan(rounded))
    distance = np.where(agree & ~np.isfinite(rounded), 0, distance)
    return np.where(np.isnan(distance), np.inf, distance).astype(np.float64)


BLOCK = 1 << 24
BLOCKS = (1 << 32) // BLOCK
_EXPONENTS = np.arange(2048) - 1023


def _scales(least_exponent: int) -> Array:
    """Return the inverse of float32's unit in the last place for each exponent field of a float64."""
    return np.ldexp(1.0, 23 - np.clip(_EXPONENTS, least_exponent, 127))


@numba.njit(error_model="numpy")
def _worst(results: Array, exact: Array, words: Array, scales: Array) -> Any:
    """Return the largest error of float32 results against float64 ones and its position, as `errors` finds it.

    ``words`` are the bits of the exact results.
    """
    worst, where = -1.0, 0
    for i in range(results.size):
        result, value = np.float64(results[i]), exact[i]
        rounded = np.float64(np.float32(value))
        if (result == rounded or (result != result and value != value)) and rounded - rounded != 0.0:
            continue
        distance = abs(result - value) * scales[np.int64(words[i] >> np.uint64(52)) & 0x7FF]
        if not distance <= worst:
            worst, where = distance, i
    return worst, where


def exhaustive_errors(name: str, first_block: int = 0) -> Iterator[tuple[int, float, float]]:
    """Yield the number of blocks done, the largest error of the block and its argument, over all float32 numbers."""
    run = twin(name, "f32")
    for block in range(first_block, BLOCKS):
        x = np.arange(block * BLOCK, (block + 1) * BLOCK, dtype=np.int64).astype(np.uint32).view(np.float32)
        at_negative = name == "lgamma" and block >= BLOCKS // 2
        exact = reference(name, "f32", [x])
        worst, where = _worst(run(x), exact, exact.view(np.uint64), _scales(0 if at_negative else -126))
        yield block + 1, float(worst), float(x[where])


@functools.cache
def measured(name: str, precision: str, count: int, seed: int = 1) -> tuple[float, tuple[float, ...]]:
    """Return the largest error of the twin on the CPU and where it is."""
    operands = arguments(precision, len(FUNCTIONS[name].operands), count, seed)
    found = errors(name, precision, operands, twin(name, precision)(*operands))
    worst = int(np.argmax(found))
    place = tuple(float(x[worst]) for x in operands)
    largest = float(found[worst])
    if largest > BOUNDS[name][precision == "f64"] - NEAR:
        largest = checked(name, precision, place)
    return largest, place


def checked(name: str, precision: str, place: tuple[float, ...]) -> float:
    """Return the error at one place, against mpmath."""
    width = WIDTHS[precision]
    operands = [np.array([x], width) for x in place]
    result = float(twin(name, precision)(*operands)[0])
    if not all(math.isfinite(x) for x in (*place, result)):
        return float(errors(name, precision, operands, np.array([result], width))[0])
    information = np.finfo(width)
    with mpmath.workprec(2400):
        # A tangent at 1e300 needs as many bits as its argument has.
        function = _MPMATH.get(name) or getattr(mpmath, name)
        exact = function(*(mpmath.mpf(x) for x in place))
        magnitude = max(abs(exact), float(np.ravel(_least(name, operands, float(information.tiny)))[0]))
        exponent = mpmath.floor(mpmath.log(magnitude, 2))
        return float(abs(result - exact) / mpmath.mpf(2) ** (exponent - information.nmant))
