"""The primitives of the math library: 32-bit integers that do not widen, bits of floats, exact products.

`typing` and `device_lowering` belong to this target. With `host_lowering` instead, the sources of the library compile
for Numba's CPU target and give the same bits there.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models, register_default
from numba.core.imputils import Registry as LoweringRegistry
from numba.core.typing.templates import AbstractTemplate, Registry, signature

from .. import abi
from ..mathlib import primitives
from . import placeholders

__all__ = ["device_lowering", "host_lowering", "typing"]

typing = Registry()
device_lowering = LoweringRegistry()
host_lowering = LoweringRegistry()
_BOTH = (device_lowering, host_lowering)

_I32, _I64 = ir.IntType(32), ir.IntType(64)
_FLOAT, _DOUBLE = ir.FloatType(), ir.DoubleType()


class Word32(types.Type):
    """An integer of 32 bits that stays one in every operation."""

    bitwidth = 32

    def __init__(self, name: str, is_signed: bool) -> None:
        self.is_signed = is_signed
        super().__init__(name)


register_default(Word32)(models.IntegerModel)
WORD = Word32("Word", is_signed=False)
INT = Word32("Int", is_signed=True)
_NUMBERS = (types.Integer, types.IntegerLiteral)

Lowering = Callable[[Any, ir.IRBuilder, Any, tuple[ir.Value, ...]], ir.Value]


def _function(key: Any, rule: Callable[[tuple[Any, ...]], Any]) -> None:
    """Type a function by a rule from the types of its arguments to its signature."""

    class PrimitiveTemplate(AbstractTemplate):
        prefer_literal = True

        def generic(self, args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Any:
            return None if kws else rule(args)

    PrimitiveTemplate.key = key
    typing.register_global(key, types.Function(PrimitiveTemplate))


# ---- arithmetic of words


def _same_words(result: types.Type | None) -> Callable[[tuple[Any, ...]], Any]:
    """Return the rule for operands of one kind, of which one may be a plain integer."""

    def rule(args: tuple[Any, ...]) -> Any:
        kinds = {a for a in args if isinstance(a, Word32)}
        if len(kinds) != 1 or not all(isinstance(a, (Word32, *_NUMBERS)) for a in args):
            return None
        (kind,) = kinds
        return signature(result or kind, *(kind for _ in args))

    return rule


def _instruction(opcode: str) -> Lowering:
    def lower(_context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        name = "ashr" if opcode == "lshr" and sig.args[0].is_signed else opcode
        return getattr(builder, name)(*args)

    return lower


def _comparison(predicate: str) -> Lowering:
    def lower(_context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        compare = builder.icmp_signed if sig.args[0].is_signed else builder.icmp_unsigned
        return compare(predicate, *args)

    return lower


_BINARY: dict[Any, str] = {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.floordiv: "udiv",
    operator.and_: "and_",
    operator.or_: "or_",
    operator.xor: "xor",
    operator.lshift: "shl",
    operator.rshift: "lshr",
}
_COMPARISONS: dict[Any, str] = {
    operator.eq: "==",
    operator.ne: "!=",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
}


def _register_operators() -> None:
    for key, opcode in _BINARY.items():
        _function(key, _same_words(None))
        for registry in _BOTH:
            registry.lower(key, Word32, Word32)(_instruction(opcode))
    for key, predicate in _COMPARISONS.items():
        _function(key, _same_words(types.boolean))
        for registry in _BOTH:
            registry.lower(key, Word32, Word32)(_comparison(predicate))
    for key, opcode in ((operator.neg, "neg"), (operator.invert, "not_")):
        _function(key, _same_words(None))
        for registry in _BOTH:
            registry.lower(key, Word32)(_instruction(opcode))


def _cast_number(
    _context: Any, builder: ir.IRBuilder, source: Any, _target: Any, value: ir.Value
) -> ir.Value:
    if value.type == _I32:
        return value
    if value.type.width > 32:
        return builder.trunc(value, _I32)
    return builder.sext(value, _I32) if source.signed else builder.zext(value, _I32)


_register_operators()
for _registry in _BOTH:
    _registry.lower_cast(types.Integer, Word32)(_cast_number)

# ---- primitives


def _fixed(result: types.Type, *arguments: types.Type) -> Callable[[tuple[Any, ...]], Any]:
    """Return the rule of a function with one signature; words of either kind will do."""

    def fits(given: types.Type, wanted: types.Type) -> bool:
        return given == wanted or (isinstance(wanted, Word32) and isinstance(given, (Word32, *_NUMBERS)))

    def rule(args: tuple[Any, ...]) -> Any:
        if len(args) != len(arguments) or not all(map(fits, args, arguments)):
            return None
        return signature(
            result, *(a if isinstance(a, Word32) else w for a, w in zip(args, arguments, strict=True))
        )

    return rule


def _on_floats(args: tuple[Any, ...]) -> Any:
    """The rule of a function that keeps the float type of its operands."""
    if args and isinstance(args[0], types.Float) and all(a == args[0] for a in args):
        return signature(args[0], *args)
    return None


def _to_int(args: tuple[Any, ...]) -> Any:
    if len(args) == 1 and isinstance(args[0], types.Float):
        return signature(INT, args[0])
    return signature(INT, INT) if len(args) == 1 and isinstance(args[0], _NUMBERS) else None


def _of_polynomial(args: tuple[Any, ...]) -> Any:
    x, coefficients = args
    if isinstance(coefficients, types.UniTuple) and coefficients.dtype == x:
        return signature(x, x, coefficients)
    return None


def _of_chosen_polynomial(args: tuple[Any, ...]) -> Any:
    x, condition, if_true, if_false = args
    if condition == types.boolean and if_true == if_false and _of_polynomial((x, if_true)):
        return signature(x, x, condition, if_true, if_false)
    return None


def _of_window(args: tuple[Any, ...]) -> Any:
    _, words, length = args
    if isinstance(words, types.BaseTuple) and isinstance(length, types.IntegerLiteral):
        return signature(types.UniTuple(WORD, length.literal_value), WORD, words, length)
    return None


def _call(placeholder: str) -> Lowering:
    def lower(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        return placeholders.call(builder, placeholder, *args)

    return lower


def _intrinsic(name: str) -> Lowering:
    def lower(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        kind = args[0].type
        signature = ir.FunctionType(kind, [a.type for a in args])
        return builder.call(builder.module.declare_intrinsic(f"llvm.{name}", [kind], signature), args)

    return lower


def _by_width(single: Lowering, double: Lowering) -> Lowering:
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        return (single if args[0].type == _FLOAT else double)(context, builder, sig, args)

    return lower


def _cast(opcode: str, target: ir.Type) -> Lowering:
    def lower(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        return args[0] if args[0].type == target else getattr(builder, opcode)(args[0], target)

    return lower


def _host_word(shift: int) -> Lowering:
    def lower(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
        whole = builder.bitcast(args[0], _I64)
        return builder.trunc(builder.lshr(whole, ir.Constant(_I64, shift)), _I32)

    return lower


def _host_from_words(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    high, low = (builder.zext(a, _I64) for a in args)
    return builder.bitcast(builder.or_(builder.shl(high, ir.Constant(_I64, 32)), low), _DOUBLE)


def _device_from_words(
    _context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]
) -> ir.Value:
    return placeholders.call(builder, abi.JOIN_F64, args[1], args[0])


def _host_product_error(
    _context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]
) -> ir.Value:
    return _intrinsic("fma")(_context, builder, _sig, (args[0], args[1], builder.fneg(args[2])))


def _host_residual(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    return _intrinsic("fma")(_context, builder, _sig, (builder.fneg(args[1]), args[2], args[0]))


def _host_add_product(
    _context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]
) -> ir.Value:
    return _intrinsic("fma")(_context, builder, _sig, (args[1], args[2], args[0]))


def _host_reciprocal(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    return builder.fdiv(ir.Constant(args[0].type, 1.0), args[0])


def _host_lacks(name: str) -> Lowering:
    def lower(*_: Any) -> ir.Value:
        raise NotImplementedError(f"{name} of a driver has no twin on the CPU")

    return lower


def _host_multiply_high(
    _context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]
) -> ir.Value:
    left, right = (builder.zext(a, _I64) for a in args)
    return builder.trunc(builder.lshr(builder.mul(left, right), ir.Constant(_I64, 32)), _I32)


def _leading_zeros(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))


def _horner(builder: ir.IRBuilder, x: ir.Value, coefficients: list[ir.Value]) -> ir.Value:
    *lower, result = coefficients
    for coefficient in reversed(lower):
        result = builder.fadd(coefficient, builder.fmul(x, result))
    return result


def _polynomial(_context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    x, coefficients = args
    return _horner(builder, x, cgutils.unpack_tuple(builder, coefficients))


def _chosen_polynomial(
    _context: Any, builder: ir.IRBuilder, _sig: Any, args: tuple[ir.Value, ...]
) -> ir.Value:
    x, condition, *choices = args
    pairs = zip(*(cgutils.unpack_tuple(builder, choice) for choice in choices), strict=True)
    return _horner(builder, x, [builder.select(condition, *pair) for pair in pairs])


def _window(_context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    index, constants, _ = args
    length = sig.return_type.count
    words = [builder.trunc(builder.extract_value(constants, i), _I32) for i in range(len(sig.args[1]))]
    distance = 1 << (len(words) - length).bit_length()
    while distance > 1:
        distance //= 2
        bit = builder.and_(index, ir.Constant(_I32, distance))
        is_set = builder.icmp_unsigned("!=", bit, ir.Constant(_I32, 0))
        # Later steps move by less than this one.
        needed = length + distance - 1
        words = [
            builder.select(is_set, words[min(i + distance, len(words) - 1)], words[i])
            for i in range(min(needed, len(words)))
        ]
    return cgutils.pack_array(builder, words[:length], _I32)


_Row = tuple[Callable[[tuple[Any, ...]], Any], Lowering, Lowering]
# How a primitive is typed, and lowered for shaders and for the CPU.
_ROWS: dict[Callable[..., Any], _Row] = {
    primitives.bits: (_fixed(WORD, types.float32), _call("nv.bits.f32"), _cast("bitcast", _I32)),
    primitives.from_bits: (_fixed(types.float32, WORD), _call("nv.frombits.f32"), _cast("bitcast", _FLOAT)),
    primitives.high_word: (_fixed(WORD, types.float64), _call(abi.HIGH_F64), _host_word(32)),
    primitives.low_word: (_fixed(WORD, types.float64), _call(abi.LOW_F64), _host_word(0)),
    primitives.from_words: (_fixed(types.float64, WORD, WORD), _device_from_words, _host_from_words),
    primitives.multiply_high: (_fixed(WORD, WORD, WORD), _call(abi.MULHI_U32), _host_multiply_high),
    **{
        function: (_on_floats, _by_width(_call(names["f32"]), _call(names["f64"])), host)
        for function, names, host in (
            (primitives.product_error, abi.PRODUCT_ERROR, _host_product_error),
            (primitives.add_product, abi.ADD_PRODUCT, _host_add_product),
            (primitives.residual, abi.RESIDUAL, _host_residual),
            (primitives.reciprocal, abi.RECIPROCAL, _host_reciprocal),
            (primitives.approximate_reciprocal, abi.APPROXIMATE_RECIPROCAL, _host_reciprocal),
            (primitives.root, abi.ROOT, _intrinsic("sqrt")),
        )
    },
    **{
        function: (_fixed(types.float32, types.float32), _call(abi.DRIVER[name]), _host_lacks(name))
        for function, name in (
            (primitives.driver_sin, "sin"),
            (primitives.driver_cos, "cos"),
            (primitives.driver_exp2, "exp2"),
            (primitives.driver_log2, "log2"),
            (primitives.driver_inverse_root, "inversesqrt"),
        )
    },
    **{
        function: (rule, lower, lower)
        for function, rule, lower in (
            (primitives.signed, _fixed(INT, INT), _cast("bitcast", _I32)),
            (primitives.plain, _fixed(types.int32, INT), _cast("bitcast", _I32)),
            (primitives.unsigned, _fixed(WORD, WORD), _cast("bitcast", _I32)),
            (primitives.as_int, _to_int, _cast("fptosi", _I32)),
            (primitives.as_float32, _fixed(types.float32, INT), _cast("sitofp", _FLOAT)),
            (primitives.as_float64, _fixed(types.float64, INT), _cast("sitofp", _DOUBLE)),
            (primitives.leading_zeros, _fixed(INT, WORD), _leading_zeros),
            (primitives.copy_sign, _on_floats, _intrinsic("copysign")),
            (primitives.window, _of_window, _window),
            (primitives.polynomial, _of_polynomial, _polynomial),
            (primitives.chosen_polynomial, _of_chosen_polynomial, _chosen_polynomial),
            (primitives.square_root, _on_floats, _intrinsic("sqrt")),
            (primitives.truncated, _on_floats, _intrinsic("trunc")),
            (primitives.round_down, _on_floats, _intrinsic("floor")),
            (primitives.round_even, _on_floats, _intrinsic("rint")),
        )
    },
}


def _register(function: Callable[..., Any], row: _Row) -> None:
    rule, device, host = row
    _function(function, rule)
    device_lowering.lower(function, types.VarArg(types.Any))(device)
    host_lowering.lower(function, types.VarArg(types.Any))(host)


for _primitive, _row in _ROWS.items():
    _register(_primitive, _row)
