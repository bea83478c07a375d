"""Whether a device can run a kernel."""

from __future__ import annotations

from ..errors import SpirvCodegenError, VulkanSupportError
from ..kernel import CompiledKernel
from . import launch
from .features import BASE_CAPABILITIES, CAPABILITY_FEATURES, SUBGROUP_PROPERTIES
from .info import DeviceInfo, list_devices

__all__ = ["check"]

# By SPIR-V capability, the property of DeviceInfo without which no kernel may declare it.
_PROPERTY_CAPABILITIES = {
    **{capability: name for name, _, capability in SUBGROUP_PROPERTIES},
    "SignedZeroInfNanPreserve": "nan_preserve",
    "DenormPreserve": "denorm_preserve",
    "DenormFlushToZero": "denorm_flush_to_zero",
    "RoundingModeRTE": "rounding_rte",
    "RoundingModeRTZ": "rounding_rtz",
}


def check(info: DeviceInfo, kernel: CompiledKernel) -> None:
    """Raise unless a device has the capabilities that a kernel needs, and enough bindings and shared memory."""
    for capability in kernel.capabilities:
        if capability not in BASE_CAPABILITIES:
            _check_capability(info, kernel, capability)
    _check_subgroup_size(info, kernel)
    launch.check_bindings(info, kernel)
    launch.check_shared_memory(info, kernel)


def _check_subgroup_size(info: DeviceInfo, kernel: CompiledKernel) -> None:
    wanted = kernel.variant.subgroup_size
    if not wanted or _has_subgroups_of(info, wanted):
        return
    low, high = info.min_subgroup_size, info.max_subgroup_size
    sizes = f"powers of two from {low} to {high}" if info.asks_for_subgroup_size else str(info.subgroup_size)
    others = ", ".join(repr(o.name) for o in list_devices() if _has_subgroups_of(o, wanted)) or "none here"
    raise VulkanSupportError(
        f"kernel {kernel.name!r} requires subgroups of {wanted} invocations, but {info.name!r} offers {sizes}: pass "
        f"another require_subgroup_size to @jit, or choose another device (devices with that: {others})"
    )


def _has_subgroups_of(info: DeviceInfo, size: int) -> bool:
    in_range = info.min_subgroup_size <= size <= info.max_subgroup_size
    return size == info.subgroup_size or (info.asks_for_subgroup_size and in_range)


def _check_capability(info: DeviceInfo, kernel: CompiledKernel, capability: str) -> None:
    feature = CAPABILITY_FEATURES.get(capability)
    name = feature.name if feature is not None else _PROPERTY_CAPABILITIES.get(capability)
    if name is None:
        raise SpirvCodegenError(
            f"kernel {kernel.name!r} declares the SPIR-V capability {capability}, which the runtime does not know"
        )
    if getattr(info, name):
        return
    others = ", ".join(repr(other.name) for other in list_devices() if getattr(other, name)) or "none here"
    remedy = feature.remedy if feature is not None else "choose another device"
    raise VulkanSupportError(
        f"kernel {kernel.name!r} needs {name} (SPIR-V capability {capability}), which {info.name!r} does not "
        f"offer: {remedy} (devices with {name}: {others})"
    )
