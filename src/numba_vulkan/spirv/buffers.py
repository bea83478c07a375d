"""Storage buffers and push constants: their declarations, and pointers into them."""

from __future__ import annotations

from .. import abi
from ..kernel import KernelInterface, Variant, storage_of
from ..llvmir.types import F16, I8, I16, I32, Type
from ._tables import Capability, Decoration, Op, StorageClass
from .module import Module
from .types import ELEMENT_TYPES, Types

__all__ = ["Buffers"]


_CAPABILITIES: dict[Type, int] = {
    I8: Capability.StorageBuffer8BitAccess,
    I16: Capability.StorageBuffer16BitAccess,
    F16: Capability.StorageBuffer16BitAccess,
}


class Buffers:
    """The memory that a kernel reaches from outside; declares what is used.

    Attributes
    ----------
    elements : dict
        The type of the elements of each binding, as the shader declares it.
    written, loaded : set of int
        The bindings that the kernel writes, and those that it loads from otherwise than atomically.
    """

    def __init__(
        self,
        module: Module,
        types: Types,
        interface: KernelInterface,
        variant: Variant,
        atomic_elements: dict[int, str],
    ) -> None:
        self._module = module
        self._types = types
        self._variant = variant
        self._block = interface.block
        self.elements: dict[int, Type] = {abi.STATUS_BINDING: I32}
        self._element_bytes: dict[Type, int] = {I32: 4}
        for array in interface.arrays:
            storage = atomic_elements.get(array.binding, storage_of(array.element, variant.profile).type)
            self.elements[array.binding] = ELEMENT_TYPES[storage]
            self._element_bytes[ELEMENT_TYPES[storage]] = abi.ELEMENT_BYTES[storage]
        self.written: set[int] = set()
        self.loaded: set[int] = set()
        self._variables: dict[int, int] = {}
        self._arrays: dict[Type, int] = {}
        self._push_constants = 0

    @property
    def used(self) -> frozenset[int]:
        """The bindings that the module declares."""
        return frozenset(self._variables)

    def variable(self, binding: int) -> int:
        """Return the id of the variable of a binding."""
        found = self._variables.get(binding)
        if found is None:
            # A structure of its own for each binding: NVIDIA's driver (580.159) takes NonWritable on one variable for
            # all variables of its type, and then reads elements that the kernel has just written from a cache that
            # does not see them. Held by tests/device/test_control_flow_shapes.py, test_stores_stay_in_order.
            struct_id = self._declare_block(self._array(self.elements[binding]))
            pointer_id = self._types.pointer(StorageClass.StorageBuffer, struct_id)
            found = self._module.declare_variable(pointer_id, StorageClass.StorageBuffer)
            self._variables[binding] = found
        return found

    def _array(self, element: Type) -> int:
        """Return the id of the type of an array of unknown length."""
        if element not in self._arrays:
            if element in _CAPABILITIES:
                self._module.capabilities.add(_CAPABILITIES[element])
            array_id = self._module.declare(Op.TypeRuntimeArray, self._types.of(element))
            self._module.decorate(array_id, Decoration.ArrayStride, self._element_bytes[element])
            self._arrays[element] = array_id
        return self._arrays[element]

    def _declare_block(self, array_id: int) -> int:
        """Declare a block with one member."""
        struct_id = self._module.declare(Op.TypeStruct, array_id)
        self._module.decorate(struct_id, Decoration.Block)
        self._module.decorate_member(struct_id, 0, Decoration.Offset, 0)
        return struct_id

    def element_pointer(self, binding: int) -> int:
        """Return the id of the type of pointers to elements of a binding."""
        return self._types.pointer(StorageClass.StorageBuffer, self._types.of(self.elements[binding]))

    def parameter_word(self, offset_words: int) -> tuple[int, int, int, int]:
        """Return the operands of the access chain to a word of the parameter block, its result type first."""
        zero_id = self._types.word(0)
        if not self._block.in_push_constants:
            word_id = self._types.word(abi.STATUS_WORDS + offset_words)
            return (
                self.element_pointer(abi.STATUS_BINDING),
                self.variable(abi.STATUS_BINDING),
                zero_id,
                word_id,
            )
        if not self._push_constants:
            array_id = self._module.declare(
                Op.TypeArray, self._types.of(I32), self._types.word(self._block.size_words)
            )
            self._module.decorate(array_id, Decoration.ArrayStride, 4)
            pointer_id = self._types.pointer(StorageClass.PushConstant, self._declare_block(array_id))
            self._push_constants = self._module.declare_variable(pointer_id, StorageClass.PushConstant)
        word_pointer_id = self._types.pointer(StorageClass.PushConstant, self._types.of(I32))
        return word_pointer_id, self._push_constants, zero_id, self._types.word(offset_words)

    def finish(self, is_ordered: bool) -> None:
        """Name and decorate the variables, once it is known what is written, and whether the kernel orders that."""
        arrays = self._variables.keys() - {abi.STATUS_BINDING}
        # Of two arrays that are only read, neither can change under the other.
        may_alias = self._variant.aliased and len(arrays) > 1 and not arrays.isdisjoint(self.written)
        # What one invocation has written another can only see in memory that caches keep coherent.
        seen = self.loaded if may_alias else self.loaded & self.written
        for binding, variable_id in sorted(self._variables.items()):
            is_array = binding in arrays
            self._module.name(variable_id, f"argument{binding - 1}" if is_array else "status")
            self._module.decorate(variable_id, Decoration.DescriptorSet, 0)
            self._module.decorate(variable_id, Decoration.Binding, binding)
            aliased = is_array and may_alias
            self._module.decorate(variable_id, Decoration.Aliased if aliased else Decoration.Restrict)
            if is_ordered and is_array and (seen if may_alias else binding in seen):
                self._module.decorate(variable_id, Decoration.Coherent)
            if binding not in self.written:
                self._module.decorate(variable_id, Decoration.NonWritable)
        if self._push_constants:
            self._module.name(self._push_constants, "parameters")
