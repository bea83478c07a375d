"""Parser of LLVM assembly: one function of a module, as LLVM 22 prints it, becomes a `Function` of the small IR.

LLVM prints one instruction per line (a ``switch`` takes several), which is what this parser relies on. Debug
information becomes a `Location` per instruction, other metadata and attributes are skipped, and everything that is
not known here is an error that names the line.
"""

from __future__ import annotations

from ..errors import SpirvCodegenError
from .instructions import READERS, InstructionReader, own_name
from .lexer import COMMENT, split, unquote
from .metadata import DebugInfo
from .model import (
    TERMINATORS,
    Argument,
    Block,
    Function,
    Instruction,
    Location,
    LoopMerge,
    SelectionMerge,
    Value,
)
from .operands import Forward, ParseError

__all__ = ["defined_functions", "parse_function"]

# What LLVM prints, between instructions, for the variables of a debugger.
_DEBUG_RECORD = "    #dbg_"


def parse_function(text: str, name: str) -> Function:
    """Read one function of a module of LLVM assembly.

    Parameters
    ----------
    text : str
        The module, as LLVM 22 prints it. Comments ``; selection %m`` and ``; loop %m %c`` after a terminator are
        merge annotations, ``; at file:line`` gives the place of an instruction.
    name : str
        The function, without ``@``.

    Returns
    -------
    Function
        The function and the constant tables it reads. Values with numbers have no names.

    Raises
    ------
    SpirvCodegenError
        If the module does not define the function, or at a line with unknown syntax.
    """
    lines = text.splitlines()
    start = _find_definition(lines, name)
    parser = _FunctionParser(lines, name)
    number = start
    try:
        function = parser.read_head(split(lines[number]))
        while True:
            number += 1
            line = lines[number]
            if line[:1] == "}":
                break
            if line[:9] == _DEBUG_RECORD:
                continue
            if line[-1:] == "[":
                end = next(n for n in range(number, len(lines)) if lines[n].lstrip()[:1] == "]")
                line = " ".join(lines[number : end + 1])
                number = end
            parser.read_line(split(line))
        parser.finish(function)
    except (ParseError, ValueError, IndexError, KeyError, StopIteration) as error:
        reason = str(error) if isinstance(error, ValueError) else "unknown syntax"
        place = (
            f"line {number + 1} of the LLVM IR: {lines[number].strip()}" if number < len(lines) else "its end"
        )
        raise SpirvCodegenError(f"function '{name}' cannot be read at {place}: {reason}") from error
    return function


def defined_functions(text: str) -> dict[str, tuple[str, Location] | None]:
    """Return the functions that a module defines, each with the name and the place that debug information gives."""
    lines = text.splitlines()
    debug_info = DebugInfo(lines)
    result: dict[str, tuple[str, Location] | None] = {}
    for line in lines:
        if line[:7] == "define ":
            tokens = split(line)
            name = next(token for token in tokens if token[0] == "@")
            node = tokens[tokens.index("!dbg") + 1] if "!dbg" in tokens else None
            result[unquote(name)] = debug_info.subprogram(node) if node else None
    return result


def _find_definition(lines: list[str], name: str) -> int:
    for number, line in enumerate(lines):
        if line[:7] == "define " and any(t[0] == "@" and unquote(t) == name for t in split(line)):
            return number
    raise SpirvCodegenError(f"the LLVM module defines no function '{name}'")


class _FunctionParser(InstructionReader):
    """The state of parsing one function."""

    def __init__(self, lines: list[str], name: str) -> None:
        super().__init__(lines)
        self.function_name = name
        self.debug_info = DebugInfo(lines)
        self.order: list[Block] = []
        self.opened: set[Block] = set()
        self.block_ended = True
        self.unnamed_arguments = 0
        self.location: Location | None = None

    # ---- function, blocks, lines

    def read_head(self, tokens: list[str]) -> Function:
        """Read the line that starts with ``define``."""
        self.tokens = tokens
        self.position = 1
        while not self._at_type():
            self.position += 1
            if self.peek() == "(":
                self.skip_balanced()
        return_type = self.type()
        self.position += 1
        self.expect("(")
        arguments: list[Argument] = []
        while not self.accept(")"):
            arguments.append(self._argument())
        return Function(self.function_name, return_type, arguments, globals=self.globals)

    def _at_type(self) -> bool:
        token = self.peek()
        after = self.tokens[self.position + 1]
        return token in ("[", "{", "<") or after[0] == "@"

    def _argument(self) -> Argument:
        if self.peek() == "...":
            raise ParseError("variable arguments are not supported")
        type = self.type()
        self.skip_attributes()
        if self.peek()[0] == "%":
            key = self.key(self.take())
        else:
            key = f"%{self.unnamed_arguments}"
        if key[1:].isdigit():
            self.unnamed_arguments += 1
        argument = Argument(type, own_name(key))
        self.values[key] = argument
        return argument

    def read_line(self, tokens: list[str]) -> None:
        """Read a label or an instruction."""
        if not tokens:
            return
        self.tokens = tokens
        comment = tokens.pop()[1:] if tokens[-1][0] == COMMENT else ""
        count = len(tokens)
        if not count:
            return
        second = tokens[1] if count > 1 else ""
        if second == ":":
            self._open_block(self.key("%" + tokens[0]))
            return
        if second == "=":
            name, opcode, self.position = tokens[0], tokens[2], 3
        else:
            name, opcode, self.position = "", tokens[0], 1
        if count > 2 and tokens[-2] == "!dbg":
            self.location = self.debug_info.location(tokens[-1])
            del tokens[-2:]
        else:
            self.location = None
        reader = READERS.get(opcode)
        if reader is None:
            raise ParseError(f"instruction {opcode} is not supported")
        instruction = reader(self, opcode)
        if self.position < len(tokens):
            self._skip_attachments()
        instruction.location = self.location
        if name in self.values or '"' in name:
            self._define(self.key(name), instruction)
        elif name:
            instruction.name = own_name(name)
            self.values[name] = instruction
        if self.block_ended:
            self._open_unnamed_block()
        self.order[-1].instructions.append(instruction)
        self.block_ended = opcode in TERMINATORS
        if comment:
            self._read_comment(comment, instruction)

    def _open_unnamed_block(self) -> None:
        if self.order:
            raise ParseError("an instruction after the end of a block")
        # The entry block may go without a label; it then takes the number after the arguments.
        self._open_block(f"%{self.unnamed_arguments}")

    def _open_block(self, key: str) -> None:
        block = self.block(key)
        if block in self.opened:
            raise ParseError(f"a second block {key}")
        if not self.block_ended:
            raise ParseError(f"block %{self.order[-1].name} has no terminator")
        self.order.append(block)
        self.opened.add(block)
        self.block_ended = False

    def _define(self, key: str, instruction: Instruction) -> None:
        """Give a name to what was used before, or whose name has quotes."""
        if (earlier := self.values.get(key)) is not None:
            if not isinstance(earlier, Forward):
                raise ParseError(f"a second value {key}")
            if earlier.type is not instruction.type:
                raise ParseError(f"{key} is a {instruction.type}, but was used as a {earlier.type}")
        instruction.name = own_name(key)
        self.values[key] = instruction

    def _skip_attachments(self) -> None:
        """Go past what may follow the operands of an instruction: alignment and metadata."""
        while self.position < len(self.tokens):
            token = self.take()
            if token == "!dbg":
                self.location = self.debug_info.location(self.take())
            elif token == "align" or (token[0] == "!" and len(token) > 1):
                value = self.take()
                if value == "!":
                    raise ParseError("metadata written in place is not supported")
            else:
                raise ParseError(f"{token!r} is not supported here")

    def _read_comment(self, comment: str, instruction: Instruction) -> None:
        """Read merge annotations and places; other comments say nothing."""
        for clause in comment.split(COMMENT):
            match split(clause):
                case ["at", *_] if (place := clause.strip()[3:].rpartition(":"))[2].isdigit():
                    instruction.location = Location(place[0], int(place[2]))
                case ["selection", merge] if merge[0] == "%":
                    self.order[-1].merge = SelectionMerge(self.block(merge))
                case ["loop", merge, continue_] if merge[0] == continue_[0] == "%":
                    self.order[-1].merge = LoopMerge(self.block(merge), self.block(continue_))
                case _:
                    pass

    def finish(self, function: Function) -> None:
        """Put the values in the place of those that were used before their line, and check what was promised."""
        if not self.order or not self.block_ended:
            raise ParseError("the last block has no terminator")
        function.blocks = self.order
        self._name_blocks()
        if len(self.blocks) != len(self.order):
            missing = next(key for key, block in self.blocks.items() if block not in self.opened)
            raise ParseError(f"there is no block {missing}")
        if not self.forwards:
            return
        resolved: dict[Value, Value] = {}
        for forward in self.forwards:
            value = resolved[forward] = self.values[forward.name]
            if value is forward:
                raise ParseError(f"there is no value {forward.name}")
        for instruction in function.instructions():
            for index, operand in enumerate(instruction.operands):
                if operand.__class__ is Forward:
                    instruction.operands[index] = resolved[operand]

    def _name_blocks(self) -> None:
        """Name the blocks that had numbers, which are those without a name so far."""
        names = {block.name for block in self.order}
        for index, block in enumerate(self.order):
            if not block.name:
                name = f"bb{index}" if index else "entry"
                while name in names:
                    name += "_"
                names.add(name)
                block.name = name
