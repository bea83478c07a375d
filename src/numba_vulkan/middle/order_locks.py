"""Atomic operations that loops wait for order memory, whatever the operation: they take locks and give them back.

What one invocation wrote in a critical section the next one must see. `cas` and `exch` order memory themselves, the
other operations do not, for counters must not pay for it. But with `or_` and `and_` one can make a lock as well: on an
NVIDIA H200 its critical sections then read what caches held, and of 150 sums 64 were left. So an operation on an array
on which a loop waits has a fence before it, for what it gives back, and one behind it, for what it takes. Kernels in
which invocations see nothing of each other, as their plain accesses share no array, stay as they are. Held by
tests/device/test_locks.py.
"""

from __future__ import annotations

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Constant, Function, Instruction
from ..llvmir.types import VOID
from .keep_locks import array_of, waited_for
from .passes import Context
from .written_arrays import LOAD, WrittenArrays

__all__ = ["run"]

# Those of `peek` and `swap` belong to one operation, which other passes have made into a loop.
_ORDERED = tuple(
    abi.atomic_name(name, "") for name in (*abi.ORDERING_ATOMICS, abi.ATOMIC_PEEK, abi.ATOMIC_SWAP)
)


def run(function: Function, context: Context) -> None:
    """Put fences around operations on locks that order nothing."""
    waited = waited_for(function)
    if not waited or not _shares_memory(function, context):
        return
    used = {operand for i in function.instructions() for operand in i.operands}
    for block in function.blocks:
        rewritten: list[Instruction] = []
        for instruction in block.instructions:
            fence = _fence_of(instruction, waited)
            around = Builder(rewritten, instruction.location)
            if fence:
                around.call(fence, VOID)
            rewritten.append(instruction)
            if fence and instruction in used:
                around.call(fence, VOID)
        block.instructions = rewritten


def _fence_of(instruction: Instruction, waited: set[int]) -> str:
    """Return the fence that an instruction needs, if it is an operation on a lock that orders nothing."""
    if instruction.opcode != "call" or not instruction.callee.startswith("nv.atomic."):
        return ""
    if instruction.callee.startswith(_ORDERED) or array_of(instruction) not in waited:
        return ""
    binding = instruction.operands[0]
    is_shared = isinstance(binding, Constant) and binding.value >= abi.SHARED_BASE
    return abi.FENCE_WORKGROUP if is_shared else abi.FENCE_DEVICE


def _shares_memory(function: Function, context: Context) -> bool:
    """Whether an invocation may read, other than by atomic operations, what another has written."""
    written = WrittenArrays(function, context)
    return any(
        i.opcode == "call" and i.callee.startswith(LOAD) and written.may_change(i.operands[0])
        for i in function.instructions()
    )
