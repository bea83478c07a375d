"""Rewrites of Numba's untyped IR: formats of f-strings, keywords of print, and what exceptions are raised with.

Numba refuses formats and keywords of print, and forgets keywords and ``*args`` of exceptions.
"""

from __future__ import annotations

import inspect
import operator
from typing import Any

import numba
from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass

from ..errors import VulkanUnsupportedError
from .blocks import BlockRewriter
from .texts import format_value, print_text, print_values, repr_value
from .translation import FORMATS_AS_PAIRS
from .types import members_of

__all__ = ["RewriteCalls"]

_REPLACED = ((str, format_value), (format, format_value), (repr, repr_value), (print, print_values))


@register_pass(mutates_CFG=False, analysis_only=False)
class RewriteCalls(FunctionPass):
    """Call stand-ins where the source has f-strings, ``str``, ``format`` and ``print``; write arguments out."""

    _name = "vulkan_rewrite_calls"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Look at the function's untyped Numba IR."""
        changed = False
        for block in state.func_ir.blocks.values():
            changed |= _Rewriter(state, block).run()
        return changed


class _Rewriter(BlockRewriter):
    """Rewrites texts and exceptions of one block."""

    def __init__(self, state: Any, block: Any) -> None:
        super().__init__(state.func_ir, block)
        self.arguments = state.args
        self.pairs = {f"${offset}build_tuple": c for offset, c in state.metadata[FORMATS_AS_PAIRS].items()}
        self.raised = {
            name
            for each in self.function.blocks.values()
            for statement in each.find_insts(ir.Raise)
            if statement.exception is not None
            for name in self.names(statement.exception)
        }

    def check(self, statement: Any) -> None:
        """Refuse what cannot be raised."""
        if isinstance(statement, ir.Raise) and statement.exception is not None:
            self._check_class(statement.exception, statement.loc)

    def replacement(self, statement: Any) -> Any:
        """Return the stand-in of a text function, or a call with its arguments written out."""
        value = statement.value
        if isinstance(value, ir.Global | ir.FreeVar):
            function = next((new for old, new in _REPLACED if value.value is old), None)
            return function and ir.Global(function.__name__, function, statement.loc)
        if not isinstance(value, ir.Expr):
            return None
        if value.op == "getattr":
            return self._named(value)
        if value.op != "call":
            return self._pair(statement)
        if statement.target.name in self.raised:
            return self._exception(statement)
        return self._print(statement)

    def _named(self, value: Any) -> Any:
        """Return literal_unroll as a global where it is an attribute of numba: Numba's unrolling takes no other."""
        is_meant = value.attr == "literal_unroll" and self.constant(value.value) is numba
        return ir.Global(value.attr, numba.literal_unroll, value.loc) if is_meant else None

    def _pair(self, statement: Any) -> Any:
        """Return what replaces a tuple that stands for a part of an f-string."""
        name = statement.target.name.partition(".")[0]
        if statement.value.op != "build_tuple" or name not in self.pairs:
            return None
        items = list(statement.value.items)
        if len(items) == 1:
            items.append(self.assigned(ir.Const("", statement.loc), statement))
        items.append(self.assigned(ir.Const(self.pairs[name], statement.loc), statement))
        callee = self.assigned(ir.Global("format", format_value, statement.loc), statement)
        return ir.Expr.call(callee, tuple(items), (), statement.loc)

    def _print(self, statement: Any) -> Any:
        """Return a call of print with its arguments written out, and separator and end in front if it has keywords."""
        call = statement.value
        if not (call.kws or call.vararg):
            return None
        callees = list(self.origins(call.func))
        if not callees or not all(getattr(c, "value", None) in (print, print_values) for c in callees):
            return None
        keywords = dict(call.kws)
        lead = [keywords.pop(k, None) for k in ("sep", "end")]
        if keywords:
            raise VulkanUnsupportedError(
                f"print in kernels has the keywords sep and end, not {', '.join(keywords)}", loc=call.loc
            )
        members = self._members(call.vararg, statement) if call.vararg else []
        vararg = call.vararg if members is None else None
        if any(lead):
            lead = [v or self.assigned(ir.Const(None, call.loc), statement) for v in lead]
            callee = self.assigned(ir.Global("print", print_text, call.loc), statement)
        else:
            lead, callee = [], call.func
        return ir.Expr.call(callee, [*lead, *call.args, *(members or ())], (), call.loc, vararg=vararg)

    # ---- exceptions

    def _check_class(self, exception: Any, loc: Any) -> None:
        """Refuse what is no exception, and classes that are not known here."""
        made = [
            origin.func if getattr(origin, "op", "") == "call" else None for origin in self.origins(exception)
        ]
        raised = made[0] if len(made) == 1 and made[0] is not None else exception
        kind = self.constant(raised)
        if kind is None:
            raise VulkanUnsupportedError(
                "kernels raise exceptions whose class is known when they are compiled: write `raise Class(...)`, in "
                "each branch if there are several",
                loc=loc,
            )
        if isinstance(kind, tuple):  # a class and its arguments
            kind = kind[0]
        if isinstance(kind, type) and issubclass(kind, Exception):
            return
        what = kind.__name__ if isinstance(kind, type) else f"a value of type {type(kind).__name__}"
        raise VulkanUnsupportedError(f"kernels raise subclasses of Exception, not {what}", loc=loc)

    def _exception(self, statement: Any) -> Any:
        """Return a call of an exception's class with all its arguments in their order."""
        call = statement.value
        if not (call.kws or call.vararg):
            return None
        members = self._members(call.vararg, statement) if call.vararg else []
        if members is None:
            raise VulkanUnsupportedError(
                "the number of arguments of an exception must be known in kernels: write them out instead of *args",
                loc=call.loc,
            )
        arguments = [*call.args, *members]
        if call.kws:
            arguments = self._in_order(call, arguments)
        return ir.Expr.call(call.func, arguments, (), call.loc)

    def _in_order(self, call: Any, arguments: list[Any]) -> list[Any]:
        """Return arguments and keywords as the class of an exception takes them by position."""
        names = ", ".join(name for name, _ in call.kws)
        kind: Any = self.constant(call.func)
        try:
            bound = inspect.signature(kind).bind(*arguments, **dict(call.kws))
        except (TypeError, ValueError):  # no class, no such parameters, or a class that does not tell them
            bound = None
        if bound is None or bound.kwargs:
            raise VulkanUnsupportedError(
                f"exceptions are raised with arguments by position in kernels, not with the keyword {names}",
                loc=call.loc,
            )
        return list(bound.args)

    # ---- variables

    def _members(self, variable: Any, statement: Any) -> list[Any] | None:
        """Return variables that hold the members of a tuple, None if their number is not known yet."""
        origins = list(self.origins(variable))
        origin = origins[0] if len(origins) == 1 else None
        if isinstance(origin, ir.Expr) and origin.op == "build_tuple":
            return list(origin.items)
        if isinstance(origin, ir.Expr) and origin.op == "binop" and origin.fn is operator.add:
            parts = [self._members(side, statement) for side in (origin.lhs, origin.rhs)]
            return None if None in parts else [member for part in parts for member in part or ()]
        if isinstance(origin, ir.Expr) and origin.op == "call" and len(origin.args) == 1:
            callees = list(self.origins(origin.func))
            is_tuple = bool(callees) and all(getattr(callee, "value", None) is tuple for callee in callees)
            return self._members(origin.args[0], statement) if is_tuple else None
        count = None
        if isinstance(origin, ir.Global | ir.FreeVar | ir.Const) and isinstance(origin.value, tuple):
            count = len(origin.value)
        elif isinstance(given := self._type_of(variable), types.BaseTuple):
            count = len(members_of(given))
        if count is None:
            return None
        loc = statement.loc
        return [
            self.assigned(ir.Expr.static_getitem(variable, k, None, loc), statement) for k in range(count)
        ]

    def _type_of(self, variable: Any) -> Any:
        """Return the type of an argument, or of a member of one; None if this does not know it."""
        origins = list(self.origins(variable))
        origin = origins[0] if len(origins) == 1 else None
        if isinstance(origin, ir.Arg):
            return self.arguments[origin.index]
        if not isinstance(origin, ir.Expr) or origin.op not in ("getitem", "static_getitem"):
            return None
        owner = self._type_of(origin.value)
        index = self.constant(origin.index) if origin.op == "getitem" else origin.index
        if not isinstance(owner, types.BaseTuple) or not isinstance(index, int):
            return None
        members = members_of(owner)
        return members[index] if -len(members) <= index < len(members) else None
