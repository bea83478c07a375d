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
from numba.core import cgutils, ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.imputils import Registry
from numba.core.typing.templates import AbstractTemplate, signature
from numba.core.typing.templates import Registry as TypingRegistry
from numba.core.untyped_passes import TranslateByteCode

from .. import abi
from ..errors import VulkanUnsupportedError
from ..kernel import KernelPrint, ReportedText
from . import placeholders
from .payload import Payload, code_of
from .types import VulkanArray, VulkanExpression, VulkanText, members_of

__all__ = ["RewriteTexts", "TranslateFormats", "lowering", "typing"]

typing = TypingRegistry()
lowering = Registry()
_I32 = llvm.IntType(32)

# ---- rewriting: Numba knows no formats in f-strings and no keywords of print

_FORMATS_AS_PAIRS = "vulkan_formats"
_CONVERSIONS = ("", "s", "r", "a")


def format_value(*_args: Any) -> None:
    """Stand for ``str(value)`` and for the parts of f-strings: a value, a format and a conversion."""


def print_text(*_args: Any) -> None:
    """Stand for ``print``: separator, end and values."""


_REPLACED = ((str, format_value), (format, format_value), (print, print_text))


@register_pass(mutates_CFG=True, analysis_only=False)
class TranslateFormats(TranslateByteCode):
    """Make Numba IR; parts of f-strings with a format or a conversion are tuples in it, since Numba refuses them."""

    _name = "vulkan_translate_formats"

    def run_pass(self, state: Any) -> bool:
        """Change the bytecode, as Numba keeps it, and translate it."""
        notes: dict[int, str] = {}
        for offset, instruction in state.bc.table.items():
            has_format, conversion = _format_of(instruction)
            if has_format or conversion:
                notes[offset] = conversion
                instruction.opname, instruction.arg = "BUILD_TUPLE", 1 + has_format
        state.metadata[_FORMATS_AS_PAIRS] = notes
        return super().run_pass(state)


def _format_of(instruction: Any) -> tuple[bool, str]:
    """Return whether an instruction takes a format from the stack, and its conversion."""
    if instruction.opname == "FORMAT_VALUE":
        return bool(instruction.arg & 4), _CONVERSIONS[instruction.arg & 3]
    if instruction.opname == "CONVERT_VALUE":
        return False, _CONVERSIONS[instruction.arg & 3]
    return instruction.opname == "FORMAT_WITH_SPEC", ""


@register_pass(mutates_CFG=False, analysis_only=False)
class RewriteTexts(FunctionPass):
    """Call `format_value` and `print_text` where the source has f-strings, ``str``, ``format`` and ``print``."""

    _name = "vulkan_rewrite_texts"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Look at the function's untyped Numba IR."""
        notes = state.metadata[_FORMATS_AS_PAIRS]
        pairs = {f"${offset}build_tuple": conversion for offset, conversion in notes.items()}
        changed = False
        for block in state.func_ir.blocks.values():
            rewriter = _Rewriter(state.func_ir, block, pairs)
            changed |= rewriter.run()
        return changed


class _Rewriter:
    """Rewrites one block."""

    def __init__(self, function: Any, block: Any, pairs: dict[str, str]) -> None:
        self.function = function
        self.block = block
        self.pairs = pairs
        self.body: list[Any] = []

    def run(self) -> bool:
        """Replace what has to be; returns whether there was something."""
        changed = False
        for statement in self.block.body:
            new = self._replacement(statement) if isinstance(statement, ir.Assign) else None
            if new is not None:
                known = self.function._definitions[statement.target.name]
                known[:] = [new if each is statement.value else each for each in known]
                statement.value = new
                changed = True
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
        return self._print(statement) if value.op == "call" else self._pair(statement)

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
        """Return a call of print with separator and end in front."""
        call = statement.value
        definitions = self.function._definitions.get(call.func.name, ())
        is_global = len(definitions) == 1 and isinstance(definitions[0], ir.Global | ir.FreeVar)
        if not is_global or not any(definitions[0].value is function for function in (print, print_text)):
            return None
        keywords = dict(call.kws)
        lead = [keywords.pop(k, None) for k in ("sep", "end")]
        if keywords:
            raise VulkanUnsupportedError(
                f"print in kernels has the keywords sep and end, not {', '.join(keywords)}", loc=call.loc
            )
        lead = [v or self._assigned(ir.Const(None, call.loc), statement) for v in lead]
        return ir.Expr.call(call.func, (*lead, *call.args), (), call.loc, vararg=call.vararg)

    def _assigned(self, value: Any, statement: Any) -> Any:
        """Return a new variable that holds a value."""
        variable = self.block.scope.redefine("$text", statement.loc)
        self.body.append(ir.Assign(value, variable, statement.loc))
        self.function._definitions[variable.name] = [value]
        return variable


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
    if isinstance(kind, types.IntEnumMember):
        kind = kind.dtype
    if isinstance(kind, _NUMBERS):
        return _Spelling(f"{{:{_checked(kind, spec)}}}" if spec else "{}", (_Number(kind),))
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
        return f"{what}, not of members of enumerations: use their value"
    if isinstance(kind, types.UnicodeType):
        return f"{what}, not of a text that is chosen at run time: print in each branch"
    return f"{what}, not of a value of type {kind}"


def _formatted(value: object, spec: str, conversion: str) -> str:
    """Return the template of a constant."""
    text = {"r": repr, "a": ascii, "s": str}.get(conversion, lambda v: v)(value)
    try:
        return _escaped(format(text, spec))
    except (TypeError, ValueError) as error:
        raise VulkanUnsupportedError(f"the format {spec!r} does not fit {value!r}: {error}") from None


def _checked(kind: Any, spec: str) -> str:
    """Return a format that fits numbers of a type."""
    sample = next(value for base, value in _SAMPLES if isinstance(kind, base))
    try:
        format(sample, spec)
    except (TypeError, ValueError) as error:
        raise VulkanUnsupportedError(f"the format {spec!r} does not fit {kind}: {error}") from None
    return spec


def _tuple(kind: Any) -> _Spelling:
    """Return how a tuple is written; texts in it have quotes."""
    spellings = [
        _spell(t, conversion="r" if isinstance(t, types.StringLiteral) else "") for t in members_of(kind)
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


class _Print(AbstractTemplate):
    key = print_text
    prefer_literal = True

    def generic(self, args: Any, kws: Any) -> Any:
        """Type ``print``; what it can write is found out when it is lowered, where the line is known."""
        return None if kws else signature(types.none, *args)


def _constant_text(kind: Any, default: str, name: str) -> str:
    """Return a separator or an end."""
    if isinstance(kind, types.NoneType):
        return default
    if not isinstance(kind, types.StringLiteral):
        raise VulkanUnsupportedError(f"{name} of print must be a constant text in kernels")
    return kind.literal_value


@lowering.lower(print_text, types.VarArg(types.Any))
def _print(context: Any, builder: llvm.IRBuilder, sig: Any, args: tuple[llvm.Value, ...]) -> llvm.Value:
    separator = _constant_text(sig.args[0], " ", "sep")
    end = _constant_text(sig.args[1], "\n", "end")
    payload = Payload(context, builder, first_word=1)
    templates, numbers = [], []
    for kind, value in zip(sig.args[2:], args[2:], strict=True):
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


for _template in (_FormatValue, _Concatenate, _Print):
    typing.register_global(_template.key, types.Function(_template))
