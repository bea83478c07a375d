"""NumPy's universal functions of single numbers; Numba types them, with the loop that NumPy would choose."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.imputils import Registry as LoweringRegistry
from numba.core.typing.templates import Registry, builtin_registry, signature

from .math_lowering import (
    Lowering,
    constant_bool,
    intrinsic,
    is_nan,
    library,
    magnitude_against_infinity,
    same,
)

__all__ = ["GCD", "LCM", "lowering", "register_untyped", "scaled", "typing"]

lowering = LoweringRegistry()
typing = Registry()


def _cast(context: Any, builder: ir.IRBuilder, sig: Any, args: Any, wanted: types.Type) -> list[ir.Value]:
    return [context.cast(builder, a, t, wanted) for a, t in zip(args, sig.args, strict=True)]


def _common(context: Any, sig: Any) -> types.Type:
    """Return the type that the operands of a comparison are converted to."""
    unified = context.typing_context.unify_types(*sig.args)
    return unified or types.float64


def _operator(function: Any) -> Lowering:
    """Return the lowering to an operator on numbers of the type of the result."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        result = sig.return_type
        kind = result.types[0] if isinstance(result, types.BaseTuple) else result
        values = _cast(context, builder, sig, args, kind)
        wanted = signature(result, *(kind for _ in values))
        return context.get_function(function, wanted)(builder, values)

    return lower


def _comparison(function: Any) -> Lowering:
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        kind = _common(context, sig)
        values = _cast(context, builder, sig, args, kind)
        return context.get_function(function, signature(types.boolean, kind, kind))(builder, values)

    return lower


def _by_kind(on_floats: Lowering, on_integers: Lowering) -> Lowering:
    """Return the lowering that depends on whether the function computes with floats."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        result = sig.return_type
        kinds = result.types if isinstance(result, types.BaseTuple) else (result, *sig.args)
        has_floats = any(isinstance(t, types.Float) for t in kinds)
        return (on_floats if has_floats else on_integers)(context, builder, sig, args)

    return lower


def _python(function: Callable[..., Any]) -> Lowering:
    """Return the lowering to a Python function of operands of the type of the result."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        kind = sig.return_type
        values = _cast(context, builder, sig, args, kind)
        return context.compile_internal(builder, function, signature(kind, *(kind for _ in values)), values)

    return lower


def scaled(factor: float) -> Lowering:
    """Return the lowering to a product with a constant of the type of the result."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        (value,) = _cast(context, builder, sig, args, sig.return_type)
        return builder.fmul(value, ir.Constant(value.type, factor))

    return lower


def _sign_bit(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    kind = args[0].type
    copy = builder.module.declare_intrinsic("llvm.copysign", [kind], ir.FunctionType(kind, [kind, kind]))
    signed_one = builder.call(copy, [ir.Constant(kind, 1.0), args[0]])
    return builder.fcmp_ordered("<", signed_one, ir.Constant(kind, 0.0))


def sign(x: Any) -> Any:
    """Return -1, 0 or 1, or NaN."""
    zero = x - x if x == x else x
    return zero + 1 if x > 0 else (zero - 1 if x < 0 else zero)


def reciprocal(x: Any) -> Any:
    """Return 1 / x."""
    return (x - x + 1) // x


def truncated_remainder(x: Any, y: Any) -> Any:
    """Return what division towards zero leaves; 0 for a zero divisor, as NumPy does."""
    rest = x % y
    return rest - y if rest != 0 and (x < 0) != (y < 0) else rest


def greatest_common_divisor(x: Any, y: Any) -> Any:
    """Return the greatest common divisor by Euclid's algorithm."""
    while y != 0:
        x, y = y, x % y
    return abs(x)


def least_common_multiple(x: Any, y: Any) -> Any:
    """Return the least common multiple, 0 if one of the numbers is."""
    a, b = x, y
    while b != 0:
        a, b = b, a % b
    return abs(x // a * y) if a != 0 else a


def log_of_sum(x: Any, y: Any) -> Any:
    """Return log(exp(x) + exp(y))."""
    larger, smaller = (x, y) if x > y else (y, x)
    if larger == smaller or larger != larger:
        return larger + math.log(larger - larger + 2) if abs(larger) < math.inf else larger
    return larger + math.log1p(math.exp(smaller - larger)) if larger < math.inf else larger


GCD = _python(greatest_common_divisor)
LCM = _python(least_common_multiple)
_LIBRARY = {
    np.arccos: "acos",
    np.arccosh: "acosh",
    np.arcsin: "asin",
    np.arcsinh: "asinh",
    np.arctan: "atan",
    np.arctan2: "atan2",
    np.arctanh: "atanh",
    np.cbrt: "cbrt",
    np.cos: "cos",
    np.cosh: "cosh",
    np.exp: "exp",
    np.exp2: "exp2",
    np.expm1: "expm1",
    np.float_power: "pow",
    np.hypot: "hypot",
    np.ldexp: "ldexp",
    np.log: "log",
    np.log10: "log10",
    np.log1p: "log1p",
    np.log2: "log2",
    np.nextafter: "nextafter",
    np.sin: "sin",
    np.sinh: "sinh",
    np.tan: "tan",
    np.tanh: "tanh",
}
_OPERATORS = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.divmod: divmod,
    np.power: operator.pow,
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.bitwise_xor: operator.xor,
    np.invert: operator.invert,
    np.left_shift: operator.lshift,
    np.right_shift: operator.rshift,
    np.negative: operator.neg,
    np.positive: operator.pos,
    np.absolute: abs,
}
_COMPARISONS = {
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
}
_ROWS: dict[Any, Lowering] = {
    **{ufunc: library(name) for ufunc, name in _LIBRARY.items()},
    **{ufunc: _operator(function) for ufunc, function in _OPERATORS.items()},
    **{ufunc: _comparison(function) for ufunc, function in _COMPARISONS.items()},
    **{ufunc: scaled(math.pi / 180) for ufunc in (np.deg2rad, np.radians)},
    **{ufunc: scaled(180 / math.pi) for ufunc in (np.rad2deg, np.degrees)},
    np.sqrt: intrinsic("sqrt"),
    np.fabs: intrinsic("fabs"),
    np.copysign: intrinsic("copysign"),
    np.floor: _by_kind(intrinsic("floor"), same),
    np.ceil: _by_kind(intrinsic("ceil"), same),
    np.trunc: _by_kind(intrinsic("trunc"), same),
    np.rint: intrinsic("rint"),
    np.maximum: _by_kind(intrinsic("maximum"), _operator(max)),
    np.minimum: _by_kind(intrinsic("minimum"), _operator(min)),
    np.fmax: _by_kind(intrinsic("maxnum"), _operator(max)),
    np.fmin: _by_kind(intrinsic("minnum"), _operator(min)),
    np.isnan: _by_kind(is_nan, constant_bool(False)),
    np.isinf: _by_kind(magnitude_against_infinity("=="), constant_bool(False)),
    np.isfinite: _by_kind(magnitude_against_infinity("<"), constant_bool(True)),
    np.signbit: _sign_bit,
    np.fmod: _by_kind(library("fmod"), _python(truncated_remainder)),
    np.sign: _python(sign),
    np.square: _python(lambda x: x * x),
    np.reciprocal: _by_kind(_python(lambda x: (x - x + 1) / x), _python(reciprocal)),
    np.gcd: GCD,
    np.lcm: LCM,
    np.logaddexp: _python(log_of_sum),
}
for _ufunc, _lower in _ROWS.items():
    lowering.lower(_ufunc, types.VarArg(types.Any))(_lower)


@cache
def register_untyped() -> None:
    """Type the functions that Numba knows the loops of and gives no type; called when Numba's own rules are loaded.

    Once only: a further registration would change the type of a function while a kernel that uses it is typed.
    """
    declarations = import_module("numba.core.typing.npydecl")
    rules = declarations.Numpy_rules_ufunc
    typed = [known for known, _ in (*builtin_registry.globals, *declarations.registry.globals)]
    for ufunc in _ROWS:
        if not any(known is ufunc for known in typed):
            template = type("UfuncTemplate", (rules,), {"key": ufunc})
            typing.register_global(ufunc, types.Function(template))
