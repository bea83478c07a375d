"""Reading instructions of LLVM assembly, one method per syntax; `READERS` says which opcode has which."""

from __future__ import annotations

from collections.abc import Callable

from .lexer import unquote
from .model import Block, Constant, Instruction, Value
from .operands import OperandReader, ParseError
from .types import I1, PTR, VOID, ArrayType, StructType, Type, VectorType, array_type, vector_type

__all__ = ["READERS", "InstructionReader", "own_name"]

_NO_FLAGS: frozenset[str] = frozenset()
_FLAGS = frozenset(
    "nuw nsw exact disjoint nneg samesign inbounds nusw volatile fast nnan ninf nsz arcp contract afn reassoc".split()
)
_BINARY = "add sub mul udiv sdiv urem srem and or xor shl lshr ashr fadd fsub fmul fdiv frem".split()
_CASTS = "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp bitcast ptrtoint inttoptr".split()
_INTEGER_PREDICATES = frozenset("eq ne ugt uge ult ule sgt sge slt sle".split())
_FLOAT_PREDICATES = frozenset("false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split())
_TAIL_MARKERS = frozenset(("tail", "musttail", "notail"))
_RESULT_ATTRIBUTES_WITH_ARGUMENT = frozenset(
    ("range", "nofpclass", "dereferenceable", "dereferenceable_or_null", "align", "captures", "addrspace")
)


class InstructionReader(OperandReader):
    """Reads the instruction at the cursor; each method is called with the opcode and the position after it."""

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
        while tokens[end] in _FLAGS:
            end += 1
        if end == start:
            return _NO_FLAGS
        self.position = end
        return frozenset(tokens[start:end])

    def _read_binary(self, opcode: str) -> Instruction:
        flags = self.flags()
        type = self.type()
        return Instruction(opcode, type, [self.value(type), self.value(type)], flags=flags)

    def _read_unary(self, opcode: str) -> Instruction:
        flags = self.flags()
        type = self.type()
        return Instruction(opcode, type, [self.value(type)], flags=flags)

    def _read_cast(self, opcode: str) -> Instruction:
        flags = self.flags()
        value = self.typed_value()
        self.expect("to")
        return Instruction(opcode, self.type(), [value], flags=flags)

    def _read_comparison(self, opcode: str) -> Instruction:
        flags = self.flags()
        predicate = self.take()
        if predicate not in (_INTEGER_PREDICATES if opcode == "icmp" else _FLOAT_PREDICATES):
            raise ParseError(f"predicate {predicate} is not supported")
        type = self.type()
        result = vector_type(I1, type.count) if isinstance(type, VectorType) else I1
        return Instruction(
            opcode, result, [self.value(type), self.value(type)], detail=predicate, flags=flags
        )

    def _read_select(self, opcode: str) -> Instruction:
        flags = self.flags()
        operands = [self.typed_value(), self.typed_value(), self.typed_value()]
        return Instruction(opcode, operands[1].type, operands, flags=flags)

    def _read_phi(self, opcode: str) -> Instruction:
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

    def _read_br(self, opcode: str) -> Instruction:
        if self.peek() == "label":
            return Instruction(opcode, VOID, targets=[self.label()])
        condition = self.typed_value()
        return Instruction(opcode, VOID, [condition], targets=[self.label(), self.label()])

    def _read_switch(self, opcode: str) -> Instruction:
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

    def _read_ret(self, opcode: str) -> Instruction:
        type = self.type()
        return Instruction(opcode, VOID, [] if type is VOID else [self.value(type)])

    def _read_unreachable(self, opcode: str) -> Instruction:
        return Instruction(opcode, VOID)

    def _read_alloca(self, opcode: str) -> Instruction:
        type = self.type()
        if self.peek() not in ("align", "") and self.peek()[0] != "!":
            count = self.typed_value()
            if not isinstance(count, Constant):
                raise ParseError("the number of elements is no constant")
            type = array_type(type, count.value)
        return Instruction(opcode, PTR, detail=type)

    def _read_load(self, opcode: str) -> Instruction:
        flags = self.flags()
        type = self.type()
        return Instruction(opcode, type, [self.typed_value()], flags=flags)

    def _read_store(self, opcode: str) -> Instruction:
        flags = self.flags()
        return Instruction(opcode, VOID, [self.typed_value(), self.typed_value()], flags=flags)

    def _read_getelementptr(self, opcode: str) -> Instruction:
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

    def _read_extractvalue(self, opcode: str) -> Instruction:
        aggregate = self.typed_value()
        indices = self.indices()
        return Instruction(opcode, _member(aggregate.type, indices), [aggregate], detail=indices)

    def _read_insertvalue(self, opcode: str) -> Instruction:
        operands = [self.typed_value(), self.typed_value()]
        return Instruction(opcode, operands[0].type, operands, detail=self.indices())

    def _read_extractelement(self, opcode: str) -> Instruction:
        operands = [self.typed_value(), self.typed_value()]
        return Instruction(opcode, _member(operands[0].type, (0,)), operands)

    def _read_insertelement(self, opcode: str) -> Instruction:
        operands = [self.typed_value(), self.typed_value(), self.typed_value()]
        return Instruction(opcode, operands[0].type, operands)

    def _read_shufflevector(self, opcode: str) -> Instruction:
        operands = [self.typed_value(), self.typed_value()]
        lanes = getattr(self.typed_value(), "elements", None)
        source = operands[0].type
        if lanes is None or not isinstance(source, VectorType):
            raise ParseError("the mask of a shuffle is no constant")
        mask = tuple(lane.value if isinstance(lane, Constant) else -1 for lane in lanes)
        return Instruction(opcode, vector_type(source.element, len(mask)), operands, detail=mask)

    def _read_tail_call(self, opcode: str) -> Instruction:
        self.expect("call")
        return self._read_call("call")

    def _read_call(self, opcode: str) -> Instruction:
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


def own_name(key: str) -> str:
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


READERS: dict[str, Callable[[InstructionReader, str], Instruction]] = {
    **dict.fromkeys(_BINARY, InstructionReader._read_binary),
    **dict.fromkeys(_CASTS, InstructionReader._read_cast),
    **dict.fromkeys(("fneg", "freeze"), InstructionReader._read_unary),
    **dict.fromkeys(("icmp", "fcmp"), InstructionReader._read_comparison),
    **dict.fromkeys(_TAIL_MARKERS, InstructionReader._read_tail_call),
    "select": InstructionReader._read_select,
    "phi": InstructionReader._read_phi,
    "br": InstructionReader._read_br,
    "switch": InstructionReader._read_switch,
    "ret": InstructionReader._read_ret,
    "unreachable": InstructionReader._read_unreachable,
    "alloca": InstructionReader._read_alloca,
    "load": InstructionReader._read_load,
    "store": InstructionReader._read_store,
    "getelementptr": InstructionReader._read_getelementptr,
    "extractvalue": InstructionReader._read_extractvalue,
    "insertvalue": InstructionReader._read_insertvalue,
    "extractelement": InstructionReader._read_extractelement,
    "insertelement": InstructionReader._read_insertelement,
    "shufflevector": InstructionReader._read_shufflevector,
    "call": InstructionReader._read_call,
}
