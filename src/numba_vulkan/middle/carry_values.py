"""Carry into the next round of a loop what was computed in this one, instead of computing it again.

A test at the end of a round often computes from new values what the next round computes from the same values, then the
current ones: the squares of ``while x * x + y * y <= 4``. What an operation on phis of a header will be in the next
round is the same operation on what they receive; where that is there already, a phi takes it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..graphs.dominators import DominatorTree, dominator_tree
from ..graphs.loops import NO_LOOP, loop_nest
from ..llvmir.model import Block, Function, Instruction, Value
from .blocks import copy_of, successors_of
from .merge_values import COMMUTE
from .passes import Context
from .users import Users

__all__ = ["run"]

# A value that is carried needs a register for the whole loop: only what costs more than that, and few of them.
_MOST_VALUES = 4
_WORTH = frozenset({"fadd", "fsub", "fmul", "fdiv", "mul", "sitofp", "uitofp"})
_WORTH_CALLS = ("llvm.fma.", "llvm.sqrt.")


def run(function: Function, context: Context) -> None:
    """Replace operations on values of this round by what the round before has computed."""
    tree = dominator_tree(successors_of(function))
    nest = loop_nest(tree)
    nodes: dict[int, list[int]] = {}
    for node in tree.order:
        loop = nest.innermost[node]
        while loop != NO_LOOP:
            nodes.setdefault(loop, []).append(node)
            loop = nest.parent(loop)
    users: Users | None = None
    for loop, inside in nodes.items():
        found = _Loop(function, tree, nest.headers[loop], inside)
        if found.known:
            users = users or Users(function.instructions())
            _carry(function, found, users)


class _Loop:
    """What of a loop the round before has computed.

    Attributes
    ----------
    header : Block
        Where it begins.
    blocks : list of Block
        Those of the loop.
    entries, latches : list of int
        The blocks from which control enters it and comes round.
    following : dict
        Phis and operations, each after its operands, with what they will be in the next round, for each latch.
    """

    def __init__(self, function: Function, tree: DominatorTree, header: int, nodes: Sequence[int]) -> None:
        self.header = function.blocks[header]
        self.blocks = [function.blocks[node] for node in nodes]
        sources = tree.predecessors[header]
        self.latches = [node for node in sources if tree.is_back_edge(node, header)]
        self.entries = [node for node in sources if not tree.is_back_edge(node, header)]
        self.following: dict[Value, Sequence[Value]] = {}
        self._places = {i: node for node in nodes for i in function.blocks[node].instructions}
        self._tree = tree
        self._operations: dict[Hashable, list[Instruction]] = {}
        operations = [i for i in self._places if _is_worth(i)]
        for i in operations:
            self._operations.setdefault(_key(i, i.operands), []).append(i)
        for phi in self.header.phis():
            self.following[phi] = [phi.incoming(function.blocks[node]) for node in self.latches]
        for i in operations:
            if any(operand in self.following for operand in i.operands):
                found = [self._in_next_round(i, way) for way in range(len(self.latches))]
                values = [value for value in found if value is not None and value is not i]
                if len(values) == len(found):
                    self.following[i] = values

    @property
    def known(self) -> list[Instruction]:
        """The operations."""
        return [i for i in self.following if isinstance(i, Instruction) and i.opcode != "phi"]

    def _in_next_round(self, i: Instruction, way: int) -> Instruction | None:
        """Return what has computed before a latch what an operation will be behind it."""
        operands: list[Value] = []
        for operand in i.operands:
            if operand in self.following:
                operands.append(self.following[operand][way])
            elif isinstance(operand, Instruction) and operand in self._places:
                return None
            else:
                operands.append(operand)
        for found in self._operations.get(_key(i, operands), ()):
            if self._tree.dominates(self._places[found], self.latches[way]):
                return found
        return None


def _carry(function: Function, loop: _Loop, users: Users) -> None:
    """Let phis take what was computed in the round before, if few will do."""
    known = loop.known
    kept = set[Value](known)
    named = {i for i in kept if any(user not in kept for user in users.of(i))}
    pending = list(named)
    while pending:
        fresh = {value for value in loop.following[pending.pop()] if value in kept} - named
        named |= fresh
        pending += fresh
    if not 0 < len(named) <= _MOST_VALUES:
        return
    blocks = function.blocks
    before = [_Entry(blocks[node], loop, users) for node in loop.entries]
    sources = [blocks[node] for node in loop.entries + loop.latches]
    phis: dict[Instruction, Instruction] = {}
    for i in known:
        if i in named:
            values = [*(entry.value(i) for entry in before), *loop.following[i]]
            phis[i] = Instruction("phi", i.type, values, targets=list(sources), location=i.location)
            users.add(phis[i])
    loop.header.instructions[:0] = phis.values()
    for block in loop.blocks:
        block.instructions = [i for i in block.instructions if i not in kept]
    for i in known:
        users.remove(i)
    for i, phi in phis.items():
        users.replace(i, phi)


class _Entry:
    """The end of a block from which control enters a loop, where the values of the first round are computed."""

    def __init__(self, block: Block, loop: _Loop, users: Users) -> None:
        self._block = block
        self._users = users
        self._values: dict[Value, Value] = {phi: phi.incoming(block) for phi in loop.header.phis()}
        self._loop = loop

    def value(self, i: Value) -> Value:
        """Return what a value of the loop is in the first round."""
        if i in self._values or i not in self._loop.following:
            return self._values.get(i, i)
        assert isinstance(i, Instruction)
        copy = copy_of(i)
        copy.operands = [self.value(operand) for operand in i.operands]
        self._block.instructions.insert(-1, copy)
        self._users.add(copy)
        self._values[i] = copy
        return copy


def _is_worth(i: Instruction) -> bool:
    return i.callee.startswith(_WORTH_CALLS) if i.opcode == "call" else i.opcode in _WORTH


def _key(i: Instruction, operands: Sequence[Value]) -> Hashable:
    """What equal operations have in common."""
    ordered = sorted(operands, key=id) if i.opcode in COMMUTE else operands
    return i.opcode, i.type, i.detail, i.flags, *ordered
