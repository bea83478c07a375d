"""The entry point of a kernel: a function without arguments, which reads them through placeholders."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.compiler import CompileResult
from numba.core.ir import Loc

from .. import abi
from ..errors import VulkanUnsupportedError
from ..kernel import ArrayArgument, KernelInterface, LoweredKernel, ScalarArgument
from ..parameters import WHOLE_LAUNCH, Parameter, ParameterBlock, lay_out
from . import arrays, constant_arrays, placeholders
from .elements import Place
from .functions import DeviceDispatcher
from .record_types import VulkanRecord
from .target import vulkan_target
from .types import VulkanArray, members_of, parameter_of, parts_of
from .wording import noun

__all__ = ["lower"]

_I32, _I64 = ir.IntType(32), ir.IntType(64)
ENTRY_NAME = "nv_kernel"


def _place_of_return(code: CodeType) -> Loc:
    """Return where a function first returns a value that is not None."""
    for before, last in pairwise(dis.get_instructions(code)):
        is_value = before.opname != "LOAD_CONST" or before.argval is not None
        if last.opname == "RETURN_VALUE" and is_value and last.positions and last.positions.lineno:
            return Loc(code.co_filename, last.positions.lineno)
    return Loc(code.co_filename, code.co_firstlineno)


def lower(kernel: DeviceDispatcher, arguments: tuple[types.Type, ...]) -> LoweredKernel:
    """Type and lower a kernel for these argument types.

    Parameters
    ----------
    kernel : DeviceDispatcher
        The kernel.
    arguments : tuple of numba.types.Type
        One type per parameter, as `types.argument_type` gives them.

    Returns
    -------
    LoweredKernel
        Independent of any device.

    Raises
    ------
    VulkanUnsupportedError
        If the kernel returns a value.
    numba.core.errors.NumbaError
        If it cannot be typed or lowered.
    """
    kernel.compile_device(arguments)
    result = kernel.overloads[arguments]
    code = kernel.py_func.__code__
    if result.signature.return_type is not types.none:
        raise VulkanUnsupportedError(
            f"kernel '{kernel.__name__}' returns {noun(result.signature.return_type)}: kernels return "
            f"nothing; write the result into an array argument",
            loc=_place_of_return(code),
        )
    leaves = tuple(leaf for argument in arguments for leaf in _leaves(argument))
    described = tuple(_describe(index, t) for index, t in enumerate(leaves))
    collected = result.library.collect()
    parameters = [p for argument in described for p in _parameters(argument)]
    dynamic_bytes = result.library.dynamic_bytes()
    if dynamic_bytes:
        parameters.append(Parameter(WHOLE_LAUNCH, "shared", 0, "i32"))
    block = lay_out(tuple(parameters))
    constants = result.library.constants(abi.array_binding(len(described)))
    wrapper = _entry_module(result, arguments, described, block)
    constant_arrays.define(wrapper, constants)
    for library in result.library.reachable():
        # The arguments of a launch can be looked at; those of a call inside the kernel could be one array twice.
        for assumption in library.assumptions if library is not result.library else ():
            raise VulkanUnsupportedError(
                f"{assumption.message}: write the operation at its use, or loop over the elements",
                loc=assumption.loc,
            )
    assumed = result.library.assumptions
    interface = KernelInterface(
        kernel.__name__,
        code.co_filename,
        code.co_firstlineno,
        described,
        block,
        collected.exceptions,
        assumed[0].message if assumed else "",
        collected.prints,
        collected.places,
        constants=constants,
        dynamic_bytes=dynamic_bytes,
    )
    return LoweredKernel(interface, (*collected.modules, str(wrapper)), ENTRY_NAME)


def _leaves(given: Any) -> Iterator[types.Type]:
    """Yield the types of the arrays and scalars of an argument, in the order of `dispatcher.leaves`."""
    if isinstance(given, types.BaseTuple):
        for part in members_of(given):
            yield from _leaves(part)
    elif isinstance(given, types.EnumMember):
        yield given.dtype
    elif not isinstance(given, types.NoneType):
        yield given


def _describe(index: int, given: types.Type) -> ArrayArgument | ScalarArgument:
    if isinstance(given, VulkanRecord):
        return ArrayArgument(index, abi.WORDS, 0, "A")
    if isinstance(given, VulkanArray):
        return ArrayArgument(index, given.element, given.ndim, given.layout, given.is_wide)
    type = parameter_of(given)
    assert type is not None
    return ScalarArgument(index, type, str(given), parts_of(given))


def _parameters(argument: ArrayArgument | ScalarArgument) -> list[Parameter]:
    """Return what the launch must pass for one argument besides a buffer."""
    if isinstance(argument, ScalarArgument):
        return [Parameter(argument.index, "scalar", part, argument.type) for part in range(argument.parts)]
    axes = range(argument.ndim)
    kind = "i64" if argument.is_wide else "i32"
    parameters = [Parameter(argument.index, "extent", axis, kind) for axis in axes]
    if argument.layout == "A":
        parameters += [Parameter(argument.index, "stride", axis, kind) for axis in axes]
        parameters.append(Parameter(argument.index, "offset", 0, kind))
    return parameters


class _ArgumentReader:
    """Emits the reads of the parameter block, in the order of the arguments."""

    def __init__(
        self,
        builder: ir.IRBuilder,
        block: ParameterBlock,
        described: tuple[ArrayArgument | ScalarArgument, ...],
    ) -> None:
        self._builder = builder
        self._block = block
        self._remaining = iter(described)

    def read(self, numba_type: Any) -> ir.Value:
        """Return the next argument."""
        context = vulkan_target.target_context
        if isinstance(numba_type, types.BaseTuple):
            parts = [self.read(part) for part in members_of(numba_type)]
            return context.make_tuple(self._builder, numba_type, parts)
        if isinstance(numba_type, types.NoneType):
            return context.get_dummy_value()
        if isinstance(numba_type, types.EnumMember):
            numba_type = numba_type.dtype
        argument = next(self._remaining)
        if isinstance(numba_type, VulkanRecord):
            first = self._read(abi.parameter_name("i32"), argument.index, "offset")
            place = Place(ir.Constant(_I32, abi.array_binding(argument.index)), first, numba_type.unit)
            return arrays.record_at(context, self._builder, numba_type, place)
        if isinstance(argument, ArrayArgument):
            return self._array(argument, numba_type)
        return self._scalar(argument, numba_type)

    def _scalar(self, argument: ScalarArgument, numba_type: Any) -> ir.Value:
        name, context = abi.parameter_name(argument.type), vulkan_target.target_context
        value = self._read(name, argument.index, "scalar")
        if argument.parts > 1:
            number = context.make_complex(self._builder, numba_type)
            number.real, number.imag = value, self._read(name, argument.index, "scalar", 1)
            return number._getvalue()
        if numba_type is types.float16:
            return context.cast(self._builder, value, types.float32, numba_type)
        if numba_type is types.boolean:
            return self._builder.icmp_unsigned("!=", value, ir.Constant(_I32, 0))
        bits = getattr(numba_type, "bitwidth", 32)
        if isinstance(numba_type, types.Integer) and bits < 32:
            return self._builder.trunc(value, ir.IntType(bits))
        return value

    def _array(self, argument: ArrayArgument, numba_type: VulkanArray) -> ir.Value:
        builder = self._builder
        axes = range(argument.ndim)
        array = cgutils.create_struct_proxy(numba_type)(vulkan_target.target_context, builder)
        kind = arrays.index_type(numba_type)
        number = abi.parameter_name(str(kind))
        array.binding, array.offset = ir.Constant(_I32, argument.binding), ir.Constant(kind, 0)
        extent = number if argument.is_wide else abi.EXTENT
        extents = [self._read(extent, argument.index, "extent", axis) for axis in axes]
        array.shape = cgutils.pack_array(builder, [arrays.in_64_bits(builder, e) for e in extents], _I64)
        if argument.layout == "A":
            steps = [self._read(number, argument.index, "stride", axis) for axis in axes]
            array.steps = cgutils.pack_array(builder, steps, kind)
            array.offset = self._read(number, argument.index, "offset")
        return array._getvalue()

    def _read(self, placeholder: str, argument: int, kind: str, axis: int = 0) -> ir.Value:
        offset = ir.Constant(_I32, self._block.offset(argument, kind, axis))
        return placeholders.call(self._builder, placeholder, offset)


def _entry_module(
    result: CompileResult,
    types_of: tuple[types.Type, ...],
    described: tuple[ArrayArgument | ScalarArgument, ...],
    block: ParameterBlock,
) -> ir.Module:
    """Return the module with the entry point."""
    context = vulkan_target.target_context
    module = context.create_module("entry")
    signature = context.call_conv.get_function_type(types.none, types_of)
    callee = ir.Function(module, signature, result.fndesc.llvm_func_name)
    entry = ir.Function(module, ir.FunctionType(ir.VoidType(), []), ENTRY_NAME)
    builder = ir.IRBuilder(entry.append_basic_block("entry"))
    reader = _ArgumentReader(builder, block, described)
    values = [reader.read(t) for t in types_of]
    context.call_conv.call_function(builder, callee, types.none, types_of, values)
    builder.ret_void()
    return module
