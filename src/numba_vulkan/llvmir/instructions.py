"""Reading instructions of LLVM assembly, one function per syntax, called with the cursor after the opcode."""

from __future__ import annotations

from collections.abc import Callable

from .lexer import unquote
from .model import Block, Constant, Instruction, Value
from .operands import OperandReader, ParseError
from .types import I1, PTR, VOID, ArrayType, StructType, Type, VectorType, array_type, vector_type

__all__ = [
    "FLOAT_PREDICATES",
    "INTEGER_PREDICATES",
    "READERS",
    "InstructionReader",
    "member_type",
    "own_name",
]

_NO_FLAGS: frozenset[str] = frozenset()
_FLAGS = frozenset(
    "nuw nsw exact disjoint nneg samesign inbounds nusw volatile fast nnan ninf nsz arcp contract afn reassoc".split()
)
_BINARY = "add sub mul udiv sdiv urem srem and or xor shl lshr ashr fadd fsub fmul fdiv frem".split()
_CASTS = "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp bitcast ptrtoint inttoptr".split()
INTEGER_PREDICATES = frozenset("eq ne ugt uge ult ule sgt sge slt sle".split())
FLOAT_PREDICATES = frozenset("false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split())
_TAIL_MARKERS = frozenset(("tail", "musttail", "notail"))
_RESULT_ATTRIBUTES_WITH_ARGUMENT = frozenset(
    ("range", "nofpclass", "dereferenceable", "dereferenceable_or_null", "align", "captures", "addrspace")
)


class InstructionReader(OperandReader):
    """A cursor that knows the blocks of the function, too."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__(lines)
        self.blocks: dict[str, Block] = {}

    def block(self, key: str) -> Block:
        """Return the block with a name, which may come later."""
        found = self.blocks.get(key)
        if found is None:
            key = self.key(key)
            found = self.blocks.get(key)
            if found is None:
                found = self.blocks[key] = Block(own_name(key))
        return found

    def key(self, token: str) -> str:
        """Return a local name without quotes, which is how names are looked up."""
        return "%" + unquote(token) if '"' in token else token

    def flags(self) -> frozenset[str]:
        """Read the flags of an operation."""
        tokens = self.tokens
        start = end = self.position
        if tokens[start] not in _FLAGS:
            return _NO_FLAGS
        while tokens[end] in _FLAGS:
            end += 1
        self.position = end
        return frozenset(tokens[start:end])

    def label(self) -> Block:
        """Read ``label %name``."""
        self.expect("label")
        return self.block(self.take())

    def indices(self) -> tuple[int, ...]:
        """Read the numbers at the end of ``extractvalue`` and ``insertvalue``."""
        start = self.position
        while self.peek().isdigit():
            self.position += 1
        return tuple(map(int, self.tokens[start : self.position]))


def own_name(key: str) -> str:
    """Return a name without the sigil; numbers are not names."""
    name = key[1:]
    return "" if name.isdigit() else name


def member_type(type: Type, indices: tuple[int, ...]) -> Type:
    """Return the type of a part of an aggregate."""
    for index in indices:
        if isinstance(type, StructType):
            type = type.members[index]
        elif isinstance(type, ArrayType | VectorType):
            type = type.element
        else:
            raise ParseError(f"{type} has no part {index}")
    return type


def _read_binary(reader: InstructionReader, opcode: str) -> Instruction:
    flags = reader.flags()
    type = reader.type()
    return Instruction(opcode, type, [reader.value(type), reader.value(type)], flags=flags)


def _read_unary(reader: InstructionReader, opcode: str) -> Instruction:
    flags = reader.flags()
    type = reader.type()
    return Instruction(opcode, type, [reader.value(type)], flags=flags)


def _read_cast(reader: InstructionReader, opcode: str) -> Instruction:
    flags = reader.flags()
    value = reader.typed_value()
    reader.expect("to")
    return Instruction(opcode, reader.type(), [value], flags=flags)


def _read_comparison(reader: InstructionReader, opcode: str) -> Instruction:
    flags = reader.flags()
    predicate = reader.take()
    if predicate not in (INTEGER_PREDICATES if opcode == "icmp" else FLOAT_PREDICATES):
        raise ParseError(f"predicate {predicate} is not supported")
    type = reader.type()
    result = vector_type(I1, type.count) if isinstance(type, VectorType) else I1
    return Instruction(
        opcode, result, [reader.value(type), reader.value(type)], detail=predicate, flags=flags
    )


def _read_select(reader: InstructionReader, opcode: str) -> Instruction:
    flags = reader.flags()
    operands = [reader.typed_value(), reader.typed_value(), reader.typed_value()]
    return Instruction(opcode, operands[1].type, operands, flags=flags)


def _read_phi(reader: InstructionReader, opcode: str) -> Instruction:
    flags = reader.flags()
    type = reader.type()
    operands: list[Value] = []
    targets: list[Block] = []
    while reader.accept("["):
        operands.append(reader.value(type))
        targets.append(reader.block(reader.take()))
        reader.expect("]")
    return Instruction(opcode, type, operands, targets=targets, flags=flags)


def _read_br(reader: InstructionReader, opcode: str) -> Instruction:
    if reader.peek() == "label":
        return Instruction(opcode, VOID, targets=[reader.label()])
    condition = reader.typed_value()
    return Instruction(opcode, VOID, [condition], targets=[reader.label(), reader.label()])


def _read_switch(reader: InstructionReader, opcode: str) -> Instruction:
    scrutinee = reader.typed_value()
    targets = [reader.label()]
    cases: list[int] = []
    reader.expect("[")
    while not reader.accept("]"):
        case = reader.typed_value()
        if not isinstance(case, Constant):
            raise ParseError("a case of a switch is no constant")
        cases.append(case.value)
        targets.append(reader.label())
    return Instruction(opcode, VOID, [scrutinee], detail=tuple(cases), targets=targets)


def _read_ret(reader: InstructionReader, opcode: str) -> Instruction:
    type = reader.type()
    return Instruction(opcode, VOID, [] if type is VOID else [reader.value(type)])


def _read_unreachable(reader: InstructionReader, opcode: str) -> Instruction:
    return Instruction(opcode, VOID)


def _read_alloca(reader: InstructionReader, opcode: str) -> Instruction:
    type = reader.type()
    if reader.peek() not in ("align", "") and reader.peek()[0] != "!":
        count = reader.typed_value()
        if not isinstance(count, Constant):
            raise ParseError("the number of elements is no constant")
        type = array_type(type, count.value)
    return Instruction(opcode, PTR, detail=type)


def _read_load(reader: InstructionReader, opcode: str) -> Instruction:
    flags = reader.flags()
    type = reader.type()
    return Instruction(opcode, type, [reader.typed_value()], flags=flags)


def _read_store(reader: InstructionReader, opcode: str) -> Instruction:
    flags = reader.flags()
    return Instruction(opcode, VOID, [reader.typed_value(), reader.typed_value()], flags=flags)


def _read_getelementptr(reader: InstructionReader, opcode: str) -> Instruction:
    flags = reader.flags()
    element = reader.type()
    operands = [reader.typed_value()]
    while reader.peek() and reader.peek()[0] != "!":
        operands.append(reader.typed_value())
    # One vector among base and indices makes it a vector of addresses.
    lanes = next((o.type.count for o in operands if isinstance(o.type, VectorType)), 0)
    return Instruction(
        opcode, vector_type(PTR, lanes) if lanes else PTR, operands, detail=element, flags=flags
    )


def _read_extractvalue(reader: InstructionReader, opcode: str) -> Instruction:
    aggregate = reader.typed_value()
    indices = reader.indices()
    return Instruction(opcode, member_type(aggregate.type, indices), [aggregate], detail=indices)


def _read_insertvalue(reader: InstructionReader, opcode: str) -> Instruction:
    operands = [reader.typed_value(), reader.typed_value()]
    return Instruction(opcode, operands[0].type, operands, detail=reader.indices())


def _read_extractelement(reader: InstructionReader, opcode: str) -> Instruction:
    operands = [reader.typed_value(), reader.typed_value()]
    return Instruction(opcode, member_type(operands[0].type, (0,)), operands)


def _read_insertelement(reader: InstructionReader, opcode: str) -> Instruction:
    operands = [reader.typed_value(), reader.typed_value(), reader.typed_value()]
    return Instruction(opcode, operands[0].type, operands)


def _read_shufflevector(reader: InstructionReader, opcode: str) -> Instruction:
    operands = [reader.typed_value(), reader.typed_value()]
    lanes = getattr(reader.typed_value(), "elements", None)
    source = operands[0].type
    if lanes is None or not isinstance(source, VectorType):
        raise ParseError("the mask of a shuffle is no constant")
    mask = tuple(lane.value if isinstance(lane, Constant) else -1 for lane in lanes)
    return Instruction(opcode, vector_type(source.element, len(mask)), operands, detail=mask)


def _read_tail_call(reader: InstructionReader, opcode: str) -> Instruction:
    reader.expect("call")
    return _read_call(reader, "call")


def _read_call(reader: InstructionReader, opcode: str) -> Instruction:
    flags = reader.flags()
    while _at_result_attribute(reader):
        reader.position += 1
        if reader.peek() == "(":
            reader.skip_balanced()
    type = reader.type()
    callee = reader.take()
    if callee[0] != "@":
        kind = "of variable arguments" if callee == "(" else "through a pointer"
        raise ParseError(f"calls {kind} are not supported")
    reader.expect("(")
    operands: list[Value] = []
    while not reader.accept(")"):
        argument_type = reader.type()
        reader.skip_attributes()
        operands.append(reader.value(argument_type))
    _skip_function_attributes(reader)
    return Instruction(opcode, type, operands, detail=unquote(callee), flags=flags)


def _at_result_attribute(reader: InstructionReader) -> bool:
    """Whether the next word of a call comes before the type of its result."""
    token = reader.peek()
    if token in ("[", "{", "<"):
        return False
    after = reader.tokens[reader.position + 1]
    # A type of one word is followed by the callee, or by the parenthesis of a function type.
    return not (after[0] in "@%" or (after == "(" and token not in _RESULT_ATTRIBUTES_WITH_ARGUMENT))


def _skip_function_attributes(reader: InstructionReader) -> None:
    while reader.position < len(reader.tokens):
        token = reader.peek()
        if token[0] == "!":
            return
        if token == "[":
            raise ParseError("operand bundles are not supported")
        reader.position += 1
        if reader.peek() == "(":
            reader.skip_balanced()


READERS: dict[str, Callable[[InstructionReader, str], Instruction]] = {
    **dict.fromkeys(_BINARY, _read_binary),
    **dict.fromkeys(_CASTS, _read_cast),
    **dict.fromkeys(("fneg", "freeze"), _read_unary),
    **dict.fromkeys(("icmp", "fcmp"), _read_comparison),
    **dict.fromkeys(_TAIL_MARKERS, _read_tail_call),
    "select": _read_select,
    "phi": _read_phi,
    "br": _read_br,
    "switch": _read_switch,
    "ret": _read_ret,
    "unreachable": _read_unreachable,
    "alloca": _read_alloca,
    "load": _read_load,
    "store": _read_store,
    "getelementptr": _read_getelementptr,
    "extractvalue": _read_extractvalue,
    "insertvalue": _read_insertvalue,
    "extractelement": _read_extractelement,
    "insertelement": _read_insertelement,
    "shufflevector": _read_shufflevector,
    "call": _read_call,
}
