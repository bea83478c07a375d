"""Numba's types and functions in the words of the user's source, for error messages."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from numba.core import ir, types
from numba.core.ir_utils import get_definition, guard

from .record_types import VulkanRecord
from .types import VulkanArray, VulkanExpression, VulkanText, members_of

__all__ = ["listed", "name_of", "noun", "spelled", "symbol_of"]

# Symbols of the operators that Numba types as calls; those with the value in front are assignments.
_SYMBOLS: dict[Any, str] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "**",
    operator.matmul: "@",
    operator.lshift: "<<",
    operator.rshift: ">>",
    operator.and_: "&",
    operator.or_: "|",
    operator.xor: "^",
    operator.eq: "==",
    operator.ne: "!=",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.is_: "is",
    operator.is_not: "is not",
    operator.contains: "in",
    operator.neg: "-",
    operator.pos: "+",
    operator.invert: "~",
    operator.not_: "not",
}
_IN_PLACE = "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor".split()
_SYMBOLS |= {
    getattr(
        operator, f"i{name}"
    ): f"{_SYMBOLS[getattr(operator, name if name not in ('and', 'or') else name + '_')]}="
    for name in _IN_PLACE
}


# What `texts` puts in place of Python's functions.
_RENAMED = {"format_value": "str", "repr_value": "repr", "print_text": "print", "print_values": "print"}


def symbol_of(function: Any) -> str:
    """Return how an operator is written, '' for other functions."""
    return _SYMBOLS.get(function, "") if callable(function) else ""


def _shaped(given: Any) -> str:
    axes = f"{given.ndim} {'axis' if given.ndim == 1 else 'axes'}"
    return f"{name_of(given.dtype)} with {axes}"


def _members(given: Any) -> str:
    return ", ".join(name_of(t) for t in members_of(given))


def _function(given: Any) -> str:
    key = given.typing_key
    symbol = symbol_of(key)
    name = getattr(key, "__name__", "")
    return f"operator {symbol}" if symbol else f"function {_RENAMED.get(name, name)}".rstrip()


# The first class that a type is an instance of tells its words: without an article, which `noun` adds.
_NAMES: tuple[tuple[Any, Callable[[Any], str]], ...] = (
    (types.Omitted, lambda t: repr(t.value)),
    (types.StringLiteral, lambda t: f"text {t.literal_value!r}"),
    (types.SliceLiteral, lambda t: "slice"),
    (types.Literal, lambda t: name_of(types.unliteral(t))),
    (types.UnicodeType | types.UnicodeCharSeq | types.Bytes | types.CharSeq | VulkanText, lambda t: "text"),
    (VulkanArray, lambda t: f"array of {_shaped(t)}"),
    (VulkanExpression, lambda t: f"operation on arrays that gives {_shaped(t)}"),
    (types.Array, lambda t: f"array of {_shaped(t)}"),
    (VulkanRecord | types.Record, lambda t: "record"),
    (types.BaseNamedTuple, lambda t: f"named tuple {t.instance_class.__name__}({_members(t)})"),
    (types.BaseTuple, lambda t: f"tuple ({_members(t)})"),
    (types.NoneType, lambda t: "None"),
    (types.Optional, lambda t: f"{name_of(t.type)} or None"),
    (types.Boolean, lambda t: "bool"),
    (types.Integer | types.Float | types.Complex, str),
    (types.NPDatetime | types.NPTimedelta, str),
    (types.Module, lambda t: f"module {t.pymod.__name__}"),
    (types.Dispatcher, lambda t: f"function {t.dispatcher.py_func.__name__}"),
    (types.RecursiveCall, lambda t: f"function {t.dispatcher_type.dispatcher.py_func.__name__}"),
    (types.NumberClass, lambda t: f"type {t.instance_type}"),
    (types.DType, lambda t: f"dtype {name_of(t.dtype)}"),
    (types.TypeRef, lambda t: f"type {name_of(t.instance_type)}"),
    (types.NamedTupleClass, lambda t: f"class {t.instance_class.__name__}"),
    (types.EnumMember, lambda t: f"member of {t.instance_class.__name__}"),
    (types.EnumClass, lambda t: f"enumeration {t.instance_class.__name__}"),
    (types.Function, _function),
    (types.Callable, lambda t: "function"),
    (types.SliceType, lambda t: "slice"),
    (types.EllipsisType, lambda t: "..."),
    (types.RangeType, lambda t: "range"),
    (types.ExceptionClass, lambda t: f"class {t.exc_class.__name__}"),
    (types.ExceptionInstance, lambda t: f"{t.exc_class.__name__}"),
    (types.IteratorType, lambda t: "iterator"),
)
_WITHOUT_ARTICLE = ("None", "...")
_DEFINITE = (
    "module ",
    "function ",
    "operator ",
    "type ",
    "class ",
    "dtype ",
    "enumeration ",
    "text '",
    'text "',
)


def name_of(given: Any) -> str:
    """Return a type in words, without an article."""
    return next((words(given) for kind, words in _NAMES if isinstance(given, kind)), "object")


def noun(given: Any) -> str:
    """Return a type in words: 'an int64', 'an array of float32 with 1 axis', 'the module numpy'."""
    name = name_of(given)
    if name.startswith(_WITHOUT_ARTICLE) or isinstance(given, types.Omitted):
        return name
    if name.startswith(_DEFINITE):
        return f"the {name}"
    # What begins with a "u" is pronounced with a consonant: uint8.
    return f"{'an' if name[0] in 'aeio' else 'a'} {name}"


def listed(given: Any) -> str:
    """Return types in words, as an enumeration: 'an int64, a float32 and None'."""
    nouns = [noun(t) for t in given]
    return " and ".join([", ".join(nouns[:-1]), nouns[-1]]) if len(nouns) > 1 else "".join(nouns)


def spelled(function: Any, variable: Any) -> str:
    """Return how the source names what a variable of Numba's IR holds: 'np.sort', 'x.sum', '.sum', or ''."""
    value = guard(get_definition, function, variable)
    if isinstance(value, ir.Global | ir.FreeVar):
        return value.name
    if isinstance(value, ir.Expr) and value.op == "getattr":
        return f"{spelled(function, value.value)}.{value.attr}"
    name = variable if isinstance(variable, str) else variable.name
    return "" if name.startswith("$") else name.partition(".")[0]
