"""``@jit``: argument handling, launch plans, launching, and the errors that kernels report."""

from .configured import ConfiguredKernel
from .kernels import VulkanDispatcher, jit
from .occupancy import Occupancy

__all__ = ["ConfiguredKernel", "Occupancy", "VulkanDispatcher", "jit"]
