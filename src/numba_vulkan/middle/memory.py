"""The variables and constant tables of a function, and what its pointers mean."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import VulkanUnsupportedError
from ..llvmir.model import Argument, Constant, Function, Instruction, Value
from ..llvmir.types import StructType, Type, array_type
from .layout import member, size_bytes
from .passes import Context
from .rewriting import unsupported

__all__ = ["Address", "Memory", "is_foreign"]


@dataclass(frozen=True)
class Address:
    """A place in a variable or a table: ``constant`` bytes plus, for each term, a multiple of an index."""

    root: Value
    constant: int = 0
    terms: tuple[tuple[Value, int], ...] = ()


class Memory:
    """Variables and tables of a function, and what is known of them.

    Attributes
    ----------
    roots : dict
        Each variable and table, and its type.
    addresses : dict
        The pointers that are resolved already.
    """

    def __init__(self, function: Function, context: Context) -> None:
        self.context = context
        self.roots: dict[Value, Type] = {table: table.initializer.type for table in function.globals.values()}
        for block in function.blocks:
            for i in block.instructions:
                if i.opcode == "alloca":
                    self.roots[i] = _allocated(i, context)
        self.addresses: dict[Value, Address] = {root: Address(root) for root in self.roots}

    # ---- addresses

    def address(self, pointer: Value, user: Instruction) -> Address:
        """Return the place that a pointer of a load or a store means."""
        steps: list[Instruction] = []
        base = pointer
        while base not in self.addresses:
            if not isinstance(base, Instruction) or base.opcode != "getelementptr":
                raise self.unsupported(user)
            steps.append(base)
            base = base.operands[0]
        for step in reversed(steps):
            self.addresses[step] = self._step(self.addresses[step.operands[0]], step)
        return self.addresses[pointer]

    def unsupported(self, user: Instruction) -> VulkanUnsupportedError:
        """Return the error for a use of memory that cannot be resolved."""
        what = "a tuple or an array inside the kernel is used in a way that needs a pointer to it"
        return unsupported(f"{what}, which shaders do not have", user, self.context)

    def _step(self, base: Address, step: Instruction) -> Address:
        offset, terms = base.constant, list(base.terms)
        type = step.element
        for position, index in enumerate(step.operands[1:]):
            if position and isinstance(type, StructType):
                assert isinstance(index, Constant)
                inner, type = member(type, index.value)
                offset += inner
                continue
            if position:
                type = member(type, 0)[1]
            stride = size_bytes(type)
            if isinstance(index, Constant):
                offset += index.signed * stride
            else:
                terms.append(_scaled(index, stride))
        return Address(base.root, offset, tuple(terms))


def _scaled(index: Value, stride: int) -> tuple[Value, int]:
    """Return an index and what it counts, with factors of the index moved there: LLVM counts bytes at times."""
    while isinstance(index, Instruction) and index.opcode in ("mul", "shl"):
        factor = index.operands[1]
        if not isinstance(factor, Constant):
            break
        stride *= factor.signed if index.opcode == "mul" else 1 << factor.value
        index = index.operands[0]
    return index, stride


def is_foreign(instruction: Instruction) -> bool:
    """Return whether a load or a store goes through an argument, which kernels do not have but tests do."""
    return instruction.opcode in ("load", "store") and isinstance(instruction.operands[-1], Argument)


def _allocated(alloca: Instruction, context: Context) -> Type:
    """Return the type of a variable."""
    count = alloca.operands[0] if alloca.operands else None
    if count is None:
        return alloca.element
    if not isinstance(count, Constant):
        raise unsupported("the size of an array inside a kernel must be a constant", alloca, context)
    return array_type(alloca.element, count.value)
