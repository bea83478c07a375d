"""Launch plans: what a launch needs besides its values, found by the kinds of its arguments.

The first launch with arguments of certain kinds types them, compiles, and leaves a plan; launches like it only pack the
values and record. A plan that cannot serve a launch says so, and the launch takes the long way again.
"""

from __future__ import annotations

from .. import abi
from ..frontend.types import VulkanArray
from ..kernel import CompiledKernel
from ..runtime import Device, Stream
from .arguments import Arguments, ArrayKind
from .device_plans import DevicePlan, StreamPlan, give_key, key_of, recognise
from .grid import Triple
from .host_plans import MAX_HOST_ARRAYS, HostPlan, is_plain
from .packing import packing_of

__all__ = ["DevicePlan", "HostPlan", "StreamPlan", "key_of", "make_plan", "recognise"]


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
    packing = packing_of(kernel, bound)
    values = bound.values
    types = {i: given for i in sorted(bound.arrays) if isinstance(given := bound.leaf_types[i], VulkanArray)}
    kinds = {i: ArrayKind(given.layout, given.unit, given.is_wide) for i, given in types.items()}
    if packing is None or not set(packing.arrays) == bound.arrays.keys() == kinds.keys():
        return None
    hosts = {i: kinds[i] for i in kinds if i in bound.hosts}
    for i in kinds.keys() - hosts:
        give_key(values[i], kinds[i])
    if not hosts:
        if not bound.arrays:
            return None
        buffers = {abi.array_binding(i): values[i].buffer for i in bound.arrays}
        with device.logical.lock:
            push = bytes(4 * kernel.interface.block.size_words)
            slot = device.slot(kernel, grid[0], grid[1], buffers, push, stream)
        if stream is not None:
            return StreamPlan(stream, kernel, slot, grid[0], packing)
        return DevicePlan(device, kernel, slot, grid[0], packing)
    if (
        stream is not None
        or len(hosts) > MAX_HOST_ARRAYS
        or any(not is_plain(values[i], given) for i, given in hosts.items())
    ):
        return None
    return None if kernel.variant.aliased else HostPlan(device, kernel, grid, packing, hosts)
