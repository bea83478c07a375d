"""Make the arrays of an invocation variables of the function."""

from __future__ import annotations

from collections.abc import Callable

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Constant, Function, Instruction, Value
from ..llvmir.types import I32, I64, PTR, array_type
from ..storage import ELEMENT_TYPES
from .passes import Context
from .rewriting import REMOVED, Rule, rewrite, unsupported

__all__ = ["place", "run"]

_ACCESSES = (abi.LOADS, *abi.WRITES)
_CHANGES = {abi.WORD_AND: "and", abi.WORD_OR: "or"}
_TYPES = {**ELEMENT_TYPES, abi.UNSIGNED_INTEGER: I64}


def run(function: Function, context: Context) -> None:
    """Turn accesses to local arrays into loads and stores of variables; arrays of words wait until these are known."""
    place(function, context, lambda element: element != abi.WORDS)


def place(function: Function, context: Context, concerns: Callable[[str], bool]) -> None:
    """Make the local arrays of some elements variables."""
    declared = [
        i
        for i in function.entry.instructions
        if i.opcode == "call" and i.callee in abi.LOCAL_VARIABLES and concerns(i.callee.split(".")[2])
    ]
    if declared:
        placing = _Placing(declared)
        rewrite(function, placing.rule_of, context)
        function.entry.instructions[:0] = placing.variables.values()


class _Placing:
    """The variable of each local array."""

    def __init__(self, declared: list[Instruction]) -> None:
        self.declared = set(declared)
        self.variables: dict[int, Instruction] = {}
        b = Builder([])
        for call in declared:
            binding, count = call.operands
            assert isinstance(binding, Constant)
            assert isinstance(count, Constant)
            element = call.callee.split(".")[2]
            type = I32 if element == abi.WORDS else _TYPES[element]
            b.location = call.location
            self.variables[binding.value] = b.alloca(array_type(type, count.value), "local")

    def rule_of(self, i: Instruction) -> Rule | None:
        if i.opcode != "call":
            return None
        if i in self.declared:
            return _drop
        binding = i.operands[0] if i.operands else None
        if not i.callee.startswith(_ACCESSES) or not isinstance(binding, Constant):
            return None
        return self.access if binding.value in self.variables else None

    def access(self, b: Builder, call: Instruction, context: Context) -> Value:
        _, kind, element, *_ = call.callee.split(".")
        if call.callee in _CHANGES:
            kind, element = "change", "i32"
        if kind == "atomic":
            raise unsupported(
                "this array belongs to one invocation: write to its elements directly", call, context
            )
        if call.callee in abi.EXCESS:
            return b.i32(0)  # no host sees the variable: it has the width that the kernel computes in
        binding, index, *values = call.operands
        assert isinstance(binding, Constant)
        base = self.variables[binding.value]
        address = Instruction(
            "getelementptr", PTR, [base, b.cast("trunc", index, I32)], detail=_TYPES[element]
        )
        b.emit(address)
        if kind == "change":
            # No other invocation sees the word.
            values = [b.binary(_CHANGES[call.callee], b.load(address, I32), values[0])]
        if kind != "load":
            b.store(values[0], address)
            return REMOVED
        return b.load(address, _TYPES[element])


def _drop(b: Builder, call: Instruction, context: Context) -> Value:
    return REMOVED
