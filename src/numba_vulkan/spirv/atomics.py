"""Atomic operations on elements of arrays."""

from __future__ import annotations

from .. import abi
from ..llvmir.model import Constant, Function, Instruction
from ..llvmir.types import I64, VOID, FloatType
from ..storage import ELEMENT_TYPES
from ._tables import Capability, MemorySemantics, Op, Scope
from .access import Access
from .context import Context
from .order import Order

__all__ = ["CALLS", "Atomics", "atomic_elements"]

_OPCODES: dict[str, int] = {
    "load": Op.AtomicLoad,
    "store": Op.AtomicStore,
    "exchange": Op.AtomicExchange,
    "cas": Op.AtomicCompareExchange,
    # These only passes write.
    abi.ATOMIC_PEEK: Op.AtomicLoad,
    abi.ATOMIC_SWAP: Op.AtomicCompareExchange,
    "add": Op.AtomicIAdd,
    "fadd": Op.AtomicFAddEXT,
    "smin": Op.AtomicSMin,
    "umin": Op.AtomicUMin,
    "smax": Op.AtomicSMax,
    "umax": Op.AtomicUMax,
    "and": Op.AtomicAnd,
    "or": Op.AtomicOr,
    "xor": Op.AtomicXor,
}
_FLOAT_ADD = {"f32": Capability.AtomicFloat32AddEXT, "f64": Capability.AtomicFloat64AddEXT}
_FLOAT_ADD_EXTENSION = "SPV_EXT_shader_atomic_float_add"


def atomic_elements(function: Function) -> dict[int, set[str]]:
    """Return the elements that atomic operations work on, by the binding of the array."""
    found: dict[int, set[str]] = {}
    for i in function.calls(abi.ATOMICS):
        binding = i.operands[0]
        if isinstance(binding, Constant):
            found.setdefault(binding.value, set()).add(i.callee.split(".")[3])
    return found


class Atomics:
    """Writes atomic operations, those of `CALLS`."""

    def __init__(self, context: Context, access: Access, order: Order) -> None:
        self._context = context
        self._access = access
        self._order = order

    def write(self, operation: str, element: str, instruction: Instruction) -> None:
        """Write an operation."""
        context, word = self._context, self._context.types.word
        opcode = _OPCODES[operation]
        self._declare_needs(operation, element, instruction)
        values = [context.operand(value, instruction) for value in instruction.operands[2:]]
        pointer_id = self._access.element(instruction, element)
        is_shared = context.constant_operand(instruction, 0, "the binding") >= abi.SHARED_BASE
        order = self._order.atomic(operation)
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


# The operation and the element that each placeholder names.
CALLS: dict[str, tuple[str, str]] = {
    abi.atomic_name(operation, element): (operation, element)
    for operation in _OPCODES
    for element in ("i32", "i64", "f32", "f64")
}
