"""Arrays that a workgroup shares, and the placeholders of barriers and fences."""

from __future__ import annotations

from functools import partial

from .. import abi
from ..formulas import FORMULA_OPERATIONS, Formula
from ..kernel import FIRST_LENGTH
from ..llvmir.model import Constant, Instruction, Value
from ..llvmir.operations import operation_of
from ..llvmir.types import F16, I8, I16, I32, IntType, Type, array_type
from ..storage import ELEMENT_TYPES
from ._tables import Capability, Decoration, Op, Scope, StorageClass
from .context import Context
from .order import Order

__all__ = ["Workgroup"]

# What computing with a type needs; without layouts that is what variables of a workgroup need too.
_CAPABILITIES: dict[Type, int] = {I8: Capability.Int8, I16: Capability.Int16, F16: Capability.Float16}


class Workgroup:
    """Writes what invocations of a workgroup have in common; ``calls`` has a row per placeholder.

    Attributes
    ----------
    elements : dict
        The types of elements as which each shared array can be reached, which is one, by the number that stands for
        its binding.
    size_bytes : int
        The memory that the arrays of constant length take.
    lengths : list of (Formula, int)
        The lengths of the others, with the bytes of an element.
    """

    def __init__(self, context: Context, order: Order) -> None:
        self._context = context
        self._variables: dict[int, int] = {}
        self.elements: dict[int, frozenset[Type]] = {}
        self.size_bytes = 0
        self.lengths: list[tuple[Formula, int]] = []
        self.calls = {
            **{abi.workgroup_name(element): partial(self._declare, element) for element in ELEMENT_TYPES},
            abi.BARRIER: partial(order.barrier, True),
            abi.SHARED_BARRIER: partial(order.barrier, False),
            abi.FENCE_WORKGROUP: partial(order.fence, Scope.Workgroup),
            abi.FENCE_DEVICE: partial(order.fence, Scope.Device),
        }

    def _declare(self, element: str, instruction: Instruction) -> None:
        """Declare a shared array."""
        context, type = self._context, ELEMENT_TYPES[element]
        binding = context.constant_operand(instruction, 0, "the number of a shared array")
        count = instruction.operands[1]
        if type in _CAPABILITIES:
            context.module.capabilities.add(_CAPABILITIES[type])
        if isinstance(count, Constant):
            array_id = context.types.of(array_type(type, count.value))
            self.size_bytes += count.value * abi.ELEMENT_BYTES[element]
        else:
            array_id = self._specialized(type, abi.ELEMENT_BYTES[element], count, instruction)
        pointer_id = context.types.pointer(StorageClass.Workgroup, array_id)
        self._variables[binding] = context.module.declare_variable(pointer_id, StorageClass.Workgroup)
        context.module.name(self._variables[binding], f"shared{binding - abi.SHARED_BASE}")
        self.elements[binding] = frozenset((type,))

    def _specialized(self, type: Type, element_bytes: int, count: Value, user: Instruction) -> int:
        """Declare the type of an array whose length a launch computes."""
        module, types = self._context.module, self._context.types
        length_id = module.declare_value(Op.SpecConstant, types.of(I32), 1)
        module.decorate(length_id, Decoration.SpecId, FIRST_LENGTH + len(self.lengths))
        self.lengths.append((self._formula(count, user), element_bytes))
        return module.declare(Op.TypeArray, types.of(type), length_id)

    def _formula(self, value: Value, user: Instruction) -> Formula:
        """Return how a launch computes a value."""
        bits = value.type.bits if isinstance(value.type, IntType) else 0
        if isinstance(value, Constant):
            return Formula("constant", bits, value.value)
        if (
            isinstance(value, Instruction)
            and value.opcode == "call"
            and value.callee.startswith(abi.PARAMETERS)
        ):
            return Formula("parameter", bits, self._context.constant_operand(value, 0, "the offset"))
        operation = operation_of(value) if isinstance(value, Instruction) else ""
        if not isinstance(value, Instruction) or operation not in FORMULA_OPERATIONS or not bits:
            raise self._context.fault(user, "its length does not follow from parameters")
        return Formula(operation, bits, 0, tuple(self._formula(o, user) for o in value.operands))

    def element(self, binding: int, index_id: int, type: Type) -> int:
        """Write the access chain to an element and return its id."""
        types = self._context.types
        pointer_type_id = types.pointer(StorageClass.Workgroup, types.of(type))
        return self._context.write(Op.AccessChain, pointer_type_id, self._variables[binding], index_id)
