"""Vulkan through ctypes: `vk` has constants, structures and signatures, `functions` calls them.

Importing this package touches neither the loader nor a driver.
"""

from __future__ import annotations

from . import vk
from .functions import (
    FunctionTable,
    abandon_drivers,
    device_functions,
    instance_functions,
    leave_to_threads,
    loader_functions,
    raise_result,
    read_list,
    require_drivers,
)

__all__ = [
    "FunctionTable",
    "abandon_drivers",
    "device_functions",
    "instance_functions",
    "leave_to_threads",
    "loader_functions",
    "raise_result",
    "read_list",
    "require_drivers",
    "vk",
]
