"""How the accesses of a kernel to memory are ordered: barriers, fences, and what atomic operations order.

llvmpipe of Mesa 22.3 takes whatever orders memory for a barrier: a fence, or an atomic operation with semantics, that
the subgroups of a workgroup do not reach equally often ends their loops (compare and exchange in loops of 3, 2, 4 and
7 rounds: all ended after two). The probe `divergent_fence` asks for it; held by tests/device/test_divergent_fences.py.
On such a driver semantics are left out, accesses are volatile, so that it keeps and does not move them, and a fence is
an atomic operation, which this driver makes one that orders all memory.
"""

from __future__ import annotations

from .. import abi
from ..llvmir.model import Function, Instruction
from ..llvmir.types import I32, array_type
from ._tables import MemoryAccess, MemorySemantics, Op, Scope, StorageClass
from .context import Context

__all__ = ["ATOMIC_ORDERS", "Order"]

# What atomic operations order, those of `abi.ORDERING_ATOMICS`; the others order nothing.
ATOMIC_ORDERS: dict[str, int] = {
    "load": MemorySemantics.Acquire,
    "store": MemorySemantics.Release,
    "exchange": MemorySemantics.AcquireRelease,
    "cas": MemorySemantics.AcquireRelease,
}
_ALL_MEMORY = MemorySemantics.UniformMemory | MemorySemantics.WorkgroupMemory


class Order:
    """Writes barriers and fences, and says how atomic operations and other accesses are ordered.

    Attributes
    ----------
    of_buffers : bool
        Whether something orders accesses to buffers.
    shared_bytes : int
        The shared memory that fences take.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._has_fences = not context.variant.profile.fences_end_loops
        self._is_volatile = not self._has_fences and _orders_memory(context.function)
        self._words_id = 0
        self.of_buffers = False
        self.shared_bytes = 0

    def atomic(self, operation: str) -> int:
        """Return the memory semantics of an atomic operation."""
        order = ATOMIC_ORDERS.get(operation, MemorySemantics.Relaxed)
        if not order:
            return order
        # A lock in shared memory guards what lies in buffers too.
        self.of_buffers = True
        return order | _ALL_MEMORY if self._has_fences else MemorySemantics.Relaxed

    def access(self, operands: tuple[int, ...]) -> tuple[int, ...]:
        """Return the memory operands of a load or a store that has these already."""
        if not self._is_volatile:
            return operands
        mask, *rest = operands or (0,)
        return (mask | MemoryAccess.Volatile, *rest)

    def barrier(self, orders_buffers: bool, _: Instruction) -> None:
        """Wait for the workgroup, and see what it has written."""
        self.of_buffers |= orders_buffers
        memory = _ALL_MEMORY if orders_buffers else MemorySemantics.WorkgroupMemory
        word = self._context.types.word
        scope_id, order_id = word(Scope.Workgroup), word(MemorySemantics.AcquireRelease | memory)
        self._context.code += (Op.ControlBarrier | 4 << 16, scope_id, scope_id, order_id)

    def fence(self, scope: int, _: Instruction) -> None:
        """Order accesses to memory."""
        context, word = self._context, self._context.types.word
        self.of_buffers = True
        if self._has_fences:
            order_id = word(MemorySemantics.AcquireRelease | _ALL_MEMORY)
            context.code += (Op.MemoryBarrier | 3 << 16, word(scope), order_id)
            return
        operands = (self._shared_word(), word(scope), word(MemorySemantics.Relaxed), word(0))
        context.write(Op.AtomicOr, context.types.of(I32), *operands)

    def _shared_word(self) -> int:
        """Return a pointer to the word of shared memory that fences work on."""
        context, types = self._context, self._context.types
        if not self._words_id:
            array_id = types.of(array_type(I32, 1))
            pointer_id = types.pointer(StorageClass.Workgroup, array_id)
            self._words_id = context.module.declare_variable(pointer_id, StorageClass.Workgroup)
            context.module.name(self._words_id, "fence")
            self.shared_bytes = 4
        pointer_id = types.pointer(StorageClass.Workgroup, types.of(I32))
        return context.write(Op.AccessChain, pointer_id, self._words_id, types.word(0))


def _orders_memory(function: Function) -> bool:
    """Whether a kernel has fences, or atomic operations that order memory."""
    return any(
        i.callee in (abi.FENCE_WORKGROUP, abi.FENCE_DEVICE)
        or (i.callee.startswith(abi.ATOMICS) and i.callee.split(".")[2] in ATOMIC_ORDERS)
        for i in function.calls()
    )
