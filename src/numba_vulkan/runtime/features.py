"""What devices may offer beyond Vulkan 1.2: one row per optional feature, and the SPIR-V capabilities that need it."""

from __future__ import annotations

from dataclasses import dataclass, field

from .. import settings
from .binding import vk
from .binding.structure import Structure

__all__ = [
    "BASE_CAPABILITIES",
    "CAPABILITY_FEATURES",
    "FEATURES",
    "FEATURES_BY_NAME",
    "MANDATORY",
    "SUBGROUP_PROPERTIES",
    "Feature",
    "FeatureChain",
    "disabled_features",
]

ANOTHER_DEVICE = "choose another device"


@dataclass(frozen=True)
class Feature:
    """An optional feature.

    Attributes
    ----------
    name : str
        The attribute of DeviceInfo, and the word for ``NUMBA_VULKAN_DISABLE``.
    structure : type
        The Vulkan structure that reports and enables it.
    members : tuple of str
        The members of the structure, all of which it needs.
    capabilities : tuple of str
        The SPIR-V capabilities that modules may declare with it.
    remedy : str
        What to do without it.
    extension : str
        The device extension it needs, if any.
    requires : tuple of str
        Features without which it is of no use; hiding one of them hides it too.
    """

    name: str
    structure: type[Structure]
    members: tuple[str, ...]
    capabilities: tuple[str, ...] = ()
    remedy: str = ANOTHER_DEVICE
    extension: str = ""
    requires: tuple[str, ...] = field(default=())


_CORE_10 = vk.VkPhysicalDeviceFeatures2
_CORE_11 = vk.VkPhysicalDeviceVulkan11Features
_CORE_12 = vk.VkPhysicalDeviceVulkan12Features
_ATOMIC_FLOAT = vk.VkPhysicalDeviceShaderAtomicFloatFeaturesEXT
_SUBGROUP_SIZE = vk.VkPhysicalDeviceSubgroupSizeControlFeatures

FEATURES = (
    Feature(
        "float64",
        _CORE_10,
        ("shaderFloat64",),
        ("Float64",),
        "let the kernel compute in float32 with @jit(narrow='floats'), or choose another device",
    ),
    Feature("int64", _CORE_10, ("shaderInt64",), ("Int64",)),
    Feature("int16", _CORE_10, ("shaderInt16",), ("Int16",)),
    Feature("int8", _CORE_12, ("shaderInt8",), ("Int8",)),
    Feature("float16", _CORE_12, ("shaderFloat16",), ("Float16",)),
    Feature("storage16", _CORE_11, ("storageBuffer16BitAccess",), ("StorageBuffer16BitAccess",)),
    Feature("storage8", _CORE_12, ("storageBuffer8BitAccess",), ("StorageBuffer8BitAccess",)),
    Feature(
        "int64_atomics",
        _CORE_12,
        ("shaderBufferInt64Atomics", "shaderSharedInt64Atomics"),
        ("Int64Atomics",),
        "use 32-bit integers for atomic operations, or choose another device",
        requires=("int64",),
    ),
    Feature(
        "float32_atomic_add",
        _ATOMIC_FLOAT,
        ("shaderBufferFloat32AtomicAdd", "shaderSharedFloat32AtomicAdd"),
        ("AtomicFloat32AddEXT",),
        extension="VK_EXT_shader_atomic_float",
    ),
    Feature(
        "float64_atomic_add",
        _ATOMIC_FLOAT,
        ("shaderBufferFloat64AtomicAdd", "shaderSharedFloat64AtomicAdd"),
        ("AtomicFloat64AddEXT",),
        extension="VK_EXT_shader_atomic_float",
        requires=("float64",),
    ),
    Feature("buffer_addresses", _CORE_12, ("bufferDeviceAddress",), ("PhysicalStorageBufferAddresses",)),
    Feature("subgroup_int64", _CORE_12, ("shaderSubgroupExtendedTypes",), requires=("int64",)),
    Feature(
        "subgroup_size_control",
        _SUBGROUP_SIZE,
        ("subgroupSizeControl", "computeFullSubgroups"),
        extension="VK_EXT_subgroup_size_control",
    ),
)
FEATURES_BY_NAME = {feature.name: feature for feature in FEATURES}
CAPABILITY_FEATURES = {capability: feature for feature in FEATURES for capability in feature.capabilities}

# Every Vulkan 1.2 device has these; the runtime enables them.
MANDATORY = ((_CORE_12, "timelineSemaphore"), (_CORE_12, "hostQueryReset"))
# Capabilities of every Vulkan 1.2 device.
BASE_CAPABILITIES = frozenset({"Matrix", "Shader", "GroupNonUniform"})

# Subgroup operations are properties: attribute of DeviceInfo, bit of supportedOperations, SPIR-V capability.
SUBGROUP_PROPERTIES = (
    ("subgroup_basic", vk.VK_SUBGROUP_FEATURE_BASIC_BIT, "GroupNonUniform"),
    ("subgroup_vote", vk.VK_SUBGROUP_FEATURE_VOTE_BIT, "GroupNonUniformVote"),
    ("subgroup_arithmetic", vk.VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, "GroupNonUniformArithmetic"),
    ("subgroup_ballot", vk.VK_SUBGROUP_FEATURE_BALLOT_BIT, "GroupNonUniformBallot"),
    ("subgroup_shuffle", vk.VK_SUBGROUP_FEATURE_SHUFFLE_BIT, "GroupNonUniformShuffle"),
    (
        "subgroup_shuffle_relative",
        vk.VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT,
        "GroupNonUniformShuffleRelative",
    ),
)


def disabled_features() -> frozenset[str]:
    """Return the features that ``NUMBA_VULKAN_DISABLE`` hides, with those that need them.

    Raises
    ------
    ValueError
        If it names a feature that does not exist; the message lists those that do.
    """
    names = settings.disable.value()
    unknown = names - FEATURES_BY_NAME.keys()
    if unknown:
        raise ValueError(
            f"{settings.disable.name} names unknown features {', '.join(sorted(unknown))}; "
            f"there are {', '.join(FEATURES_BY_NAME)}"
        )
    return names | {feature.name for feature in FEATURES if names.intersection(feature.requires)}


class FeatureChain:
    """The structures of all features, chained for a query or for the creation of a device.

    Parameters
    ----------
    extensions : frozenset of str
        The extensions of the device: structures of others are left out.
    """

    def __init__(self, extensions: frozenset[str]) -> None:
        kinds = {feature.structure: None for feature in FEATURES if feature.extension in ("", *extensions)}
        self._structures: dict[type[Structure], Structure] = {}
        following: Structure | None = None
        for kind in reversed(kinds):
            following = self._structures[kind] = kind(pNext=following)
        self.head = self._structures[_CORE_10]

    def _holder(self, kind: type[Structure]) -> Structure:
        structure = self._structures[kind]
        return structure.features if kind is _CORE_10 else structure

    def offers(self, feature: Feature) -> bool:
        """Return whether a query has found a feature."""
        if feature.structure not in self._structures:
            return False
        holder = self._holder(feature.structure)
        return all(getattr(holder, member) for member in feature.members)

    def enable(self, kind: type[Structure], *members: str) -> None:
        """Ask for members of a feature structure."""
        for member in members:
            setattr(self._holder(kind), member, vk.VK_TRUE)
