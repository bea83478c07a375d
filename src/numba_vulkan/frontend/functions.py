"""Functions that kernels call: compiled once per argument types, for all kernels and bindings."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba.core import sigutils, types, typing
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.target_extension import dispatcher_registry, jit_registry, target_override

from .compiler import VulkanCompiler, compile_function
from .target import TARGET_NAME, Vulkan, vulkan_target

__all__ = ["DeviceDispatcher", "device_jit"]


class DeviceDispatcher(Dispatcher):
    """Compiles a Python function for each set of argument types that a kernel calls it with.

    Parameters
    ----------
    function : callable
        The Python function.
    options : dict, optional
        Options of Numba's ``jit`` that concern the front end.
    """

    targetdescr = vulkan_target

    def __init__(self, function: Callable[..., Any], options: dict[str, Any] | None = None) -> None:
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                f"@jit decorates ordinary functions, and {function.__name__!r} is an `async def`: write `def`, and "
                f"await on the host"
            )
        super().__init__(function, targetoptions=dict(options or {}), pipeline_class=VulkanCompiler)

    def compile_device(self, sig: Any) -> str:
        """Compile for the argument types of ``sig``; return the name of the compiled function."""
        with global_compiler_lock, self._compiling_counter, target_override(TARGET_NAME):
            arguments, return_type = sigutils.normalize_signature(sig)
            found = self.overloads.get(tuple(arguments))
            if found is None:
                found = compile_function(self.py_func, tuple(arguments), return_type, self.targetoptions)
                self.overloads[tuple(arguments)] = found
            return found.entry_point

    def compile(self, sig: Any) -> Any:
        """Compile as `compile_device` does; kernels replace this by what users see."""
        return self.compile_device(sig)

    def get_call_template(self, args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Any:
        """Return how a call with these argument types is typed: (template, Python signature, arguments, keywords)."""
        signature, folded = self._compiler.fold_argument_types(args, kws)
        self.compile_device(tuple(folded))
        name = self.py_func.__name__
        template = typing.make_concrete_template(
            f"CallTemplate({name})", key=name, signatures=self.nopython_signatures
        )
        return template, signature, folded, {}

    def _reduce_states(self) -> dict[str, Any]:
        return {"function": self.py_func, "options": self.targetoptions}

    @classmethod
    def _rebuild(cls, function: Callable[..., Any], options: dict[str, Any]) -> DeviceDispatcher:
        return cls(function, options)


def device_jit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Make a function callable from kernels; the decorator that Numba applies to overloads for this target."""
    if function is None:
        return lambda decorated: DeviceDispatcher(decorated, options)
    return DeviceDispatcher(function, options)


vulkan_target.device_dispatcher = DeviceDispatcher
dispatcher_registry[Vulkan] = DeviceDispatcher
jit_registry[Vulkan] = device_jit
