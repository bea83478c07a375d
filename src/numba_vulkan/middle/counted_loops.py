"""Loops whose rounds are known before they run: one way out, passed in each round, by a counter that steps evenly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..llvmir.build import Builder
from ..llvmir.model import Block, Constant, Function, Instruction, Value, constant
from ..llvmir.types import I1, IntType, Type
from .known_rounds import rounds_of
from .loops import Ends, loops_of

__all__ = ["CountedLoop", "counted_loops"]

_INVERSE = {
    "slt": "sge",
    "sge": "slt",
    "sgt": "sle",
    "sle": "sgt",
    "ult": "uge",
    "uge": "ult",
    "ugt": "ule",
    "ule": "ugt",
    "eq": "ne",
    "ne": "eq",
}
_SWAPPED = {p: p.translate(str.maketrans("lg", "gl")) if p[0] in "su" else p for p in _INVERSE}


# The number of which nothing is on the side that a predicate asks for, by the bits of the integers.
_NEVER: dict[str, Callable[[int], int]] = {
    "slt": lambda bits: -1 << bits - 1,
    "sgt": lambda bits: (1 << bits - 1) - 1,
    "ult": lambda bits: 0,
    "ugt": lambda bits: -1,
}
_MOST_ROUNDS = 64


@dataclass(frozen=True, eq=False)
class CountedLoop:
    """A loop that goes on while ``predicate(counter, bound)`` holds, where ``step`` is added in each round.

    Attributes
    ----------
    blocks : list of Block
        Those of the loop, each behind all that lead to it: the header first, what leads back to it last.
    entries : list of Block
        The blocks from which control enters the loop.
    counter : Instruction
        A phi of the header.
    step, bound : Value
        Values from outside of the loop.
    predicate : str
        An ``icmp`` predicate.
    tests_next : bool
        Whether it is the counter of the next round that is compared.
    rounds : int or None
        How many rounds are complete, if that is known.
    """

    blocks: list[Block]
    entries: list[Block]
    counter: Instruction
    step: Value
    bound: Value
    predicate: str
    tests_next: bool
    rounds: int | None

    @property
    def header(self) -> Block:
        """Where control enters the loop."""
        return self.blocks[0]

    @property
    def is_straight(self) -> bool:
        """Whether all rounds take the same way."""
        members = set(self.blocks)
        return all(len(members.intersection(block.successors)) == 1 for block in self.blocks)

    def instructions(self) -> Iterator[Instruction]:
        """What a round computes, in order, without phis and branches."""
        for block in self.blocks:
            yield from (i for i in block.instructions if i.opcode != "phi" and not i.is_terminator)

    def following(self) -> dict[Value, Value]:
        """Return for each phi of the header what it is in the next round."""
        latch = self.blocks[-1]
        return {phi: phi.incoming(latch) for phi in self.header.phis()}

    def condition(self, outside: Builder, inside: Builder, counter: Value, rounds: int) -> Value:
        """Emit whether, from a counter on, at least this many rounds run for certain.

        Whether they do is known without running them because the counter of the last one is: if it satisfies the
        predicate, and nothing overflows on the way, those in between do too. A loop that tests the next counter has
        one more to satisfy it.

        Parameters
        ----------
        outside : Builder
            Where what is the same for all rounds is computed.
        inside : Builder
            Where the condition is computed.
        counter : Value
            The counter.
        rounds : int
            How many, up to `_MOST_ROUNDS`.
        """
        distance = rounds if self.tests_next else rounds - 1
        type = counter.type
        assert isinstance(type, IntType)
        if self.predicate == "ne":
            left, right = (self.bound, counter) if _signed(self.step) == 1 else (counter, self.bound)
            return inside.icmp("ugt", inside.binary("sub", left, right), constant(type, distance))
        strict = self.predicate[:2] + "t"
        return inside.icmp(strict, counter, self._limit(outside, strict, type, distance))

    def _limit(self, b: Builder, predicate: str, type: IntType, distance: int) -> Value:
        """Emit the bound less a number of steps; one that no counter satisfies where that is no number.

        It is none if the step leads away from the bound or is so large that its multiple overflows, and if the
        difference does.
        """
        rises = predicate[1] == "l"
        size = self.step if rises else b.binary("sub", constant(type, 0), self.step)
        limit = b.binary("sub", self.bound, b.binary("mul", self.step, constant(type, distance)))
        small = constant(type, (1 << type.bits - 1) // _MOST_ROUNDS)
        steps_well = _compare(b, "ult", b.binary("add", size, constant(type, -1)), small)
        is_number = _compare(b, predicate, limit, self.bound)
        never = constant(type, _NEVER[predicate](type.bits))
        return b.select(steps_well, b.select(is_number, limit, never), never)


def _signed(value: Value) -> int | None:
    return value.signed if isinstance(value, Constant) else None


def _compare(b: Builder, predicate: str, left: Value, right: Value) -> Value:
    """Emit a comparison; its answer if both sides are constants."""
    if not (isinstance(left, Constant) and isinstance(right, Constant)):
        return b.icmp(predicate, left, right)
    one, other = (left.signed, right.signed) if predicate[0] == "s" else (left.value, right.value)
    return constant(I1, one < other if predicate[1] == "l" else one > other)


def counted_loops(function: Function) -> list[CountedLoop]:
    """Return the innermost loops that count, with what branches are inside."""
    found = (
        _counted(loop.blocks, loop.entries, loop.ends)
        for loop in loops_of(function)
        if loop.is_innermost and loop.ends is not None
    )
    return [loop for loop in found if loop is not None]


def _counted(blocks: list[Block], entries: list[Block], ends: Ends) -> CountedLoop | None:
    """Return a loop if one comparison decides whether it goes on."""
    members, branch = set(blocks), ends.leaving.terminator
    if branch.opcode != "br":
        return None
    inside = {i for block in blocks for i in block.instructions}
    test = branch.operands[0]
    if not isinstance(test, Instruction) or test.opcode != "icmp" or test not in inside:
        return None
    predicate = test.predicate if branch.targets[0] in members else _INVERSE[test.predicate]
    left, right = test.operands
    sides = ((left, right, predicate), (right, left, _SWAPPED[predicate]))
    for tested, bound, way in sides:
        if not isinstance(tested, Instruction) or bound in inside or not _is_counter(tested.type):
            continue
        for phi in blocks[0].phis():
            following = phi.incoming(ends.latch)
            step = _step(phi, following, inside)
            if step is not None and tested in (phi, following) and _is_understood(way, step):
                known = rounds_of(blocks[0], *ends, members)
                rounds = None if known is None else known - (ends.leaving is not ends.latch)
                return CountedLoop(blocks, entries, phi, step, bound, way, tested is following, rounds)
    return None


def _is_counter(type: Type) -> bool:
    """Return whether numbers of a type hold `_MOST_ROUNDS`."""
    return isinstance(type, IntType) and type.bits >= 8


def _is_understood(predicate: str, step: Value) -> bool:
    """Return whether the counter is on one side of the bound before the loop ends, or meets it for certain."""
    return predicate != "eq" and (predicate != "ne" or _signed(step) in (1, -1))


def _step(phi: Instruction, following: Value, inside: set[Instruction]) -> Value | None:
    """Return what is added to a phi in each round, if it comes from outside of the loop."""
    if not isinstance(following, Instruction) or following.opcode != "add" or phi not in following.operands:
        return None
    step = following.operands[1 if following.operands[0] is phi else 0]
    return None if step in inside else step
