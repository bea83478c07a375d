"""What happens to a kernel in the middle, in order: `PIPELINE`, and `run`, which takes a kernel through it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from .. import settings
from ..errors import SpirvCodegenError, VulkanError
from ..kernel import KernelInterface, TargetProfile, Variant
from ..llvmir.model import Function
from .passes import Context, Fact, Pass

__all__ = ["PIPELINE", "Context", "Fact", "MiddleResult", "Observer", "Pass", "transform"]

Observer = Callable[[int, str, Callable[[], str]], None]
"""Called as ``(index, pass name, producer of the text)`` after the LLVM passes (index 0) and after each pass."""

PIPELINE: tuple[Pass, ...] = ()


@dataclass(frozen=True)
class MiddleResult:
    """What the middle makes of a kernel.

    Attributes
    ----------
    function : Function
        Legal, structured IR for the emitter, which owns it.
    llvm_ir : str
        The LLVM assembly that it was parsed from.
    """

    function: Function
    llvm_ir: str
