"""A semaphore that counts what a stream has done."""

from __future__ import annotations

import weakref

from .logical_device import LogicalDevice

__all__ = ["Timeline"]


class Timeline:
    """The operations of a stream that are done, by number; blocks of memory refer to it, and not to the stream.

    Parameters
    ----------
    device : LogicalDevice
        The device.

    Attributes
    ----------
    semaphore : int
        The VkSemaphore.
    start : int
        The number before that of the first operation.
    """

    def __init__(self, device: LogicalDevice) -> None:
        self._device = device
        try:
            self.semaphore = device.idle_semaphores.pop()
        except IndexError:
            self.semaphore = device.create_timeline()
        # llvmpipe of Mesa 25 still uses a semaphore for a moment after what it signals last: it is never destroyed
        # before the device is idle, but given to another stream. Held by test_streams.py under the validation layer.
        weakref.finalize(self, device.idle_semaphores.append, self.semaphore)
        self.start = device.value_of(self.semaphore)

    def wait(self, value: int) -> None:
        """Wait on the host until an operation and those before it are done."""
        self._device.await_value(self.semaphore, value)

    def has_reached(self, value: int) -> bool:
        """Return whether an operation is done."""
        return self._device.value_of(self.semaphore) >= value
