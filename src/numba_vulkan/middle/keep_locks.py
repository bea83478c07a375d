"""Keep what ends a critical section in the loop that waits for its lock.

Invocations of a subgroup may run in lockstep: those that leave a loop wait behind it for the others. Code that takes a
lock gives it back within the round in which it got it, so that the others can have it in the next one. But LLVM takes
what is done in the last round of a loop for code behind the loop. There the one that has the lock waits for the others,
which wait in the loop for the lock: for ever, on llvmpipe and SwiftShader, when two invocations of a subgroup want the
same lock. So here the blocks from the way out of a loop on to the atomic operations that may end a wait become part of
the loop again: its rounds end behind them, and only there it is left.
"""

from __future__ import annotations

from .. import abi
from ..graphs.dominators import dominator_tree
from ..graphs.loops import NO_LOOP, loop_nest
from ..llvmir.build import Builder
from ..llvmir.model import Block, Constant, Function, Instruction, Undef, constant
from ..llvmir.types import I1
from .blocks import behind, blocks_in_order, retarget_phis, split_block, successors_of
from .passes import Context
from .redirection import Jumps, redirect
from .rewriting import drop_unreachable

__all__ = ["array_of", "is_atomic", "run"]

# Loops around these, which passes write, wait for nobody: they try again until nobody was faster.
_RETRIED = (f"{abi.ATOMICS}{abi.ATOMIC_PEEK}.", f"{abi.ATOMICS}{abi.ATOMIC_SWAP}.")
# All must come here together.
_TOGETHER = (abi.BARRIER, abi.SHARED_BARRIER, abi.SUBGROUP_OPERATIONS)


def run(function: Function, context: Context) -> None:
    """Extend loops that wait for atomic operations by what these wait for."""
    if not any(map(is_atomic, function.calls())):
        return
    drop_unreachable(function)
    if not _Search(function).finds_waiting():
        return
    _split_before_meetings(function)
    while _Search(function).change():
        pass
    # What was behind loops is now in them.
    function.blocks = blocks_in_order(function)


def _split_before_meetings(function: Function) -> None:
    """Let blocks begin where all come together, so that what comes before that can be a part of a loop."""
    for block in list(function.blocks):
        meeting = next((k for k, i in enumerate(block.instructions) if _is_meeting(i)), 0)
        if meeting:
            split_block(function, block, meeting)


def _is_meeting(instruction: Instruction) -> bool:
    return instruction.opcode == "call" and instruction.callee.startswith(_TOGETHER)


def is_atomic(instruction: Instruction) -> bool:
    """Whether an instruction is an atomic operation that the source has."""
    callee = instruction.callee if instruction.opcode == "call" else ""
    return callee.startswith(abi.ATOMICS) and not callee.startswith(_RETRIED)


def array_of(access: Instruction) -> int:
    """Return the number of the array that an access reaches; -1 where that is not known."""
    binding = access.operands[0]
    return binding.value if isinstance(binding, Constant) else -1


class _Search:
    """Looks for a loop that waits, and for what it waits for behind it."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._blocks, self._successors = list(function.blocks), successors_of(function)
        self._dominators = dominator_tree(self._successors, lambda node: str(self._blocks[node]))
        self._loops = loop_nest(self._dominators)
        self._home = {i: node for node, block in enumerate(self._blocks) for i in block.instructions}

    def finds_waiting(self) -> bool:
        """Return whether a loop waits for atomic operations."""
        return any(self._waited_for(loop) for loop in range(NO_LOOP + 1, len(self._loops.headers)))

    def change(self) -> bool:
        """Extend the first loop that lacks something, inner ones first, or prepare it; return whether there is one."""
        for loop in range(len(self._loops.headers) - 1, NO_LOOP, -1):
            arrays = self._waited_for(loop)
            if not arrays:
                continue
            behind = self._until_release(loop, self._loops.headers[loop], arrays)
            if behind:
                redirect(self._function, self._extended(loop, behind, arrays))
                return True
            above = self._tested_above(loop, arrays)
            if above >= 0:
                self._test_in_loop(loop, self._blocks[above])
                return True
        return False

    def _members(self, loop: int) -> list[int]:
        return [node for node in self._dominators.order if self._loops.contains(loop, node)]

    def _waited_for(self, loop: int) -> set[int]:
        """Return the arrays whose atomic operations in a loop decide whether it ends."""
        arrays: set[int] = set()
        for node in self._members(loop):
            if any(not self._loops.contains(loop, s) for s in self._successors[node]):
                arrays |= self._atomics_in(loop, self._blocks[node].terminator)
        return arrays

    def _atomics_in(self, loop: int, user: Instruction) -> set[int]:
        """Return the arrays of the atomic operations in a loop from which an instruction follows."""
        inside = behind([user], lambda i: self._loops.contains(loop, self._home[i]))
        return {array_of(i) for i in inside if is_atomic(i)}

    def _until_release(self, loop: int, top: int, arrays: set[int]) -> set[int]:
        """Return the nodes behind a loop, dominated by ``top``, that lead to a change of arrays, these included."""
        around = self._loops.parent(loop)
        behind = {
            node
            for node in self._dominators.order
            if node != top
            and self._dominators.dominates(top, node)
            and not self._loops.contains(loop, node)
            and (around == NO_LOOP or self._loops.contains(around, node))
            and not self._is_together(node)
        }
        reached = [n for n in behind if any(_releases(i, arrays) for i in self._blocks[n].instructions)]
        leading = set(reached)
        while reached:
            for source in self._dominators.predecessors[reached.pop()]:
                if source in behind and source not in leading:
                    leading.add(source)
                    reached.append(source)
        return leading

    def _tested_above(self, loop: int, arrays: set[int]) -> int:
        """Return the node above a loop that may lead past it to a change of arrays; -1 if there is none.

        Python's compiler writes the condition of ``while`` twice: in front of the loop and at its end.
        """
        around = self._loops.parent(loop)
        for node in self._members(loop):
            for target in self._successors[node]:
                above = self._dominators.parent(target)
                if self._loops.contains(loop, target) or self._loops.contains(loop, above):
                    continue
                is_near = around == NO_LOOP or self._loops.contains(around, target)
                if (
                    is_near
                    and target in self._until_release(loop, above, arrays)
                    and not any(map(self._is_together, self._above(loop, above)))
                ):
                    return above
        return -1

    def _above(self, loop: int, above: int) -> set[int]:
        """Return the nodes on the ways from one that dominates a loop to its header, both left out."""
        found: set[int] = set()
        work = [self._loops.headers[loop]]
        while work:
            for source in self._dominators.predecessors[work.pop()]:
                if source != above and source not in found and not self._loops.contains(loop, source):
                    found.add(source)
                    work.append(source)
        return found

    def _test_in_loop(self, loop: int, above: Block) -> None:
        """Let a loop begin where the first test of its condition decides, which later rounds go past."""
        header = self._blocks[self._loops.headers[loop]]
        latches = [
            self._blocks[n]
            for n in self._dominators.predecessors[self._loops.headers[loop]]
            if self._loops.contains(loop, n)
        ]
        test = split_block(self._function, above, len(above.instructions) - 1)
        begin = Block(f"{header.name}.round")
        sources = [above, *latches]
        for phi in header.phis():
            incoming = dict(zip(phi.targets, phi.operands, strict=True))
            later = [incoming.pop(latch) for latch in latches]
            next_value = Instruction("phi", phi.type, [Undef(phi.type), *later], targets=list(sources))
            begin.instructions.append(next_value)
            phi.targets, phi.operands = [*incoming, begin], [*incoming.values(), next_value]
        is_first = Instruction(
            "phi", I1, [constant(I1, 1), *(constant(I1, 0) for _ in latches)], targets=list(sources)
        )
        begin.instructions.append(is_first)
        Builder(begin.instructions, header.terminator.location).branch_if(is_first, test, header)
        for source, old in ((above, test), *((latch, header) for latch in latches)):
            terminator = source.terminator
            terminator.targets = [begin if target is old else target for target in terminator.targets]
        retarget_phis(test, above, begin)
        self._function.blocks.insert(self._function.blocks.index(test), begin)

    def _is_together(self, node: int) -> bool:
        return any(map(_is_meeting, self._blocks[node].instructions))

    def _extended(self, loop: int, behind: set[int], arrays: set[int]) -> Jumps:
        """Return a loop with the nodes behind it; what follows the last release of each is split off."""
        inside = {*self._members(loop), *behind}
        part = [self._blocks[node] for node in self._dominators.order if node in inside]
        for node in behind:
            block = self._blocks[node]
            if any(s in behind for s in self._successors[node]):
                continue
            last = max(k for k, i in enumerate(block.instructions) if _releases(i, arrays))
            split_block(self._function, block, last + 1)
        targets = {s: None for block in part for s in block.successors if s not in set(part)}
        header = self._blocks[self._loops.headers[loop]]
        return Jumps(start=header, meeting=header, between=tuple(part), targets=tuple(targets))


def _releases(instruction: Instruction, arrays: set[int]) -> bool:
    """Whether an instruction may end a wait for one of the arrays; behind a fence a plain store may."""
    if instruction.opcode != "call" or not instruction.callee.startswith(abi.WRITES):
        return False
    return (
        not instruction.callee.startswith((*_RETRIED, f"{abi.ATOMICS}load."))
        and array_of(instruction) in arrays
    )
