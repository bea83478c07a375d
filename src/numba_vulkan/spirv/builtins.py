"""Placeholders for invocation ids and sizes, and the workgroup size that is fixed when a pipeline is made."""

from __future__ import annotations

from .. import abi
from ..llvmir.model import Instruction
from ..llvmir.types import I32
from ._tables import BuiltIn, Capability, Decoration, ExecutionMode, Op, StorageClass
from .context import Context

__all__ = ["DEFAULT_WORKGROUP_SIZE", "Builtins"]

# What a pipeline gets that specializes nothing.
DEFAULT_WORKGROUP_SIZE = (64, 1, 1)

_INPUTS: dict[str, int] = {
    abi.GLOBAL_ID: BuiltIn.GlobalInvocationId,
    abi.LOCAL_ID: BuiltIn.LocalInvocationId,
    abi.GROUP_ID: BuiltIn.WorkgroupId,
    abi.NUM_GROUPS: BuiltIn.NumWorkgroups,
}


_SCALARS: dict[str, int] = {
    abi.SUBGROUP_SIZE: BuiltIn.SubgroupSize,
    abi.SUBGROUP_COUNT: BuiltIn.NumSubgroups,
    abi.SUBGROUP_LANE: BuiltIn.SubgroupLocalInvocationId,
    abi.SUBGROUP_ID: BuiltIn.SubgroupId,
}


class Builtins:
    """Declares the workgroup size and the built-in inputs in use; ``calls`` has a row per placeholder."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._vectors: dict[int, int] = {}
        self._axes: dict[tuple[str, int], int] = {}
        self._declare_workgroup_size()
        self.calls = dict.fromkeys((*_INPUTS, abi.LOCAL_SIZE), self._read)
        self.calls.update(dict.fromkeys(_SCALARS, self._read_number))

    def _declare_workgroup_size(self) -> None:
        """Declare specialization constants 0, 1 and 2."""
        module, types = self._context.module, self._context.types
        ids: list[int] = []
        for axis, size in enumerate(DEFAULT_WORKGROUP_SIZE):
            ids.append(module.declare_value(Op.SpecConstant, types.of(I32), size))
            module.decorate(ids[axis], Decoration.SpecId, axis)
            self._axes[abi.LOCAL_SIZE, axis] = ids[axis]
        size_id = module.declare_value(Op.SpecConstantComposite, types.vector(3), *ids)
        module.decorate(size_id, Decoration.BuiltIn, BuiltIn.WorkgroupSize)
        # The decorated constant overrides it; some tools look for the mode only.
        module.set_mode(ExecutionMode.LocalSize, *DEFAULT_WORKGROUP_SIZE)

    def _read(self, instruction: Instruction) -> None:
        """Read one axis, at the start of the kernel and once."""
        axis = self._context.constant_operand(instruction, 0, "the axis")
        if axis >= len(DEFAULT_WORKGROUP_SIZE):
            raise self._context.fault(instruction, f"there is no axis {axis}")
        key = (instruction.callee, axis)
        if key not in self._axes:
            vector_id = self._vector(_INPUTS[instruction.callee])
            type_id = self._context.types.of(I32)
            self._axes[key] = self._context.once(Op.CompositeExtract, type_id, vector_id, axis)
        self._context.ids[instruction] = self._axes[key]

    def _read_number(self, instruction: Instruction) -> None:
        """Read a number of the subgroup, at the start of the kernel and once."""
        key = (instruction.callee, 0)
        if key not in self._axes:
            context = self._context
            context.module.capabilities.add(Capability.GroupNonUniform)
            pointer_id = context.types.pointer(StorageClass.Input, context.types.of(I32))
            variable_id = context.module.declare_variable(pointer_id, StorageClass.Input)
            context.module.decorate(variable_id, Decoration.BuiltIn, _SCALARS[instruction.callee])
            self._axes[key] = context.once(Op.Load, context.types.of(I32), variable_id)
        self._context.ids[instruction] = self._axes[key]

    def _vector(self, builtin: int) -> int:
        """Declare and load a built-in input."""
        if builtin not in self._vectors:
            module, types = self._context.module, self._context.types
            vector_type_id = types.vector(3)
            pointer_id = types.pointer(StorageClass.Input, vector_type_id)
            variable_id = module.declare_variable(pointer_id, StorageClass.Input)
            module.decorate(variable_id, Decoration.BuiltIn, builtin)
            self._vectors[builtin] = self._context.once(Op.Load, vector_type_id, variable_id)
        return self._vectors[builtin]
