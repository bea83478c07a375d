"""Launch plans on device arrays: nothing is waited for."""

from __future__ import annotations

import ctypes
import itertools
import struct
import weakref
from typing import Any

import numpy as np

from .. import abi
from ..kernel import CompiledKernel
from ..runtime import Device, DeviceArray, Stream
from ..runtime.context import BUSY
from ..runtime.launcher import ArgumentKind, NativeArgument, NativePlan
from ..runtime.slots import Slot
from .arguments import ArrayKind, kind_of
from .grid import Triple
from .packing import Packing

__all__ = ["NATIVE_AFTER", "DevicePlan", "StreamPlan", "give_key", "key_of", "recognise"]

# Launches of a plan before one for native code is made.
NATIVE_AFTER = 8
# Flags that make a difference to the type of an array: both orders, alignment, whether it may be written.
_FLAGS = 0x0001 | 0x0002 | 0x0100 | 0x0400
_keys = itertools.count(1)


def key_of(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what a plan is found by: of device arrays memory and type, of NumPy arrays and scalars the type."""
    return tuple(
        [
            a.key
            if type(a) is DeviceArray
            else (a.dtype, a.ndim, a.flags.num & _FLAGS)
            if type(a) is np.ndarray
            else type(a)
            for a in args
        ]
    )


def recognise(args: tuple[Any, ...]) -> bool:
    """Give keys to device arrays that have none, such as new views; returns whether there were any."""
    unknown = [a for a in args if type(a) is DeviceArray and not a.key]
    for array in unknown:
        give_key(array, kind_of(array))
    return bool(unknown)


def give_key(array: DeviceArray, given: ArrayKind) -> None:
    """Let plans know a device array as an argument of a kind; arrays of one memory, type and kind have one key."""
    keys = array.buffer.block.keys
    kind = array.dtype, array.ndim, given
    found = keys.get(kind)
    if found is None:
        found = keys[kind] = next(_keys)
    numbers = array.shape
    if given.layout == "A":
        scale = array.itemsize // given.unit
        numbers += *(scale * s for s in array.element_strides), scale * array.offset
    array.parameters = struct.pack(f"={len(numbers)}{'q' if given.is_wide else 'i'}", *numbers)
    size = len(array.parameters)
    array.record = (ctypes.c_int64 * (1 + -(-size // 8)))(found)
    ctypes.memmove(ctypes.addressof(array.record) + 8, array.parameters, size)
    array.native = ctypes.addressof(array.record)
    array.key = found


class DevicePlan:
    """Launches on certain device arrays, which are not waited for.

    Attributes
    ----------
    slot : Slot
        What all its launches share.
    groups : tuple of int
        Number of workgroups.
    packing : Packing
        How the parameters are packed.
    until_native : int
        After how many more launches native code is worth making.
    """

    __slots__ = (
        "acquire",
        "device",
        "enqueue",
        "functions",
        "groups",
        "kernel",
        "logical",
        "packing",
        "release",
        "slot",
        "until_native",
        "words",
    )

    def __init__(
        self, device: Device, kernel: CompiledKernel, slot: Slot, groups: Triple, packing: Packing
    ) -> None:
        self.device = device
        self.logical = device.logical
        self.functions = device.logical.functions
        self.words = device.logical.context
        self.acquire, self.release = device.logical.lock.methods
        self.enqueue = device.enqueue
        self.kernel = kernel
        self.slot = slot
        self.groups = groups
        self.packing = packing
        self.until_native = NATIVE_AFTER

    def launch(self, args: tuple[Any, ...]) -> bool:
        """Start a launch; returns False, and does nothing, if the plan does not serve it."""
        if not self.functions.usable:
            self.logical.require_usable()
        self.until_native -= 1
        push = self.packing.block(args)
        # As with the device's lock, but without calls of Python functions.
        words = self.words
        self.acquire()
        words[BUSY] += 1
        try:
            if push is None or self.slot.is_evicted:
                return False
            self.enqueue(self.slot, self.groups, push)
        finally:
            words[BUSY] -= 1
            self.release()
        return True

    def native(self, args: tuple[Any, ...]) -> NativePlan | None:
        """Return the plan for native code, for launches with arguments like these; None if it cannot serve them."""
        device, slot = self.device, self.slot
        if device.logical.functions.is_watched or slot.is_evicted:
            return None
        arguments: list[NativeArgument] = []
        for i, value in enumerate(args):
            offset = self.packing.offsets.get(i, 0)
            if isinstance(value, DeviceArray):
                words = len(value.parameters) // 4
                arguments.append(NativeArgument(ArgumentKind.ARRAY, DeviceArray, value.key, offset, words))
            elif type(value) in _NATIVE_KINDS:
                arguments.append(NativeArgument(_NATIVE_KINDS[type(value)], type(value), 0, offset))
            else:
                return None
        push_bytes = slot.pipeline.layout.push_bytes
        if not NativePlan.fits(slot, arguments, push_bytes):
            return None
        return NativePlan(device.logical.context, slot, self.groups, push_bytes, arguments)


class StreamPlan(DevicePlan):
    """Launches on certain device arrays that are enqueued on a stream, which is not kept alive."""

    __slots__ = ("_stream",)

    def __init__(
        self,
        stream: Stream,
        kernel: CompiledKernel,
        slot: Slot,
        groups: Triple,
        packing: Packing,
    ) -> None:
        super().__init__(stream.device, kernel, slot, groups, packing)
        self._stream = weakref.ref(stream)
        self.until_native = -1  # native code knows no streams

    def launch(self, args: tuple[Any, ...]) -> bool:
        """Enqueue a launch; returns False, and does nothing, if the plan does not serve it."""
        self.logical.require_usable()
        push, stream = self.packing.block(args), self._stream()
        if push is None or stream is None or self.slot.is_evicted:
            return False
        buffers = {abi.array_binding(i): args[i].buffer for i in self.packing.arrays}
        stream.launch(self.slot, self.groups, push, buffers)
        return True


_NATIVE_KINDS = {
    float: ArgumentKind.DOUBLE,
    np.float64: ArgumentKind.DOUBLE,
    np.float32: ArgumentKind.FLOAT,
    int: ArgumentKind.INT64,
    bool: ArgumentKind.BOOL,
    **dict.fromkeys((np.int64, np.uint64), ArgumentKind.INDEX64),
    **dict.fromkeys((np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32), ArgumentKind.INDEX32),
}
