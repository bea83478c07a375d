"""How compiled functions return values and report exceptions."""

from __future__ import annotations

import zlib
from typing import Any, NoReturn

from llvmlite import ir
from numba.core import callconv

from .. import abi
from ..errors import VulkanUnsupportedError
from ..kernel import KernelException
from . import placeholders

__all__ = ["VulkanCallConv"]

_RAISED = 1


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
        found = KernelException(0, exc, exc_args or (), *_place(builder, loc, func_name))
        code = self.context.active_code_library.add_exception(found, _exception_code(found))
        won = placeholders.call(builder, abi.STATUS_CLAIM, ir.Constant(ir.IntType(32), code))
        with builder.if_then(won):
            for axis in range(3):
                invocation = placeholders.call(builder, "nv.id.global", ir.Constant(ir.IntType(32), axis))
                word = ir.Constant(ir.IntType(32), abi.STATUS_INVOCATION_WORD + axis)
                placeholders.call(builder, abi.STATUS_PUT, word, invocation)
        self._return_errcode_raw(builder, _RAISED)

    def return_dynamic_user_exc(
        self, builder: ir.IRBuilder, *_args: object, loc: Any = None, **_kw: object
    ) -> NoReturn:
        """Refuse exceptions with arguments computed at run time."""
        raise VulkanUnsupportedError(
            "exceptions raised in kernels must have constant arguments: raise with a constant text", loc=loc
        )

    def set_try_status(self, builder: ir.IRBuilder) -> NoReturn:
        """Refuse ``try``; shaders cannot unwind."""
        raise VulkanUnsupportedError(
            "try/except is not supported in kernels: test the condition before the operation"
        )

    unset_try_status = check_try_status = set_try_status
