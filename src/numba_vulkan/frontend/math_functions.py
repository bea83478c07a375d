"""``math`` and NumPy's functions of single numbers: a few are LLVM intrinsics, the others calls of the math library.

A call of the library is that of a symbol such as ``nv.math.exp.f32``, which the middle answers when it knows how the
device computes floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import BuiltinFunctionType

from numba.core import types
from numba.core.imputils import Registry as LoweringRegistry
from numba.core.typing.templates import AbstractTemplate, ConcreteTemplate, Registry, signature

from .. import stubs
from ..errors import VulkanUnsupportedError
from . import ufuncs
from .math_lowering import (
    SINGLE_RESULT,
    Lowering,
    constant_bool,
    intrinsic,
    is_nan,
    library,
    magnitude_against_infinity,
    same,
    to_integer,
)

__all__ = ["lowering", "typing"]

typing = Registry()
lowering = LoweringRegistry()

_FLOATS = (types.float32, types.float64)
_INTEGERS = (
    types.int64,
    types.uint64,
    types.int32,
    types.uint32,
    types.int16,
    types.uint16,
    types.int8,
    types.uint8,
)
_Row = tuple[types.Type, tuple[types.Type, ...], Lowering]
Signatures = list[_Row]


def _on_floats(lower: Lowering, operands: int = 1) -> Signatures:
    """Return the signatures of a function that keeps the float type of its operands; integers count as float64."""
    whole: Signatures = [(types.float64, (t,) * operands, lower) for t in (types.int64, types.uint64)]
    return whole + [(t, (t,) * operands, lower) for t in _FLOATS]


def _to_int64(name: str) -> Signatures:
    """Return the signatures of a rounding; integers are rounded already."""
    whole: Signatures = [(types.int64, (t,), same) for t in (types.int64, types.uint64)]
    return whole + [(types.int64, (t,), to_integer(name)) for t in _FLOATS]


def _test(on_floats: Lowering, on_integers: bool) -> Signatures:
    """Return the signatures of a classification, whose answer is the same for all integers."""
    whole: Signatures = [(types.boolean, (t,), constant_bool(on_integers)) for t in _INTEGERS]
    return whole + [(types.boolean, (t,), on_floats) for t in _FLOATS]


def _with_exponent(results: bool) -> Signatures:
    """Return the signatures of frexp or ldexp."""
    if results:
        return [(types.Tuple((t, types.intc)), (t,), library("frexp")) for t in _FLOATS]
    return [(t, (t, i), library("ldexp")) for t in _FLOATS for i in (types.int64, types.int32)]


_AVAILABLE: dict[Callable[..., object], Signatures] = {
    math.sqrt: _on_floats(intrinsic("sqrt")),
    math.fabs: _on_floats(intrinsic("fabs")),
    math.copysign: _on_floats(intrinsic("copysign"), operands=2),
    math.floor: _to_int64("floor"),
    math.ceil: _to_int64("ceil"),
    math.trunc: _to_int64("trunc"),
    math.frexp: _with_exponent(results=True),
    math.ldexp: _with_exponent(results=False),
    math.modf: [(types.UniTuple(t, 2), (t,), library("modf")) for t in _FLOATS],
    math.degrees: _on_floats(ufuncs.scaled(180 / math.pi)),
    math.radians: _on_floats(ufuncs.scaled(math.pi / 180)),
    math.gcd: [(t, (t, t), ufuncs.GCD) for t in _INTEGERS],
    math.lcm: [(t, (t, t), ufuncs.LCM) for t in _INTEGERS],
    stubs.math.exp10: _on_floats(library("exp10")),
    stubs.math.rsqrt: _on_floats(library("rsqrt")),
    stubs.math.fma: _on_floats(library("fma"), operands=3),
    stubs.math.sincos: [(types.UniTuple(t, 2), (t,), library("sincos")) for t in _FLOATS],
    math.isnan: _test(is_nan, False),
    math.isinf: _test(magnitude_against_infinity("=="), False),
    math.isfinite: _test(magnitude_against_infinity("<"), True),
}
for _name, _operands in SINGLE_RESULT.items():
    if hasattr(math, _name):
        _AVAILABLE[getattr(math, _name)] = _on_floats(library(_name), _operands)


def _register_available(function: Callable[..., object], signatures: Signatures) -> None:
    class MathTemplate(ConcreteTemplate):
        key = function
        cases = [signature(result, *arguments) for result, arguments, _ in signatures]  # noqa: RUF012

    typing.register_global(function, types.Function(MathTemplate))
    for _, arguments, lower in signatures:
        lowering.lower(function, *arguments)(lower)


def _register_missing(function: Callable[..., object]) -> None:
    available = ", ".join(f.__name__ for f in _AVAILABLE if f.__module__ == math.__name__)

    class MissingTemplate(AbstractTemplate):
        key = function

        def generic(self, _args: object, _kws: object) -> None:
            raise VulkanUnsupportedError(
                f"math.{function.__name__} is not available in kernels; of math there are {available}"
            )

    typing.register_global(function, types.Function(MissingTemplate))


for _function, _signatures in _AVAILABLE.items():
    _register_available(_function, _signatures)
for _function in [value for value in vars(math).values() if isinstance(value, BuiltinFunctionType)]:
    # The front end's overload answers for isclose.
    if _function not in _AVAILABLE and _function is not math.isclose:
        _register_missing(_function)
