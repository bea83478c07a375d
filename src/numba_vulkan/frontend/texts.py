"""Texts in kernels: ``print`` and f-strings, for print and raise.

Shaders have no strings. A text is known when the kernel is compiled, but for the numbers in it; the kernel hands these
to the host, which puts them into the text.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir as llvm
from numba.core import cgutils, types
from numba.core.imputils import Registry
from numba.core.typing.templates import AbstractTemplate, signature
from numba.core.typing.templates import Registry as TypingRegistry

from .. import abi
from ..errors import VulkanUnsupportedError
from ..kernel import KernelPrint, ReportedText
from . import placeholders
from .payload import Payload, code_of
from .record_types import VulkanRecord
from .types import VulkanArray, VulkanExpression, VulkanText, members_of
from .wording import noun

__all__ = ["format_value", "lowering", "print_text", "print_values", "repr_value", "typing"]

typing = TypingRegistry()
lowering = Registry()
_I32 = llvm.IntType(32)

# ---- what stands in Numba's IR for texts: see `rewrites`


def format_value(*_args: Any) -> None:
    """Stand for ``str(value)`` and for the parts of f-strings: a value, a format and a conversion."""


def repr_value(_value: Any) -> None:
    """Stand for ``repr(value)``."""


def print_text(*_args: Any) -> None:
    """Stand for ``print`` with keywords: separator, end and values."""


def print_values(*_args: Any) -> None:
    """Stand for ``print`` without keywords."""


# ---- what texts are


@dataclass(frozen=True)
class _Number:
    """A number in a value: its type, and the members of the value to it."""

    numba_type: Any
    path: tuple[int, ...] = ()


@dataclass(frozen=True)
class _Spelling:
    """A value as text: a template and the numbers in it."""

    template: str
    numbers: tuple[_Number, ...] = ()


_NUMBERS = (types.Boolean, types.Integer, types.Float, types.Complex, types.NPDatetime, types.NPTimedelta)
_SAMPLES: tuple[tuple[type, object], ...] = (
    (types.Boolean, True),
    (types.Integer, 1),
    (types.Float, 1.0),
    (types.Complex, 1j),
    (types.NPDatetime, np.datetime64(0, "s")),
    (types.NPTimedelta, np.timedelta64(0, "s")),
)


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _spell(kind: Any, spec: str = "", conversion: str = "") -> _Spelling:
    """Return how a value of a type is written.

    Raises
    ------
    VulkanUnsupportedError
        If it has no text, or not in this format.
    """
    if isinstance(kind, types.Omitted):
        return _Spelling(_formatted(kind.value, spec, conversion))
    if isinstance(kind, types.Literal) and not isinstance(kind, types.SliceLiteral):
        return _Spelling(_formatted(kind.literal_value, spec, conversion))
    if isinstance(kind, types.NoneType):
        return _Spelling(_formatted(None, spec, conversion))
    number = kind.dtype if isinstance(kind, types.EnumMember) else kind
    if isinstance(number, _NUMBERS):
        checked = _checked(kind, spec, conversion)
        return _Spelling(
            f"{{{conversion and '!' + conversion}{checked and ':' + checked}}}", (_Number(kind),)
        )
    if isinstance(kind, VulkanText | types.BaseTuple) and spec:
        raise VulkanUnsupportedError(f"the format {spec!r} is for numbers, not for a tuple or another text")
    if isinstance(kind, VulkanText):
        return _Spelling(kind.template, tuple(_Number(t, (k,)) for k, t in enumerate(kind.numbers)))
    if isinstance(kind, types.BaseTuple):
        return _tuple(kind)
    raise VulkanUnsupportedError(_refusal(kind))


def _refusal(kind: Any) -> str:
    what = "texts in kernels are made of constant texts, numbers and tuples of these"
    if isinstance(kind, VulkanArray | VulkanExpression):
        return f"{what}, not of whole arrays: print their elements in a loop"
    if isinstance(kind, types.EnumMember):
        return f"{what}, not of members of enumerations whose values are no numbers"
    if isinstance(kind, VulkanRecord):
        return f"{what}, not of records: print their fields"
    if isinstance(kind, types.Callable):
        return f"{what}, not of functions"
    if isinstance(kind, types.UnicodeType):
        return f"{what}, not of a text that is chosen at run time: print in each branch"
    return f"{what}, not of {noun(kind)}"


def _formatted(value: object, spec: str, conversion: str) -> str:
    """Return the template of a constant."""
    text = {"r": repr, "a": ascii, "s": str}.get(conversion, lambda v: v)(value)
    try:
        return _escaped(format(text, spec))
    except (TypeError, ValueError) as error:
        raise VulkanUnsupportedError(f"the format {spec!r} does not fit {value!r}: {error}") from None


def _checked(kind: Any, spec: str, conversion: str) -> str:
    """Return a format that fits numbers of a type, or the text that a conversion makes of them."""
    if isinstance(kind, types.EnumMember):
        members: Any = kind.instance_class
        sample = next(iter(members))
    else:
        sample = next(value for base, value in _SAMPLES if isinstance(kind, base))
    try:
        format(str(sample) if conversion else sample, spec)
    except (TypeError, ValueError) as error:
        raise VulkanUnsupportedError(f"the format {spec!r} does not fit {kind}: {error}") from None
    return spec


def _tuple(kind: Any) -> _Spelling:
    """Return how a tuple is written; texts in it have quotes."""
    spellings = [
        _spell(t, conversion="r" if isinstance(t, types.StringLiteral | types.EnumMember) else "")
        for t in members_of(kind)
    ]
    texts = [spelling.template for spelling in spellings]
    numbers = tuple(
        _Number(number.numba_type, (k, *number.path))
        for k, spelling in enumerate(spellings)
        for number in spelling.numbers
    )
    if isinstance(kind, types.BaseNamedTuple):
        named = ", ".join(f"{name}={text}" for name, text in zip(kind.fields, texts, strict=True))
        return _Spelling(f"{kind.instance_class.__name__}({named})", numbers)
    return _Spelling(f"({', '.join(texts)}{',' if len(texts) == 1 else ''})", numbers)


def _read(builder: llvm.IRBuilder, number: _Number, value: llvm.Value) -> llvm.Value:
    return builder.extract_value(value, number.path) if number.path else value


# ---- typing and lowering of the parts of f-strings


class _FormatValue(AbstractTemplate):
    key = format_value
    prefer_literal = True

    def generic(self, args: Any, kws: Any) -> Any:
        """Type ``format(value, spec)``; the third argument is the conversion."""
        if kws or not 1 <= len(args) <= 3:
            return None
        spec, conversion = (*args[1:], *(types.literal(""),) * (3 - len(args)))
        if isinstance(spec, VulkanText) and not spec.numbers:
            spec = types.literal(spec.template.format())
        if not isinstance(spec, types.StringLiteral):
            raise VulkanUnsupportedError("the format of a number in a text must be constant")
        found = _spell(args[0], spec.literal_value, conversion.literal_value)
        text = VulkanText(found.template, tuple(number.numba_type for number in found.numbers))
        return signature(text, *args)


@lowering.lower(format_value, types.VarArg(types.Any))
def _format_value(
    context: Any, builder: llvm.IRBuilder, sig: Any, args: tuple[llvm.Value, ...]
) -> llvm.Value:
    text = cgutils.create_struct_proxy(sig.return_type)(context, builder)
    for k, number in enumerate(_spell(sig.args[0]).numbers):
        setattr(text, f"number{k}", _read(builder, number, args[0]))
    return text._getvalue()


def _register(function: Any, format_of_result: str, conversion_before: str) -> None:
    """Type and lower a function of one value that gives a text."""

    class Template(AbstractTemplate):
        key = function
        prefer_literal = True

        def generic(self, args: Any, kws: Any) -> Any:
            if kws or len(args) != 1:
                return None
            found = _spell(args[0], format_of_result, conversion_before)
            return signature(VulkanText(found.template, tuple(n.numba_type for n in found.numbers)), *args)

    typing.register_global(function, types.Function(Template))
    lowering.lower(function, types.Any)(_format_value)


for _function, _spec, _conversion in (
    (repr_value, "", "r"),
    (ascii, "", "a"),
    (hex, "#x", ""),
    (oct, "#o", ""),
    (bin, "#b", ""),
):
    _register(_function, _spec, _conversion)


class _Concatenate(AbstractTemplate):
    key = operator.add

    def generic(self, args: Any, kws: Any) -> Any:
        """Type the concatenation of texts, of which f-strings are made."""
        if not any(isinstance(t, VulkanText) for t in args):
            return None
        if not all(isinstance(t, VulkanText | types.StringLiteral) for t in args):
            return None
        left, right = map(_spell, args)
        numbers = tuple(number.numba_type for number in (*left.numbers, *right.numbers))
        return signature(VulkanText(left.template + right.template, numbers), *args)


@lowering.lower(operator.add, VulkanText, VulkanText)
@lowering.lower(operator.add, VulkanText, types.StringLiteral)
@lowering.lower(operator.add, types.StringLiteral, VulkanText)
def _concatenate(context: Any, builder: llvm.IRBuilder, sig: Any, args: tuple[llvm.Value, ...]) -> llvm.Value:
    text = cgutils.create_struct_proxy(sig.return_type)(context, builder)
    values = [
        _read(builder, number, value)
        for kind, value in zip(sig.args, args, strict=True)
        for number in _spell(kind).numbers
    ]
    for k, value in enumerate(values):
        setattr(text, f"number{k}", value)
    return text._getvalue()


# ---- print


class _PrintText(AbstractTemplate):
    key = print_text
    prefer_literal = True

    def generic(self, args: Any, kws: Any) -> Any:
        """Type ``print``; what it can write is found out when it is lowered, where the line is known."""
        return None if kws else signature(types.none, *args)


class _PrintValues(_PrintText):
    key = print_values


def _constant_text(kind: Any, default: str, name: str) -> str:
    """Return a separator or an end."""
    if isinstance(kind, types.NoneType):
        return default
    if not isinstance(kind, types.StringLiteral):
        raise VulkanUnsupportedError(f"{name} of print must be a constant text in kernels")
    return kind.literal_value


@lowering.lower(print_text, types.VarArg(types.Any))
def _print_text(context: Any, builder: llvm.IRBuilder, sig: Any, args: tuple[llvm.Value, ...]) -> llvm.Value:
    separator = _constant_text(sig.args[0], " ", "sep")
    end = _constant_text(sig.args[1], "\n", "end")
    return _print(context, builder, sig.args[2:], args[2:], separator, end)


@lowering.lower(print_values, types.VarArg(types.Any))
def _print_values(
    context: Any, builder: llvm.IRBuilder, sig: Any, args: tuple[llvm.Value, ...]
) -> llvm.Value:
    return _print(context, builder, sig.args, args)


def _print(
    context: Any,
    builder: llvm.IRBuilder,
    kinds: tuple[Any, ...],
    values: tuple[llvm.Value, ...],
    separator: str = " ",
    end: str = "\n",
) -> llvm.Value:
    """Write a record of these values."""
    payload = Payload(context, builder, first_word=1)
    templates, numbers = [], []
    for kind, value in zip(kinds, values, strict=True):
        spelling = _spell(kind)
        templates.append(spelling.template)
        numbers += [payload.add(n.numba_type, _read(builder, n, value)) for n in spelling.numbers]
    template = _escaped(separator).join(templates) + _escaped(end)
    text = ReportedText(template, tuple(number for number in numbers if number is not None))
    size = payload.next_word
    code = context.active_code_library.add_print(
        KernelPrint(0, size, text), code_of((template, text.numbers))
    )
    place = placeholders.call(builder, abi.STATUS_RESERVE, llvm.Constant(_I32, size))
    with builder.if_then(builder.icmp_signed(">=", place, llvm.Constant(_I32, 0))):
        placeholders.call(builder, abi.STATUS_PUT, place, llvm.Constant(_I32, code))
        payload.write(place)
    return context.get_dummy_value()


for _template in (_FormatValue, _Concatenate, _PrintText, _PrintValues):
    typing.register_global(_template.key, types.Function(_template))
