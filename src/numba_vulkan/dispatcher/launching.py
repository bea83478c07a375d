"""Running a compiled kernel: host memory up, launch, what was written back, errors raised."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import abi, settings
from ..kernel import CompiledKernel
from ..runtime import Device, Stream
from ..runtime.buffer import Buffer
from ..runtime.kernel_errors import exception_of
from ..runtime.recording import is_recording
from .arguments import Arguments, HostRegion
from .grid import Triple, parts_of

__all__ = ["launch"]


def launch(
    kernel: CompiledKernel,
    bound: Arguments,
    device: Device,
    grid: tuple[Triple, Triple],
    stream: Stream | None = None,
) -> None:
    """Run a kernel; host arrays that it wrote hold their new values afterwards.

    A launch on device arrays alone, or on a stream, is not waited for, unless ``NUMBA_VULKAN_SYNC`` says so.

    Raises
    ------
    Exception
        What the kernel reported; host arrays then hold what was written until the end of the launch. If it reported
        nothing, what kernels launched before have reported; this launch has then done all that it had to.
    """
    _, local_size = grid
    if stream is not None:
        _launch_stream(kernel, bound, stream, grid)
        return
    staged = [_stage(region, device) for region in bound.regions]
    buffers = _buffers(bound, staged)
    dispatches = _dispatches(kernel, bound, device, grid)
    if not bound.regions and (is_recording(device) or not settings.sync.value()):
        for groups, parameters in dispatches:
            device.launch(kernel, groups, buffers, parameters, local_size=local_size)
        return
    words: tuple[int, ...] = ()
    for groups, parameters in dispatches:
        words = device.run(kernel, groups, buffers, parameters, local_size=local_size)
        if words:
            break
    for region, buffer in zip(bound.regions, staged, strict=True):
        _fetch(region, buffer, device, bound, kernel.written_bindings)
    error = exception_of(kernel.interface, words, device.info.name) if words else None
    if error is not None:
        raise error
    device.raise_reports()


def _dispatches(
    kernel: CompiledKernel, bound: Arguments, device: Device, grid: tuple[Triple, Triple]
) -> Iterator[tuple[Triple, bytes]]:
    """Yield the workgroups and the parameters of each dispatch of a launch."""
    groups, _ = grid
    if not kernel.variant.in_parts:
        yield groups, bound.pack(kernel.interface.block)
        return
    for base, counts in parts_of(groups, device.info.max_groups):
        bound.part = base, groups
        yield counts, bound.pack(kernel.interface.block)


def _launch_stream(
    kernel: CompiledKernel, bound: Arguments, stream: Stream, grid: tuple[Triple, Triple]
) -> None:
    """Enqueue a launch, with the copies of its host arrays there and back, on a stream."""
    device = stream.device
    staged: list[Buffer] = []
    for region in bound.regions:
        staged.append(device.create_buffer(region.padding_bytes + region.size_bytes))
        stream.upload((staged[-1], region.padding_bytes, (1,)), _memory_of(region))
    buffers = _buffers(bound, staged)
    for groups, parameters in _dispatches(kernel, bound, device, grid):
        device.launch_stream(stream, kernel, groups, buffers, parameters, local_size=grid[1])
    for region, buffer in zip(bound.regions, staged, strict=True):
        members = _written_members(region, bound, kernel.written_bindings)
        if members and region.size_bytes:
            fetched = np.empty(region.padding_bytes + region.size_bytes, np.uint8)
            then = functools.partial(_spread, fetched, members)
            stream.download((buffer, 0, (1,)), fetched, then)
    if settings.sync.value():
        stream.synchronize()


def _buffers(bound: Arguments, staged: list[Buffer]) -> dict[int, Buffer]:
    """Return the buffer of each binding; ``staged`` are those of the regions of host memory."""
    buffers = {
        abi.array_binding(i): array.value.buffer for i, array in bound.arrays.items() if i not in bound.hosts
    }
    for region, buffer in zip(bound.regions, staged, strict=True):
        buffers.update({abi.array_binding(i): buffer for i in region.members})
    return buffers


def _written_members(region: HostRegion, bound: Arguments, written: frozenset[int]) -> list[Any]:
    """Return the arrays of a region that a kernel writes, given the bindings that it writes."""
    return [bound.arrays[i] for i in region.members if abi.array_binding(i) in written]


def _spread(fetched: np.ndarray, members: list[Any]) -> None:
    """Copy the elements of arrays out of the bytes of their region."""
    for member in members:
        host = member.value
        np.copyto(host, np.ndarray(host.shape, host.dtype, fetched.data, member.offset_bytes, host.strides))


def _memory_of(region: HostRegion) -> np.ndarray:
    """Return the host memory of a region as bytes."""
    memory: Any = (ctypes.c_uint8 * region.size_bytes).from_address(region.address)
    return np.ndarray((region.size_bytes,), np.uint8, buffer=memory)


def _stage(region: HostRegion, device: Device) -> Buffer:
    """Return a buffer with the contents of a region."""
    buffer = device.create_buffer(region.padding_bytes + region.size_bytes)
    if region.size_bytes:
        device.transfer.upload(buffer, _memory_of(region), region.padding_bytes)
    return buffer


def _fetch(
    region: HostRegion, buffer: Buffer, device: Device, bound: Arguments, written: frozenset[int]
) -> None:
    """Copy the elements of written arrays back, and no other bytes of the region."""
    members = _written_members(region, bound, written)
    if not members or not region.size_bytes:
        return
    if len(members) == 1 and members[0].value.nbytes == region.size_bytes:
        device.transfer.download(buffer, _memory_of(region), region.padding_bytes)
        return
    fetched = np.empty(region.padding_bytes + region.size_bytes, np.uint8)
    device.transfer.download(buffer, fetched)
    _spread(fetched, members)
