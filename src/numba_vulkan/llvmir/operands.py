"""Reading types, constants and values from the tokens of a line of LLVM assembly."""

from __future__ import annotations

from functools import cache, lru_cache

from .lexer import decode_string, float_bits, split, unquote
from .model import Aggregate, Constant, GlobalArray, Null, Undef, Value, constant
from .types import (
    F16,
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    PTR,
    VOID,
    ArrayType,
    FloatType,
    IntType,
    StructType,
    Type,
    VectorType,
    array_type,
    int_type,
    struct_type,
    vector_type,
)

__all__ = ["Forward", "OperandReader", "ParseError"]

_SIMPLE_TYPES: dict[str, Type] = {
    "i1": I1,
    "i8": I8,
    "i16": I16,
    "i32": I32,
    "i64": I64,
    "half": F16,
    "float": F32,
    "double": F64,
    "ptr": PTR,
    "void": VOID,
}
_CLOSING = {"[": "]", "{": "}", "<": ">"}
_CONSTANT_WORDS = frozenset({"true", "false", "null", "undef", "poison", "zeroinitializer", "splat"})
_CONSTANT_EXPRESSIONS = frozenset(
    {
        "getelementptr",
        "ptrtoint",
        "inttoptr",
        "bitcast",
        "addrspacecast",
        "trunc",
        "add",
        "sub",
        "xor",
        "blockaddress",
    }
)
# Every value starts with one of these or is a word of the two sets above.
_VALUE_STARTS = frozenset("%@-+0123456789[{<")
_NUMBER_STARTS = frozenset("-0123456789")
_ATTRIBUTES_WITH_NUMBER = frozenset({"align"})


class ParseError(ValueError):
    """What is wrong with a line; the parser adds which one it is."""


class Forward(Value):
    """Stands for a value that is used before the line that defines it was read."""

    __slots__ = ("name",)

    def __init__(self, type: Type, name: str) -> None:
        super().__init__(type)
        self.name = name


@cache
def _named_type(token: str) -> Type:
    if token[0] == "i" and token[1:].isdigit():
        return int_type(int(token[1:]))
    raise ParseError(f"type {token} is not supported")


class OperandReader:
    """A cursor over the tokens of one line, and the values known so far.

    Attributes
    ----------
    tokens : list of str
        The line.
    position : int
        The next token to read.
    values : dict
        Arguments and instructions by name with the sigil.
    globals : dict
        The constant tables that were met, by name.
    """

    def __init__(self, lines: list[str]) -> None:
        self.tokens: list[str] = []
        self.position = 0
        self.values: dict[str, Value] = {}
        self.forwards: list[Forward] = []
        self.globals: dict[str, GlobalArray] = {}
        self._lines = lines
        self._global_lines: dict[str, str] | None = None
        self._constants: dict[tuple[Type, str], Value] = {}

    def take(self) -> str:
        """Return the next token and go past it."""
        token = self.tokens[self.position]
        self.position += 1
        return token

    def peek(self) -> str:
        """Return the next token, or an empty string at the end of the line."""
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def expect(self, token: str) -> None:
        """Go past a token that must be there."""
        found = self.take()
        if found != token:
            raise ParseError(f"{found!r} where {token!r} should be")

    def accept(self, token: str) -> bool:
        """Go past a token if it is the next."""
        if self.peek() == token:
            self.position += 1
            return True
        return False

    def skip_balanced(self) -> None:
        """Go past a parenthesis and all up to its partner."""
        depth = 0
        while True:
            token = self.take()
            depth += (token == "(") - (token == ")")
            if depth == 0:
                return

    # ---- types

    def type(self) -> Type:
        """Read a type."""
        token = self.tokens[self.position]
        self.position += 1
        simple = _SIMPLE_TYPES.get(token)
        if simple is not None:
            return simple
        if token in _CLOSING:
            return self._compound_type(token)
        return _named_type(token)

    def _compound_type(self, opening: str) -> Type:
        if opening == "{":
            members: list[Type] = []
            while not self.accept("}"):
                members.append(self.type())
            return struct_type(tuple(members))
        if not self.peek().isdigit():
            raise ParseError("packed structures and scalable vectors are not supported")
        count = int(self.take())
        self.expect("x")
        element = self.type()
        self.expect(_CLOSING[opening])
        return (array_type if opening == "[" else vector_type)(element, count)

    def skip_attributes(self) -> None:
        """Go past the attributes between the type of a parameter and its value or name."""
        while True:
            token = self.peek()
            if not token or token == ")" or token in _CONSTANT_WORDS or token in _CONSTANT_EXPRESSIONS:
                return
            if token[0] in _VALUE_STARTS or token[:2] == 'c"':
                return
            if token == "addrspace":
                raise ParseError("address spaces are not supported")
            self.position += 1
            if token in _ATTRIBUTES_WITH_NUMBER and self.peek().isdigit():
                self.position += 1
            elif self.peek() == "(":
                self.skip_balanced()

    # ---- values

    def typed_value(self) -> Value:
        """Read a type and a value of it."""
        return self.value(self.type())

    def value(self, type: Type) -> Value:
        """Read a value whose type is known."""
        token = self.tokens[self.position]
        self.position += 1
        found = self.values.get(token)
        if found is None:
            if token[0] in _NUMBER_STARTS:
                return _number(type, token)
            if token[0] != "%":
                return self.constant(type, token)
            found = self._forward(type, "%" + unquote(token))
        if found.type is not type:
            raise ParseError(f"{token} is a {found.type}, not a {type}")
        return found

    def _forward(self, type: Type, name: str) -> Value:
        found = self.values.get(name)
        if found is None:
            found = self.values[name] = Forward(type, name)
            self.forwards.append(found)
        return found

    def constant(self, type: Type, token: str) -> Value:
        """Return the constant that starts with ``token``, which has been read already."""
        found = self._constants.get((type, token))
        if found is not None:
            return found
        if token in _CONSTANT_EXPRESSIONS:
            raise ParseError(f"constant expressions ({token}) are not supported")
        if token[0] == "@":
            return self._global(token)
        if token in _CLOSING:
            return self._written_aggregate(type, token)
        if token == "splat":
            return self._splat(type)
        found = self._constants[type, token] = _atom(type, token)
        return found

    def _written_aggregate(self, type: Type, opening: str) -> Aggregate:
        closing = _CLOSING[opening]
        elements: list[Value] = []
        while not self.accept(closing):
            elements.append(self.typed_value())
        expected = _member_types(type)
        if tuple(element.type for element in elements) != expected:
            raise ParseError(f"a constant of type {type} needs other elements")
        return Aggregate(type, tuple(elements))

    def _splat(self, type: Type) -> Aggregate:
        if not isinstance(type, VectorType):
            raise ParseError(f"splat of a {type}")
        self.expect("(")
        element = self.typed_value()
        self.expect(")")
        return Aggregate(type, (element,) * type.count)

    # ---- globals

    def _global(self, token: str) -> GlobalArray:
        name = unquote(token)
        table = self.globals.get(name)
        if table is None:
            table = self.globals[name] = self._read_global(name)
        return table

    def _read_global(self, name: str) -> GlobalArray:
        if self._global_lines is None:
            self._global_lines = {unquote(split(line)[0]): line for line in self._lines if line[:1] == "@"}
        line = self._global_lines.get(name)
        if line is None:
            raise ParseError(f"@{name} is used as a value, but is no variable of the module")
        saved = self.tokens, self.position
        self.tokens = split(line)
        if "constant" not in self.tokens:
            raise ParseError(f"variable @{name} is not constant: kernels can read constants only")
        self.position = self.tokens.index("constant") + 1
        if "external" in self.tokens[: self.position]:
            raise ParseError(f"variable @{name} has no initializer")
        table = GlobalArray(PTR, name, self.typed_value())
        self.tokens, self.position = saved
        return table


def _member_types(type: Type) -> tuple[Type, ...]:
    if isinstance(type, StructType):
        return type.members
    if isinstance(type, ArrayType | VectorType):
        return (type.element,) * type.count
    raise ParseError(f"{type} has no elements")


@lru_cache(maxsize=4096)
def _number(type: Type, token: str) -> Value:
    """Return a number: kernels and the functions that they call have many in common."""
    return _atom(type, token)


def _atom(type: Type, token: str) -> Value:
    """Return a constant that is one token."""
    if token in ("undef", "poison"):
        return Undef(type)
    if token == "zeroinitializer":
        return _zero(type)
    if isinstance(type, IntType):
        return _integer(type, token)
    if isinstance(type, FloatType):
        return constant(type, float_bits(token, type))
    if type is PTR and token == "null":
        return Null(PTR)
    if token[:2] == 'c"' and isinstance(type, ArrayType) and type.element is I8:
        elements = tuple(constant(I8, byte) for byte in decode_string(token[2:-1]))
        if len(elements) == type.count:
            return Aggregate(type, elements)
    raise ParseError(f"{token} is no constant of type {type}")


def _integer(type: IntType, token: str) -> Constant:
    if type is I1 and token in ("true", "false"):
        return constant(I1, token == "true")
    value = int(token)
    if not -(1 << (type.bits - 1)) <= value <= type.mask:
        raise ParseError(f"{token} does not fit into {type}")
    return constant(type, value)


def _zero(type: Type) -> Value:
    """Return what ``zeroinitializer`` means for a type."""
    if isinstance(type, IntType | FloatType):
        return constant(type, 0)
    if type is PTR:
        return Null(PTR)
    if isinstance(type, ArrayType | VectorType):
        return Aggregate(type, (_zero(type.element),) * type.count)
    return Aggregate(type, tuple(_zero(member) for member in _member_types(type)))
