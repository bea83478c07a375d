"""Let every access name its array: one that chooses between arrays at run time becomes one access for each.

A binding that is not constant here comes from a phi, a select or a variable (a tuple of arrays that is indexed at run
time). The constants that it can be are found by following these; 0 is none of them, since it is no array's: it stands
where Numba leaves a value undefined that nobody reads.
"""

from __future__ import annotations

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Block, Constant, Function, Instruction, Value, constant
from ..llvmir.types import I1, I32, VOID, IntType
from .passes import Context
from .rewriting import replace_uses, unsupported

__all__ = ["run"]

_ACCESSES = (abi.LOADS, *abi.WRITES)
_STEPS = {"select": slice(1, 3), "phi": slice(None)}
_Stores = dict[Value, list[Value]]


def run(function: Function, context: Context) -> None:
    """Leave constant bindings only."""
    chosen = [
        (block, i)
        for block in function.blocks
        for i in block.instructions
        if i.opcode == "call" and i.callee.startswith(_ACCESSES) and not isinstance(i.operands[0], Constant)
    ]
    if not chosen:
        return
    stores = _stores(function)
    replacements: dict[Value, Value] = {}
    # From the last access of a block to the first, so that splitting a block leaves those before it where they are.
    for block, access in reversed(chosen):
        bindings = _candidates(access, stores, context)
        if len(bindings) == 1:
            access.operands[0] = constant(I32, bindings[0])
        else:
            _branch(function, block, access, bindings, replacements)
    replace_uses(function, replacements)


def _root(pointer: Value) -> Value:
    """Return the variable that an address lies in."""
    while isinstance(pointer, Instruction) and pointer.opcode == "getelementptr":
        pointer = pointer.operands[0]
    return pointer


def _stores(function: Function) -> _Stores:
    """Return for each variable what is stored in it."""
    stores: _Stores = {}
    for i in function.instructions():
        if i.opcode == "store":
            stores.setdefault(_root(i.operands[1]), []).append(i.operands[0])
    return stores


def _candidates(access: Instruction, stores: _Stores, context: Context) -> list[int]:
    """Return the bindings that an access can mean.

    Raises
    ------
    VulkanUnsupportedError
        If the binding is computed in a way that does not tell.
    """
    found: set[int] = set()
    seen: set[Value] = set()
    pending = [access.operands[0]]
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        possible = _possible_numbers(value)
        if possible is not None:
            found |= possible
        elif isinstance(value, Instruction) and value.opcode in _STEPS:
            pending += value.operands[_STEPS[value.opcode]]
        elif isinstance(value, Instruction) and value.opcode == "load":
            pending += stores.get(_root(value.operands[0]), [])
        else:
            raise unsupported(
                "this chooses between arrays in a way that the compiler cannot follow: choose with if and else, and "
                "access the array in each branch",
                access,
                context,
            )
    found.discard(0)
    return sorted(found) or [0]


# More than so many are not followed.
_MOST_NUMBERS = 16
_OPERATIONS = {
    "add": int.__add__,
    "sub": int.__sub__,
    "xor": int.__xor__,
    "or": int.__or__,
    "and": int.__and__,
    "shl": int.__lshift__,
}


def _possible_numbers(value: Value) -> set[int] | None:
    """Return what a number can be that is computed from conditions, as LLVM does to choose between two; else None."""
    if isinstance(value, Constant):
        return {value.value}
    if not isinstance(value, Instruction) or not isinstance(value.type, IntType):
        return None
    mask = value.type.mask
    if value.opcode in ("zext", "sext"):
        inner = value.operands[0].type
        if inner is not I1:
            return None
        return {0, 1} if value.opcode == "zext" else {0, mask}
    if value.opcode not in _OPERATIONS:
        return None
    left, right = (_possible_numbers(operand) for operand in value.operands)
    if value.opcode == "and" and left is None and right == {1}:
        return {0, 1}
    if left is None or right is None or len(left) * len(right) > _MOST_NUMBERS:
        return None
    return {_OPERATIONS[value.opcode](a, b) & mask for a in left for b in right}


def _branch(
    function: Function,
    block: Block,
    access: Instruction,
    bindings: list[int],
    replacements: dict[Value, Value],
) -> None:
    """Split a block at an access and give each binding a block of its own."""
    position = block.instructions.index(access)
    rest = Block(f"{block.name}.chosen", block.instructions[position + 1 :])
    for successor in rest.successors:
        for phi in successor.phis():
            phi.targets = [rest if source is block else source for source in phi.targets]
    block.instructions = block.instructions[:position]
    cases = [Block(f"{block.name}.array{binding}") for binding in bindings]
    results: list[Value] = []
    for binding, case in zip(bindings, cases, strict=True):
        b = Builder(case.instructions, access.location)
        operands = [b.i32(binding), *access.operands[1:]]
        results.append(b.call(access.callee, access.type, *operands))
        b.branch(rest)
    choice = Instruction("switch", VOID, [access.operands[0]], detail=tuple(bindings[1:]), targets=cases)
    choice.location = access.location
    block.instructions.append(choice)
    if access.type is not VOID:
        phi = Instruction("phi", access.type, results, targets=list(cases), location=access.location)
        rest.instructions.insert(0, phi)
        replacements[access] = phi
    after = function.blocks.index(block) + 1
    function.blocks[after:after] = [*cases, rest]
