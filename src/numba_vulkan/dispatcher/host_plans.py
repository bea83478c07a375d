"""Launch plans on NumPy arrays: copies there, kernel and copies back are one submission, which is waited for."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import abi
from ..frontend.record_types import largest_unit
from ..kernel import CompiledKernel
from ..runtime import Device, DeviceArray, MemoryKind
from ..runtime.buffer import Buffer
from ..runtime.current import selected_device
from ..runtime.geometry import span
from ..runtime.kernel_errors import exception_of
from ..runtime.launcher import PlanChain, launcher
from ..runtime.transfer import mapped
from .arguments import ArrayKind
from .device_plans import NATIVE_AFTER, DevicePlan, give_key
from .grid import Triple
from .packing import Packing

__all__ = ["MAX_HOST_ARRAYS", "HostPlan", "is_plain"]

MAX_HOST_ARRAYS = 5
_ALIGNED = 0x0100
# NumPy arguments of more bytes than this gain nothing from a plan.
_MAX_HOST_BYTES = 4 << 20
# Up to this many bytes kernels read host memory faster than the device can copy it.
_MAX_DIRECT_BYTES = 64 << 10
_MAX_SHAPES = 8


def is_plain(array: np.ndarray, given: ArrayKind) -> bool:
    """Return whether an array may travel as a plan's arrays do: elements at multiples of their size, or of a part."""
    is_regular = given.unit == largest_unit(array.itemsize)
    return type(array) is np.ndarray and bool(array.flags.num & _ALIGNED) and is_regular and array.ndim > 0


class _Staged:
    """Buffers for NumPy arrays of certain shapes, used by one launch at a time.

    Attributes
    ----------
    plan : DevicePlan
        Launches on the buffers.
    views : tuple of numpy.ndarray
        The mapped memory for each array.
    arrays : list of DeviceArray
        What the kernel takes instead of the NumPy arrays, and whatever else has to stay alive.
    native : callable or None
        The native launcher for these arrays.
    """

    __slots__ = ("arrays", "chain", "copies_down", "copies_up", "launches", "native", "plan", "views")

    def __init__(
        self,
        plan: DevicePlan,
        views: tuple[np.ndarray, ...],
        arrays: list[DeviceArray],
        copies: tuple[tuple[tuple[Buffer, Buffer, int], ...], tuple[tuple[Buffer, Buffer, int], ...]],
    ) -> None:
        self.plan = plan
        self.views = views
        self.arrays = arrays
        self.launches = 0
        self.chain: PlanChain | None = None
        self.native: Any = None
        self.copies_up, self.copies_down = copies


class HostPlan:
    """Launches on NumPy arrays, perhaps with device arrays among them: one submission, waited for.

    What travels has the steps of the arrays, so that kernels find them as they are; what lies in gaps does not matter.
    """

    __slots__ = (
        "depends",
        "device",
        "groups",
        "hosts",
        "kernel",
        "kinds",
        "local_size",
        "packing",
        "selected",
        "stacks",
        "strided",
        "written",
    )

    until_native = -1  # see `native`

    def __init__(
        self,
        device: Device,
        kernel: CompiledKernel,
        grid: tuple[Triple, Triple],
        packing: Packing,
        hosts: dict[int, ArrayKind],
    ) -> None:
        self.device = device
        self.kernel = kernel
        self.groups, self.local_size = grid
        self.packing = packing
        self.hosts = tuple(hosts)
        self.kinds = tuple(hosts.values())
        self.written = tuple(
            n for n, i in enumerate(hosts) if abi.array_binding(i) in kernel.written_bindings
        )
        self.strided = tuple(n for n, given in enumerate(self.kinds) if given.layout == "A")
        # Without device arrays the default device decides.
        self.depends = len(hosts) == len(kernel.interface.arrays)
        self.selected = selected_device() if self.depends else None
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
        shapes = tuple([a.shape for a in arrays])
        if self.strided:
            shapes += tuple([arrays[n].strides for n in self.strided])
        stack = self.stacks.get(shapes) or []
        try:
            staged: _Staged | None = stack.pop()
        except IndexError:
            staged = self._stage(args, arrays)
            stack = self._stack(shapes) if staged is not None else stack
        if staged is None:
            return False
        slot = staged.plan.slot
        if slot.is_evicted:
            return self.launch(args)
        for view, array in zip(staged.views, arrays, strict=True):
            view[...] = array  # a third of the time that numpy.copyto takes for a thousand elements
        slot.await_reports(1)  # without the lock: no other launch uses the slot
        try:
            words = self._run(staged, args)
        finally:
            slot.await_reports(-1)
        if words is not None:
            for n in self.written:
                arrays[n][...] = staged.views[n]
        stack.append(staged)
        if words is None:
            return False
        error = exception_of(self.kernel.interface, words, self.device.info.name) if words else None
        if error is not None:
            raise error
        self.device.raise_reports()
        return True

    def native(self, args: tuple[Any, ...]) -> None:
        """Return None: native code waits for nothing."""

    def _stack(self, shapes: tuple[Any, ...]) -> list[_Staged]:
        if len(self.stacks) >= _MAX_SHAPES:
            self.stacks.pop(next(iter(self.stacks)), None)
        return self.stacks.setdefault(shapes, [])

    def _run(self, staged: _Staged, args: tuple[Any, ...]) -> tuple[int, ...] | None:
        """Return what a launch on the buffers has reported; None if its scalars do not fit the plan."""
        device, slot = self.device, staged.plan.slot
        taken = self._taken(staged, args)
        if staged.native is None and staged.launches == NATIVE_AFTER:
            self._add_native(staged, tuple(taken))
        if staged.native is not None:
            answer = staged.native(*taken)
            if answer is NotImplemented:
                device.raise_lost_batch()
            if answer is True:
                return device.finish(slot)
        push = self.packing.block(taken)
        if push is None:
            return None
        staged.launches += 1
        with device.logical.lock:
            device.transfer.record_whole(staged.copies_up)
            device.enqueue(slot, self.groups, push, submits=False)
            device.transfer.record_whole(staged.copies_down)
        return device.finish(slot)

    def _taken(self, staged: _Staged, args: tuple[Any, ...]) -> list[Any]:
        """Return the arguments with device arrays in place of the NumPy arrays."""
        taken = list(args)
        for n, i in enumerate(self.hosts):
            taken[i] = staged.arrays[n]
        return taken

    def _add_native(self, staged: _Staged, taken: tuple[Any, ...]) -> None:
        """Let native code record the launches, if nothing has to be copied on the device."""
        staged.launches += 1
        made = launcher()
        plan = None if made is None or staged.copies_up else staged.plan.native(taken)
        if made is not None and plan is not None:
            staged.chain = PlanChain()
            staged.chain.add(plan)
            staged.native = made.function(staged.chain)

    def _stage(self, args: tuple[Any, ...], arrays: list[np.ndarray]) -> _Staged | None:
        """Make buffers for arrays like these, or return None if there can be none: such launches take the long way."""
        if any(step % a.itemsize for a in arrays for step in a.strides):
            return None
        steps = [tuple([step // a.itemsize for step in a.strides]) for a in arrays]
        spans = [span(a.shape, strides) for a, strides in zip(arrays, steps, strict=True)]
        sizes = [(high - low) * a.itemsize for a, (low, high) in zip(arrays, spans, strict=True)]
        total = sum(sizes)
        if total > _MAX_HOST_BYTES:
            return None
        device = self.device
        probe = device.create_buffer(16)
        direct = probe.is_mapped or total <= _MAX_DIRECT_BYTES
        kind = MemoryKind.DEVICE if probe.is_mapped or not direct else MemoryKind.HOST

        def like_them(kind: MemoryKind) -> list[DeviceArray]:
            return [
                DeviceArray.of_kind(device, a.shape, a.dtype, kind, strides)
                for a, strides in zip(arrays, steps, strict=True)
            ]

        taken = like_them(kind)
        staging = [] if direct else like_them(MemoryKind.HOST)
        for array, given in zip(taken, self.kinds, strict=True):
            give_key(array, given)
        views = tuple(mapped(a.buffer, a.offset, a.element_strides, a) for a in staging or taken)
        pairs = [
            (n, staging[n].buffer, taken[n].buffer, size) for n, size in enumerate(sizes) if staging and size
        ]
        up = tuple((host, own, size) for _, host, own, size in pairs)
        down = tuple((own, host, size) for n, host, own, size in pairs if n in self.written)
        bound = {abi.array_binding(i): args[i].buffer for i in self.packing.arrays if i not in self.hosts}
        bound.update((abi.array_binding(i), a.buffer) for i, a in zip(self.hosts, taken, strict=True))
        whole = bytes(4 * self.kernel.interface.block.size_words)
        with device.logical.lock:
            slot = device.slot(self.kernel, self.groups, self.local_size, bound, whole)
        plan = DevicePlan(device, self.kernel, slot, self.groups, self.packing)
        return _Staged(plan, views, [*taken, *staging], (up, down))
