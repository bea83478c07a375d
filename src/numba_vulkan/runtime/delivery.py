"""Brings what finished launches have printed and raised from their status blocks to the user."""

from __future__ import annotations

import sys
import traceback

import numpy as np

from ..kernel import CompiledKernel, KernelInterface
from . import kernel_errors, texts
from .context import COMPLETED
from .logical_device import LogicalDevice
from .reports import StatusBlocks, printed_in

__all__ = ["Delivery", "print_records", "raise_first", "write_uncollected"]


class Delivery:
    """Looks through the status blocks of a device after each wait.

    Parameters
    ----------
    device : LogicalDevice
        The device.
    blocks : StatusBlocks
        Its status blocks.
    """

    def __init__(self, device: LogicalDevice, blocks: StatusBlocks) -> None:
        self._device = device
        self._blocks = blocks

    def write_prints(self) -> None:
        """Write to the standard output what finished launches have printed."""
        if not self._blocks.has_prints():
            return
        with self._device.lock:
            found = self._blocks.take_printed(self._device.context[COMPLETED])
        sys.stdout.write("".join(texts.printed_text(*each) for each in found))

    def raise_reports(self) -> None:
        """Write what finished launches have printed, and raise what they have reported."""
        self.write_prints()
        found = self._take_errors()
        if found:
            raise_first("another kernel reported", [error for _, error in found])

    def write_errors(self) -> None:
        """Write to the standard error, at the end of the interpreter, what finished launches have reported."""
        for kernel, error in self._take_errors():
            whose = f"an error of kernel '{kernel.name}' ({kernel.file}:{kernel.line})"
            write_uncollected(whose, error, "nv.synchronize()")

    def _take_errors(self) -> list[tuple[KernelInterface, BaseException]]:
        """Return what finished launches have reported, and of which kernels."""
        if not self._blocks.has_reports():
            return []
        device = self._device
        with device.lock:
            found = self._blocks.collect(device.context[COMPLETED])
        errors = [kernel_errors.exception_of(kernel, words, device.info.name) for kernel, words in found]
        return [
            (kernel, error) for (kernel, _), error in zip(found, errors, strict=True) if error is not None
        ]


def write_uncollected(whose: str, error: BaseException, call: str) -> None:
    """Write an exception that nothing has raised to the standard error, as one line."""
    # The first text is the error, with all lines of its message; others are its notes.
    text = " ".join(traceback.format_exception_only(type(error), error)[0].splitlines())
    print(
        f"numba_vulkan: {whose} was never collected: {text} (call {call} to have it raised)", file=sys.stderr
    )


def raise_first(others_are: str, errors: list[BaseException]) -> None:
    """Raise the first of exceptions that came together, if there are any, with the others in its notes."""
    for error in errors[:1]:
        for other in errors[1:]:
            error.add_note(": ".join([others_are, repr(other), *getattr(other, "__notes__", ())]))
        raise error


def print_records(words: np.ndarray, kernel: CompiledKernel) -> None:
    """Print what the prints of a kernel have recorded, on the standard output.

    Synchronisation does that for launches; this is for print buffers that were kept.

    Parameters
    ----------
    words : numpy.ndarray
        A print buffer as uint32, of `PRINT_BUFFER_WORDS` by default: how many words of records there are, how many fit,
        how many prints found no room, then the records.
    kernel : CompiledKernel
        The kernel, which knows the texts.

    Raises
    ------
    SpirvCodegenError
        If there are records of another kernel.
    """
    sys.stdout.write(texts.printed_text(*printed_in(words, kernel.interface)))
