"""The status block, binding 0: what kernels report, and parameters that do not fit push constants."""

from __future__ import annotations

import numpy as np

from .. import abi
from .buffer import Buffer
from .logical_device import LogicalDevice
from .memory import MemoryKind

__all__ = ["StatusBlock"]

_STATUS_BYTES = 4 * abi.STATUS_WORDS
_PARAMETER_BYTES = 1024


class StatusBlock:
    """The status words of a device's launches, followed by parameters.

    Parameters
    ----------
    device : LogicalDevice
        The device.
    """

    def __init__(self, device: LogicalDevice) -> None:
        self._device = device
        self.buffer = Buffer(device, _STATUS_BYTES + _PARAMETER_BYTES, MemoryKind.HOST)
        self._words = self._reset()

    def _reset(self) -> np.ndarray:
        words = self.buffer.view((abi.STATUS_WORDS,), np.dtype(np.uint32))
        words.fill(0)
        return words

    def write_parameters(self, parameters: bytes) -> None:
        """Put parameters behind the status words; the buffer grows as needed."""
        if _STATUS_BYTES + len(parameters) > self.buffer.size_bytes:
            self.buffer = Buffer(self._device, _STATUS_BYTES + 2 * len(parameters), MemoryKind.HOST)
            self._words = self._reset()
        place = self.buffer.view((len(parameters),), np.dtype(np.uint8), _STATUS_BYTES)
        place[:] = np.frombuffer(parameters, np.uint8)

    def take(self) -> tuple[int, ...]:
        """Return the status words and reset them; empty if nothing was reported."""
        if not self._words[0]:
            return ()
        words = tuple(self._words.tolist())
        self._words.fill(0)
        return words
