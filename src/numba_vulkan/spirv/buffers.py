"""Arrays in buffers, the status block and push constants: their declarations, and pointers into them.

An array is reached through the variable of its binding or, in an addressed variant, through the address that binding 0
has for it. Where one is reached as elements of several types, as records are of which some fields change atomically,
there is a variable for each type, and all of them are Aliased.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .. import abi
from ..llvmir.types import F16, I8, I16, I32, I64, Type
from ..storage import ELEMENT_TYPES, elements_in
from ._tables import AddressingModel, Capability, Decoration, MemoryAccess, Op, StorageClass
from .context import Context

__all__ = ["Buffers"]


_ELEMENT_BYTES: dict[Type, int] = {type: abi.ELEMENT_BYTES[name] for name, type in ELEMENT_TYPES.items()}
_CAPABILITIES: dict[Type, int] = {
    I8: Capability.StorageBuffer8BitAccess,
    I16: Capability.StorageBuffer16BitAccess,
    F16: Capability.StorageBuffer16BitAccess,
}


@dataclass(frozen=True)
class _Block:
    """The memory of one binding as elements of one type: a structure, and the variable or the address of that."""

    struct_id: int
    base_id: int
    storage: int

    @property
    def is_variable(self) -> bool:
        """Whether the base is the variable of a descriptor, and no address."""
        return self.storage == StorageClass.StorageBuffer


class Buffers:
    """The memory that a kernel reaches from outside; declares what is used.

    Attributes
    ----------
    elements : dict
        The types of elements as which each binding can be reached.
    written, loaded : set of int
        The bindings that the kernel writes, and those that it loads from otherwise than atomically.
    """

    def __init__(self, context: Context, atomic_elements: dict[int, set[str]]) -> None:
        self._context = context
        self._module = context.module
        self._types = context.types
        self._variant = context.variant
        self._interface = context.interface
        self.elements: dict[int, frozenset[Type]] = {abi.STATUS_BINDING: frozenset((I32,))}
        for array in context.interface.bound:
            names = elements_in(array.element, context.variant.profile)
            names |= atomic_elements.get(array.binding, set())
            self.elements[array.binding] = frozenset(ELEMENT_TYPES[name] for name in names)
        self.written: set[int] = set()
        self.loaded: set[int] = set()
        self._blocks: dict[tuple[int, Type], _Block] = {}
        self._arrays: dict[Type, int] = {}
        self._push_constants = 0

    @property
    def has_wide_indices(self) -> bool:
        """Whether elements are indexed with 64 bits.

        NVIDIA 580: the offset of an element from a pointer wraps around at 4 GiB, also with an index of 64 bits (seen
        with arrays of 6 and 9 GiB); sums of integers that become pointers are right.
        """
        return self._variant.addressed and self._variant.profile.int64

    @property
    def used(self) -> frozenset[int]:
        """The bindings that the kernel reaches."""
        return frozenset(binding for binding, _ in self._blocks)

    def element(self, binding: int, index_id: int, type: Type = I32) -> tuple[int, int, int, int]:
        """Return the operands of the access chain to an element of a type, its result type first."""
        block, types = self._block(binding, type), self._types
        pointer_type_id = types.pointer(block.storage, types.of(type))
        zero_id = types.word(0)
        if block.is_variable or not self.has_wide_indices:
            return pointer_type_id, block.base_id, zero_id, index_id
        write, type_id = self._context.write, types.of(I64)
        size_id = types.constant(I64, _ELEMENT_BYTES[type])
        address_id = write(Op.IAdd, type_id, block.base_id, write(Op.IMul, type_id, index_id, size_id))
        struct_pointer_id = types.pointer(block.storage, block.struct_id)
        return pointer_type_id, write(Op.ConvertUToPtr, struct_pointer_id, address_id), zero_id, zero_id

    def access(self, binding: int, type: Type) -> tuple[int, ...]:
        """Return the memory operands of loads and stores of elements: what an address needs is their alignment."""
        if self._block(binding, type).is_variable:
            return ()
        return MemoryAccess.Aligned, _ELEMENT_BYTES[type]

    def _block(self, binding: int, type: Type) -> _Block:
        found = self._blocks.get((binding, type))
        if found is None:
            # A structure of its own for each binding: NVIDIA's driver (580.159) takes NonWritable on one variable for
            # all variables of its type, and then reads elements that the kernel has just written from a cache that
            # does not see them. Held by tests/device/test_control_flow_shapes.py, test_stores_stay_in_order.
            struct_id = self._declare_block(self._array(type))
            is_addressed = self._variant.addressed and binding != abi.STATUS_BINDING
            made = self._address if is_addressed else self._variable
            found = self._blocks[binding, type] = made(binding, struct_id)
        return found

    def _variable(self, binding: int, struct_id: int) -> _Block:
        """Declare the variable of a descriptor."""
        pointer_id = self._types.pointer(StorageClass.StorageBuffer, struct_id)
        variable_id = self._module.declare_variable(pointer_id, StorageClass.StorageBuffer)
        return _Block(struct_id, variable_id, StorageClass.StorageBuffer)

    def _address(self, binding: int, struct_id: int) -> _Block:
        """Read an address from binding 0, at the start of the kernel: an integer, or a pointer where there is none."""
        context, types = self._context, self._types
        self._module.capabilities.add(Capability.PhysicalStorageBufferAddresses)
        self._module.addressing = AddressingModel.PhysicalStorageBuffer64
        first = self._interface.address_word(binding)
        halves = [self.status_word(word) for word in (first, first + 1)]
        storage = StorageClass.PhysicalStorageBuffer
        pair_id = context.once(Op.CompositeConstruct, types.vector(2), *halves)
        type_id = types.of(I64) if self.has_wide_indices else types.pointer(storage, struct_id)
        return _Block(struct_id, context.once(Op.Bitcast, type_id, pair_id), storage)

    def status_word(self, word: int) -> int:
        """Load a word of binding 0, at the start of the kernel."""
        context = self._context
        chain = self.element(abi.STATUS_BINDING, self._types.word(word))
        return context.once(Op.Load, self._types.of(I32), context.once(Op.AccessChain, *chain))

    def _array(self, element: Type) -> int:
        """Return the id of the type of an array of unknown length."""
        if element not in self._arrays:
            if element in _CAPABILITIES:
                self._module.capabilities.add(_CAPABILITIES[element])
            array_id = self._module.declare(Op.TypeRuntimeArray, self._types.of(element))
            self._module.decorate(array_id, Decoration.ArrayStride, _ELEMENT_BYTES[element])
            self._arrays[element] = array_id
        return self._arrays[element]

    def _declare_block(self, array_id: int) -> int:
        """Declare a block with one member."""
        struct_id = self._module.declare(Op.TypeStruct, array_id)
        self._module.decorate(struct_id, Decoration.Block)
        self._module.decorate_member(struct_id, 0, Decoration.Offset, 0)
        return struct_id

    def parameter_word(self, offset_words: int) -> int:
        """Load a word of the parameter block, at the start of the kernel."""
        context, block = self._context, self._interface.block
        if not block.in_push_constants:
            return self.status_word(abi.STATUS_WORDS + offset_words)
        types = self._types
        zero_id = types.word(0)
        if not self._push_constants:
            array_id = self._module.declare(Op.TypeArray, types.of(I32), types.word(block.size_words))
            self._module.decorate(array_id, Decoration.ArrayStride, 4)
            pointer_id = types.pointer(StorageClass.PushConstant, self._declare_block(array_id))
            self._push_constants = self._module.declare_variable(pointer_id, StorageClass.PushConstant)
        word_pointer_id = types.pointer(StorageClass.PushConstant, types.of(I32))
        chain = (word_pointer_id, self._push_constants, zero_id, types.word(offset_words))
        return context.once(Op.Load, types.of(I32), context.once(Op.AccessChain, *chain))

    def finish(self, is_ordered: bool) -> None:
        """Name and decorate what was declared, once it is known what is written, and whether the kernel orders that."""
        names = {array.binding: f"argument{array.binding - 1}" for array in self._interface.arrays}
        # Constant arrays share memory with nothing that is written.
        arrays = self.used & names.keys()
        names |= {array.binding: f"constant{k}" for k, array in enumerate(self._interface.constants)}
        # Of two arrays that are only read, neither can change under the other.
        may_alias = self._variant.aliased and len(arrays) > 1 and not arrays.isdisjoint(self.written)
        # What one invocation has written another can only see in memory that caches keep coherent.
        seen = self.loaded if may_alias else self.loaded & self.written
        variables = Counter(binding for binding, _ in self._blocks)
        for (binding, type), block in sorted(
            self._blocks.items(), key=lambda row: (row[0][0], str(row[0][1]))
        ):
            is_array = binding in arrays
            name = names.get(binding, "status")
            self._module.name(block.base_id, name if variables[binding] == 1 else f"{name}_{type}")
            if block.is_variable:
                self._module.decorate(block.base_id, Decoration.DescriptorSet, 0)
                self._module.decorate(block.base_id, Decoration.Binding, binding)
                aliased = variables[binding] > 1 or (is_array and may_alias)
                self._module.decorate(block.base_id, Decoration.Aliased if aliased else Decoration.Restrict)
            if is_ordered and is_array and (seen if may_alias else binding in seen):
                self._decorate(block, Decoration.Coherent)
            # SwiftShader reads what is NonWritable once, though an Aliased variable of the same memory is written.
            if binding not in self.written and not (is_array and may_alias):
                self._decorate(block, Decoration.NonWritable)
        if self._push_constants:
            self._module.name(self._push_constants, "parameters")

    def _decorate(self, block: _Block, decoration: int) -> None:
        """Say how memory is accessed: of a variable, or of the member of what an address points to."""
        if block.is_variable:
            self._module.decorate(block.base_id, decoration)
        else:
            self._module.decorate_member(block.struct_id, 0, decoration)
