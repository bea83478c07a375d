"""Compute once what is computed several times: of equal values those stay that come first on the way to the others.

Values are numbered from the start of a function to its end, and each outermost loop again and again until nothing
changes there (Simpson's RPO algorithm): equal operations on equally numbered operands have one number. What comes round
in a loop is taken for equal at first, so that counters which run alike are found. The contents of all arrays together
are such a value as well, and so are those of all variables: whatever may write them makes new ones, and a load is an
operation on them.

LLVM's pass for this, NewGVN, ends the process on some functions ("Seem to have processed the same Value a lot", an
assertion that llvmlite's LLVM 22 has; seen with 41 phis in three loops in each other).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from enum import Enum
from functools import cache

from .. import abi
from ..graphs.dominators import DominatorTree, dominator_tree
from ..graphs.loops import NO_LOOP, loop_nest
from ..llvmir.model import TERMINATORS, Block, Constant, Function, Instruction, Value, constant
from ..llvmir.types import VOID, IntType
from ..mathlib.table import PREFIX
from .blocks import successors_of
from .passes import Context
from .rewriting import drop_unreachable, replace_uses

__all__ = ["COMMUTE", "Does", "equal_values", "merge_values", "run", "what_does"]

# Each walk settles what the one before took for equal. What is not settled then is numbered once more, as if nothing
# that comes round in a loop were equal to anything.
_MOST_WALKS = 16
# What is more than an operation on its operands, or none.
_OTHERS = TERMINATORS | {"phi", "call", "load", "store", "alloca"}
COMMUTE = frozenset({"add", "mul", "and", "or", "xor", "fadd", "fmul"})
_SYMMETRIC = frozenset({"eq", "ne", "oeq", "one", "ueq", "une", "ord", "uno"})
_HOLDS_FOR_EQUALS = frozenset({"eq", "uge", "ule", "sge", "sle"})


class Does(Enum):
    """What a call does with memory."""

    NOTHING = "computes its result from its operands alone"
    READS = "reads arrays"
    CHANGES = "may write everything, or is another one each time"


@cache
def what_does(callee: str) -> Does:
    """Return what a call of a function does; of intrinsics this is known for those that have a result."""
    row = _PLACEHOLDERS.get(callee)
    if row is not None:
        return next((does for words, does in _BY_ATTRIBUTE if words in row.attributes), Does.CHANGES)
    return Does.NOTHING if callee.startswith((PREFIX, "llvm.")) else Does.CHANGES


_PLACEHOLDERS = abi.PLACEHOLDERS | abi.PAIRS | abi.NARROWED
_BY_ATTRIBUTE = (("memory(none)", Does.NOTHING), ("memory(read)", Does.READS))

_Number = Value | Block
"""The first of the values that are equal; for contents, what has written them or the block in which ways meet."""
_Contents = tuple[_Number | None, _Number | None]
"""Of arrays and of variables."""


def run(function: Function, context: Context) -> None:
    """Merge equal values."""
    merge_values(function)


def merge_values(function: Function) -> None:
    """Merge equal values of a function, in place."""
    numbering = _Numbering(function)
    headers = {function.blocks[node] for node in numbering.headers}
    decided = _decided_branches(function, numbering)
    replacements = _replacements(function, numbering)
    if replacements:
        _replace(function, numbering.numbers, replacements)
    for branch, target in decided:
        branch.operands, branch.targets = [], [target]
    if decided:
        drop_unreachable(function)
    if replacements:
        _skip_empty_blocks(function, headers)


def equal_values(function: Function) -> dict[Value, Value]:
    """Return what may stand for instructions, because it is equal and comes before them on every way."""
    return _replacements(function, _Numbering(function))


class _Numbering:
    """Numbers of the values of a function.

    Attributes
    ----------
    tree : DominatorTree
        Who dominates whom among the blocks.
    numbers : dict
        The number of each instruction that has been met; its own if it is equal to nothing.
    headers : set of int
        The blocks with which loops begin.
    """

    def __init__(self, function: Function) -> None:
        self.tree = tree = dominator_tree(successors_of(function))
        self.numbers: dict[Value, _Number] = {}
        self._blocks = function.blocks
        self._after: dict[int, _Contents] = {}
        self._seen: dict[Hashable, _Number] = {}
        # The blocks from which control comes round to each header.
        self._latches: dict[int, set[Block]] = {}
        for target in tree.order:
            for source in tree.predecessors[target]:
                if tree.is_back_edge(source, target):
                    self._latches.setdefault(target, set()).add(self._blocks[source])
        self.headers = set(self._latches)
        # What headers took their numbers from in this walk: what comes round, and the contents there.
        self._coming: dict[Value, _Number] = {}
        self._contents_at: dict[int, _Contents] = {}
        self._number_all()

    def _number_all(self) -> None:
        """Number everything; of a block, what comes before it is done first, but for what comes round to it."""
        order, loops = self.tree.order, loop_nest(self.tree)
        nodes_of: dict[int, list[int]] = {}
        for node in order:
            nodes_of.setdefault(loops.outermost(node), []).append(node)
        for node in order:
            loop = loops.outermost(node)
            if loop == NO_LOOP:
                self._walk([node])
            elif loops.headers[loop] == node:
                self._settle(nodes_of[loop])

    def _settle(self, nodes: list[int]) -> None:
        """Number the blocks of an outermost loop until another walk would change nothing."""
        headers = [node for node in nodes if node in self.headers]
        seen, seen_before = self._seen, len(self._seen)
        self._coming = dict(self._coming_to(headers))
        for _ in range(_MOST_WALKS):
            self._walk(nodes)
            self._coming = dict(self._coming_to(headers))
            if all(map(self._is_settled, headers)):
                return
            while len(seen) > seen_before:
                seen.popitem()
        self._walk(nodes, is_unknown=True)

    def _coming_to(self, headers: list[int]) -> Iterator[tuple[Value, _Number]]:
        """Yield what comes round to loops, with its numbers as far as it has some."""
        for header in headers:
            for phi in self._blocks[header].phis():
                for source, operand in zip(phi.targets, phi.operands, strict=True):
                    if source in self._latches[header] and operand in self.numbers:
                        yield operand, self.numbers[operand]

    def _is_settled(self, header: int) -> bool:
        """Whether another walk would give the contents and the phis of a header the same numbers."""
        seen: dict[Hashable, _Number] = {}
        return self._contents_before(header) == self._contents_at[header] and all(
            self._number_of_phi(phi, header, seen) is self.numbers[phi] for phi in self._blocks[header].phis()
        )

    def _walk(self, nodes: list[int], is_unknown: bool = False) -> None:
        """Number what is in blocks; if it ``is_unknown`` what comes into loops, that is equal to nothing."""
        numbers = self.numbers
        for node in nodes:
            block, is_header = self._blocks[node], node in self.headers
            contents = (block, block) if is_header and is_unknown else self._contents_before(node)
            if is_header:
                self._contents_at[node] = contents
            for i in block.instructions:
                opcode = i.opcode
                if opcode not in _OTHERS:
                    numbers[i] = self._number_of(i)
                elif opcode == "phi":
                    numbers[i] = i if is_header and is_unknown else self._number_of_phi(i, node, self._seen)
                elif opcode == "call":
                    contents = self._number_call(i, contents)
                elif opcode == "load":
                    numbers[i] = self._number_of(i, contents[1])
                elif opcode == "store":
                    contents = contents[0], i
                elif opcode == "alloca":
                    numbers[i] = i
            self._after[node] = contents

    def _number_of(self, i: Instruction, contents: _Number | None = None) -> _Number:
        """Return the number of an operation on operands and contents."""
        numbers = self.numbers
        operands = [numbers.get(operand, operand) for operand in i.operands]
        if len(operands) == 2 and i.type.__class__ is IntType:
            known = _known_result(i, *operands)
            if known is not None:
                return known
        if i.opcode in COMMUTE or (i.detail in _SYMMETRIC and i.opcode in ("icmp", "fcmp")):
            operands.sort(key=id)
        return self._seen.setdefault((i.opcode, i.type, i.detail, contents, *operands), i)

    def _number_of_phi(self, phi: Instruction, node: int, seen: dict[Hashable, _Number]) -> _Number:
        """Return the number of a phi: that of its operands, if they have one; those not seen yet are left out.

        What comes round has the number of the walk before, for all phis of a header alike.
        """
        latches = self._latches.get(node, ())
        by_source: dict[Block, _Number] = {}
        for source, operand in zip(phi.targets, phi.operands, strict=True):
            numbers = self._coming if source in latches else self.numbers
            number = numbers.get(operand) if isinstance(operand, Instruction) else operand
            if number is not None:
                by_source[source] = number
        if len(set(by_source.values())) == 1:
            return next(iter(by_source.values()))
        return seen.setdefault((node, frozenset(by_source.items())), phi)

    def _number_call(self, call: Instruction, contents: _Contents) -> _Contents:
        """Number a call and return the contents after it."""
        does = what_does(call.callee)
        if call.type is VOID and does is Does.NOTHING:
            return contents[0], call  # an intrinsic that copies, or a hint
        if does is Does.CHANGES:
            self.numbers[call] = call
            return call, call
        self.numbers[call] = self._number_of(call, contents[0] if does is Does.READS else None)
        return contents

    def _contents_before(self, node: int) -> _Contents:
        """Return the contents at the start of a block."""
        known = [self._after[source] for source in self.tree.predecessors[node] if source in self._after]
        if not known:
            return None, None
        if all(contents == known[0] for contents in known):
            return known[0]
        block = self._blocks[node]
        arrays, variables = zip(*known, strict=True)
        return (
            arrays[0] if len(set(arrays)) == 1 else block,
            variables[0] if len(set(variables)) == 1 else block,
        )


def _known_result(i: Instruction, left: _Number, right: _Number) -> _Number | None:
    """Return what an integer operation gives on equal operands, or on a number and 0; None if that says nothing."""
    assert isinstance(i.type, IntType)
    if left is right:
        if i.opcode == "icmp":
            return constant(i.type, i.detail in _HOLDS_FOR_EQUALS)
        return (
            constant(i.type, 0) if i.opcode in ("sub", "xor") else left if i.opcode in ("and", "or") else None
        )
    if isinstance(right, Constant) and right.value == 0 and i.opcode in ("add", "sub", "or", "xor"):
        return left
    if isinstance(left, Constant) and left.value == 0 and i.opcode in ("add", "or", "xor"):
        return right
    return None


def _decided_branches(function: Function, numbering: _Numbering) -> list[tuple[Instruction, Block]]:
    """Return the branches on what is constant, or was decided on the only way there, with their targets."""
    blocks, tree, numbers = function.blocks, numbering.tree, numbering.numbers
    known: dict[_Number, list[bool]] = {}
    scopes: list[list[_Number]] = []
    decided: list[tuple[Instruction, Block]] = []
    for node, depth in _down_the_tree(tree):
        while len(scopes) > depth:
            for number in scopes.pop():
                known[number].pop()
        scopes.append(scope := [])
        if len(tree.predecessors[node]) == 1:
            above = blocks[tree.predecessors[node][0]].terminator
            if len(set(above.targets)) == 2 and above.opcode == "br":
                number = numbers.get(above.operands[0], above.operands[0])
                known.setdefault(number, []).append(above.targets[0] is blocks[node])
                scope.append(number)
        branch = blocks[node].terminator
        if len(set(branch.targets)) == 2 and branch.opcode == "br":
            number = numbers.get(branch.operands[0], branch.operands[0])
            if isinstance(number, Constant):
                decided.append((branch, branch.targets[0 if number.value else 1]))
            elif known.get(number):
                decided.append((branch, branch.targets[0 if known[number][-1] else 1]))
    return decided


def _skip_empty_blocks(function: Function, headers: set[Block]) -> None:
    """Let control pass by blocks that are left without instructions, but for those that lead into a loop."""
    predecessors = function.predecessors()
    has_skipped = False
    for block in function.blocks[1:]:
        (target, *others), sources = block.terminator.targets or [None], predecessors[block]
        if len(block.instructions) > 1 or others or target is None or target in headers or target is block:
            continue
        if any(
            source in predecessors[target] or source.terminator.targets.count(block) > 1 for source in sources
        ):
            continue
        for source in sources:
            end = source.terminator
            end.targets = [target if there is block else there for there in end.targets]
        for phi in target.phis():
            value = phi.operands[place := phi.targets.index(block)]
            phi.operands[place : place + 1] = [value] * len(sources)
            phi.targets[place : place + 1] = sources
        predecessors[target] = [one for one in predecessors[target] if one is not block] + sources
        predecessors[block] = []
        has_skipped = True
    if has_skipped:
        drop_unreachable(function)


def _replacements(function: Function, numbering: _Numbering) -> dict[Value, Value]:
    """Return for values the first ones with their numbers on the ways to them."""
    tree, numbers = numbering.tree, numbering.numbers
    leaders: dict[_Number, Value] = {}
    replacements: dict[Value, Value] = {}
    scopes: list[list[_Number]] = []
    for node, depth in _down_the_tree(tree):
        while len(scopes) > depth:
            for number in scopes.pop():
                del leaders[number]
        scopes.append(scope := [])
        for i in function.blocks[node].instructions:
            number = numbers.get(i)
            if number is None:
                continue
            if isinstance(number, Value) and not isinstance(number, Instruction):
                replacements[i] = number
            elif number in leaders:
                replacements[i] = leaders[number]
            else:
                leaders[number] = i
                scope.append(number)
    return replacements


def _replace(function: Function, numbers: dict[Value, _Number], replacements: dict[Value, Value]) -> None:
    """Replace values, and let what stays promise no more than what it stands for; a phi may stand for each."""
    flags: dict[_Number, frozenset[str]] = {}
    merged = {numbers[value] for value in replacements}
    for i in function.instructions():
        if i in numbers and i.opcode != "phi" and (number := numbers[i]) in merged:
            flags[number] = flags.get(number, i.flags) & i.flags
    for block in function.blocks:
        block.instructions = [i for i in block.instructions if i not in replacements]
        for i in block.instructions:
            if i.flags and i.opcode != "phi":
                i.flags = flags.get(numbers.get(i, i), i.flags)
    replace_uses(function, replacements)


def _down_the_tree(tree: DominatorTree) -> Iterator[tuple[int, int]]:
    """Yield each block after the one that dominates it directly, subtree after subtree, and its depth."""
    below: dict[int, list[int]] = {}
    for node in tree.order[1:]:
        below.setdefault(tree.parent(node), []).append(node)
    pending = [tree.order[0]]
    while pending:
        node = pending.pop()
        yield node, tree.tree.depth[node]
        pending.extend(reversed(below.get(node, [])))
