"""Which 64-bit integers are small: an interval of signed values for each, by abstract interpretation.

Arithmetic may wrap, as NumPy's does: an interval that could leave 64 bits becomes all of them, whatever flags the
instruction has. Conditions of branches narrow intervals in the blocks they lead to. Loops are iterated with widening
until nothing changes, then narrowed; counters whose own condition bounds them bound the others of their loop.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain

from ...graphs.dominators import DominatorTree, dominator_tree
from ...llvmir.model import Block, Constant, Function, Instruction, Value
from ...llvmir.types import I64
from ..blocks import successors_of
from .conditions import Fact, facts_of_edge, refine
from .intervals import FULL, Range, constant_range, fit, intersection, transfer, union

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
    return {value: range for value, range in analysis.ranges.items() if range != FULL}


class _Analysis:
    """The state of one analysis.

    Attributes
    ----------
    ranges : dict
        What is known so far; a value that is missing has not been reached.
    facts : dict
        For each value the facts about it, each with the number of the block from which on it holds.
    edge_facts : dict
        Facts that hold on the edge between two blocks.
    limits : dict
        Intervals known of phis for other reasons.
    """

    def __init__(self, function: Function) -> None:
        self.blocks = function.blocks
        self.numbers = {block: number for number, block in enumerate(function.blocks)}
        graph = successors_of(function)
        self.tree: DominatorTree = dominator_tree(graph, lambda number: function.blocks[number].name)
        self.ranges: dict[Value, Range] = {}
        self.limits: dict[Value, Range] = {}
        self.changes: dict[Value, int] = defaultdict(int)
        self.facts: dict[Value, list[tuple[int, Fact]]] = defaultdict(list)
        self.edge_facts: dict[tuple[int, int], list[Fact]] = {}
        # 64-bit instructions by block, in an order in which definitions come before uses.
        self.work = [
            (number, [i for i in self.blocks[number].instructions if i.type is I64])
            for number in self.tree.order
        ]
        self.has_phis = any(i.opcode == "phi" for _, instructions in self.work for i in instructions)
        for number in self.tree.order:
            self._collect_facts(number)

    def _collect_facts(self, number: int) -> None:
        for successor in self.blocks[number].successors:
            facts = list(facts_of_edge(self.blocks[number].terminator, successor))
            if facts:
                target = self.numbers[successor]
                self.edge_facts[number, target] = facts
                if self.tree.predecessors[target] == [number]:
                    for fact in facts:
                        self.facts[fact.value].append((target, fact))

    # ---- iteration

    def iterate(self) -> None:
        """Let intervals grow from nothing until they hold everywhere."""
        # Without phis the first sweep is final: every operand is defined before its use.
        sweeps = _SWEEPS if self.has_phis else 1
        if not all(self._sweep() for _ in range(sweeps)) or not self.has_phis:
            return
        for _, instructions in self.work:
            self.ranges.update((i, FULL) for i in instructions if i.opcode == "phi")
        self._sweep()

    def _sweep(self) -> bool:
        """Evaluate everything once; return whether an interval has grown."""
        has_grown = False
        for number, instructions in self.work:
            for instruction in instructions:
                found = self.evaluate(instruction, number)
                before = self.ranges.get(instruction)
                if found is not None and found != before:
                    after = self._grown(instruction, before, found)
                    self.ranges[instruction] = after
                    has_grown = has_grown or after != before
        return has_grown

    def _grown(self, instruction: Instruction, before: Range | None, found: Range) -> Range:
        """Return the union; after some changes a bound of a phi that still moves is given up."""
        if before is None:
            return found
        result = union(before, found)
        if instruction.opcode != "phi":
            return result
        self.changes[instruction] += 1
        if self.changes[instruction] <= _PATIENCE:
            return result
        low = FULL.low if result.low < before.low else result.low
        return Range(low, FULL.high if result.high > before.high else result.high)

    def narrow(self) -> None:
        """Compute every interval anew from intervals that hold: the results hold too."""
        for number, instructions in self.work * _NARROWINGS:
            for instruction in instructions:
                found = self.evaluate(instruction, number)
                if found is not None:
                    before = self.ranges[instruction]
                    self.ranges[instruction] = intersection(before, found) or before

    def evaluate(self, instruction: Instruction, number: int) -> Range | None:
        """Return the interval of a result, None if its operands were not reached yet."""
        if instruction.opcode == "phi":
            return self._evaluate_phi(instruction, number)
        operands: list[Range] = []
        for operand in instruction.operands:
            if operand.type is I64:
                known = self.at(operand, number)
                if known is None:
                    return None
                operands.append(known)
        return transfer(instruction, operands, self.ranges)

    def _evaluate_phi(self, phi: Instruction, number: int) -> Range | None:
        result: Range | None = None
        for value, source in zip(phi.operands, phi.targets, strict=True):
            origin = self.numbers[source]
            if self.tree.number[origin] < 0:
                continue
            known = self.at(value, origin)
            for fact in self.edge_facts.get((origin, number), ()):
                if fact.value is value and known is not None:
                    known = self._refined(known, fact)
            if known is not None:
                result = known if result is None else union(result, known)
        limit = self.limits.get(phi)
        return result if limit is None or result is None else intersection(result, limit)

    def at(self, value: Value, number: int) -> Range | None:
        """Return the interval of a value in a block."""
        known = self.anywhere(value)
        for start, fact in self.facts.get(value, ()):
            if known is not None and self.tree.dominates(start, number):
                known = self._refined(known, fact)
        return known

    def anywhere(self, value: Value) -> Range | None:
        """Return the interval of a value wherever it is defined."""
        if isinstance(value, Constant):
            return constant_range(value)
        return self.ranges.get(value) if isinstance(value, Instruction) else FULL

    def _refined(self, known: Range, fact: Fact) -> Range | None:
        other = self.anywhere(fact.other)
        return None if other is None else refine(known, fact.predicate, other)

    # ---- loops

    def bound_loops(self) -> bool:
        """Limit counters of loops by where they start and how often others can count; return whether that is new."""
        before = dict(self.limits)
        for number, instructions in self.work:
            phis = [i for i in instructions if i.opcode == "phi"]
            steps = {phi: self._steps(phi, number) for phi in phis}
            for phi in phis:
                self._bound_one_way(phi, number)
            counts = [self._count(phi, steps[phi]) for phi in phis]
            rounds = min((count for count in counts if count is not None), default=None)
            if rounds is not None:
                for phi in phis:
                    self._limit(phi, number, steps[phi], rounds)
        return self.limits != before

    def _back_edges(self, phi: Instruction, number: int) -> Iterable[tuple[Value, Block, bool]]:
        for value, source in zip(phi.operands, phi.targets, strict=True):
            origin = self.numbers[source]
            if self.tree.number[origin] >= 0:
                yield value, source, self.tree.dominates(number, origin)

    def _steps(self, phi: Instruction, number: int) -> list[int] | None:
        """Return what a phi grows by in each way round its loop, None if that is not constant."""
        steps: list[int] = []
        for value, _, is_back in self._back_edges(phi, number):
            if is_back:
                if (
                    not isinstance(value, Instruction)
                    or value.opcode != "add"
                    or value.operands[0] is not phi
                ):
                    return None
                step = value.operands[1]
                if not isinstance(step, Constant):
                    return None
                steps.append(step.signed)
        return steps or None

    def _bound_one_way(self, phi: Instruction, number: int) -> None:
        """Limit a phi that only grows, or only shrinks, by what it starts with."""
        starts: list[Range] = []
        moves: list[Range] = []
        for value, _, is_back in self._back_edges(phi, number):
            found = self._step(phi, value) if is_back else self.anywhere(value)
            if found is None:
                return
            (moves if is_back else starts).append(found)
        if not starts or not moves:
            return
        low, high = FULL
        if all(move.low >= 0 for move in moves):
            low = min(start.low for start in starts)
        if all(move.high <= 0 for move in moves):
            high = max(start.high for start in starts)
        if (low, high) != FULL:
            self._set_limit(phi, Range(low, high))

    def _step(self, phi: Instruction, value: Value) -> Range | None:
        """Return by how much a phi moves on a way round its loop; None if that is unknown, or may wrap around."""
        if not isinstance(value, Instruction) or value.opcode != "add" or phi not in value.operands:
            return None
        step = value.operands[value.operands[0] is phi]
        # A sum that may wrap around can be anything.
        return self.anywhere(step) if self.ranges.get(value, FULL) != FULL else None

    def _count(self, phi: Instruction, steps: list[int] | None) -> int | None:
        """Return how often the loop can begin anew, from the bounds of a phi that moves one way and cannot wrap."""
        known = self.ranges.get(phi)
        if steps is None or known is None:
            return None
        moves_one_way = min(steps) > 0 or max(steps) < 0
        ends = chain.from_iterable((known.low + step, known.high + step) for step in steps)
        if not moves_one_way or any(not FULL.low <= end <= FULL.high for end in ends):
            return None
        return (known.high - known.low) // min(map(abs, steps))

    def _limit(self, phi: Instruction, number: int, steps: list[int] | None, rounds: int) -> None:
        starts = [self.anywhere(value) for value, _, is_back in self._back_edges(phi, number) if not is_back]
        if steps is None or not starts or None in starts:
            return
        known = [start for start in starts if start is not None]
        low = min(start.low for start in known) + rounds * min(0, *steps)
        high = max(start.high for start in known) + rounds * max(0, *steps)
        self._set_limit(phi, fit(low, high))

    def _set_limit(self, phi: Instruction, limit: Range) -> None:
        self.limits[phi] = intersection(limit, self.limits.get(phi, limit)) or limit
