"""Join products with the sums that use them: one rounding instead of two, where the user has asked for it.

Only products that nothing but sums uses: sources that look at what rounding took from a product name it. The operation
is written out, and all others stay as exact as before: a driver that may contract may reassociate as well, and would
take the error terms of the math library for zero.
"""

from __future__ import annotations

from collections.abc import Callable

from ..llvmir.build import Builder
from ..llvmir.model import Constant, Function, Instruction, Value, constant
from ..llvmir.types import F32, F64, FloatType, Type
from .passes import Context
from .rewriting import Rule, rewrite

__all__ = ["run"]

_SIGN_BITS: dict[Type, int] = {F32: 1 << 31, F64: 1 << 63}


def run(function: Function, context: Context) -> None:
    """Replace sums and differences of products by fused multiply-adds."""
    named = {operand for i in function.instructions() if not _is_sum(i) for operand in i.operands}
    rule = _fusing(
        lambda value: isinstance(value, Instruction) and value.opcode == "fmul" and value not in named
    )
    rewrite(function, lambda instruction: rule if _is_sum(instruction) else None, context)


def _is_sum(instruction: Instruction) -> bool:
    return instruction.opcode in ("fadd", "fsub") and instruction.type in _SIGN_BITS


def _fusing(is_free: Callable[[Value], bool]) -> Rule:
    """Return the rule of sums and differences, of which the products that are free may be dissolved."""

    def rule(b: Builder, i: Instruction, context: Context) -> Value | None:
        left, right = i.operands
        if is_free(left):
            addend = _negated(b, right) if i.opcode == "fsub" else right
            return _fused(b, *_factors(left), addend)
        if is_free(right):
            factor, other = _factors(right)
            return _fused(b, factor, _negated(b, other) if i.opcode == "fsub" else other, left)
        return None

    return rule


def _factors(product: Value) -> tuple[Value, Value]:
    """Return the factors of a product, a constant as the second."""
    assert isinstance(product, Instruction)
    left, right = product.operands
    return (right, left) if isinstance(left, Constant) else (left, right)


def _negated(b: Builder, value: Value) -> Value:
    if isinstance(value, Constant) and isinstance(value.type, FloatType):
        return constant(value.type, value.value ^ _SIGN_BITS[value.type])
    # A modifier of the operand on most processors, unlike the exclusive or that is exact everywhere.
    return b.emit(Instruction("fneg", value.type, [value]))


def _fused(b: Builder, factor: Value, other: Value, addend: Value) -> Value:
    return b.call(f"llvm.fma.{'f32' if addend.type is F32 else 'f64'}", addend.type, factor, other, addend)
