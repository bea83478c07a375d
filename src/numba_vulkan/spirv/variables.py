"""Function variables and constant tables: alloca, getelementptr, load and store."""

from __future__ import annotations

from ..abi import KEEP_VARIABLE
from ..llvmir.model import Constant, Function, GlobalArray, Instruction, Undef, Value
from ..llvmir.types import ArrayType, Type
from ._tables import Op, StorageClass
from .context import Context
from .module import instruction as words_of
from .selections import flip, mistaken_with
from .types import SCALARS

__all__ = ["CALLS", "OPCODES", "find_flipped"]


def find_flipped(function: Function) -> set[Value]:
    """Return the pointers into variables that hold values flipped, as constants are stored that Mesa mistakes."""
    roots: dict[Value, Value] = {}
    stored: dict[Value, set[tuple[Type, int]]] = {}
    for instruction in function.instructions():
        if instruction.opcode == "alloca":
            roots[instruction] = instruction
        elif instruction.opcode == "getelementptr":
            base = instruction.operands[0]
            roots[instruction] = roots.get(base, base)
        elif instruction.opcode == "store":
            value, pointer = instruction.operands
            if isinstance(value, Constant | Undef):
                bits = value.value if isinstance(value, Constant) else 0
                stored.setdefault(roots.get(pointer, pointer), set()).add((value.type, bits))
    flipped = {
        root
        for root, constants in stored.items()
        if any((type, other) in constants for type, bits in constants for other in mistaken_with(type, bits))
    }
    return {pointer for pointer, root in roots.items() if root in flipped} if flipped else flipped


def _scalar(type: Type) -> Type:
    """Return what an array, of any depth, has as elements; a scalar is its own."""
    while isinstance(type, ArrayType):
        type = type.element
    return type


def _declare(context: Context, value: Value, type: Type, user: Instruction, *initializer: int) -> int:
    """Declare a function variable; ``value`` is the pointer to it."""
    if _scalar(type) not in SCALARS:
        raise context.fault(user, f"a variable of type {type} is not legal in a shader")
    pointer_type_id = context.types.pointer(StorageClass.Function, context.types.of(type))
    result = context.module.new_id()
    context.variables += words_of(Op.Variable, pointer_type_id, result, StorageClass.Function, *initializer)
    context.ids[value] = result
    context.pointees[value] = type
    return result


def _alloca(context: Context, instruction: Instruction) -> None:
    """Declare a variable."""
    if context.block is not context.function.entry:
        raise context.fault(instruction, "stands outside the entry block")
    if any(not isinstance(count, Constant) or count.value != 1 for count in instruction.operands):
        raise context.fault(instruction, "allocates a number of elements; it must allocate an array")
    _declare(context, instruction, instruction.element, instruction)


def _pointer(context: Context, pointer: Value, user: Instruction) -> int:
    """Return the id of a pointer, declaring the table that it may be.

    A table is a function variable with an initializer: drivers keep such a variable, which is only read, as constant
    data, while copies in Private storage are made per invocation and are slow to index.
    """
    if isinstance(pointer, GlobalArray) and pointer not in context.ids:
        initializer_id = context.types.composite(pointer.initializer)
        return _declare(context, pointer, pointer.initializer.type, user, initializer_id)
    if pointer not in context.pointees:
        raise context.fault(user, "the pointer is not one to a variable or a table")
    return context.ids[pointer]


def _element_pointer(context: Context, instruction: Instruction) -> None:
    """Write an access chain: the source type is the whole variable and the first index 0, or it is an element."""
    base, *indices = instruction.operands
    base_id = _pointer(context, base, instruction)
    type = context.pointees[base]
    if instruction.element is type:
        first = indices.pop(0)
        if not isinstance(first, Constant) or first.value != 0:
            raise context.fault(instruction, f"steps over whole variables of type {type}")
    elif not isinstance(type, ArrayType) or instruction.element is not type.element:
        raise context.fault(instruction, f"steps by {instruction.element} in a variable of type {type}")
    ids: list[int] = []
    for index in indices:
        if not isinstance(type, ArrayType):
            raise context.fault(instruction, f"indexes a {type}")
        type = type.element
        # The bounds of an array in a variable fit 32 bits.
        small = isinstance(index, Constant)
        ids.append(
            context.types.word(index.value & 0xFFFFFFFF) if small else context.operand(index, instruction)
        )
    context.pointees[instruction] = type
    pointer_type_id = context.types.pointer(StorageClass.Function, context.types.of(type))
    context.ids[instruction] = (
        context.write(Op.AccessChain, pointer_type_id, base_id, *ids) if ids else base_id
    )


def _accessed(context: Context, instruction: Instruction, pointer: Value, type: Type) -> int:
    """Return the id of the pointer that a load or a store of ``type`` goes through."""
    pointer_id = _pointer(context, pointer, instruction)
    pointee = context.pointees[pointer]
    if pointee is type:
        return pointer_id
    # LLVM has no pointer type to say that the address of an array means its first element.
    zeros: list[int] = []
    while isinstance(pointee, ArrayType) and pointee is not type:
        pointee = pointee.element
        zeros.append(context.types.word(0))
    if pointee is not type:
        raise context.fault(
            instruction, f"accesses a {type} in a variable of type {context.pointees[pointer]}"
        )
    pointer_type_id = context.types.pointer(StorageClass.Function, context.types.of(type))
    return context.write(Op.AccessChain, pointer_type_id, pointer_id, *zeros)


def _load(context: Context, instruction: Instruction) -> None:
    """Load from a variable or a table."""
    pointer_id = _accessed(context, instruction, instruction.operands[0], instruction.type)
    result = context.write(Op.Load, context.types.of(instruction.type), pointer_id)
    is_flipped = instruction.operands[0] in context.flipped
    context.ids[instruction] = flip(context, instruction.type, result) if is_flipped else result


def _store(context: Context, instruction: Instruction) -> None:
    """Store to a variable."""
    value, pointer = instruction.operands
    if isinstance(pointer, GlobalArray):
        raise context.fault(instruction, f"stores to the constant table @{pointer.name}")
    pointer_id = _accessed(context, instruction, pointer, value.type)
    value_id = context.operand(value, instruction)
    if pointer in context.flipped:
        value_id = flip(context, value.type, value_id)
    context.code += (Op.Store | 3 << 16, pointer_id, value_id)


def _keep(context: Context, instruction: Instruction) -> None:
    """Copy a zero into a variable as memory, which keeps optimisers from making a value of it.

    SwiftShader runs SPIRV-Tools' optimiser first, which replaces the loads of a variable with one store by the stored
    value, and then overwrites that value in lanes that have left the loop that stores it: of a sum whose last round is
    ragged, the last element was lost. Both of the optimiser's passes over variables leave one alone that OpCopyMemory
    touches. Other drivers see a plain store. Held by tests/device/test_functions.py, test_ragged_loops.
    """
    (variable,) = instruction.operands
    type = context.pointees[variable]
    zero_id = context.zero_variables.get(type)
    if zero_id is None:
        pointer_type_id = context.types.pointer(StorageClass.Function, context.types.of(type))
        zero_id = context.zero_variables[type] = context.module.new_id()
        zero = (pointer_type_id, zero_id, StorageClass.Function, context.types.constant(type, 0))
        context.variables += words_of(Op.Variable, *zero)
    context.code += words_of(Op.CopyMemory, context.ids[variable], zero_id)


CALLS = {KEEP_VARIABLE: _keep}
OPCODES = {"alloca": _alloca, "getelementptr": _element_pointer, "load": _load, "store": _store}
