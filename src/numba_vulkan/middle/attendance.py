"""Whether anybody is left on the way to barriers, asked where walking on might never end.

Invocations that are set aside go along to the barriers of the others. If all of them are, nobody changes what a loop
waits for: on such a way all leave together for where they meet again. They find out by barriers and a word of shared
memory, which costs too much to do it everywhere. A loop whose end follows from the numbers of its rounds ends anyway.
"""

from __future__ import annotations

from .. import abi
from ..graphs.loops import NO_LOOP
from ..llvmir.build import Builder
from ..llvmir.model import Constant, Function, Instruction, Value, constant
from ..llvmir.types import I1, I32, VOID
from .blocks import behind
from .uniformity import Uniformity

__all__ = ["Attendance", "may_go_on_alone"]

_CLEAR, _NOTE = abi.atomic_name("store", "i32"), abi.atomic_name("or", "i32")


class Attendance:
    """The word that a workgroup counts in, and the variables that say who is set aside."""

    def __init__(self, function: Function) -> None:
        numbers = [
            i.operands[0].value
            for i in function.calls()
            if i.operands and isinstance(i.operands[0], Constant)
        ]
        shared = [n for n in numbers if abi.SHARED_BASE <= n < abi.DYNAMIC_BINDING]
        self._binding = constant(I32, max(shared, default=abi.SHARED_BASE - 1) + 1)
        self._is_asked = False
        self.flags: list[Instruction] = []

    def ask(self, b: Builder) -> Value:
        """Ask whether anybody is left; all of the workgroup must come here."""
        self._is_asked = True
        zero = b.i32(0)
        b.call(abi.BARRIER, VOID)
        b.call(_CLEAR, VOID, self._binding, zero, zero)
        b.call(abi.BARRIER, VOID)
        b.call(_NOTE, I32, self._binding, zero, b.i32(1))
        b.call(abi.BARRIER, VOID)
        return b.icmp("ne", b.call(abi.load_name("i32"), I32, self._binding, zero), zero)

    def is_part(self, instruction: Instruction) -> bool:
        """Whether an instruction belongs to the question, so that those who are set aside execute it too."""
        return instruction.callee in (_CLEAR, _NOTE) and instruction.operands[0] is self._binding

    def finish(self, function: Function) -> None:
        """Let those answer who are not set aside, once all are known who may be."""
        if not self._is_asked:
            return
        for block in function.blocks:
            answered: list[Instruction] = []
            for instruction in block.instructions:
                if instruction.opcode == "call" and instruction.callee == _NOTE and self.is_part(instruction):
                    b = Builder(answered, instruction.location)
                    away: Value = constant(I1, 0)
                    for flag in self.flags:
                        away = b.binary("or", away, b.load(flag, I1))
                    instruction.operands[2] = b.select(away, b.i32(0), b.i32(1))
                answered.append(instruction)
            block.instructions = answered
        Builder(declared := []).call(abi.workgroup_name("i32"), VOID, self._binding, constant(I32, 1))
        function.entry.instructions[:0] = declared


def may_go_on_alone(way: set[int], uniformity: Uniformity) -> bool:
    """Return whether a way has a loop that need not end when all who walk there are set aside."""
    loops = uniformity.loops
    inside = [loop for loop in range(NO_LOOP + 1, len(loops.headers)) if loops.headers[loop] in way]
    return not all(_ends_by_itself(loop, way, uniformity) for loop in inside)


def _ends_by_itself(loop: int, way: set[int], uniformity: Uniformity) -> bool:
    """Whether each round of a loop comes to a branch that all take alike and that ends it at some time."""
    loops, dominators = uniformity.loops, uniformity.dominators
    header = loops.headers[loop]
    latches = [n for n in dominators.predecessors[header] if loops.contains(loop, n)]
    return any(
        not uniformity.is_divergent_branch(node)
        and all(dominators.dominates(node, latch) for latch in latches)
        and _follows_from_rounds(uniformity.blocks[node].terminator, loop, way, uniformity)
        for node in range(len(uniformity.blocks))
        if loops.contains(loop, node)
        and any(not loops.contains(loop, s) for s in uniformity.successors[node])
    )


def _follows_from_rounds(branch: Instruction, loop: int, way: set[int], uniformity: Uniformity) -> bool:
    """Whether a branch follows from what changes in each round, and from no memory that those who left would write."""
    header = uniformity.blocks[uniformity.loops.headers[loop]]
    causes = list(
        behind(
            [branch],
            follows=lambda i: uniformity.home[i] in way,
            sources=lambda i: (*i.operands, *_choices(i, uniformity)),
        )
    )
    changing = set(header.phis())
    return not any(map(_reads_what_changes, causes)) and not changing.isdisjoint(causes)


def _choices(value: Instruction, uniformity: Uniformity) -> list[Instruction]:
    """Return the branches that may decide what a phi takes, but for the beginning of a loop; none of other values."""
    if value.opcode != "phi":
        return []
    node = uniformity.home[value]
    dominators = uniformity.dominators
    latches = [n for n in dominators.predecessors[node] if dominators.dominates(node, n)]
    if len(value.targets) == 2 and len(latches) == 1:
        return []
    above = dominators.parent(node)
    between = {above, *uniformity.reach(uniformity.successors[above], {node})}
    return [uniformity.blocks[n].terminator for n in between if len(uniformity.successors[n]) > 1]


def _reads_what_changes(value: Instruction) -> bool:
    """Whether a value is read from memory that the workgroup shares; a buffer that all read alike nobody writes."""
    if value.opcode != "call" or not value.callee.startswith(abi.LOADS):
        return value.opcode == "load"
    binding = value.operands[0]
    return not isinstance(binding, Constant) or binding.value >= abi.SHARED_BASE
