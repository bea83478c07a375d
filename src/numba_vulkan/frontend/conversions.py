"""Casts to integers: of floats, with one result for every number and on every device, and of integers.

LLVM and SPIR-V leave open what a number becomes that does not fit after truncation, and devices differ. Here it becomes
what NumPy makes of it on x86: a number that does not fit into the signed integers of 32 or 64 bits becomes the smallest
of them, as NaN does; the types of 8 and 16 bits have the low bits of an int32; an unsigned integer is that of a signed
one with the same bits, or, from half of its range on, one more than half its range and the rest.

Integers are cast as in Numba. Where they are computed in 32 bits, a cast between signed and unsigned can change a
number that has 64 bits for what it becomes elsewhere; with ``boundscheck=True`` that raises.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.imputils import Registry
from numba.extending import overload

from .. import abi
from . import placeholders

__all__ = ["lowering", "to_signed"]

lowering = Registry()
_I32, _I64 = ir.IntType(32), ir.IntType(64)


def to_signed(builder: ir.IRBuilder, value: ir.Value, bits: int) -> ir.Value:
    """Truncate a float to a signed integer of 32 or 64 bits; the smallest one stands for all that does not fit."""
    limit = 1 << (bits - 1)
    integer = ir.IntType(bits)
    magnitude = builder.call(builder.module.declare_intrinsic("llvm.fabs", [value.type]), [value])
    fits = builder.fcmp_ordered("<", magnitude, ir.Constant(value.type, float(limit)))
    return builder.select(fits, builder.fptosi(value, integer), ir.Constant(integer, -limit))


def _to_unsigned(builder: ir.IRBuilder, value: ir.Value, bits: int) -> ir.Value:
    """Truncate a float to an unsigned integer of 32 or 64 bits."""
    integer = ir.IntType(bits)
    half = ir.Constant(value.type, float(1 << (bits - 1)))
    is_high = builder.fcmp_ordered(">=", value, half)
    rest = to_signed(builder, builder.select(is_high, builder.fsub(value, half), value), bits)
    top = builder.select(is_high, ir.Constant(integer, -(1 << (bits - 1))), ir.Constant(integer, 0))
    return builder.xor(rest, top)


def _cast(_context: Any, builder: ir.IRBuilder, _source: Any, target: Any, value: ir.Value) -> ir.Value:
    if target.bitwidth < 32:
        return builder.trunc(to_signed(builder, value, 32), ir.IntType(target.bitwidth))
    return (to_signed if target.signed else _to_unsigned)(builder, value, target.bitwidth)


def _change_sign(context: Any, builder: ir.IRBuilder, source: Any, target: Any, value: ir.Value) -> ir.Value:
    """Cast to an integer of 64 bits that reads its highest bit differently."""
    extend = builder.sext if source.signed else builder.zext
    wide = extend(value, _I64) if source.bitwidth < 64 else value
    if not context.enable_boundscheck:
        return wide
    with builder.if_then(placeholders.call(builder, abi.NARROWS_INTEGERS)):
        sign = placeholders.call(builder, abi.LOST_SIGN, wide, ir.Constant(_I32, int(source.signed)))
        with builder.if_then(builder.icmp_unsigned("!=", sign, ir.Constant(_I32, 0)), likely=False):
            words = builder.trunc(wide, _I32), ir.Constant(_I32, -1 if source.signed else 0)
            context.call_conv.return_text(
                builder,
                OverflowError,
                f"{{}} of type {source} becomes {target}, and the result does not fit into the 32 bits in which "
                f"narrow= computes integers here: leave it out of @jit for exact integers",
                [(source, words)],
            )
    return wide


def _number_of(function: Any) -> None:
    """Let ``int`` and ``float`` take members of integer enumerations, as Python's do."""

    # Annotations would have to be repeated in the implementations: hence not strict.
    @overload(function, target="vulkan", strict=False)
    def convert(x: Any) -> Any:
        return (lambda x: function(x.value)) if isinstance(x, types.IntEnumMember) else None


for _function in (int, float):
    _number_of(_function)
for _unsigned in (types.uint32, types.uint64):
    lowering.lower_cast(_unsigned, types.int64)(_change_sign)
for _signed in sorted(types.signed_domain, key=str):
    lowering.lower_cast(_signed, types.uint64)(_change_sign)
for _real in sorted(types.real_domain, key=str):
    for _integer in sorted(types.integer_domain, key=str):
        lowering.lower_cast(_real, _integer)(_cast)
