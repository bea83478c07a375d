"""Atomic operations on wide arrays get the names of the others: from here on an index tells its width itself."""

from __future__ import annotations

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Function, Instruction
from ..llvmir.types import I32
from .passes import Context

__all__ = ["run"]

_NAMES = {
    row.name: row.name.removesuffix(abi.WIDE_INDEX)
    for row in abi.PLACEHOLDERS.values()
    if row.name.startswith(abi.ATOMICS) and row.name.endswith(abi.WIDE_INDEX)
}


def run(function: Function, context: Context) -> None:
    """Leave no name that ends in the width of an index; without int64 no array needs more than 32 bits of it."""
    if not any(i.callee in _NAMES for i in function.calls()):
        return
    for block in function.blocks:
        if not any(i.opcode == "call" and i.callee in _NAMES for i in block.instructions):
            continue
        written: list[Instruction] = []
        for i in block.instructions:
            if i.opcode == "call" and i.callee in _NAMES:
                i.detail = _NAMES[i.callee]
                if not context.profile.int64:
                    b = Builder(written, i.location)
                    i.operands[1] = b.cast("trunc", i.operands[1], I32)
            written.append(i)
        block.instructions = written
