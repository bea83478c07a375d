"""From a lowered kernel to a `CompiledKernel`: the middle, SPIR-V, and the checks that every module must pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

from . import settings
from .kernel import CompiledKernel, LoweredKernel, Variant
from .middle import pipeline
from .parameters import with_part
from .spirv.check import check
from .spirv.emit import emit
from .spirv.validate import validate

__all__ = ["CompiledKernel", "build"]

_dump_numbers = count()


def build(lowered: LoweredKernel, variant: Variant) -> CompiledKernel:
    """Compile a lowered kernel for one variant; nothing of it depends on a driver being present.

    Parameters
    ----------
    lowered : LoweredKernel
        What the front end made of the kernel; the same object serves every variant.
    variant : Variant
        The device's profile, and whether arrays may share memory.

    Returns
    -------
    CompiledKernel
        Its SPIR-V has passed `spirv.check`, and spirv-val when ``NUMBA_VULKAN_VALIDATE`` is set.

    Raises
    ------
    VulkanUnsupportedError
        If the kernel does what shaders cannot.
    SpirvCodegenError
        If a stage fails; its input is saved and named in the message.
    """
    if variant.in_parts:
        block = with_part(lowered.interface.block)
        lowered = replace(lowered, interface=replace(lowered.interface, block=block))
    dump = _Dump.opened(lowered)
    result = pipeline.run(lowered, variant, dump.observe if dump else None)
    emitted = emit(result.function, result.interface, variant, result.llvm_ir)
    compiled = replace(
        emitted,
        interface=replace(emitted.interface, narrowed_floats=not variant.profile.computes_float64),
        narrowed_floats=result.narrowed_floats,
        float64_line=result.float64_line,
    )
    if dump:
        dump.write("spirv.spv", compiled.spirv)
    check(compiled.spirv, variant.profile, compiled.name)
    if settings.validate.value():
        validate(compiled.spirv, compiled.name)
    return compiled


class _Dump:
    """Writes the stages of one kernel into the folder that ``NUMBA_VULKAN_DUMP`` names."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self._folder = folder
        self._prefix = prefix

    @classmethod
    def opened(cls, lowered: LoweredKernel) -> _Dump | None:
        """Return a dump with the unoptimised modules written, or None when none is asked for."""
        name = settings.dump.value()
        if not name:
            return None
        folder = Path(name)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(
                f"{settings.dump.name}={name!r} is no folder that can be written to ({settings.dump.meaning}): "
                f"{error.strerror}"
            ) from error
        dump = cls(folder, f"{lowered.interface.name}-{next(_dump_numbers)}")
        for index, module in enumerate(lowered.modules):
            dump.write(f"lowered-{index}.ll", module.encode())
        return dump

    def observe(self, index: int, pass_name: str, text: Callable[[], str]) -> None:
        """Write the IR after one pass."""
        self.write(f"{index:02}-{pass_name}.ll", text().encode())

    def write(self, suffix: str, content: bytes) -> None:
        """Write one file."""
        (self._folder / f"{self._prefix}-{suffix}").write_bytes(content)
