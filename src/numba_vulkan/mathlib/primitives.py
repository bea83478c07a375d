"""What the sources of the math library are written with, besides arithmetic; the front end gives each its meaning.

Integers of the sources have 32 bits and wrap around: `Word` is unsigned, `Int` is signed. Both are made here, from
floats or from each other, and take part in operations with their own kind and with plain integers, which become that
kind. Numba's own integers would widen to 64 bits at every step.
"""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = [
    "PRIMITIVES",
    "add_product",
    "approximate_reciprocal",
    "as_float32",
    "as_float64",
    "as_int",
    "bits",
    "chosen_polynomial",
    "copy_sign",
    "driver_cos",
    "driver_exp2",
    "driver_inverse_root",
    "driver_log2",
    "driver_sin",
    "from_bits",
    "from_words",
    "high_word",
    "leading_zeros",
    "low_word",
    "multiply_high",
    "plain",
    "polynomial",
    "product_error",
    "reciprocal",
    "residual",
    "root",
    "round_down",
    "round_even",
    "signed",
    "square_root",
    "truncated",
    "unsigned",
    "window",
]


def _only_compiled() -> NoReturn:
    raise NotImplementedError("this function exists in compiled code only")


def bits(x: Any) -> Any:
    """Return the bits of a float32 as a Word."""
    _only_compiled()


def from_bits(word: Any) -> Any:
    """Return the float32 with these bits."""
    _only_compiled()


def high_word(x: Any) -> Any:
    """Return the upper half of the bits of a float64 as a Word."""
    _only_compiled()


def low_word(x: Any) -> Any:
    """Return the lower half of the bits of a float64 as a Word."""
    _only_compiled()


def from_words(high: Any, low: Any) -> Any:
    """Return the float64 with these bits."""
    _only_compiled()


def signed(word: Any) -> Any:
    """Return a Word as an Int."""
    _only_compiled()


def unsigned(number: Any) -> Any:
    """Return an Int, or the low 32 bits of a plain integer, as a Word."""
    _only_compiled()


def as_int(x: Any) -> Any:
    """Return a float without its fraction, or the low 32 bits of a plain integer, as an Int."""
    _only_compiled()


def plain(number: Any) -> Any:
    """Return an Int as an integer of compiled code outside the library."""
    _only_compiled()


def as_float32(number: Any) -> Any:
    """Return the nearest float32 of an Int; a Word must be less than 2**31."""
    _only_compiled()


def as_float64(number: Any) -> Any:
    """Return the float64 of an Int; a Word must be less than 2**31."""
    _only_compiled()


def multiply_high(left: Any, right: Any) -> Any:
    """Return the upper half of the product of two Words."""
    _only_compiled()


def copy_sign(magnitude: Any, sign: Any) -> Any:
    """Return the first float with the sign of the second."""
    _only_compiled()


def driver_sin(x: Any) -> Any:
    """Return the driver's sine of a float32."""
    _only_compiled()


def driver_cos(x: Any) -> Any:
    """Return the driver's cosine of a float32."""
    _only_compiled()


def driver_exp2(x: Any) -> Any:
    """Return the driver's power of two of a float32."""
    _only_compiled()


def driver_log2(x: Any) -> Any:
    """Return the driver's logarithm to base 2 of a float32."""
    _only_compiled()


def driver_inverse_root(x: Any) -> Any:
    """Return the driver's 1 / sqrt(x) of a float32."""
    _only_compiled()


def window(index: Any, words: Any, length: Any) -> Any:
    """Return so many consecutive Words of a constant tuple, from an index on, as a tuple.

    By selections, halving the distance each time: tables that lanes index apart are slow. ``length`` is a constant.
    """
    _only_compiled()


def leading_zeros(word: Any) -> Any:
    """Return the number of zero bits above the highest set bit of a Word, as an Int."""
    _only_compiled()


def product_error(left: Any, right: Any, product: Any) -> Any:
    """Return ``left * right - product`` for the rounded product, which is exact unless it underflows.

    A fused multiply-add where the device has one, Dekker's splitting elsewhere, with the same bits.
    """
    _only_compiled()


def add_product(addend: Any, left: Any, right: Any) -> Any:
    """Return ``addend + left * right`` for an exact product.

    It makes no difference whether that is rounded, so devices with a fused multiply-add use it.
    """
    _only_compiled()


def residual(n: Any, q: Any, d: Any) -> Any:
    """Return ``n - q * d``, rounded once, for a product that is between n / 2 and 2 * n."""
    _only_compiled()


def reciprocal(d: Any) -> Any:
    """Return the nearest float to 1 / d, for a float32 d whose magnitude is between 2**-120 and 2**120."""
    _only_compiled()


def approximate_reciprocal(d: Any) -> Any:
    """Return 1 / d within 2.5 units, which devices differ in, for a d whose magnitude is between 2**-120 and 2**120."""
    _only_compiled()


def root(x: Any) -> Any:
    """Return the nearest float to the square root, for a float32 x between 2**-60 and 2**60."""
    _only_compiled()


def polynomial(x: Any, coefficients: Any) -> Any:
    """Return the polynomial with these coefficients, that of ``x**0`` first, by Horner's rule."""
    _only_compiled()


def chosen_polynomial(x: Any, condition: Any, if_true: Any, if_false: Any) -> Any:
    """Return the polynomial of the same degree that a condition chooses, choosing its coefficients."""
    _only_compiled()


def square_root(x: Any) -> Any:
    """Return the correctly rounded square root."""
    _only_compiled()


def truncated(x: Any) -> Any:
    """Return a float without its fraction."""
    _only_compiled()


def round_down(x: Any) -> Any:
    """Return the largest whole float that is not greater."""
    _only_compiled()


def round_even(x: Any) -> Any:
    """Return the nearest whole float, of two the even one."""
    _only_compiled()


PRIMITIVES = frozenset(
    value
    for name, value in list(globals().items())
    if callable(value) and name in __all__ and name != "PRIMITIVES"
)
