"""What sources of either precision call and compare with: pairs of which a specialisation takes one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import (
    exponential32,
    exponential64,
    logarithm32,
    logarithm64,
    reciprocal,
    remainder32,
    remainder64,
)


@dataclass(frozen=True)
class ByPrecision:
    """A function or a constant that differs between float32 and float64."""

    single: Any
    double: Any

    def __call__(self, *_: Any) -> Any:
        """Refuse to be called where nothing has been specialised."""
        raise NotImplementedError("this function exists in compiled code only")


without_powers = ByPrecision(exponential32.without_powers, exponential64.without_powers)
exponent_in = ByPrecision(exponential32.exponent_in, exponential64.exponent_in)
half_powers = ByPrecision(exponential32.half_powers, exponential64.half_powers)
power_of_two = ByPrecision(exponential32.power_of_two, exponential64.power_of_two)
power_in = ByPrecision(exponential32.power_in, exponential64.power_in)
one_plus = ByPrecision(exponential32.one_plus, exponential64.one_plus)
raised = ByPrecision(exponential32.raised, exponential64.raised)
scaled_far = ByPrecision(exponential32.scaled_far, exponential64.scaled_far)
ROUNDER = ByPrecision(exponential32.ROUNDER, exponential64.ROUNDER)
exp = ByPrecision(exponential32.exp, exponential64.exp)
exp2 = ByPrecision(exponential32.exp2, exponential64.exp2)
expm1 = ByPrecision(exponential32.expm1, exponential64.expm1)
log = ByPrecision(logarithm32.log, logarithm64.log)
log_beyond_one = ByPrecision(logarithm32.log_beyond_one, logarithm64.log_beyond_one)
log_one_plus = ByPrecision(logarithm32.log_one_plus, logarithm64.log_one_plus)
log1p = ByPrecision(logarithm32.log1p, logarithm64.log1p)
is_normal = ByPrecision(logarithm32.is_normal_number, logarithm64.is_normal)
parts_of = ByPrecision(logarithm32.parts_of, logarithm64.parts_of)
rough_half = ByPrecision(reciprocal.rough_half_single, reciprocal.rough_half_double)
frexp = ByPrecision(remainder32.frexp, remainder64.frexp)
ldexp = ByPrecision(remainder32.ldexp, remainder64.ldexp)
nextafter = ByPrecision(remainder32.nextafter, remainder64.nextafter)

# Beyond it, the square of a number, or four times it, may overflow; below its inverse, a square may vanish.
LARGE = ByPrecision(2.0**60, 2.0**500)
SMALL = ByPrecision(2.0**-60, 2.0**-500)
# A fourth of the largest numbers.
HUGE = ByPrecision(2.0**126, 2.0**1022)
# Up to it, exp, sinh and cosh are finite; what is taken from larger numbers, and e and 2 to the power of that.
LARGEST_EXPONENT = ByPrecision(88.0, 709.0)
HALF_EXPONENT = ByPrecision(64.0, 512.0)
HALF_GROWTH = ByPrecision(6.235149080811617e27, 2.2844135865397566e222)
HALF_POWER = ByPrecision(2.0**64, 2.0**512)
# From it on, tanh is 1.
SATURATED = ByPrecision(10.0, 20.0)
# Numbers this many binary places apart do not reach each other's last place, nor that of an exact product.
FAR = ByPrecision(60, 120)
# The exponent that frexp gives the smallest normal number.
SMALLEST_EXPONENT = ByPrecision(-125, -1021)
