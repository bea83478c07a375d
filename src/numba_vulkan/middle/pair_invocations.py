"""Let one invocation do what two invocations of neighbouring workgroups do.

Where a kernel loads a little and stores it, an invocation waits for memory, and a processor holds only so many. With
the loads of two under way at once, an NVIDIA H200 (driver 580) takes 0.79 of the time for ``y[i] = a * x[i] + y[i]``,
0.65 for a stencil of five points and 0.69 for a copy.

What is done in pairs has no loop, at most one condition around it, and touches nothing but arrays. Invocations of a
grid run in any order, so those of a pair may take turns at every step. Neighbours along x have to write close to each
other: where they write far apart, as in ``y[j, i] = x[i, j]``, pairs take 1.16 of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .. import abi
from ..kernel import Pairing
from ..llvmir.build import Builder
from ..llvmir.model import Block, Constant, Function, Instruction, Value
from ..llvmir.types import I32, VOID
from .blocks import copy_of
from .merge_values import Does, what_does
from .passes import Context
from .strides import stride_of

__all__ = ["run"]

# What differs between the two needs registers twice, and code up to four times.
_MOST_INSTRUCTIONS = 64
# How many elements what neighbours write may be apart, such as the words of complex numbers.
_MOST_APART = 8
_LOADS = frozenset(abi.load_name(element, index) for element in abi.ELEMENTS for index in abi.INDEX_TYPES)
_STORES = frozenset(abi.store_name(element, index) for element in abi.ELEMENTS for index in abi.INDEX_TYPES)


@dataclass(frozen=True)
class _Shape:
    """A kernel that can be done in pairs.

    Attributes
    ----------
    condition : Value or None
        Whether an invocation does what the body says; None if all of them do.
    holds_there : bool
        What the condition is then.
    entry, body : list of Instruction
        What is done in front of the condition and behind it, without the branches at the ends.
    differs : set of Value
        What differs between the invocations of a pair.
    """

    condition: Value | None
    holds_there: bool
    entry: list[Instruction]
    body: list[Instruction]
    differs: set[Value]


def run(function: Function, context: Context) -> Context | None:
    """Say whether a kernel can be done in pairs, and do so where the variant asks for it."""
    shape = _shape_of(function)
    if shape is None:
        return None
    if context.variant.pairing is not Pairing.NONE:
        _pair(function, shape, context.variant.pairing)
    return replace(context, interface=replace(context.interface, can_pair=True))


def _shape_of(function: Function) -> _Shape | None:
    """Return how a kernel is built; None if it cannot be done in pairs, or nothing is gained."""
    before, branch = function.entry.instructions[:-1], function.entry.terminator
    condition, holds_there, body = None, True, list[Instruction]()
    if branch.opcode == "br" and len(set(branch.targets)) == 2:
        ends = [_does_nothing(target) for target in branch.targets]
        if ends[0] == ends[1]:
            return None
        holds_there = ends[1]
        inside, outside = branch.targets if holds_there else reversed(branch.targets)
        last = inside.terminator
        if any(inside.phis()) or not (last.opcode == "ret" or last.targets == [outside]):
            return None
        condition, body = branch.operands[0], inside.instructions[:-1]
    elif branch.opcode != "ret":
        return None
    done = before + body
    if not all(map(_may_take_turns, done)):
        return None
    differs = _differing(done)
    loads = [i for i in done if i in differs and i.opcode == "call" and i.callee in _LOADS]
    if not loads or len(differs) > _MOST_INSTRUCTIONS or not _writes_closely(done):
        return None
    return _Shape(condition, holds_there, before, body, differs)


def _does_nothing(block: Block) -> bool:
    return len(block.instructions) == 1 and block.terminator.opcode == "ret"


def _may_take_turns(i: Instruction) -> bool:
    """Whether an instruction computes its result alone, or loads or stores an element of a buffer."""
    if i.opcode == "call" and (i.callee in _LOADS or i.callee in _STORES):
        binding = i.operands[0]
        return isinstance(binding, Constant) and binding.value < abi.SHARED_BASE
    if i.opcode == "call":
        return what_does(i.callee) is Does.NOTHING
    return i.opcode not in ("alloca", "load", "store", "phi")


def _differing(instructions: Iterable[Instruction]) -> set[Value]:
    """Return what depends on where along x an invocation is."""
    differs: set[Value] = set()
    for i in instructions:
        is_place = i.opcode == "call" and i.callee in (abi.GLOBAL_ID, abi.GROUP_ID) and _axis(i) == 0
        if is_place or not differs.isdisjoint(i.operands):
            differs.add(i)
    return differs


def _writes_closely(instructions: Iterable[Instruction]) -> bool:
    """Whether neighbours along x may store close to each other."""
    known: dict[Value, int | None] = {}
    stores = (i for i in instructions if i.opcode == "call" and i.callee in _STORES)
    strides = [stride_of(store.operands[1], known) for store in stores]
    return all(stride is None or abs(stride) <= _MOST_APART for stride in strides)


def _axis(i: Instruction) -> int:
    axis = i.operands[0]
    assert isinstance(axis, Constant)
    return axis.value


_Values = dict[Value, Value]


class _Writer:
    """Writes what ``ways``, invocations of a pair, do: ``values`` are what instructions of the kernel are for each."""

    def __init__(self, shape: _Shape, pairing: Pairing, ways: Sequence[int]) -> None:
        self._shape, self._pairing, self.ways = shape, pairing, ways
        self.values: dict[int, _Values] = {way: {} for way in ways}

    def following(self, *ways: int) -> _Writer:
        """Return a writer of what some of them do after this."""
        other = _Writer(self._shape, self._pairing, ways)
        other.values = {way: dict(self.values[way]) for way in ways}
        return other

    def block(self, name: str, instructions: Iterable[Instruction]) -> Block:
        """Write instructions into a block, each for one invocation after the other; without its branch."""
        block = Block(name)
        b = Builder(block.instructions)
        for i in instructions:
            b.location = i.location
            if i in self._shape.differs:
                for way in self.ways:
                    self.values[way][i] = self._written(b, i, way)
            else:
                shared = self._written(b, i, self.ways[0])
                for way in self.ways:
                    self.values[way][i] = shared
        return block

    def _written(self, b: Builder, i: Instruction, way: int) -> Value:
        if i.opcode == "call" and i.callee in _PLACES and _axis(i) == 0:
            return _PLACES[i.callee](b, i, way, self._pairing)
        copy = copy_of(i)
        copy.operands = [self.values[way].get(operand, operand) for operand in i.operands]
        return b.emit(copy)

    def enters(self, b: Builder, way: int) -> Value:
        """Write whether an invocation does what the body says."""
        condition = self._shape.condition
        assert condition is not None
        value = self.values[way].get(condition, condition)
        return value if self._shape.holds_there else b.negate(value)


def _own(b: Builder, callee: str) -> Value:
    return b.call(callee, I32, b.i32(0))


def _group(b: Builder, i: Instruction, way: int, pairing: Pairing) -> Value:
    return b.binary("add", b.binary("mul", _own(b, abi.GROUP_ID), b.i32(2)), b.i32(way))


def _invocation(b: Builder, i: Instruction, way: int, pairing: Pairing) -> Value:
    """Invocation l of workgroup 2g + way, where its own number is that of invocation l of workgroup g."""
    groups = b.binary("add", _own(b, abi.GROUP_ID), b.i32(way))
    return b.binary("add", _own(b, abi.GLOBAL_ID), b.binary("mul", groups, _own(b, abi.LOCAL_SIZE)))


def _count(b: Builder, i: Instruction, way: int, pairing: Pairing) -> Value:
    pairs = b.binary("mul", _own(b, abi.NUM_GROUPS), b.i32(2))
    return b.binary("sub", pairs, b.i32(pairing is Pairing.ODD))


_PLACES = {abi.GROUP_ID: _group, abi.GLOBAL_ID: _invocation, abi.NUM_GROUPS: _count}


def _pair(function: Function, shape: _Shape, pairing: Pairing) -> None:
    """Make a kernel do the work of two workgroups, of the last one alone where their number is odd."""
    location = function.entry.terminator.location
    end = Block("end", [Instruction("ret", VOID, location=location)])
    blocks = [*_parts(shape, _Writer(shape, pairing, (0, 1)), ("pair", "together"), end), end]
    if pairing is Pairing.ODD:
        entry = Block("entry")
        b = Builder(entry.instructions, location)
        next_ = b.binary("add", _own(b, abi.GROUP_ID), b.i32(1))
        alone = _parts(shape, _Writer(shape, pairing, (0,)), ("alone", "body"), end)
        b.branch_if(b.icmp("ult", next_, _own(b, abi.NUM_GROUPS)), blocks[0], alone[0])
        blocks = [entry, *blocks[:-1], *alone, end]
    function.blocks = blocks


def _parts(shape: _Shape, writer: _Writer, names: tuple[str, str], end: Block) -> list[Block]:
    """Return what the invocations of a writer do: what one of them does alone if the other does not do it."""
    entry = writer.block(names[0], shape.entry)
    b = Builder(entry.instructions, end.terminator.location)
    if shape.condition is None:
        b.branch(end)
        return [entry]
    together = writer.following(*writer.ways).block(names[1], shape.body)
    Builder(together.instructions, b.location).branch(end)
    enters = [writer.enters(b, way) for way in writer.ways]
    if len(set(enters)) == 1:
        b.branch_if(enters[0], together, end)
        return [entry, together]
    apart, between = Block("apart"), Block("between")
    first, second = (writer.following(way).block(f"only{way}", shape.body) for way in writer.ways)
    b.branch_if(b.binary("and", *enters), together, apart)
    Builder(apart.instructions, b.location).branch_if(enters[0], first, between)
    Builder(first.instructions, b.location).branch(between)
    Builder(between.instructions, b.location).branch_if(enters[1], second, end)
    Builder(second.instructions, b.location).branch(end)
    return [entry, together, apart, first, between, second]
