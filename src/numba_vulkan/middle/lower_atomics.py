"""Make atomic operations those that the device has; the others become loops around compare-and-swap.

An array whose floats are exchanged or compared is made one of integers by that: `lower_access` and the emitter follow
the types of the atomic operations that are left.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import abi
from ..kernel import TargetProfile
from ..llvmir.build import Builder
from ..llvmir.model import Block, Constant, Function, Instruction, Value, constant
from ..llvmir.types import I32, VOID, IntType
from .passes import Context
from .place_shared import made_elements
from .retrying import ELEMENTS_CHANGED, Retrying
from .rewriting import replace_uses, unsupported

__all__ = ["run"]

_PREFIX = abi.ATOMICS
_BITS_OF: dict[str, str] = {"f32": "i32", "f64": "i64"}
# What most often leaves the element as it is, which takes no exchange. Where a device has them natively they are not
# used: SPIR-V says of its float minimum and maximum only that they find the smallest or largest, not what of a NaN.
_EXTREMA = ("fmin", "fmax", "nanmin", "nanmax")
_HALF = 0xFFFF


def run(function: Function, context: Context) -> None:
    """Leave atomic operations on 32-bit integers, and on what the device has besides."""
    calls = function.calls(_PREFIX)
    if not calls:
        return
    lowering = _Lowering(function, calls, context)
    for block in list(function.blocks):
        lowering.block(block)
    replace_uses(function, lowering.replacements)


class _Lowering:
    """The state of one run.

    Attributes
    ----------
    added : set of (int, str)
        Bindings and their float elements to which the device can add, and which see no other atomic operation.
    """

    def __init__(self, function: Function, calls: list[Instruction], context: Context) -> None:
        self.function = function
        self.context = context
        self.profile = context.profile
        self.replacements: dict[Value, Value] = {}
        self.declared = {array.binding: array.element for array in context.interface.bound}
        self.declared.update(made_elements(function))
        operations: dict[tuple[int, str], set[str]] = {}
        for call in calls:
            operation, element = self.checked(call)
            operations.setdefault((self.binding(call), element), set()).add(operation)
        native = _native_additions(self.profile)
        self.added = {
            (binding, element)
            for (binding, element), found in operations.items()
            if element in native and found == {"fadd"} and not self.is_shared_words(binding)
        }

    def binding(self, call: Instruction) -> int:
        """Return the number of the array."""
        binding = call.operands[0]
        assert isinstance(binding, Constant)
        return binding.value

    def is_shared_words(self, binding: int) -> bool:
        """Whether an array of a workgroup consists of words; those of buffers are reached as other elements too."""
        return binding >= abi.SHARED_BASE and self.declared.get(binding) == abi.WORDS

    def checked(self, call: Instruction) -> tuple[str, str]:
        """Return operation and element; what the device cannot do is refused."""
        _, _, operation, element = call.callee.split(".")
        binding = self.binding(call)
        is_narrowed_float = element == abi.NARROWED_ELEMENT
        if is_narrowed_float and binding >= abi.SHARED_BASE and not self.is_shared_words(binding):
            return operation, "f32"
        is_narrowed = self.declared.get(binding, element) not in (element, abi.WORDS)
        is_narrowed = is_narrowed or (element == "i64" and self.profile.mode.ints)
        if not is_narrowed and element in ("i16", "i32", "f32"):
            return operation, element
        if is_narrowed_float and not self.profile.float64:
            reason = (
                "which needs float64, which the device lacks: use float32 elements, or choose another device"
            )
        elif is_narrowed or is_narrowed_float:
            reason = "and this kernel computes 64-bit types in 32 bits: use 32-bit elements, or compile without narrow="
        elif self.profile.int64_atomics:
            return operation, element
        else:
            reason = "which needs int64_atomics, which the device lacks: use 32-bit elements, or choose another device"
        raise unsupported(f"an atomic operation on an element of 64 bits, {reason}", call, self.context)

    def block(self, block: Block) -> None:
        """Lower the operations of one block, which loops split."""
        position = 0
        while position < len(block.instructions):
            call = block.instructions[position]
            position += 1
            if call.opcode != "call" or not call.callee.startswith(_PREFIX):
                continue
            operation, element = self.checked(call)
            rule = _NEW_VALUES.get(operation)
            if element == "i16":
                block, position = self.half(block, position - 1, operation)
            elif rule is not None and (self.binding(call), element) not in self.added:
                block, position = self.loop(block, position - 1, operation, element, rule), 0
            else:
                position += self.native(block, position - 1, operation, element)

    def native(self, block: Block, position: int, operation: str, element: str) -> int:
        """Write an operation that the device has; floats are handled as integers, but for additions."""
        call = block.instructions[position]
        if element not in _BITS_OF or operation == "fadd":
            call.detail = abi.atomic_name(operation, element)
            return 0
        bits = _BITS_OF[element]
        emitted: list[Instruction] = []
        b = Builder(emitted, call.location)
        values = [b.cast("bitcast", value, ELEMENTS_CHANGED[bits]) for value in call.operands[2:]]
        result = VOID if call.type is VOID else ELEMENTS_CHANGED[bits]
        old = b.call(abi.atomic_name(operation, bits), result, *call.operands[:2], *values)
        if call.type is not VOID:
            self.replacements[call] = b.cast("bitcast", old, call.type)
        block.instructions[position : position + 1] = emitted
        return len(emitted) - 1

    def loop(self, block: Block, position: int, operation: str, element: str, rule: _Rule) -> Block:
        """Write a loop that tries to replace the element by a new value; return the block behind it."""
        call = block.instructions[position]
        bits = _BITS_OF.get(element, element)
        loop = Retrying(self.function, block, position, call.operands[:2], bits)
        value = loop.b.cast("bitcast", loop.old, call.type)
        new = loop.b.cast("bitcast", rule(loop.b, value, call.operands[2]), loop.old.type)
        if operation in _EXTREMA:
            loop.stop_unless(loop.b.icmp("ne", new, loop.old))
        loop.finish(new, abi.ATOMIC_SWAP)
        self.replacements[call] = value
        return loop.after

    def half(self, block: Block, position: int, operation: str) -> tuple[Block, int]:
        """Write an operation on half of a word; return the place behind it."""
        call = block.instructions[position]
        binding, index, *values = call.operands
        b = Builder(placed := [], call.location)
        word = b.binary("lshr", index, b.i32(1))
        shift = b.binary("shl", b.binary("and", index, b.i32(1)), b.i32(4))
        block.instructions[position:position] = placed
        position += len(placed)
        if not values:
            b = Builder(loaded := [], call.location)
            old = b.call(abi.atomic_name(operation, "i32"), I32, binding, word)
            self.replacements[call] = b.binary("and", b.binary("lshr", old, shift), b.i32(_HALF))
            block.instructions[position : position + 1] = loaded
            return block, position + len(loaded)
        is_relaxed = operation == abi.ATOMIC_SWAP
        first = abi.ATOMIC_PEEK if is_relaxed else "load"
        loop = Retrying(self.function, block, position, [binding, word], "i32", first)
        part = loop.b.binary("and", loop.b.binary("lshr", loop.old, shift), b.i32(_HALF))
        if len(values) > 1:
            loop.stop_unless(loop.b.icmp("eq", part, values[0]))
        others = loop.b.binary("xor", loop.b.binary("shl", b.i32(_HALF), shift), b.i32(-1))
        moved = loop.b.binary("shl", values[-1], shift)
        new = loop.b.binary("or", loop.b.binary("and", loop.old, others), moved)
        loop.finish(new, abi.ATOMIC_SWAP if is_relaxed else "cas")
        self.replacements[call] = part
        return loop.after, 0


def _native_additions(profile: TargetProfile) -> list[str]:
    """Return the floats to which the device can add."""
    offered = {"f32": profile.float32_atomic_add, "f64": profile.float64_atomic_add}
    return [element for element, is_offered in offered.items() if is_offered]


# ---- new values from the old one and the operand

_Rule = Callable[[Builder, Value, Value], Value]


def _add(b: Builder, old: Value, value: Value) -> Value:
    return b.binary("fadd", old, value)


def _extremum(predicate: str, nan_loses: bool) -> _Rule:
    """Return the rule of a minimum or maximum of floats; a NaN wins or loses against a number."""

    def rule(b: Builder, old: Value, value: Value) -> Value:
        is_better = b.fcmp(predicate, old, value)
        tested = value if nan_loses else old
        return b.select(b.binary("or", is_better, b.fcmp("uno", tested, tested)), old, value)

    return rule


def _increment(signedness: str) -> _Rule:
    def rule(b: Builder, old: Value, limit: Value) -> Value:
        assert isinstance(old.type, IntType)
        zero, one = constant(old.type, 0), constant(old.type, 1)
        return b.select(b.icmp(f"{signedness}ge", old, limit), zero, b.binary("add", old, one))

    return rule


def _decrement(signedness: str) -> _Rule:
    def rule(b: Builder, old: Value, limit: Value) -> Value:
        assert isinstance(old.type, IntType)
        zero, one = constant(old.type, 0), constant(old.type, 1)
        restarts = b.binary("or", b.icmp("eq", old, zero), b.icmp(f"{signedness}gt", old, limit))
        return b.select(restarts, limit, b.binary("sub", old, one))

    return rule


_NEW_VALUES: dict[str, _Rule] = {
    "fadd": _add,
    "fmin": _extremum("olt", nan_loses=False),
    "fmax": _extremum("ogt", nan_loses=False),
    "nanmin": _extremum("olt", nan_loses=True),
    "nanmax": _extremum("ogt", nan_loses=True),
    "sinc": _increment("s"),
    "uinc": _increment("u"),
    "sdec": _decrement("s"),
    "udec": _decrement("u"),
}
