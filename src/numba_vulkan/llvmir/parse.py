"""Parser of LLVM assembly: one function of a module, as LLVM 22 prints it, becomes a `Function` of the small IR.

LLVM prints one instruction per line (a ``switch`` takes several), which is what this parser relies on. Debug
information becomes a `Location` per instruction, other metadata and attributes are skipped, and everything that is
not known here is an error that names the line.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import SpirvCodegenError
from .lexer import COMMENT, split, unquote
from .metadata import DebugInfo
from .model import (
    TERMINATORS,
    Argument,
    Block,
    Constant,
    Function,
    Instruction,
    Location,
    LoopMerge,
    SelectionMerge,
    Value,
)
from .operands import Forward, OperandReader, ParseError
from .types import I1, PTR, VOID, ArrayType, StructType, Type, VectorType, array_type, vector_type

__all__ = ["defined_functions", "parse_function"]

_NO_FLAGS: frozenset[str] = frozenset()
_FLAGS = frozenset(
    ("nuw nsw exact disjoint nneg samesign inbounds nusw volatile " + "fast nnan ninf nsz arcp contract afn reassoc").split()
)
_BINARY = (
    "add sub mul udiv sdiv urem srem and or xor shl lshr ashr fadd fsub fmul fdiv frem"  # one type, two operands
).split()
_CASTS = (
    "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp bitcast ptrtoint inttoptr"  # value, "to", type
).split()
_INTEGER_PREDICATES = frozenset("eq ne ugt uge ult ule sgt sge slt sle".split())
_FLOAT_PREDICATES = frozenset("false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split())
_TAIL_MARKERS = frozenset(("tail", "musttail", "notail"))


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
            if line[-1:] == "[":
                end = next(n for n in range(number, len(lines)) if lines[n].lstrip()[:1] == "]")
                line = " ".join(lines[number : end + 1])
                number = end
            parser.read_line(split(line))
        parser.finish(function)
    except (ParseError, ValueError, IndexError, KeyError, StopIteration) as error:
        reason = str(error) if isinstance(error, ValueError) else "unknown syntax"
        place = f"line {number + 1} of the LLVM IR: {lines[number].strip()}" if number < len(lines) else "its end"
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


class _FunctionParser(OperandReader):
    """The state of parsing one function."""

    def __init__(self, lines: list[str], name: str) -> None:
        super().__init__(lines)
        self.function_name = name
        self.debug_info = DebugInfo(lines)
        self.blocks: dict[str, Block] = {}
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
            key = self._key(self.take())
        else:
            key = f"%{self.unnamed_arguments}"
        if key[1:].isdigit():
            self.unnamed_arguments += 1
        argument = Argument(type, _own_name(key))
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
            self._open_block(self._key("%" + tokens[0]))
            return
        if second == "=":
            name, opcode, self.position = tokens[0], tokens[2], 3
        else:
            name, opcode, self.position = "", tokens[0], 1
            if opcode[:5] == "#dbg_":
                return
        if count > 2 and tokens[-2] == "!dbg":
            self.location = self.debug_info.location(tokens[-1])
            del tokens[-2:]
        else:
            self.location = None
        reader = _READERS.get(opcode)
        if reader is None:
            raise ParseError(f"instruction {opcode} is not supported")
        instruction = reader(self, opcode)
        if self.position < len(tokens):
            self._skip_attachments()
        instruction.location = self.location
        if name:
            self._define(name, instruction)
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

    def block(self, key: str) -> Block:
        """Return the block with a name, which may come later."""
        found = self.blocks.get(key)
        if found is None:
            key = self._key(key)
            found = self.blocks.get(key)
            if found is None:
                found = self.blocks[key] = Block(_own_name(key))
        return found

    def _key(self, token: str) -> str:
        """Return a local name without quotes, which is how names are looked up."""
        return "%" + unquote(token) if '"' in token else token

    def _define(self, token: str, instruction: Instruction) -> None:
        key = self._key(token)
        earlier = self.values.get(key)
        if earlier is not None:
            if not isinstance(earlier, Forward):
                raise ParseError(f"a second value {key}")
            if earlier.type is not instruction.type:
                raise ParseError(f"{key} is a {instruction.type}, but was used as a {earlier.type}")
        instruction.name = _own_name(key)
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
            words = split(clause)
            blocks = [self.block(word) for word in words[1:] if word[0] == "%"]
            if words[:1] == ["at"]:
                file, _, line = clause.strip()[3:].rpartition(":")
                instruction.location = Location(file, int(line)) if line.isdigit() else instruction.location
            elif words[:1] == ["selection"] and len(blocks) == 1:
                self.order[-1].merge = SelectionMerge(blocks[0])
            elif words[:1] == ["loop"] and len(blocks) == 2:
                self.order[-1].merge = LoopMerge(blocks[0], blocks[1])

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

    # ---- instructions: one method per syntax, called with the opcode, position after it

    def flags(self) -> frozenset[str]:
        """Read the flags of an operation."""
        tokens = self.tokens
        start = end = self.position
        while tokens[end] in _FLAGS:
            end += 1
        if end == start:
            return _NO_FLAGS
        self.position = end
        return frozenset(tokens[start:end])

    def read_binary(self, opcode: str) -> Instruction:
        flags = self.flags()
        type = self.type()
        return Instruction(opcode, type, [self.value(type), self.value(type)], flags=flags)

    def read_unary(self, opcode: str) -> Instruction:
        flags = self.flags()
        type = self.type()
        return Instruction(opcode, type, [self.value(type)], flags=flags)

    def read_cast(self, opcode: str) -> Instruction:
        flags = self.flags()
        value = self.typed_value()
        self.expect("to")
        return Instruction(opcode, self.type(), [value], flags=flags)

    def read_comparison(self, opcode: str) -> Instruction:
        flags = self.flags()
        predicate = self.take()
        if predicate not in (_INTEGER_PREDICATES if opcode == "icmp" else _FLOAT_PREDICATES):
            raise ParseError(f"predicate {predicate} is not supported")
        type = self.type()
        result = vector_type(I1, type.count) if isinstance(type, VectorType) else I1
        return Instruction(opcode, result, [self.value(type), self.value(type)], detail=predicate, flags=flags)

    def read_select(self, opcode: str) -> Instruction:
        flags = self.flags()
        operands = [self.typed_value(), self.typed_value(), self.typed_value()]
        return Instruction(opcode, operands[1].type, operands, flags=flags)

    def read_phi(self, opcode: str) -> Instruction:
        flags = self.flags()
        type = self.type()
        operands: list[Value] = []
        targets: list[Block] = []
        while self.accept("["):
            operands.append(self.value(type))
            targets.append(self.block(self.take()))
            self.expect("]")
        return Instruction(opcode, type, operands, targets=targets, flags=flags)

    def label(self) -> Block:
        """Read ``label %name``."""
        self.expect("label")
        return self.block(self.take())

    def read_br(self, opcode: str) -> Instruction:
        if self.peek() == "label":
            return Instruction(opcode, VOID, targets=[self.label()])
        condition = self.typed_value()
        return Instruction(opcode, VOID, [condition], targets=[self.label(), self.label()])

    def read_switch(self, opcode: str) -> Instruction:
        scrutinee = self.typed_value()
        targets = [self.label()]
        cases: list[int] = []
        self.expect("[")
        while not self.accept("]"):
            case = self.typed_value()
            if not isinstance(case, Constant):
                raise ParseError("a case of a switch is no constant")
            cases.append(case.value)
            targets.append(self.label())
        return Instruction(opcode, VOID, [scrutinee], detail=tuple(cases), targets=targets)

    def read_ret(self, opcode: str) -> Instruction:
        type = self.type()
        return Instruction(opcode, VOID, [] if type is VOID else [self.value(type)])

    def read_unreachable(self, opcode: str) -> Instruction:
        return Instruction(opcode, VOID)

    def read_alloca(self, opcode: str) -> Instruction:
        type = self.type()
        if self.peek() not in ("align", "") and self.peek()[0] != "!":
            count = self.typed_value()
            if not isinstance(count, Constant):
                raise ParseError("the number of elements is no constant")
            type = array_type(type, count.value)
        return Instruction(opcode, PTR, detail=type)

    def read_load(self, opcode: str) -> Instruction:
        flags = self.flags()
        type = self.type()
        return Instruction(opcode, type, [self.typed_value()], flags=flags)

    def read_store(self, opcode: str) -> Instruction:
        flags = self.flags()
        return Instruction(opcode, VOID, [self.typed_value(), self.typed_value()], flags=flags)

    def read_getelementptr(self, opcode: str) -> Instruction:
        flags = self.flags()
        element = self.type()
        operands = [self.typed_value()]
        while self.peek() and self.peek()[0] != "!":
            operands.append(self.typed_value())
        return Instruction(opcode, PTR, operands, detail=element, flags=flags)

    def indices(self) -> tuple[int, ...]:
        """Read the numbers at the end of ``extractvalue`` and ``insertvalue``."""
        start = self.position
        while self.peek().isdigit():
            self.position += 1
        return tuple(map(int, self.tokens[start : self.position]))

    def read_extractvalue(self, opcode: str) -> Instruction:
        aggregate = self.typed_value()
        indices = self.indices()
        return Instruction(opcode, _member(aggregate.type, indices), [aggregate], detail=indices)

    def read_insertvalue(self, opcode: str) -> Instruction:
        operands = [self.typed_value(), self.typed_value()]
        return Instruction(opcode, operands[0].type, operands, detail=self.indices())

    def read_extractelement(self, opcode: str) -> Instruction:
        operands = [self.typed_value(), self.typed_value()]
        return Instruction(opcode, _member(operands[0].type, (0,)), operands)

    def read_insertelement(self, opcode: str) -> Instruction:
        operands = [self.typed_value(), self.typed_value(), self.typed_value()]
        return Instruction(opcode, operands[0].type, operands)

    def read_shufflevector(self, opcode: str) -> Instruction:
        operands = [self.typed_value(), self.typed_value()]
        lanes = getattr(self.typed_value(), "elements", None)
        source = operands[0].type
        if lanes is None or not isinstance(source, VectorType):
            raise ParseError("the mask of a shuffle is no constant")
        mask = tuple(lane.value if isinstance(lane, Constant) else -1 for lane in lanes)
        return Instruction(opcode, vector_type(source.element, len(mask)), operands, detail=mask)

    def read_tail_call(self, opcode: str) -> Instruction:
        self.expect("call")
        return self.read_call("call")

    def read_call(self, opcode: str) -> Instruction:
        flags = self.flags()
        while self._at_result_attribute():
            self.position += 1
            if self.peek() == "(":
                self.skip_balanced()
        type = self.type()
        callee = self.take()
        if callee[0] != "@":
            kind = "of variable arguments" if callee == "(" else "through a pointer"
            raise ParseError(f"calls {kind} are not supported")
        self.expect("(")
        operands: list[Value] = []
        while not self.accept(")"):
            argument_type = self.type()
            self.skip_attributes()
            operands.append(self.value(argument_type))
        self._skip_function_attributes()
        return Instruction(opcode, type, operands, detail=unquote(callee), flags=flags)

    def _at_result_attribute(self) -> bool:
        """Whether the next word of a call comes before the type of its result."""
        token = self.peek()
        if token in ("[", "{", "<"):
            return False
        after = self.tokens[self.position + 1]
        # A type of one word is followed by the callee, or by the parenthesis of a function type.
        return not (after[0] in "@%" or (after == "(" and token not in _RESULT_ATTRIBUTES_WITH_ARGUMENT))

    def _skip_function_attributes(self) -> None:
        while self.position < len(self.tokens):
            token = self.peek()
            if token[0] == "!":
                return
            if token == "[":
                raise ParseError("operand bundles are not supported")
            self.position += 1
            if self.peek() == "(":
                self.skip_balanced()


_RESULT_ATTRIBUTES_WITH_ARGUMENT = frozenset(
    ("range", "nofpclass", "dereferenceable", "dereferenceable_or_null", "align", "captures", "addrspace")
)


def _own_name(key: str) -> str:
    """Return a name without the sigil; numbers are not names."""
    return "" if key[1:].isdigit() else key[1:]


def _member(type: Type, indices: tuple[int, ...]) -> Type:
    """Return the type of a part of an aggregate."""
    for index in indices:
        if isinstance(type, StructType):
            type = type.members[index]
        elif isinstance(type, ArrayType | VectorType):
            type = type.element
        else:
            raise ParseError(f"{type} has no part {index}")
    return type


_READERS: dict[str, Callable[[_FunctionParser, str], Instruction]] = {
    **dict.fromkeys(_BINARY, _FunctionParser.read_binary),
    **dict.fromkeys(_CASTS, _FunctionParser.read_cast),
    **dict.fromkeys(("fneg", "freeze"), _FunctionParser.read_unary),
    **dict.fromkeys(("icmp", "fcmp"), _FunctionParser.read_comparison),
    **dict.fromkeys(_TAIL_MARKERS, _FunctionParser.read_tail_call),
    "select": _FunctionParser.read_select,
    "phi": _FunctionParser.read_phi,
    "br": _FunctionParser.read_br,
    "switch": _FunctionParser.read_switch,
    "ret": _FunctionParser.read_ret,
    "unreachable": _FunctionParser.read_unreachable,
    "alloca": _FunctionParser.read_alloca,
    "load": _FunctionParser.read_load,
    "store": _FunctionParser.read_store,
    "getelementptr": _FunctionParser.read_getelementptr,
    "extractvalue": _FunctionParser.read_extractvalue,
    "insertvalue": _FunctionParser.read_insertvalue,
    "extractelement": _FunctionParser.read_extractelement,
    "insertelement": _FunctionParser.read_insertelement,
    "shufflevector": _FunctionParser.read_shufflevector,
    "call": _FunctionParser.read_call,
}
