"""Make choices of branches around which there is little to skip.

LLVM leaves a branch where more than two values depend on it, even if there is nothing to compute on either way.
Invocations of a subgroup that part there run one after the other, and on CPUs masks are kept; a choice costs an
instruction for each value.
"""

from __future__ import annotations

from itertools import islice

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Block, Function, Instruction, Value
from ..llvmir.types import FloatType, IntType
from .blocks import merge_incoming, retarget_phis
from .passes import Context
from .rewriting import replace_uses

__all__ = ["is_free", "may_run_anyway", "run"]

# How many instructions, those that only rename bits apart, both ways may have together, and how many values may
# depend on the branch.
_MOST_INSTRUCTIONS = 6
_MOST_VALUES = 8
_FREE = frozenset({"bitcast", "fneg"})
_CHEAP = _FREE | frozenset(
    "add sub mul and or xor shl lshr ashr icmp fcmp select trunc zext sext fadd fsub fmul sitofp uitofp".split()
)
_CHEAP_CALLS = frozenset({"llvm.fma.f32", "llvm.fma.f64", "llvm.fabs.f32", "llvm.fabs.f64", abi.MULHI_U32})


def run(function: Function, context: Context) -> None:
    """Replace branches over a few instructions without effects by selects."""
    predecessors = dict.fromkeys(function.blocks, 0)
    for block in function.blocks:
        for target in block.instructions[-1].targets:
            predecessors[target] += 1
    replacements: dict[Value, Value] = {}
    removed: set[Block] = set()
    # Inner branches come after outer ones, which may become ones over a few instructions by them.
    for block in reversed(function.blocks):
        while block not in removed and (sides := _sides(block, predecessors)) is not None:
            _choose(block, sides, predecessors, replacements, removed)
    if removed:
        function.blocks = [block for block in function.blocks if block not in removed]
        replace_uses(function, replacements)


def _sides(block: Block, predecessors: dict[Block, int]) -> tuple[Block | None, Block | None, Block] | None:
    """Return the blocks on both ways of a branch that is to be a choice, None for an empty way, and where they meet."""
    branch = block.instructions[-1]
    if branch.opcode != "br" or len(branch.targets) != 2 or branch.targets[0] is branch.targets[1]:
        return None
    ends = [_skipped_to(target, predecessors) for target in branch.targets]
    left, right = branch.targets
    if ends[0] is not None and ends[0] is ends[1]:
        found = left, right, ends[0]
    elif ends[0] is right:
        found = left, None, right
    elif ends[1] is left:
        found = None, right, left
    else:
        return None
    phis = list(found[2].phis())
    skipped = [i for side in found[:2] if side is not None for i in side.instructions[:-1]]
    costly = (i for i in skipped if not is_free(i))
    is_cheap = len(list(islice(costly, _MOST_INSTRUCTIONS + 1))) <= _MOST_INSTRUCTIONS
    has_values = len(phis) <= _MOST_VALUES and all(isinstance(p.type, IntType | FloatType) for p in phis)
    is_loop = found[2] is block
    return found if is_cheap and has_values and not is_loop and all(map(may_run_anyway, skipped)) else None


def _skipped_to(side: Block, predecessors: dict[Block, int]) -> Block | None:
    """Return where a block goes that can be left out on the way."""
    end = side.instructions[-1]
    is_simple = predecessors[side] == 1 and end.opcode == "br" and len(end.targets) == 1
    return end.targets[0] if is_simple and not any(side.phis()) else None


def is_free(instruction: Instruction) -> bool:
    """Whether an instruction only renames bits."""
    return instruction.opcode in _FREE


def may_run_anyway(instruction: Instruction) -> bool:
    """Whether nothing is lost when an instruction runs without need."""
    if instruction.opcode == "call":
        return instruction.callee in _CHEAP_CALLS
    return instruction.opcode in _CHEAP


def _choose(
    block: Block,
    sides: tuple[Block | None, Block | None, Block],
    predecessors: dict[Block, int],
    replacements: dict[Value, Value],
    removed: set[Block],
) -> None:
    """Put both ways into the block in front of them, and choose between what they give."""
    left, right, meeting = sides
    branch = block.instructions.pop()
    (condition,) = branch.operands
    for side in (left, right):
        if side is not None:
            block.instructions += side.instructions[:-1]
            removed.add(side)
    b = Builder(block.instructions, branch.location)
    sources = [left or block, right or block]
    for phi in meeting.phis():
        merge_incoming(phi, sources, block, b.select(condition, *map(phi.incoming, sources)))
    b.branch(meeting)
    predecessors[meeting] -= 1
    if predecessors[meeting] == 1:
        _append(block, meeting, replacements)
        removed.add(meeting)


def _append(block: Block, after: Block, replacements: dict[Value, Value]) -> None:
    """Put the instructions of the only block that follows another, and that only it leads to, behind it."""
    phis = list(after.phis())
    for phi in phis:
        replacements[phi] = phi.operands[0]
    block.instructions[-1:] = after.instructions[len(phis) :]
    for successor in dict.fromkeys(block.successors):
        retarget_phis(successor, after, block)
