"""Loops whose number of rounds is known when a kernel is compiled, and which of them to write out in full.

LLVM writes out what stays below 150 instructions. GPUs gain from far more: what differs between the rounds becomes
constant, and with it conditions, places in local arrays and factors. On an NVIDIA H200 (driver 580) a step of the game
of life takes 0.11 of the time with both loops over three neighbours written out, sorting 16 numbers of a local array
0.53, and sums of the numbers before each in a workgroup 0.79. Processors gain nothing, and their drivers compile what
is long slowly: llvmpipe takes up to a second for products of matrices of 4 by 4.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container

from ..llvmir.folds import FOLDS
from ..llvmir.model import Block, Constant, Function, Instruction, Value, constant
from ..llvmir.types import IntType
from .inline_math import is_math_call
from .loops import loops_of

__all__ = ["latches_to_unroll", "rounds_of"]

_MOST_ROUNDS = 64
# What a loop may become. Sorting 16 numbers takes 750; of three loops of 16 rounds, one in the other, two stay.
_MOST_INSTRUCTIONS = 1000
# What all loops of a kernel may become together; compiling takes long for what is longer.
_MOST_IN_ALL = 4000
# Of a function of the math library, which is still a call; most have more.
_INSTRUCTIONS_OF_MATH = 40
# How many instructions, one behind the other, lead from counters to the condition of a loop or to their next values.
_DEPTH = 8

_Values = dict[Value, int]
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


def latches_to_unroll(function: Function) -> list[Block]:
    """Return the blocks that lead back to the headers of the loops that are to be written out, inner loops first."""
    loops = loops_of(function)
    sizes = {block: sum(map(_size, block.instructions)) for block in function.blocks} if loops else {}
    # By how much the loops in each loop grow.
    growth = [0] * (len(loops) + 1)
    chosen: list[Block] = []
    left = _MOST_IN_ALL
    for loop in reversed(loops):
        size = sum(sizes[block] for block in loop.blocks) + growth[loop.number]
        rounds = rounds_of(loop.blocks[0], *loop.ends, set(loop.blocks)) if loop.ends else None
        grown = size * rounds if rounds else 0
        if loop.ends and 0 < grown <= min(_MOST_INSTRUCTIONS, left):
            chosen.append(loop.ends.latch)
            left -= grown - size
            growth[loop.number] += grown - size
        growth[loop.parent] += growth[loop.number]
    return chosen


def _size(instruction: Instruction) -> int:
    if instruction.opcode == "phi" or instruction.is_terminator:
        return 0
    return _INSTRUCTIONS_OF_MATH if is_math_call(instruction) else 1


def rounds_of(header: Block, latch: Block, leaving: Block, members: Container[Block]) -> int | None:
    """Return how many rounds a loop runs, the last one until it is left; None if that is not known, or too many.

    Parameters
    ----------
    header, latch : Block
        Where the loop begins, and the only block that leads back there.
    leaving : Block
        The only block from which it is left, once in each round.
    members : container of Block
        The blocks of the loop.
    """
    branch = leaving.terminator
    if branch.opcode != "br":
        return None
    stays = branch.targets[0] in members
    values: _Values = {}
    following: dict[Value, Value] = {}
    for phi in header.phis():
        first = {
            value for value, source in zip(phi.operands, phi.targets, strict=True) if source is not latch
        }
        known = _evaluated(first.pop(), {}) if len(first) == 1 else None
        if known is not None:
            values[phi] = known
            following[phi] = phi.incoming(latch)
    for rounds in range(1, _MOST_ROUNDS + 1):
        condition = _evaluated(branch.operands[0], values)
        if condition is None:
            return None
        if bool(condition) is not stays:
            return rounds
        nexts = {phi: _evaluated(value, values) for phi, value in following.items()}
        values = {phi: value for phi, value in nexts.items() if value is not None}
    return None


def _evaluated(value: Value, values: _Values, depth: int = 0) -> int | None:
    """Return the bits of an integer, given those of some; None if they are not known."""
    if isinstance(value, Constant):
        return value.value if isinstance(value.type, IntType) else None
    if value in values:
        return values[value]
    if not isinstance(value, Instruction) or not isinstance(value.type, IntType) or depth == _DEPTH:
        return None
    evaluate = _EVALUATED.get(value.opcode)
    if evaluate is None:
        return None
    operands: list[Constant] = []
    for operand in value.operands:
        bits = _evaluated(operand, values, depth + 1)
        if bits is None or not isinstance(operand.type, IntType):
            return None
        operands.append(constant(operand.type, bits))
    return constant(value.type, evaluate(value, operands)).value


def _combined(i: Instruction, operands: list[Constant]) -> int:
    return FOLDS[i.opcode](operands[0].value, operands[1].value)


def _compared(i: Instruction, operands: list[Constant]) -> int:
    left, right = ((o.signed if i.predicate[0] == "s" else o.value) for o in operands)
    return _COMPARED[i.predicate[-2:]](left, right)


_EVALUATED: dict[str, Callable[[Instruction, list[Constant]], int]] = {
    **dict.fromkeys(FOLDS, _combined),
    "ashr": lambda i, operands: operands[0].signed >> operands[1].value,
    "icmp": _compared,
    "zext": lambda i, operands: operands[0].value,
    "trunc": lambda i, operands: operands[0].value,
    "sext": lambda i, operands: operands[0].signed,
    "select": lambda i, operands: operands[1 if operands[0].value else 2].value,
}
