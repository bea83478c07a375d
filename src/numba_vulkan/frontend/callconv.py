"""How compiled functions return values and report exceptions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numba
from llvmlite import ir
from numba.core import callconv, types

from .. import abi
from ..errors import VulkanUnsupportedError
from ..kernel import KernelException, KernelPlace, ReportedText
from . import placeholders
from .payload import Payload, code_of
from .types import VulkanText, members_of
from .wording import noun

__all__ = ["VulkanCallConv"]

# A function has raised; and where in the user's code is still to be reported.
_RAISED, _RAISED_INSIDE = 1, 2
_PAYLOAD = (abi.STATUS_PAYLOAD_WORD, abi.STATUS_PLACE_WORD)
_INTERNAL = (str(Path(numba.__file__).parent), str(Path(__file__).parent))
_I32 = ir.IntType(32)


def _place(builder: ir.IRBuilder, loc: Any, function: str | None) -> tuple[str, str, int]:
    """Return function, file and line of what is being lowered; without a location, the debug information has them."""
    if loc is not None:
        return function or loc._raw_function_name() or "?", loc.filename, loc.line
    if builder.debug_metadata is None:
        return function or "?", "?", 0
    location = dict(builder.debug_metadata.operands)
    scope = dict(location["scope"].operands)
    return (
        function or scope["name"].rpartition(".")[2],
        dict(scope["file"].operands)["filename"],
        location["line"],
    )


def _argument(builder: ir.IRBuilder, payload: Payload, kind: Any, value: ir.Value, loc: Any) -> object:
    """Return an argument of an exception, with `Reported` for the numbers of this run."""
    if isinstance(kind, types.Literal):
        return kind.literal_value
    if isinstance(kind, types.NoneType):
        return None
    if isinstance(kind, types.BaseTuple):
        members = [
            _argument(builder, payload, t, builder.extract_value(value, k), loc)
            for k, t in enumerate(members_of(kind))
        ]
        is_named = isinstance(kind, types.BaseNamedTuple)
        return kind.instance_class(*members) if is_named else tuple(members)
    reported = payload.add_text(kind, value) or payload.add(kind, value)
    if reported is None:
        room = (_PAYLOAD[1] - _PAYLOAD[0]) // 2
        what = f"not {noun(kind)}"
        if isinstance(kind, types.UnicodeType):
            what = "not a text that is chosen at run time: raise in each branch"
        elif isinstance(kind, types.Number | types.Boolean | VulkanText):
            what = "and these are more: leave some out"
        raise VulkanUnsupportedError(
            f"exceptions raised in kernels take texts and up to {room} numbers of 64 bits, {what}", loc=loc
        )
    return reported


def _is_internal(file: str) -> bool:
    """Return whether code is Numba's or this package's, so that its lines tell the user nothing."""
    return file.startswith(_INTERNAL)


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
        payload = Payload(self.context, builder, *_PAYLOAD)
        self._report(builder, exc, exc_args or (), payload, _place(builder, loc, func_name))

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
        payload = Payload(self.context, builder, *_PAYLOAD)
        arguments = tuple(
            value if kind is None else _argument(builder, payload, kind, value, loc)
            for value, kind in zip(exc_args, nb_types, strict=True)
        )
        self._report(builder, exc, arguments, payload, _place(builder, loc, func_name))

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
        payload = Payload(self.context, builder, *_PAYLOAD)
        reported = [payload.add(numba_type, value) for numba_type, value in numbers]
        text = ReportedText(template, tuple(r for r in reported if r is not None))
        self._report(builder, exc, (text,), payload, _place(builder, None, None))

    def _report(
        self,
        builder: ir.IRBuilder,
        exc: type[BaseException],
        arguments: tuple[object, ...],
        payload: Payload,
        place: tuple[str, str, int],
    ) -> None:
        found = KernelException(0, exc, arguments, *place)
        # The same code in every process.
        parts = (
            exc.__qualname__,
            *(getattr(found, name) for name in ("arguments", "function", "file", "line")),
        )
        code = self.context.active_code_library.add_exception(found, code_of(parts))
        won = placeholders.call(builder, abi.STATUS_CLAIM, ir.Constant(_I32, code))
        with builder.if_then(won):
            for axis in range(3):
                invocation = placeholders.call(builder, abi.GLOBAL_ID, ir.Constant(_I32, axis))
                word = ir.Constant(_I32, abi.STATUS_INVOCATION_WORD + axis)
                placeholders.call(builder, abi.STATUS_PUT, word, invocation)
            payload.write(ir.Constant(_I32, 0))
        inside = builder.select(won, ir.Constant(_I32, _RAISED_INSIDE), ir.Constant(_I32, _RAISED))
        self._return_errcode_raw(builder, inside if _is_internal(place[1]) else _RAISED)

    def return_status_propagate(self, builder: ir.IRBuilder, status: Any) -> None:
        """Return because a callee has raised; the user's function says where, if what has raised is not the user's."""
        place = _place(builder, None, None)
        if _is_internal(place[1]):
            self._return_errcode_raw(builder, status.code)
            return
        found = KernelPlace(0, *place)
        code = self.context.active_code_library.add_place(found, code_of(("place", *place)))
        is_inside = builder.icmp_signed("==", status.code, ir.Constant(_I32, _RAISED_INSIDE))
        with builder.if_then(is_inside):
            words = (abi.STATUS_PLACE_WORD, code)
            placeholders.call(builder, abi.STATUS_PUT, *(ir.Constant(_I32, word) for word in words))
        self._return_errcode_raw(builder, _RAISED)

    def set_try_status(self, builder: ir.IRBuilder) -> NoReturn:
        """Refuse ``try``; shaders cannot unwind."""
        raise VulkanUnsupportedError(
            "try/except is not supported in kernels: test the condition before the operation"
        )

    unset_try_status = check_try_status = set_try_status
