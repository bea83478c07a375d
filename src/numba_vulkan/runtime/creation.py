"""Functions that create arrays on devices."""

from __future__ import annotations

import copyreg
import math

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .array import DeviceArray
from .current import DeviceSelector, get_device
from .event import Event
from .geometry import extents_of, plain_dtype
from .graph import Graph
from .memory import MemoryKind
from .pinned import array_in
from .stream import Stream

__all__ = [
    "device_array",
    "device_array_like",
    "event",
    "event_elapsed_time",
    "pinned_array",
    "record",
    "stream",
    "to_device",
]


def to_device(array: ArrayLike, device: DeviceSelector = None, stream: Stream | None = None) -> DeviceArray:
    """Copy a NumPy array to a device.

    Parameters
    ----------
    array : array_like
        The values.
    device : int, str, DeviceInfo, Device or None, optional
        The device, as in `get_device`; that of the stream by default.
    stream : Stream, optional
        Enqueue the copy and return at once.

    Returns
    -------
    DeviceArray
        With the shape and the element type of the array.

    Raises
    ------
    TypeError
        If the array is masked: devices know no masks.
    """
    # `np.ma` is imported when it is first named.
    if type(array) is not np.ndarray and isinstance(array, np.ma.MaskedArray):
        raise TypeError(
            "to_device() of a masked array would lose its mask: pass x.filled(value), or x.data and x.mask"
        )
    host = np.asarray(array)
    target = stream.device if device is None and isinstance(stream, Stream) else get_device(device)
    if stream is None:
        return DeviceArray.from_host(target, host)
    return DeviceArray(target, host.shape, host.dtype).copy_to_device(host, stream)


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
    if not hasattr(array, "dtype"):
        raise TypeError(f"device_array_like() takes a NumPy array or a device array, not {array!r}")
    if device is None and isinstance(array, DeviceArray):
        device = array.device
    return DeviceArray(get_device(device), array.shape, array.dtype)


def stream(device: DeviceSelector = None) -> Stream:
    """Create a stream on a device, like ``numba.cuda.stream``.

    Parameters
    ----------
    device : int, str, DeviceInfo, Device or None, optional
        The device, as in `get_device`.

    Returns
    -------
    Stream
        The stream.

    Examples
    --------
    >>> s = nv.stream()
    >>> d = nv.to_device(chunk, stream=s)        # returns at once
    >>> kernel[groups, 64, s](d, out)            # after the copy, on the device
    >>> host = out.copy_to_host(stream=s)        # holds the data after synchronize
    >>> s.synchronize()
    """
    return Stream(get_device(device))


def pinned_array(
    shape: int | tuple[int, ...], dtype: DTypeLike = np.float64, device: DeviceSelector = None
) -> np.ndarray:
    """Create a host array that a device copies to and from directly, like ``numba.cuda.pinned_array``.

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
    numpy.ndarray
        C-contiguous, its contents undefined.
    """
    extents, kind = extents_of(shape), plain_dtype(dtype)
    size_bytes = kind.itemsize * math.prod(extents)
    return array_in(get_device(device).create_buffer(size_bytes, MemoryKind.HOST), extents, kind)


def event(device: DeviceSelector = None) -> Event:
    """Create an event on a device.

    Parameters
    ----------
    device : int, str, DeviceInfo, Device or None, optional
        The device, as in `get_device`.

    Returns
    -------
    Event
        Not recorded yet.

    Examples
    --------
    >>> start, end = nv.event(), nv.event()
    >>> start.record()
    >>> kernel.forall(n)(x, out)      # device arrays: does not wait
    >>> end.record()
    >>> start.elapsed_time(end)       # milliseconds on the device
    """
    return Event(get_device(device))


def event_elapsed_time(start: Event, end: Event) -> float:
    """Return the milliseconds between two events, as ``numba.cuda`` names it.

    Parameters
    ----------
    start, end : Event
        The events.

    Returns
    -------
    float
        Milliseconds on the device.
    """
    return start.elapsed_time(end)


def record(device: DeviceSelector = None) -> Graph:
    """Record launches instead of making them, to be launched together any number of times.

    Parameters
    ----------
    device : int, str, DeviceInfo, Device or None, optional
        The device, as in `get_device`.

    Returns
    -------
    Graph
        Use it in a ``with`` statement, and `Graph.launch` afterwards.

    Examples
    --------
    >>> with nv.record() as graph:
    ...     step.forall(n)(a, b)
    ...     step.forall(n)(b, a)
    >>> for _ in range(1000):
    ...     graph.launch()
    """
    return Graph(get_device(device))


def _reduce(array: DeviceArray) -> tuple[object, tuple[np.ndarray]]:
    """Pickle an array through the host; it comes back on the default device, perhaps of another machine."""
    return to_device, (array.copy_to_host(),)


copyreg.pickle(DeviceArray, _reduce)  # pyright: ignore[reportArgumentType]
