"""spirv-val and spirv-dis of SPIRV-Tools, where they are installed: a second opinion, and text for people."""

from __future__ import annotations

import shutil
import subprocess

from .. import settings
from ..errors import SpirvCodegenError, VulkanSupportError

__all__ = ["disassemble", "validate"]

_TIMEOUT_S = 120
_ENVIRONMENT = "vulkan1.2"


def validate(spirv: bytes, name: str = "") -> None:
    """Run spirv-val on a module if ``NUMBA_VULKAN_VALIDATE`` asks for it; waits for the program to end.

    Parameters
    ----------
    spirv : bytes
        The module.
    name : str, optional
        The kernel, for the message.

    Raises
    ------
    VulkanSupportError
        If spirv-val is not installed.
    SpirvCodegenError
        If it refuses the module; the message is what it says.
    """
    if not settings.validate.value():
        return
    program = shutil.which("spirv-val")
    if program is None:
        raise VulkanSupportError(
            f"{settings.validate.name} is set, but spirv-val is not in PATH: install SPIRV-Tools "
            "(package spirv-tools of Debian, Ubuntu, Fedora and Homebrew) or unset the variable"
        )
    result = _run([program, "--target-env", _ENVIRONMENT, "-"], spirv)
    if result.returncode:
        said = (result.stderr + result.stdout).decode(errors="replace").strip()
        kernel = f" of kernel {name!r}" if name else ""
        raise SpirvCodegenError(f"spirv-val refuses the SPIR-V{kernel}: {said}; please report it")


def disassemble(spirv: bytes) -> str | None:
    """Return the module as text, None where spirv-dis is not installed or refuses it."""
    program = shutil.which("spirv-dis")
    if program is None:
        return None
    result = _run([program, "--no-color", "-"], spirv)
    return None if result.returncode else result.stdout.decode()


def _run(command: list[str], spirv: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run a program with the module as its input."""
    return subprocess.run(command, input=spirv, capture_output=True, check=False, timeout=_TIMEOUT_S)
