"""The VkInstance, and what its validation layer reports."""

from __future__ import annotations

import ctypes
import threading
import warnings
import weakref
from collections import deque
from dataclasses import dataclass, field

from .. import settings
from ..errors import VulkanSupportError, VulkanValidationWarning
from .binding import FunctionTable, instance_functions, loader_functions, read_list, vk

__all__ = [
    "DEBUG_ENV_VAR",
    "MINIMUM_VERSION",
    "Instance",
    "current_instance",
    "debug_enabled",
    "debug_level",
    "validation_messages",
    "version_numbers",
]

DEBUG_ENV_VAR = settings.debug.name
# All that is used beyond Vulkan 1.2 comes from extensions, so that every device is used in the same way.
MINIMUM_VERSION = (1 << 22) | (2 << 12)
VALIDATION_LAYER = "VK_LAYER_KHRONOS_validation"


def version_numbers(version: int) -> tuple[int, int, int]:
    """Return a Vulkan version number as major, minor and patch."""
    return (version >> 22) & 0x7F, (version >> 12) & 0x3FF, version & 0xFFF


def debug_level() -> int:
    """Return how much ``NUMBA_VULKAN_DEBUG`` asks Vulkan's validation layer to check.

    It counts when the first device is looked for, and at ``list_devices(refresh=True)``.

    Returns
    -------
    int
        0: nothing (the default); 1: the use of the API; 2: also synchronization, that is missing barriers, which is
        slower.
    """
    return settings.debug.value()


def debug_enabled() -> bool:
    """Return whether ``NUMBA_VULKAN_DEBUG`` asks for Vulkan's validation layer.

    Returns
    -------
    bool
        Whether the level is above 0.
    """
    return debug_level() > 0


# ---------------------------------------------------------------- validation messages

_SEVERITIES = {
    vk.VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT: "warning",
    vk.VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT: "error",
}
_CALLBACK_TYPE = ctypes.CFUNCTYPE(
    ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p
)
_messages: list[tuple[str, str]] = []
# Messages of which no warning was given yet. The layer calls back from inside a Vulkan call, where nothing can be
# raised; the function table gives the warnings when the call has returned.
_not_warned_of: deque[tuple[str, str]] = deque()


def _on_message(severity: int, kind: int, data: int, user_data: int | None) -> int:
    """Keep a message of the layer."""
    message = vk.VkDebugUtilsMessengerCallbackDataEXT.from_address(data)
    text = (message.pMessage or b"").decode(errors="replace")
    _messages.append((_SEVERITIES.get(severity, "error"), text))
    _not_warned_of.append(_messages[-1])
    return vk.VK_FALSE


_callback = _CALLBACK_TYPE(_on_message)


def _warn_of_messages() -> None:
    """Give a warning for each message that came since the last call."""
    while _not_warned_of:
        severity, text = _not_warned_of.popleft()
        warnings.warn(f"Vulkan validation {severity}: {text}", VulkanValidationWarning, stacklevel=4)


def validation_messages(clear: bool = False) -> list[tuple[str, str]]:
    """Return what the validation layer reported so far (``NUMBA_VULKAN_DEBUG=1``).

    Parameters
    ----------
    clear : bool, optional
        Forget the messages after returning them.

    Returns
    -------
    list of tuple
        Pairs of severity ('warning' or 'error') and message, oldest first.
    """
    messages = list(_messages)
    if clear:
        del _messages[: len(messages)]
    return messages


# ---------------------------------------------------------------- the instance


class Instance:
    """A VkInstance with its functions; destroyed when nothing refers to it any more.

    Parameters
    ----------
    level : int
        The level of validation; see `debug_level`.
    """

    def __init__(self, level: int) -> None:
        loader = loader_functions()
        _require_version(loader)
        info = _InstanceRequest(loader, level).info
        handle = ctypes.c_void_p()
        loader.vkCreateInstance(ctypes.byref(info), None, ctypes.byref(handle))
        if not handle.value:
            raise VulkanSupportError("the Vulkan loader made no instance")
        self.handle: int = handle.value
        self.debug_level = level
        self.after_call = _warn_of_messages if level else None
        self.functions = instance_functions(self.handle, self.after_call)
        messenger = ctypes.c_uint64()
        weakref.finalize(self, _destroy, self.functions, self.handle, messenger)
        if level:
            self.functions.vkCreateDebugUtilsMessengerEXT(
                self.handle, ctypes.byref(_messenger_info()), None, ctypes.byref(messenger)
            )

    def physical_devices(self) -> list[int]:
        """Return the VkPhysicalDevice handles, in the loader's order."""
        return read_list(self.functions.vkEnumeratePhysicalDevices, ctypes.c_void_p, self.handle)


def _destroy(functions: FunctionTable, handle: int, messenger: ctypes.c_uint64) -> None:
    if not functions.usable:
        return
    if messenger.value:
        functions.vkDestroyDebugUtilsMessengerEXT(handle, messenger, None)
    functions.vkDestroyInstance(handle, None)


def _require_version(loader: FunctionTable) -> None:
    version = ctypes.c_uint32()
    loader.vkEnumerateInstanceVersion(ctypes.byref(version))
    if version.value < MINIMUM_VERSION:
        raise VulkanSupportError(
            "the Vulkan loader is of version {}.{}.{}, but 1.2 is needed: update the loader (Debian and Ubuntu: "
            "libvulkan1)".format(*version_numbers(version.value))
        )


class _InstanceRequest:
    """The VkInstanceCreateInfo for a level of validation, and what it points to."""

    def __init__(self, loader: FunctionTable, level: int) -> None:
        offered = {
            p.extensionName
            for p in read_list(loader.vkEnumerateInstanceExtensionProperties, vk.VkExtensionProperties, None)
        }
        extensions: list[bytes] = []
        flags = 0
        # Without it the loader hides drivers such as MoltenVK.
        if b"VK_KHR_portability_enumeration" in offered:
            extensions.append(b"VK_KHR_portability_enumeration")
            flags = vk.VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR
        application = vk.VkApplicationInfo(pEngineName=b"numba_vulkan", apiVersion=MINIMUM_VERSION)
        layers: list[bytes] = []
        chain: object = None
        if level:
            _require_layer(loader)
            layers.append(VALIDATION_LAYER.encode())
            extensions.append(b"VK_EXT_debug_utils")
            chain = _validation_features(level)
        self.info = vk.VkInstanceCreateInfo(
            pNext=chain,
            flags=flags,
            pApplicationInfo=application,
            enabledLayerCount=len(layers),
            ppEnabledLayerNames=(ctypes.c_char_p * len(layers))(*layers),
            enabledExtensionCount=len(extensions),
            ppEnabledExtensionNames=(ctypes.c_char_p * len(extensions))(*extensions),
        )


def _validation_features(level: int) -> object:
    """Return what is chained to the instance: the messenger for its creation, and the checks to turn on."""
    checks = [vk.VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT] if level > 1 else []
    return vk.VkValidationFeaturesEXT(
        pNext=_messenger_info(),
        enabledValidationFeatureCount=len(checks),
        pEnabledValidationFeatures=(ctypes.c_int32 * len(checks))(*checks),
    )


def _messenger_info() -> vk.VkDebugUtilsMessengerCreateInfoEXT:
    return vk.VkDebugUtilsMessengerCreateInfoEXT(
        messageSeverity=vk.VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT
        | vk.VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        messageType=vk.VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        pfnUserCallback=ctypes.cast(_callback, ctypes.c_void_p).value,
    )


def _require_layer(loader: FunctionTable) -> None:
    names = {p.layerName for p in read_list(loader.vkEnumerateInstanceLayerProperties, vk.VkLayerProperties)}
    if VALIDATION_LAYER.encode() not in names:
        raise VulkanSupportError(
            f"{DEBUG_ENV_VAR} asks for {VALIDATION_LAYER}, which is not installed: install it (Debian and Ubuntu: "
            f"vulkan-validationlayers; elsewhere the Vulkan SDK) or unset {DEBUG_ENV_VAR}"
        )


@dataclass
class _Current:
    """The instance that devices are looked for with."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    instance: Instance | None = None


_current = _Current()


def current_instance(refresh: bool = False) -> Instance:
    """Return the process's instance; ``refresh`` makes a new one, which sees drivers installed since."""
    with _current.lock:
        if _current.instance is None or refresh:
            _current.instance = Instance(debug_level())
        return _current.instance
