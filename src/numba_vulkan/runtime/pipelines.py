"""Pipelines and their layouts, descriptor sets and the cache of what the driver compiled."""

from __future__ import annotations

import contextlib
import ctypes
import weakref
from collections import deque
from collections.abc import Mapping
from typing import Any

from ..errors import VulkanError
from ..kernel import CompiledKernel
from .binding import vk
from .buffer import Buffer
from .constants import Constants
from .context import Words
from .driver_file import DriverFile
from .logical_device import LogicalDevice

__all__ = ["Layout", "Pipeline", "Pipelines", "Place"]

# Descriptor sets that are allocated together.
SETS_OF_POOL = 32
Place = tuple[int, int, int]
_STORAGE = vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
_COMPUTE = vk.VK_SHADER_STAGE_COMPUTE_BIT


class Layout:
    """The bindings and push constants of kernels, and descriptor sets for them.

    Parameters
    ----------
    device : LogicalDevice
        The device.
    bindings : tuple of int
        The bindings of storage buffers, ascending.
    push_bytes : int
        Bytes of push constants.

    Attributes
    ----------
    handle : int
        The VkPipelineLayout.
    push_arguments : tuple
        What vkCmdPushConstants is given besides command buffer and values.
    """

    def __init__(self, device: LogicalDevice, bindings: tuple[int, ...], push_bytes: int) -> None:
        self.device = device
        self.bindings = bindings
        self.push_bytes = push_bytes
        self._set_layout = self._create_set_layout()
        device.retire_with(self, ("vkDestroyDescriptorSetLayout", self._set_layout))
        self.handle = self._create_pipeline_layout()
        self.push_arguments = (ctypes.c_uint64(self.handle), _COMPUTE, 0, push_bytes)
        device.retire_with(self, ("vkDestroyPipelineLayout", self.handle))
        self._free_sets: list[int] = []
        self._leaving: deque[tuple[int, Words]] = deque()

    def _create_set_layout(self) -> int:
        rows = [
            vk.VkDescriptorSetLayoutBinding(
                binding=binding, descriptorType=_STORAGE, descriptorCount=1, stageFlags=_COMPUTE
            )
            for binding in self.bindings
        ]
        info = vk.VkDescriptorSetLayoutCreateInfo(bindingCount=len(rows), pBindings=rows)
        return self.device.create("vkCreateDescriptorSetLayout", info)

    def _create_pipeline_layout(self) -> int:
        push = vk.VkPushConstantRange(stageFlags=_COMPUTE, offset=0, size=self.push_bytes)
        info = vk.VkPipelineLayoutCreateInfo(
            setLayoutCount=1,
            pSetLayouts=(ctypes.c_uint64 * 1)(self._set_layout),
            pushConstantRangeCount=1 if self.push_bytes else 0,
            pPushConstantRanges=push,
        )
        return self.device.create("vkCreatePipelineLayout", info)

    def take_set(self, completed: int) -> int:
        """Return a descriptor set that no batch after a completed one uses; 0 if there are no bindings."""
        if not self.bindings:
            return 0
        for _ in range(len(self._leaving)):
            descriptor_set, record = self._leaving.popleft()
            if record[0] <= completed:
                self._free_sets.append(descriptor_set)
            else:
                self._leaving.append((descriptor_set, record))
        if not self._free_sets:
            self._add_pool()
        return self._free_sets.pop()

    def give_back(self, descriptor_set: int, record: Words) -> None:
        """Take back a descriptor set, to be used again after the batch that its record names; finalizers call it."""
        if descriptor_set:
            self._leaving.append((descriptor_set, record))

    def _add_pool(self) -> None:
        device = self.device
        size = vk.VkDescriptorPoolSize(type=_STORAGE, descriptorCount=SETS_OF_POOL * len(self.bindings))
        info = vk.VkDescriptorPoolCreateInfo(maxSets=SETS_OF_POOL, poolSizeCount=1, pPoolSizes=size)
        pool = device.create("vkCreateDescriptorPool", info)
        device.retire_with(self, ("vkDestroyDescriptorPool", pool))
        request = vk.VkDescriptorSetAllocateInfo(
            descriptorPool=pool,
            descriptorSetCount=SETS_OF_POOL,
            pSetLayouts=(ctypes.c_uint64 * SETS_OF_POOL)(*[self._set_layout] * SETS_OF_POOL),
        )
        handles = (ctypes.c_uint64 * SETS_OF_POOL)()
        device.functions.vkAllocateDescriptorSets(device.handle, ctypes.byref(request), handles)
        self._free_sets.extend(handles)

    def write_set(self, descriptor_set: int, places: Mapping[int, Place]) -> None:
        """Let a descriptor set name the places of its bindings: buffer, offset and size."""
        writes = [
            vk.VkWriteDescriptorSet(
                dstSet=descriptor_set,
                dstBinding=binding,
                descriptorCount=1,
                descriptorType=_STORAGE,
                pBufferInfo=vk.VkDescriptorBufferInfo(buffer=buffer, offset=offset, range=size),
            )
            for binding, (buffer, offset, size) in places.items()
        ]
        array = (vk.VkWriteDescriptorSet * len(writes))(*writes)
        self.device.functions.vkUpdateDescriptorSets(self.device.handle, len(writes), array, 0, None)


class Pipeline:
    """A kernel with a workgroup size.

    Attributes
    ----------
    handle : int
        The VkPipeline.
    layout : Layout
        Its layout.
    arrays : tuple of int
        The bindings of the arrays that the kernel reaches.
    constants : dict
        The buffers of those among them that nobody passes.
    slots : dict
        The descriptor sets for the buffers of earlier launches; see `slots`.
    """

    def __init__(
        self,
        device: LogicalDevice,
        handle: int,
        layout: Layout,
        kernel: CompiledKernel,
        constants: dict[int, Buffer],
    ) -> None:
        self.handle = handle
        self.layout = layout
        self.arrays = kernel.arrays
        self.constants = constants
        self.slots: dict[tuple[object, ...], Any] = {}
        device.retire_with(self, ("vkDestroyPipeline", handle))


class Pipelines:
    """The pipelines of a device; those of a kernel go with it.

    Parameters
    ----------
    device : LogicalDevice
        The device.
    constants : Constants
        The constant arrays of its kernels.
    """

    def __init__(self, device: LogicalDevice, constants: Constants) -> None:
        self.device = device
        self._constants = constants
        self._layouts: dict[tuple[tuple[int, ...], int], Layout] = {}
        # By identity: hashing a kernel would read all of it at each launch.
        self._of_kernel: dict[int, dict[tuple[int, ...], Pipeline]] = {}
        self._cache = _PipelineCache(device)
        weakref.finalize(self, self._cache.save)

    def find(self, kernel: CompiledKernel, constants: tuple[int, ...]) -> Pipeline | None:
        """Return the pipeline of a kernel if it was made before; ``constants`` are those that specialize it."""
        pipelines = self._of_kernel.get(id(kernel))
        return None if pipelines is None else pipelines.get(constants)

    def make(self, kernel: CompiledKernel, constants: tuple[int, ...]) -> Pipeline:
        """Make the pipeline of a kernel, whose SPIR-V the caller has checked."""
        layout, arrays = self._layout(kernel), self._constants.of(kernel)
        handle = self._create(kernel, constants, layout)
        pipeline = Pipeline(self.device, handle, layout, kernel, arrays)
        if id(kernel) not in self._of_kernel:
            self._of_kernel[id(kernel)] = {}
            weakref.finalize(kernel, _forget, weakref.ref(self), id(kernel)).atexit = False
        self._of_kernel[id(kernel)][constants] = pipeline
        return pipeline

    def forget(self, kernel_id: int) -> None:
        """Drop the pipelines of a kernel that is no more."""
        self._of_kernel.pop(kernel_id, None)

    def _layout(self, kernel: CompiledKernel) -> Layout:
        key = (kernel.descriptors, kernel.interface.push_constant_bytes)
        if key not in self._layouts:
            self._layouts[key] = Layout(self.device, *key)
        return self._layouts[key]

    def _create(self, kernel: CompiledKernel, constants: tuple[int, ...], layout: Layout) -> int:
        device, functions = self.device, self.device.functions
        words = (ctypes.c_uint32 * (len(kernel.spirv) // 4)).from_buffer_copy(kernel.spirv)
        size = kernel.variant.subgroup_size if device.info.asks_for_subgroup_size else 0
        required = vk.VkPipelineShaderStageRequiredSubgroupSizeCreateInfo(requiredSubgroupSize=size)
        module_info = vk.VkShaderModuleCreateInfo(codeSize=len(kernel.spirv), pCode=words)
        module = device.create("vkCreateShaderModule", module_info)
        try:
            stage = vk.VkPipelineShaderStageCreateInfo(
                pNext=required if size else None,
                stage=_COMPUTE,
                module=module,
                pName=b"main",
                pSpecializationInfo=_specialization(constants),
            )
            info = vk.VkComputePipelineCreateInfo(stage=stage, layout=layout.handle)
            handle = ctypes.c_uint64()
            functions.vkCreateComputePipelines(
                device.handle, self._cache.handle, 1, ctypes.byref(info), None, ctypes.byref(handle)
            )
        finally:
            functions.vkDestroyShaderModule(device.handle, module, None)
        self._cache.is_changed = True
        return handle.value

    def save(self) -> None:
        """Write what the driver compiled to the cache folder."""
        self._cache.save()


def _forget(pipelines: weakref.ref[Pipelines], kernel_id: int) -> None:
    found = pipelines()
    if found is not None:
        found.forget(kernel_id)


def _specialization(constants: tuple[int, ...]) -> vk.VkSpecializationInfo:
    """Return the workgroup size as specialization constants 0, 1 and 2, and lengths of shared arrays behind it."""
    count = len(constants)
    entries = [vk.VkSpecializationMapEntry(constantID=i, offset=4 * i, size=4) for i in range(count)]
    return vk.VkSpecializationInfo(
        mapEntryCount=count,
        pMapEntries=entries,
        dataSize=4 * count,
        pData=(ctypes.c_uint32 * count)(*constants),
    )


class _PipelineCache:
    """The VkPipelineCache, kept in a file per driver version."""

    def __init__(self, device: LogicalDevice) -> None:
        self.is_changed = False
        self._device = device
        self._file = DriverFile("pipelines", device.info)
        self._saved = data = self._file.read()
        initial = (ctypes.c_char * len(data)).from_buffer_copy(data) if data else None
        info = vk.VkPipelineCacheCreateInfo(initialDataSize=len(data), pInitialData=initial)
        self.handle = device.create("vkCreatePipelineCache", info)
        device.release_with(self, ("vkDestroyPipelineCache", self.handle))

    def save(self) -> None:
        """Write the cache if a pipeline was made since it was read or written; what the driver denies is left alone."""
        if not self.is_changed or not self._device.functions.usable:
            return
        self.is_changed = False
        with contextlib.suppress(VulkanError, MemoryError):
            content = self._read()
            if content != self._saved:
                self._file.write(content)
                self._saved = content

    def _read(self) -> bytes:
        device, size = self._device, ctypes.c_size_t()
        call = device.functions.vkGetPipelineCacheData
        call(device.handle, self.handle, ctypes.byref(size), None)
        data = ctypes.create_string_buffer(size.value)
        call(device.handle, self.handle, ctypes.byref(size), data)
        return data.raw[: size.value]
