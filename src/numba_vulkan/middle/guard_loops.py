"""Report loops that a driver ends although their condition does not hold.

llvmpipe of Mesa 22.3 silently ends all loops of an invocation after some 65 000 iterations; control goes on behind the
loop as if it had been left. So each loop keeps a mark: cleared at the start of an iteration, set in front of a jump out
of the loop if the jump is taken. A loop whose mark is not set behind it was ended by the driver.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import abi
from ..graphs.dominators import dominator_tree
from ..graphs.loops import NO_LOOP, LoopNest, loop_nest
from ..llvmir.build import Builder
from ..llvmir.model import Block, Function, Instruction, LoopMerge, SelectionMerge, Value, constant
from ..llvmir.types import I1, I32, IntType
from .blocks import successors_of
from .passes import Context

__all__ = ["run"]


def run(function: Function, context: Context) -> None:
    """Guard every loop of a structured function."""
    if any(isinstance(block.merge, LoopMerge) for block in function.blocks):
        _Guard(function).run()


class _Guard:
    """The state of one run: the loops of the function and a mark for each."""

    def __init__(self, function: Function) -> None:
        self.function = function
        blocks = function.blocks
        self.number = {block: node for node, block in enumerate(blocks)}
        self.loops: LoopNest = loop_nest(dominator_tree(successors_of(function)))
        self.variables: list[Instruction] = []
        self.marks = {loop: self._variable("left") for loop in range(NO_LOOP + 1, len(self.loops.headers))}
        self.ended = self._variable("ended")
        self.shift = Instruction("and", I32, [])

    def _variable(self, name: str) -> Instruction:
        self.variables.append(Builder([]).alloca(I32, name))
        return self.variables[-1]

    def run(self) -> None:
        """Set and test the marks, and report at the end of the kernel."""
        blocks = list(self.function.blocks)
        for block in blocks:
            self._mark_exits(block)
        for loop, mark in self.marks.items():
            self._clear_and_test(blocks[self.loops.headers[loop]], mark)
        self.function.blocks = [part for block in blocks for part in self._report_at_return(block)]
        self._begin(self.function.entry)

    def _begin(self, entry: Block) -> None:
        """Declare the variables; prepare what hides from the driver that a jump's condition is known behind it."""
        start: list[Instruction] = [*self.variables]
        b = Builder(start)
        b.store(b.i32(0), self.ended)
        self.shift.operands = [b.call(abi.GLOBAL_ID, I32, b.i32(0)), b.i32(1)]
        b.emit(self.shift)
        entry.instructions[:0] = start

    def _mark_exits(self, block: Block) -> None:
        """In front of a jump, mark the loops that it leaves."""
        node, loops = self.number[block], self.loops
        by_loop: dict[int, list[Block]] = {}
        for target in block.successors:
            loop, end = loops.innermost[node], self.number[target]
            while loop != NO_LOOP and not loops.contains(loop, end):
                by_loop.setdefault(loop, []).append(target)
                loop = loops.parent(loop)
        if not by_loop:
            return
        jump = block.instructions.pop()
        b = Builder(block.instructions, jump.location)
        for loop, targets in by_loop.items():
            one = b.cast("zext", _is_taken(b, jump, targets), I32)
            # Mesa knows that the condition of a jump holds where the jump leads to, and that a number made of it is
            # 1 there; it does not see through a shift by an unknown distance.
            b.store(b.binary("shl", one, self.shift), self.marks[loop])
        block.instructions.append(jump)

    def _clear_and_test(self, header: Block, mark: Instruction) -> None:
        header.instructions.insert(0, Builder([]).store(constant(I32, 0), mark))
        assert isinstance(header.merge, LoopMerge)
        behind = header.merge.merge
        if behind.terminator.opcode == "unreachable":
            return
        start: list[Instruction] = []
        b = Builder(start, behind.terminator.location)
        was_ended = b.cast("zext", b.icmp("eq", b.load(mark, I32), b.i32(0)), I32)
        b.store(b.binary("or", b.load(self.ended, I32), was_ended), self.ended)
        behind.instructions[:0] = start

    def _report_at_return(self, block: Block) -> Iterator[Block]:
        """Split a block that returns: report before it does."""
        yield block
        if block.terminator.opcode != "ret":
            return
        end = Block(f"{block.name}.return", [block.instructions.pop()])
        report = Block(f"{block.name}.report")
        b = Builder(block.instructions)
        b.branch_if(b.icmp("ne", b.load(self.ended, I32), b.i32(0)), report, end)
        block.merge = SelectionMerge(end)
        b = Builder(report.instructions)
        b.call(abi.STATUS_CLAIM, I1, b.i32(abi.STATUS_LOOP_LIMIT))
        b.branch(end)
        yield report
        yield end


def _is_taken(b: Builder, jump: Instruction, targets: list[Block]) -> Value:
    """Return whether a conditional jump goes to one of the targets, and not to the others that it has."""
    if jump.opcode == "br":
        condition = jump.operands[0]
        return condition if jump.targets[0] in targets else b.negate(condition)
    selector = jump.operands[0]
    assert isinstance(selector.type, IntType)
    default, *cases = jump.targets
    by_default = default in targets
    found: Value = constant(I1, 0)
    for target, case in zip(cases, jump.indices, strict=True):
        if (target in targets) != by_default:
            found = b.binary("or", b.icmp("eq", selector, constant(selector.type, case)), found)
    return b.negate(found) if by_default else found
