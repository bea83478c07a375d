"""Launch plans: what a launch needs besides its values, found by the kinds of its arguments.

The first launch with arguments of certain kinds types them, compiles, and leaves a plan; launches like it only pack the
values and record. A plan that cannot serve a launch says so, and the launch takes the long way again.
"""

from __future__ import annotations

import ctypes
import itertools
import struct
import weakref
from typing import Any

import numpy as np

from .. import abi
from ..frontend.record_types import largest_unit
from ..kernel import CompiledKernel
from ..runtime import Device, DeviceArray, MemoryKind, Stream
from ..runtime.buffer import Buffer
from ..runtime.context import BUSY
from ..runtime.current import selected_device
from ..runtime.kernel_errors import exception_of
from ..runtime.launcher import ArgumentKind, NativeArgument, NativePlan, PlanChain, launcher
from ..runtime.slots import Slot
from .arguments import Arguments
from .packing import Scalars, scalars_of

__all__ = ["DevicePlan", "HostPlan", "StreamPlan", "key_of", "make_plan"]

Triple = tuple[int, int, int]
# Flags that make a difference to the type of an array: both orders, alignment, whether it may be written.
_FLAGS = 0x0001 | 0x0002 | 0x0100 | 0x0400
_C_CONTIGUOUS, _ALIGNED = 0x0001, 0x0100
# NumPy arguments of more bytes than this gain nothing from a plan.
_MAX_HOST_BYTES = 4 << 20
# Up to this many bytes kernels read host memory faster than the device can copy it.
_MAX_DIRECT_BYTES = 64 << 10
_MAX_HOST_ARRAYS = 5
_MAX_SHAPES = 8
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


def give_key(array: DeviceArray) -> None:
    """Let plans know a device array; two arrays have one key if they have memory, type and layout in common."""
    layout = array.layout
    keys = array.buffer.block.keys
    kind = array.dtype, array.ndim, layout
    found = keys.get(kind)
    if found is None:
        found = keys[kind] = next(_keys)
    numbers = array.shape
    if layout != "C":
        # As `arguments` counts them: records in units of fewer bytes.
        scale = array.itemsize // largest_unit(array.itemsize)
        numbers += *(scale * s for s in array.element_strides), scale * array.offset
    array.parameters = struct.pack(f"={len(numbers)}i", *numbers)
    array.record = (ctypes.c_int64 * (1 + (len(numbers) + 1) // 2))(found)
    ctypes.memmove(ctypes.addressof(array.record) + 8, array.parameters, len(array.parameters))
    array.native = ctypes.addressof(array.record)
    array.key = found


# ---------------------------------------------------------------- device arrays


class DevicePlan:
    """Launches on certain device arrays, which are not waited for.

    Attributes
    ----------
    slot : Slot
        What all its launches share.
    groups : tuple of int
        Number of workgroups.
    scalars : Scalars
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
        "release",
        "scalars",
        "slot",
        "until_native",
        "words",
    )

    def __init__(
        self, device: Device, kernel: CompiledKernel, slot: Slot, groups: Triple, scalars: Scalars
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
        self.scalars = scalars
        self.until_native = _NATIVE_AFTER

    def launch(self, args: tuple[Any, ...]) -> bool:
        """Start a launch; returns False, and does nothing, if the plan does not serve it."""
        if not self.functions.usable:
            self.logical.require_usable()
        self.until_native -= 1
        push = self._push(args)
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

    def _push(self, args: tuple[Any, ...]) -> bytes | None:
        """Return the parameter block, or None if a scalar does not fit the type that the plan is for."""
        scalars = self.scalars
        try:
            push = scalars.pack(*scalars.take(args))
        except (struct.error, OverflowError):
            return None
        for array in scalars.take_arrays(args):
            push += array.parameters  # joining them all at once takes twice the time
        return push

    def native(self, args: tuple[Any, ...]) -> NativePlan | None:
        """Return the plan for native code, for launches with arguments like these; None if it cannot serve them."""
        device, slot = self.device, self.slot
        if device.logical.functions.is_watched or slot.is_evicted:
            return None
        arguments: list[NativeArgument] = []
        for i, value in enumerate(args):
            offset = self.scalars.offsets.get(i, 0)
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
        scalars: Scalars,
    ) -> None:
        super().__init__(stream.device, kernel, slot, groups, scalars)
        self._stream = weakref.ref(stream)
        self.until_native = -1  # native code knows no streams

    def launch(self, args: tuple[Any, ...]) -> bool:
        """Enqueue a launch; returns False, and does nothing, if the plan does not serve it."""
        self.logical.require_usable()
        push, stream = self._push(args), self._stream()
        if push is None or stream is None or self.slot.is_evicted:
            return False
        buffers = {abi.array_binding(i): args[i].buffer for i in self.scalars.arrays}
        stream.launch(self.slot, self.groups, push, buffers)
        return True


_NATIVE_AFTER = 8
_NATIVE_KINDS = {
    float: ArgumentKind.DOUBLE,
    np.float64: ArgumentKind.DOUBLE,
    np.float32: ArgumentKind.FLOAT,
    int: ArgumentKind.INT64,
    bool: ArgumentKind.BOOL,
    **dict.fromkeys((np.int64, np.uint64), ArgumentKind.INDEX64),
    **dict.fromkeys((np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32), ArgumentKind.INDEX32),
}


# ---------------------------------------------------------------- NumPy arrays


class _Staged:
    """Buffers for NumPy arrays of certain shapes, used by one launch at a time.

    Attributes
    ----------
    views : tuple of numpy.ndarray
        The mapped memory for each array.
    arrays : list of DeviceArray
        What the kernel takes instead of the NumPy arrays, and whatever else has to stay alive.
    native : callable or None
        The native launcher for these arrays.
    """

    __slots__ = ("arrays", "chain", "copies_down", "copies_up", "launches", "native", "push", "slot", "views")

    def __init__(
        self,
        slot: Slot,
        push: bytes,
        views: tuple[np.ndarray, ...],
        arrays: list[DeviceArray],
        copies: tuple[tuple[tuple[Buffer, Buffer, int], ...], tuple[tuple[Buffer, Buffer, int], ...]],
    ) -> None:
        self.slot = slot
        self.push = push
        self.views = views
        self.arrays = arrays
        self.launches = 0
        self.chain: PlanChain | None = None
        self.native: Any = None
        self.copies_up, self.copies_down = copies


class HostPlan:
    """Launches on NumPy arrays, perhaps with device arrays among them: one submission, waited for."""

    __slots__ = (
        "depends",
        "device",
        "groups",
        "hosts",
        "kernel",
        "local_size",
        "scalars",
        "selected",
        "stacks",
        "written",
    )

    def __init__(
        self,
        device: Device,
        kernel: CompiledKernel,
        grid: tuple[Triple, Triple],
        scalars: Scalars,
        hosts: tuple[int, ...],
    ) -> None:
        self.device = device
        self.kernel = kernel
        self.groups, self.local_size = grid
        self.scalars = scalars
        self.hosts = hosts
        self.written = tuple(
            n for n, i in enumerate(hosts) if abi.array_binding(i) in kernel.written_bindings
        )
        # Without device arrays the default device decides.
        self.selected = selected_device() if len(hosts) == len(kernel.interface.arrays) else None
        self.depends = len(hosts) == len(kernel.interface.arrays)
        self.stacks: dict[tuple[Any, ...], list[_Staged]] = {}

    def launch(self, args: tuple[Any, ...]) -> bool:
        """Run a launch; returns False, and does nothing, if the plan does not serve it."""
        self.device.logical.require_usable()
        if self.depends and selected_device() is not self.selected:
            return False
        arrays = [args[i] for i in self.hosts]
        for n in range(1, len(arrays)):
            for other in arrays[:n]:
                if np.may_share_memory(arrays[n], other):
                    return False
        scalars = self.scalars
        try:
            push = scalars.pack(*[args[i] for i in scalars.positions])
        except (struct.error, OverflowError):
            return False
        shapes = tuple([a.shape for a in arrays])
        stack = self.stacks.get(shapes) or []
        try:
            staged: _Staged | None = stack.pop()
        except IndexError:
            staged = self._stage(args, arrays)
            stack = self._stack(shapes) if staged is not None else stack
        if staged is None:
            return False
        if staged.slot.is_evicted:
            return self.launch(args)
        for view, array in zip(staged.views, arrays, strict=True):
            np.copyto(view, array)
        staged.slot.await_reports(1)  # without the lock: no other launch uses the slot
        try:
            words = self._run(staged, args, push + staged.push)
        finally:
            staged.slot.await_reports(-1)
        for n in self.written:
            np.copyto(arrays[n], staged.views[n])
        stack.append(staged)
        error = exception_of(self.kernel.interface, words, self.device.info.name) if words else None
        if error is not None:
            raise error
        self.device.raise_reports()
        return True

    until_native = -1

    def native(self, args: tuple[Any, ...]) -> None:
        """Return None: native code waits for nothing."""
        return

    def _stack(self, shapes: tuple[Any, ...]) -> list[_Staged]:
        if len(self.stacks) >= _MAX_SHAPES:
            self.stacks.pop(next(iter(self.stacks)), None)
        return self.stacks.setdefault(shapes, [])

    def _run(self, staged: _Staged, args: tuple[Any, ...], push: bytes) -> tuple[int, ...]:
        device = self.device
        if staged.native is not None or staged.launches == _NATIVE_AFTER:
            taken = self._taken(staged, args)
            if staged.native is None:
                self._add_native(staged, taken)
            answer = staged.native(*taken) if staged.native is not None else False
            if answer is NotImplemented:
                device.raise_lost_batch()
            if answer is True:
                return device.finish(staged.slot)
        staged.launches += 1
        with device.logical.lock:
            device.transfer.record_whole(staged.copies_up)
            device.enqueue(staged.slot, self.groups, push, submits=False)
            device.transfer.record_whole(staged.copies_down)
        return device.finish(staged.slot)

    def _taken(self, staged: _Staged, args: tuple[Any, ...]) -> list[Any]:
        """Return the arguments with device arrays in place of the NumPy arrays."""
        taken = list(args)
        for n, i in enumerate(self.hosts):
            taken[i] = staged.arrays[n]
        return taken

    def _add_native(self, staged: _Staged, taken: list[Any]) -> None:
        """Let native code record the launches, if nothing has to be copied on the device."""
        staged.launches += 1
        made = launcher()
        if made is None or staged.copies_up:
            return
        for n in range(len(self.hosts)):
            give_key(staged.arrays[n])
        plan = DevicePlan(self.device, self.kernel, staged.slot, self.groups, self.scalars).native(
            tuple(taken)
        )
        if plan is not None:
            staged.chain = PlanChain()
            staged.chain.add(plan)
            staged.native = made.function(staged.chain)

    def _stage(self, args: tuple[Any, ...], arrays: list[np.ndarray]) -> _Staged | None:
        """Make buffers for the shapes of these arrays, or return None if they are too large for a plan."""
        total = sum(a.nbytes for a in arrays)
        if total > _MAX_HOST_BYTES:
            return None
        device = self.device
        probe = device.create_buffer(16)
        direct = probe.is_mapped or total <= _MAX_DIRECT_BYTES
        kind = MemoryKind.DEVICE if probe.is_mapped or not direct else MemoryKind.HOST
        taken = [DeviceArray.of_kind(device, a.shape, a.dtype, kind) for a in arrays]
        staging = (
            [] if direct else [DeviceArray.of_kind(device, a.shape, a.dtype, MemoryKind.HOST) for a in arrays]
        )
        buffers, mapped = [a.buffer for a in taken], [a.buffer for a in staging or taken]
        views = tuple(b.view(a.shape, a.dtype) for a, b in zip(arrays, mapped, strict=True))
        pairs = [(m, b, a.nbytes) for m, b, a in zip(mapped, buffers, arrays, strict=True)]
        up = () if direct else tuple(pair for pair in pairs if pair[2])
        down = (
            ()
            if direct
            else tuple((b, m, size) for n, (m, b, size) in enumerate(pairs) if n in self.written and size)
        )
        bound = {abi.array_binding(i): b for i, b in zip(self.hosts, buffers, strict=True)}
        push = b""
        for i in self.scalars.arrays:
            value = args[i]
            if isinstance(value, DeviceArray):
                bound[abi.array_binding(i)] = value.buffer
                push += value.parameters
            else:
                push += struct.pack(f"={value.ndim}i", *value.shape)
        whole = bytes(4 * self.kernel.interface.block.size_words)
        with device.logical.lock:
            slot = device.slot(self.kernel, self.groups, self.local_size, bound, whole)
        return _Staged(slot, push, views, [*taken, *staging], (up, down))


# ---------------------------------------------------------------- making plans


def make_plan(
    kernel: CompiledKernel,
    bound: Arguments,
    device: Device,
    grid: tuple[Triple, Triple],
    stream: Stream | None = None,
) -> DevicePlan | HostPlan | None:
    """Return a plan for launches like one that has just been made, or None if there can be none.

    Parameters
    ----------
    kernel : CompiledKernel
        The kernel.
    bound : Arguments
        The arguments of the launch.
    device : Device
        Where it ran.
    grid : tuple
        Number of workgroups, and invocations of one.
    stream : Stream, optional
        The stream that it was enqueued on.
    """
    scalars = scalars_of(kernel, bound)
    values = bound.values
    if scalars is None or set(scalars.arrays) != set(bound.arrays):
        return None
    hosts = tuple(sorted(bound.hosts))
    for i in bound.arrays:
        if isinstance(values[i], DeviceArray):
            give_key(values[i])
    if not hosts:
        if not bound.arrays:
            return None
        buffers = {abi.array_binding(i): values[i].buffer for i in bound.arrays}
        with device.logical.lock:
            push = bytes(4 * kernel.interface.block.size_words)
            slot = device.slot(kernel, grid[0], grid[1], buffers, push, stream)
        if stream is not None:
            return StreamPlan(stream, kernel, slot, grid[0], scalars)
        return DevicePlan(device, kernel, slot, grid[0], scalars)
    if stream is not None or len(hosts) > _MAX_HOST_ARRAYS or any(not _is_plain(values[i]) for i in hosts):
        return None
    return None if kernel.variant.aliased else HostPlan(device, kernel, grid, scalars, hosts)


def _is_plain(array: np.ndarray) -> bool:
    wanted = _C_CONTIGUOUS | _ALIGNED
    return type(array) is np.ndarray and array.flags.num & wanted == wanted and array.ndim > 0
