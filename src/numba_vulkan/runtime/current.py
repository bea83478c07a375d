"""Which device is meant: open devices and the default one."""

from __future__ import annotations

import atexit
import contextlib
import functools
import operator
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from .. import settings
from ..errors import VulkanError, VulkanSupportError
from .binding import require_drivers
from .device import Device
from .info import DeviceInfo, devices_text, list_devices, no_device_error
from .memory import MemoryInfo

__all__ = [
    "DeviceSelector",
    "get_device",
    "memory_info",
    "open_device",
    "select_device",
    "selected_device",
    "synchronize",
]

DeviceSelector = int | str | DeviceInfo | Device | None


@dataclass
class _Devices:
    """The open devices and the one that was selected."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    by_info: dict[DeviceInfo, Device] = field(default_factory=dict)
    selected: Device | None = None

    def open(self, info: DeviceInfo, meanwhile: Callable[[], object] | None) -> Device:
        with self.lock:
            if info not in self.by_info or self.by_info[info].is_lost:
                self.by_info[info] = Device(info, meanwhile)
                _deliver_at_exit()
            return self.by_info[info]


_devices = _Devices()


@functools.cache
def _deliver_at_exit() -> None:
    """Let the interpreter write what nothing waited for at its end: prints and errors; devices are open by then."""
    atexit.register(_deliver_all)


def _deliver_all() -> None:
    for device in _devices.by_info.values():
        if not device.logical.functions.usable:
            continue
        with contextlib.suppress(VulkanError, MemoryError):
            with device.logical.lock:
                device.work.submit()
            if device.logical.settle_at_exit():
                device.synchronize(report=False)
                device.delivery.write_errors()
                for stream in device.streams:
                    stream.write_errors()


# The default device is the first of the best kind.
_KINDS = ("discrete", "integrated", "virtual", "cpu", "other")


def get_device(which: DeviceSelector = None) -> Device:
    """Return a device, opened at its first use.

    Parameters
    ----------
    which : int, str, DeviceInfo, Device or None, optional
        Index into `list_devices`, a part of the name in any case, or the device itself. None: the one that
        `select_device` chose, else the one that ``NUMBA_VULKAN_DEVICE`` names, else the first of the fastest kind
        (discrete before integrated before virtual GPUs before processors).

    Returns
    -------
    Device
        The same object for the same device.

    Raises
    ------
    VulkanSupportError
        If there is no loader, no driver or no such device; the message says what to do.
    VulkanDriverError, MemoryError
        If the loader or a driver fails.
    """
    return open_device(which)


def open_device(which: DeviceSelector = None, meanwhile: Callable[[], object] | None = None) -> Device:
    """Return a device as `get_device` does, and do something while the driver opens it, if it has to."""
    require_drivers()
    if isinstance(which, Device):
        return which
    if which is None and _devices.selected is not None:
        if _devices.selected.is_lost:
            _devices.selected = _devices.open(_devices.selected.info, meanwhile)
        return _devices.selected
    return _devices.open(which if isinstance(which, DeviceInfo) else _find(which), meanwhile)


def selected_device() -> Device | None:
    """Return what `select_device` chose, None if the default is in force."""
    return _devices.selected


def select_device(which: DeviceSelector) -> Device:
    """Make a device the default for kernels and arrays.

    Parameters
    ----------
    which : int, str, DeviceInfo, Device or None
        The device, as in `get_device`; None goes back to the one chosen without this function.

    Returns
    -------
    Device
        The device that is now the default.
    """
    _devices.selected = None if which is None else get_device(which)
    return get_device()


def _find(which: int | str | None) -> DeviceInfo:
    """Return the device that an index or a name means, or the default one."""
    infos = list_devices()
    if not infos:
        raise no_device_error()
    if which is None:
        chosen = settings.device.value().strip()
        if not chosen:
            return min(infos, key=lambda info: (_KINDS.index(info.kind), info.index))
        return _named(infos, int(chosen) if chosen.isdigit() else chosen, f"{settings.device.name}: ")
    return _named(infos, which, "")


def _named(infos: list[DeviceInfo], which: int | str, source: str) -> DeviceInfo:
    if isinstance(which, str):
        found = [info for info in infos if which.lower() in info.name.lower()]
        if found:
            return found[0]
        raise VulkanSupportError(
            f"{source}no device has {which!r} in its name: choose one of {devices_text(infos)}"
        )
    if isinstance(which, bool) or not hasattr(which, "__index__"):
        raise TypeError(
            f"a device is given by its index, a part of its name, a DeviceInfo or a Device, not {which!r}"
        )
    index = operator.index(which)
    if not 0 <= index < len(infos):
        raise VulkanSupportError(f"{source}there is no device {index}: choose one of {devices_text(infos)}")
    return infos[index]


def memory_info(device: DeviceSelector = None) -> MemoryInfo:
    """Return how much memory a device has and what of it is used.

    Parameters
    ----------
    device : int, str, DeviceInfo, Device or None, optional
        The device, as in `get_device`.

    Returns
    -------
    MemoryInfo
        Sizes in bytes.
    """
    return get_device(device).memory_info()


def synchronize(device: DeviceSelector = None) -> None:
    """Wait until launched kernels have finished.

    Parameters
    ----------
    device : int, str, DeviceInfo, Device or None, optional
        The device to wait for; None: all that were used.

    Raises
    ------
    Exception
        The first exception that a kernel has raised since the last synchronisation.
    """
    require_drivers()
    for each in list(_devices.by_info.values()) if device is None else [get_device(device)]:
        each.synchronize()
