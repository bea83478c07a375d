"""Points in a device's work, with the time at which it gets there."""

from __future__ import annotations

import ctypes

from ..errors import VulkanSupportError
from .binding import vk
from .device import Device, require_device
from .recording import require_idle
from .stream import Stream, check_stream

__all__ = ["Event"]


class Event:
    """A point in the work submitted to a device, like an event of CUDA.

    Parameters
    ----------
    device : Device
        The device.

    Attributes
    ----------
    device : Device
        The device.
    QUERIES : int
        How many timestamps an event keeps: that of the last `record`.

    Raises
    ------
    VulkanSupportError
        If the device's compute queue writes no timestamps.
    """

    QUERIES = 1

    def __init__(self, device: Device) -> None:
        require_device(device)
        if not device.info.timestamp_bits:
            raise VulkanSupportError(
                f"{device.info.name!r} writes no timestamps: measure with time.perf_counter and synchronize()"
            )
        self.device = device
        info = vk.VkQueryPoolCreateInfo(queryType=vk.VK_QUERY_TYPE_TIMESTAMP, queryCount=self.QUERIES)
        self._pool = device.logical.create("vkCreateQueryPool", info)
        device.logical.retire_with(self, ("vkDestroyQueryPool", self._pool))
        self._stream: Stream | None = None
        self._number = 0

    def record(self, stream: Stream | None = None) -> Event:
        """Mark the point after all work that was launched so far.

        Parameters
        ----------
        stream : Stream, optional
            Mark the point after the work on this stream instead.

        Returns
        -------
        Event
            The event itself.

        Raises
        ------
        ValueError
            If the stream belongs to another device.
        """
        if stream is not None:
            check_stream(stream, self.device, "the event")
        require_idle(self.device)
        self._wait()
        logical = self.device.logical
        logical.functions.vkResetQueryPool(logical.handle, self._pool, 0, 1)
        self._stream = stream
        if stream is not None:
            stream.timestamp(self._pool)
            self._number = stream.value
        else:
            self._number = self.device.work.record_timestamp(self._pool)
        return self

    def _wait(self) -> None:
        if self._stream is not None:
            self._stream.timeline.wait(self._number)
        elif self._number:
            self.device.work.wait(self._number)

    def query(self) -> bool:
        """Return whether the device has passed the event."""
        if self._stream is not None:
            return self._stream.timeline.has_reached(self._number)
        return self.device.work.has_passed(self._number)

    def synchronize(self) -> None:
        """Wait until the device has passed the event."""
        self._wait()
        self.device.raise_reports()

    def elapsed_time(self, end: Event) -> float:
        """Return the milliseconds that the device took from this event to a later one.

        Parameters
        ----------
        end : Event
            The later event, on the same device.

        Returns
        -------
        float
            Milliseconds; time in which the device waited for the host counts.
        """
        if not isinstance(end, Event):
            raise TypeError(f"an event must be made by numba_vulkan.event(), not {end!r}")
        if end.device is not self.device:
            raise ValueError(
                f"the events are on {self.device.info.name!r} and {end.device.info.name!r}: their clocks differ"
            )
        ticks = (end.ticks() - self.ticks()) % (1 << self.device.info.timestamp_bits)
        return ticks * self.device.info.timestamp_period * 1e-6

    def ticks(self) -> int:
        """Return the device's clock at the event, in ticks of ``info.timestamp_period`` nanoseconds."""
        if not self._number:
            raise ValueError("the event was not recorded: call record() first")
        self._wait()
        logical, found = self.device.logical, ctypes.c_uint64()
        flags = vk.VK_QUERY_RESULT_64_BIT | vk.VK_QUERY_RESULT_WAIT_BIT
        logical.functions.vkGetQueryPoolResults(
            logical.handle, self._pool, 0, 1, 8, ctypes.byref(found), 8, flags
        )
        return found.value
