"""Arguments by keyword, and defaults, where Numba does not place them right."""

from __future__ import annotations

import dis
import inspect
from typing import Any

import numpy as np
from numba.core import ir

from ..errors import VulkanUnsupportedError
from .blocks import BlockRewriter
from .wording import spelled

__all__ = ["BY_KEYWORD_ALONE", "ArgumentPlacer"]

BY_KEYWORD_ALONE = "functions made in kernels take no arguments by keyword alone: leave the star out"
_BUILTINS = {enumerate: ("iterable", "start"), sum: ("iterable", "start"), round: ("number", "ndigits")}


def _takes_defaults(instruction: dis.Instruction) -> bool:
    """Return whether an instruction gives defaults to a function that it makes."""
    is_one = instruction.opname in ("MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE")
    return is_one and bool((instruction.arg or 0) & 3)


class ArgumentPlacer(BlockRewriter):
    """Passes arguments by position to functions made in the kernel, classes of named tuples, built-ins and ufuncs."""

    def replacement(self, statement: Any) -> Any:
        """Return the call of such a function with all its arguments by position."""
        call = statement.value
        if not isinstance(call, ir.Expr) or call.op != "call" or call.vararg or call.varkwarg:
            return None
        origins = list(self.origins(call.func))
        if len(origins) != 1:
            return None
        callee = origins[0]
        if isinstance(callee, ir.Expr) and callee.op == "make_function":
            code = getattr(callee.code, "value", callee.code)
            if code.co_kwonlyargcount:
                raise VulkanUnsupportedError(
                    "functions made in kernels take no arguments by keyword alone: leave the star out",
                    loc=call.loc,
                )
            if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
                raise VulkanUnsupportedError(
                    "functions made in kernels take no *args and no **kwargs: define the function outside the kernel",
                    loc=call.loc,
                )
            if any(map(_takes_defaults, dis.get_instructions(code))):
                raise VulkanUnsupportedError(
                    "functions made inside functions that are made in kernels take no defaults: pass all arguments",
                    loc=call.loc,
                )
            names = code.co_varnames[: code.co_argcount]
            defaults = dict(zip(reversed(names), reversed(self._defaults(callee)), strict=False))
            return self._placed(call, names, defaults)
        function = self.constant(call.func)
        if isinstance(function, np.ufunc):
            names = ("",) * function.nin + ("out",) * function.nout
            return self._placed(call, names, {}) if call.kws else None
        if isinstance(function, type) and hasattr(function, "_field_defaults"):
            fields: Any = function
            defaults = {
                name: self.assigned(ir.Const(value, call.loc), statement)
                for name, value in fields._field_defaults.items()
            }
            return self._placed(call, fields._fields, defaults)
        names = next((names for known, names in _BUILTINS.items() if known is function), None)
        return self._placed(call, names, {}) if names and call.kws else None

    def _defaults(self, made: Any) -> list[Any]:
        """Return the variables that hold the defaults of a function that the kernel makes."""
        if made.defaults is None:
            return []
        origins = list(self.origins(made.defaults))
        items = list(getattr(origins[0], "items", ())) if len(origins) == 1 else []
        if not items or any(len(self.function._definitions.get(item.name, ())) != 1 for item in items):
            raise VulkanUnsupportedError(
                "defaults of functions made in kernels are variables that are assigned once: pass the value instead",
                loc=made.loc,
            )
        return items

    def _placed(self, call: Any, names: tuple[str, ...], defaults: dict[str, Any]) -> Any:
        """Return a call with all arguments in the order of the names."""
        given = dict(call.kws)
        placed = list(call.args)
        for name in names[len(placed) :]:
            value = given.pop(name, None) or defaults.get(name)
            if value is None:
                break
            placed.append(value)
        if given:
            name, keywords = spelled(self.function, call.func) or "this", ", ".join(given)
            raise VulkanUnsupportedError(
                f"{name} cannot be called with the keyword {keywords}: pass its arguments by position",
                loc=call.loc,
            )
        return ir.Expr.call(call.func, placed, (), call.loc)
