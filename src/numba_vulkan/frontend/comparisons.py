"""Comparisons between signed and unsigned integers, exact as NumPy's, and of a number with the members of a tuple.

Numba compares int64 with uint64 as float64, which takes 2**63 - 32 and 2**63 for equal.
"""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, Registry, signature

__all__ = ["lowering_of", "typing"]

typing = Registry()

# The LLVM predicate of each operator, that of the operator with its operands exchanged, and the answer when the signed
# operand, on the left, is negative.
_ROWS: dict[Any, tuple[str, Any, bool]] = {
    operator.lt: ("<", operator.gt, True),
    operator.le: ("<=", operator.ge, True),
    operator.gt: (">", operator.lt, False),
    operator.ge: (">=", operator.le, False),
    operator.eq: ("==", operator.eq, False),
    operator.ne: ("!=", operator.ne, True),
}


def _differ_in_sign(left: Any, right: Any) -> bool:
    both = isinstance(left, types.Integer) and isinstance(right, types.Integer)
    return both and left.signed != right.signed


def _compare(
    operation: Any, context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]
) -> ir.Value:
    """Compare as unsigned, unless the signed operand is negative."""
    (left_type, right_type), (left, right) = sig.args, args
    if not left_type.signed:
        operation = _ROWS[operation][1]
        left_type, right_type, left, right = right_type, left_type, right, left
    predicate, _, if_negative = _ROWS[operation]
    left = context.cast(builder, left, left_type, types.int64)
    right = context.cast(builder, right, right_type, types.uint64)
    is_negative = builder.icmp_signed("<", left, ir.Constant(left.type, 0))
    compared = builder.icmp_unsigned(predicate, left, right)
    return builder.select(is_negative, ir.Constant(ir.IntType(1), if_negative), compared)


def _contains(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple[ir.Value, ...]) -> ir.Value:
    """Compare with each member of a tuple.

    Numba's loop chooses the member by a switch. `literal_unroll` asks once per round and type where the round is to
    be found, which is known when this is no loop: 60 numbers of two types were a module of 300 000 words.
    """
    (members, wanted), (values, value) = sig.args, args
    compared = context.typing_context.resolve_function_type(operator.eq, (members.dtype, wanted), {})
    equal = context.get_function(operator.eq, compared)
    found = ir.Constant(ir.IntType(1), 0)
    for place in range(members.count):
        found = builder.or_(found, equal(builder, (builder.extract_value(values, place), value)))
    return found


def lowering_of(operation: Any, sig: Any) -> Any:
    """Return the lowering of what this module is for, None for any other call."""
    if operation is operator.contains and len(sig.args) == 2:
        members, wanted = sig.args
        among_integers = isinstance(members, types.UniTuple) and isinstance(members.dtype, types.Integer)
        return _contains if among_integers and isinstance(wanted, types.Integer) else None
    if operation not in _ROWS or len(sig.args) != 2 or not _differ_in_sign(*sig.args):
        return None
    return partial(_compare, operation)


def _register(operation: Any) -> None:
    class ComparisonTemplate(AbstractTemplate):
        key = operation
        metadata = {"target": "vulkan"}  # noqa: RUF012  (what Numba looks at to prefer it to its own)

        def generic(self, args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Any:
            if kws or len(args) != 2 or not _differ_in_sign(*args):
                return None
            return signature(types.boolean, *(types.unliteral(t) for t in args))

    typing.register_global(operation, types.Function(ComparisonTemplate))


for _operation in _ROWS:
    _register(_operation)
