"""Exceptions and warnings of numba_vulkan.

One root, `VulkanError`, with a branch for each party who can do something about it: the author of the kernel
(`VulkanUnsupportedError`), the owner of the machine (`VulkanSupportError`, `VulkanDriverError`) and this package
(`SpirvCodegenError`).
"""

from __future__ import annotations

from typing import Any

from numba.core.errors import NumbaError, NumbaWarning

__all__ = [
    "DeviceLostError",
    "KernelArgumentError",
    "KernelLoopLimitError",
    "SpirvCodegenError",
    "VulkanDriverError",
    "VulkanError",
    "VulkanPerformanceWarning",
    "VulkanPrecisionWarning",
    "VulkanPrintWarning",
    "VulkanSupportError",
    "VulkanUnsupportedError",
    "VulkanValidationWarning",
]


class VulkanError(Exception):
    """Base of all exceptions that this package defines."""


class VulkanUnsupportedError(VulkanError, NumbaError):
    """The kernel uses something that shaders, or this package, cannot do; the user changes the kernel."""

    def __init__(self, msg: str, loc: Any = None) -> None:
        NumbaError.__init__(self, msg, loc=loc)


class KernelArgumentError(VulkanError, TypeError):
    """A launch was given an argument that kernels cannot take."""


class VulkanSupportError(VulkanError):
    """The machine or the device lacks what the call needs: loader, driver, device, feature or limit."""


class VulkanDriverError(VulkanError):
    """A Vulkan call failed; the message names the call and its result.

    Attributes
    ----------
    result : int or None
        The VkResult of the call.
    """

    result: int | None = None


class DeviceLostError(VulkanDriverError):
    """The driver gave up on the device, as after a kernel that ran for too long; `get_device` opens it anew."""


class KernelLoopLimitError(VulkanDriverError):
    """The driver ended a loop before its condition did, so the results of the launch are wrong."""


class SpirvCodegenError(VulkanError):
    """A fault of this package: a stage produced or met something that it must not; please report it."""


class VulkanPrecisionWarning(NumbaWarning):
    """Results are less exact than promised: float64 is computed in float32, or the driver gets operations wrong."""


class VulkanPerformanceWarning(NumbaWarning):
    """A kernel does something that is slow on the device."""


class VulkanPrintWarning(NumbaWarning):
    """Kernels printed more than fits into their buffer; the warning says how many prints are missing."""


class VulkanValidationWarning(UserWarning):
    """The validation layer of Vulkan reported a wrong use of the API."""
