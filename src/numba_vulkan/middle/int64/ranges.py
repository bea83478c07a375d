"""Which 64-bit integers are small: an interval of signed values for each, by abstract interpretation.

Arithmetic may wrap, as NumPy's does: an interval that could leave 64 bits becomes all of them, whatever flags the
instruction has. Conditions of branches narrow intervals in the blocks they lead to. Loops are iterated with widening
until nothing changes, then narrowed; counters whose own condition bounds them bound the others of their loop. Only what
follows from an interval that has changed is evaluated again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from ...graphs.dominators import DominatorTree, dominator_tree
from ...llvmir.model import Constant, Function, Instruction, Value
from ...llvmir.types import I64
from ..blocks import successors_of
from .conditions import Fact, facts_of_edge, refine
from .intervals import FULL, Range, asked_besides, constant_range, fit, intersection, transfer, union

__all__ = ["signed_ranges"]

# Changes of a phi before its bounds are given up, sweeps before those of all phis are, and sweeps that win bounds back.
_PATIENCE = 3
_SWEEPS = 20
_NARROWINGS = 2
_NESTING = 3


def signed_ranges(function: Function) -> dict[Value, Range]:
    """Return the intervals of the 64-bit instructions of which something is known.

    Parameters
    ----------
    function : Function
        Blocks that control cannot reach are ignored.

    Returns
    -------
    dict of Value to Range
        Bounds of the value read as signed; both belong to the interval.
    """
    analysis = _Analysis(function)
    analysis.iterate()
    if analysis.has_phis:
        analysis.narrow()
        # What bounds an outer loop may bound what inner loops start with.
        for _ in range(_NESTING):
            if not analysis.bound_loops():
                break
            analysis.narrow()
    found = ((step.instruction, analysis.ranges.get(step.instruction, FULL)) for step in analysis.steps)
    return {instruction: range for instruction, range in found if range != FULL}


_Read = tuple[Value, tuple[Fact, ...]]
"""A value that an instruction takes, and the facts that hold of it there."""


@dataclass(slots=True, eq=False)
class _Step:
    """A 64-bit instruction: what it takes, how often its interval has grown, and whether an evaluation is due.

    One is due when something that it follows from has changed, and while the interval is not the one that was found.
    """

    instruction: Instruction
    reads: list[_Read]
    growths: int = 0
    is_due: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class _Counter:
    """A phi with which a loop begins: what it is at first, and what ways round the loop make of it.

    ``distances`` has by how much it grows on each of these ways if that is constant, else it is empty.
    """

    step: _Step
    starts: list[Value]
    nexts: list[Value]
    distances: list[int]

    @property
    def phi(self) -> Instruction:
        """The phi."""
        return self.step.instruction


class _Analysis:
    """The state of one analysis.

    Attributes
    ----------
    ranges : dict
        What is known so far, of constants and arguments too; an instruction that is missing has not been reached.
    limits : dict
        Intervals known of phis for other reasons.
    facts : dict
        For each value the facts about it, each with the number of the block from which on it holds.
    edge_facts : dict
        Facts that hold on the edge between two blocks.
    steps : list of _Step
        In an order in which definitions come before uses.
    counters : list of list of _Counter
        The 64-bit phis of each loop.
    followers : dict
        For each value the steps that may find something else when its interval changes.
    has_phis : bool
        Whether there are phis; without them, every operand is defined before its use.
    """

    def __init__(self, function: Function) -> None:
        self.blocks = function.blocks
        self.numbers = {block: number for number, block in enumerate(function.blocks)}
        graph = successors_of(function)
        self.tree: DominatorTree = dominator_tree(graph, lambda number: function.blocks[number].name)
        self.ranges: dict[Value, Range] = {}
        self.limits: dict[Value, Range] = {}
        self.facts: dict[Value, list[tuple[int, Fact]]] = defaultdict(list)
        self.edge_facts: dict[tuple[int, int], list[Fact]] = {}
        for number in self.tree.order:
            self._collect_facts(number)
        self.steps: list[_Step] = []
        self.counters: list[list[_Counter]] = []
        self.has_phis = False
        for number in self.tree.order:
            self._collect_steps(number)
        self.followers: dict[Value, list[_Step]] = defaultdict(list)
        if self.has_phis:
            for step in self.steps:
                self._follow(step)

    def _collect_facts(self, number: int) -> None:
        for successor in self.blocks[number].successors:
            facts = list(facts_of_edge(self.blocks[number].terminator, successor))
            if facts:
                target = self.numbers[successor]
                self.edge_facts[number, target] = facts
                for fact in facts:
                    self._know(fact.other)
                if self.tree.predecessors[target] == [number]:
                    for fact in facts:
                        self.facts[fact.value].append((target, fact))

    def _collect_steps(self, number: int) -> None:
        phis: list[_Step] = []
        for i in self.blocks[number].instructions:
            if i.type is not I64:
                continue
            if i.opcode == "phi":
                step = _Step(i, list(self._reads_of_phi(i, number)))
                phis.append(step)
            else:
                step = _Step(i, [self._read(o, number) for o in i.operands if o.type is I64])
            self.steps.append(step)
        self.has_phis = self.has_phis or bool(phis)
        latches = [
            source for source in self.tree.predecessors[number] if self.tree.is_back_edge(source, number)
        ]
        if phis and latches:
            self.counters.append([self._counter(phi, latches) for phi in phis])

    def _reads_of_phi(self, phi: Instruction, number: int) -> Iterator[_Read]:
        for value, source in zip(phi.operands, phi.targets, strict=True):
            origin = self.numbers[source]
            if self.tree.number[origin] >= 0:
                on_edge = (f for f in self.edge_facts.get((origin, number), ()) if f.value is value)
                yield value, (*self._read(value, origin)[1], *on_edge)

    def _read(self, value: Value, number: int) -> _Read:
        """Return a value with the facts about it that hold in a block."""
        if not isinstance(value, Instruction):
            self._know(value)
        if value not in self.facts:
            return value, ()
        return value, tuple(fact for start, fact in self.facts[value] if self.tree.dominates(start, number))

    def _know(self, value: Value) -> None:
        """Note what is known of a value from the start, if it is no instruction."""
        if isinstance(value, Constant):
            self.ranges[value] = constant_range(value)
        elif not isinstance(value, Instruction):
            self.ranges[value] = FULL

    def _counter(self, step: _Step, latches: list[int]) -> _Counter:
        starts: list[Value] = []
        nexts: list[Value] = []
        phi = step.instruction
        for value, source in zip(phi.operands, phi.targets, strict=True):
            origin = self.numbers[source]
            if origin in latches:
                nexts.append(value)
            elif self.tree.number[origin] >= 0:
                starts.append(value)
        return _Counter(step, starts, nexts, _distances(phi, nexts))

    def _follow(self, step: _Step) -> None:
        """Note of what a step has to learn."""
        for value, facts in step.reads:
            self.followers[value].append(step)
            for fact in facts:
                self.followers[fact.other].append(step)
        for source in asked_besides(step.instruction):
            self.followers[source].append(step)

    # ---- iteration

    def iterate(self) -> None:
        """Let intervals grow from nothing until they hold everywhere."""
        # Without phis the first sweep is final.
        sweeps = _SWEEPS if self.has_phis else 1
        if not all(self._sweep(_grown) for _ in range(sweeps)) or not self.has_phis:
            return
        for step in self.steps:
            if step.instruction.opcode == "phi":
                self._set(step.instruction, FULL)
        self._sweep(_grown)

    def narrow(self) -> None:
        """Compute intervals anew from intervals that hold: the results hold too."""
        for _ in range(_NARROWINGS):
            self._sweep(_narrowed)

    def _sweep(self, joined: Callable[[_Step, Range, Range], Range]) -> bool:
        """Evaluate once what is due; return whether an interval has changed.

        ``joined`` says what becomes of an interval, given the one before and the one found.
        """
        has_changed = False
        for step in self.steps:
            if not step.is_due:
                continue
            step.is_due = False
            instruction = step.instruction
            found = self._evaluate_phi(step) if instruction.opcode == "phi" else self._evaluate(step)
            before = self.ranges.get(instruction)
            if found is not None and found != before:
                after = found if before is None else joined(step, before, found)
                step.is_due = after != found
                if after != before:
                    self._set(instruction, after)
                    has_changed = True
        return has_changed

    def _set(self, value: Value, range: Range) -> None:
        self.ranges[value] = range
        for follower in self.followers.get(value, ()):
            follower.is_due = True

    def _evaluate(self, step: _Step) -> Range | None:
        """Return the interval of a result, None if its operands were not reached yet."""
        operands: list[Range] = []
        for value, facts in step.reads:
            known = self._at(value, facts) if facts else self.ranges.get(value)
            if known is None:
                return None
            operands.append(known)
        return transfer(step.instruction, operands, self.ranges)

    def _evaluate_phi(self, step: _Step) -> Range | None:
        result: Range | None = None
        for value, facts in step.reads:
            known = self._at(value, facts) if facts else self.ranges.get(value)
            if known is not None:
                result = known if result is None else union(result, known)
        limit = self.limits.get(step.instruction)
        return result if limit is None or result is None else intersection(result, limit)

    def _at(self, value: Value, facts: tuple[Fact, ...]) -> Range | None:
        """Return the interval of a value where some facts hold of it."""
        known = self.ranges.get(value)
        for fact in facts:
            other = self.ranges.get(fact.other)
            if known is None or other is None:
                return None
            known = refine(known, fact.predicate, other)
        return known

    # ---- loops

    def bound_loops(self) -> bool:
        """Limit counters of loops by where they start and how often others can count; return whether that is new."""
        before = dict(self.limits)
        for counters in self.counters:
            for counter in counters:
                self._bound_one_way(counter)
            counts = [self._count(counter) for counter in counters]
            rounds = min((count for count in counts if count is not None), default=None)
            if rounds is not None:
                for counter in counters:
                    self._limit(counter, rounds)
        return self.limits != before

    def _bound_one_way(self, counter: _Counter) -> None:
        """Limit a phi that only grows, or only shrinks, by what it starts with."""
        starts = self._ranges_of(counter.starts)
        moves = [self._move(counter.phi, value) for value in counter.nexts]
        known = [move for move in moves if move is not None]
        if not starts or len(known) < len(moves):
            return
        low, high = FULL
        if all(move.low >= 0 for move in known):
            low = min(start.low for start in starts)
        if all(move.high <= 0 for move in known):
            high = max(start.high for start in starts)
        if (low, high) != FULL:
            self._set_limit(counter, Range(low, high))

    def _ranges_of(self, values: list[Value]) -> list[Range]:
        """Return the intervals of values; nothing if that of one is not known."""
        known = [self.ranges[value] for value in values if value in self.ranges]
        return known if len(known) == len(values) else []

    def _move(self, phi: Instruction, value: Value) -> Range | None:
        """Return by how much a phi moves on a way round its loop; None if that is unknown, or may wrap around."""
        if not isinstance(value, Instruction) or value.opcode != "add" or phi not in value.operands:
            return None
        distance = value.operands[value.operands[0] is phi]
        # A sum that may wrap around can be anything.
        return self.ranges.get(distance) if self.ranges.get(value, FULL) != FULL else None

    def _count(self, counter: _Counter) -> int | None:
        """Return how often the loop can begin anew, from the bounds of a phi that moves one way and cannot wrap."""
        known, distances = self.ranges.get(counter.phi), counter.distances
        if known is None or not (distances and (min(distances) > 0 or max(distances) < 0)):
            return None
        ends = chain.from_iterable((known.low + one, known.high + one) for one in distances)
        if any(not FULL.low <= end <= FULL.high for end in ends):
            return None
        return (known.high - known.low) // min(map(abs, distances))

    def _limit(self, counter: _Counter, rounds: int) -> None:
        starts, distances = self._ranges_of(counter.starts), counter.distances
        if not distances or not starts:
            return
        low = min(start.low for start in starts) + rounds * min(0, *distances)
        high = max(start.high for start in starts) + rounds * max(0, *distances)
        self._set_limit(counter, fit(low, high))

    def _set_limit(self, counter: _Counter, limit: Range) -> None:
        before = self.limits.get(counter.phi)
        after = limit if before is None else intersection(limit, before) or limit
        if after != before:
            self.limits[counter.phi] = after
            counter.step.is_due = True


def _grown(step: _Step, before: Range, found: Range) -> Range:
    """Return the union; after some changes a bound of a phi that still moves is given up."""
    result = union(before, found)
    if step.instruction.opcode != "phi":
        return result
    step.growths += 1
    if step.growths <= _PATIENCE:
        return result
    low = FULL.low if result.low < before.low else result.low
    return Range(low, FULL.high if result.high > before.high else result.high)


def _narrowed(step: _Step, before: Range, found: Range) -> Range:
    return intersection(before, found) or before


def _distances(phi: Instruction, nexts: list[Value]) -> list[int]:
    """Return what is added to a phi to get each of some values; nothing if that is not constant."""
    found: list[int] = []
    for value in nexts:
        if not isinstance(value, Instruction) or value.opcode != "add" or value.operands[0] is not phi:
            return []
        distance = value.operands[1]
        if not isinstance(distance, Constant):
            return []
        found.append(distance.signed)
    return found
