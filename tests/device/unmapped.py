"""Arrays that the host cannot reach, as on discrete GPUs, on any device."""

from __future__ import annotations

import pytest

from numba_vulkan.runtime import Device, MemoryKind
from numba_vulkan.runtime.buffer import Buffer

__all__ = ["hide_arrays"]


def hide_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let new arrays have no address for the host."""
    create = Device.create_buffer

    def create_unmapped(self: Device, size_bytes: int, kind: MemoryKind = MemoryKind.DEVICE) -> Buffer:
        buffer = create(self, size_bytes, kind)
        if kind is MemoryKind.DEVICE:
            buffer.address = 0
        return buffer

    monkeypatch.setattr(Device, "create_buffer", create_unmapped)
