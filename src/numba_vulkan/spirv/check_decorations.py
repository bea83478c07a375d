"""Decorations: layouts of blocks, bindings, built-ins and the workgroup size."""

from __future__ import annotations

from dataclasses import dataclass, field

from ._tables import AddressingModel, BuiltIn, Decoration, ExecutionMode, Op, StorageClass
from .check_sections import Sections
from .check_types import Array, Number, Pointer, Struct, TypeTable, Vector
from .decode import Instruction, Violation

__all__ = ["Decorations", "check_decorations"]

_VECTORS = frozenset(
    {
        BuiltIn.NumWorkgroups,
        BuiltIn.WorkgroupSize,
        BuiltIn.WorkgroupId,
        BuiltIn.LocalInvocationId,
        BuiltIn.GlobalInvocationId,
    }
)
# What each decoration may be on.
_VARIABLE = frozenset({Op.Variable})
_TARGETS: dict[int, frozenset[int]] = {
    Decoration.SpecId: frozenset({Op.SpecConstant}),
    Decoration.Block: frozenset({Op.TypeStruct}),
    Decoration.ArrayStride: frozenset({Op.TypeArray, Op.TypeRuntimeArray}),
    Decoration.BuiltIn: frozenset({Op.Variable, Op.SpecConstantComposite}),
    Decoration.Binding: _VARIABLE,
    Decoration.DescriptorSet: _VARIABLE,
    Decoration.Aliased: _VARIABLE,
    Decoration.Restrict: _VARIABLE,
    Decoration.Coherent: _VARIABLE,
    Decoration.NonWritable: _VARIABLE,
    Decoration.FPRoundingMode: frozenset({Op.FConvert}),
    Decoration.NoContraction: frozenset({Op.FAdd, Op.FSub, Op.FMul, Op.FDiv, Op.FNegate, Op.FConvert})
    | {*(Op.ConvertSToF, Op.ConvertUToF, Op.ConvertFToS, Op.ConvertFToU)},
}
# What members of structures may have; all but Offset only where the structure is reached by address.
_OF_ADDRESSED = frozenset({Decoration.Coherent, Decoration.NonWritable})
_OF_MEMBERS = _OF_ADDRESSED | {Decoration.Offset}
_OF_BUFFERS = frozenset(
    {
        *(Decoration.Binding, Decoration.DescriptorSet, Decoration.Aliased, Decoration.Restrict),
        *(Decoration.Coherent, Decoration.NonWritable),
    }
)


@dataclass
class Decorations:
    """Decorations by target.

    Attributes
    ----------
    of : dict
        For each id its decorations, each with its literals.
    members : dict
        The same for (structure, member).
    no_contraction, not_writable : set of int
        The ids that have these; of structures that are reached by address, those of which no member is written.
    """

    of: dict[int, dict[int, tuple[int, ...]]] = field(default_factory=dict[int, dict[int, tuple[int, ...]]])
    members: dict[tuple[int, int], dict[int, tuple[int, ...]]] = field(
        default_factory=dict[tuple[int, int], dict[int, tuple[int, ...]]]
    )
    no_contraction: set[int] = field(default_factory=set[int])
    not_writable: set[int] = field(default_factory=set[int])

    def get(self, target_id: int, decoration: int) -> tuple[int, ...] | None:
        """Return the literals of a decoration, None where the id has it not."""
        return self.of.get(target_id, {}).get(decoration)


def check_decorations(sections: Sections, table: TypeTable) -> Decorations:
    """Read the decorations and check what they are on.

    Raises
    ------
    Violation
        If a decoration is missing, double or on the wrong thing.
    """
    decorations = _read(sections)
    bindings: dict[tuple[int, ...], bool] = {}
    push_constants: list[Instruction] = []
    inputs: list[int] = []
    for variable in sections.globals:
        if variable.opcode != Op.Variable:
            continue
        storage = variable.operands[0]
        if storage == StorageClass.StorageBuffer:
            _check_buffer(variable, table, decorations, bindings)
        elif storage == StorageClass.PushConstant:
            push_constants.append(variable)
            _check_block(variable, table, decorations)
        elif storage == StorageClass.Input:
            inputs.append(_check_input(variable, table, decorations))
        elif storage == StorageClass.Workgroup:
            _check_shared(variable, table)
        else:
            raise Violation("variable", f"{variable} has storage class {storage}, which kernels do not use")
    if len(push_constants) > 1:
        raise Violation("push constants", "there are two blocks of them")
    if len(inputs) != len(set(inputs)):
        raise Violation("built-in", "an input is declared twice")
    _check_workgroup_size(sections, table, decorations)
    _check_addressed(sections, table, decorations)
    return decorations


def _read(sections: Sections) -> Decorations:
    """Collect the decorations."""
    decorations = Decorations()
    for instruction in sections.decorations:
        target_id, *rest = instruction.operands
        target = sections.defined[target_id]
        if instruction.opcode == Op.Decorate:
            decoration, *literals = rest
            if decoration == Decoration.NoContraction and target.opcode in _TARGETS[decoration]:
                # Most of all decorations.
                decorations.no_contraction.add(target_id)
                continue
            _check_target(decoration, target)
            own = decorations.of.setdefault(target_id, {})
        else:
            member, decoration, *literals = rest
            if decoration not in _OF_MEMBERS or target.opcode != Op.TypeStruct:
                raise Violation("decoration", f"{instruction} puts decoration {decoration} on {target}")
            if member >= len(target.operands):
                raise Violation("decoration", f"{target} has no member {member}")
            own = decorations.members.setdefault((target_id, member), {})
        if decoration in own:
            raise Violation("decoration", f"%{target_id} has decoration {decoration} twice")
        own[decoration] = tuple(literals)
        if decoration == Decoration.NonWritable:
            decorations.not_writable.add(target_id)
    return decorations


def _check_target(decoration: int, target: Instruction) -> None:
    """Check that a decoration is on what it may be on."""
    is_elsewhere = target.opcode not in _TARGETS.get(decoration, ())
    if target.opcode == Op.Variable and decoration in _OF_BUFFERS:
        is_elsewhere = target.operands[0] != StorageClass.StorageBuffer
    elif target.opcode == Op.Variable and decoration == Decoration.BuiltIn:
        is_elsewhere = target.operands[0] != StorageClass.Input
    if is_elsewhere:
        raise Violation("decoration", f"{target} cannot have decoration {decoration}")


def _check_addressed(sections: Sections, table: TypeTable, decorations: Decorations) -> None:
    """Check what pointers point to that come from addresses, and that other structures are not taken for such."""
    pointers = [type for type in table.types.values() if isinstance(type, Pointer)]
    addressed = [p.pointee_id for p in pointers if p.storage == StorageClass.PhysicalStorageBuffer]
    if bool(addressed) != (sections.addressing == AddressingModel.PhysicalStorageBuffer64):
        raise Violation("addressing", f"model {sections.addressing} with {len(addressed)} types of addresses")
    structs = {type_id for type_id in addressed if isinstance(table.types[type_id], Struct)}
    for struct_id in structs:
        _check_layout(struct_id, table, decorations)
    if any(p.pointee_id in structs and p.storage != StorageClass.PhysicalStorageBuffer for p in pointers):
        raise Violation("addressing", "a structure is reached by address and otherwise")
    for (struct_id, member), own in decorations.members.items():
        if struct_id not in structs and not _OF_ADDRESSED.isdisjoint(own):
            raise Violation("decoration", f"member {member} of %{struct_id} is not reached by address")


def _check_shared(variable: Instruction, table: TypeTable) -> None:
    """Check that a shared array is an array of numbers that the device computes with."""
    pointer = table.types[variable.type_id]
    assert isinstance(pointer, Pointer)
    array = table.types[pointer.pointee_id]
    if (
        not isinstance(array, Array)
        or (array.count is None and pointer.pointee_id not in table.specialized_arrays)
        or array.element_id not in table.ints | table.floats
    ):
        raise Violation("variable", f"{variable} is no array of numbers that a workgroup can share")


def _check_block(variable: Instruction, table: TypeTable, decorations: Decorations) -> None:
    """Check the layout of the structure that a variable is."""
    pointer = table.types[variable.type_id]
    assert isinstance(pointer, Pointer)
    _check_layout(pointer.pointee_id, table, decorations)


def _check_layout(struct_id: int, table: TypeTable, decorations: Decorations) -> None:
    """Check the layout of a block."""
    struct = table.types[struct_id]
    if not isinstance(struct, Struct) or decorations.get(struct_id, Decoration.Block) is None:
        raise Violation("block", f"%{struct_id} is no structure decorated Block")
    end = 0
    for member, member_id in enumerate(struct.member_ids):
        offset = decorations.members.get((struct_id, member), {}).get(Decoration.Offset)
        alignment = _element_bytes(member_id, table)
        if offset is None or offset[0] < end or offset[0] % alignment:
            raise Violation("block", f"member {member} of %{struct_id} has no Offset, or a wrong one")
        end = offset[0] + _size_bytes(member_id, table, decorations)


def _element_bytes(type_id: int, table: TypeTable) -> int:
    """Return the size of the numbers that a type is made of, at least that of a byte."""
    while isinstance(type := table.types[type_id], Array | Vector):
        type_id = type.element_id
    return max(type.width // 8, 1) if isinstance(type, Number) else 1


def _size_bytes(type_id: int, table: TypeTable, decorations: Decorations) -> int:
    """Return the size of a type in a buffer, of an array of unknown length that of one element."""
    type = table.types[type_id]
    if isinstance(type, Number) and type.kind != "bool":
        return type.width // 8
    if isinstance(type, Array):
        size = _size_bytes(type.element_id, table, decorations)
        stride = decorations.get(type_id, Decoration.ArrayStride)
        if stride is None or stride[0] != size:
            raise Violation("block", f"array %{type_id} has no ArrayStride of {size}")
        return size * (type.count or 1)
    raise Violation("block", f"%{type_id} has no size in a buffer")


def _check_buffer(
    variable: Instruction, table: TypeTable, decorations: Decorations, bindings: dict[tuple[int, ...], bool]
) -> None:
    """Check a storage buffer, and note whether the variables of its set and binding, one or several, are Aliased."""
    _check_block(variable, table, decorations)
    result_id = variable.result_id
    descriptor_set = decorations.get(result_id, Decoration.DescriptorSet)
    binding = decorations.get(result_id, Decoration.Binding)
    if descriptor_set is None or binding is None:
        raise Violation("binding", f"{variable} has no binding")
    own = decorations.of[result_id]
    if Decoration.Aliased in own and Decoration.Restrict in own:
        raise Violation("binding", f"{variable} is both Aliased and Restrict")
    place, is_aliased = (*descriptor_set, *binding), Decoration.Aliased in own
    if place in bindings and not (is_aliased and bindings[place]):
        raise Violation("binding", f"{variable} shares its binding, and not all that do are Aliased")
    bindings[place] = is_aliased


def _check_input(variable: Instruction, table: TypeTable, decorations: Decorations) -> int:
    """Check an input and return its built-in."""
    builtin = decorations.get(variable.result_id, Decoration.BuiltIn)
    pointer = table.types[variable.type_id]
    assert isinstance(pointer, Pointer)
    if (
        builtin is None
        or builtin[0] == BuiltIn.WorkgroupSize
        or not _is_builtin_type(builtin[0], pointer.pointee_id, table)
    ):
        raise Violation("built-in", f"{variable} is no built-in input of the right type")
    return builtin[0]


def _is_builtin_type(builtin: int, type_id: int, table: TypeTable) -> bool:
    """Whether a built-in can have this type."""
    type, word = table.types.get(type_id), Number("int", 32)
    if builtin in _VECTORS:
        return isinstance(type, Vector) and type.count == 3 and table.types[type.element_id] == word
    return type == word


def _check_workgroup_size(sections: Sections, table: TypeTable, decorations: Decorations) -> None:
    """Check that the workgroup size is a constant of specialization constants, each with its own number."""
    specialized: set[int] = set()
    sizes: list[Instruction] = []
    for constant in sections.globals:
        own = decorations.of.get(constant.result_id, {})
        number = own.get(Decoration.SpecId)
        if number is not None:
            if constant.opcode != Op.SpecConstant or number[0] in specialized:
                raise Violation("specialization", f"{constant} cannot have SpecId {number[0]}")
            specialized.add(number[0])
        if Decoration.BuiltIn in own and constant.opcode != Op.Variable:
            sizes.append(constant)
    if len(sizes) != 1:
        raise Violation("workgroup size", f"{len(sizes)} constants are decorated as such")
    (size,) = sizes
    if (
        size.opcode != Op.SpecConstantComposite
        or decorations.get(size.result_id, Decoration.BuiltIn) != (BuiltIn.WorkgroupSize,)
        or not _is_builtin_type(BuiltIn.WorkgroupSize, size.type_id, table)
    ):
        raise Violation("workgroup size", f"{size} is not made of specialization constants")
    local = [m for m in sections.modes if m.operands[1] == ExecutionMode.LocalSize]
    if len(local) > 1:
        raise Violation("workgroup size", "there are two of OpExecutionMode LocalSize")
