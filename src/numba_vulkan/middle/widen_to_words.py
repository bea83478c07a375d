"""Arrays whose elements are accessed as several types become arrays of words.

A view with another dtype is an access of another type to the same buffer; a shader declares each buffer once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Constant, Function, Instruction, Value
from .passes import Context
from .place_shared import made_elements

__all__ = ["run"]

# Where an access names its element.
_ACCESSES = {abi.LOADS: 2, abi.STORES: 2, abi.ATOMICS: 3}
_DECLARATIONS = {
    name_of(element): (element, name_of(abi.WORDS))
    for name_of in (abi.workgroup_name, abi.local_variable_name)
    for element in abi.ELEMENTS
}


def run(function: Function, context: Context) -> Context:
    """Leave accesses of the declared type, and of any to arrays of words."""
    interface = context.interface
    declared = {array.binding: array.element for array in interface.bound}
    declared.update(made_elements(function))
    mixed = {
        binding
        for binding, element in _accessed(function)
        if declared.get(binding, element) not in (element, abi.WORDS)
    }
    if not mixed:
        return context
    _declare(function, mixed)
    arguments = tuple(
        replace(a, element=abi.WORDS) if a in interface.arrays and a.binding in mixed else a
        for a in interface.arguments
    )
    constants = tuple(replace(a, element=abi.WORDS) if a.binding in mixed else a for a in interface.constants)
    return replace(context, interface=replace(interface, arguments=arguments, constants=constants))


def _accessed(function: Function) -> Iterator[tuple[int, str]]:
    """Yield the binding of each access, and as what it is accessed."""
    for i in function.calls():
        if not i.operands or not isinstance(i.operands[0], Constant):
            continue
        name = i.callee
        if name in abi.WORD_ATOMICS:
            yield i.operands[0].value, abi.WORDS
        for prefix, part in _ACCESSES.items():
            if name.startswith(prefix):
                element, place = abi.place_of(name.split(".")[part])
                yield i.operands[0].value, abi.WORDS if place else abi.stored_element(element)


def _declare(function: Function, mixed: set[int]) -> None:
    """Let the kernel make arrays of as many words as hold its elements."""
    written: list[Instruction] = []
    b = Builder(written)
    for i in function.entry.instructions:
        found = _DECLARATIONS.get(i.callee) if i.opcode == "call" else None
        binding = i.operands[0] if found else None
        if found and isinstance(binding, Constant) and binding.value in mixed:
            element, i.detail = found
            b.location = i.location
            i.operands[1] = _words(b, i.operands[1], abi.ELEMENT_BYTES[element])
        written.append(i)
    function.entry.instructions = written


def _words(b: Builder, count: Value, size: int) -> Value:
    """Return how many words hold some elements."""
    if size >= 4:
        return b.binary("shl", count, b.i32(size.bit_length() - 3))
    per_word = 4 // size
    return b.binary("lshr", b.binary("add", count, b.i32(per_word - 1)), b.i32(per_word.bit_length() - 1))
