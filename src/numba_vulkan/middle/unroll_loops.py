"""Run four rounds at once of loops that load, with the loads of all four first, so that they wait for memory together.

Of short loops that only compute with floats, a GPU spends a tenth of its time on counting: they run four rounds at once
as well, with the branches of each, such as those of math functions.

A second loop goes in front of one that counts. It runs four rounds as long as so many are certain to come, and leaves
the rest to the old one. Everything keeps its order but loads, which move up, with what their addresses need. So either
a round changes nothing, or what it loads is memory that the whole kernel leaves as it is. Drivers do not unroll loops
whose number of rounds they cannot see.
"""

from __future__ import annotations

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Block, Constant, Function, Instruction, Value, constant
from ..llvmir.types import IntType
from .blocks import copy_of, merge_incoming
from .counted_loops import CountedLoop, counted_loops
from .eliminate_dead import has_effect
from .passes import Context
from .written_arrays import WrittenArrays

__all__ = ["ROUNDS", "run"]

ROUNDS = 4
# The more a round computes, the less of its time it waits for memory.
_MOST_INSTRUCTIONS = 64
# And the less of it is counting: of the math functions of float32, sines and cosines just fit in.
_MOST_COMPUTED = 180
_COMPUTES = frozenset({"fadd", "fsub", "fmul", "fdiv"})
# What may happen in a round beside loads: it keeps its order.
_CHANGES = (abi.STORES, abi.ATOMICS)


def run(function: Function, context: Context) -> None:
    """Unroll the loops that may be and are worth it."""
    written: WrittenArrays | None = None
    for loop in counted_loops(function):
        if loop.rounds is not None and loop.rounds < ROUNDS:
            continue
        body = list(loop.instructions())
        if _only_computes(body):
            if context.profile.loads_wait and len(body) <= _MOST_COMPUTED:
                _unroll(function, loop)
            continue
        if not loop.is_straight or not any(map(_is_load, body)) or len(body) > _MOST_INSTRUCTIONS:
            continue
        effects = [i for i in body if has_effect(i)]
        if effects:
            # On a CPU, where loads do not wait, such loops get slower: llvmpipe's histograms by 8 %.
            if not context.profile.loads_wait:
                continue
            written = written or WrittenArrays(function, context)
            if not _may_load_early(loop, body, effects, written):
                continue
        _unroll(function, loop)


def _only_computes(body: list[Instruction]) -> bool:
    """Return whether a round computes with floats and does nothing else."""
    return any(i.opcode in _COMPUTES for i in body) and not any(has_effect(i) or _is_load(i) for i in body)


def _is_load(instruction: Instruction) -> bool:
    return instruction.opcode == "call" and instruction.callee.startswith(abi.LOADS)


def _may_load_early(
    loop: CountedLoop, body: list[Instruction], effects: list[Instruction], written: WrittenArrays
) -> bool:
    """Return whether the loads of a round may be done before what the rounds in front of it do."""
    if not all(i.opcode == "call" and i.callee.startswith(_CHANGES) for i in effects):
        return False
    loads = [i for i in body if _is_load(i)]
    if any(i.opcode == "load" for i in body) or any(written.may_change(i.operands[0]) for i in loads):
        return False
    return _needed(loads, {*body, *loop.header.phis()}).isdisjoint(effects)


def _needed(wanted: list[Instruction], inside: set[Instruction]) -> set[Instruction]:
    """Return those instructions that others need, with these themselves."""
    needed = set(wanted)
    pending = list(wanted)
    while pending:
        for operand in pending.pop().operands:
            if isinstance(operand, Instruction) and operand in inside and operand not in needed:
                needed.add(operand)
                pending.append(operand)
    return needed


def _unroll(function: Function, loop: CountedLoop) -> None:
    """Put a loop of several rounds in front of one."""
    header = loop.header
    location = loop.counter.location
    enter, head, rounds = (Block(f"{header.name}.{part}") for part in ("enter", "several", "rounds"))
    phis = list(header.phis())
    heads: dict[Value, Value] = {}
    for phi in phis:
        heads[phi] = merged = Instruction("phi", phi.type, name=phi.name, location=phi.location)
        head.instructions.append(merged)
        merged.operands, merged.targets = [_entering(phi, loop, enter)], [enter]
    outside, inside = Builder(enter.instructions, location), Builder(head.instructions, location)
    condition = loop.condition(outside, inside, heads[loop.counter], ROUNDS)
    outside.branch(head)
    inside.branch_if(condition, rounds, header)
    for block in loop.entries:
        block.terminator.targets = [
            enter if target is header else target for target in block.terminator.targets
        ]
    last, copies = (_copy_straight if loop.is_straight else _copy_branching)(rounds, loop, heads)
    Builder(copies[-1].instructions, location).branch(head)
    for phi in phis:
        merged = heads[phi]
        assert isinstance(merged, Instruction)
        merged.operands.append(last[phi])
        merged.targets.append(copies[-1])
        merge_incoming(phi, loop.entries, head, merged)
    function.blocks[(place := function.blocks.index(header)) : place] = [enter, head, *copies]


def _entering(phi: Instruction, loop: CountedLoop, enter: Block) -> Value:
    """Return what a phi of the header is at first; where control comes from several blocks, a phi of ``enter``."""
    values = [phi.incoming(block) for block in loop.entries]
    if len(values) == 1:
        return values[0]
    merged = Instruction("phi", phi.type, values, targets=list(loop.entries), location=phi.location)
    enter.instructions.append(merged)
    return merged


def _copy_branching(
    rounds: Block, loop: CountedLoop, first: dict[Value, Value]
) -> tuple[dict[Value, Value], list[Block]]:
    """Write several rounds with their branches; as `_copy_straight`."""
    values, written, members = dict(first), list[Block](), set(loop.blocks)
    following, latch = loop.following(), loop.blocks[-1]
    begin = rounds
    for number in range(1, ROUNDS + 1):
        copies = {b: Block(f"{b.name}.round{number}") for b in loop.blocks} | {loop.header: begin}
        for block, target in copies.items():
            for i in block.instructions:
                if i in first or (i.is_terminator and block is latch):
                    continue
                copy = copy_of(i)
                if i.is_terminator and not members.issuperset(i.targets):
                    (inside,) = members.intersection(i.targets)
                    Builder(target.instructions, i.location).branch(copies[inside])
                    continue
                copy.operands = [values.get(operand, operand) for operand in copy.operands]
                copy.targets = [copies[t] for t in copy.targets]
                values[i] = copy
                target.instructions.append(copy)
        written += copies.values()
        values |= {phi: values.get(value, value) for phi, value in following.items()}
        begin = Block(f"{rounds.name}.{number}")
        if number < ROUNDS:
            Builder(written[-1].instructions, latch.terminator.location).branch(begin)
    return {phi: values[phi] for phi in first}, written


def _copy_straight(
    rounds: Block, loop: CountedLoop, first: dict[Value, Value]
) -> tuple[dict[Value, Value], list[Block]]:
    """Write several rounds, from what the phis of the header are in the first one.

    Return what they are after them, and the blocks.
    """
    values = dict(first)
    copies: list[Instruction] = []
    following = loop.following()
    # What counts evenly is counted from the start: one addition is easier to see through than one upon the other.
    counted = {i: phi for phi, i in following.items() if _counts_evenly(phi, i)}
    for number in range(1, ROUNDS + 1):
        for block in loop.blocks:
            for i in block.instructions:
                if i.is_terminator or i in first:
                    continue
                if i.opcode == "phi":
                    values[i] = values.get(i.operands[0], i.operands[0])
                    continue
                copy = copy_of(i)
                copy.operands = [values.get(operand, operand) for operand in copy.operands]
                if i in counted:
                    _count_from(copy, first[counted[i]], number)
                values[i] = copy
                copies.append(copy)
        values |= {phi: values.get(value, value) for phi, value in following.items()}
    rounds.instructions += _loads_first(copies)
    return {phi: values[phi] for phi in first}, [rounds]


def _counts_evenly(phi: Value, following: Value) -> bool:
    """Return whether a phi grows by the same constant in each round."""
    return (
        isinstance(following, Instruction)
        and following.opcode == "add"
        and following.operands[0] is phi
        and isinstance(following.operands[1], Constant)
    )


def _count_from(addition: Instruction, start: Value, number: int) -> None:
    """Let an addition of a step be that of several."""
    step = addition.operands[1]
    assert isinstance(step, Constant)
    assert isinstance(step.type, IntType)
    addition.operands = [start, constant(step.type, number * step.value)]
    addition.flags = frozenset()  # they say nothing of a product that may wrap


def _loads_first(instructions: list[Instruction]) -> list[Instruction]:
    """Move loads and what they need up: first those whose addresses need no load, then those that need these."""
    inside = set(instructions)
    needed = _needed([i for i in instructions if _is_load(i)], inside)
    # How many loads an instruction comes after, one behind the other.
    level: dict[Value, int] = {}
    after: dict[Value, int] = {}
    for i in instructions:
        level[i] = max((after[operand] for operand in i.operands if operand in after), default=0)
        after[i] = level[i] + _is_load(i)
    early = sorted((i for i in instructions if i in needed), key=level.__getitem__)
    return [*early, *(i for i in instructions if i not in needed)]
