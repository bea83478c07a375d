"""Capabilities: all that are needed are declared, none besides, and the device has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..kernel import TargetProfile
from ._tables import ENUMERANTS, OPCODE_CAPABILITIES, Capability, ExecutionMode, Op
from .check_sections import Sections
from .check_types import Number, Type, TypeTable, Void
from .decode import Decoded, Violation, opcode_name

__all__ = ["check_capabilities"]

_NAMES = {value: name for name, value in vars(Capability).items() if isinstance(value, int)}
# The field of a profile that says whether the device has a capability.
_FEATURES: dict[int, Callable[[TargetProfile], object]] = {
    Capability.Shader: lambda profile: True,
    Capability.Int64: lambda profile: profile.int64,
    Capability.Float64: lambda profile: profile.float64,
    Capability.Int64Atomics: lambda profile: profile.int64_atomics,
    Capability.AtomicFloat32AddEXT: lambda profile: profile.float32_atomic_add,
    Capability.AtomicFloat64AddEXT: lambda profile: profile.float64_atomic_add,
    Capability.GroupNonUniform: lambda profile: "basic" in profile.subgroup_classes,
    Capability.GroupNonUniformVote: lambda profile: "vote" in profile.subgroup_classes,
    Capability.GroupNonUniformArithmetic: lambda profile: "arithmetic" in profile.subgroup_classes,
    Capability.GroupNonUniformBallot: lambda profile: "ballot" in profile.subgroup_classes,
    Capability.GroupNonUniformShuffle: lambda profile: "shuffle" in profile.subgroup_classes,
    Capability.GroupNonUniformShuffleRelative: lambda profile: "shuffle_relative" in profile.subgroup_classes,
    Capability.Int16: lambda profile: profile.int16,
    Capability.Int8: lambda profile: profile.int8,
    Capability.Float16: lambda profile: profile.float16,
    Capability.StorageBuffer8BitAccess: lambda profile: profile.storage8,
    Capability.StorageBuffer16BitAccess: lambda profile: profile.storage16,
    Capability.PhysicalStorageBufferAddresses: lambda profile: profile.buffer_addresses,
    Capability.SignedZeroInfNanPreserve: lambda profile: profile.nan_preserve,
}
_ATOMICS = frozenset(
    {
        *(
            Op.AtomicLoad,
            Op.AtomicStore,
            Op.AtomicExchange,
            Op.AtomicCompareExchange,
            Op.AtomicIAdd,
            Op.AtomicFAddEXT,
        ),
        *(Op.AtomicSMin, Op.AtomicUMin, Op.AtomicSMax, Op.AtomicUMax),
        *(Op.AtomicAnd, Op.AtomicOr, Op.AtomicXor),
    }
)
_ATOMIC_NUMBERS: dict[Type, int] = {
    Number("int", 64): Capability.Int64Atomics,
    Number("float", 32): Capability.AtomicFloat32AddEXT,
    Number("float", 64): Capability.AtomicFloat64AddEXT,
}
# What allows each width of numbers; one of them has to be declared.
_WIDTHS: dict[Number, tuple[int, ...]] = {
    Number("int", 8): (Capability.Int8, Capability.StorageBuffer8BitAccess),
    Number("int", 16): (Capability.Int16, Capability.StorageBuffer16BitAccess),
    Number("int", 64): (Capability.Int64,),
    Number("float", 16): (Capability.Float16, Capability.StorageBuffer16BitAccess),
    Number("float", 64): (Capability.Float64,),
}


def check_capabilities(module: Decoded, sections: Sections, table: TypeTable, profile: TargetProfile) -> None:
    """Check the declared capabilities against what the module contains and what the device has.

    Raises
    ------
    Violation
        If one is missing, unused, declared twice, or not a feature of ``profile``.
    """
    declared = set(sections.capabilities)
    if len(declared) != len(sections.capabilities):
        raise Violation("capabilities", "one is declared twice")
    for capability in sorted(declared):
        feature = _FEATURES.get(capability)
        if feature is None or not feature(profile):
            raise Violation("hidden feature", f"the profile lacks capability {_NAMES[capability]}")
    used = {Capability.Shader}
    for alternatives, what in _needs(module, table):
        found = declared.intersection(alternatives)
        if not found:
            names = " or ".join(_NAMES[c] for c in alternatives)
            raise Violation("missing capability", f"{what} needs {names}")
        used |= found
    if declared != used:
        wrong = sorted(declared ^ used)
        raise Violation("unused capability", f"{', '.join(_NAMES[c] for c in wrong)}: declared without need")
    for mode in sections.modes:
        _, number, *literals = mode.operands
        if number == ExecutionMode.SignedZeroInfNanPreserve and literals[0] not in profile.nan_preserve:
            raise Violation("hidden feature", f"the profile lacks SignedZeroInfNanPreserve {literals[0]}")


def _needs(module: Decoded, table: TypeTable) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield the capabilities of which each thing in the module needs one."""
    for opcode in {instruction.opcode for instruction in module.instructions} - {Op.AtomicFAddEXT}:
        if opcode in OPCODE_CAPABILITIES:
            yield OPCODE_CAPABILITIES[opcode], opcode_name(opcode)
    for instruction in module.instructions:
        if instruction.opcode in _ATOMICS:
            # What is stored has the type; other operations have a result of it.
            type_id = instruction.type_id or table.value_types.get(instruction.ids[-1], 0)
            needed = _ATOMIC_NUMBERS.get(table.types.get(type_id, Void()))
            if needed is not None:
                yield (needed,), f"{instruction}"
    for letter, value in module.enumerants:
        needed = ENUMERANTS[letter][value][1]
        if needed:
            yield needed, f"value {value} of an operand"
    for type_id, type in table.types.items():
        if isinstance(type, Number) and type in _WIDTHS:
            yield _WIDTHS[type], f"type %{type_id} of {type.width} bits"
