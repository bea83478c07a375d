"""Refuse operations on whole arrays whose elements are used after something has been written.

Such operations are computed where they are used; what they read must still be what it was where they are written.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import get_definition, guard

from ..errors import VulkanUnsupportedError
from .types import VulkanArray, VulkanExpression

__all__ = ["ASSUMPTIONS", "Assumption", "CheckExpressions"]

ASSUMPTIONS = "vulkan_assumptions"

# Where functions live that write to no array; NumPy's with an output are looked at on their own.
_PURE_MODULES = (
    "builtins",
    "math",
    "operator",
    "_operator",
    "numpy",
    "numba_vulkan.stubs.ids",
    "numba_vulkan.stubs.local",
    "numba_vulkan.frontend",
)
# Functions of NumPy that write to an argument, and which that is.
_OUTPUTS: tuple[tuple[Any, str, int], ...] = (
    (np.copyto, "dst", 0),
    (np.fill_diagonal, "a", 0),
    (np.clip, "out", 3),
    (np.dot, "out", 2),
    (np.matmul, "out", 2),
    (np.outer, "out", 2),
)
_IN_PLACE = tuple(f for name, f in vars(operator).items() if name.startswith("i") and callable(f))


@register_pass(mutates_CFG=False, analysis_only=True)
class CheckExpressions(FunctionPass):
    """Look at each use of an expression: nothing may be written between its place in the source and the use."""

    _name = "vulkan_check_expressions"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Look at the function's typed Numba IR."""
        kinds = state.typemap
        names = {name for name, kind in kinds.items() if isinstance(kind, VulkanExpression)}
        if names:
            check = _Check(state, names)
            check.run()
            state.metadata[ASSUMPTIONS] = check.assumptions
        return False


@dataclass(frozen=True)
class Assumption:
    """What must hold of the arguments: an array that is written shares no memory with those that are read later."""

    message: str
    loc: Any


@dataclass(frozen=True)
class _Write:
    """A statement that writes; ``root`` tells which array, None if that is not known."""

    root: object
    loc: Any


class _Check:
    """The state of one run.

    Attributes
    ----------
    made : dict
        Where each expression is made: block and position; for those made of others, the earliest place of these.
    roots : dict
        The arrays that each expression reads.
    assumptions : list of Assumption
        What was found to depend on the arguments of a launch.
    """

    def __init__(self, state: Any, names: set[str]) -> None:
        self.function: Any = state.func_ir
        self.blocks: dict[int, Any] = state.func_ir.blocks
        self.kinds: dict[str, Any] = state.typemap
        self.names = names
        self.made: dict[str, tuple[int, int]] = {}
        self.roots: dict[str, set[object]] = {}
        self.assumptions: list[Assumption] = []
        self.writes: dict[tuple[int, int], _Write] = {}
        for label, block in self.blocks.items():
            for position, statement in enumerate(block.body):
                write = self._write(statement)
                if write is not None:
                    self.writes[label, position] = write

    def run(self) -> None:
        """Check all uses."""
        for label in sorted(self.blocks):
            for position, statement in enumerate(self.blocks[label].body):
                if isinstance(statement, ir.Del):
                    continue
                target = statement.target.name if isinstance(statement, ir.Assign) else None
                variables = [self._owner(v) for v in statement.list_vars()]
                used = {v.name for v in variables} & self.names - {target}
                for name in used:
                    self._check(name, label, position, statement.loc)
                if target in self.names:
                    self._make(target, (label, position), variables, statement.loc)

    def _make(self, target: str, place: tuple[int, int], variables: list[Any], loc: Any) -> None:
        if target in self.made:
            raise VulkanUnsupportedError(
                "a variable that holds an operation on whole arrays is assigned more than once: such operations are "
                "computed where they are used; use variables of different names, or a loop over the elements",
                loc=loc,
            )
        used = [v.name for v in variables if v.name in self.made]
        self.made[target] = min((self.made[name] for name in used), default=place)
        self.roots[target] = {root for name in used for root in self.roots[name]}
        self.roots[target] |= {
            self._root(v) for v in variables if isinstance(self.kinds.get(v.name), VulkanArray)
        }

    def _check(self, name: str, label: int, position: int, loc: Any) -> None:
        """Raise if something is written between the place of an expression and a use of it."""
        made = self.made.get(name)
        if made is None:
            return
        for at, write in self.writes.items():
            # Control may have come by any other block, and by this one before.
            is_between = (
                made[1] < at[1] < position
                if made[0] == at[0] == label
                else at[0] != made[0] or at[1] > made[1]
            )
            if (made[0] == label and at[0] != label) or not is_between:
                continue
            message = (
                f"an operation on whole arrays is computed where its elements are used, and line {write.loc.line} "
                f"writes to an array before"
            )
            roots = self.roots[name]
            if None in (write.root, *roots) or write.root in roots:
                raise VulkanUnsupportedError(
                    f"{message}: write the operation at its use, or loop over the elements", loc=loc
                )
            self.assumptions.append(Assumption(message, loc))

    def _owner(self, variable: Any) -> Any:
        """Return the array whose method a variable is; other variables as they are."""
        if isinstance(self.kinds.get(variable.name), types.BoundFunction):
            definition = guard(get_definition, self.function, variable)
            if isinstance(definition, ir.Expr) and definition.op == "getattr":
                return definition.value
        return variable

    # ---- what statements write

    def _root(self, variable: Any) -> object:
        """Return what tells the array that a variable is, or is a view of, from others; None if nothing does."""
        definition = guard(get_definition, self.function, variable)
        if isinstance(definition, ir.Arg):
            return definition.index
        if not isinstance(definition, ir.Expr):
            return None
        if definition.op in ("getitem", "static_getitem", "getattr"):
            return self._root(definition.value)
        if definition.op == "call":
            callee = guard(get_definition, self.function, definition.func)
            if isinstance(self.kinds[definition.func.name], types.BoundFunction) and isinstance(
                callee, ir.Expr
            ):
                return self._root(callee.value)
        return None

    def _write(self, statement: Any) -> _Write | None:
        """Return what a statement may write; anything if other invocations' writes may be seen after it."""
        if isinstance(statement, ir.SetItem | ir.StaticSetItem | ir.SetAttr):
            return _Write(self._root(statement.target), statement.loc)
        if not isinstance(statement, ir.Assign) or not isinstance(statement.value, ir.Expr):
            return None
        expression = statement.value
        if expression.op == "inplace_binop" and isinstance(self.kinds[expression.lhs.name], VulkanArray):
            return _Write(self._root(expression.lhs), statement.loc)
        if expression.op != "call":
            return None
        callee = self.kinds[expression.func.name]
        key = getattr(callee, "typing_key", None)
        if isinstance(callee, types.Function):
            for function, name, position in _OUTPUTS:
                if key is function:
                    given = dict(expression.kws).get(name) or next(iter(expression.args[position:]), None)
                    return _Write(self._root(given), statement.loc) if given else None
        if isinstance(key, np.ufunc):
            writes = len(expression.args) > key.nin
            return _Write(self._root(expression.args[-1]), statement.loc) if writes else None
        return None if self._is_pure(callee, key) else _Write(None, statement.loc)

    def _is_pure(self, callee: Any, key: Any) -> bool:
        """Return whether a call writes to no array; functions of the user may, and may contain barriers."""
        if isinstance(callee, types.BoundFunction):
            return key not in ("array.sort", "array.fill", "array.itemset")
        if isinstance(callee, types.Function):
            return key not in _IN_PLACE and (getattr(key, "__module__", None) or "").startswith(_PURE_MODULES)
        return isinstance(callee, types.NumberClass | types.NamedTupleClass | types.ExceptionClass)
