"""The part of ``math`` that shaders can compute exactly without a library; the rest is refused by name."""

from __future__ import annotations

import math
from collections.abc import Callable
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
    """Return the lowering that rounds with an LLVM intrinsic and converts to int64, as Python's rounding does."""
    rounded = _intrinsic(name)

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        return builder.fptosi(rounded(context, builder, sig, args), ir.IntType(64))

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


def _rows(function: Callable[..., object]) -> list[tuple[types.Type, tuple[types.Type, ...], Lowering]]:
    """Return (result, arguments, lowering) of every signature of one supported function."""
    name = function.__name__
    if function in (math.sqrt, math.fabs):
        return [(t, (t,), _intrinsic(name)) for t in _FLOATS]
    if function is math.copysign:
        return [(t, (t, t), _intrinsic(name)) for t in _FLOATS]
    if function in (math.floor, math.ceil, math.trunc):
        whole = [(types.int64, (types.int64,), _same), (types.uint64, (types.uint64,), _same)]
        return whole + [(types.int64, (t,), _to_integer(name)) for t in _FLOATS]
    on_floats = {
        math.isnan: _is_nan,
        math.isinf: _magnitude_against_infinity("=="),
        math.isfinite: _magnitude_against_infinity("<"),
    }[function]
    on_integers = _constant_bool(function is math.isfinite)
    rows: list[tuple[types.Type, tuple[types.Type, ...], Lowering]] = [
        (types.boolean, (t,), on_integers) for t in _INTEGERS
    ]
    return rows + [(types.boolean, (t,), on_floats) for t in _FLOATS]


AVAILABLE = (
    math.sqrt,
    math.fabs,
    math.floor,
    math.ceil,
    math.trunc,
    math.copysign,
    math.isnan,
    math.isinf,
    math.isfinite,
)


def _register_available(function: Callable[..., object]) -> None:
    rows = _rows(function)

    class MathTemplate(ConcreteTemplate):
        key = function
        cases = [signature(result, *arguments) for result, arguments, _ in rows]  # noqa: RUF012

    typing.register_global(function, types.Function(MathTemplate))
    for _, arguments, lower in rows:
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
    if callable(_function):
        (_register_available if _function in AVAILABLE else _register_missing)(_function)
