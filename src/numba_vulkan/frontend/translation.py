"""From bytecode to Numba's IR: f-strings with formats, ``:=``, arguments by keyword; and what has no translation."""

from __future__ import annotations

import operator
from itertools import pairwise
from typing import Any

from numba.core import ir
from numba.core.compiler_machinery import register_pass
from numba.core.errors import UnsupportedBytecodeError
from numba.core.untyped_passes import TranslateByteCode

from ..errors import VulkanUnsupportedError
from .argument_places import BY_KEYWORD_ALONE, ArgumentPlacer
from .blocks import redefine

__all__ = ["FORMATS_AS_PAIRS", "Translate"]

FORMATS_AS_PAIRS = "vulkan_formats"
_LOADS = {"STORE_FAST": "LOAD_FAST", "STORE_DEREF": "LOAD_DEREF"}
_CONVERSIONS = ("", "s", "r", "a")


@register_pass(mutates_CFG=True, analysis_only=False)
class Translate(TranslateByteCode):
    """Make Numba IR; parts of f-strings with a format or a conversion are tuples in it, since Numba refuses them."""

    _name = "vulkan_translate"

    def run_pass(self, state: Any) -> bool:
        """Change the bytecode, as Numba keeps it, and translate it."""
        notes: dict[int, str] = {}
        with_keywords: list[Any] = []
        table: dict[int, Any] = state.bc.table
        for first, second in pairwise(table.values()):
            load = _LOADS.get(second.opname)
            if (first.opname, first.arg) == ("COPY", 1) and load:
                # `name := value`: Numba forgets the value that is copied.
                first.opname, first.arg, second.opname = second.opname, second.arg, load
        for offset, instruction in table.items():
            has_format, conversion = _format_of(instruction)
            if has_format or conversion:
                notes[offset] = conversion
                instruction.opname, instruction.arg = "BUILD_TUPLE", 1 + has_format
            refused = next(
                (text for sign, text in _REFUSED.items() if _spelled(instruction).startswith(sign)), ""
            )
            if refused:
                raise VulkanUnsupportedError(refused, loc=_line(state, instruction))
            if instruction.opname == "CALL_FUNCTION_EX" and instruction.arg & 1:
                with_keywords.append(instruction)
        state.metadata[FORMATS_AS_PAIRS] = notes
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
        for block in state.func_ir.blocks.values():
            ArgumentPlacer(state.func_ir, block).run()
        return changed


# What Numba refuses without saying what it is in the source, or understands wrongly.
_REFUSED = {
    "RAISE_VARARGS 2": "raise with `from` is not supported in kernels, which catch no exceptions: leave `from` out",
    "MAKE_FUNCTION 2": BY_KEYWORD_ALONE,
    "SET_FUNCTION_ATTRIBUTE 2": BY_KEYWORD_ALONE,
    "UNPACK_EX": "assignments with a star are not supported in kernels: slice the tuple, as in `rest = t[1:]`",
    "DICT_MERGE": "calls with **kwargs are not supported in kernels: name the arguments",
}


def _spelled(instruction: Any) -> str:
    return f"{instruction.opname} {instruction.arg}"


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
            redefine(function, statement, add)
            sums[owner.name] = statement.target
    for name in texts:
        redefine(function, joins[name], sums.get(name, joins[name].value.args[0]))
    for block in function.blocks.values():
        block.body = [s for s in block.body if not _is_method_of(s, texts)]
        for statement in block.find_insts(ir.Assign):
            if statement.target.name in texts:
                redefine(function, statement, texts[statement.target.name])


def _is_method_of(statement: Any, owners: dict[str, Any]) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(value, ir.Expr) and value.op == "getattr" and value.value.name in owners
