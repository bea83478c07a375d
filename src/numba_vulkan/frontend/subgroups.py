"""Typing and lowering of what the invocations of a subgroup do together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.imputils import Registry as LoweringRegistry
from numba.core.typing.templates import CallableTemplate, Registry

from .. import abi
from ..errors import VulkanUnsupportedError
from ..stubs import subgroup
from . import placeholders
from .types import element_of
from .wording import noun

__all__ = ["lowering", "typing"]

typing = Registry()
lowering = LoweringRegistry()
_I32, _I64 = ir.IntType(32), ir.IntType(64)
_VALUES = (types.int32, types.uint32, types.int64, types.uint64, types.float32, types.float64)
Values = tuple[ir.Value, ...]


def _value_type(function: Callable[..., Any], given: types.Type) -> types.Type:
    """Return the type in which a value takes part."""
    kind: Any = types.unliteral(given)
    if kind is types.boolean:
        return types.int32
    if isinstance(kind, types.Integer) and kind.bitwidth < 32:
        return types.int32 if kind.signed else types.uint32
    if kind not in _VALUES:
        raise VulkanUnsupportedError(f"subgroup.{function.__name__} does not take {noun(given)}")
    return kind


def _register(function: Callable[..., Any], typer: Callable[..., types.Type | None], lower: Any) -> None:
    """Give one stub its type and its implementation."""

    class SubgroupTemplate(CallableTemplate):
        key = function

        def generic(self) -> Callable[..., types.Type | None]:
            return typer

    typing.register_global(function, types.Function(SubgroupTemplate))
    count = typer.__code__.co_argcount
    lowering.lower(function, *[types.Any] * count)(lower)


# ---- sizes and positions


def _register_number(function: Callable[[], int], placeholder: str) -> None:
    def typer() -> types.Type:
        return types.intp

    def lower(_context: Any, builder: ir.IRBuilder, _sig: Any, _args: Values) -> ir.Value:
        return builder.zext(placeholders.call(builder, placeholder), _I64)

    _register(function, typer, lower)


_NUMBERS: dict[Callable[[], int], str] = {
    subgroup.size: abi.SUBGROUP_SIZE,
    subgroup.lane: abi.SUBGROUP_LANE,
    subgroup.id: abi.SUBGROUP_ID,
    subgroup.count: abi.SUBGROUP_COUNT,
}
for _function, _name in _NUMBERS.items():
    _register_number(_function, _name)


# ---- votes


def _lower_elect(_context: Any, builder: ir.IRBuilder, _sig: Any, _args: Values) -> ir.Value:
    return placeholders.call(builder, abi.subgroup_name("elect"))


def _type_elect() -> types.Type:
    return types.boolean


def _vote(name: str, result: types.Type) -> tuple[Any, Any]:
    """Return typing and lowering of an operation on predicates."""

    def typer(predicate: types.Type) -> types.Type | None:
        return result if isinstance(predicate, types.Boolean | types.Number) else None

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Values) -> ir.Value:
        predicate = context.cast(builder, args[0], sig.args[0], types.boolean)
        if name != "ballot":
            answer = placeholders.call(builder, abi.subgroup_name(name), predicate)
            return answer if result is types.boolean else builder.zext(answer, _I64)
        low, high = (
            builder.zext(
                placeholders.call(builder, abi.subgroup_name(name), predicate, ir.Constant(_I32, word)), _I64
            )
            for word in (0, 1)
        )
        return builder.or_(low, builder.shl(high, ir.Constant(_I64, 32)))

    return typer, lower


_register(subgroup.elect, _type_elect, _lower_elect)
for _function, _name, _result in (
    (subgroup.any, "any", types.boolean),
    (subgroup.all, "all", types.boolean),
    (subgroup.ballot, "ballot", types.uint64),
    (subgroup.ballot_count, "count", types.intp),
):
    _register(_function, *_vote(_name, _result))


# ---- values that move


def _move(function: Callable[..., Any], name: str) -> tuple[Any, Any]:
    """Return typing and lowering of an operation that returns the value of a lane."""

    def typer(value: types.Type, lane: types.Type) -> types.Type | None:
        if not isinstance(lane, types.Integer):
            raise VulkanUnsupportedError(
                f"subgroup.{function.__name__} takes an integer for a lane, not {noun(lane)}"
            )
        return _value_type(function, value)

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Values) -> ir.Value:
        value = context.cast(builder, args[0], sig.args[0], sig.return_type)
        lane = builder.trunc(context.cast(builder, args[1], sig.args[1], types.intp), _I32)
        element = element_of(sig.return_type)
        assert element is not None
        moved = placeholders.call(builder, abi.subgroup_name(name, element), value, lane)
        if name not in ("up", "down"):
            return moved
        # SPIR-V leaves the value undefined where there is no such lane.
        own = placeholders.call(builder, abi.SUBGROUP_LANE)
        if name == "up":
            exists = builder.icmp_unsigned(">=", own, lane)
        else:
            room = builder.sub(placeholders.call(builder, abi.SUBGROUP_SIZE), own)
            exists = builder.icmp_unsigned("<", lane, room)
        return builder.select(exists, moved, value)

    return typer, lower


def _broadcast_first() -> tuple[Any, Any]:
    def typer(value: types.Type) -> types.Type:
        return _value_type(subgroup.broadcast_first, value)

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Values) -> ir.Value:
        value = context.cast(builder, args[0], sig.args[0], sig.return_type)
        element = element_of(sig.return_type)
        assert element is not None
        return placeholders.call(builder, abi.subgroup_name("first", element), value)

    return typer, lower


for _function, _name in (
    (subgroup.broadcast, "broadcast"),
    (subgroup.shuffle, "shuffle"),
    (subgroup.shuffle_xor, "xor"),
    (subgroup.shuffle_up, "up"),
    (subgroup.shuffle_down, "down"),
):
    _register(_function, *_move(_function, _name))
_register(subgroup.broadcast_first, *_broadcast_first())


# ---- reductions and scans

# Operations on signed integers, unsigned integers and floats; None where there is none.
_OPERATIONS: dict[str, tuple[str, str, str | None]] = {
    "sum": ("iadd", "iadd", "fadd"),
    "prod": ("imul", "imul", "fmul"),
    "min": ("smin", "umin", "fmin"),
    "max": ("smax", "umax", "fmax"),
    "and_": ("and", "and", None),
    "or_": ("or", "or", None),
    "xor": ("xor", "xor", None),
}


def _reduction(
    function: Callable[..., Any], extent: str, operations: tuple[str, str, str | None]
) -> tuple[Any, Any]:
    """Return typing and lowering of a reduction or a scan."""

    def operation_of(kind: Any) -> str | None:
        if not isinstance(kind, types.Integer):
            return operations[2]
        return operations[0 if kind.signed else 1]

    def typer(value: types.Type) -> types.Type:
        kind = _value_type(function, value)
        if operation_of(kind) is None:
            raise VulkanUnsupportedError(f"subgroup.{function.__name__} does not take {noun(value)}")
        return kind

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Values) -> ir.Value:
        kind = sig.return_type
        value = context.cast(builder, args[0], sig.args[0], kind)
        operation, element = operation_of(kind), element_of(kind)
        assert operation is not None
        assert element is not None
        return placeholders.call(builder, abi.subgroup_name(f"{extent}.{operation}", element), value)

    return typer, lower


for _stem, _row in _OPERATIONS.items():
    for _prefix, _extent in (("", "reduce"), ("inclusive_", "inclusive"), ("exclusive_", "exclusive")):
        _function = getattr(subgroup, _prefix + _stem)
        _register(_function, *_reduction(_function, _extent, _row))
