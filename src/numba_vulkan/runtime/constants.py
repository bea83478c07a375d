"""Constant arrays of kernels: uploaded once for all kernels of a device that have equal ones."""

from __future__ import annotations

import weakref
from collections.abc import Callable

import numpy as np

from ..kernel import CompiledKernel
from .buffer import Buffer

__all__ = ["Constants"]


class Constants:
    """The buffers of constant arrays on a device; each lives as long as the pipelines that read it.

    Parameters
    ----------
    create_buffer : callable
        Makes a buffer of a number of bytes.
    upload : callable
        Copies a host array into a buffer.
    """

    def __init__(
        self, create_buffer: Callable[[int], Buffer], upload: Callable[[Buffer, np.ndarray], None]
    ) -> None:
        self._create_buffer = create_buffer
        self._upload = upload
        self._buffers: weakref.WeakValueDictionary[str, Buffer] = weakref.WeakValueDictionary()

    def of(self, kernel: CompiledKernel) -> dict[int, Buffer]:
        """Return the buffers of the constant arrays that a kernel reaches, by binding."""
        used = [array for array in kernel.interface.constants if array.binding in kernel.bindings]
        return {array.binding: self._find(array.name, array.content) for array in used}

    def _find(self, name: str, content: bytes) -> Buffer:
        found = self._buffers.get(name)
        if found is None:
            found = self._create_buffer(len(content))
            self._upload(found, np.frombuffer(content, np.uint8))
            self._buffers[name] = found
        return found
