"""How math functions become LLVM: intrinsics that every device computes exactly, and calls of the math library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from ..mathlib.table import FUNCTIONS
from .conversions import to_signed

__all__ = [
    "SINGLE_RESULT",
    "Lowering",
    "complex_library",
    "complex_number",
    "constant_bool",
    "intrinsic",
    "is_nan",
    "library",
    "magnitude_against_infinity",
    "of_parts",
    "same",
    "test_of_parts",
    "to_integer",
]

Lowering = Callable[[Any, ir.IRBuilder, Any, tuple[ir.Value, ...]], ir.Value]
_I32 = ir.IntType(32)
# Functions of the library from floats to one float, with the number of their operands.
SINGLE_RESULT: dict[str, int] = {
    f.name: len(f.operands) for f in FUNCTIONS.values() if f.results == "f" and "i" not in f.operands
}


def _float_of(sig: Any) -> types.Float:
    """Return the float type that a function computes in: that of its result, or else of its operands."""
    result = sig.return_type
    for candidate in (result, *getattr(result, "types", ()), *sig.args):
        if isinstance(candidate, types.Float):
            return candidate
    return types.float64


def _floats(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> list[ir.Value]:
    wanted = _float_of(sig)
    return [context.cast(builder, a, t, wanted) for a, t in zip(args, sig.args, strict=True)]


def intrinsic(name: str) -> Lowering:
    """Return the lowering to an LLVM intrinsic of the type of the result."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        values = _floats(context, builder, sig, args)
        kind = values[0].type
        function = builder.module.declare_intrinsic(
            f"llvm.{name}", [kind], ir.FunctionType(kind, [kind] * len(values))
        )
        return builder.call(function, values)

    return lower


def _call(
    context: Any, builder: ir.IRBuilder, name: str, float_type: types.Type, values: list[ir.Value]
) -> list[ir.Value]:
    """Call a function of the library in the precision of a float type; return its results."""
    function = FUNCTIONS[name]
    kinds = {"f": context.get_value_type(float_type), "i": _I32}
    fields = [kinds[kind] for kind in function.results]
    result = fields[0] if len(fields) == 1 else ir.LiteralStructType(fields)
    symbol = function.symbol("f32" if float_type == types.float32 else "f64")
    signature = ir.FunctionType(result, [kinds[kind] for kind in function.operands])
    value = builder.call(cgutils.get_or_insert_function(builder.module, signature, symbol), values)
    return [value] if len(fields) == 1 else cgutils.unpack_tuple(builder, value, len(fields))


def library(name: str) -> Lowering:
    """Return the lowering to a call of the math library."""
    operands = FUNCTIONS[name].operands

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        float_type = _float_of(sig)
        values = [
            context.cast(builder, a, t, float_type) if kind == "f" else _clamped(builder, a)
            for kind, a, t in zip(operands, args, sig.args, strict=True)
        ]
        results = _call(context, builder, name, float_type, values)
        return results[0] if len(results) == 1 else context.make_tuple(builder, sig.return_type, results)

    return lower


def complex_library(name: str) -> Lowering:
    """Return the lowering to a function of the library that takes complex numbers, and gives one."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        kind = sig.return_type
        numbers = [
            context.make_complex(builder, kind, value=context.cast(builder, a, t, kind))
            for a, t in zip(args, sig.args, strict=True)
        ]
        parts = [part for number in numbers for part in (number.real, number.imag)]
        return complex_number(
            context, builder, kind, *_call(context, builder, name, kind.underlying_float, parts)
        )

    return lower


def complex_number(
    context: Any, builder: ir.IRBuilder, kind: types.Type, real: ir.Value, imaginary: ir.Value
) -> ir.Value:
    """Return the complex number with these parts."""
    number = context.make_complex(builder, kind)
    number.real, number.imag = real, imaginary
    return number._getvalue()


def of_parts(name: str) -> Lowering:
    """Return the lowering to a function of the library that takes the imaginary and the real part of a number."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        number = context.make_complex(builder, sig.args[0], value=args[0])
        kind = sig.args[0].underlying_float
        return _call(context, builder, name, kind, [number.imag, number.real])[0]

    return lower


def test_of_parts(test: Lowering, joined: str) -> Lowering:
    """Return the lowering of a test of both parts of a complex number, joined by ``or_`` or ``and_``."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        number = context.make_complex(builder, sig.args[0], value=args[0])
        real, imaginary = (test(context, builder, sig, (part,)) for part in (number.real, number.imag))
        return getattr(builder, joined)(real, imaginary)

    return lower


def _clamped(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Return an integer operand in 32 bits; a larger one saturates."""
    if value.type.width <= 32:
        return value if value.type == _I32 else builder.sext(value, _I32)
    for predicate, bound in ((">", 0x7FFFFFFF), ("<", -0x80000000)):
        limit = ir.Constant(value.type, bound)
        value = builder.select(builder.icmp_signed(predicate, value, limit), limit, value)
    return builder.trunc(value, _I32)


def to_integer(name: str) -> Lowering:
    """Return the lowering that rounds with an LLVM intrinsic and converts to int64, as Python's rounding does.

    Numba's own code asks for the float itself.
    """

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        whole = intrinsic(name)(context, builder, sig, args)
        return whole if isinstance(sig.return_type, types.Float) else to_signed(builder, whole, 64)

    return lower


def is_nan(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    """Test for NaN."""
    return builder.fcmp_unordered("uno", args[0], args[0])


def magnitude_against_infinity(predicate: str) -> Lowering:
    """Return the lowering of a comparison of the magnitude with infinity."""

    def lower(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        kind = args[0].type
        absolute = builder.module.declare_intrinsic("llvm.fabs", [kind])
        return builder.fcmp_ordered(predicate, builder.call(absolute, args), ir.Constant(kind, float("inf")))

    return lower


def constant_bool(value: bool) -> Lowering:
    """Return the lowering of a test that has one answer."""

    def lower(_context: Any, _builder: ir.IRBuilder, _sig: Any, _args: tuple[ir.Value, ...]) -> ir.Value:
        return ir.Constant(ir.IntType(1), value)

    return lower


def same(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    """Return the operand, as the type of the result: NumPy has some functions of bools as those of int8."""
    return context.cast(builder, args[0], sig.args[0], sig.return_type)
