"""``@jit``: argument handling, launch plans, launching, and the errors that kernels report."""

from .kernels import ConfiguredKernel, VulkanDispatcher, jit

__all__ = ["ConfiguredKernel", "VulkanDispatcher", "jit"]
