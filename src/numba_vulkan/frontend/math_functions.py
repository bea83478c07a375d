"""The part of ``math`` that shaders can compute exactly without a library; the rest is refused by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.imputils import Registry as LoweringRegistry
from numba.core.typing.templates import AbstractTemplate, ConcreteTemplate, Registry, signature

from ..errors import VulkanUnsupportedError

__all__ = ["AVAILABLE", "lowering", "typing"]

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
Lowering = Callable[[Any, ir.IRBuilder, Any, tuple[ir.Value, ...]], ir.Value]


def _intrinsic(name: str) -> Lowering:
    """Return the lowering to an LLVM intrinsic of the operands' type."""

    def lower(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        function = builder.module.declare_intrinsic(
            f"llvm.{name}",
            [args[0].type],
            None if len(args) < 2 else ir.FunctionType(args[0].type, [a.type for a in args]),
        )
        return builder.call(function, args)

    return lower


def _to_integer(name: str) -> Lowering:
    """Return the lowering that rounds with an LLVM intrinsic and converts to int64, as Python's rounding does.

    Numba's own code asks for the float itself.
    """
    rounded = _intrinsic(name)

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        whole = rounded(context, builder, sig, args)
        return whole if isinstance(sig.return_type, types.Float) else builder.fptosi(whole, ir.IntType(64))

    return lower


def _is_nan(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    return builder.fcmp_unordered("uno", args[0], args[0])


def _magnitude_against_infinity(predicate: str) -> Lowering:
    magnitude = _intrinsic("fabs")

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        infinity = ir.Constant(args[0].type, float("inf"))
        return builder.fcmp_ordered(predicate, magnitude(context, builder, sig, args), infinity)

    return lower


def _constant_bool(value: bool) -> Lowering:
    def lower(_context: Any, _builder: ir.IRBuilder, _sig: Any, _args: tuple[ir.Value, ...]) -> ir.Value:
        return ir.Constant(ir.IntType(1), value)

    return lower


def _same(_context: Any, _builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    return args[0]


Signatures = list[tuple[types.Type, tuple[types.Type, ...], Lowering]]


def _on_floats(lower: Lowering, operands: int = 1) -> Signatures:
    """Return the signatures of a function that keeps the float type of its operands."""
    return [(t, (t,) * operands, lower) for t in _FLOATS]


def _to_int64(name: str) -> Signatures:
    """Return the signatures of a rounding; integers are rounded already."""
    whole: Signatures = [(t, (t,), _same) for t in (types.int64, types.uint64)]
    return whole + [(types.int64, (t,), _to_integer(name)) for t in _FLOATS]


def _test(on_floats: Lowering, on_integers: bool) -> Signatures:
    """Return the signatures of a classification, whose answer is the same for all integers."""
    whole: Signatures = [(types.boolean, (t,), _constant_bool(on_integers)) for t in _INTEGERS]
    return whole + [(types.boolean, (t,), on_floats) for t in _FLOATS]


AVAILABLE: dict[Callable[..., object], Signatures] = {
    math.sqrt: _on_floats(_intrinsic("sqrt")),
    math.fabs: _on_floats(_intrinsic("fabs")),
    math.copysign: _on_floats(_intrinsic("copysign"), operands=2),
    math.floor: _to_int64("floor"),
    math.ceil: _to_int64("ceil"),
    math.trunc: _to_int64("trunc"),
    math.isnan: _test(_is_nan, False),
    math.isinf: _test(_magnitude_against_infinity("=="), False),
    math.isfinite: _test(_magnitude_against_infinity("<"), True),
}


def _register_available(function: Callable[..., object], signatures: Signatures) -> None:
    class MathTemplate(ConcreteTemplate):
        key = function
        cases = [signature(result, *arguments) for result, arguments, _ in signatures]  # noqa: RUF012

    typing.register_global(function, types.Function(MathTemplate))
    for _, arguments, lower in signatures:
        lowering.lower(function, *arguments)(lower)


def _register_missing(function: Callable[..., object]) -> None:
    available = ", ".join(f.__name__ for f in AVAILABLE)

    class MissingTemplate(AbstractTemplate):
        key = function

        def generic(self, _args: object, _kws: object) -> None:
            raise VulkanUnsupportedError(
                f"math.{function.__name__} is not available in kernels yet; of math there are {available}"
            )

    typing.register_global(function, types.Function(MissingTemplate))


for _function in vars(math).values():
    if isinstance(_function, BuiltinFunctionType):
        if _function in AVAILABLE:
            _register_available(_function, AVAILABLE[_function])
        else:
            _register_missing(_function)
