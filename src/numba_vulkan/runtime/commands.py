"""A command buffer: begin, record, submit, wait."""

from __future__ import annotations

import ctypes

from .binding import vk
from .logical_device import LogicalDevice

__all__ = ["Commands"]

# The host waits in pieces, so that Ctrl-C is seen.
_WAIT_NS = 100_000_000
_DEVICE_STAGES = vk.VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | vk.VK_PIPELINE_STAGE_TRANSFER_BIT
_WRITES = vk.VK_ACCESS_SHADER_WRITE_BIT | vk.VK_ACCESS_TRANSFER_WRITE_BIT
_ACCESSES = _WRITES | vk.VK_ACCESS_SHADER_READ_BIT | vk.VK_ACCESS_TRANSFER_READ_BIT
_HOST_ACCESSES = vk.VK_ACCESS_HOST_READ_BIT | vk.VK_ACCESS_HOST_WRITE_BIT


class Commands:
    """A command buffer with its fence; all methods are called with the device's lock held.

    Parameters
    ----------
    device : LogicalDevice
        The device.

    Attributes
    ----------
    handle : int
        The VkCommandBuffer, to record into between `begin` and `submit`.
    is_pending : bool
        Whether work was submitted and not waited for.
    """

    def __init__(self, device: LogicalDevice) -> None:
        self.device = device
        pool_info = vk.VkCommandPoolCreateInfo(
            flags=vk.VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, queueFamilyIndex=device.family
        )
        pool = device.create("vkCreateCommandPool", pool_info)
        device.release_with(self, ("vkDestroyCommandPool", pool))
        self.handle = self._allocate(pool)
        fence = device.create("vkCreateFence", vk.VkFenceCreateInfo())
        device.release_with(self, ("vkDestroyFence", fence))
        self._fences = (ctypes.c_uint64 * 1)(fence)
        self._submit_info = vk.VkSubmitInfo(
            commandBufferCount=1, pCommandBuffers=(ctypes.c_void_p * 1)(self.handle)
        )
        self._in_use: tuple[object, ...] = ()
        self.is_pending = False

    def _allocate(self, pool: int) -> int:
        info = vk.VkCommandBufferAllocateInfo(
            commandPool=pool, level=vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount=1
        )
        handle = ctypes.c_void_p()
        self.device.functions.vkAllocateCommandBuffers(
            self.device.handle, ctypes.byref(info), ctypes.byref(handle)
        )
        assert handle.value, "vkAllocateCommandBuffers succeeded"
        return handle.value

    def begin(self) -> int:
        """Start recording, with a barrier behind all that was submitted before, and return the command buffer."""
        self.wait()
        info = vk.VkCommandBufferBeginInfo(flags=vk.VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT)
        self.device.functions.vkBeginCommandBuffer(self.handle, ctypes.byref(info))
        self._barrier(_WRITES, _DEVICE_STAGES, _ACCESSES)
        return self.handle

    def submit(self, *in_use: object) -> None:
        """End recording and start the work; ``in_use`` is kept alive until it is done."""
        functions = self.device.functions
        self._barrier(_WRITES, vk.VK_PIPELINE_STAGE_HOST_BIT, _HOST_ACCESSES)
        functions.vkEndCommandBuffer(self.handle)
        functions.vkResetFences(self.device.handle, 1, self._fences)
        self._in_use = in_use
        functions.vkQueueSubmit(self.device.queue, 1, ctypes.byref(self._submit_info), self._fences[0])
        self.is_pending = True

    def wait(self) -> None:
        """Wait until the work is done; an interrupt leaves it running, and the next call waits on."""
        if not self.is_pending:
            return
        call = self.device.functions.vkWaitForFences
        while call(self.device.handle, 1, self._fences, vk.VK_TRUE, _WAIT_NS) == vk.VK_TIMEOUT:
            pass
        self.is_pending = False
        self._in_use = ()

    def _barrier(self, writes: int, stages: int, accesses: int) -> None:
        barrier = vk.VkMemoryBarrier(srcAccessMask=writes, dstAccessMask=accesses)
        self.device.functions.vkCmdPipelineBarrier(
            self.handle, _DEVICE_STAGES, stages, 0, 1, ctypes.byref(barrier), 0, None, 0, None
        )
