"""``nv.math``: functions of the math library that neither Python's ``math`` nor NumPy has a name for.

Arguments are float32 or float64, which the result has too; integers count as float64. Results have the same bits on
every device.
"""

from __future__ import annotations

from .host import only_in_kernels

__all__ = ["exp10", "fma", "rsqrt", "sincos"]


def exp10(x: float) -> float:
    """Return 10 to the power of x; error below 1 ulp."""
    only_in_kernels("math.exp10")


def fma(x: float, y: float, z: float) -> float:
    """Return ``x * y + z``, rounded once; in software, as most devices do not promise it."""
    only_in_kernels("math.fma")


def rsqrt(x: float) -> float:
    """Return ``1 / sqrt(x)``; error below 1 ulp."""
    only_in_kernels("math.rsqrt")


def sincos(x: float) -> tuple[float, float]:
    """Return the sine and the cosine of x, the same as ``math.sin`` and ``math.cos`` for less work."""
    only_in_kernels("math.sincos")
