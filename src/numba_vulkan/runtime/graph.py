"""Recorded graphs: sequences of launches that are replayed by one command."""

from __future__ import annotations

import ctypes
import threading
import weakref
from typing import Any

from .. import settings
from .binding import vk
from .context import BUSY, PIPELINE, SET
from .device import Device
from .recording import begin, end, require_idle
from .slots import Slot

__all__ = ["Graph"]

_STAGES = vk.VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT
_READS_AND_WRITES = vk.VK_ACCESS_SHADER_WRITE_BIT | vk.VK_ACCESS_SHADER_READ_BIT


class Graph:
    """A sequence of launches on device arrays, recorded once and launched any number of times.

    Inside ``with nv.record() as graph:`` launches of this thread on the device are noted, not made; what would act at
    once, as launches on streams and copies do, raises ValueError. Arrays and scalars are those of the recording: change
    the contents of arrays between launches of the graph.

    Parameters
    ----------
    device : Device
        The device.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self.thread = 0
        self._launches: list[tuple[Slot, tuple[int, int, int], bytes]] = []
        self._alive: list[object] = []
        self._commands = 0
        self._waits = False

    def __enter__(self) -> Graph:
        device = self.device
        if self._commands:
            raise ValueError("a graph is recorded once: make another with nv.record()")
        if device.recorder is not None:
            raise ValueError(
                f"graphs are recorded one at a time on '{device.info.name}': end the `with` block of the other first"
            )
        with device.logical.lock:
            self.thread = threading.get_ident()
            device.recorder = self
            begin(self)
            # Native code would launch, not note.
            device.logical.context[BUSY] += 1
        return self

    def __exit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        device = self.device
        with device.logical.lock:
            device.recorder = None
            end(self)
            device.logical.context[BUSY] -= 1
            if kind is None and self._launches:
                self._record()

    def add(self, slot: Slot, groups: tuple[int, int, int], push: bytes, buffers: Any) -> None:
        """Note a launch; called by the device while the graph is recorded."""
        slot.keepers += 1
        weakref.finalize(self, _let_go, slot).atexit = False
        self._launches.append((slot, groups, push))
        self._alive.append(buffers)

    def __len__(self) -> int:
        return len(self._launches)

    def _record(self) -> None:
        """Record the launches into a secondary command buffer, with barriers where they conflict."""
        logical = self.device.logical
        functions = logical.functions
        pool_info = vk.VkCommandPoolCreateInfo(queueFamilyIndex=logical.family)
        pool = logical.create("vkCreateCommandPool", pool_info)
        logical.retire_with(self, ("vkDestroyCommandPool", pool))
        info = vk.VkCommandBufferAllocateInfo(
            commandPool=pool, level=vk.VK_COMMAND_BUFFER_LEVEL_SECONDARY, commandBufferCount=1
        )
        handle = ctypes.c_void_p()
        functions.vkAllocateCommandBuffers(logical.handle, ctypes.byref(info), ctypes.byref(handle))
        commands = handle.value or 0
        begin = vk.VkCommandBufferBeginInfo(
            flags=vk.VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
            pInheritanceInfo=vk.VkCommandBufferInheritanceInfo(),
        )
        functions.vkBeginCommandBuffer(commands, ctypes.byref(begin))
        barrier = vk.VkMemoryBarrier(
            srcAccessMask=vk.VK_ACCESS_SHADER_WRITE_BIT, dstAccessMask=_READS_AND_WRITES
        )
        written: set[int] = set()
        used: set[int] = set()
        for slot, groups, push in self._launches:
            writes, reads = ({id(r) for r in records} for records in (slot.writes, slot.reads))
            if writes & used or reads & written:
                functions.vkCmdPipelineBarrier(
                    commands, _STAGES, _STAGES, 0, 1, ctypes.byref(barrier), 0, None, 0, None
                )
                written, used = set(), set()
            written |= writes
            used |= writes | reads
            self.device.record_dispatch(commands, slot, groups, push)
        functions.vkEndCommandBuffer(commands)
        self._commands = commands
        self._waits = settings.sync.value()

    def launch(self) -> None:
        """Launch all that was recorded, with one submission and without waiting for it.

        With ``NUMBA_VULKAN_SYNC=1``, if that was set when the graph was recorded, it waits.

        Raises
        ------
        ValueError
            If nothing was recorded yet, or this thread records a graph on the device.
        Exception
            What kernels have raised, if the launch is waited for.
        """
        if not self._commands:
            raise ValueError("the graph holds no launches: record them inside `with nv.record() as graph:`")
        device, words = self.device, self.device.logical.context
        require_idle(device)
        slots = [slot for slot, _, _ in self._launches]
        writes = {id(r): r for slot in slots for r in slot.writes}
        reads = {id(r): r for slot in slots for r in slot.reads if id(r) not in writes}
        with device.logical.lock:
            streams = tuple(users for slot in slots for users in slot.streams)
            handle = device.work.use(tuple(reads.values()), tuple(writes.values()), streams)
            for slot in slots:
                slot.record[0] = device.work.last_serial
            device.logical.functions.vkCmdExecuteCommands(handle, 1, (ctypes.c_void_p * 1)(self._commands))
            # Its own barriers do not order it against what follows; those of what follows do.
            words[PIPELINE] = words[SET] = 0
            device.work.submit()
            serial = device.work.last_serial
        if self._waits:
            device.work.wait(serial)
            device.raise_reports()


def _let_go(slot: Slot) -> None:
    slot.keepers -= 1
