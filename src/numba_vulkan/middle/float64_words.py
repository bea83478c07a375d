"""Float64 kept as two 32-bit words, converted to float32 and back in 32-bit integer arithmetic, without branches.

Every bit pattern is converted as IEEE 754 asks: rounded to nearest, ties to even, denormals, infinities and overflow
included; a NaN keeps its sign and the upper part of its payload and becomes quiet.
"""

from __future__ import annotations

import struct
from functools import cache

from ..llvmir.build import Builder
from ..llvmir.model import Value
from ..llvmir.types import F32, I32

__all__ = ["cut_f32", "f32_bits_to_words", "f32_to_words", "nearest_f32", "words_to_f32", "words_to_f32_bits"]

_SIGN = 0x80000000
_MAGNITUDE = 0x7FFFFFFF
_F32_INFINITY = 0x7F800000
_F32_QUIET = 0x00400000
_F32_SMALLEST_NORMAL = 0x00800000
_F64_QUIET = 0x00080000  # in the high word, like the following
_F64_INFINITY = 0x7FF00000
# Biased exponents: 0 of float32 lies at 896 of float64.
_BIAS_DIFFERENCE = 1023 - 127
_F64_OVERFLOW = (_BIAS_DIFFERENCE + 255) << 20
_F64_SMALLEST_NORMAL = (_BIAS_DIFFERENCE + 1) << 20


def words_to_f32(builder: Builder, low: Value, high: Value) -> Value:
    """Return the float32 nearest to the float64 whose words are ``low`` and ``high``."""
    return builder.cast("bitcast", words_to_f32_bits(builder, low, high), F32)


def f32_to_words(builder: Builder, value: Value) -> tuple[Value, Value]:
    """Return the words, the low one first, of the float64 equal to the float32 ``value``."""
    return f32_bits_to_words(builder, builder.cast("bitcast", value, I32))


def words_to_f32_bits(builder: Builder, low: Value, high: Value, *, to_odd: bool = False) -> Value:
    """Return, as i32, the bits of the float32 nearest to the float64 whose words are ``low`` and ``high``.

    With ``to_odd``, `abi.ODD_BITS` instead.
    """
    b = builder
    magnitude = b.binary("and", high, b.i32(_MAGNITUDE))
    # Exponent and the upper 23 bits of the mantissa, moved to where float32 has them; the exponent, which has three
    # bits too many, wraps around.
    upper = b.binary("or", b.binary("shl", magnitude, b.i32(3)), b.binary("lshr", low, b.i32(29)))
    rest = b.binary("shl", low, b.i32(3))
    mantissa = b.binary("and", upper, b.i32(_F32_SMALLEST_NORMAL - 1))

    normal = b.binary("sub", upper, b.i32(_BIAS_DIFFERENCE << 23))
    denormal, denormal_rest = _denormal(b, magnitude, mantissa, rest)
    is_denormal = b.icmp("ult", magnitude, b.i32(_F64_SMALLEST_NORMAL))
    truncated = b.select(is_denormal, denormal, normal)
    rest = b.select(is_denormal, denormal_rest, rest)

    rounded = (_rounded_to_odd if to_odd else _rounded_to_nearest)(b, truncated, rest)
    is_nan = b.binary(
        "or",
        b.icmp("ugt", magnitude, b.i32(_F64_INFINITY)),
        b.binary("and", b.icmp("eq", magnitude, b.i32(_F64_INFINITY)), b.icmp("ne", low, b.i32(0))),
    )
    nan = b.binary("or", mantissa, b.i32(_F32_INFINITY | _F32_QUIET))
    special = b.select(is_nan, nan, b.i32(_F32_INFINITY))
    is_special = b.icmp("uge", magnitude, b.i32(_F64_OVERFLOW))
    result = b.select(is_special, special, rounded)
    return b.binary("or", result, b.binary("and", high, b.i32(_SIGN)))


def _rounded_to_nearest(b: Builder, truncated: Value, rest: Value) -> Value:
    """Go up if the rest is more than half, or half and the result odd; a carry into the exponent is right as it is."""
    odd = b.binary("and", truncated, b.i32(1))
    up = b.icmp("ugt", rest, b.binary("sub", b.i32(_SIGN), odd))
    return b.binary("add", truncated, b.cast("zext", up, I32))


def _rounded_to_odd(b: Builder, truncated: Value, rest: Value) -> Value:
    return b.binary("or", truncated, b.cast("zext", b.icmp("ne", rest, b.i32(0)), I32))


def _denormal(b: Builder, magnitude: Value, mantissa: Value, rest: Value) -> tuple[Value, Value]:
    """Return the truncated mantissa of a denormal result, and what was cut off as a fraction of 2**32."""
    significand = b.binary("or", mantissa, b.i32(_F32_SMALLEST_NORMAL))
    exponent = b.binary("lshr", magnitude, b.i32(20))
    # From 25 on less than half of the smallest denormal is left. Normal numbers wrap around and end there too.
    distance = b.binary("sub", b.i32(_BIAS_DIFFERENCE), exponent)
    distance = b.select(b.icmp("ult", distance, b.i32(24)), distance, b.i32(24))
    distance = b.binary("add", distance, b.i32(1))
    sticky = b.cast("zext", b.icmp("ne", rest, b.i32(0)), I32)
    cut = b.binary("shl", significand, b.binary("sub", b.i32(32), distance))
    return b.binary("lshr", significand, distance), b.binary("or", cut, sticky)


def f32_bits_to_words(builder: Builder, bits: Value) -> tuple[Value, Value]:
    """Return the words, the low one first, of the float64 equal to the float32 whose bits are ``bits``."""
    b = builder
    magnitude = b.binary("and", bits, b.i32(_MAGNITUDE))
    # A denormal is an integer times 2**-149, and the integer, being less than 2**23, is a normal float32.
    is_denormal = b.icmp("ult", magnitude, b.i32(_F32_SMALLEST_NORMAL))
    as_integer = b.cast("bitcast", b.cast("sitofp", magnitude, F32), I32)
    normalised = b.select(is_denormal, as_integer, magnitude)
    is_special = b.icmp("uge", magnitude, b.i32(_F32_INFINITY))
    offset = b.select(is_special, b.i32((2047 - 255) << 20), b.i32(_BIAS_DIFFERENCE << 20))
    offset = b.select(is_denormal, b.i32((_BIAS_DIFFERENCE - 149) << 20), offset)
    high = b.binary("add", b.binary("lshr", normalised, b.i32(3)), offset)

    is_nan = b.icmp("ugt", magnitude, b.i32(_F32_INFINITY))
    high = b.binary("or", high, b.select(is_nan, b.i32(_F64_QUIET), b.i32(0)))
    high = b.select(b.icmp("eq", magnitude, b.i32(0)), b.i32(0), high)
    high = b.binary("or", high, b.binary("and", bits, b.i32(_SIGN)))
    return b.binary("shl", normalised, b.i32(29)), high


# ---- the same of constants


@cache
def nearest_f32(bits: int) -> int:
    """Return the bits of the float32 nearest to the float64 with these bits."""
    (number,) = struct.unpack("<d", struct.pack("<Q", bits))
    try:
        packed = struct.pack("<f", number)
    except OverflowError:
        packed = struct.pack("<f", float("inf") if number > 0 else float("-inf"))
    return int.from_bytes(packed, "little")


def cut_f32(bits: int) -> int:
    """Return `abi.ODD_BITS` of the float64 with these bits."""
    (number,) = struct.unpack("<d", struct.pack("<Q", bits))
    nearest = nearest_f32(bits)
    (back,) = struct.unpack("<f", nearest.to_bytes(4, "little"))
    if back == number or number != number:
        return nearest
    return nearest - (abs(back) > abs(number)) | 1
