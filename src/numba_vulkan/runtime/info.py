"""What is known of a physical device without opening it: `DeviceInfo`, `list_devices` and the compiler's profile."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .. import settings
from ..errors import VulkanDriverError, VulkanSupportError
from ..kernel import SUBGROUP_CLASSES, TargetProfile
from .answers import ProbeAnswers
from .binding import read_list, require_drivers, vk
from .binding.loader import remedy
from .features import FEATURES, SUBGROUP_PROPERTIES, FeatureChain, disabled_features
from .instance import MINIMUM_VERSION, Instance, current_instance, version_numbers

__all__ = [
    "DeviceInfo",
    "compute_family",
    "devices_text",
    "list_devices",
    "no_device_error",
    "profile_of",
    "queue_families",
    "transfer_family",
]

_KINDS = {
    vk.VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: "discrete",
    vk.VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: "integrated",
    vk.VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: "virtual",
    vk.VK_PHYSICAL_DEVICE_TYPE_CPU: "cpu",
}


@dataclass(frozen=True)
class DeviceInfo:
    """A Vulkan physical device.

    Features that ``NUMBA_VULKAN_DISABLE`` names are reported as missing. Two infos are equal if they describe the same
    device with the same features.

    Attributes
    ----------
    index : int
        Position in `list_devices`.
    name : str
        The driver's name of the device.
    kind : {'discrete', 'integrated', 'virtual', 'cpu', 'other'}
        Type of the device.
    float64, int64, int16, int8, float16 : bool
        Whether shaders may compute with the type.
    handle : object
        The VkPhysicalDevice.
    int64_atomics : bool
        Whether shaders may apply atomic operations to 64-bit integers, in buffers and in shared memory.
    storage16, storage8 : bool
        Whether buffers may hold elements of 16 and 8 bits.
    float32_atomic_add, float64_atomic_add : bool
        Whether shaders may add to floats atomically, in buffers and in shared memory.
    max_local_size : tuple of int
        Largest workgroup along each axis.
    max_local_invocations : int
        Most invocations of a workgroup.
    max_groups : tuple of int
        Most workgroups of a dispatch along each axis.
    max_shared_memory : int
        Bytes of memory that a workgroup can share.
    nan_preserve : tuple of int
        Float widths for which shaders can ask to keep NaN, infinity and the sign of zero.
    timestamp_bits : int
        Valid bits of the timestamps that the compute queue writes; 0 if it writes none.
    timestamp_period : float
        Nanoseconds per tick of these timestamps.
    subgroup_size : int
        Invocations of a subgroup.
    subgroup_basic, subgroup_vote, subgroup_arithmetic, subgroup_ballot, subgroup_shuffle, \
subgroup_shuffle_relative : bool
        Which classes of subgroup operations compute shaders may use.
    buffer_addresses : bool
        Whether shaders may reach buffers by address.
    subgroup_int64 : bool
        Whether subgroup operations work on 64-bit integers.
    subgroup_size_control : bool
        Whether a pipeline may ask for a subgroup size and for full subgroups.
    min_subgroup_size, max_subgroup_size : int
        The sizes it may ask for.
    max_workgroup_subgroups : int
        Most subgroups of a workgroup whose pipeline asks for their size; 0 if compute pipelines cannot.
    denorm_preserve, denorm_flush_to_zero, rounding_rte, rounding_rtz : tuple of int
        Float widths for which shaders can ask to keep or to flush denormals, and to round to nearest even or to zero.
    max_storage_buffer_range : int
        Most bytes of a buffer that a kernel reaches through one binding.
    max_storage_buffers : int
        Most storage buffers of a kernel.
    max_push_constant_bytes : int
        Most bytes of push constants.
    max_buffer_bytes : int
        Most bytes of one buffer; whether there is memory for so many the driver tells when it is asked.
    vendor_id, device_id : int
        Numbers of the vendor and of the device on the PCI bus.
    api_version : tuple of int
        The Vulkan version of the driver.
    driver_name, driver_info : str
        The driver's name and version in words.
    driver_version : int
        The driver's version as a number that only the vendor can read.
    device_uuid, driver_uuid, pipeline_cache_uuid : str
        Identities in hexadecimal: of the device, of the driver's build, and of what a pipeline cache is valid for.
    extensions : frozenset of str
        The device extensions.
    instance : Instance
        The VkInstance that the handle belongs to.
    ask_probes : callable or None
        What `probes` calls.
    """

    index: int = field(compare=False)
    name: str
    kind: str
    float64: bool
    int64: bool
    int16: bool
    int8: bool
    handle: object = field(repr=False, compare=False)
    int64_atomics: bool = False
    float16: bool = False
    storage16: bool = False
    storage8: bool = False
    float32_atomic_add: bool = False
    float64_atomic_add: bool = False
    max_local_size: tuple[int, int, int] = (128, 128, 64)
    max_local_invocations: int = 128
    max_groups: tuple[int, int, int] = (65535, 65535, 65535)
    max_shared_memory: int = 16384
    nan_preserve: tuple[int, ...] = ()
    timestamp_bits: int = 0
    timestamp_period: float = 1.0
    subgroup_size: int = 1
    subgroup_basic: bool = False
    subgroup_vote: bool = False
    subgroup_arithmetic: bool = False
    subgroup_ballot: bool = False
    subgroup_shuffle: bool = False
    subgroup_shuffle_relative: bool = False
    buffer_addresses: bool = False
    subgroup_int64: bool = False
    subgroup_size_control: bool = False
    min_subgroup_size: int = 1
    max_subgroup_size: int = 1
    max_workgroup_subgroups: int = 0
    denorm_preserve: tuple[int, ...] = ()
    denorm_flush_to_zero: tuple[int, ...] = ()
    rounding_rte: tuple[int, ...] = ()
    rounding_rtz: tuple[int, ...] = ()
    max_storage_buffer_range: int = 1 << 27
    max_storage_buffers: int = 4
    max_push_constant_bytes: int = 128
    max_buffer_bytes: int = 1 << 30
    vendor_id: int = 0
    device_id: int = 0
    api_version: tuple[int, int, int] = (1, 2, 0)
    driver_name: str = ""
    driver_info: str = ""
    driver_version: int = 0
    device_uuid: str = ""
    driver_uuid: str = ""
    pipeline_cache_uuid: str = ""
    extensions: frozenset[str] = field(default=frozenset(), repr=False)
    instance: Instance | None = field(default=None, repr=False, compare=False)
    ask_probes: Callable[[], ProbeAnswers] | None = field(default=None, repr=False, compare=False)

    @property
    def probes(self) -> ProbeAnswers | None:
        """What running kernels has told of the driver, waited for at first; None until the device is opened."""
        return None if self.ask_probes is None else self.ask_probes()

    @property
    def loads_wait(self) -> bool:
        """Whether loads take long; they do not on CPUs. ``NUMBA_VULKAN_LOADS_WAIT`` says otherwise."""
        wanted = settings.loads_wait.value()
        return self.kind != "cpu" if wanted is None else wanted

    @property
    def asks_for_subgroup_size(self) -> bool:
        """Whether a pipeline can choose its subgroup size; where there is only one, asking would limit workgroups."""
        can_ask = self.subgroup_size_control and self.max_workgroup_subgroups > 0
        return can_ask and self.min_subgroup_size < self.max_subgroup_size

    @property
    def slow_float64(self) -> bool:
        """Whether float64 runs at a small fraction of the speed of float32: on all GPUs not made for computing."""
        is_gpu = self.kind in ("discrete", "integrated", "virtual")
        return self.float64 and is_gpu and _FAST_FLOAT64.isdisjoint(self.name.replace("-", " ").split())


# Vulkan does not tell; these are the names of families with at least half as many float64 units as float32 ones.
_FAST_FLOAT64 = frozenset("P100 V100 A30 A100 A800 H100 H200 H800 GH200 B100 B200 GB200 Instinct VII".split())


# Drivers that get control flow wrong, or crash, where branches lie deeper in each other than they have masks for.
# llvmpipe has 80 (LP_MAX_TGSI_NESTING; Mesa 22.3.6 and 25.0.7), of which 79 are usable; a few are left to what
# Mesa adds. A probe would end the process. Held by tests/differential/test_long_programs.py.
_BRANCH_DEPTHS = {"llvmpipe": 72}


def profile_of(info: DeviceInfo, answers: ProbeAnswers | None = None) -> TargetProfile:
    """Return what a device means for the code compiled for it.

    Parameters
    ----------
    info : DeviceInfo
        The device.
    answers : ProbeAnswers, optional
        What the probes have found, as `Device.profile` passes it. Without them a driver that may be faulty is taken
        to be.

    Returns
    -------
    TargetProfile
        With the default mode.
    """
    is_cpu = info.kind == "cpu"
    answers = answers or ProbeAnswers(loop_limit=is_cpu, fences_end_loops=is_cpu)
    return TargetProfile(
        int64=info.int64,
        float64=info.float64,
        int16=info.int16,
        int8=info.int8,
        float16=info.float16,
        int64_atomics=info.int64_atomics,
        float32_atomic_add=info.float32_atomic_add,
        float64_atomic_add=info.float64_atomic_add,
        subgroup_classes=tuple(name for name in SUBGROUP_CLASSES if getattr(info, f"subgroup_{name}")),
        subgroup_int64=info.subgroup_int64,
        storage8=info.storage8,
        storage16=info.storage16,
        buffer_addresses=info.buffer_addresses,
        nan_preserve=info.nan_preserve,
        loop_limit=answers.loop_limit,
        fences_end_loops=answers.fences_end_loops,
        branch_depth=_BRANCH_DEPTHS.get(info.driver_name, 0),
        rounds_division=answers.rounds_division,
        rounds_sqrt=answers.rounds_sqrt,
        inverts_in_one_step=answers.inverts_in_one_step,
        has_fused_fma=answers.has_fused_fma,
        loads_wait=info.loads_wait,
    )


# ---------------------------------------------------------------- finding devices

_lock = threading.Lock()
_found: dict[frozenset[str], list[DeviceInfo]] = {}


def list_devices(refresh: bool = False) -> list[DeviceInfo]:
    """Return all devices that have Vulkan 1.2 and a compute queue.

    Parameters
    ----------
    refresh : bool, optional
        Ask the Vulkan loader again instead of returning what the first call found. Devices that are open stay so.

    Returns
    -------
    list of DeviceInfo
        In the loader's order; empty if there is none.

    Raises
    ------
    VulkanSupportError
        If there is no Vulkan loader, or if it is too old.
    VulkanDriverError, MemoryError
        If the loader or a driver fails.
    """
    require_drivers()
    disabled = disabled_features()
    with _lock:
        if refresh:
            _found.clear()
        if disabled not in _found:
            _found[disabled] = _find(disabled, refresh)
        return list(_found[disabled])


def devices_text(infos: list[DeviceInfo]) -> str:
    """Return the devices as they can be named, for messages: by index or by name."""
    return ", ".join(f"{info.index} ({info.name!r})" for info in infos)


def no_device_error() -> VulkanSupportError:
    """Return the error for a machine without a usable device."""
    restriction = settings.driver_files()
    hint = f" (the environment restricts drivers: {restriction})" if restriction else ""
    return VulkanSupportError(
        f"the Vulkan loader lists no device with Vulkan 1.2 and a compute queue{hint}: {remedy()}"
    )


def _find(disabled: frozenset[str], refresh: bool) -> list[DeviceInfo]:
    """Ask the loader for its devices; none if it has no driver."""
    infos: list[DeviceInfo] = []
    try:
        instance = current_instance(refresh)
        handles = instance.physical_devices()
    except VulkanDriverError as error:
        if error.result == vk.VK_ERROR_INCOMPATIBLE_DRIVER:
            return []
        raise
    for handle in handles:
        query = _Query(instance, handle)
        if query.is_usable():
            infos.append(query.describe(len(infos), disabled))
    return infos


def compute_family(instance: Instance, handle: int) -> int | None:
    """Return the queue family that kernels run on: one for computing alone if there is one, None without any."""
    families = queue_families(instance, handle)
    compute = [i for i, family in enumerate(families) if family.queueFlags & vk.VK_QUEUE_COMPUTE_BIT]
    alone = [i for i in compute if not families[i].queueFlags & vk.VK_QUEUE_GRAPHICS_BIT]
    return next(iter(alone + compute), None)


def transfer_family(instance: Instance, handle: int, compute: int) -> int:
    """Return the queue family for copies: one that does nothing else if there is one, else that of kernels."""
    others = vk.VK_QUEUE_COMPUTE_BIT | vk.VK_QUEUE_GRAPHICS_BIT
    flags = [family.queueFlags for family in queue_families(instance, handle)]
    alone = [i for i, f in enumerate(flags) if f & vk.VK_QUEUE_TRANSFER_BIT and not f & others]
    return next(iter(alone), compute)


def queue_families(instance: Instance, handle: int) -> list[vk.VkQueueFamilyProperties]:
    """Return the properties of the queue families."""
    call = instance.functions.vkGetPhysicalDeviceQueueFamilyProperties
    return read_list(call, vk.VkQueueFamilyProperties, handle)


class _Query:
    """What Vulkan says of a physical device."""

    def __init__(self, instance: Instance, handle: int) -> None:
        self.instance = instance
        self.handle = handle
        self.properties = vk.VkPhysicalDeviceProperties()
        instance.functions.vkGetPhysicalDeviceProperties(handle, ctypes.byref(self.properties))

    def is_usable(self) -> bool:
        """Return whether the device has the version and the queue that the runtime needs."""
        is_new_enough = self.properties.apiVersion >= MINIMUM_VERSION
        return is_new_enough and compute_family(self.instance, self.handle) is not None

    def describe(self, index: int, disabled: frozenset[str]) -> DeviceInfo:
        """Return all about the device."""
        extensions = self._extensions()
        return DeviceInfo(
            index=index,
            handle=self.handle,
            instance=self.instance,
            extensions=extensions,
            **self._features(extensions, disabled),
            **self._identity(),
            **self._limits(),
            **self._later_properties(extensions),
        )

    def _extensions(self) -> frozenset[str]:
        call = self.instance.functions.vkEnumerateDeviceExtensionProperties
        found = read_list(call, vk.VkExtensionProperties, self.handle, None)
        return frozenset(extension.extensionName.decode() for extension in found)

    def _features(self, extensions: frozenset[str], disabled: frozenset[str]) -> dict[str, bool]:
        chain = FeatureChain(extensions)
        self.instance.functions.vkGetPhysicalDeviceFeatures2(self.handle, ctypes.byref(chain.head))
        offered = {f.name: f.name not in disabled and chain.offers(f) for f in FEATURES}
        return {f.name: offered[f.name] and all(offered[name] for name in f.requires) for f in FEATURES}

    def _identity(self) -> dict[str, Any]:
        p = self.properties
        return {
            "name": p.deviceName.decode(errors="replace"),
            "kind": _KINDS.get(p.deviceType, "other"),
            "vendor_id": p.vendorID,
            "device_id": p.deviceID,
            "api_version": version_numbers(p.apiVersion),
            "driver_version": p.driverVersion,
            "pipeline_cache_uuid": bytes(p.pipelineCacheUUID).hex(),
        }

    def _limits(self) -> dict[str, Any]:
        limits = self.properties.limits
        family = compute_family(self.instance, self.handle)
        assert family is not None
        timestamp_bits = queue_families(self.instance, self.handle)[family].timestampValidBits
        return {
            "max_local_size": tuple(limits.maxComputeWorkGroupSize),
            "max_local_invocations": limits.maxComputeWorkGroupInvocations,
            "max_groups": tuple(limits.maxComputeWorkGroupCount),
            "max_shared_memory": limits.maxComputeSharedMemorySize,
            "max_storage_buffer_range": limits.maxStorageBufferRange,
            "max_storage_buffers": min(
                limits.maxPerStageDescriptorStorageBuffers,
                limits.maxDescriptorSetStorageBuffers,
                limits.maxPerStageResources,
            ),
            "max_push_constant_bytes": limits.maxPushConstantsSize,
            "timestamp_bits": timestamp_bits,
            "timestamp_period": limits.timestampPeriod,
        }

    def _later_properties(self, extensions: frozenset[str]) -> dict[str, Any]:
        """Return what came with Vulkan 1.1, 1.2 and extensions."""
        buffers = vk.VkPhysicalDeviceMaintenance4Properties()
        following = buffers if "VK_KHR_maintenance4" in extensions else None
        sizes = vk.VkPhysicalDeviceSubgroupSizeControlProperties(pNext=following)
        has_sizes = "VK_EXT_subgroup_size_control" in extensions
        core_12 = vk.VkPhysicalDeviceVulkan12Properties(pNext=sizes if has_sizes else following)
        core_11 = vk.VkPhysicalDeviceVulkan11Properties(pNext=core_12)
        properties = vk.VkPhysicalDeviceProperties2(pNext=core_11)
        self.instance.functions.vkGetPhysicalDeviceProperties2(self.handle, ctypes.byref(properties))
        can_ask = has_sizes and sizes.requiredSubgroupSizeStages & vk.VK_SHADER_STAGE_COMPUTE_BIT
        return {
            **_subgroups(core_11),
            **_float_controls(core_12),
            "min_subgroup_size": sizes.minSubgroupSize if can_ask else core_11.subgroupSize,
            "max_subgroup_size": sizes.maxSubgroupSize if can_ask else core_11.subgroupSize,
            "max_workgroup_subgroups": sizes.maxComputeWorkgroupSubgroups if can_ask else 0,
            # The former is what every allocation may have; NVIDIA says 4 GiB and allocates all of its memory at once.
            "max_buffer_bytes": max(core_11.maxMemoryAllocationSize, buffers.maxBufferSize),
            "driver_name": core_12.driverName.decode(errors="replace"),
            "driver_info": core_12.driverInfo.decode(errors="replace"),
            "device_uuid": bytes(core_11.deviceUUID).hex(),
            "driver_uuid": bytes(core_11.driverUUID).hex(),
        }


def _subgroups(properties: vk.VkPhysicalDeviceVulkan11Properties) -> dict[str, Any]:
    in_compute = properties.subgroupSupportedStages & vk.VK_SHADER_STAGE_COMPUTE_BIT
    operations = properties.subgroupSupportedOperations if in_compute else 0
    classes = {name: bool(operations & bit) for name, bit, _ in SUBGROUP_PROPERTIES}
    return {"subgroup_size": properties.subgroupSize, **classes}


# Attribute of DeviceInfo and prefix of the members of VkPhysicalDeviceVulkan12Properties, which end in Float16, 32, 64.
_FLOAT_CONTROLS = (
    ("nan_preserve", "shaderSignedZeroInfNanPreserve"),
    ("denorm_preserve", "shaderDenormPreserve"),
    ("denorm_flush_to_zero", "shaderDenormFlushToZero"),
    ("rounding_rte", "shaderRoundingModeRTE"),
    ("rounding_rtz", "shaderRoundingModeRTZ"),
)


def _float_controls(properties: vk.VkPhysicalDeviceVulkan12Properties) -> dict[str, tuple[int, ...]]:
    return {
        name: tuple(width for width in (16, 32, 64) if getattr(properties, f"{prefix}Float{width}"))
        for name, prefix in _FLOAT_CONTROLS
    }
