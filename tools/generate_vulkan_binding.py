"""Write src/numba_vulkan/runtime/binding/vk.py, the ctypes form of the part of Vulkan that a compute runtime needs.

    python3 tools/generate_vulkan_binding.py           write the file
    python3 tools/generate_vulkan_binding.py --check   say whether the file is current, write nothing

The registry comes from the PyPI package `vulkan-object`. The lists below say what is wanted; structures that these need
follow by themselves.
"""

from __future__ import annotations

import sys
from pathlib import Path

from vulkan_object import Command, Member, Param, Struct, VulkanObject, get_vulkan_object

OUTPUT = Path(__file__).resolve().parent.parent / "src" / "numba_vulkan" / "runtime" / "binding" / "vk.py"

# By what a runtime does; the level (global, instance, device) of each comes from the registry.
COMMANDS = """
    vkGetInstanceProcAddr vkGetDeviceProcAddr
    vkEnumerateInstanceVersion vkEnumerateInstanceLayerProperties vkEnumerateInstanceExtensionProperties
    vkCreateInstance vkDestroyInstance vkEnumeratePhysicalDevices vkEnumerateDeviceExtensionProperties
    vkGetPhysicalDeviceProperties vkGetPhysicalDeviceProperties2 vkGetPhysicalDeviceFeatures2
    vkGetPhysicalDeviceMemoryProperties2 vkGetPhysicalDeviceQueueFamilyProperties
    vkCreateDebugUtilsMessengerEXT vkDestroyDebugUtilsMessengerEXT
    vkCreateDevice vkDestroyDevice vkGetDeviceQueue vkDeviceWaitIdle vkQueueWaitIdle
    vkAllocateMemory vkFreeMemory vkMapMemory
    vkCreateBuffer vkDestroyBuffer vkGetBufferMemoryRequirements vkBindBufferMemory vkGetBufferDeviceAddress
    vkCreateShaderModule vkDestroyShaderModule vkCreateDescriptorSetLayout vkDestroyDescriptorSetLayout
    vkCreatePipelineLayout vkDestroyPipelineLayout vkCreateComputePipelines vkDestroyPipeline
    vkCreatePipelineCache vkDestroyPipelineCache vkGetPipelineCacheData
    vkCreateDescriptorPool vkDestroyDescriptorPool vkAllocateDescriptorSets vkUpdateDescriptorSets
    vkCreateCommandPool vkDestroyCommandPool vkAllocateCommandBuffers
    vkBeginCommandBuffer vkEndCommandBuffer vkResetCommandBuffer vkCmdExecuteCommands
    vkCmdPipelineBarrier vkCmdBindPipeline vkCmdBindDescriptorSets vkCmdPushConstants
    vkCmdDispatch vkCmdCopyBuffer vkCmdFillBuffer
    vkCreateFence vkDestroyFence vkResetFences vkWaitForFences
    vkCreateSemaphore vkDestroySemaphore vkGetSemaphoreCounterValue vkWaitSemaphores vkSignalSemaphore
    vkQueueSubmit
    vkCreateQueryPool vkDestroyQueryPool vkResetQueryPool vkCmdWriteTimestamp
    vkGetQueryPoolResults
""".split()

# Structures that commands reach only through pNext or untyped pointers.
STRUCTURES = """
    VkPhysicalDeviceVulkan11Features VkPhysicalDeviceVulkan12Features
    VkPhysicalDeviceVulkan11Properties VkPhysicalDeviceVulkan12Properties
    VkPhysicalDeviceSubgroupSizeControlFeatures VkPhysicalDeviceSubgroupSizeControlProperties
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT VkPhysicalDeviceMaintenance4Properties
    VkPhysicalDeviceMemoryBudgetPropertiesEXT VkMemoryAllocateFlagsInfo
    VkSemaphoreTypeCreateInfo VkTimelineSemaphoreSubmitInfo
    VkDebugUtilsMessengerCreateInfoEXT VkDebugUtilsMessengerCallbackDataEXT VkValidationFeaturesEXT
""".split()

# Enumerations and bit masks; of their values those of the core and of EXTENSIONS.
ENUMERATIONS = """
    VkResult VkPhysicalDeviceType VkSharingMode VkDescriptorType VkPipelineBindPoint VkCommandBufferLevel
    VkQueryType VkSemaphoreType VkValidationFeatureEnableEXT
    VkInstanceCreateFlagBits VkQueueFlagBits VkMemoryPropertyFlagBits VkMemoryAllocateFlagBits
    VkBufferUsageFlagBits VkShaderStageFlagBits VkPipelineStageFlagBits VkAccessFlagBits
    VkCommandPoolCreateFlagBits VkCommandBufferUsageFlagBits VkQueryResultFlagBits VkSubgroupFeatureFlagBits
    VkDebugUtilsMessageSeverityFlagBitsEXT VkDebugUtilsMessageTypeFlagBitsEXT
""".split()
EXTENSIONS = {
    "VK_EXT_debug_utils",
    "VK_EXT_validation_features",
    "VK_KHR_buffer_device_address",
    "VK_KHR_driver_properties",
    "VK_KHR_portability_enumeration",
    "VK_KHR_timeline_semaphore",
}
CONSTANTS = ("VK_TRUE", "VK_FALSE", "VK_WHOLE_SIZE")

SCALARS = {
    "char": "c_char",
    "float": "c_float",
    "double": "c_double",
    "int": "c_int",
    "int32_t": "c_int32",
    "int64_t": "c_int64",
    "size_t": "c_size_t",
    "uint8_t": "c_uint8",
    "uint16_t": "c_uint16",
    "uint32_t": "c_uint32",
    "uint64_t": "c_uint64",
    "VkBool32": "c_uint32",
    "VkDeviceAddress": "c_uint64",
    "VkDeviceSize": "c_uint64",
    "VkFlags": "c_uint32",
    "VkFlags64": "c_uint64",
    "VkSampleMask": "c_uint32",
}
RETURNS = {
    "void": "None",
    "VkResult": "c_int32",
    "VkDeviceAddress": "c_uint64",
    "PFN_vkVoidFunction": "c_void_p",
}
# Levels that do not follow from the first parameter: what the loader offers without an instance, and how to ask an
# instance for the functions of a device.
LEVELS = {
    "vkCreateInstance": "GLOBAL_COMMANDS",
    "vkEnumerateInstanceExtensionProperties": "GLOBAL_COMMANDS",
    "vkEnumerateInstanceLayerProperties": "GLOBAL_COMMANDS",
    "vkEnumerateInstanceVersion": "GLOBAL_COMMANDS",
    "vkGetDeviceProcAddr": "INSTANCE_COMMANDS",
    "vkGetInstanceProcAddr": "GLOBAL_COMMANDS",
}

HEADER = '''"""Vulkan for a compute runtime: constants, structures and signatures; registry version {version}.

Generated by tools/generate_vulkan_binding.py; do not edit. Pointers have no type: see `Structure`.
"""
# ruff: noqa
# fmt: off

from ctypes import (
    c_char,
    c_char_p,
    c_double,
    c_float,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any

from .structure import Structure
'''


class Generator:
    """Collects the structures that commands and other structures need, each after those that it contains."""

    def __init__(self, registry: VulkanObject) -> None:
        self.registry = registry
        self.structures: dict[str, Struct] = {}
        self._aliases = {alias: s.name for s in registry.structs.values() for alias in s.aliases}

    def need(self, name: str) -> str:
        """Include a structure and those that it contains or points to; return its canonical name."""
        name = self._aliases.get(name, name)
        struct = self.registry.structs[name]
        if name in self.structures:
            return name
        embedded = [m for m in struct.members if not m.pointer]
        for member in embedded:
            if self._is_structure(member.type):
                self.need(member.type)
        self.structures[name] = struct
        for member in struct.members:
            if member.pointer and self._is_structure(member.type):
                self.need(member.type)
        return name

    def need_parameters(self, command: Command) -> None:
        """Include the structures that a command takes."""
        for parameter in command.params:
            if self._is_structure(parameter.type):
                self.need(parameter.type)

    def _is_structure(self, name: str) -> bool:
        # Allocation callbacks are never passed; VkBase* are for walking chains in C.
        if name == "VkAllocationCallbacks" or name.startswith("VkBase"):
            return False
        return self._aliases.get(name, name) in self.registry.structs

    def ctypes_name(self, item: Member | Param) -> str:
        """Return the ctypes expression for a member or parameter."""
        if item.pointer:
            is_string = item.type == "char" and item.fullType.count("*") == 1 and item.const
            return "c_char_p" if is_string else "c_void_p"
        expression = self._base(item.type)
        if item.fixedSizeArray and isinstance(item, Param):
            return "c_void_p"
        for extent in reversed(item.fixedSizeArray):
            constant = self.registry.constants.get(extent)
            expression += f" * {constant.value if constant else int(extent)}"
        return expression

    def _base(self, name: str) -> str:
        registry = self.registry
        if name in SCALARS:
            return SCALARS[name]
        if name in registry.handles:
            return "c_void_p" if registry.handles[name].dispatchable else "c_uint64"
        if name in registry.enums:
            return "c_int32"
        for table in (registry.flags, registry.bitmasks):
            if name in table:
                return f"c_uint{table[name].bitWidth}"
        if name in registry.funcPointers or name.startswith("PFN_"):
            return "c_void_p"
        if self._is_structure(name):
            return self.need(name)
        raise SystemExit(f"generate_vulkan_binding: no ctypes form of {name}; add it to SCALARS")

    def structure_type(self, struct: Struct) -> int | None:
        """Return the value of sType, None for structures without."""
        if struct.sType is None:
            return None
        fields = self.registry.enums["VkStructureType"].fields
        return next(f.value for f in fields if struct.sType in (f.name, *f.aliases))


def constants_text(registry: VulkanObject) -> list[str]:
    """Return an assignment per wanted constant."""
    lines = [f"{name} = {registry.constants[name].value:#x}" for name in CONSTANTS]
    for name in ENUMERATIONS:
        is_bitmask = name in registry.bitmasks
        values = registry.bitmasks[name].flags if is_bitmask else registry.enums[name].fields
        lines += ["", f"# {name}"]
        for value in values:
            if not value.extensions or EXTENSIONS.intersection(value.extensions):
                lines.append(
                    f"{value.name} = {value.value:#x}" if is_bitmask else f"{value.name} = {value.value}"
                )
    return lines


def results_text(registry: VulkanObject) -> list[str]:
    """Return the table from each VkResult to its name, extensions included."""
    rows = [f'    {field.value}: "{field.name}",' for field in registry.enums["VkResult"].fields]
    return ["RESULT_NAMES: dict[int, str] = {", *rows, "}"]


def structure_text(generator: Generator, struct: Struct) -> list[str]:
    """Return the class of one structure."""
    lines = [f"class {struct.name}(Structure):"]
    structure_type = generator.structure_type(struct)
    if structure_type is not None:
        lines.append(f"    structure_type = {structure_type}")
    lines.append("    _fields_ = [")
    if struct.union or any(member.bitFieldWidth is not None for member in struct.members):
        raise SystemExit(
            f"generate_vulkan_binding: {struct.name} is a union or has bit fields: not written yet"
        )
    for member in struct.members:
        lines.append(f'        ("{member.name}", {generator.ctypes_name(member)}),')
    return [*lines, "    ]", "", ""]


def signatures_text(generator: Generator, commands: list[Command]) -> list[str]:
    """Return the tables of signatures, one per level: result type, then parameter types."""
    lines: list[str] = []
    levels: dict[str, list[Command]] = {"GLOBAL_COMMANDS": [], "INSTANCE_COMMANDS": [], "DEVICE_COMMANDS": []}
    for command in commands:
        by_parameter = "DEVICE_COMMANDS" if command.device else "INSTANCE_COMMANDS"
        levels[LEVELS.get(command.name, by_parameter)].append(command)
    for level, members in levels.items():
        lines += [f"{level}: dict[str, tuple[Any, ...]] = {{"]
        for command in members:
            types = [RETURNS[command.returnType], *(generator.ctypes_name(p) for p in command.params)]
            lines.append(f'    "{command.name}": ({", ".join(types)},),')
        lines += ["}", ""]
    return lines[:-1]


def generate() -> str:
    """Return the text of the module."""
    registry = get_vulkan_object()
    generator = Generator(registry)
    commands = [registry.commands[name] for name in COMMANDS]
    for command in commands:
        generator.need_parameters(command)
    for name in STRUCTURES:
        generator.need(name)
    signatures = signatures_text(generator, commands)
    lines = [HEADER.format(version=registry.headerVersionComplete)]
    lines += [*constants_text(registry), "", *results_text(registry), "", ""]
    for struct in generator.structures.values():
        lines += structure_text(generator, struct)
    return "\n".join([*lines, *signatures]) + "\n"


def main() -> None:
    """Write the module, or compare it."""
    text = generate()
    if "--check" not in sys.argv[1:]:
        OUTPUT.write_text(text)
    elif OUTPUT.read_text() != text:
        raise SystemExit(f"{OUTPUT} is not current: run python3 tools/generate_vulkan_binding.py")


if __name__ == "__main__":
    main()
