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

from ..errors import VulkanUnsupportedError
from ..mathlib.table import FUNCTIONS
from . import ufunc_formulas as formulas
from .expressions import ARITHMETIC, COMPARISONS
from .math_lowering import (
    Lowering,
    complex_library,
    complex_number,
    constant_bool,
    intrinsic,
    is_nan,
    library,
    magnitude_against_infinity,
    of_parts,
    same,
    test_of_parts,
)

__all__ = ["GCD", "LCM", "lowering", "register_untyped", "scaled", "typing"]

lowering = LoweringRegistry()
typing = Registry()
_I1 = ir.IntType(1)


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


def _of_truths(opcode: str, otherwise: Lowering) -> Lowering:
    """Return the lowering of an operation that is a logical one on bools."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        if sig.return_type == types.boolean:
            return getattr(builder, opcode)(*args)
        return otherwise(context, builder, sig, args)

    return lower


def _magnitude(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    lower = same if sig.return_type == types.boolean else _operator(abs)
    return lower(context, builder, sig, args)


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


def _by_time(on_times: Lowering, otherwise: Lowering) -> Lowering:
    """Return the lowering that depends on whether an operand is a date or a time."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        is_time = any(isinstance(t, types.NPDatetime | types.NPTimedelta) for t in sig.args)
        return (on_times if is_time else otherwise)(context, builder, sig, args)

    return lower


def _by_complex(on_complex: Lowering, on_reals: Lowering) -> Lowering:
    """Return the lowering that depends on whether an operand is complex."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        is_complex = any(isinstance(t, types.Complex) for t in sig.args)
        return (on_complex if is_complex else on_reals)(context, builder, sig, args)

    return lower


def _elementary(name: str) -> Lowering:
    """Return the lowering to a function of the library, or to its counterpart for complex numbers if there is one."""
    on_reals = intrinsic("sqrt") if name == "sqrt" else library(name)
    return _by_complex(complex_library(f"c{name}"), on_reals) if f"c{name}" in FUNCTIONS else on_reals


def _extremum(predicate: str) -> Lowering:
    """Return the lowering to the integer that a comparison prefers."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        kind = sig.return_type
        left, right = _cast(context, builder, sig, args, kind)
        compare = builder.icmp_signed if getattr(kind, "signed", False) else builder.icmp_unsigned
        return builder.select(compare(predicate, left, right), left, right)

    return lower


def _of_times(predicate: str, nat_dominates: bool) -> Lowering:
    """Return the lowering to the date or time that a comparison prefers, NaT before or behind all others."""

    def lower(_context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        if len({t.unit for t in sig.args}) > 1:
            raise VulkanUnsupportedError(
                "the larger and the smaller of two dates or times are those of one unit"
            )
        left, right = args
        prefers_left = builder.icmp_signed(predicate, left, right)
        for value, prefers in ((right, not nat_dominates), (left, nat_dominates)):
            prefers_left = builder.select(_is_nat(builder, value), ir.Constant(_I1, prefers), prefers_left)
        return builder.select(prefers_left, left, right)

    return lower


def _is_nat(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    return builder.icmp_signed("==", value, ir.Constant(value.type, -(2**63)))


def _test_of_nat(if_nat: bool, otherwise: bool) -> Lowering:
    def lower(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        return builder.select(
            _is_nat(builder, args[0]), ir.Constant(_I1, if_nat), ir.Constant(_I1, otherwise)
        )

    return lower


def _logical(opcode: str) -> Lowering:
    """Return the lowering that joins the truth of the operands."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        truths = [context.is_true(builder, t, a) for a, t in zip(args, sig.args, strict=True)]
        return getattr(builder, opcode)(*truths)

    return lower


def _conjugate(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    number = context.make_complex(builder, sig.args[0], value=args[0])
    return complex_number(context, builder, sig.args[0], number.real, builder.fneg(number.imag))


def _test_of_two(function: Callable[..., Any], exchanged: bool = False) -> Lowering:
    """Return the lowering to a Python function of two operands, or of the second and the first, that is a test."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        kind = _common(context, sig)
        values = _cast(context, builder, sig, args, kind)
        wanted = signature(types.boolean, kind, kind)
        return context.compile_internal(builder, function, wanted, values[::-1] if exchanged else values)

    return lower


def _reciprocal(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    """Divide one by the operand."""
    kind = sig.return_type
    one = context.get_constant_generic(builder, kind, 1)
    values = (one, *_cast(context, builder, sig, args, kind))
    return context.get_function(operator.truediv, signature(kind, kind, kind))(builder, values)


def _ratio(builder: ir.IRBuilder, real: ir.Value, imaginary: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
    """Return whether the real part of a divisor is the larger one, the ratio of both, and what is divided by."""
    magnitude = builder.module.declare_intrinsic("llvm.fabs", [real.type])
    lengths = [builder.call(magnitude, [part]) for part in (real, imaginary)]
    is_real = builder.fcmp_ordered(">=", *lengths)
    large, small = (builder.select(is_real, *parts) for parts in ((real, imaginary), (imaginary, real)))
    ratio = builder.fdiv(small, large)
    return is_real, ratio, builder.fadd(large, builder.fmul(small, ratio))


def _complex_quotient(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    """Divide as NumPy does, which raises nothing, where the operator raises for zero as Numba's does."""
    kind = sig.return_type
    x, y = (context.make_complex(builder, kind, value=v) for v in _cast(context, builder, sig, args, kind))
    is_real, ratio, divisor = _ratio(builder, y.real, y.imag)
    zero = ir.Constant(ratio.type, 0.0)
    is_zero = builder.and_(*(builder.fcmp_ordered("==", part, zero) for part in (y.real, y.imag)))
    magnitude = builder.call(builder.module.declare_intrinsic("llvm.fabs", [zero.type]), [y.real])
    scale = builder.fdiv(ir.Constant(ratio.type, 1.0), divisor)
    parts: list[ir.Value] = []
    for plain, crossed, combine in ((x.real, x.imag, builder.fadd), (x.imag, x.real, builder.fsub)):
        by_real = combine(plain, builder.fmul(crossed, ratio))
        by_imaginary = combine(builder.fmul(plain, ratio), crossed)
        part = builder.fmul(builder.select(is_real, by_real, by_imaginary), scale)
        parts.append(builder.select(is_zero, builder.fdiv(plain, magnitude), part))
    return complex_number(context, builder, kind, *parts)


def _reciprocal_of_complex(
    context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]
) -> ir.Value:
    """Divide 1 by a number; of 0 that is NaN, as in NumPy."""
    (value,) = _cast(context, builder, sig, args, sig.return_type)
    y = context.make_complex(builder, sig.return_type, value=value)
    is_real, ratio, divisor = _ratio(builder, y.real, y.imag)
    one = ir.Constant(ratio.type, 1.0)
    parts = builder.select(is_real, one, ratio), builder.fneg(builder.select(is_real, ratio, one))
    quotients = (builder.fdiv(part, divisor) for part in parts)
    return complex_number(context, builder, sig.return_type, *quotients)


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


def _sign(_context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    """Return -1, 0 or 1, or NaN."""
    (value,) = args
    kind = sig.return_type
    if isinstance(kind, types.Float):
        compare, rest = builder.fcmp_ordered, builder.fsub(value, value)
    else:
        compare = builder.icmp_signed if kind.signed else builder.icmp_unsigned
        rest = ir.Constant(value.type, 0)
    zero, one, minus_one = (ir.Constant(value.type, number) for number in (0, 1, -1))
    below = builder.select(compare("<", value, zero), minus_one, rest)
    return builder.select(compare(">", value, zero), one, below)


def _sign_bit(_context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    kind = args[0].type
    if not isinstance(sig.args[0], types.Float):
        is_signed = isinstance(sig.args[0], types.Integer) and sig.args[0].signed
        return builder.icmp_signed("<", args[0], ir.Constant(kind, 0)) if is_signed else ir.Constant(_I1, 0)
    copy = builder.module.declare_intrinsic("llvm.copysign", [kind], ir.FunctionType(kind, [kind, kind]))
    signed_one = builder.call(copy, [ir.Constant(kind, 1.0), args[0]])
    return builder.fcmp_ordered("<", signed_one, ir.Constant(kind, 0.0))


GCD = _python(formulas.greatest_common_divisor)
LCM = _python(formulas.least_common_multiple)
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
    np.logaddexp: "logaddexp",
    np.logaddexp2: "logaddexp2",
    np.nextafter: "nextafter",
    np.sin: "sin",
    np.sinh: "sinh",
    np.spacing: "spacing",
    np.sqrt: "sqrt",
    np.tan: "tan",
    np.tanh: "tanh",
}
# What NumPy does for complex numbers, and for others.
_OF_COMPLEX: dict[Any, tuple[Lowering, Lowering]] = {
    np.less: (_test_of_two(formulas.comes_before), _comparison(operator.lt)),
    np.less_equal: (_test_of_two(formulas.comes_not_after), _comparison(operator.le)),
    np.greater: (_test_of_two(formulas.comes_before, exchanged=True), _comparison(operator.gt)),
    np.greater_equal: (_test_of_two(formulas.comes_not_after, exchanged=True), _comparison(operator.ge)),
    np.maximum: (_python(formulas.larger_of_both), _by_kind(intrinsic("maximum"), _extremum(">"))),
    np.minimum: (_python(formulas.smaller_of_both), _by_kind(intrinsic("minimum"), _extremum("<"))),
    np.fmax: (_python(formulas.larger_number), _by_kind(intrinsic("maxnum"), _extremum(">"))),
    np.fmin: (_python(formulas.smaller_number), _by_kind(intrinsic("minnum"), _extremum("<"))),
    np.conjugate: (_conjugate, same),
    np.absolute: (of_parts("hypot"), _magnitude),
    np.sign: (_python(formulas.sign_of_complex), _sign),
    np.rint: (_python(formulas.rounded_parts), intrinsic("rint")),
    np.divide: (_complex_quotient, _operator(operator.truediv)),
    np.reciprocal: (
        _reciprocal_of_complex,
        _by_kind(_reciprocal, _python(formulas.reciprocal)),
    ),
    np.isnan: (test_of_parts(is_nan, "or_"), _by_kind(is_nan, constant_bool(False))),
    np.isinf: (
        test_of_parts(magnitude_against_infinity("=="), "or_"),
        _by_kind(magnitude_against_infinity("=="), constant_bool(False)),
    ),
    np.isfinite: (
        test_of_parts(magnitude_against_infinity("<"), "and_"),
        _by_kind(magnitude_against_infinity("<"), constant_bool(True)),
    ),
}
# Of two rows for one function the later counts.
_ROWS: dict[Any, Lowering] = {
    **{ufunc: _elementary(name) for ufunc, name in _LIBRARY.items()},
    **{ufunc: _operator(function) for ufunc, function in {**ARITHMETIC, np.divmod: divmod}.items()},
    **{ufunc: _comparison(function) for ufunc, function in COMPARISONS.items()},
    **{ufunc: scaled(math.pi / 180) for ufunc in (np.deg2rad, np.radians)},
    **{ufunc: scaled(180 / math.pi) for ufunc in (np.rad2deg, np.degrees)},
    **{ufunc: _by_complex(*both) for ufunc, both in _OF_COMPLEX.items()},
    np.add: _of_truths("or_", _operator(operator.add)),
    np.multiply: _of_truths("and_", _operator(operator.mul)),
    np.fabs: intrinsic("fabs"),
    np.copysign: intrinsic("copysign"),
    np.floor: _by_kind(intrinsic("floor"), same),
    np.ceil: _by_kind(intrinsic("ceil"), same),
    np.trunc: _by_kind(intrinsic("trunc"), same),
    np.signbit: _sign_bit,
    np.fmod: _by_kind(library("fmod"), _python(formulas.truncated_remainder)),
    np.square: _python(formulas.square),
    np.gcd: GCD,
    np.lcm: LCM,
    np.logical_and: _logical("and_"),
    np.logical_or: _logical("or_"),
    np.logical_xor: _logical("xor"),
    np.logical_not: _logical("not_"),
}
# What NumPy does for dates and times besides what operators do.
_OF_TIMES: dict[Any, Lowering] = {
    np.maximum: _of_times(">", nat_dominates=True),
    np.minimum: _of_times("<", nat_dominates=True),
    np.fmax: _of_times(">", nat_dominates=False),
    np.fmin: _of_times("<", nat_dominates=False),
    np.isnan: _test_of_nat(if_nat=True, otherwise=False),
    np.isinf: _test_of_nat(if_nat=False, otherwise=False),
    np.isfinite: _test_of_nat(if_nat=False, otherwise=True),
}
_ROWS |= {ufunc: _by_time(lower, _ROWS[ufunc]) for ufunc, lower in _OF_TIMES.items()}
for _ufunc, _lower in _ROWS.items():
    lowering.lower(_ufunc, types.VarArg(types.Any))(_lower)


@cache
def register_untyped() -> None:
    """Type the functions that Numba knows the loops of and gives no type; called when Numba's own rules are loaded.

    Once only: a further registration would change the type of a function while a kernel that uses it is typed.
    """
    declarations = import_module("numba.core.typing.npydecl")
    rules = declarations.Numpy_rules_ufunc
    # By identity: not everything that has a type can be hashed.
    typed = {id(known) for known, _ in (*builtin_registry.globals, *declarations.registry.globals)}
    for ufunc in _ROWS:
        if id(ufunc) not in typed:
            template = type("UfuncTemplate", (rules,), {"key": ufunc})
            typing.register_global(ufunc, types.Function(template))
