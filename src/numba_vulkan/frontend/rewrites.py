"""Rewrites of Numba's untyped IR: formats of f-strings, keywords of print, and what exceptions are raised with.

Numba refuses formats and keywords of print, and forgets keywords and ``*args`` of exceptions.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterator
from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.errors import ConstantInferenceError, UnsupportedBytecodeError
from numba.core.untyped_passes import TranslateByteCode

from ..errors import VulkanUnsupportedError
from .texts import format_value, print_text, print_values, repr_value
from .types import members_of

__all__ = ["RewriteCalls", "TranslateFormats"]

# ---- bytecode

_FORMATS_AS_PAIRS = "vulkan_formats"
_CONVERSIONS = ("", "s", "r", "a")


@register_pass(mutates_CFG=True, analysis_only=False)
class TranslateFormats(TranslateByteCode):
    """Make Numba IR; parts of f-strings with a format or a conversion are tuples in it, since Numba refuses them."""

    _name = "vulkan_translate_formats"

    def run_pass(self, state: Any) -> bool:
        """Change the bytecode, as Numba keeps it, and translate it."""
        notes: dict[int, str] = {}
        with_keywords: list[Any] = []
        for offset, instruction in state.bc.table.items():
            has_format, conversion = _format_of(instruction)
            if has_format or conversion:
                notes[offset] = conversion
                instruction.opname, instruction.arg = "BUILD_TUPLE", 1 + has_format
            if instruction.opname == "RAISE_VARARGS" and instruction.arg == 2:
                raise VulkanUnsupportedError(
                    "raise with `from` is not supported in kernels, which catch no exceptions: leave `from` out",
                    loc=_line(state, instruction),
                )
            if instruction.opname == "CALL_FUNCTION_EX" and instruction.arg & 1:
                with_keywords.append(instruction)
        state.metadata[_FORMATS_AS_PAIRS] = notes
        try:
            changed = super().run_pass(state)
        except (AssertionError, UnsupportedBytecodeError):
            # Numba understands such calls where all arguments are written out, and fails in its search for them else.
            if not with_keywords:
                raise
            raise VulkanUnsupportedError(
                "calls with *args and keywords, or with **kwargs, are not supported in kernels: name the arguments",
                loc=_line(state, with_keywords[0]),
            ) from None
        _join_texts(state.func_ir)
        return changed


def _line(state: Any, instruction: Any) -> Any:
    return ir.Loc(state.func_id.filename, instruction.lineno)


def _format_of(instruction: Any) -> tuple[bool, str]:
    """Return whether an instruction takes a format from the stack, and its conversion."""
    if instruction.opname == "FORMAT_VALUE":
        return bool(instruction.arg & 4), _CONVERSIONS[instruction.arg & 3]
    if instruction.opname == "CONVERT_VALUE":
        return False, _CONVERSIONS[instruction.arg & 3]
    return instruction.opname == "FORMAT_WITH_SPEC", ""


def _join_texts(function: Any) -> None:
    """Make additions of the lists that Python joins for f-strings of many parts."""
    definitions = function._definitions

    def of(variable: Any) -> Any:
        known = definitions.get(variable.name, ())
        return known[0] if len(known) == 1 else None

    def method(call: Any, name: str) -> Any:
        """Return the object whose method a call calls."""
        found = of(call.func)
        return (
            found.value
            if isinstance(found, ir.Expr) and found.op == "getattr" and found.attr == name
            else None
        )

    calls = [
        (statement, statement.value)
        for label in sorted(function.blocks)
        for statement in function.blocks[label].find_insts(ir.Assign)
        if isinstance(statement.value, ir.Expr) and statement.value.op == "call"
    ]
    joins = {
        call.args[0].name: statement
        for statement, call in calls
        if len(call.args) == 1
        and (text := method(call, "join")) is not None
        and isinstance(of(text), ir.Const)
        and of(text).value == ""
    }
    # Python's own lists have no names, and are empty at first.
    texts = {
        name: ir.Const("", joins[name].loc)
        for name in joins
        if name.startswith("$") and getattr(of(joins[name].value.args[0]), "op", "") == "build_list"
    }
    if not texts:
        return
    sums: dict[str, Any] = {}
    for statement, call in calls:
        owner = method(call, "append")
        if owner is not None and owner.name in texts:
            add = ir.Expr.binop(operator.add, sums.get(owner.name, owner), call.args[0], statement.loc)
            _redefine(function, statement, add)
            sums[owner.name] = statement.target
    for name in texts:
        _redefine(function, joins[name], sums.get(name, joins[name].value.args[0]))
    for block in function.blocks.values():
        block.body = [s for s in block.body if not _is_method_of(s, texts)]
        for statement in block.find_insts(ir.Assign):
            if statement.target.name in texts:
                _redefine(function, statement, texts[statement.target.name])


def _is_method_of(statement: Any, owners: dict[str, Any]) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(value, ir.Expr) and value.op == "getattr" and value.value.name in owners


def _redefine(function: Any, statement: Any, value: Any) -> None:
    """Give an assignment another value."""
    known = function._definitions[statement.target.name]
    known[:] = [value if each is statement.value else each for each in known]
    statement.value = value


# ---- calls

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


class _Rewriter:
    """Rewrites one block."""

    def __init__(self, state: Any, block: Any) -> None:
        self.function = state.func_ir
        self.arguments = state.args
        self.pairs = {f"${offset}build_tuple": c for offset, c in state.metadata[_FORMATS_AS_PAIRS].items()}
        self.block = block
        self.body: list[Any] = []
        self.raised = {
            statement.exception.name
            for each in self.function.blocks.values()
            for statement in each.find_insts(ir.Raise)
            if statement.exception is not None
        }

    def run(self) -> bool:
        """Replace what has to be; returns whether there was something."""
        changed = False
        for statement in self.block.body:
            new = self._replacement(statement) if isinstance(statement, ir.Assign) else None
            if new is not None:
                _redefine(self.function, statement, new)
                changed = True
            if isinstance(statement, ir.Raise) and statement.exception is not None:
                self._check_class(statement.exception, statement.loc)
            self.body.append(statement)
        self.block.body = self.body
        return changed

    def _replacement(self, statement: Any) -> Any:
        """Return the new value of an assignment, None if it stays."""
        value = statement.value
        if isinstance(value, ir.Global | ir.FreeVar):
            function = next((new for old, new in _REPLACED if value.value is old), None)
            return function and ir.Global(function.__name__, function, statement.loc)
        if not isinstance(value, ir.Expr):
            return None
        if value.op != "call":
            return self._pair(statement)
        if statement.target.name in self.raised:
            return self._exception(statement)
        return self._print(statement)

    def _pair(self, statement: Any) -> Any:
        """Return what replaces a tuple that stands for a part of an f-string."""
        name = statement.target.name.partition(".")[0]
        if statement.value.op != "build_tuple" or name not in self.pairs:
            return None
        items = list(statement.value.items)
        if len(items) == 1:
            items.append(self._assigned(ir.Const("", statement.loc), statement))
        items.append(self._assigned(ir.Const(self.pairs[name], statement.loc), statement))
        callee = self._assigned(ir.Global("format", format_value, statement.loc), statement)
        return ir.Expr.call(callee, tuple(items), (), statement.loc)

    def _print(self, statement: Any) -> Any:
        """Return a call of print with its arguments written out, and separator and end in front if it has keywords."""
        call = statement.value
        if not (call.kws or call.vararg):
            return None
        callees = list(self._origins(call.func))
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
            lead = [v or self._assigned(ir.Const(None, call.loc), statement) for v in lead]
            callee = self._assigned(ir.Global("print", print_text, call.loc), statement)
        else:
            lead, callee = [], call.func
        return ir.Expr.call(callee, [*lead, *call.args, *(members or ())], (), call.loc, vararg=vararg)

    # ---- exceptions

    def _check_class(self, exception: Any, loc: Any) -> None:
        """Refuse what is no exception, and classes that are not known here."""
        made = [
            origin.func if getattr(origin, "op", "") == "call" else None
            for origin in self._origins(exception)
        ]
        raised = made[0] if len(made) == 1 and made[0] is not None else exception
        kind = self._constant(raised)
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
        kind: Any = self._constant(call.func)
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

    def _origins(self, variable: Any) -> Iterator[Any]:
        """Yield all that a variable may be, through other variables."""
        pending, seen = [variable.name], set()
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            # Numba does not record the definitions of all that it adds to a block.
            known = self.function._definitions.get(name) or [
                statement.value
                for statement in self.block.find_insts(ir.Assign)
                if statement.target.name == name
            ]
            for value in known:
                if isinstance(value, ir.Var):
                    pending.append(value.name)
                else:
                    yield value

    def _members(self, variable: Any, statement: Any) -> list[Any] | None:
        """Return variables that hold the members of a tuple, None if their number is not known yet."""
        origins = list(self._origins(variable))
        origin = origins[0] if len(origins) == 1 else None
        if isinstance(origin, ir.Expr) and origin.op == "build_tuple":
            return list(origin.items)
        if isinstance(origin, ir.Expr) and origin.op == "binop" and origin.fn is operator.add:
            parts = [self._members(side, statement) for side in (origin.lhs, origin.rhs)]
            return None if None in parts else [member for part in parts for member in part or ()]
        if isinstance(origin, ir.Expr) and origin.op == "call" and len(origin.args) == 1:
            callees = list(self._origins(origin.func))
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
            self._assigned(ir.Expr.static_getitem(variable, k, None, loc), statement) for k in range(count)
        ]

    def _constant(self, variable: Any) -> object:
        """Return the value of a variable that is constant, else None."""
        try:
            return self.function.infer_constant(variable)
        except ConstantInferenceError:
            return None

    def _type_of(self, variable: Any) -> Any:
        """Return the type of an argument, or of a member of one; None if this does not know it."""
        origins = list(self._origins(variable))
        origin = origins[0] if len(origins) == 1 else None
        if isinstance(origin, ir.Arg):
            return self.arguments[origin.index]
        if not isinstance(origin, ir.Expr) or origin.op not in ("getitem", "static_getitem"):
            return None
        owner = self._type_of(origin.value)
        index = self._constant(origin.index) if origin.op == "getitem" else origin.index
        if not isinstance(owner, types.BaseTuple) or not isinstance(index, int):
            return None
        members = members_of(owner)
        return members[index] if -len(members) <= index < len(members) else None

    def _assigned(self, value: Any, statement: Any) -> Any:
        """Return a new variable that holds a value."""
        variable = self.block.scope.redefine("$text", statement.loc)
        self.body.append(ir.Assign(value, variable, statement.loc))
        self.function._definitions[variable.name] = [value]
        return variable
