"""Put functions of the math library in the place of their calls.

LLVM links those of which it can leave something out (`gains_in_llvm`). The others are taken as they are: read once in a
process and copied for each call, which takes a fraction of the time that LLVM needs and its text takes to read.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

from ..llvmir.build import Builder
from ..llvmir.model import Block, Function, Instruction, Location, Value
from ..llvmir.parse import parse_function
from ..mathlib.library import assembly
from ..mathlib.table import PREFIX
from .blocks import retarget_phis
from .merge_values import merge_values
from .passes import Context
from .rewriting import replace_uses

__all__ = ["gains_in_llvm", "is_math_call", "math_function", "run"]

# Of what these return nothing is known: it may be each number and NaN.
_OPAQUE = ("nv.load.", "nv.param.f", PREFIX)
_ARITHMETIC = frozenset({"fadd", "fsub", "fmul", "fdiv"})
_PLAIN = _ARITHMETIC | {"fpext", "fptrunc", "extractvalue", "phi"}
# LLVM looks as far.
_DEPTH = 6


def gains_in_llvm(function: Function, is_combined: bool) -> bool:
    """Return whether LLVM may simplify a math function for one of its calls, or what takes the result.

    It does where it knows an argument, or its sign or that it is no NaN: the logarithm of a sum of squares loses the
    way for negative numbers. Where it combines instructions, it may make one of the last of the function and, say, a
    test of the result; a negation becomes one of a constant in the function.
    """
    for i in function.instructions():
        if is_math_call(i) and any(_may_be_known(operand) for operand in i.operands):
            return True
        if is_combined and not _is_plain(i) and any(map(_is_result, i.operands)):
            return True
    return False


def _is_plain(instruction: Instruction) -> bool:
    """Return whether LLVM makes nothing else of an instruction for what its operands were computed by."""
    if instruction.opcode == "call":
        return not instruction.callee.startswith("llvm.")
    return instruction.opcode in _PLAIN


def _may_be_known(value: Value, depth: int = 0) -> bool:
    """Return whether LLVM may know more of a value than its type."""
    if not isinstance(value, Instruction) or depth == _DEPTH:
        return True
    opcode, operands = value.opcode, value.operands
    if opcode == "call":
        return not value.callee.startswith(_OPAQUE)
    if opcode in _ARITHMETIC and operands[0] is operands[1]:
        return True  # a square
    # One operand that may be anything is enough.
    return opcode not in _PLAIN or all(_may_be_known(operand, depth + 1) for operand in operands)


def is_math_call(value: Value) -> bool:
    """Return whether a value is a call of a function of the library."""
    return isinstance(value, Instruction) and value.opcode == "call" and value.callee.startswith(PREFIX)


def _is_result(value: Value) -> bool:
    """Return whether a value is a result of a math function."""
    if isinstance(value, Instruction) and value.opcode == "extractvalue":
        value = value.operands[0]
    return is_math_call(value)


def run(function: Function, context: Context) -> None:
    """Replace all calls of math functions."""
    calls = function.calls(PREFIX)
    if not calls:
        return
    # What a function computes from a value that nothing else takes equals nothing outside of it.
    may_meet = _are_shared(function, calls)
    results: dict[Value, Value] = {}
    function.blocks = [part for block in function.blocks for part in _inlined(block, results)]
    replace_uses(function, results)
    if may_meet:
        merge_values(function)


def _are_shared(function: Function, calls: list[Instruction]) -> bool:
    """Return whether a call takes a value twice, or one that another instruction takes as well."""
    taken = {operand for call in calls for operand in call.operands}
    uses = Counter(operand for i in function.instructions() for operand in i.operands if operand in taken)
    return max(uses.values(), default=0) > 1


def _inlined(block: Block, results: dict[Value, Value]) -> list[Block]:
    """Return what a block becomes, and note what stands for the calls in it."""
    if not any(is_math_call(i) for i in block.instructions):
        return [block]
    instructions, block.instructions = block.instructions, []
    blocks, current = [block], block
    for i in instructions:
        if is_math_call(i):
            copy = _Copy(i, current, f"{block.name}.{len(blocks)}")
            results[i], current = copy.result, copy.after
            blocks += copy.blocks
        else:
            current.instructions.append(i)
    for successor in current.successors if current is not block else ():
        retarget_phis(successor, block, current)
    return blocks


class _Copy:
    """A copy of a math function for one call.

    Attributes
    ----------
    blocks : list of Block
        What follows the block of the call.
    after : Block
        The one in which control goes on behind the call.
    result : Value
        What the call returned.
    """

    def __init__(self, call: Instruction, before: Block, name: str) -> None:
        function = math_function(call.callee)
        self.blocks = [Block(f"{name}.{block.name}") for block in function.blocks[1:]]
        block_of = dict(zip(function.blocks, (before, *self.blocks), strict=True))
        values: dict[Value, Value] = dict(zip(function.arguments, call.operands, strict=True))
        copies: list[tuple[Instruction, Instruction]] = []
        returned: list[tuple[Value, Block]] = []
        for block in function.blocks:
            target = block_of[block].instructions
            for i in block.instructions:
                if i.opcode == "ret":
                    returned.append((i.operands[0], block_of[block]))
                else:
                    copy = values[i] = _copied(i, block_of, call.location)
                    copies.append((i, copy))
                    target.append(copy)
        for i, copy in copies:
            copy.operands = [values.get(operand, operand) for operand in i.operands]
        results = [values.get(value, value) for value, _ in returned]
        self.result, self.after = results[0], returned[0][1]
        if len(returned) > 1:
            self._join(call, results, [block for _, block in returned], f"{name}.end")

    def _join(self, call: Instruction, results: list[Value], sources: list[Block], name: str) -> None:
        """Let several ways out of the function meet."""
        self.after = Block(name)
        self.blocks.append(self.after)
        for source in sources:
            Builder(source.instructions, call.location).branch(self.after)
        self.result = Instruction("phi", call.type, results, targets=sources, location=call.location)
        self.after.instructions.append(self.result)


def _copied(instruction: Instruction, block_of: dict[Block, Block], location: Location | None) -> Instruction:
    """Return the same instruction for other blocks, without operands, with the line of the call."""
    return Instruction(
        instruction.opcode,
        instruction.type,
        detail=instruction.detail,
        targets=[block_of[target] for target in instruction.targets] if instruction.targets else None,
        flags=instruction.flags,
        location=location,
    )


@cache
def math_function(symbol: str) -> Function:
    """Return a function of the library, which nobody may change; the caller holds Numba's compiler lock."""
    return parse_function(assembly(symbol), symbol)
