"""Printer of the small IR: LLVM assembly that LLVM and `llvmir.parse` read back."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .lexer import float_text, quote_name
from .model import (
    Aggregate,
    Argument,
    Block,
    Constant,
    Function,
    GlobalArray,
    Instruction,
    Null,
    SelectionMerge,
    Undef,
    Value,
    constant,
)
from .types import I1, VOID, ArrayType, FloatType, IntType, StructType, Type

__all__ = ["print_function", "print_instruction"]

_FLAG_ORDER = (
    "volatile samesign nuw nsw exact disjoint nneg inbounds nusw fast reassoc nnan ninf nsz arcp contract afn"
).split()


def print_function(function: Function, declarations: bool = True, locations: bool = False) -> str:
    """Return a function as LLVM assembly.

    Parameters
    ----------
    function : Function
        The function; a broken one is printed as far as possible.
    declarations : bool
        Whether the functions that it calls are declared, which LLVM asks for.
    locations : bool
        Whether the user's lines stand in comments, ``; at file:line``.

    Returns
    -------
    str
        The text. Merge annotations are comments after the terminator: ``; selection %m`` and ``; loop %m %c``.
    """
    printer = _Printer(function, locations)
    lines = [printer.table(table) for table in function.globals.values()]
    lines += printer.definition()
    if declarations:
        lines += _declarations(function)
    return "\n".join(lines) + "\n"


def print_instruction(instruction: Instruction, function: Function) -> str:
    """Return one instruction of a function, for messages."""
    return _Printer(function, locations=False).instruction(instruction)


def _declarations(function: Function) -> Iterator[str]:
    seen: dict[str, str] = {function.name: ""}
    for instruction in function.instructions():
        if instruction.opcode == "call":
            parameters = ", ".join(str(operand.type) for operand in instruction.operands)
            name = instruction.callee
            if name not in seen:
                seen[name] = f"declare {instruction.type} @{quote_name(name)}({parameters})"
                yield seen[name]


class _Printer:
    """The names of one function and the spelling of its parts."""

    def __init__(self, function: Function, locations: bool) -> None:
        self.function = function
        self.locations = locations
        self.names: dict[Value | Block, str] = {}
        self._give_names()

    def _give_names(self) -> None:
        """Make the names different from each other, and number what has none, as LLVM wants it."""
        used: dict[str, int] = {}
        number = 0
        for item, name in _named_items(self.function):
            if not name:
                self.names[item] = f"%{number}"
                number += 1
                continue
            unique = name
            while unique in used:
                used[name] += 1
                unique = f"{name}.{used[name]}"
            used[unique] = 0
            self.names[item] = f"%{quote_name(unique)}"

    def name(self, item: Value | Block) -> str:
        """Return the name of an argument, an instruction or a block with its sigil."""
        return self.names.get(item, "%undefined")

    def value(self, value: Value) -> str:
        """Return a value without its type."""
        if isinstance(value, Instruction | Argument):
            return self.name(value)
        if isinstance(value, Constant):
            return _constant(value)
        if isinstance(value, GlobalArray):
            return f"@{quote_name(value.name)}"
        if isinstance(value, Aggregate):
            return self._aggregate(value)
        return _WORDS[type(value)]

    def typed(self, value: Value) -> str:
        """Return a value after its type."""
        return f"{value.type} {self.value(value)}"

    def list(self, values: list[Value] | tuple[Value, ...]) -> str:
        """Return values with their types, separated by commas."""
        return ", ".join(map(self.typed, values))

    def label(self, block: Block) -> str:
        """Return the target of a branch."""
        return f"label {self.name(block)}"

    def _aggregate(self, value: Aggregate) -> str:
        elements = self.list(value.elements)
        if isinstance(value.type, StructType):
            return f"{{ {elements} }}"
        return f"[{elements}]" if isinstance(value.type, ArrayType) else f"<{elements}>"

    # ---- lines

    def table(self, table: GlobalArray) -> str:
        """Return the definition of a constant table."""
        return f"@{quote_name(table.name)} = private unnamed_addr constant {self.typed(table.initializer)}"

    def definition(self) -> Iterator[str]:
        """Return the lines of the function."""
        function = self.function
        arguments = ", ".join(f"{a.type} {self.name(a)}" for a in function.arguments)
        yield f"define {function.return_type} @{quote_name(function.name)}({arguments}) {{"
        for block in function.blocks:
            yield f"{self.name(block)[1:]}:"
            for instruction in block.instructions:
                yield f"  {self.instruction(instruction)}{self._comment(block, instruction)}"
        yield "}"

    def _comment(self, block: Block, instruction: Instruction) -> str:
        clauses: list[str] = []
        if block.merge is not None and instruction is block.terminator:
            if isinstance(block.merge, SelectionMerge):
                clauses.append(f"selection {self.name(block.merge.merge)}")
            else:
                clauses.append(f"loop {self.name(block.merge.merge)} {self.name(block.merge.continue_)}")
        location = instruction.location
        if self.locations and location is not None and ";" not in location.file:
            clauses.append(f"at {location}")
        return "".join(f" ; {clause}" for clause in clauses)

    def instruction(self, instruction: Instruction) -> str:
        """Return one instruction without comments."""
        text = _FORMS.get(instruction.opcode, _Printer.binary)(self, instruction)
        return text if instruction.type is VOID else f"{self.name(instruction)} = {text}"

    # ---- instructions: one method per syntax

    def binary(self, instruction: Instruction) -> str:
        """Return ``add i32 %a, %b`` and all that look like it."""
        first, *rest = instruction.operands
        operands = ", ".join([self.typed(first), *map(self.value, rest)])
        return f"{_head(instruction)} {operands}"

    def comparison(self, instruction: Instruction) -> str:
        left, right = instruction.operands
        return f"{_head(instruction)} {instruction.predicate} {self.typed(left)}, {self.value(right)}"

    def cast(self, instruction: Instruction) -> str:
        return f"{_head(instruction)} {self.typed(instruction.operands[0])} to {instruction.type}"

    def plain(self, instruction: Instruction) -> str:
        """Return operands that all have their types."""
        return f"{_head(instruction)} {self.list(instruction.operands)}"

    def with_indices(self, instruction: Instruction) -> str:
        return ", ".join([self.plain(instruction), *map(str, instruction.indices)])

    def shuffle(self, instruction: Instruction) -> str:
        lanes = ", ".join("i32 poison" if lane < 0 else f"i32 {lane}" for lane in instruction.indices)
        return f"{self.plain(instruction)}, <{len(instruction.indices)} x i32> <{lanes}>"

    def phi(self, instruction: Instruction) -> str:
        sources = ", ".join(
            f"[ {self.value(value)}, {self.name(block)} ]"
            for value, block in zip(instruction.operands, instruction.targets, strict=True)
        )
        return f"{_head(instruction)} {instruction.type} {sources}"

    def br(self, instruction: Instruction) -> str:
        return "br " + ", ".join(
            [*map(self.typed, instruction.operands), *map(self.label, instruction.targets)]
        )

    def switch(self, instruction: Instruction) -> str:
        scrutinee = instruction.operands[0]
        default, *targets = map(self.label, instruction.targets)
        cases = " ".join(
            f"{scrutinee.type} {_integer(scrutinee.type, case)}, {target}"
            for case, target in zip(instruction.indices, targets, strict=True)
        )
        return f"switch {self.typed(scrutinee)}, {default} [ {cases} ]"

    def ret(self, instruction: Instruction) -> str:
        return f"ret {self.typed(instruction.operands[0])}" if instruction.operands else "ret void"

    def unreachable(self, instruction: Instruction) -> str:
        return instruction.opcode

    def alloca(self, instruction: Instruction) -> str:
        return f"alloca {instruction.element}"

    def load(self, instruction: Instruction) -> str:
        return f"{_head(instruction)} {instruction.type}, {self.list(instruction.operands)}"

    def getelementptr(self, instruction: Instruction) -> str:
        return f"{_head(instruction)} {instruction.element}, {self.list(instruction.operands)}"

    def call(self, instruction: Instruction) -> str:
        callee = quote_name(instruction.callee)
        return f"{_head(instruction)} {instruction.type} @{callee}({self.list(instruction.operands)})"


_WORDS: dict[type[Value], str] = {Undef: "undef", Null: "null"}
_FORMS: dict[str, Callable[[_Printer, Instruction], str]] = {
    **dict.fromkeys(("icmp", "fcmp"), _Printer.comparison),
    **dict.fromkeys(
        ("trunc", "zext", "sext", "fptrunc", "fpext", "bitcast", "ptrtoint", "inttoptr"), _Printer.cast
    ),
    **dict.fromkeys(("fptoui", "fptosi", "uitofp", "sitofp"), _Printer.cast),
    **dict.fromkeys(("select", "store", "extractelement", "insertelement"), _Printer.plain),
    **dict.fromkeys(("extractvalue", "insertvalue"), _Printer.with_indices),
    "shufflevector": _Printer.shuffle,
    "phi": _Printer.phi,
    "br": _Printer.br,
    "switch": _Printer.switch,
    "ret": _Printer.ret,
    "unreachable": _Printer.unreachable,
    "alloca": _Printer.alloca,
    "load": _Printer.load,
    "getelementptr": _Printer.getelementptr,
    "call": _Printer.call,
}


def _named_items(function: Function) -> Iterator[tuple[Value | Block, str]]:
    """Yield what has a name, in the order in which LLVM numbers."""
    for argument in function.arguments:
        yield argument, argument.name
    for block in function.blocks:
        yield block, block.name
        for instruction in block.instructions:
            if instruction.type is not VOID:
                yield instruction, instruction.name


def _head(instruction: Instruction) -> str:
    """Return opcode and flags."""
    if not instruction.flags:
        return instruction.opcode
    return " ".join([instruction.opcode, *(flag for flag in _FLAG_ORDER if flag in instruction.flags)])


def _constant(value: Constant) -> str:
    if isinstance(value.type, FloatType):
        return float_text(value.value, value.type)
    return _integer(value.type, value.value)


def _integer(type: Type, value: int) -> str:
    assert isinstance(type, IntType)
    if type is I1:
        return "true" if value else "false"
    return str(constant(type, value).signed)
