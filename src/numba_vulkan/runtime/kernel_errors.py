"""What a kernel reported in its status block, as exceptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import abi
from ..errors import KernelLoopLimitError, SpirvCodegenError
from ..kernel import KernelInterface, Reported, ReportedText
from .texts import number_of, text_of

__all__ = ["exception_of"]


def exception_of(interface: KernelInterface, words: Sequence[int], device_name: str) -> BaseException | None:
    """Return the exception that a status block stands for, or None when nothing was reported.

    Parameters
    ----------
    interface : KernelInterface
        The kernel that ran.
    words : sequence of int
        The status words.
    device_name : str
        For messages.
    """
    code = int(words[0])
    if code == 0:
        return None
    if code == abi.STATUS_LOOP_LIMIT:
        return KernelLoopLimitError(
            f"kernel '{interface.name}' ({interface.file}:{interface.line}): the driver of '{device_name}' ended a "
            f"loop before its condition did (it stops all loops of an invocation after about 65535 iterations), so the "
            f"results of this launch are wrong: use fewer iterations per invocation, a newer driver (llvmpipe of "
            f"Mesa 25 has no such limit) or another device"
        )
    for known in interface.exceptions:
        if known.code == code:
            x, y, z = (int(words[abi.STATUS_INVOCATION_WORD + axis]) for axis in range(3))
            raised = known.type(*(_argument(a, words, interface) for a in known.arguments))
            called = int(words[abi.STATUS_PLACE_WORD])
            place = next((place for place in interface.places if place.code == called), known)
            raised.add_note(
                f"raised in '{place.function}' ({place.file}:{place.line}) by invocation ({x}, {y}, {z}) of kernel "
                f"'{interface.name}'"
            )
            return raised
    return SpirvCodegenError(
        f"kernel '{interface.name}' reported the unknown status {code:#x}; please report it"
    )


def _argument(argument: object, words: Sequence[int], interface: KernelInterface) -> object:
    """Return an argument of an exception, with what the kernel reported in its place."""
    if isinstance(argument, Reported):
        number = number_of(argument, words)
        return number if argument.enumeration else number.item()
    if isinstance(argument, ReportedText):
        return text_of(argument, words, interface.narrowed_floats)
    if isinstance(argument, tuple):
        members = [_argument(member, words, interface) for member in argument]
        make: Any = getattr(argument, "_make", tuple)  # named tuples are made by their own class
        return make(members)
    return argument
