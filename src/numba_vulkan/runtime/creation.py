"""Functions that create arrays on devices."""

from __future__ import annotations

import copyreg

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .array import DeviceArray
from .current import DeviceSelector, get_device

__all__ = ["device_array", "device_array_like", "to_device"]


def to_device(array: ArrayLike, device: DeviceSelector = None) -> DeviceArray:
    """Copy a NumPy array to a device.

    Parameters
    ----------
    array : array_like
        The values.
    device : int, str, DeviceInfo, Device or None, optional
        The device, as in `get_device`.

    Returns
    -------
    DeviceArray
        With the shape and the element type of the array.
    """
    host = np.asarray(array)
    return DeviceArray(get_device(device), host.shape, host.dtype).copy_to_device(host)


def device_array(
    shape: int | tuple[int, ...], dtype: DTypeLike = np.float64, device: DeviceSelector = None
) -> DeviceArray:
    """Create an array on a device without initialising it.

    Parameters
    ----------
    shape : int or tuple of int
        Extents of the array.
    dtype : numpy.dtype, optional
        Element type.
    device : int, str, DeviceInfo, Device or None, optional
        The device, as in `get_device`.

    Returns
    -------
    DeviceArray
        Its contents are undefined.
    """
    return DeviceArray(get_device(device), shape, dtype)


def device_array_like(array: np.ndarray | DeviceArray, device: DeviceSelector = None) -> DeviceArray:
    """Create an uninitialised device array with the shape and type of another array.

    Parameters
    ----------
    array : numpy.ndarray or DeviceArray
        The array to imitate.
    device : int, str, DeviceInfo, Device or None, optional
        The device; by default that of ``array``, or the default device if that is on the host.

    Returns
    -------
    DeviceArray
        C-contiguous, its contents undefined.
    """
    if device is None and isinstance(array, DeviceArray):
        device = array.device
    return DeviceArray(get_device(device), array.shape, array.dtype)


def _reduce(array: DeviceArray) -> tuple[object, tuple[np.ndarray]]:
    """Pickle an array through the host; it comes back on the default device, perhaps of another machine."""
    return to_device, (array.copy_to_host(),)


copyreg.pickle(DeviceArray, _reduce)  # pyright: ignore[reportArgumentType]
