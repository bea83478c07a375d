"""Lead jumps out of a part of a function to where the other ways out of it meet, and send them on from there.

Such a jump notes where it wants to go; a test where all meet sends it there.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..llvmir.build import Builder
from ..llvmir.model import Block, Function, Instruction, Undef, Value, constant
from ..llvmir.types import I32, VOID
from .variables import Variables, keep_last_values

__all__ = ["Jumps", "redirect"]


@dataclass(frozen=True)
class Jumps:
    """A part of a function, and the ways that leave it.

    Attributes
    ----------
    start : Block
        Where the part begins; it dominates ``between``.
    meeting : Block
        Where those that do not jump go: a block that ``start`` dominates, or ``start`` itself for the next round.
    between : tuple of Block
        The blocks of the part, ``start`` first and each after those that dominate it.
    targets : tuple of Block
        Where the jumps lead, in the order of the tests.
    """

    start: Block
    meeting: Block
    between: tuple[Block, ...]
    targets: tuple[Block, ...]


def redirect(function: Function, jumps: Jumps) -> None:
    """Let all that leaves a part of a function meet in front of ``meeting``.

    Parameters
    ----------
    function : Function
        Changed in place.
    jumps : Jumps
        The part.
    """
    _Redirection(function, jumps).run()


class _Redirection:
    """The change for one part."""

    def __init__(self, function: Function, jumps: Jumps) -> None:
        self.function = function
        self.start, self.meeting = jumps.start, jumps.meeting
        self.targets = list(jumps.targets)
        self.between = jumps.between
        self.inside = set(self.between)
        self.local = {i for block in self.between if block is not self.start for i in block.instructions}
        self.variables = Variables()
        self.code = self.variables.new(I32, "jump")
        self.tests = [Block(f"{self.meeting.name}.jump{k}") for k in range(len(self.targets))]

    def run(self) -> None:
        """Change the function."""
        keep_last_values(self.function, self.inside - {self.start}, self.inside, self.variables)
        b = Builder([], self.start.terminator.location)
        b.store(constant(I32, 0), self.code)
        self.start.instructions[-1:-1] = b.instructions
        entry = Builder(self.tests[0].instructions, self.meeting.terminator.location)
        values = {t: self._pass_phis(t, entry) for t in (*self.targets, self.meeting)}
        edges = [block for source in self.between for block in self._redirect(source)]
        code = entry.load(self.code, I32)
        for k, (test, target) in enumerate(zip(self.tests, self.targets, strict=True)):
            following = self.tests[k + 1] if k + 1 < len(self.tests) else self.meeting
            b = Builder(test.instructions, entry.location)
            b.branch_if(b.icmp("eq", code, constant(I32, k + 1)), target, following)
            for phi, value in values[target].items():
                phi.operands.append(value)
                phi.targets.append(test)
        for phi, value in values[self.meeting].items():
            phi.operands.append(value)
            phi.targets.append(self.tests[-1])
        place = self.function.blocks.index(self.meeting)
        self.function.blocks[place:place] = [*edges, *self.tests]
        self.variables.declare(self.function)

    def _pass_phis(self, target: Block, entry: Builder) -> dict[Instruction, Value]:
        """Take from the phis of a block what came from between; return what each has to take from the tests."""
        passed: dict[Instruction, Value] = {}
        for phi in target.phis():
            incoming = list(zip(phi.targets, phi.operands, strict=True))
            ours = [(source, value) for source, value in incoming if source in self.inside]
            others = [(source, value) for source, value in incoming if source not in self.inside]
            phi.targets, phi.operands = [s for s, _ in others], [v for _, v in others]
            distinct = {value for _, value in ours}
            if len(distinct) == 1 and distinct.isdisjoint(self.local):
                passed[phi] = distinct.pop()
                continue
            variable = self.variables.new(phi.type, f"{phi.name}.jumped")
            for source, value in dict(ours).items():
                if not isinstance(value, Undef):
                    store = Instruction("store", VOID, [value, variable], location=source.terminator.location)
                    source.instructions.insert(len(source.instructions) - 1, store)
            passed[phi] = entry.load(variable, phi.type)
        return passed

    def _redirect(self, source: Block) -> list[Block]:
        """Lead what leaves a block for the meeting or for where jumps go to the tests; return new blocks on the way."""
        branch = source.terminator
        made: dict[Block, Block] = {}
        for target in branch.targets:
            if target in self.targets and target not in made:
                edge = Block(f"{source.name}.jump")
                b = Builder(edge.instructions, branch.location)
                b.store(constant(I32, self.targets.index(target) + 1), self.code)
                b.branch(self.tests[0])
                made[target] = edge
        ways = {**made, self.meeting: self.tests[0]}
        branch.targets = [ways.get(target, target) for target in branch.targets]
        return list(made.values())
