"""Atomic operations on float16: on half of a word, by the bits; new values are computed in float32, as elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from .. import abi
from ..stubs import atomic
from . import half, placeholders

__all__ = ["lower"]

_I32 = ir.IntType(32)
_SIGN = 0x8000
_Rule = Callable[[ir.IRBuilder, ir.Value, ir.Value], ir.Value]


def _add(b: ir.IRBuilder, old: ir.Value, value: ir.Value) -> ir.Value:
    return half.from_float(b, b.fadd(half.to_float(b, old), half.to_float(b, value)))


def _sub(b: ir.IRBuilder, old: ir.Value, value: ir.Value) -> ir.Value:
    return _add(b, old, b.xor(value, ir.Constant(value.type, _SIGN)))


def _extremum(sign: str, nan_loses: bool) -> _Rule:
    """Return the rule of a minimum or maximum; a NaN wins or loses against a number."""

    def rule(b: ir.IRBuilder, old: ir.Value, value: ir.Value) -> ir.Value:
        numbers = half.to_float(b, old), half.to_float(b, value)
        tested = numbers[nan_loses]
        stays = b.or_(b.fcmp_ordered(sign, *numbers), b.fcmp_unordered("uno", tested, tested))
        return b.select(stays, old, value)

    return rule


_NEW_VALUES: dict[Callable[..., object], _Rule] = {
    atomic.add: _add,
    atomic.sub: _sub,
    atomic.min: _extremum("<", nan_loses=False),
    atomic.max: _extremum(">", nan_loses=False),
    atomic.nanmin: _extremum("<", nan_loses=True),
    atomic.nanmax: _extremum(">", nan_loses=True),
}


def _call(b: ir.IRBuilder, operation: str, *operands: ir.Value) -> ir.Value:
    """Call an operation on halves of words."""
    place, values = operands[:2], [b.zext(value, _I32) for value in operands[2:]]
    old = placeholders.call(b, abi.atomic_name(operation, "i16"), *place, *values)
    return old if operation == "store" else b.trunc(old, ir.IntType(16))


def lower(
    b: ir.IRBuilder,
    function: Callable[..., object],
    operation: str,
    place: tuple[ir.Value, ir.Value],
    values: list[ir.Value],
) -> ir.Value:
    """Write an operation and return the element as it was."""
    rule = _NEW_VALUES.get(function)
    if rule is None:
        return _call(b, operation, *place, *values)
    first = _call(b, abi.ATOMIC_PEEK, *place)
    before, again = b.block, b.append_basic_block("atomic.again")
    after = b.append_basic_block("atomic.done")
    b.branch(again)
    b.position_at_end(again)
    old = b.phi(first.type)
    old.add_incoming(first, before)
    seen = _call(b, abi.ATOMIC_SWAP, *place, old, rule(b, old, *values))
    old.add_incoming(seen, b.block)
    b.cbranch(b.icmp_unsigned("==", seen, old), after, again)
    b.position_at_end(after)
    return old
