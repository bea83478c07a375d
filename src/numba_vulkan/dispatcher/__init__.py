"""``@jit``: argument handling, launch plans, launching, and the errors that kernels report."""

from .configured import ConfiguredKernel
from .kernels import VulkanDispatcher, jit

__all__ = ["ConfiguredKernel", "VulkanDispatcher", "jit"]
