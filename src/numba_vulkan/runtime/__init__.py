"""A compute runtime on Vulkan: devices, arrays on them, and kernels launched on them.

Importing it touches neither the Vulkan loader nor a driver.
"""

from __future__ import annotations

from .answers import ProbeAnswers
from .array import DeviceArray
from .binding.loader import remedy
from .creation import (
    device_array,
    device_array_like,
    event,
    event_elapsed_time,
    pinned_array,
    record,
    stream,
    to_device,
)
from .current import get_device, memory_info, select_device, synchronize
from .delivery import print_records
from .device import Device
from .event import Event
from .graph import Graph
from .info import DeviceInfo, list_devices, profile_of
from .instance import DEBUG_ENV_VAR, debug_enabled, debug_level, validation_messages
from .memory import MemoryInfo, MemoryKind
from .reports import PRINT_BUFFER_WORDS
from .stream import Stream

__all__ = [
    "DEBUG_ENV_VAR",
    "Device",
    "DeviceArray",
    "DeviceInfo",
    "Event",
    "Graph",
    "MemoryInfo",
    "MemoryKind",
    "PRINT_BUFFER_WORDS",
    "ProbeAnswers",
    "Stream",
    "debug_enabled",
    "debug_level",
    "device_array",
    "device_array_like",
    "event",
    "event_elapsed_time",
    "get_device",
    "hint",
    "list_devices",
    "memory_info",
    "pinned_array",
    "print_records",
    "profile_of",
    "record",
    "select_device",
    "stream",
    "synchronize",
    "to_device",
    "validation_messages",
]

# What errors say where there is no loader or driver.
hint = remedy()
