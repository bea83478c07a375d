"""Atomic operations that decide where a kernel goes order memory, whatever the operation: they take locks.

What one invocation wrote in a critical section the next one must see. `cas` and `exch` order memory themselves, the
other operations do not, for counters must not pay for it. But with `or_` and `and_` one can make a lock as well: on an
NVIDIA H200 its critical sections then read what caches held, and of 150 sums 64 were left. So where a branch follows
from what an operation returned, all operations on that array have a fence before them, for what they give back, and one
behind, for what they take. Kernels in which no invocation reads what another has written stay as they are. Held by
tests/device/test_locks.py.
"""

from __future__ import annotations

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Function, Instruction
from ..llvmir.types import VOID
from .blocks import behind
from .keep_locks import array_of, is_atomic
from .passes import Context
from .written_arrays import WrittenArrays

__all__ = ["run"]

# Those of `peek` and `swap` belong to one operation, which other passes have made into a loop.
_ORDERED = tuple(
    abi.atomic_name(name, "") for name in (*abi.ORDERING_ATOMICS, abi.ATOMIC_PEEK, abi.ATOMIC_SWAP)
)


def run(function: Function, context: Context) -> None:
    """Put fences around operations on locks that order nothing."""
    if not any(map(is_atomic, function.calls())):
        return
    deciding = _deciding_arrays(function)
    if not deciding or not _shares_memory(function, context):
        return
    used = {operand for i in function.instructions() for operand in i.operands}
    for block in function.blocks:
        rewritten: list[Instruction] = []
        for instruction in block.instructions:
            fence = _fence_of(instruction, deciding)
            around = Builder(rewritten, instruction.location)
            if fence:
                around.call(fence, VOID)
            rewritten.append(instruction)
            if fence and instruction in used:
                around.call(fence, VOID)
        block.instructions = rewritten


def _deciding_arrays(function: Function) -> set[int]:
    """Return the arrays whose atomic operations decide a branch."""
    return {array_of(i) for i in behind(block.terminator for block in function.blocks) if is_atomic(i)}


def _fence_of(instruction: Instruction, deciding: set[int]) -> str:
    """Return the fence that an instruction needs, if it is an operation on a lock that orders nothing."""
    if not is_atomic(instruction) or instruction.callee.startswith(_ORDERED):
        return ""
    binding = array_of(instruction)
    if binding not in deciding:
        return ""
    return abi.FENCE_WORKGROUP if binding >= abi.SHARED_BASE else abi.FENCE_DEVICE


def _shares_memory(function: Function, context: Context) -> bool:
    """Whether an invocation may read, other than by atomic operations, what another has written."""
    written = WrittenArrays(function, context)
    return any(written.may_change(i.operands[0]) for i in function.calls(abi.LOADS))
