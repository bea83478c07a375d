"""Ids and counts of the whole grid in a dispatch that is a part of it.

A grid with more workgroups than the device takes at once is dispatched in parts. Each gets the first of its workgroups
and the counts of the whole grid as parameters. Vulkan's own dispatch with a base has the same limits as one without.
"""

from __future__ import annotations

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Constant, Function, Instruction, Value, constant
from ..llvmir.types import I32
from ..parameters import WHOLE_LAUNCH
from .passes import Context
from .rewriting import Rule, rewrite

__all__ = ["run"]


def run(function: Function, context: Context) -> None:
    """Add where a part begins."""
    if context.variant.in_parts:
        rewrite(function, _rule_of, context)


def _parameter(b: Builder, call: Instruction, kind: str, context: Context) -> Value:
    """Read what the launch passes for the axis of an id."""
    axis = call.operands[0]
    assert isinstance(axis, Constant)
    offset = context.interface.block.offset(WHOLE_LAUNCH, kind, axis.value)
    return b.call(abi.parameter_name("i32"), I32, constant(I32, offset))


def _group(b: Builder, call: Instruction, context: Context) -> Value:
    own = b.call(call.callee, I32, *call.operands)
    return b.binary("add", own, _parameter(b, call, "base", context))


def _invocation(b: Builder, call: Instruction, context: Context) -> Value:
    own = b.call(call.callee, I32, *call.operands)
    size = b.call(abi.LOCAL_SIZE, I32, *call.operands)
    return b.binary("add", own, b.binary("mul", size, _parameter(b, call, "base", context)))


def _count(b: Builder, call: Instruction, context: Context) -> Value:
    return _parameter(b, call, "groups", context)


_RULES: dict[str, Rule] = {
    abi.GROUP_ID: _group,
    abi.GLOBAL_ID: _invocation,
    abi.NUM_GROUPS: _count,
}


def _rule_of(instruction: Instruction) -> Rule | None:
    return _RULES.get(instruction.callee) if instruction.opcode == "call" else None
