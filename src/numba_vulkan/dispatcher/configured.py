"""Kernels with a launch configuration: what calling one does, and what is kept for the next call."""

from __future__ import annotations

from threading import get_ident
from typing import Any

from .. import settings
from ..kernel import Pairing
from ..runtime import Device, DeviceArray, Stream
from ..runtime.current import open_device
from ..runtime.launch import require_shared_bytes
from ..runtime.launcher import PlanChain, launcher
from ..runtime.recording import check_launch, recordings
from . import arguments, grid, launching, plans
from .late import compilation

__all__ = ["ConfiguredKernel"]

# What is kept of earlier launches.
_MAX_PLANS = 64


class ConfiguredKernel:
    """A kernel with a launch configuration; calling it launches the kernel.

    Attributes
    ----------
    kernel : VulkanDispatcher
        The kernel.
    grid : Grid
        How many invocations.
    device : object
        What the user named as the device, or None.
    """

    __slots__ = ("_chain", "_native", "_plans", "device", "grid", "kernel", "shared_bytes", "stream")

    def __init__(
        self,
        kernel: Any,
        grid: grid.Grid,
        device: Any,
        stream: Stream | None = None,
        shared_bytes: int = 0,
    ) -> None:
        self.shared_bytes = shared_bytes
        self.kernel = kernel
        self.grid = grid
        self.device = device
        self.stream = stream
        self._plans: dict[tuple[Any, ...], plans.DevicePlan | plans.HostPlan] = {}
        self._chain: PlanChain | None = None
        self._native: Any = None

    def on(self, stream: Stream) -> ConfiguredKernel:
        """Return the configuration on a stream, with the plans of this one, which are all for that stream."""
        other = ConfiguredKernel(self.kernel, self.grid, self.device, stream, self.shared_bytes)
        other._plans = self._plans
        return other

    def __call__(self, *args: Any, **kws: Any) -> None:
        """Launch the kernel; waits until NumPy arguments that it wrote hold their new values.

        Raises
        ------
        KernelArgumentError
            If the arguments do not fit the kernel's parameters, or are of types that kernels cannot take.
        VulkanSupportError
            If the device cannot run the kernel or the grid.
        ValueError
            If the kernel has dynamic shared arrays, and the launch gives one no room for an element.
        Exception
            What the kernel raised.
        """
        graphs = recordings.get(get_ident()) if recordings else None
        if not kws and graphs is None:
            native = self._native
            if native is not None and self._launch_native(native(*args)):
                return
            plan = self._plans.get(plans.key_of(args))
            if plan is None and self._plans and plans.recognise(args):
                self(*args)
                return
            if plan is not None and plan.launch(args):
                if not plan.until_native:
                    self._add_native(plan, args)
                return
        bound = self.kernel.bind(args, kws)
        bound.shared_bytes = self.shared_bytes
        device = self._resolve_device(bound)
        if graphs is not None:
            check_launch(graphs, self.kernel.where, device, self.stream, bool(bound.hosts))
        groups, local_size = grid.resolve(self.grid, device.info)
        in_parts = any(count > most for count, most in zip(groups, device.info.max_groups, strict=True))
        # Not of the profile: it waits for the probes, which are still being compiled.
        loads_wait = device.info.loads_wait
        pairing = Pairing.NONE if in_parts else grid.pairing_of(groups, local_size, loads_wait)
        compiled = self.kernel.compiled_for(bound, device, in_parts, pairing)
        groups = compiled.dispatched(groups)
        if 0 in groups:
            return
        require_shared_bytes(compiled, self.shared_bytes)
        launching.launch(compiled, bound, device, (groups, local_size), self.stream)
        is_plain = not kws and bound.is_flat and len(args) == len(bound.values)
        if is_plain and not settings.sync.value():
            size = groups, local_size
            self._keep_plan(plans.make_plan(compiled, bound, device, size, self.stream), args)

    def _launch_native(self, answer: object) -> bool:
        """Return whether native code has recorded a launch; raises if it could not start the batch."""
        if answer is NotImplemented:
            for plan in list(self._plans.values()):
                plan.device.raise_lost_batch()
        return answer is True

    def _add_native(self, plan: plans.DevicePlan | plans.HostPlan, args: tuple[Any, ...]) -> None:
        """Let native code make launches like one that was made often."""
        made, native = launcher(), plan.native(args)
        if made is None or native is None:
            return
        if self._chain is None:
            self._chain = PlanChain()
        self._chain.add(native)
        self._native = made.function(self._chain)

    def _keep_plan(self, plan: plans.DevicePlan | plans.HostPlan | None, args: tuple[Any, ...]) -> None:
        """Let the next launch with arguments like these find a plan."""
        if plan is not None:
            if len(self._plans) >= _MAX_PLANS:
                self._plans.pop(next(iter(self._plans)), None)
            self._plans[plans.key_of(args)] = plan

    def _resolve_device(self, bound: arguments.Arguments) -> Device:
        """Return the device to run on.

        Raises
        ------
        ValueError
            If the arguments lie on different devices, or on another one than the user named.
        """
        owners = {id(a.device): a.device for a in bound.values if isinstance(a, DeviceArray)}
        named = self.device if self.stream is None or self.device is not None else self.stream.device
        is_implied = named is None and owners
        wanted = next(iter(owners.values())) if is_implied else open_device(named, compilation)
        for owner in owners.values():
            if owner is not wanted:
                raise ValueError(
                    f"kernel {self.kernel.where} is launched on '{wanted.info.name}' with an array on "
                    f"'{owner.info.name}': copy it first, with x.copy_to(device)"
                )
        if self.stream is not None and self.stream.device is not wanted:
            raise ValueError(
                f"kernel {self.kernel.where} is launched on '{wanted.info.name}' with a stream of "
                f"'{self.stream.device.info.name}': make one with nv.stream(device)"
            )
        return wanted
