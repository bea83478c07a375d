"""Terminators, with the merge instructions in front of them."""

from __future__ import annotations

from ..llvmir.model import Instruction, LoopMerge
from ..llvmir.types import I1, I64
from ._tables import LoopControl, Op, SelectionControl
from .context import Context
from .module import instruction as words_of

__all__ = ["OPCODES"]


def _merge(context: Context) -> None:
    """Write the merge instruction of the block under construction."""
    merge = context.block.merge
    if merge is None:
        return
    merge_id = context.label(merge.merge)
    if isinstance(merge, LoopMerge):
        continue_id = context.label(merge.continue_)
        context.code += (Op.LoopMerge | 4 << 16, merge_id, continue_id, LoopControl.Default)
    else:
        context.code += (Op.SelectionMerge | 3 << 16, merge_id, SelectionControl.Default)


def _branch(context: Context, instruction: Instruction) -> None:
    """Write a branch."""
    labels = [context.label(target) for target in instruction.targets]
    if len(labels) == 1:
        _merge(context)
        context.code += (Op.Branch | 2 << 16, labels[0])
        return
    (condition,) = instruction.operands
    if condition.type is not I1:
        raise context.fault(instruction, f"branches on a {condition.type}")
    condition_id = context.operand(condition, instruction)
    _merge(context)
    context.code += (Op.BranchConditional | 4 << 16, condition_id, *labels)


def _switch(context: Context, instruction: Instruction) -> None:
    """Write a switch; the literals of cases are as wide as its selector."""
    selector_id = context.operand(instruction.operands[0], instruction)
    default_id, *case_ids = (context.label(target) for target in instruction.targets)
    is_wide = instruction.operands[0].type is I64
    words: list[int] = []
    for value, label_id in zip(instruction.indices, case_ids, strict=True):
        words += (value & 0xFFFFFFFF, value >> 32, label_id) if is_wide else (value & 0xFFFFFFFF, label_id)
    _merge(context)
    context.code += words_of(Op.Switch, selector_id, default_id, *words)


def _return(context: Context, instruction: Instruction) -> None:
    """Write a return; kernels return nothing."""
    if instruction.operands:
        raise context.fault(instruction, "a kernel returns nothing")
    context.code.append(Op.Return | 1 << 16)


def _unreachable(context: Context, instruction: Instruction) -> None:
    """Write the end of a block that is never entered."""
    del instruction
    context.code.append(Op.Unreachable | 1 << 16)


OPCODES = {"br": _branch, "switch": _switch, "ret": _return, "unreachable": _unreachable}
