"""How compiled functions return values and report exceptions."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, NoReturn

from llvmlite import ir
from numba.core import callconv, types

from .. import abi
from ..errors import VulkanUnsupportedError
from ..kernel import KernelException, Reported, ReportedText
from . import placeholders

__all__ = ["VulkanCallConv"]

_RAISED = 1
_I32 = ir.IntType(32)


def _exception_code(exception: KernelException) -> int:
    """Return a status code that is the same in every process; 0 means no error and the top values are reserved."""
    text = repr(
        (exception.type.__qualname__, exception.arguments, exception.function, exception.file, exception.line)
    )
    return zlib.crc32(text.encode()) % 0x7FFF0000 + 1


def _place(builder: ir.IRBuilder, loc: Any, function: str | None) -> tuple[str, str, int]:
    """Return function, file and line of what is being lowered; without a location, the debug information has them."""
    if loc is not None:
        return function or loc._raw_function_name() or "?", loc.filename, loc.line
    if builder.debug_metadata is None:
        return function or "?", "?", 0
    location = dict(builder.debug_metadata.operands)
    scope = dict(location["scope"].operands)
    return function or scope["name"], dict(scope["file"].operands)["filename"], location["line"]


class _Payload:
    """The numbers of one exception: where in the status block each goes."""

    def __init__(self, context: Any, builder: ir.IRBuilder) -> None:
        self._context = context
        self._builder = builder
        self._next_word = abi.STATUS_PAYLOAD_WORD
        self._puts: list[tuple[str, int, ir.Value]] = []

    def add(self, numba_type: Any, value: ir.Value | tuple[ir.Value, ...]) -> Reported | None:
        """Take a number, or the words of one; returns None if it is none, or there is no room left."""
        if isinstance(value, tuple):
            return self._take(str(numba_type), len(value), [(abi.STATUS_PUT, word) for word in value])
        if isinstance(numba_type, types.EnumMember):
            numba_type = numba_type.dtype
        builder = self._builder
        put, size_words = abi.STATUS_PUT, 1
        if isinstance(numba_type, types.Boolean):
            dtype, value = "bool", builder.zext(value, _I32)
        elif isinstance(numba_type, types.Integer):
            size_words = 1 if numba_type.bitwidth <= 32 else 2
            dtype = f"{'' if numba_type.signed else 'u'}int{32 * size_words}"
            put = (
                abi.STATUS_PUT if size_words == 1 else f"nv.status.put.{'i' if numba_type.signed else 'u'}64"
            )
            value = self._context.cast(builder, value, numba_type, getattr(types, dtype))
        elif isinstance(numba_type, types.Float):
            dtype, put, size_words = "float64", "nv.status.put.f64", 2
            value = self._context.cast(builder, value, numba_type, types.float64)
        else:
            return None
        return self._take(dtype, size_words, [(put, value)])

    def _take(self, dtype: str, size_words: int, puts: list[tuple[str, ir.Value]]) -> Reported | None:
        """Give a number its words, if there are so many left."""
        first = self._next_word
        if first + size_words > abi.STATUS_WORDS:
            return None
        self._puts += [(put, first + position, value) for position, (put, value) in enumerate(puts)]
        self._next_word += size_words
        return Reported(first, dtype)

    def write(self) -> None:
        """Write the numbers into the status block."""
        for put, word, value in self._puts:
            placeholders.call(self._builder, put, ir.Constant(_I32, word), value)


class VulkanCallConv(callconv.MinimalCallConv):
    """Numba's minimal convention: a return code, the value through a pointer; all of it vanishes by inlining.

    An exception is reported in the status block where it is raised; the code only tells callers to return as well.
    """

    def return_user_exc(
        self,
        builder: ir.IRBuilder,
        exc: type[BaseException],
        exc_args: tuple[object, ...] | None = None,
        loc: Any = None,
        func_name: str | None = None,
    ) -> None:
        """Report an exception whose arguments are constants, and return."""
        self._report(
            builder, exc, exc_args or (), _Payload(self.context, builder), _place(builder, loc, func_name)
        )

    def return_dynamic_user_exc(
        self,
        builder: ir.IRBuilder,
        exc: type[BaseException],
        exc_args: tuple[Any, ...],
        nb_types: tuple[Any, ...],
        loc: Any = None,
        func_name: str | None = None,
    ) -> None:
        """Report an exception with numbers computed at run time among its arguments, and return.

        Raises
        ------
        VulkanUnsupportedError
            If an argument is neither constant nor a number, or they are too many.
        """
        payload = _Payload(self.context, builder)
        arguments: list[object] = []
        for value, numba_type in zip(exc_args, nb_types, strict=True):
            if numba_type is None:
                arguments.append(value)
            elif isinstance(numba_type, types.StringLiteral):
                arguments.append(numba_type.literal_value)
            else:
                reported = payload.add(types.unliteral(numba_type), value)
                if reported is None:
                    raise VulkanUnsupportedError(
                        f"exceptions raised in kernels take constant texts and up to "
                        f"{(abi.STATUS_WORDS - abi.STATUS_PAYLOAD_WORD) // 2} numbers of 64 bits, not a value of type "
                        f"{numba_type}",
                        loc=loc,
                    )
                arguments.append(reported)
        self._report(builder, exc, tuple(arguments), payload, _place(builder, loc, func_name))

    def return_text(
        self,
        builder: ir.IRBuilder,
        exc: type[BaseException],
        template: str,
        numbers: Sequence[tuple[types.Type, ir.Value | tuple[ir.Value, ...]]],
    ) -> None:
        """Report an exception whose text has numbers in it, and return; ``{}`` in the text stands for a number.

        A number is a value, or the words of one.
        """
        payload = _Payload(self.context, builder)
        reported = [payload.add(numba_type, value) for numba_type, value in numbers]
        text = ReportedText(template, tuple(r for r in reported if r is not None))
        self._report(builder, exc, (text,), payload, _place(builder, None, None))

    def _report(
        self,
        builder: ir.IRBuilder,
        exc: type[BaseException],
        arguments: tuple[object, ...],
        payload: _Payload,
        place: tuple[str, str, int],
    ) -> None:
        found = KernelException(0, exc, arguments, *place)
        code = self.context.active_code_library.add_exception(found, _exception_code(found))
        won = placeholders.call(builder, abi.STATUS_CLAIM, ir.Constant(_I32, code))
        with builder.if_then(won):
            for axis in range(3):
                invocation = placeholders.call(builder, "nv.id.global", ir.Constant(_I32, axis))
                word = ir.Constant(_I32, abi.STATUS_INVOCATION_WORD + axis)
                placeholders.call(builder, abi.STATUS_PUT, word, invocation)
            payload.write()
        self._return_errcode_raw(builder, _RAISED)

    def set_try_status(self, builder: ir.IRBuilder) -> NoReturn:
        """Refuse ``try``; shaders cannot unwind."""
        raise VulkanUnsupportedError(
            "try/except is not supported in kernels: test the condition before the operation"
        )

    unset_try_status = check_try_status = set_try_status
