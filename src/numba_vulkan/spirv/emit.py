"""Legal, structured IR to a SPIR-V module."""

from __future__ import annotations

from ..kernel import CompiledKernel, KernelInterface, Variant
from ..llvmir.model import Block, Function, Instruction, Location
from ..llvmir.types import VOID
from . import atomics, control, instructions, subgroups, variables
from ._tables import Capability, Op
from .access import Access
from .atomics import Atomics, atomic_elements
from .buffers import Buffers
from .builtins import Builtins
from .context import Context
from .instructions import BINARY
from .order import Order
from .subgroups import Subgroups
from .types import IllegalType
from .workgroup import Workgroup

__all__ = ["emit"]

_OPCODES = {**instructions.OPCODES, **variables.OPCODES, **control.OPCODES}
_CALLS = {**instructions.CALLS, **variables.CALLS}
_CAPABILITY_NAMES = {value: name for name, value in vars(Capability).items() if isinstance(value, int)}


def emit(
    function: Function,
    interface: KernelInterface,
    variant: Variant,
    llvm_ir: str = "",
    *,
    lines: bool = False,
) -> CompiledKernel:
    """Write a kernel as SPIR-V.

    Parameters
    ----------
    function : Function
        The kernel: no arguments, no phis, blocks after their dominators, types and operations legal for
        ``variant.profile``, merge annotations set.
    interface : KernelInterface
        Its arguments and parameter block.
    variant : Variant
        The device, and whether arrays may share memory.
    llvm_ir : str, optional
        LLVM's assembly of the kernel, kept in the result.
    lines : bool, optional
        Whether to write the user's lines as OpLine.

    Returns
    -------
    CompiledKernel
        The module and what a launch must know of it.

    Raises
    ------
    SpirvCodegenError
        If the IR has something that an earlier pass must have removed.
    """
    return _Emitter(function, interface, variant, lines).run(llvm_ir)


class _Emitter:
    """Walks the blocks and leaves each instruction to its row."""

    def __init__(self, function: Function, interface: KernelInterface, variant: Variant, lines: bool) -> None:
        self._context = Context(function, interface, variant)
        self._lines = lines
        self._current = Instruction("", VOID)
        self._buffers = Buffers(self._context, atomic_elements(function))
        self._order = Order(self._context)
        self._workgroup = Workgroup(self._context, self._order)
        self._access = Access(self._context, self._buffers, self._workgroup, self._order)
        self._builtins = Builtins(self._context)
        self._calls = {
            **self._access.calls,
            **self._workgroup.calls,
            **self._builtins.calls,
        }
        self._atomics = Atomics(self._context, self._access, self._order)
        self._subgroups = Subgroups(self._context)

    def run(self, llvm_ir: str) -> CompiledKernel:
        """Write the module."""
        context = self._context
        function_id, module = context.module.new_id(), context.module
        void_id = context.types.of(VOID)
        function_type_id = module.declare(Op.TypeFunction, void_id)
        context.flipped = variables.find_flipped(context.function)
        try:
            for block in context.function.blocks:
                self._block(block)
        except IllegalType as error:
            raise context.fault(self._current, str(error)) from None
        entry_label = (Op.Label | 2 << 16, context.label(context.function.entry))
        for section in (entry_label, context.variables, context.prologue, context.code):
            module.function += section
        module.name(function_id, context.interface.name)
        self._buffers.finish(self._order.of_buffers)
        module.decorate_no_contraction(context.no_contraction)
        for width in context.types.float_widths:
            if width in context.variant.profile.nan_preserve:
                module.keep_special_floats(width)
        return CompiledKernel(
            interface=context.interface,
            variant=context.variant,
            llvm_ir=llvm_ir,
            spirv=module.to_bytes(function_id, void_id, function_type_id),
            capabilities=tuple(_CAPABILITY_NAMES[number] for number in sorted(module.capabilities)),
            bindings=self._buffers.used,
            written_bindings=frozenset(self._buffers.written),
            reports_status=self._access.reports_status,
            shared_bytes=self._workgroup.size_bytes + self._order.shared_bytes,
            shared_lengths=tuple(self._workgroup.lengths),
        )

    def _block(self, block: Block) -> None:
        """Write a block; the label of the entry block is written with its variables."""
        context = self._context
        context.block = block
        if block is not context.function.entry:
            context.code += (Op.Label | 2 << 16, context.label(block))
        location: Location | None = None
        for instruction in block.instructions:
            if self._lines and instruction.location is not None and instruction.location != location:
                location = instruction.location
                context.code += (Op.Line | 4 << 16, context.module.string(location.file), location.line, 0)
            self._current = instruction
            self._instruction(instruction)

    def _instruction(self, instruction: Instruction) -> None:
        """Write an instruction."""
        context = self._context
        binary = BINARY.get((instruction.opcode, instruction.type))
        if binary is not None:
            left, right = instruction.operands
            left_id = context.ids.get(left) or context.operand(left, instruction)
            right_id = context.ids.get(right) or context.operand(right, instruction)
            type_id = context.types.of(instruction.type)
            context.ids[instruction] = context.write(binary, type_id, left_id, right_id)
            return
        if instruction.opcode == "call":
            self._call(instruction)
            return
        handler = _OPCODES.get(instruction.opcode)
        if handler is None:
            raise context.fault(instruction, f"there is no rule for this opcode with type {instruction.type}")
        handler(context, instruction)

    def _call(self, instruction: Instruction) -> None:
        """Write a placeholder or an intrinsic."""
        callee = instruction.callee
        if placeholder := self._calls.get(callee):
            placeholder(instruction)
        elif named := atomics.CALLS.get(callee):
            self._atomics.write(*named, instruction)
        elif writer := subgroups.CALLS.get(callee):
            writer(self._subgroups, instruction)
        elif handler := _CALLS.get(callee):
            handler(self._context, instruction)
        else:
            raise self._context.fault(instruction, "there is no rule for this function")
