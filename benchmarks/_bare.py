"""The least that a launch which is waited for can take: one recorded command buffer, submitted again and again."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable

import _kernels
import numpy as np
from numba import types

import numba_vulkan as nv
from numba_vulkan import abi
from numba_vulkan.runtime import Device
from numba_vulkan.runtime.binding import vk

ELEMENTS = 1000


class BareLoop:
    """The kernel `tiny` of `_worker`, recorded once; nothing but submissions and waits for a fence are timed."""

    def __init__(self, device: Device) -> None:
        self._logical = logical = device.logical
        self._array = nv.to_device(np.zeros(ELEMENTS, np.float32), device=device)
        kernel = nv.jit(_kernels.tiny).compile((types.float32[::1],), device)
        size = 4 * kernel.interface.block.size_words
        push = np.full(size // 4, ELEMENTS, np.int32).tobytes()
        groups = (-(-ELEMENTS // 128), 1, 1)
        buffers = {abi.array_binding(0): self._array.buffer}
        self._slot = device.slot(kernel, groups, (128, 1, 1), buffers, push)
        pool = logical.create(
            "vkCreateCommandPool", vk.VkCommandPoolCreateInfo(queueFamilyIndex=logical.family)
        )
        allocate = vk.VkCommandBufferAllocateInfo(commandPool=pool, commandBufferCount=1)
        self._commands = (ctypes.c_void_p * 1)()
        functions = logical.functions
        functions.vkAllocateCommandBuffers(logical.handle, ctypes.byref(allocate), self._commands)
        commands = self._commands[0] or 0
        functions.vkBeginCommandBuffer(commands, ctypes.byref(vk.VkCommandBufferBeginInfo()))
        device.record_dispatch(commands, self._slot, groups, push)
        functions.vkEndCommandBuffer(commands)
        self._fence = (ctypes.c_uint64 * 1)(logical.create("vkCreateFence", vk.VkFenceCreateInfo()))
        logical.retire_with(self, ("vkDestroyFence", self._fence[0]), ("vkDestroyCommandPool", pool))

    def seconds(self, count: int) -> float:
        """Return the time of one submission with its wait."""
        return self._measure(count)[0]

    def submission_seconds(self, count: int) -> float:
        """Return the time that a submission takes until it returns, as long after the last one as launches wait."""
        return self._measure(count, nv.synchronize)[1]

    def _measure(self, count: int, between: Callable[[], object] = lambda: None) -> tuple[float, float]:
        logical, functions = self._logical, self._logical.functions
        handle, queue, fence, address = (
            logical.handle,
            logical.queue,
            self._fence[0],
            ctypes.byref(self._fence),
        )
        info = vk.VkSubmitInfo(commandBufferCount=1, pCommandBuffers=self._commands)
        submission = ctypes.byref(info)
        submit, wait, reset = functions.vkQueueSubmit, functions.vkWaitForFences, functions.vkResetFences
        self._array.fill(0)
        nv.synchronize()
        clock, submitting = time.perf_counter, 0.0
        start = clock()
        for _ in range(count):
            submitted = clock()
            submit(queue, 1, submission, fence)
            submitting += clock() - submitted
            wait(handle, 1, address, 1, 1 << 62)
            reset(handle, 1, address)
            between()
        total = clock() - start
        if not (self._array.copy_to_host() == count).all():
            raise AssertionError("the submissions computed something else")
        return total / count, submitting / count
