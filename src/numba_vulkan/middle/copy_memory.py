"""Expand copies and fills of variables into loads and stores of the scalars that the kernel uses there."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from ..llvmir.build import Builder
from ..llvmir.model import Constant, Function, Instruction, Value, constant
from ..llvmir.types import I8, I64, PTR, FloatType, IntType, Type
from .intrinsics import MEMORY_STEMS, intrinsic_stem
from .layout import leaves, size_bytes
from .memory import Address, Memory, is_foreign
from .rewriting import unsupported

__all__ = ["expand_copies"]

# Beyond this a loop would be the right code, and a kernel with such tuples is slow for other reasons.
_MOST_SCALARS = 256


@dataclass(frozen=True)
class _Copy:
    """A call that copies or fills ``size_bytes`` bytes; a fill has no source."""

    call: Instruction
    size_bytes: int
    target: Address
    source: Address | None

    @property
    def ends(self) -> list[Address]:
        """The places that the call reads and writes."""
        return [self.target] if self.source is None else [self.target, self.source]


def expand_copies(function: Function, memory: Memory) -> None:
    """Replace memcpy, memmove and memset of variables."""
    calls = [i for i in function.calls("llvm.") if intrinsic_stem(i.callee) in MEMORY_STEMS]
    if not calls:
        return
    copies = {call: _read(call, memory) for call in calls}
    fields = _Fields(function, memory, list(copies.values()))
    for block in function.blocks:
        rewritten: list[Instruction] = []
        builder = Builder(rewritten)
        for instruction in block.instructions:
            copy = copies.get(instruction)
            if copy is None:
                rewritten.append(instruction)
            else:
                builder.location = instruction.location
                _expand(builder, copy, fields, memory)
        block.instructions = rewritten


def _read(call: Instruction, memory: Memory) -> _Copy:
    target, source, size = call.operands[:3]
    if not isinstance(size, Constant):
        raise unsupported("copying a number of bytes that is known only at run time", call, memory.context)
    is_fill = source.type is not PTR
    if is_fill and not isinstance(source, Constant):
        raise unsupported("filling memory with a byte that is known only at run time", call, memory.context)
    origin = None if is_fill else memory.address(source, call)
    return _Copy(call, size.value, memory.address(target, call), origin)


class _Fields:
    """The scalars that a kernel accesses in each variable, by their offset within its elements."""

    def __init__(self, function: Function, memory: Memory, copies: list[_Copy]) -> None:
        self.memory = memory
        self.of: dict[Value, dict[int, Type]] = {root: {} for root in memory.roots}
        self.distance: dict[Value, int] = dict.fromkeys(memory.roots, 0)
        seen: list[tuple[Address, Type]] = []
        for i in function.instructions():
            if i.opcode in ("load", "store") and not is_foreign(i):
                type = i.type if i.opcode == "load" else i.operands[0].type
                seen.append((memory.address(i.operands[-1], i), type))
        for address in (*(a for a, _ in seen), *(a for copy in copies for a in copy.ends)):
            strides = (stride for _, stride in address.terms)
            self.distance[address.root] = gcd(self.distance[address.root], *strides)
        for root, distance in self.distance.items():
            self.distance[root] = distance or max(size_bytes(memory.roots[root]), 1)
        for address, type in seen:
            self._add(address, 0, type)
        # Copies of copies: what is accessed in one variable is copied in all of them.
        for _ in copies:
            for copy in copies:
                for offset, type in self.within(copy):
                    for end in copy.ends:
                        self._add(end, offset, type)

    def _add(self, address: Address, offset: int, type: Type) -> None:
        position = (address.constant + offset) % self.distance[address.root]
        self.of[address.root].setdefault(position, type)

    def within(self, copy: _Copy) -> list[tuple[int, Type]]:
        """Return the scalars among the bytes that a call copies, by offset from their first."""
        found: dict[int, Type] = {}
        for end in copy.ends:
            distance = self.distance[end.root]
            for position, type in self.of[end.root].items():
                first = (position - end.constant) % distance
                for offset in range(first, copy.size_bytes - size_bytes(type) + 1, distance):
                    found.setdefault(offset, type)
        return sorted(found.items(), key=lambda item: item[0])

    def declared(self, copy: _Copy) -> list[tuple[int, Type]]:
        """Return the scalars that the type of the target says, for memory that is otherwise not accessed."""
        start = copy.target.constant
        offsets = ((offset - start, type) for offset, type in leaves(self.memory.roots[copy.target.root]))
        return [(o, type) for o, type in offsets if o >= 0 and o + size_bytes(type) <= copy.size_bytes]


def _expand(b: Builder, copy: _Copy, fields: _Fields, memory: Memory) -> None:
    scalars = fields.within(copy) or fields.declared(copy)
    if len(scalars) > _MOST_SCALARS:
        what = f"copying {len(scalars)} numbers at once: tuples inside kernels can have {_MOST_SCALARS}"
        raise unsupported(what, copy.call, memory.context)
    target, source = copy.call.operands[:2]
    values: list[Value] = []
    for offset, type in scalars:
        assert isinstance(type, IntType | FloatType)
        if isinstance(source, Constant):
            values.append(constant(type, int.from_bytes(bytes([source.value]) * size_bytes(type), "little")))
        else:
            values.append(b.load(_at(b, source, offset), type))
    # All loads come first, because the source of memmove may overlap the target.
    for (offset, _), value in zip(scalars, values, strict=True):
        b.store(value, _at(b, target, offset))


def _at(b: Builder, pointer: Value, offset: int) -> Value:
    if offset == 0:
        return pointer
    return b.emit(Instruction("getelementptr", PTR, [pointer, constant(I64, offset)], detail=I8))
