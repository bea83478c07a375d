"""numba_vulkan: a Vulkan compute target for Numba.

Write a kernel in Python, decorate it with `jit`, run it on any device with a Vulkan 1.2 driver:

    import numba_vulkan as nv

    @nv.jit
    def saxpy(a, x, y):
        i = nv.global_id(0)
        if i < x.size:
            y[i] = a * x[i] + y[i]

    saxpy.forall(x.size)(a, x, y)
"""

import gc as _gc
from importlib.metadata import PackageNotFoundError as _PackageNotFoundError
from importlib.metadata import version as _version

# Numba leaves hundreds of thousands of objects behind. A full collection that happens to fall into the imports below
# looks at all of them: 20 of 60 ms.
_collects = _gc.isenabled()
_gc.disable()

from .dispatcher import jit
from .errors import (
    DeviceLostError,
    KernelArgumentError,
    KernelLoopLimitError,
    SpirvCodegenError,
    VulkanDriverError,
    VulkanError,
    VulkanPerformanceWarning,
    VulkanPrecisionWarning,
    VulkanPrintWarning,
    VulkanSupportError,
    VulkanUnsupportedError,
    VulkanValidationWarning,
)
from .kernel import CompiledKernel
from .runtime import (
    Device,
    DeviceArray,
    DeviceInfo,
    Event,
    Graph,
    Stream,
    device_array,
    device_array_like,
    event,
    event_elapsed_time,
    get_device,
    list_devices,
    memory_info,
    pinned_array,
    record,
    select_device,
    stream,
    synchronize,
    to_device,
    validation_messages,
)
from .stubs import (
    atomic,
    barrier,
    const,
    fence_device,
    fence_workgroup,
    global_id,
    group_id,
    local,
    local_id,
    local_size,
    math,
    num_groups,
    shared,
    subgroup,
    syncthreads,
    syncthreads_and,
    syncthreads_count,
    syncthreads_or,
)

if _collects:
    _gc.enable()

__all__ = [
    "CompiledKernel",
    "Device",
    "DeviceArray",
    "DeviceInfo",
    "DeviceLostError",
    "Event",
    "Graph",
    "KernelArgumentError",
    "KernelLoopLimitError",
    "SpirvCodegenError",
    "Stream",
    "VulkanDriverError",
    "VulkanError",
    "VulkanPerformanceWarning",
    "VulkanPrecisionWarning",
    "VulkanPrintWarning",
    "VulkanSupportError",
    "VulkanUnsupportedError",
    "VulkanValidationWarning",
    "atomic",
    "barrier",
    "device_array",
    "device_array_like",
    "event",
    "event_elapsed_time",
    "fence_device",
    "fence_workgroup",
    "get_device",
    "global_id",
    "group_id",
    "jit",
    "list_devices",
    "const",
    "local",
    "local_id",
    "memory_info",
    "local_size",
    "math",
    "num_groups",
    "pinned_array",
    "record",
    "select_device",
    "shared",
    "stream",
    "subgroup",
    "synchronize",
    "syncthreads_and",
    "syncthreads_count",
    "syncthreads_or",
    "syncthreads",
    "to_device",
    "validation_messages",
]


def __getattr__(name: str) -> str:
    """Return the version when it is asked for: looking it up takes a tenth of the time of the import."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return _version("numba-vulkan")
    except _PackageNotFoundError:  # a checkout that is not installed
        return "0+unknown"
