"""Let invocations that are set aside pass through blocks without effects."""

from __future__ import annotations

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Block, Constant, Function, Instruction, Value, constant
from ..llvmir.types import I1, FloatType, IntType, Type
from .attendance import Attendance
from .blocks import retarget_phis
from .uniformity import Uniformity, is_pure

__all__ = ["Guard"]

_FOR_ALL = (abi.BARRIER, abi.FENCE_DEVICE, abi.FENCE_WORKGROUP)


def _zero(type: Type) -> Constant:
    assert isinstance(type, IntType | FloatType)
    return constant(type, 0)


class Guard:
    """Puts what has effects, or could fault, behind a test of a variable.

    Parameters
    ----------
    function : Function
        Changed in place.
    flag : Instruction
        The variable that is true in invocations that are set aside.
    uniformity : Uniformity
        What is known of the function as it was.
    attendance : Attendance
        Asks who is not set aside, which all do.
    """

    def __init__(
        self, function: Function, flag: Instruction, uniformity: Uniformity, attendance: Attendance
    ) -> None:
        self._function = function
        self._flag = flag
        self._uniformity = uniformity
        self._attendance = attendance
        # Values of guarded instructions: what stands for them elsewhere, and the block in which they are known.
        self._joined: dict[Value, Value] = {}
        self._home: dict[Value, Block] = {}

    def uniform_block(self, block: Block) -> None:
        """Guard a block whose branch all take alike."""
        self.body(block)

    def block_with_branch(self, block: Block, meeting: Block) -> None:
        """Guard a block at whose end the others part; those set aside go on to where they meet."""
        end = self.body(block)
        branch = end.instructions.pop()
        parting = Block(f"{block.name}.parting", [branch])
        b = Builder(end.instructions, branch.location)
        b.branch_if(b.load(self._flag, I1), meeting, parting)
        for successor in parting.successors:
            retarget_phis(successor, end, parting)
        for phi in meeting.phis():
            phi.operands.append(_zero(phi.type))
            phi.targets.append(end)
        self._function.blocks.insert(self._function.blocks.index(end) + 1, parting)

    def lead(self, end: Block, target: Block) -> None:
        """Let those set aside take one of the two ways behind a block."""
        branch = end.instructions.pop()
        b = Builder(end.instructions, branch.location)
        aside = b.load(self._flag, I1)
        condition = branch.operands[0]
        if branch.targets[0] is target:
            condition = b.binary("or", condition, aside)
        else:
            condition = b.binary("and", condition, b.negate(aside))
        branch.operands[0] = condition
        end.instructions.append(branch)

    def body(self, block: Block) -> Block:
        """Guard the instructions of a block; return the block that now ends in its branch."""
        branch = block.instructions[-1]
        piece, done, group = block, list[Instruction](), list[Instruction]()
        for instruction in block.instructions[:-1]:
            if self._is_for_all(instruction, group):
                if not is_pure(instruction):
                    piece, done = self._close(piece, done, group)
                    group = []
                done.append(instruction)
            else:
                group.append(instruction)
        piece, done = self._close(piece, done, group)
        piece.instructions = [*done, branch]
        if piece is not block:
            for successor in dict.fromkeys(branch.targets):
                retarget_phis(successor, block, piece)
        return piece

    def _is_for_all(self, instruction: Instruction, group: list[Instruction]) -> bool:
        """Whether invocations set aside execute an instruction too."""
        if instruction.opcode in ("alloca", "phi"):
            return True
        if instruction.opcode == "call":
            name = instruction.callee
            if (
                name in _FOR_ALL
                or name.startswith(abi.WORKGROUP_ARRAYS)
                or self._attendance.is_part(instruction)
            ):
                return True
            if name.startswith(abi.LOADS):
                return instruction not in self._uniformity.divergent
        return is_pure(instruction) and not any(operand in group for operand in instruction.operands)

    def _close(
        self, piece: Block, done: list[Instruction], group: list[Instruction]
    ) -> tuple[Block, list[Instruction]]:
        """Put a group behind a test; return the block that follows and its first instructions."""
        if not group:
            return piece, done
        active, joined = Block(f"{piece.name}.active"), Block(f"{piece.name}.joined")
        b = Builder(done, group[0].location)
        b.branch_if(b.load(self._flag, I1), joined, active)
        piece.instructions = done
        active.instructions = list(group)
        Builder(active.instructions, group[-1].location).branch(joined)
        phis: list[Instruction] = []
        for instruction in group:
            self._home[instruction] = active
            if isinstance(instruction.type, IntType | FloatType):
                values: list[Value] = [_zero(instruction.type), instruction]
                phi = Instruction("phi", instruction.type, values, targets=[piece, active])
                phis.append(phi)
                self._joined[instruction] = phi
        after = self._function.blocks.index(piece) + 1
        self._function.blocks[after:after] = [active, joined]
        return joined, phis

    def finish(self) -> None:
        """Let uses of guarded values elsewhere take what stands for them, and drop what nobody uses."""
        used: set[Value] = set()
        standing = set(self._joined.values())
        for block in self._function.blocks:
            for instruction in block.instructions:
                for position, operand in enumerate(instruction.operands):
                    if (
                        operand in self._joined
                        and self._home[operand] is not block
                        and not (instruction in standing and self._joined[operand] is instruction)
                    ):
                        instruction.operands[position] = self._joined[operand]
                        used.add(self._joined[operand])
        for block in self._function.blocks:
            block.instructions = [i for i in block.instructions if i not in standing or i in used]
