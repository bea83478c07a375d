"""Placeholders that reach memory outside the kernel: array elements, parameters and the status block."""

from __future__ import annotations

from functools import partial

from .. import abi
from ..llvmir.model import Constant, Instruction, Value
from ..llvmir.types import F32, F64, I1, I32, I64, Type
from ..storage import ELEMENT_TYPES
from ._tables import MemorySemantics, Op, Scope
from .buffers import Buffers
from .context import Context
from .order import Order
from .workgroup import Workgroup

__all__ = ["Access"]

_WORD_ATOMICS: dict[str, int] = {abi.WORD_AND: Op.AtomicAnd, abi.WORD_OR: Op.AtomicOr}
_LARGEST_SHORT_INDEX = 0x7FFFFFFF


class Access:
    """Writes accesses; ``calls`` has a row per placeholder.

    Attributes
    ----------
    reports_status : bool
        Whether the kernel can claim the status block.
    """

    def __init__(self, context: Context, buffers: Buffers, workgroup: Workgroup, order: Order) -> None:
        self._context = context
        self._order = order
        self._workgroup = workgroup
        self._buffers = buffers
        self._words: dict[int, int] = {}
        self._parameters: dict[tuple[Type, int], int] = {}
        self.reports_status = False
        self.calls = {
            **{abi.load_name(e, i): partial(self._load, e) for e in abi.ELEMENTS for i in abi.INDEX_TYPES},
            **{abi.store_name(e, i): partial(self._store, e) for e in abi.ELEMENTS for i in abi.INDEX_TYPES},
            **{abi.parameter_name(type): self._parameter for type in abi.PARAMETER_TYPES},
            abi.EXTENT: self._parameter,
            abi.STATUS_CLAIM: self._claim,
            abi.STATUS_PUT: self._put,
            abi.STATUS_RESERVE: self._reserve,
            **{name: partial(self._change_word, opcode) for name, opcode in _WORD_ATOMICS.items()},
        }

    def _load(self, element: str, instruction: Instruction) -> None:
        """Load an element of an array."""
        context = self._context
        pointer_id = self.element(instruction, element)
        type_id = context.types.of(ELEMENT_TYPES[element])
        context.ids[instruction] = context.write(
            Op.Load, type_id, pointer_id, *self._memory(instruction, element)
        )
        self._buffers.loaded.add(context.constant_operand(instruction, 0, "the binding"))

    def _store(self, element: str, instruction: Instruction) -> None:
        """Store an element of an array."""
        context = self._context
        value = instruction.operands[2]
        if value.type is not ELEMENT_TYPES[element]:
            raise context.fault(instruction, f"stores a {value.type}")
        value_id = context.operand(value, instruction)
        pointer_id = self.element(instruction, element)
        operands = (pointer_id, value_id, *self._memory(instruction, element))
        context.code += (Op.Store | len(operands) + 1 << 16, *operands)
        self.note_write(instruction)

    def _memory(self, instruction: Instruction, element: str) -> tuple[int, ...]:
        """Return the memory operands of a load or a store."""
        binding = self._context.constant_operand(instruction, 0, "the binding")
        is_shared = binding >= abi.SHARED_BASE
        return self._order.access(() if is_shared else self._buffers.access(binding, ELEMENT_TYPES[element]))

    def note_write(self, instruction: Instruction) -> None:
        """Remember that an array is written; shared ones are not asked."""
        binding = self._context.constant_operand(instruction, 0, "the binding")
        if binding < abi.SHARED_BASE:
            self._buffers.written.add(binding)

    def element(self, instruction: Instruction, element: str) -> int:
        """Write the access chain to an element and return its id."""
        context, buffers, type = self._context, self._buffers, ELEMENT_TYPES[element]
        binding = context.constant_operand(instruction, 0, "the binding")
        declared = (self._workgroup if binding >= abi.SHARED_BASE else buffers).elements.get(binding)
        if binding == abi.STATUS_BINDING or not declared:
            raise context.fault(instruction, f"binding {binding} belongs to no array of the kernel")
        if type not in declared:
            stored = " or ".join(sorted(map(str, declared)))
            raise context.fault(instruction, f"the elements of binding {binding} are stored as {stored}")
        is_wide = binding < abi.SHARED_BASE and buffers.has_wide_indices
        index_id = self._index(instruction.operands[1], instruction, is_wide)
        if binding >= abi.SHARED_BASE:
            return self._workgroup.element(binding, index_id, type)
        return context.write(Op.AccessChain, *buffers.element(binding, index_id, type))

    def _change_word(self, opcode: int, instruction: Instruction) -> None:
        """Change bits of a word whose other bits other invocations may change."""
        context, types = self._context, self._context.types
        mask_id = context.operand(instruction.operands[2], instruction)
        pointer_id = self.element(instruction, "i32")
        scope_id, relaxed_id = types.word(Scope.Device), types.word(MemorySemantics.Relaxed)
        context.write(opcode, types.of(I32), pointer_id, scope_id, relaxed_id, mask_id)
        self.note_write(instruction)

    def _index(self, index: Value, user: Instruction, is_wide: bool) -> int:
        """Return the id of an index, in 64 bits if it is wide; a constant one needs these only beyond 32."""
        context = self._context
        if isinstance(index, Constant) and (is_wide or index.value <= _LARGEST_SHORT_INDEX):
            return context.types.constant(I64 if is_wide else I32, index.value)
        index_id = context.operand(index, user)
        if not is_wide or index.type is I64:
            return index_id
        return context.write(Op.UConvert, context.types.of(I64), index_id)

    def _parameter(self, instruction: Instruction) -> None:
        """Read a value of the parameter block, at the start of the kernel and once."""
        context = self._context
        offset = context.constant_operand(instruction, 0, "the offset of a parameter")
        key = (instruction.type, offset)
        if key not in self._parameters:
            self._parameters[key] = self._read_parameter(instruction, offset)
        context.ids[instruction] = self._parameters[key]

    def _read_parameter(self, instruction: Instruction, offset: int) -> int:
        """Read the words of a parameter and make them its type."""
        context, type = self._context, instruction.type
        size_words = 2 if type in (I64, F64) else 1
        if offset + size_words > context.interface.block.size_words:
            raise context.fault(instruction, f"offset {offset} lies beyond the parameter block")
        if type is I32:
            return self._word(offset)
        type_id = context.types.of(type)
        if type is F32:
            return context.once(Op.Bitcast, type_id, self._word(offset))
        low_id, high_id = self._word(offset), self._word(offset + 1)
        pair_id = context.once(Op.CompositeConstruct, context.types.vector(2), low_id, high_id)
        return context.once(Op.Bitcast, type_id, pair_id)

    def _word(self, offset: int) -> int:
        """Load a word of the parameter block."""
        if offset not in self._words:
            self._words[offset] = self._buffers.parameter_word(offset)
        return self._words[offset]

    def _status_word(self, word_id: int) -> int:
        """Write the access chain to a word of the status block."""
        self._buffers.written.add(abi.STATUS_BINDING)
        return self._context.write(Op.AccessChain, *self._buffers.element(abi.STATUS_BINDING, word_id))

    def _claim(self, instruction: Instruction) -> None:
        """Try to be the first that reports: word 0 changes from 0 to the code."""
        context, types = self._context, self._context.types
        self.reports_status = True
        code_id = context.operand(instruction.operands[0], instruction)
        zero_id = types.word(0)
        pointer_id = self._status_word(zero_id)
        # Only the winner writes the payload and only the host reads it, so nothing has to be ordered.
        relaxed_id = types.word(MemorySemantics.Relaxed)
        order = (types.word(Scope.Device), relaxed_id, relaxed_id)
        found_id = context.write(
            Op.AtomicCompareExchange, types.of(I32), pointer_id, *order, code_id, zero_id
        )
        context.ids[instruction] = context.write(Op.IEqual, types.of(I1), found_id, zero_id)

    def _put(self, instruction: Instruction) -> None:
        """Write a word of the status block other than the code."""
        context = self._context
        word, value = instruction.operands
        if isinstance(word, Constant) and not 0 < word.value < abi.STATUS_WORDS:
            raise context.fault(instruction, f"word {word.value} is none of the payload")
        value_id = context.operand(value, instruction)
        pointer_id = self._status_word(context.operand(word, instruction))
        context.code += (Op.Store | 3 << 16, pointer_id, value_id)

    def _reserve(self, instruction: Instruction) -> None:
        """Take words for a print; once one has found no room, the count of used words stays as it is."""
        context, types = self._context, self._context.types
        base = context.interface.print_word
        word_id, bool_id, zero_id = types.of(I32), types.of(I1), types.word(0)
        order = (types.word(Scope.Device), types.word(MemorySemantics.Relaxed))
        count_id = context.operand(instruction.operands[0], instruction)
        used_id, size_id, lost_id = (
            self._status_word(types.word(base + word))
            for word in (abi.PRINT_USED_WORD, abi.PRINT_CAPACITY_WORD, abi.PRINT_LOST_WORD)
        )
        capacity_id = context.write(Op.Load, word_id, size_id)
        seen_id = context.write(Op.AtomicLoad, word_id, used_id, *order)
        full_id = context.write(Op.UGreaterThan, bool_id, seen_id, capacity_id)
        asked_id = context.write(Op.Select, word_id, full_id, zero_id, count_id)
        first_id = context.write(Op.AtomicIAdd, word_id, used_id, *order, asked_id)
        end_id = context.write(Op.IAdd, word_id, first_id, count_id)
        fits_id = context.write(Op.ULessThanEqual, bool_id, end_id, capacity_id)
        missing_id = context.write(Op.Select, word_id, fits_id, zero_id, types.word(1))
        context.write(Op.AtomicIAdd, word_id, lost_id, *order, missing_id)
        place_id = context.write(Op.IAdd, word_id, first_id, types.word(base + abi.PRINT_HEADER_WORDS))
        context.ids[instruction] = context.write(
            Op.Select, word_id, fits_id, place_id, types.word(0xFFFFFFFF)
        )
