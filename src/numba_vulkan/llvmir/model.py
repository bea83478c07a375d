"""The small IR: one function of basic blocks over typed values.

It is LLVM's IR without what kernels never contain, plus the merge annotations that SPIR-V asks for. Values know
nothing of their users; passes that need these collect them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from .types import FloatType, IntType, Type

__all__ = [
    "Aggregate",
    "Argument",
    "Block",
    "Constant",
    "Function",
    "GlobalArray",
    "Instruction",
    "Location",
    "LoopMerge",
    "Merge",
    "Null",
    "SelectionMerge",
    "Undef",
    "Value",
    "constant",
]


class Location(NamedTuple):
    """A line of the user's source."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Value:
    """Anything an instruction can take as an operand."""

    __slots__ = ("type",)

    def __init__(self, type: Type) -> None:
        self.type = type


class Constant(Value):
    """An integer or a float constant, interned by `constant`.

    ``value`` is the bit pattern as an unsigned integer, for floats too (so that NaN payloads and -0.0 stay).
    """

    __slots__ = ("value",)

    def __init__(self, type: IntType | FloatType, value: int) -> None:
        super().__init__(type)
        self.value = value

    @property
    def signed(self) -> int:
        """The value of an integer constant read as two's complement."""
        assert isinstance(self.type, IntType)
        return self.value - (1 << self.type.bits) if self.value >> (self.type.bits - 1) else self.value


@cache
def _interned_constant(type: IntType | FloatType, value: int) -> Constant:
    return Constant(type, value)


def constant(type: IntType | FloatType, value: int) -> Constant:
    """Return the constant of ``type`` with this bit pattern; integers may be negative or too wide and wrap."""
    return _interned_constant(type, value & ((1 << type.bits) - 1))


class Undef(Value):
    """LLVM's ``undef`` and ``poison``: any value will do."""

    __slots__ = ()


class Null(Value):
    """The null pointer; kernels meet it only in parts of aggregates that nobody reads."""

    __slots__ = ()


class Aggregate(Value):
    """A constant structure, array or vector, ``zeroinitializer`` included."""

    __slots__ = ("elements",)

    def __init__(self, type: Type, elements: tuple[Value, ...]) -> None:
        super().__init__(type)
        self.elements = elements


class GlobalArray(Value):
    """A constant table of the module; its value is a pointer to ``initializer``."""

    __slots__ = ("initializer", "name")

    def __init__(self, type: Type, name: str, initializer: Value) -> None:
        super().__init__(type)
        self.name = name
        self.initializer = initializer


class Argument(Value):
    """A parameter of the function (kernels have none, tests do)."""

    __slots__ = ("name",)

    def __init__(self, type: Type, name: str) -> None:
        super().__init__(type)
        self.name = name


Detail = str | tuple[int, ...] | Type | None


class Instruction(Value):
    """One instruction; its result is the instruction itself.

    Attributes
    ----------
    opcode : str
        LLVM's name: ``add``, ``icmp``, ``br``, ``phi``, ``call`` and so on.
    operands : list of Value
        In LLVM's order. A store has (value, pointer), a conditional branch its condition, a switch its scrutinee.
    detail : str, tuple of int, Type or None
        Predicate of a comparison; callee of a call; indices of ``extractvalue`` and ``insertvalue``; case values
        of a switch (unsigned); the accessed, allocated or source element type of ``alloca`` and ``getelementptr``.
    targets : list of Block
        ``br``: one, or the true and the false one; ``switch``: the default, then one per case; ``phi``: the
        predecessor of each operand.
    flags : frozenset of str
        ``nuw``, ``nsw``, ``exact``, ``disjoint``, ``nneg`` and fast-math flags.
    """

    __slots__ = ("detail", "flags", "location", "name", "opcode", "operands", "targets")

    def __init__(
        self,
        opcode: str,
        type: Type,
        operands: list[Value] | None = None,
        *,
        detail: Detail = None,
        targets: list[Block] | None = None,
        flags: frozenset[str] = frozenset(),
        name: str = "",
        location: Location | None = None,
    ) -> None:
        self.type = type
        self.opcode = opcode
        self.operands: list[Value] = [] if operands is None else operands
        self.detail = detail
        self.targets: list[Block] = [] if targets is None else targets
        self.flags = flags
        self.name = name
        self.location = location

    @property
    def predicate(self) -> str:
        """The predicate of an ``icmp`` or ``fcmp``."""
        assert isinstance(self.detail, str)
        return self.detail

    @property
    def callee(self) -> str:
        """The name of the function that a ``call`` calls, without the ``@``."""
        assert isinstance(self.detail, str)
        return self.detail

    @property
    def indices(self) -> tuple[int, ...]:
        """Indices of ``extractvalue`` and ``insertvalue``, case values of a ``switch``, mask of a shuffle."""
        assert isinstance(self.detail, tuple)
        return self.detail

    @property
    def element(self) -> Type:
        """The type that an ``alloca`` allocates or a ``getelementptr`` steps over."""
        assert isinstance(self.detail, Type)
        return self.detail

    @property
    def is_terminator(self) -> bool:
        """Whether the instruction ends its block."""
        return self.opcode in TERMINATORS

    def incoming(self, source: Block) -> Value:
        """Return what a ``phi`` takes from a predecessor."""
        return self.operands[self.targets.index(source)]


TERMINATORS = frozenset({"br", "switch", "ret", "unreachable"})


@dataclass(frozen=True, eq=False)
class SelectionMerge:
    """The conditional branch of this block selects; control meets again in ``merge``."""

    merge: Block


@dataclass(frozen=True, eq=False)
class LoopMerge:
    """The block is a loop header: ``merge`` follows the loop, ``continue_`` holds the back edge."""

    merge: Block
    continue_: Block


Merge = SelectionMerge | LoopMerge


@dataclass(eq=False)
class Block:
    """A basic block; the last instruction is its terminator. ``merge`` is set by the structurizer."""

    name: str
    instructions: list[Instruction] = field(default_factory=list[Instruction])
    merge: Merge | None = None

    @property
    def terminator(self) -> Instruction:
        """The last instruction."""
        return self.instructions[-1]

    @property
    def successors(self) -> list[Block]:
        """The blocks that control can go to, each once, in order."""
        last = self.instructions[-1]
        return list(dict.fromkeys(last.targets)) if last.opcode in ("br", "switch") else []

    def phis(self) -> Iterator[Instruction]:
        """The phi instructions at the start of the block."""
        for instruction in self.instructions:
            if instruction.opcode != "phi":
                return
            yield instruction

    def __str__(self) -> str:
        return f"%{self.name}"


@dataclass(eq=False)
class Function:
    """A function; ``blocks[0]`` is the entry. ``globals`` are the constant tables it reads."""

    name: str
    return_type: Type
    arguments: list[Argument] = field(default_factory=list[Argument])
    blocks: list[Block] = field(default_factory=list[Block])
    globals: dict[str, GlobalArray] = field(default_factory=dict[str, GlobalArray])

    @property
    def entry(self) -> Block:
        """The first block."""
        return self.blocks[0]

    def instructions(self) -> Iterator[Instruction]:
        """All instructions in block order."""
        for block in self.blocks:
            yield from block.instructions

    def calls(self, prefix: str | tuple[str, ...] = "") -> list[Instruction]:
        """The calls of functions whose names begin with ``prefix``, or one of several, in block order."""
        return [
            i
            for block in self.blocks
            for i in block.instructions
            if i.opcode == "call" and i.callee.startswith(prefix)
        ]

    def predecessors(self) -> dict[Block, list[Block]]:
        """For each block the blocks that branch to it, each once."""
        result: dict[Block, list[Block]] = {block: [] for block in self.blocks}
        for block in self.blocks:
            for successor in block.successors:
                result[successor].append(block)
        return result
