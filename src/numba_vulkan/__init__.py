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

from importlib.metadata import PackageNotFoundError, version

from .dispatcher import jit
from .errors import (
    KernelArgumentError,
    KernelLoopLimitError,
    SpirvCodegenError,
    VulkanDriverError,
    VulkanError,
    VulkanPerformanceWarning,
    VulkanPrecisionWarning,
    VulkanSupportError,
    VulkanUnsupportedError,
    VulkanValidationWarning,
)
from .kernel import CompiledKernel
from .runtime import (
    Device,
    DeviceArray,
    DeviceInfo,
    device_array,
    device_array_like,
    get_device,
    list_devices,
    select_device,
    synchronize,
    to_device,
)
from .stubs import (
    atomic,
    barrier,
    fence_device,
    fence_workgroup,
    global_id,
    group_id,
    local_id,
    local_size,
    num_groups,
    shared,
    syncthreads,
)

__all__ = [
    "CompiledKernel",
    "Device",
    "DeviceArray",
    "DeviceInfo",
    "KernelArgumentError",
    "KernelLoopLimitError",
    "SpirvCodegenError",
    "VulkanDriverError",
    "VulkanError",
    "VulkanPerformanceWarning",
    "VulkanPrecisionWarning",
    "VulkanSupportError",
    "VulkanUnsupportedError",
    "VulkanValidationWarning",
    "atomic",
    "barrier",
    "device_array",
    "device_array_like",
    "fence_device",
    "fence_workgroup",
    "get_device",
    "global_id",
    "group_id",
    "jit",
    "list_devices",
    "local_id",
    "local_size",
    "num_groups",
    "select_device",
    "shared",
    "synchronize",
    "syncthreads",
    "to_device",
]

try:
    __version__ = version("numba-vulkan")
except PackageNotFoundError:  # a source tree on the path, not installed
    __version__ = "0+unknown"
