"""``cmath``, powers of complex numbers, and tests of closeness for real and complex numbers."""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.imputils import Registry as LoweringRegistry
from numba.core.typing.templates import ConcreteTemplate, Registry, signature
from numba.extending import overload

from .math_lowering import (
    Lowering,
    complex_library,
    complex_number,
    is_nan,
    library,
    magnitude_against_infinity,
    of_parts,
    test_of_parts,
)

__all__ = ["lowering", "override", "typing"]

typing = Registry()
lowering = LoweringRegistry()
_COMPLEX = (types.complex64, types.complex128)
_Row = tuple[types.Type, tuple[types.Type, ...], Lowering]

# Functions of one complex number that give one, by their names in cmath.
_UNARY = (
    *("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
)


def _log_to_base(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    """Divide the logarithm by that of the base."""
    kind = sig.return_type
    one = signature(kind, kind)
    numbers = [complex_library("clog")(context, builder, one, (arg,)) for arg in args]
    return context.get_function(operator.truediv, signature(kind, kind, kind))(builder, numbers)


def _polar(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    parts = [of_parts(name)(context, builder, sig, args) for name in ("hypot", "atan2")]
    return context.make_tuple(builder, sig.return_type, parts)


def _rect(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    kind = sig.return_type.underlying_float
    parts = library("rect")(context, builder, signature(types.UniTuple(kind, 2), *sig.args), args)
    return complex_number(
        context, builder, sig.return_type, *(builder.extract_value(parts, i) for i in range(2))
    )


def _signatures() -> dict[Callable[..., object], list[_Row]]:
    rows: dict[Callable[..., object], list[_Row]] = {
        getattr(cmath, name): [(kind, (kind,), complex_library(f"c{name}")) for kind in _COMPLEX]
        for name in _UNARY
    }
    rows[cmath.log] += [(kind, (kind, kind), _log_to_base) for kind in _COMPLEX]
    tests = (
        (cmath.isnan, is_nan, "or_"),
        (cmath.isinf, magnitude_against_infinity("=="), "or_"),
        (cmath.isfinite, magnitude_against_infinity("<"), "and_"),
    )
    for function, test, joined in tests:
        rows[function] = [(types.boolean, (kind,), test_of_parts(test, joined)) for kind in _COMPLEX]
    parts = [(kind, kind.underlying_float) for kind in _COMPLEX]
    rows[cmath.phase] = [(part, (kind,), of_parts("atan2")) for kind, part in parts]
    rows[cmath.polar] = [(types.UniTuple(part, 2), (kind,), _polar) for kind, part in parts]
    rows[cmath.rect] = [(kind, (part, part), _rect) for kind, part in parts]
    return rows


_AVAILABLE = _signatures()


def _register(function: Callable[..., object], rows: list[_Row]) -> None:
    class ComplexTemplate(ConcreteTemplate):
        key = function
        cases = [signature(result, *arguments) for result, arguments, _ in rows]  # noqa: RUF012

    typing.register_global(function, types.Function(ComplexTemplate))
    for _, arguments, lower in rows:
        lowering.lower(function, *arguments)(lower)


for _function, _rows in _AVAILABLE.items():
    _register(_function, _rows)


# ---- closeness


def _are_close(a: Any, b: Any, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
    """Return whether two numbers differ by little, as Python decides it; NaN is close to nothing."""
    if rel_tol < 0 or abs_tol < 0:
        raise ValueError("tolerances must be non-negative")
    if a == b:
        return True
    larger = max(abs(a), abs(b))
    # Infinity is close to itself alone.
    return larger < math.inf and abs(a - b) <= max(rel_tol * larger, abs_tol)


def _closeness(function: Callable[..., object], kinds: Any) -> None:
    @overload(function, target="vulkan")
    def isclose(a: Any, b: Any, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
        return _are_close if isinstance(a, kinds) and isinstance(b, kinds) else None


_closeness(math.isclose, types.Float | types.Integer | types.Boolean)
_closeness(cmath.isclose, types.Complex | types.Float | types.Integer | types.Boolean)


# ---- powers


_POWERS = (operator.pow, operator.ipow, pow)


def override(function: Any, sig: Any) -> Lowering | None:
    """Return the lowering of a power of complex numbers, if it is one."""
    key = getattr(function, "typing_key", function)
    if key in _POWERS and len(sig.args) == 2 and isinstance(sig.return_type, types.Complex):
        return complex_library("cpow")
    return None
