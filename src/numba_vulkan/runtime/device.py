"""`Device`: an open device that copies, compiles pipelines and launches."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from .. import abi
from ..errors import SpirvCodegenError, VulkanSupportError
from ..kernel import CompiledKernel, TargetProfile
from ..narrowing import Mode
from . import launch
from .buffer import Buffer
from .commands import Commands
from .features import BASE_CAPABILITIES, CAPABILITY_FEATURES, SUBGROUP_CLASSES
from .info import DeviceInfo, list_devices, profile_of
from .launch import Extent
from .logical_device import LogicalDevice
from .memory import MemoryKind
from .pipelines import Pipeline, Pipelines
from .probes import answers_of
from .reports import StatusBlock
from .transfer import Transfer

__all__ = ["Device"]

# SPIR-V capability: the property of DeviceInfo without which no kernel may declare it, what to do, its name in words.
_PROPERTY_CAPABILITIES = {
    **{capability: name for name, _, capability in SUBGROUP_CLASSES},
    "SignedZeroInfNanPreserve": "nan_preserve",
    "DenormPreserve": "denorm_preserve",
    "DenormFlushToZero": "denorm_flush_to_zero",
    "RoundingModeRTE": "rounding_rte",
    "RoundingModeRTZ": "rounding_rtz",
}


class Device:
    """An open device with one compute queue and a cache of pipelines.

    Get one with `get_device`, which opens each device once.

    Parameters
    ----------
    info : DeviceInfo
        The physical device to open.

    Attributes
    ----------
    info : DeviceInfo
        The physical device.
    handle : object
        The VkDevice.
    queue : object
        The compute queue.
    family : int
        The queue family of the queue.
    mode : Mode
        How kernels compute 64-bit types on the device by default: integers exactly, float64 in float32 where the
        device has no float64.

    Notes
    -----
    Threads may share a device: each launch and each copy holds its lock.
    """

    def __init__(self, info: DeviceInfo) -> None:
        self.logical = LogicalDevice(info)
        self.info = info
        self.handle = self.logical.handle
        self.queue = self.logical.queue
        self.family = self.logical.family
        self.mode = Mode(floats=not info.float64)
        self._commands = Commands(self.logical)
        self._transfer = Transfer(self._commands)
        self._pipelines = Pipelines(self.logical)
        self._status = StatusBlock(self.logical)

    def __repr__(self) -> str:
        return f"<Device {self.info.index} {self.info.name!r}>"

    @cached_property
    def profile(self) -> TargetProfile:
        """What the compiler knows of the device; the first use runs the probes that its driver needs."""
        return profile_of(self.info, answers_of(self.info, self._run_probe))

    def _run_probe(self, kernel: CompiledKernel, words: np.ndarray) -> np.ndarray:
        """Run a probe on a buffer of words."""
        buffer = self.create_buffer(words.nbytes)
        self.upload(buffer, words)
        self.launch(kernel, (1, 1, 1), (1, 1, 1), {abi.array_binding(0): buffer})
        result = np.empty_like(words)
        self.download(buffer, result)
        return result

    # ------------------------------------------------------------ buffers

    def create_buffer(self, size_bytes: int, kind: MemoryKind = MemoryKind.DEVICE) -> Buffer:
        """Create a buffer without initialising it.

        Parameters
        ----------
        size_bytes : int
            Bytes that it must hold; a buffer is never empty.
        kind : MemoryKind, optional
            Memory of the device, or host memory that kernels reach too.

        Raises
        ------
        MemoryError
            If there is not enough memory.
        """
        return Buffer(self.logical, size_bytes, kind)

    def upload(self, buffer: Buffer, array: np.ndarray, offset_bytes: int = 0) -> None:
        """Copy a host array into a buffer, its elements in C order; waits until it is done."""
        self.logical.require_usable()
        with self.logical.lock:
            self._transfer.upload(buffer, array, offset_bytes)

    def download(self, buffer: Buffer, out: np.ndarray, offset_bytes: int = 0) -> None:
        """Copy elements in C order from a buffer into a host array of any layout; waits until it is done."""
        self.logical.require_usable()
        with self.logical.lock:
            self._transfer.download(buffer, out, offset_bytes)

    # ------------------------------------------------------------ kernels

    def check_support(self, kernel: CompiledKernel) -> None:
        """Check that the device can run a kernel.

        Parameters
        ----------
        kernel : CompiledKernel
            The kernel.

        Raises
        ------
        VulkanSupportError
            If the device lacks a capability that the kernel needs, or allows fewer buffers than it has.
        """
        for capability in kernel.capabilities:
            if capability not in BASE_CAPABILITIES:
                self._check_capability(kernel, capability)
        launch.check_bindings(self.info, kernel)

    def _check_capability(self, kernel: CompiledKernel, capability: str) -> None:
        feature = CAPABILITY_FEATURES.get(capability)
        name = feature.name if feature is not None else _PROPERTY_CAPABILITIES.get(capability)
        if name is None:
            raise SpirvCodegenError(
                f"kernel {kernel.name!r} declares the SPIR-V capability {capability}, which the runtime does not know"
            )
        if getattr(self.info, name):
            return
        others = ", ".join(repr(info.name) for info in list_devices() if getattr(info, name)) or "none here"
        remedy = feature.remedy if feature is not None else "choose another device"
        raise VulkanSupportError(
            f"kernel {kernel.name!r} needs {name} (SPIR-V capability {capability}), which {self.info.name!r} does not "
            f"offer: {remedy} (devices with {name}: {others})"
        )

    def launch(
        self,
        kernel: CompiledKernel,
        groups: Extent,
        local_size: Extent,
        buffers: Mapping[int, Buffer],
        push: bytes = b"",
    ) -> tuple[int, ...]:
        """Run a kernel and wait for it.

        Parameters
        ----------
        kernel : CompiledKernel
            The kernel. Its SPIR-V must have passed `spirv.check`: drivers crash on invalid modules.
        groups : tuple of int
            Number of workgroups along x, y and z.
        local_size : tuple of int
            Invocations of a workgroup along x, y and z.
        buffers : mapping of int to Buffer
            The buffer of each binding of the kernel but the status block's.
        push : bytes, optional
            The kernel's parameter block, wherever the kernel expects it: in push constants or behind the status words.

        Returns
        -------
        tuple of int
            The status words if the kernel reported something, else empty.

        Raises
        ------
        ValueError
            If an extent is not positive, a buffer is missing or belongs to another device, or ``push`` has the wrong
            length.
        VulkanSupportError
            If the device lacks what the kernel needs, or a limit is exceeded.
        """
        self.logical.require_usable()
        launch.check_groups(self.info, kernel, groups)
        expected = 4 * kernel.interface.block.size_words
        if len(push) != expected:
            raise ValueError(f"kernel {kernel.name!r} takes {expected} bytes of parameters, not {len(push)}")
        with self.logical.lock:
            pipeline = self._pipeline(kernel, local_size)
            self._settle()
            bound, constants = self._place_parameters(kernel, buffers, push)
            launch.check_buffers(self.logical, kernel, bound)
            if min(groups) == 0:
                return ()
            self._start(pipeline, bound, constants, groups)
            self._commands.wait()
            return self._status.take() if kernel.reports_status else ()

    def _pipeline(self, kernel: CompiledKernel, local_size: Extent) -> Pipeline:
        """Return a pipeline; what a kernel and a local size need is checked when it is made."""
        found = self._pipelines.find(kernel, local_size)
        if found is not None:
            return found
        launch.check_local_size(self.info, kernel, local_size)
        self.check_support(kernel)
        return self._pipelines.make(kernel, local_size)

    def _place_parameters(
        self, kernel: CompiledKernel, buffers: Mapping[int, Buffer], push: bytes
    ) -> tuple[Mapping[int, Buffer], bytes]:
        """Return the buffers with the status block, and the push constants."""
        if kernel.interface.buffer_block_words:
            self._status.write_parameters(push)
            push = b""
        if abi.STATUS_BINDING in kernel.bindings:
            buffers = {**buffers, abi.STATUS_BINDING: self._status.buffer}
        return buffers, push

    def _settle(self) -> None:
        """Finish a launch that an interrupt has left behind; nobody asks for its report any more."""
        if self._commands.is_pending:
            self._commands.wait()
            self._status.take()

    def _start(
        self, pipeline: Pipeline, buffers: Mapping[int, Buffer], constants: bytes, groups: Extent
    ) -> None:
        """Record a launch and start it."""
        descriptor_set = pipeline.layout.descriptor_set(buffers)
        commands = self._commands.begin()
        launch.record(self.logical, commands, pipeline, descriptor_set, constants, groups)
        self._commands.submit(pipeline, buffers)

    def synchronize(self) -> None:
        """Wait until every kernel launched on the device has finished."""
        self.logical.require_usable()
        with self.logical.lock:
            self._settle()
