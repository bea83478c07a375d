"""Tables of Vulkan functions: resolved when first used, results checked, unusable in a forked child."""

from __future__ import annotations

import ctypes
import functools
import os
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ...errors import DeviceLostError, VulkanDriverError, VulkanError
from . import loader, vk

__all__ = [
    "FunctionTable",
    "abandon_drivers",
    "device_functions",
    "instance_functions",
    "leave_to_threads",
    "loader_functions",
    "raise_result",
    "read_list",
    "require_drivers",
]

# Too many allocations are a lack of memory too.
_OUT_OF_MEMORY = (
    vk.VK_ERROR_OUT_OF_HOST_MEMORY,
    vk.VK_ERROR_OUT_OF_DEVICE_MEMORY,
    vk.VK_ERROR_TOO_MANY_OBJECTS,
)
_FORKED = (
    "Vulkan was used in this process before it was forked, and drivers do not survive a fork: start the child with "
    "the 'spawn' method (multiprocessing.get_context('spawn')), or fork before the first use of a device"
)
_ENDING = "the interpreter is ending while a device is still at work, so that no device can be used any more"

_LOST = (
    "the driver gave the device up, and what its arrays held is gone. Kernels that run for seconds are ended by many "
    "drivers: launch over smaller parts; also look for accesses out of bounds (NUMBA_VULKAN_ROBUST=1). get_device() "
    "opens the device anew"
)

# Recorded with every launch: ctypes looks up no types for what follows the command buffer, half of such a call.
# It passes 32 bits of an integer, fastest of all; callers pass what has 64 bits as objects of ctypes.
_UNCONVERTED = frozenset({"vkCmdDispatch", "vkCmdPipelineBarrier", "vkCmdPushConstants"})

# What ends the use of objects, and what is waited for before it.
_ENDS_USE = "vkDestroy", "vkFree", "vkDeviceWaitIdle"

AfterCall = Callable[[], None]


class FunctionTable:
    """The functions of one level (loader, instance or device) as attributes with Vulkan's names.

    A function is looked up when it is first used. Those that return a VkResult raise if it is an error and return it
    otherwise: `MemoryError` when memory ran out, `VulkanDriverError` for all else.

    Parameters
    ----------
    resolve : callable
        Returns the address of a function by its name, None if there is none.
    signatures : dict
        Result and parameter types by name.
    after_call : callable, optional
        Called after each function; the validation layer's messages become warnings in it.
    """

    def __init__(
        self,
        resolve: Callable[[bytes], int | None],
        signatures: dict[str, tuple[Any, ...]],
        after_call: AfterCall | None = None,
    ) -> None:
        self._resolve = resolve
        self._signatures = signatures
        self._after_call = after_call
        self.usable = True
        self.is_lost = False
        _process.tables.add(self)

    def __getattr__(self, name: str) -> Callable[..., int]:
        """Look a function up and keep it."""
        if not name.startswith("vk"):
            raise AttributeError(name)
        if not self.usable:
            require_drivers()
        function = self._bind(name)
        self.__dict__[name] = function
        return function

    def _bind(self, name: str) -> Callable[..., int]:
        address = self._resolve(name.encode())
        if not address:
            raise VulkanDriverError(f"the Vulkan driver does not offer {name}")
        result, *parameters = self._signatures[name]
        if name in _UNCONVERTED:
            del parameters[1:]
        # Recording never blocks: giving up Python's global lock would cost more than the call.
        prototype = ctypes.PYFUNCTYPE if name.startswith("vkCmd") else ctypes.CFUNCTYPE
        function: Any = prototype(result, *parameters)(address)
        if result is ctypes.c_int32:
            function.errcheck = self._checker(name)
        return function if self._after_call is None else _followed_by(function, self._after_call)

    def _checker(self, name: str) -> Callable[..., int]:
        table = weakref.ref(self)

        def check(result: int, function: object, arguments: object) -> int:
            if result < 0:
                found = table()
                if found is not None and result == vk.VK_ERROR_DEVICE_LOST:
                    found.is_lost = True
                raise_result(name, result)
            return result

        return check

    def address_of(self, name: str) -> int:
        """Return where a function is, for native code; it checks no result.

        Raises
        ------
        VulkanDriverError
            If the driver does not offer it.
        """
        address = self._resolve(name.encode())
        if not address:
            raise VulkanDriverError(f"the Vulkan driver does not offer {name}")
        return address

    @property
    def is_watched(self) -> bool:
        """Whether something is called after each function, which native code would not."""
        return self._after_call is not None

    def destroy_nothing(self) -> None:
        """Make the functions that destroy objects, or wait until they can, do nothing."""
        for name in (name for name in self._signatures if name.startswith(_ENDS_USE)):
            self.__dict__[name] = _do_nothing

    def forbid(self) -> None:
        """Make every function raise."""
        for name in [name for name in self.__dict__ if name.startswith("vk")]:
            del self.__dict__[name]
        self.usable = False


def raise_result(name: str, result: int) -> NoReturn:
    """Raise the exception that stands for a failed call."""
    text = f"{name} failed: {vk.RESULT_NAMES.get(result, 'unknown result')} ({result})"
    if result in _OUT_OF_MEMORY:
        raise MemoryError(text)
    error = (
        DeviceLostError(f"{text}: {_LOST}") if result == vk.VK_ERROR_DEVICE_LOST else VulkanDriverError(text)
    )
    error.result = result
    raise error


def _do_nothing(*arguments: object) -> int:
    return vk.VK_SUCCESS


def _followed_by(function: Callable[..., int], after_call: AfterCall) -> Callable[..., int]:
    def call(*arguments: object) -> int:
        result = function(*arguments)
        after_call()
        return result

    return call


@dataclass
class _Process:
    """What this process has: its tables, and why none of them can be used if that is so."""

    tables: weakref.WeakSet[FunctionTable] = field(default_factory=weakref.WeakSet)
    loader: FunctionTable | None = None
    given_up: str = ""

    def give_up(self, why: str) -> None:
        """Let nothing call a driver any more, not even when this process ends."""
        self.given_up = why
        for table in list(self.tables):
            table.forbid()
        _skip_exit_handlers()

    def after_fork(self) -> None:
        """Make the tables of a child unusable; a loader that has made no instance is harmless."""
        if any(table is not self.loader for table in self.tables):
            self.give_up(_FORKED)


def _skip_exit_handlers() -> None:
    """Let this process end without the exit handlers that libraries have registered so far.

    NVIDIA 580: those of the driver crash in a forked child, and take the device away from the parent, whose next call
    returns VK_ERROR_DEVICE_LOST. Those of other drivers wait for what is running. The handler registered last runs
    first; on_exit is glibc's, and passes the status.
    """
    library = ctypes.CDLL(None)
    if hasattr(library, "on_exit"):
        library.on_exit(library._exit, None)


_process = _Process()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_process.after_fork)


def require_drivers() -> None:
    """Raise if this process is a fork of one that had used Vulkan; to be called before any lock is taken."""
    if _process.given_up:
        raise VulkanError(_process.given_up)


def abandon_drivers() -> None:
    """Let nothing call a driver any more: for the end of a process while a device is at work."""
    _process.give_up(_ENDING)


def leave_to_threads() -> None:
    """Destroy nothing any more: for the end of a process in which other threads go on using devices."""
    for table in list(_process.tables):
        table.destroy_nothing()


@functools.cache
def _instance_proc_addr() -> Callable[..., int | None]:
    """Return vkGetInstanceProcAddr, the one function that the loader library itself exports for us."""
    prototype = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
    return prototype(("vkGetInstanceProcAddr", loader.load()))


def loader_functions() -> FunctionTable:
    """Return the functions that need no instance; loads the Vulkan loader.

    Raises
    ------
    VulkanSupportError
        If there is no Vulkan loader.
    """
    require_drivers()
    if _process.loader is None:
        get = _instance_proc_addr()
        _process.loader = FunctionTable(lambda name: get(None, name), vk.GLOBAL_COMMANDS)
    return _process.loader


def instance_functions(instance: int, after_call: AfterCall | None = None) -> FunctionTable:
    """Return the functions of a VkInstance."""
    get = _instance_proc_addr()
    return FunctionTable(lambda name: get(instance, name), vk.INSTANCE_COMMANDS, after_call)


def device_functions(
    instance: FunctionTable, after_call: AfterCall | None = None
) -> Callable[[int], FunctionTable]:
    """Return what returns the functions of a VkDevice, which bypass the loader's dispatch; that cannot fail then."""
    get = instance.vkGetDeviceProcAddr
    return lambda device: FunctionTable(lambda name: get(device, name), vk.DEVICE_COMMANDS, after_call)


def read_list(call: Callable[..., object], element: Any, *arguments: object) -> list[Any]:
    """Return what one of Vulkan's enumerating functions lists: asked for the count, then for the elements.

    Both again if there have become more in between.
    """
    count = ctypes.c_uint32()
    while True:
        call(*arguments, ctypes.byref(count), None)
        elements = (element * count.value)()
        if call(*arguments, ctypes.byref(count), elements) != vk.VK_INCOMPLETE:
            return list(elements[: count.value])
