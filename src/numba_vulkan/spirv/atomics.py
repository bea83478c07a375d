"""Atomic operations on elements of arrays, and the memory that they order."""

from __future__ import annotations

from functools import partial

from .. import abi
from ..llvmir.model import Constant, Function, Instruction
from ..llvmir.types import I64, VOID, FloatType
from ._tables import Capability, MemorySemantics, Op, Scope
from .access import Access
from .context import Context
from .types import ELEMENT_TYPES

__all__ = ["Atomics", "atomic_elements"]

# Operation: opcode and what it orders; the operations that only passes write order nothing.
_RELAXED = MemorySemantics.Relaxed
_OPERATIONS: dict[str, tuple[int, int]] = {
    "load": (Op.AtomicLoad, MemorySemantics.Acquire),
    "store": (Op.AtomicStore, MemorySemantics.Release),
    "exchange": (Op.AtomicExchange, MemorySemantics.AcquireRelease),
    "cas": (Op.AtomicCompareExchange, MemorySemantics.AcquireRelease),
    abi.ATOMIC_PEEK: (Op.AtomicLoad, _RELAXED),
    abi.ATOMIC_SWAP: (Op.AtomicCompareExchange, _RELAXED),
    "add": (Op.AtomicIAdd, _RELAXED),
    "fadd": (Op.AtomicFAddEXT, _RELAXED),
    "smin": (Op.AtomicSMin, _RELAXED),
    "umin": (Op.AtomicUMin, _RELAXED),
    "smax": (Op.AtomicSMax, _RELAXED),
    "umax": (Op.AtomicUMax, _RELAXED),
    "and": (Op.AtomicAnd, _RELAXED),
    "or": (Op.AtomicOr, _RELAXED),
    "xor": (Op.AtomicXor, _RELAXED),
}
_FLOAT_ADD = {"f32": Capability.AtomicFloat32AddEXT, "f64": Capability.AtomicFloat64AddEXT}
_FLOAT_ADD_EXTENSION = "SPV_EXT_shader_atomic_float_add"


def atomic_elements(function: Function) -> dict[int, set[str]]:
    """Return the elements that atomic operations work on, by the binding of the array."""
    found: dict[int, set[str]] = {}
    for i in function.instructions():
        if i.opcode == "call" and i.callee.startswith("nv.atomic."):
            binding = i.operands[0]
            if isinstance(binding, Constant):
                found.setdefault(binding.value, set()).add(i.callee.split(".")[3])
    return found


class Atomics:
    """Writes atomic operations; ``calls`` has a row per operation and element.

    Attributes
    ----------
    orders_buffers : bool
        Whether an operation orders accesses to buffers.
    """

    def __init__(self, context: Context, access: Access) -> None:
        self._context = context
        self._access = access
        self.orders_buffers = False
        self.calls = {
            abi.atomic_name(operation, element): partial(self._write, operation, element)
            for operation in _OPERATIONS
            for element in ("i32", "i64", "f32", "f64")
        }

    def _write(self, operation: str, element: str, instruction: Instruction) -> None:
        """Write an operation."""
        context, word = self._context, self._context.types.word
        opcode, order = _OPERATIONS[operation]
        self._declare_needs(operation, element, instruction)
        values = [context.operand(value, instruction) for value in instruction.operands[2:]]
        pointer_id = self._access.element(instruction, element)
        is_shared = context.constant_operand(instruction, 0, "the binding") >= abi.SHARED_BASE
        if order:
            order |= MemorySemantics.WorkgroupMemory if is_shared else MemorySemantics.UniformMemory
            self.orders_buffers |= not is_shared
        scope_id = word(Scope.Workgroup if is_shared else Scope.Device)
        if opcode == Op.AtomicCompareExchange:
            # A failed comparison writes nothing that it could release.
            failed = order & ~MemorySemantics.AcquireRelease | MemorySemantics.Acquire if order else order
            expected_id, new_id = values
            operands = (pointer_id, scope_id, word(order), word(failed), new_id, expected_id)
        else:
            operands = (pointer_id, scope_id, word(order), *values)
        if instruction.type is VOID:
            context.code += (opcode | len(operands) + 1 << 16, *operands)
        else:
            context.ids[instruction] = context.write(opcode, context.types.of(instruction.type), *operands)
        if opcode != Op.AtomicLoad:
            self._access.note_write(instruction)

    def _declare_needs(self, operation: str, element: str, instruction: Instruction) -> None:
        """Declare the capabilities of an operation."""
        module = self._context.module
        if operation == "fadd":
            module.capabilities.add(_FLOAT_ADD[element])
            module.extensions.add(_FLOAT_ADD_EXTENSION)
        elif isinstance(ELEMENT_TYPES[element], FloatType):
            raise self._context.fault(instruction, "works on floats; it must work on their bits")
        elif ELEMENT_TYPES[element] is I64:
            module.capabilities.add(Capability.Int64Atomics)
