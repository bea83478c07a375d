"""The loop of all passes that replace single instructions, and what else passes share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import VulkanUnsupportedError
from ..llvmir.build import Builder
from ..llvmir.model import Block, Function, Instruction, Location, Undef, Value
from ..llvmir.types import VOID
from .blocks import keep_incoming
from .passes import Context

__all__ = ["REMOVED", "Rule", "drop_unreachable", "location_text", "replace_uses", "rewrite", "unsupported"]

Rule = Callable[[Builder, Instruction, Context], Value | None]
"""Emit what stands for an instruction and return its value; None keeps the instruction; `REMOVED` drops it."""

REMOVED = Undef(VOID)


def rewrite(function: Function, rule_of: Callable[[Instruction], Rule | None], context: Context) -> None:
    """Replace each instruction by what its rule emits.

    Parameters
    ----------
    function : Function
        Changed in place; blocks and control flow stay.
    rule_of : callable
        The rule for an instruction, None to keep it.
    context : Context
        Handed to the rules.
    """
    replacements: dict[Value, Value] = {}
    for block in function.blocks:
        rules = [rule_of(instruction) for instruction in block.instructions]
        if any(rules):
            _rewrite_block(block, rules, replacements, context)
    replace_uses(function, replacements)


def _rewrite_block(
    block: Block, rules: list[Rule | None], replacements: dict[Value, Value], context: Context
) -> None:
    rewritten: list[Instruction] = []
    builder = Builder(rewritten)
    for instruction, rule in zip(block.instructions, rules, strict=True):
        if rule is None:
            rewritten.append(instruction)
            continue
        builder.location = instruction.location
        emitted = len(rewritten)
        value = rule(builder, instruction, context)
        if value is None:
            rewritten.append(instruction)
        elif value is not REMOVED:
            replacements[instruction] = value
            if len(rewritten) > emitted and value is rewritten[-1] and not rewritten[-1].name:
                rewritten[-1].name = instruction.name
    block.instructions = rewritten


def replace_uses(function: Function, replacements: Mapping[Value, Value]) -> None:
    """Let every operand that is a key be its value, through chains of replacements."""
    if not replacements:
        return
    keys = replacements.keys()
    for block in function.blocks:
        for instruction in block.instructions:
            operands = instruction.operands
            if keys.isdisjoint(operands):
                continue
            for position, operand in enumerate(operands):
                if operand in replacements:
                    value = replacements[operand]
                    while value in replacements:
                        value = replacements[value]
                    operands[position] = value


def drop_unreachable(function: Function) -> None:
    """Remove the blocks that control cannot reach, and what phis say of them."""
    successors = {function.entry: function.entry.successors}
    pending = [function.entry]
    while pending:
        for block in successors[pending.pop()]:
            if block not in successors:
                successors[block] = block.successors
                pending.append(block)
    function.blocks = [block for block in function.blocks if block in successors]
    sources: dict[Block, set[Block]] = {}
    for source, targets in successors.items():
        for target in targets:
            if target.instructions[0].opcode == "phi":
                sources.setdefault(target, set()).add(source)
    for block, known in sources.items():
        for phi in block.phis():
            if not known.issuperset(phi.targets):
                keep_incoming(phi, known.__contains__)


def location_text(location: Location | None, context: Context) -> str:
    """Return where in the user's source something is; the kernel's first line if the instruction has none."""
    interface = context.interface
    return str(location if location is not None else Location(interface.file, interface.line))


def unsupported(what: str, instruction: Instruction, context: Context) -> VulkanUnsupportedError:
    """Return the error for something in the user's kernel, naming kernel and line."""
    where = location_text(instruction.location, context)
    return VulkanUnsupportedError(f"kernel '{context.interface.name}', {where}: {what}")
