"""``@jit``: kernels, and what is compiled for which arguments and devices."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from numba.core import sigutils, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from .. import settings
from ..collection import collection_paused
from ..errors import (
    KernelArgumentError,
    VulkanPerformanceWarning,
    VulkanPrecisionWarning,
    VulkanSupportError,
    VulkanUnsupportedError,
)
from ..frontend import entry
from ..frontend.functions import DeviceDispatcher
from ..frontend.types import argument_type
from ..kernel import CompiledKernel, LoweredKernel, Pairing, Variant
from ..mathmode import MathMode
from ..narrowing import choice_of, mode_of
from ..runtime import Device, Stream, get_device
from ..runtime.launch import needs_addresses
from ..runtime.stream import require_stream
from . import arguments, grid
from .configured import ConfiguredKernel
from .late import compilation
from .occupancy import Occupancy, occupancy_of

__all__ = ["VulkanDispatcher", "jit"]

# What is kept of earlier launch configurations, per kernel.
_MAX_CONFIGURED = 64


class VulkanDispatcher(DeviceDispatcher):
    """A function compiled for Vulkan: launched from the host as a kernel, or called from kernels.

    Made by `jit`; call `forall` or index with a launch configuration to launch it.

    Parameters
    ----------
    function : callable
        The Python function.
    options : dict, optional
        Options of the front end.
    narrow : {None, False, 'ints', 'floats', True}, optional
        How 64-bit types are computed; see `jit`.
    math : MathMode, optional
        How exact float arithmetic is; see `jit`.
    subgroup_size : int, optional
        Invocations of a subgroup; 0 for any number.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        options: dict[str, Any] | None = None,
        narrow: object = None,
        math: MathMode | None = None,
        subgroup_size: int = 0,
    ) -> None:
        super().__init__(function, options)
        self._narrow = choice_of(narrow)
        self._math = math or MathMode()
        self._subgroup_size = subgroup_size
        self._warned: set[type[Warning]] = set()
        self._lowered: dict[tuple[types.Type, ...], LoweredKernel] = {}
        self._configured: dict[tuple[Any, ...], ConfiguredKernel] = {}
        # Launches on streams: without the stream itself, with which they go.
        self._on_streams: WeakKeyDictionary[Stream, dict[tuple[Any, ...], ConfiguredKernel]] = (
            WeakKeyDictionary()
        )
        self._compiled: dict[tuple[tuple[types.Type, ...], Variant], CompiledKernel] = {}

    @cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.py_func)

    @cached_property
    def where(self) -> str:
        """Name and place of the kernel, for messages."""
        code = self.py_func.__code__
        return f"'{self.__name__}' ({code.co_filename}:{code.co_firstlineno})"

    def forall(
        self,
        extent: Any,
        local_size: Any = None,
        device: Any = None,
        stream: Stream | None = None,
        shared_bytes: int = 0,
    ) -> ConfiguredKernel:
        """Configure a launch over a grid of at least ``extent`` invocations.

        The grid is rounded up to whole workgroups: kernels test their `global_id` against the extent.

        Parameters
        ----------
        extent : int or tuple of int
            Invocations along one to three axes.
        local_size : int or tuple of int, optional
            Invocations of a workgroup along each axis; 128, (16, 8) or (8, 4, 4) by default.
        device : int, str, DeviceInfo or Device, optional
            Where to run; see `get_device`. By default the device of the device arrays among the arguments, or the
            selected one.
        stream : Stream, optional
            Enqueue the launch on a stream; NumPy arguments then hold new values after its ``synchronize``.
        shared_bytes : int, optional
            Bytes of dynamic shared memory, for shared arrays of shape 0.

        Returns
        -------
        ConfiguredKernel
            Call it with the kernel's arguments.

        Raises
        ------
        TypeError, ValueError
            If an extent or a size is no integer, negative, or there are not one to three.
        """
        given = None if stream is None else require_stream(stream)
        return self._configure(grid.extents_of, (extent, local_size), device, given, shared_bytes)

    def _configure(
        self,
        grid_of: Callable[..., grid.Grid],
        sizes: tuple[Any, ...],
        device: Any,
        stream: Stream | None,
        shared_bytes: Any,
    ) -> ConfiguredKernel:
        """Return a launch configuration; for numbers that came before the one that has the plans of these launches."""
        known = self._configured if stream is None else self._on_streams.setdefault(stream, {})
        is_kept = device is None and _is_plain((sizes, shared_bytes))
        key = grid_of, sizes, shared_bytes
        found = known.get(key) if is_kept else None
        if found is None:
            found = ConfiguredKernel(self, grid_of(*sizes), device, shared_bytes=grid.bytes_of(shared_bytes))
            if is_kept:
                if len(known) >= _MAX_CONFIGURED:
                    known.pop(next(iter(known)), None)
                known[key] = found
        return found if stream is None else found.on(stream)

    def __getitem__(self, configuration: Any) -> ConfiguredKernel:
        """Configure a launch of ``kernel[groups, local_size]``, each an integer or a tuple of up to three.

        A stream, or 0, may follow, and then the bytes of dynamic shared memory.
        """
        if not isinstance(configuration, tuple) or len(configuration) not in (2, 3, 4):
            raise ValueError(
                f"launch kernel {self.where} as kernel[groups, local_size](...), or with a stream as third element, "
                f"not [{configuration!r}]"
            )
        stream, shared_bytes = (*configuration[2:], *(None, 0)[len(configuration) - 2 :])
        given = None if stream in (None, 0) else require_stream(stream)
        return self._configure(grid.groups_of, configuration[:2], None, given, shared_bytes)

    def __call__(self, *_args: Any, **_kws: Any) -> None:
        """Refuse a call without a launch configuration."""
        raise TypeError(
            f"kernel {self.where} was called without a launch configuration: use kernel.forall(extent)(...) or "
            f"kernel[groups, local_size](...), or kernel.py_func(...) to run it in Python"
        )

    def compile(self, sig: Any, device: Any = None) -> CompiledKernel:
        """Compile the kernel for argument types without launching it.

        Parameters
        ----------
        sig : tuple of numba types
            The arguments' types, such as ``(float32, float32[::1])``.
        device : int, str, DeviceInfo or Device, optional
            The device to compile for, the selected one by default.

        Returns
        -------
        CompiledKernel
            With ``llvm_ir``, ``spirv``, ``capabilities`` and ``written_bindings``.

        Raises
        ------
        numba.core.errors.NumbaError
            If the kernel cannot be compiled for these types.
        """
        given, return_type = sigutils.normalize_signature(sig)
        if return_type not in (None, types.none):
            raise VulkanUnsupportedError(
                f"kernel {self.where} is declared to return {return_type}, but kernels return nothing: pass the types "
                "of its arguments alone"
            )
        found = tuple(argument_type(t) for t in given)
        if len(found) != len(self._signature.parameters):
            raise KernelArgumentError(
                f"kernel {self.where} takes {len(self._signature.parameters)} argument(s), not {len(found)}"
            )
        return self._build(found, get_device(device), aliased=True)

    def occupancy(
        self, sig: Any, local_size: Any = 128, shared_bytes: int = 0, device: Any = None
    ) -> Occupancy:
        """Say how well workgroups of a size fill a device, from its limits; compiles, and launches nothing.

        Parameters
        ----------
        sig : tuple of numba type, str or signature
            The argument types, as for `compile`.
        local_size : int or tuple of int, optional
            Invocations of a workgroup along each axis.
        shared_bytes : int, optional
            Bytes of dynamic shared memory.
        device : int, str, DeviceInfo or Device, optional
            See `get_device`; the default device by default.

        Returns
        -------
        Occupancy
            Subgroups, idle places and shared memory of a workgroup, and how many fit into the limits of one.

        Raises
        ------
        VulkanSupportError
            If the device allows no such workgroup.
        ValueError
            If the kernel has dynamic shared arrays, and ``shared_bytes`` has no room for an element of each.
        """
        info = get_device(device).info
        size = grid.local_size_of(local_size)
        return occupancy_of(self.compile(sig, device), info, size, grid.bytes_of(shared_bytes))

    def bind(self, args: tuple[Any, ...], kws: dict[str, Any]) -> arguments.Arguments:
        """Type and lay out the arguments of a launch."""
        try:
            bound = self._signature.bind(*args, **kws)
        except TypeError as error:
            known = self._signature.parameters
            unknown = next((f"there is no parameter '{name}'" for name in kws if name not in known), error)
            counts = f"{len(args) + len(kws)} arguments for {len(known)} parameters"
            raise KernelArgumentError(f"kernel {self.where}: {unknown} ({counts})") from error
        bound.apply_defaults()
        found = arguments.bind(bound.arguments, self.where)
        mode = mode_of(self.narrow)
        if mode.ints:
            arguments.require_narrow(found, self.where, mode)
        return found

    @cached_property
    def narrow(self) -> object:
        """What the kernel gives up of its 64-bit types; ``NUMBA_VULKAN_NARROW`` is read once, at the first use."""
        return settings.narrow.value() if self._narrow is None else self._narrow

    def compiled_for(
        self,
        bound: arguments.Arguments,
        device: Device,
        in_parts: bool = False,
        pairing: Pairing = Pairing.NONE,
    ) -> CompiledKernel:
        """Return the kernel compiled for these arguments and this device, and for a grid."""
        compiled = self._build(bound.types, device, bound.aliased, bound.largest_bytes, in_parts, pairing)
        reason = compiled.interface.disjoint_because
        if reason and bound.aliased:
            raise KernelArgumentError(f"kernel {self.where} is given arrays that share memory, but {reason}")
        return compiled

    def _lower(self, given: tuple[types.Type, ...]) -> LoweredKernel:
        with global_compiler_lock:
            lowered = self._lowered.get(given)
            if lowered is None:
                lowered = self._lowered[given] = entry.lower(self, given)
            return lowered

    def _build(
        self,
        given: tuple[types.Type, ...],
        device: Device,
        aliased: bool,
        largest_bytes: int = 0,
        in_parts: bool = False,
        pairing: Pairing = Pairing.NONE,
    ) -> CompiledKernel:
        """Return the kernel for argument types, of which the largest array has so many bytes."""
        lowered = self._lowered.get(given)
        if lowered is None:
            with collection_paused():
                compilation()
                self._lower(given)
                return self._build(given, device, aliased, largest_bytes, in_parts, pairing)
        profile = replace(device.profile, mode=mode_of(self.narrow), math=self._math)
        addressed = needs_addresses(device.info, lowered.interface, largest_bytes)
        variant = Variant(profile, aliased, addressed, in_parts, self._subgroup_size, pairing)
        # Of a kernel that cannot be paired there is one for all grids.
        alone = replace(variant, pairing=Pairing.NONE)
        compiled = self._compiled.get((given, variant)) or self._compiled.get((given, alone))
        if compiled is not None and (compiled.variant == variant or not compiled.interface.can_pair):
            return compiled
        build = compilation().build
        with global_compiler_lock, collection_paused():
            compiled = build(lowered, variant)
        self._judge_float64(compiled, device)
        device.check_support(compiled)
        self._compiled[given, variant if compiled.interface.can_pair else alone] = compiled
        return compiled

    def _judge_float64(self, compiled: CompiledKernel, device: Device) -> None:
        """Warn once, or refuse, when the kernel says float64 and the device computes that in float32 or slowly."""
        name, narrow = device.info.name, self.narrow
        line = f" from {compiled.float64_line} on" if compiled.float64_line else ""
        where = f"kernel {self.where} computes in float64{line}"
        if compiled.narrowed_floats and not mode_of(narrow).floats:
            where += f", which '{name}' does not offer"
            if narrow is False:
                raise VulkanSupportError(
                    f"{where}: pass narrow='floats' to @jit to compute in float32, or choose another device"
                )
            self._warn_once(
                VulkanPrecisionWarning(f"{where}: it computes in float32 there; narrow='floats' says so")
            )
        elif compiled.float64_line and not compiled.narrowed_floats and device.info.slow_float64:
            self._warn_once(
                VulkanPerformanceWarning(
                    f"{where}, which '{name}' computes at a fraction of the speed of float32: write constants as "
                    f"np.float32(...), or pass narrow='floats' to @jit"
                )
            )

    def _warn_once(self, warning: Warning) -> None:
        """Warn the caller of a launch, once per kernel and kind of warning."""
        if settings.warnings.value() and type(warning) not in self._warned:
            self._warned.add(type(warning))
            warnings.warn(warning, stacklevel=6)

    def _reduce_states(self) -> dict[str, Any]:
        return super()._reduce_states() | {
            "narrow": self._narrow,
            "math": self._math,
            "subgroup_size": self._subgroup_size,
        }

    @classmethod
    def _rebuild(
        cls,
        function: Callable[..., Any],
        options: dict[str, Any],
        narrow: object = None,
        math: MathMode | None = None,
        subgroup_size: int = 0,
    ) -> VulkanDispatcher:
        return cls(function, options, narrow, math, subgroup_size)


def _is_plain(numbers: Any) -> bool:
    """Return whether there is nothing but Python integers: NumPy's and booleans are equal to them."""
    if type(numbers) is tuple:
        return all(_is_plain(number) for number in numbers)
    return type(numbers) is int or numbers is None


_BOOL = (True, False)
# Options of Numba's ``jit`` that concern its front end, and what each can be.
_OPTIONS: dict[str, tuple[object, ...]] = {
    "boundscheck": (*_BOOL, None),
    "debug": _BOOL,
    "error_model": ("numpy", "python"),
    "forceinline": _BOOL,
    "inline": ("never", "always"),
    "no_rewrites": _BOOL,
    "nogil": _BOOL,
    "nopython": _BOOL,
}
# Options of Numba's other targets, and how to go without them here.
_FOREIGN_OPTIONS = {
    "cache": "kernels are compiled anew in each process: leave it out",
    "device": "leave it out: any function under @nv.jit or numba.njit is a device function when a kernel calls it",
    "lineinfo": "leave it out: errors name the lines of the source in any case",
    "parallel": "leave it out: a kernel runs once per invocation of the grid that it is launched on",
}


def _check_options(options: dict[str, Any]) -> None:
    """Refuse options that Numba's front end would not know, or not tell about."""
    for name, value in options.items():
        if name not in _OPTIONS:
            known = (
                f"narrow, fma, fastmath, narrow_math, require_subgroup_size and Numba's {', '.join(_OPTIONS)}"
            )
            raise TypeError(f"@jit has no option {name!r}: {_FOREIGN_OPTIONS.get(name, f'it takes {known}')}")
        choices = _OPTIONS[name]
        is_known = any(value is choice or (isinstance(value, str) and value == choice) for choice in choices)
        if not is_known and not (name == "inline" and callable(value)):  # a cost model of Numba's
            error = ValueError if isinstance(choices[0], str) else TypeError
            raise error(f"{name}={value!r} must be one of {', '.join(map(repr, choices))}")


def jit(
    function: Callable[..., Any] | None = None,
    *,
    narrow: object = None,
    fma: bool = False,
    fastmath: bool = False,
    narrow_math: bool = False,
    require_subgroup_size: int | None = None,
    **options: Any,
) -> Any:
    """Compile a Python function for Vulkan devices.

    Nothing is compiled, and no driver touched, before the first launch.

    Parameters
    ----------
    function : callable, optional
        The function; without it, a decorator with these options is returned.
    narrow : {None, False, 'ints', 'floats', True}, optional
        How 64-bit types are computed. None, the default: exactly on every device, but float64 in float32, with one
        `VulkanPrecisionWarning`, where the device has no float64. False: exactly; such devices are refused. 'ints':
        integers in 32 bits, floats as by default. 'floats': float64 in float32, integers exactly. True: both, which
        needs no optional feature of the device. ``NUMBA_VULKAN_NARROW`` sets what None means.
    fma : bool, optional
        Round a product and the sums that use it once, where nothing else uses it and the device can. Results
        then differ between devices in their last bits.
    fastmath : bool, optional
        As ``fma``; in addition take quotients and square roots of float32 as the driver rounds them, and use the
        driver's functions of float32 where they are faster. Results, special values included, then depend on the
        driver.
    narrow_math : bool, optional
        Compute math functions of float64 arguments in float32; arithmetic stays float64.
    require_subgroup_size : int, optional
        Invocations of a subgroup, a power of two. Devices that do not offer it are refused, naming what they do.
    **options
        Options of Numba's ``jit`` that concern its front end, such as ``error_model``.

    Returns
    -------
    VulkanDispatcher
        Launch it with `VulkanDispatcher.forall` or ``kernel[groups, local_size](...)``, or call it from a kernel.

    Raises
    ------
    TypeError
        If ``function`` is no Python function, as when a list of signatures is given, if an option that is a bool
        is given something else, or if there is no such option.
    ValueError
        If ``narrow``, ``error_model`` or ``inline`` is none of the choices, or a subgroup cannot have so many
        invocations.
    """
    choice_of(narrow)
    _check_options(options)
    math = MathMode.of(fma=fma, fastmath=fastmath, narrow_math=narrow_math)
    subgroup_size = grid.subgroup_size_of(require_subgroup_size)

    def decorate(decorated: Callable[..., Any]) -> VulkanDispatcher:
        target = decorated.py_func if isinstance(decorated, Dispatcher) else decorated
        if not inspect.isfunction(target):
            raise TypeError(
                f"@jit decorates Python functions, not {decorated!r}; types come from the arguments"
            )
        return VulkanDispatcher(target, options, narrow, math, subgroup_size)

    return decorate if function is None else decorate(function)
