"""Finding and loading the Vulkan loader, the shared library that all calls start from."""

from __future__ import annotations

import ctypes
import functools
import sys

from ...errors import VulkanSupportError

__all__ = ["load", "remedy"]

_LOADER_NAMES = {
    "linux": ("libvulkan.so.1", "libvulkan.so"),
    "darwin": ("libvulkan.1.dylib", "libvulkan.dylib", "libMoltenVK.dylib"),
    "win32": ("vulkan-1.dll",),
}
_REMEDIES = {
    "linux": "install your distribution's Vulkan loader and a driver "
    "(Debian and Ubuntu: libvulkan1 and mesa-vulkan-drivers; Fedora: vulkan-loader and mesa-vulkan-drivers)",
    "darwin": "install the Vulkan SDK, which has the loader and MoltenVK (Homebrew: vulkan-loader and molten-vk)",
    "win32": "install the driver of your GPU's vendor, which brings the Vulkan loader",
}


@functools.cache
def load() -> ctypes.CDLL:
    """Load the Vulkan loader, once a process."""
    names = _LOADER_NAMES.get(sys.platform, _LOADER_NAMES["linux"])
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise VulkanSupportError(f"no Vulkan loader found (tried {', '.join(names)}): {remedy()}")


def remedy() -> str:
    """Return how to install a loader and a driver on this system."""
    return _REMEDIES.get(sys.platform, _REMEDIES["linux"])
