"""What the polynomials of the math library approximate: the rows that fit_math.py works through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import mpmath as mp
import numpy as np

__all__ = ["FITS", "Fit", "Real"]

Real = Any
Function = Callable[[Real], Real]
mp.mp.prec = 200


@dataclass(frozen=True)
class Fit:
    """One polynomial.

    Attributes
    ----------
    name : str
        Its name in the coefficients; the last part is the width of its floats.
    value, weight : callable
        What is approximated, and the factor that turns its error into the one that counts.
    low, high : mpf
        The interval.
    degree : int
        The degree.
    first_is_pair : bool
        Whether the constant term is kept as two floats, its head and the rest.
    """

    name: str
    value: Function
    weight: Function
    low: Real
    high: Real
    degree: int
    first_is_pair: bool = False

    @property
    def bits(self) -> int:
        """Width of the floats."""
        return int(self.name.rsplit("_", 1)[1])

    @property
    def working_bits(self) -> int:
        """Precision of the fit."""
        return 140 if self.bits == 32 else 240

    def round(self, number: Real) -> Real:
        """Return the nearest float."""
        return mp.mpf(float(np.float32(float(number))) if self.bits == 32 else float(number))


def near_zero(function: Function, series: list[Real], radius: float = 2.0**-12) -> Function:
    """Return a function that is computed by a series near zero, where its formula cancels."""

    @lru_cache(None)
    def value(x: Real) -> Real:
        return mp.polyval(series[::-1], x) if abs(x) < radius else function(x)

    return value


def positive(function: Function) -> Function:
    """Return a weight that is finite at zero."""
    return lambda x: function(x) if x != 0 else mp.mpf(0)


def of_root(function: Function) -> Function:
    """Return a function of a square as a function of the number itself."""
    return lambda z: function(mp.sqrt(z))


HALF_LN2 = mp.log(2) / 2 * mp.mpf("1.004")
FACTORIALS = [1 / mp.factorial(n) for n in range(40)]
# (exp(r) - 1 - r) / r**2, relative to exp.
_exp = near_zero(lambda r: (mp.exp(r) - 1 - r) / r**2, FACTORIALS[2:16])
# The same, relative to exp(r) - 1.
_expm1_weight = positive(lambda r: abs(r**2 / mp.expm1(r)))
EXPM1_RANGE = mp.log(mp.mpf("0.749")), mp.log(mp.mpf("1.502"))
# (2**r - 1 - ln2 * r) / r**2
LN2 = mp.log(2)
LN10 = mp.log(10)
_exp2 = near_zero(
    lambda r: (mp.mpf(2) ** r - 1 - LN2 * r) / r**2, [LN2 ** (n + 2) * FACTORIALS[n + 2] for n in range(14)]
)
# (2**r - 1) / r
_exp2_short = near_zero(
    lambda r: (mp.mpf(2) ** r - 1) / r, [LN2 ** (n + 1) * FACTORIALS[n + 1] for n in range(15)]
)
# (log1p(f) - f + f**2/2) / f**3
_log = near_zero(
    lambda f: (mp.log1p(f) - f + f * f / 2) / f**3, [(-1) ** n / mp.mpf(n + 3) for n in range(16)]
)
_log_weight = positive(lambda f: abs(f**3 / mp.log1p(f)))
# (atanh(s) - s) / s**3 of s**2
_atanh = near_zero(of_root(lambda s: (mp.atanh(s) - s) / s**3), [1 / mp.mpf(2 * n + 3) for n in range(16)])
_atanh_weight = positive(of_root(lambda s: s**3 / mp.atanh(s)))
QUARTER_PI_SQUARED = (mp.pi / 4 * mp.mpf("1.003")) ** 2
_sin = near_zero(
    of_root(lambda x: (mp.sin(x) - x) / x**3), [(-1) ** (n + 1) * FACTORIALS[2 * n + 3] for n in range(12)]
)
_sin_weight = positive(of_root(lambda x: x**3 / mp.sin(x)))
_cos = near_zero(
    of_root(lambda x: (mp.cos(x) - 1 + x * x / 2) / x**4),
    [(-1) ** n * FACTORIALS[2 * n + 4] for n in range(12)],
)
_cos_weight = of_root(lambda x: x**4 / mp.cos(x))
_atan = near_zero(
    of_root(lambda x: (mp.atan(x) - x) / x**3), [(-1) ** (n + 1) / mp.mpf(2 * n + 3) for n in range(16)]
)
_atan_weight = positive(of_root(lambda x: x**3 / mp.atan(x)))


def _atan_near_weight(z: Real) -> Real:
    """Towards tan(0.5), whose angle has a power of two, rounding takes most of what the bound leaves."""
    return _atan_weight(z) * (1 + 4 * z)


_TAYLOR_ASIN = [mp.binomial(2 * n, n) / mp.mpf(4) ** n / (2 * n + 1) for n in range(1, 16)]
_asin = near_zero(of_root(lambda x: (mp.asin(x) - x) / x**3), _TAYLOR_ASIN)
_asin_weight = positive(of_root(lambda x: x**3 / mp.asin(x)))
_sinh = near_zero(of_root(lambda x: (mp.sinh(x) - x) / x**3), [FACTORIALS[2 * n + 3] for n in range(14)])
_sinh_weight = positive(of_root(lambda x: x**3 / mp.sinh(x)))
# (cosh(x) - 1) / x**2 of x**2, and what its error and that of sinh make of exp(x) / 2 or more.
_cosh = near_zero(of_root(lambda x: (mp.cosh(x) - 1) / x**2), [FACTORIALS[2 * n + 2] for n in range(14)])
_cosh_weight = of_root(lambda x: x**2 / mp.cosh(x))
_sinh_part_weight = of_root(lambda x: x**3 / mp.cosh(x))
HALF_LN2_SQUARED, MOST_OF_LN2_SQUARED = HALF_LN2**2, (mp.log(2) * mp.mpf("0.703")) ** 2
_tan = near_zero(of_root(lambda x: (mp.tan(x) - x) / x**3), mp.taylor(mp.tan, 0, 27)[3::2])
_tan_weight = positive(of_root(lambda x: x**3 / mp.tan(x)))
_tanh = near_zero(of_root(lambda x: (mp.tanh(x) - x) / x**3), mp.taylor(mp.tanh, 0, 27)[3::2])
_tanh_weight = positive(of_root(lambda x: x**3 / mp.tanh(x)))
_ERF = [2 / mp.sqrt(mp.pi) * (-1) ** n * FACTORIALS[n] / (2 * n + 1) for n in range(20)]
# erf(x) / x - 1 of x**2
_erf = near_zero(of_root(lambda x: mp.erf(x) / x - 1), [_ERF[0] - 1, *_ERF[1:]])
_erf_weight = positive(of_root(lambda x: x / mp.erf(x)))


def exp_squared_erfc(t: Real) -> Real:
    """exp(x**2) * erfc(x) * (x + 2) of t = (x - 2) / (x + 2)."""
    x = 2 * (1 + t) / (1 - t)
    return mp.exp(x * x) * mp.erfc(x) * (x + 2)


_erfc = lru_cache(None)(exp_squared_erfc)
# log(exp(x**2) * erfc(x) * (x + 2) / 2) / w + 1 of w = x / (x + 2)
_log_erfc = lru_cache(None)(lambda w: (mp.log(exp_squared_erfc(2 * w - 1)) - LN2) / w + 1)


@lru_cache(None)
def _log2_erfc(x: Real) -> Real:
    """log2(erfc(x)) / x + 2, from which erf(x) = 1 - 2**(x * that - 2 * x)."""
    return mp.log(mp.erfc(x)) / (LN2 * x) + 2


@lru_cache(None)
def _erf_far_weight(x: Real) -> Real:
    return LN2 * x * mp.erfc(x) / mp.erf(x)


# gamma(1.5 + t) and lgamma(1.5 + t) / ((t + 0.5) * (t - 0.5))
_gamma = lru_cache(None)(lambda t: mp.gamma(t + mp.mpf(1.5)))
_LGAMMA_AT = mp.mpf(1.5)


@lru_cache(None)
def _lgamma(t: Real) -> Real:
    """lgamma(1.5 + t) without its zeros at 1 and 2."""
    x = _LGAMMA_AT + t
    scale = (x - 1) * (x - 2)
    if abs(scale) > mp.mpf(2) ** -40:
        return mp.loggamma(x) / scale
    return -mp.digamma(1) if abs(x - 1) < 0.1 else mp.digamma(2)


# What is left of lgamma(x) for large x after Stirling's formula, times x, of 1/x**2.
_stirling = near_zero(
    of_root(
        lambda r: (mp.loggamma(1 / r) - (1 / r - 0.5) * mp.log(1 / r) + 1 / r - mp.log(2 * mp.pi) / 2) / r
    ),
    [mp.bernoulli(2 * n) / (2 * n * (2 * n - 1)) for n in range(1, 12)],
    2.0**-10,
)


def _one(x: Real) -> Real:
    return mp.mpf(1)


FITS: tuple[Fit, ...] = (
    Fit("EXP_32", _exp, lambda r: r**2 / mp.exp(r), -HALF_LN2, HALF_LN2, 4),
    Fit("EXP_TAIL_32", _exp, lambda r: r**2 / mp.exp(r), -HALF_LN2, HALF_LN2, 5),
    Fit("EXPM1_32", _exp, _expm1_weight, *EXPM1_RANGE, 5),
    Fit("EXPM1_NEAR_32", _exp, _expm1_weight, -HALF_LN2, HALF_LN2, 4),
    Fit("EXP2_32", _exp2, lambda r: r**2 / mp.mpf(2) ** r, mp.mpf(-0.501), mp.mpf(0.501), 5),
    Fit("EXP2_SHORT_32", _exp2_short, lambda r: r / mp.mpf(2) ** r, mp.mpf("-0.501"), mp.mpf("0.501"), 5),
    Fit("LOG_32", _log, _log_weight, mp.mpf(-1) / 3, mp.mpf(1) / 3, 7),
    Fit("LOG_FINE_32", _log, _log_weight, mp.mpf(-1) / 3, mp.mpf(1) / 3, 8),
    Fit("LOG2_32", lambda f: _log(f) / LN2, _log_weight, mp.mpf(-1) / 3, mp.mpf(1) / 3, 7),
    Fit("LOG10_32", lambda f: _log(f) / LN10, _log_weight, mp.mpf(-1) / 3, mp.mpf(1) / 3, 7),
    Fit("ATANH_SERIES_32", _atanh, _atanh_weight, mp.mpf(0), mp.mpf("0.0296"), 3),
    Fit("SIN_32", _sin, _sin_weight, mp.mpf(0), QUARTER_PI_SQUARED, 2),
    Fit("COS_32", _cos, _cos_weight, mp.mpf(0), QUARTER_PI_SQUARED, 2),
    Fit("TAN_32", _tan, _tan_weight, mp.mpf(0), QUARTER_PI_SQUARED, 6),
    Fit("ATAN_NEAR_32", _atan, _atan_near_weight, mp.mpf(0), mp.mpf("0.2986"), 4),
    Fit("ATAN_32", _atan, _atan_weight, mp.mpf(0), mp.mpf(1), 7),
    Fit("ASIN_32", _asin, _asin_weight, mp.mpf(0), mp.mpf("0.2501"), 4),
    Fit("SINH_32", _sinh, _sinh_weight, mp.mpf(0), MOST_OF_LN2_SQUARED, 2),
    Fit("COSH_32", _cosh, _cosh_weight, mp.mpf(0), MOST_OF_LN2_SQUARED, 2),
    Fit("SINH_NEAR_32", _sinh, _sinh_part_weight, mp.mpf(0), HALF_LN2_SQUARED, 1),
    Fit("COSH_NEAR_32", _cosh, _cosh_weight, mp.mpf(0), HALF_LN2_SQUARED, 2),
    Fit("TANH_32", _tanh, _tanh_weight, mp.mpf(0), mp.mpf("0.3601"), 4),
    Fit("ERF_32", _erf, _erf_weight, mp.mpf(0), mp.mpf("0.5329"), 5),
    Fit("ERF_FAR_32", _log2_erfc, _erf_far_weight, mp.mpf("0.72"), mp.mpf(4), 5),
    Fit("ERFC_32", _erfc, lambda t: 1 / _erfc(t), mp.mpf("-1.001"), mp.mpf("0.672"), 10),
    Fit("ERFC_LOG_32", _log_erfc, lambda w: w, mp.mpf(2) ** -20, mp.mpf("0.8275"), 9),
    Fit(
        "GAMMA_32", _gamma, lambda t: 1 / _gamma(t), mp.mpf("-0.501"), mp.mpf("0.501"), 10, first_is_pair=True
    ),
    Fit("LGAMMA_32", _lgamma, lambda t: 1 / _lgamma(t), mp.mpf("-0.91"), mp.mpf("1.01"), 14),
    Fit("STIRLING_32", _stirling, _one, mp.mpf(0), mp.mpf(1) / 12, 3),
    Fit("GAMMA_SERIES_32", _stirling, _one, mp.mpf(0), mp.mpf("0.2501"), 4),
    Fit("EXP_SHORT_64", _exp, lambda r: r**2 / mp.exp(r), -HALF_LN2, HALF_LN2, 9),
    Fit("EXP_64", _exp, lambda r: r**2 / mp.exp(r), -HALF_LN2, HALF_LN2, 10),
    Fit("EXPM1_64", _exp, _expm1_weight, *EXPM1_RANGE, 10),
    Fit("EXPM1_ABOVE_64", _exp, _expm1_weight, mp.mpf("-0.175"), mp.mpf("0.522"), 10),
    Fit("ATANH_SERIES_64", _atanh, _atanh_weight, mp.mpf(0), mp.mpf("0.0296"), 8),
    Fit("SIN_64", _sin, _sin_weight, mp.mpf(0), QUARTER_PI_SQUARED, 5),
    Fit("COS_64", _cos, _cos_weight, mp.mpf(0), QUARTER_PI_SQUARED, 5),
    Fit("TAN_64", _tan, _tan_weight, mp.mpf(0), QUARTER_PI_SQUARED, 13),
    Fit("ATAN_NEAR_64", _atan, _atan_near_weight, mp.mpf(0), mp.mpf("0.2986"), 11),
    Fit("ATAN_64", _atan, _atan_weight, mp.mpf(0), mp.mpf(1), 19),
    Fit("ASIN_64", _asin, _asin_weight, mp.mpf(0), mp.mpf("0.2501"), 11),
    Fit("SINH_64", _sinh, _sinh_weight, mp.mpf(0), MOST_OF_LN2_SQUARED, 5),
    Fit("COSH_64", _cosh, _cosh_weight, mp.mpf(0), MOST_OF_LN2_SQUARED, 5),
    Fit("SINH_NEAR_64", _sinh, _sinh_part_weight, mp.mpf(0), HALF_LN2_SQUARED, 4),
    Fit("COSH_NEAR_64", _cosh, _cosh_weight, mp.mpf(0), HALF_LN2_SQUARED, 4),
    Fit("ERF_64", _erf, _erf_weight, mp.mpf(0), mp.mpf("0.6401"), 12),
    Fit("STIRLING_64", _stirling, _one, mp.mpf(0), mp.mpf("0.1601"), 11),
    Fit("ERF_FAR_64", _log2_erfc, _erf_far_weight, mp.mpf("0.79"), mp.mpf("5.95"), 17),
    Fit("EXP2_SHORT_64", _exp2_short, lambda r: r / mp.mpf(2) ** r, mp.mpf("-0.501"), mp.mpf("0.501"), 10),
    Fit(
        "GAMMA_64", _gamma, lambda t: 1 / _gamma(t), mp.mpf("-0.501"), mp.mpf("0.501"), 22, first_is_pair=True
    ),
    Fit("ERFC_64", _erfc, lambda t: 1 / _erfc(t), mp.mpf("-1.001"), mp.mpf("0.8635"), 25),
    Fit("LGAMMA_64", _lgamma, lambda t: 1 / _lgamma(t), mp.mpf("-0.91"), mp.mpf("1.01"), 34),
)
