"""Checks that a function of the small IR is well formed: control flow, dominance of uses, and types per opcode."""

from __future__ import annotations

from ..errors import SpirvCodegenError
from .model import Argument, Block, Constant, Function, GlobalArray, Instruction, LoopMerge, Value, constant
from .operand_rules import RULES, Broken, interned
from .printing import print_instruction
from .types import FloatType, IntType

__all__ = ["verify"]


def verify(function: Function) -> None:
    """Check a function.

    Parameters
    ----------
    function : Function
        Not changed.

    Raises
    ------
    SpirvCodegenError
        At the first thing that is wrong; the message names the function, the block and the instruction.
    """
    _Verifier(function).run()


class _Verifier:
    """The facts about one function that its instructions are held against."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.blocks = set(function.blocks)
        self.position: dict[Value, tuple[Block, int]] = {}
        self.arguments: set[Value] = set(function.arguments)
        self.tables: set[Value] = set(function.globals.values())
        self.signatures: dict[str, tuple[object, ...]] = {}
        self.constants: set[Value] = set()

    def fail(self, block: Block, instruction: Instruction | None, reason: str) -> SpirvCodegenError:
        """Return the error for an instruction, or for a block as a whole."""
        place = f"function '{self.function.name}', block %{block.name}"
        if instruction is None:
            return SpirvCodegenError(f"{place}: {reason}")
        try:
            text = print_instruction(instruction, self.function)
        except Exception:
            # What is broken may be too broken to print.
            text = instruction.opcode
        return SpirvCodegenError(f"{place}, instruction '{text}': {reason}")

    def run(self) -> None:
        """Check everything; what later checks rely on comes first."""
        function = self.function
        if not function.blocks:
            raise SpirvCodegenError(f"function '{function.name}' has no blocks")
        for block in function.blocks:
            self.check_block(block)
        predecessors = function.predecessors()
        if predecessors[function.entry]:
            raise self.fail(function.entry, None, "the entry block has a predecessor")
        dominators = _Dominators(function, predecessors)
        for block in function.blocks:
            sources = set(predecessors[block])
            for instruction in block.instructions:
                try:
                    self.check_types(instruction)
                    if instruction.opcode == "phi":
                        _check_phi_sources(instruction, sources)
                    self.check_operands(block, instruction, dominators)
                except Broken as broken:
                    raise self.fail(block, instruction, str(broken)) from None

    def check_block(self, block: Block) -> None:
        """Check the order of instructions, the targets of the terminator and the annotation."""
        if len(self.blocks) != len(self.function.blocks):
            raise self.fail(block, None, "a block stands twice in the function")
        if not block.instructions:
            raise self.fail(block, None, "the block is empty")
        last = block.instructions[-1]
        if not last.is_terminator:
            raise self.fail(block, last, "the block does not end with a terminator")
        in_phis = True
        for index, instruction in enumerate(block.instructions):
            if instruction in self.position:
                raise self.fail(block, instruction, "the instruction stands twice in the function")
            self.position[instruction] = block, index
            if instruction.is_terminator and instruction is not last:
                raise self.fail(block, instruction, "a terminator before the end of the block")
            is_phi = instruction.opcode == "phi"
            if is_phi and not in_phis:
                raise self.fail(block, instruction, "a phi after other instructions")
            in_phis = is_phi
            for target in instruction.targets:
                if target not in self.blocks:
                    raise self.fail(
                        block, instruction, f"block %{target.name} does not belong to the function"
                    )
        merge = block.merge
        if merge is not None:
            named = (merge.merge, merge.continue_) if isinstance(merge, LoopMerge) else (merge.merge,)
            if not self.blocks.issuperset(named):
                raise self.fail(block, last, "the merge annotation names a block outside the function")

    def check_types(self, instruction: Instruction) -> None:
        """Check an instruction by the rule of its opcode."""
        rule = RULES.get(instruction.opcode)
        if rule is None:
            raise Broken(f"opcode {instruction.opcode} is unknown")
        if not interned(instruction.type):
            raise Broken(f"type {instruction.type} is not interned")
        rule(instruction, self.function)
        if instruction.opcode == "call":
            signature = (instruction.type, *(operand.type for operand in instruction.operands))
            if self.signatures.setdefault(instruction.callee, signature) != signature:
                raise Broken("the function is called with other types elsewhere")

    def check_operands(self, block: Block, instruction: Instruction, dominators: _Dominators) -> None:
        """Check that each operand exists where it is used."""
        for index, operand in enumerate(instruction.operands):
            if isinstance(operand, Instruction):
                found = self.position.get(operand)
                if found is None:
                    raise Broken(f"operand {index} is an instruction ({operand.opcode}) outside the function")
                if instruction.opcode == "phi":
                    user, place = instruction.targets[index], len(instruction.targets[index].instructions)
                else:
                    user, place = block, self.position[instruction][1]
                if not dominators.reaches_use(found, user, place):
                    raise Broken(
                        f"operand {index} (%{operand.name or operand.opcode}) does not dominate its use"
                    )
            elif isinstance(operand, Argument):
                if operand not in self.arguments:
                    raise Broken(f"operand {index} is an argument of another function")
            elif isinstance(operand, GlobalArray):
                if operand not in self.tables:
                    raise Broken(f"table @{operand.name} is not among the globals of the function")
            elif isinstance(operand, Constant):
                self.check_constant(operand)

    def check_constant(self, value: Constant) -> None:
        """Check that a constant came from `model.constant`, so that identity is equality."""
        if value not in self.constants:
            type = value.type
            if not isinstance(type, IntType | FloatType) or constant(type, value.value) is not value:
                raise Broken(f"the constant {value.value} of type {type} is not interned")
            self.constants.add(value)


def _check_phi_sources(phi: Instruction, predecessors: set[Block]) -> None:
    if set(phi.targets) != predecessors:
        named = ", ".join(sorted(f"%{block.name}" for block in predecessors))
        raise Broken(f"the predecessors of the block are {named}")
    values: dict[Block, Value] = {}
    for block, value in zip(phi.targets, phi.operands, strict=True):
        if values.setdefault(block, value) is not value:
            raise Broken(f"two values for predecessor %{block.name}")


class _Dominators:
    """Which block dominates which, for any graph, after Cooper, Harvey and Kennedy (2001)."""

    def __init__(self, function: Function, predecessors: dict[Block, list[Block]]) -> None:
        order = _reverse_postorder(function)
        number = {block: index for index, block in enumerate(order)}
        parents: list[int] = [0] + [-1] * (len(order) - 1)
        changed = True
        while changed:
            changed = False
            for index, block in enumerate(order[1:], 1):
                known = [number[p] for p in predecessors[block] if p in number and parents[number[p]] >= 0]
                parent = known[0]
                for other in known[1:]:
                    parent = _common(parents, parent, other)
                if parents[index] != parent:
                    parents[index] = parent
                    changed = True
        self._number = number
        # A block dominates those whose interval lies within its own.
        self._first, self._last = _intervals(parents)

    def reaches_use(self, definition: tuple[Block, int], user: Block, place: int) -> bool:
        """Whether a value defined there exists at a place of a block; anything does in an unreachable block."""
        block, index = definition
        if user not in self._number:
            return True
        if block is user:
            return index < place
        if block not in self._number:
            return False
        upper, lower = self._number[block], self._number[user]
        return self._first[upper] <= self._first[lower] <= self._last[upper]


def _reverse_postorder(function: Function) -> list[Block]:
    result: list[Block] = []
    seen = {function.entry}
    stack = [(function.entry, iter(function.entry.successors))]
    while stack:
        block, successors = stack[-1]
        following = next((s for s in successors if s not in seen), None)
        if following is None:
            result.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(following.successors)))
    return result[::-1]


def _common(parents: list[int], left: int, right: int) -> int:
    """Return the nearest common ancestor; a parent has a smaller number than its children."""
    while left != right:
        if left > right:
            left = parents[left]
        else:
            right = parents[right]
    return left


def _intervals(parents: list[int]) -> tuple[list[int], list[int]]:
    """Number the nodes of a tree in preorder; a subtree is the numbers from a node's first to its last."""
    size = [1] * len(parents)
    for node in range(len(parents) - 1, 0, -1):
        size[parents[node]] += size[node]
    first = [0] * len(parents)
    free = [1] * len(parents)
    for node in range(1, len(parents)):
        parent = parents[node]
        first[node] = free[parent]
        free[parent] += size[node]
        free[node] = first[node] + 1
    return first, [f + s - 1 for f, s in zip(first, size, strict=True)]
