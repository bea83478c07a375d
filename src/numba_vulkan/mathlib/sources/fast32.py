"""Functions of float32 by those of the driver, for kernels that ask for it: as exact as these are, and as special."""

from __future__ import annotations

from typing import Any

from ..primitives import (
    as_int,
    copy_sign,
    driver_cos,
    driver_exp2,
    driver_inverse_root,
    driver_log2,
    driver_sin,
    polynomial,
    truncated,
    unsigned,
)
from .coefficients import ERF_32, ERFC_32, SINH_32, TANH_32
from .constants import NAN

__all__ = [
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "log",
    "log10",
    "log2",
    "pow",
    "rsqrt",
    "sin",
    "sincos",
    "sinh",
    "tan",
    "tanh",
]

LOG2_E = 1.4426950216293335
LOG2_10 = 3.321928024291992
LN2 = 0.6931471824645996
LOG10_2 = 0.30103000998497009


def exp(x: Any) -> Any:
    """Return e**x."""
    return driver_exp2(x * LOG2_E)


def exp2(x: Any) -> Any:
    """Return 2**x."""
    return driver_exp2(x)


def exp10(x: Any) -> Any:
    """Return 10**x."""
    return driver_exp2(x * LOG2_10)


def log(x: Any) -> Any:
    """Return the natural logarithm."""
    return driver_log2(x) * LN2


def log2(x: Any) -> Any:
    """Return the logarithm to base 2."""
    return driver_log2(x)


def log10(x: Any) -> Any:
    """Return the logarithm to base 10."""
    return driver_log2(x) * LOG10_2


def sin(x: Any) -> Any:
    """Return the sine."""
    return driver_sin(x)


def cos(x: Any) -> Any:
    """Return the cosine."""
    return driver_cos(x)


def sincos(x: Any) -> Any:
    """Return sine and cosine."""
    return driver_sin(x), driver_cos(x)


def tan(x: Any) -> Any:
    """Return the tangent."""
    return driver_sin(x) / driver_cos(x)


def rsqrt(x: Any) -> Any:
    """Return 1 / sqrt(x)."""
    return driver_inverse_root(x)


def pow(x: Any, y: Any) -> Any:
    """Return x**y."""
    result = driver_exp2(y * driver_log2(abs(x)))
    if x < 0.0:
        is_whole = truncated(y) == y
        is_odd = abs(y) < 16777216.0 and (unsigned(as_int(y)) & 1) == 1
        result = (-result if is_odd else result) if is_whole else NAN
    return 1.0 if y == 0.0 else result


def sinh(x: Any) -> Any:
    """Return the hyperbolic sine."""
    growth = driver_exp2(x * LOG2_E)
    z = x * x
    return x + (x * z) * polynomial(z, SINH_32) if z < 0.48 else 0.5 * (growth - 1.0 / growth)


def cosh(x: Any) -> Any:
    """Return the hyperbolic cosine."""
    growth = driver_exp2(x * LOG2_E)
    return 0.5 * (growth + 1.0 / growth)


def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent."""
    z = x * x
    near = x + (x * z) * polynomial(z, TANH_32)
    return near if z < 0.3 else 1.0 - 2.0 / (driver_exp2(x * (2.0 * LOG2_E)) + 1.0)


def complement(a: Any) -> Any:
    """Return erfc(a) for a from 0 on; see error32."""
    r = 1.0 / (a + 2.0)
    return r * polynomial(1.0 - 4.0 * r, ERFC_32) * driver_exp2(a * a * -LOG2_E)


def erf(x: Any) -> Any:
    """Return the error function."""
    magnitude = abs(x)
    near = x + x * polynomial(x * x, ERF_32)
    return near if magnitude < 0.89 else copy_sign(1.0 - complement(magnitude), x)


def erfc(x: Any) -> Any:
    """Return 1 - erf(x)."""
    y = complement(abs(x))
    return 2.0 - y if x < 0.0 else y
