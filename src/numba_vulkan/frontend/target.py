"""The target ``vulkan``: its place in Numba's registry, its typing context and its target context."""

from __future__ import annotations

from functools import cache, cached_property
from importlib import import_module
from typing import Any, NoReturn

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba.core import itanium_mangler, types, typing
from numba.core.base import BaseContext
from numba.core.descriptors import TargetDescriptor
from numba.core.dispatcher import Dispatcher
from numba.core.imputils import builtin_registry
from numba.core.target_extension import GPU, target_registry

from ..errors import VulkanUnsupportedError
from . import constant_arrays
from .callconv import VulkanCallConv
from .library import VulkanCodegen
from .lines import LineBuilder
from .memory import NoMemory
from .models import manager
from .options import VulkanTargetOptions
from .record_types import record_of

__all__ = ["TARGET_NAME", "Vulkan", "vulkan_target"]

TARGET_NAME = "vulkan"


@cache
def _rules() -> Any:
    """Return the module with all typing and lowering rules; it takes a while to import and waits for its first use."""
    return import_module(".rules", __package__)


class Vulkan(GPU):
    """Marks functions and overloads for Vulkan; generic and GPU ones apply too."""


target_registry[TARGET_NAME] = Vulkan


def _type_of_data(value: object) -> types.Type | None:
    """Return the type of a global array, record or structured dtype; None for what Numba types itself."""
    if isinstance(value, np.ndarray):
        return constant_arrays.type_of(value)
    if isinstance(value, np.void) and value.dtype.fields is not None:
        return constant_arrays.type_of(np.asarray(value)).dtype
    if isinstance(value, np.dtype) and value.fields is not None:
        return types.DType(record_of(value))
    return None


class VulkanTypingContext(typing.BaseContext):
    """What expressions in kernels mean."""

    is_refreshing = False

    def refresh(self) -> None:
        """Load what was registered since the last time, here and in the target context.

        While rules are loaded, each of Numba's overloads that has to register a lowering asks for the same again,
        through the target context: one pass over all registries before and one behind does for all of them.
        """
        if self.is_refreshing:
            return
        self.is_refreshing = True
        target = vulkan_target.target_context
        try:
            target.install_lowerings()
            super().refresh()
            target.install_lowerings()
        finally:
            self.is_refreshing = False

    def load_additional_registries(self) -> None:
        """Load the typing rules of this package and those of Numba that hold on any target."""
        for registry in _rules().TYPING:
            self.install_registry(registry)

    def resolve_value_type(self, val: object) -> types.Type:
        """Return the type of a global; functions compiled for other targets are compiled again for this one."""
        if isinstance(val, Dispatcher) and getattr(val, "targetdescr", None) is not vulkan_target:
            val = vulkan_target.recompile(val)
        try:
            found = _type_of_data(val)
        except VulkanUnsupportedError as error:
            raise ValueError(str(error)) from error  # Numba adds the user's line
        if found is not None:
            return found
        if isinstance(val, tuple) and any(isinstance(part, np.ndarray | tuple) for part in val):
            parts = tuple(self.resolve_value_type(part) for part in val)
            build: Any = types.BaseTuple.from_types
            return build(parts, type(val) if hasattr(val, "_fields") else None)
        return super().resolve_value_type(val)

    def resolve_setattr(self, target: Any, attr: str, value: Any) -> Any:
        """Return the signature of an assignment to an attribute, None if there is none."""
        found = _rules().resolve_setattr(self, target, attr, value)
        # Numba lets the shape and others be assigned, which it keeps in memory.
        if found is not None or isinstance(target, types.Array):
            return found
        return super().resolve_setattr(target, attr, value)


class VulkanTargetContext(BaseContext):
    """How expressions in kernels are lowered."""

    implement_powi_as_math_call = False
    strict_alignment = True
    # Without it, Numba lets functions return only those arrays that they were given.
    enable_nrt = True

    def __init__(self, typing_context: VulkanTypingContext, target: str = TARGET_NAME) -> None:
        super().__init__(typing_context, target)
        self.data_model_manager = manager

    def init(self) -> None:
        """Create the code generator; called by Numba's constructor."""
        self._codegen = VulkanCodegen()

    @property
    def DIBuilder(self) -> type[LineBuilder]:
        """The class that emits debug information."""
        return LineBuilder

    @property
    def target_data(self) -> llvm.TargetData:
        """Sizes and alignments of LLVM types."""
        return self._codegen.target_data

    @cached_property
    def call_conv(self) -> VulkanCallConv:
        """How functions return and report exceptions."""
        return VulkanCallConv(self)

    @cached_property
    def nrt(self) -> NoMemory:
        """What manages memory: nothing does."""
        return NoMemory()

    def codegen(self) -> VulkanCodegen:
        """Return the code generator."""
        return self._codegen

    def create_module(self, name: str) -> ir.Module:
        """Return a new empty LLVM module."""
        return self._codegen._create_empty_module(name)

    def load_additional_registries(self) -> None:
        """Load the lowerings of this package; Numba's built-in ones are loaded by the base class."""
        for registry in _rules().LOWERING:
            self.install_registry(registry)

    def install_lowerings(self) -> None:
        """Load the lowerings that were registered since the last time."""
        self.load_additional_registries()
        self.install_registry(builtin_registry)

    def refresh(self) -> None:
        """Load what was registered since the last time, here and in the typing context."""
        self.typing_context.refresh()

    def mangler(
        self, name: str, argtypes: tuple[types.Type, ...], *, abi_tags: Any = (), uid: int | None = None
    ) -> str:
        """Return the symbol name of a function."""
        return itanium_mangler.mangle(name, argtypes, abi_tags=abi_tags, uid=uid)

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        """Return the lowering of a function for a signature; a few of Numba's are replaced."""
        lower = _rules().override(fn, sig)
        if lower is None:
            return super().get_function(fn, sig, _firstcall)
        return lambda builder, args, loc=None: lower(self, builder, sig, args)

    def _refuse_container(self, *_args: Any, **_kws: Any) -> NoReturn:
        """Refuse containers whose length is known only at run time."""
        raise VulkanUnsupportedError(
            "lists, sets and dicts are not supported in kernels: use a tuple, or an array argument"
        )

    build_list = build_set = build_map = _refuse_container

    def add_dynamic_addr(self, builder: ir.IRBuilder, intaddr: int, info: str) -> ir.Value:
        """Return null for the address of an object of the process, such as a function that is called by its type.

        Numba's CPU target adds a lowering that asks for it to the registry that all targets share.
        """
        return ir.Constant(ir.IntType(8).as_pointer(), None)

    def make_constant_array(self, builder: ir.IRBuilder, typ: Any, ary: Any) -> ir.Value:
        """Return a global array."""
        return constant_arrays.make(self, builder, typ, ary)


class VulkanTarget(TargetDescriptor):
    """Ties the contexts together; both are made when first asked for, so that import stays cheap."""

    options = VulkanTargetOptions

    def __init__(self) -> None:
        super().__init__(TARGET_NAME)
        self._recompiled: dict[Dispatcher, Dispatcher] = {}
        self.device_dispatcher: type[Dispatcher] | None = None

    @cached_property
    def typing_context(self) -> VulkanTypingContext:
        """The one typing context of the process."""
        return VulkanTypingContext()

    @cached_property
    def target_context(self) -> VulkanTargetContext:
        """The one target context of the process."""
        return VulkanTargetContext(self.typing_context)

    def recompile(self, other: Dispatcher) -> Dispatcher:
        """Return the function of another target's dispatcher as one for this target, the same one each time."""
        found = self._recompiled.get(other)
        if found is None:
            assert self.device_dispatcher is not None
            found = self._recompiled[other] = self.device_dispatcher(other.py_func)
        return found


vulkan_target = VulkanTarget()
