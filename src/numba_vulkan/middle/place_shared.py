"""Give the arrays that a workgroup shares their numbers and make them variables of the workgroup."""

from __future__ import annotations

from collections.abc import Iterator

from .. import abi
from ..formulas import FORMULA_OPERATIONS
from ..llvmir.build import Builder
from ..llvmir.model import Constant, Function, Instruction, Value, constant
from ..llvmir.operations import operation_of
from ..llvmir.types import I32, I64, VOID
from ..parameters import WHOLE_LAUNCH
from .passes import Context
from .rewriting import replace_uses, unsupported

__all__ = ["made_elements", "run"]

_ELEMENTS = {abi.shared_name(element): element for element in (*abi.ELEMENTS, abi.WORDS)}
_DECLARATIONS = (abi.workgroup_name(""), abi.local_variable_name(""))
_LARGEST_COUNT = 2**31 - 1


def run(function: Function, context: Context) -> None:
    """Leave no call that makes a shared array; each place in the source that makes one is one variable."""
    made: dict[int, list[Instruction]] = {}
    for call in function.calls():
        if call.callee == abi.SHARED_BYTES:
            call.detail = abi.parameter_name("i32")
            call.operands = [constant(I32, context.interface.block.offset(WHOLE_LAUNCH, "shared"))]
        elif call.callee in _ELEMENTS:
            site = call.operands[0]
            assert isinstance(site, Constant)
            made.setdefault(site.value, []).append(call)
    if not made:
        return
    replacements: dict[Value, Value] = {}
    variables: list[Instruction] = []
    builder = Builder(variables)
    for number, (site, calls) in enumerate(made.items()):
        is_dynamic = site == abi.DYNAMIC_SITE
        binding = constant(I32, abi.DYNAMIC_BINDING if is_dynamic else abi.SHARED_BASE + number)
        builder.location = calls[0].location
        count = _element_count(builder, calls, context)
        builder.call(abi.workgroup_name(_ELEMENTS[calls[0].callee]), VOID, binding, count)
        replacements.update((call, binding) for call in calls)
    for block in function.blocks:
        block.instructions = [i for i in block.instructions if i not in replacements]
    function.entry.instructions[:0] = variables
    replace_uses(function, replacements)


def _element_count(b: Builder, calls: list[Instruction], context: Context) -> Value:
    """Return how many elements an array has that several calls may make, where a function was inlined twice."""
    counts = {call.operands[1] for call in calls}
    count = next(iter(counts))
    if len(counts) > 1:
        raise unsupported(
            "this shared array gets different shapes where its function is called: give each shape a function",
            calls[0],
            context,
        )
    if not isinstance(count, Constant):
        # What has too many elements, or fewer than none, has as many as no device holds.
        wide, most = _copied(b, count, calls[0], context), constant(I64, _LARGEST_COUNT)
        return b.cast("trunc", b.select(b.icmp("ult", wide, most), wide, most), I32)
    if not 0 <= count.signed <= _LARGEST_COUNT:
        raise unsupported(
            f"this shared array has a negative extent, or more than {_LARGEST_COUNT} elements",
            calls[0],
            context,
        )
    return b.i32(max(count.value, 1))


def _copied(b: Builder, value: Value, call: Instruction, context: Context) -> Value:
    """Compute a value from parameters again, at the start of the kernel.

    Raises
    ------
    VulkanUnsupportedError
        If it depends on anything else.
    """
    if isinstance(value, Constant):
        return value
    assert isinstance(value, Instruction)
    if value.opcode == "freeze":
        return _copied(b, value.operands[0], call, context)
    is_parameter = value.opcode == "call" and value.callee.startswith(abi.PARAMETERS)
    if not is_parameter and operation_of(value) not in FORMULA_OPERATIONS:
        raise unsupported(
            "the shape of a shared array must be known before the launch: literals, globals, scalar arguments of the "
            "kernel, extents of its arrays, arithmetic on these, and arguments of device functions that are given such "
            "values; for a size that follows the workgroup, use the shape 0 and launch with shared_bytes=",
            call,
            context,
        )
    operands = [_copied(b, operand, call, context) for operand in value.operands]
    return b.emit(Instruction(value.opcode, value.type, operands, detail=value.detail))


def made_elements(function: Function) -> Iterator[tuple[int, str]]:
    """Yield the number of each array that the kernel makes, shared or of one invocation, and its elements."""
    for i in function.entry.instructions:
        if i.opcode == "call" and i.callee.startswith(_DECLARATIONS):
            binding = i.operands[0]
            assert isinstance(binding, Constant)
            yield binding.value, i.callee.split(".")[2].partition("_as_")[0]
