"""A compute runtime on Vulkan: devices, arrays on them, and kernels launched on them.

Importing it touches neither the Vulkan loader nor a driver.
"""

from __future__ import annotations

from .array import DeviceArray
from .creation import device_array, device_array_like, to_device
from .current import get_device, select_device, synchronize
from .device import Device
from .info import DeviceInfo, ProbeAnswers, list_devices, profile_of
from .instance import DEBUG_ENV_VAR, debug_enabled, debug_level, validation_messages
from .memory import MemoryKind

__all__ = [
    "DEBUG_ENV_VAR",
    "Device",
    "DeviceArray",
    "DeviceInfo",
    "MemoryKind",
    "ProbeAnswers",
    "debug_enabled",
    "debug_level",
    "device_array",
    "device_array_like",
    "get_device",
    "list_devices",
    "profile_of",
    "select_device",
    "synchronize",
    "to_device",
    "validation_messages",
]
