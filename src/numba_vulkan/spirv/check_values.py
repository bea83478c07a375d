"""Types of the operands of each instruction of the function, and that definitions dominate uses."""

from __future__ import annotations

from collections.abc import Callable

from . import check_groups
from ._tables import GLSL_OPERANDS, Glsl, MemoryAccess, Op, StorageClass
from .check_blocks import Graph
from .check_decorations import Decorations
from .check_sections import Sections
from .check_types import Array, Number, Pointer, Struct, TypeTable, Vector
from .decode import Instruction, Violation

__all__ = ["check_values"]

_READ_ONLY = frozenset({StorageClass.Input, StorageClass.PushConstant})
_GLSL_FLOATS = frozenset(
    {Glsl.Trunc, Glsl.FAbs, Glsl.Floor, Glsl.Ceil, Glsl.Sqrt, Glsl.Fma, Glsl.RoundEven}
) | {Glsl.FSign, Glsl.Fract, Glsl.InverseSqrt, Glsl.FMin, Glsl.FMax, Glsl.Sin, Glsl.Cos, Glsl.Exp2, Glsl.Log2}
_GLSL_WORDS = frozenset({Glsl.FindILsb, Glsl.FindSMsb, Glsl.FindUMsb})


class Values:
    """What the rules need to know while they walk over the function.

    Attributes
    ----------
    roots : dict
        The variable that each pointer points into, or the type of the structure if it comes from an address.
    """

    def __init__(self, sections: Sections, table: TypeTable, decorations: Decorations) -> None:
        self.table = table
        self.types = table.value_types
        self.decorations = decorations
        self.imports = sections.imports
        self.ints, self.floats = table.ints, table.floats
        self.numbers = table.bools | table.ints | table.floats
        self.all_ints = table.ints | {
            t for t in table.narrow if table.types[t] in (Number("int", 8), Number("int", 16))
        }
        self.all_floats = table.floats | (table.narrow - self.all_ints)
        self.roots: dict[int, int] = {
            i.result_id: i.result_id for i in sections.globals if i.opcode == Op.Variable
        }

    def fail(self, instruction: Instruction, problem: str) -> Violation:
        """Return the violation for operands of the wrong type."""
        return Violation("operand types", f"{instruction} {problem}")

    def pointer(self, pointer_id: int, instruction: Instruction) -> Pointer:
        """Return the type of a pointer into a variable."""
        type = self.table.get(self.table.of_value(pointer_id, instruction), instruction)
        if not isinstance(type, Pointer) or pointer_id not in self.roots:
            raise self.fail(instruction, f"takes %{pointer_id}, which points to no memory")
        return type

    def check_written(self, pointer_id: int, pointer: Pointer, instruction: Instruction) -> None:
        """Check that what a pointer points into may be written."""
        root_id = self.roots[pointer_id]
        if pointer.storage in _READ_ONLY or root_id in self.decorations.not_writable:
            raise Violation("read-only memory", f"{instruction} writes %{root_id}")

    def check_exact(self, instruction: Instruction) -> None:
        """Check that the driver may not contract, reorder or drop an operation on floats."""
        if instruction.result_id not in self.decorations.no_contraction:
            raise Violation("NoContraction", f"{instruction} lacks it")


Rule = Callable[[Values, Instruction], None]


def check_values(sections: Sections, table: TypeTable, decorations: Decorations, graph: Graph) -> None:
    """Check every instruction of the function.

    Raises
    ------
    Violation
        If an operand has a wrong type, or its definition does not dominate it.
    """
    values = Values(sections, table, decorations)
    outside = sections.defined.keys() - {i.result_id for i in sections.body}
    # The block that defines each id; for what is defined outside the function, and for labels, -1.
    where: dict[int, int] = dict.fromkeys(outside, -1)
    where.update((block.label_id, -1) for block in graph.blocks)
    defined, types = sections.defined, table.types
    phi, variable = Op.Phi, Op.Variable
    for block in graph.blocks:
        position = block.position
        may_declare = position == 0
        for instruction in block.instructions:
            opcode = instruction.opcode
            for used_id in instruction.ids if opcode != phi else ():
                source = where.get(used_id)
                if source != -1 and source != position:
                    _check_dominance(graph, defined, source, position, instruction, used_id)
            if instruction.result_id:
                where[instruction.result_id] = position
                if instruction.type_id not in types:
                    raise Violation("type", f"%{instruction.type_id} of {instruction} is no type")
            rule = _RULES.get(opcode)
            if rule is None:
                raise Violation("opcode", f"{instruction} in {block} is none that kernels contain")
            if opcode == variable and not may_declare:
                raise Violation("variable", f"{instruction} in {block} does not begin the entry block")
            may_declare = may_declare and opcode in (Op.Variable, Op.Line)
            rule(values, instruction)


def _check_dominance(
    graph: Graph,
    defined: dict[int, Instruction],
    source: int | None,
    position: int,
    instruction: Instruction,
    used_id: int,
) -> None:
    """Check a use of a value of another block."""
    block = graph.blocks[position]
    if used_id not in defined:
        raise Violation("definition before use", f"%{used_id} in {instruction} of {block} is not defined")
    if graph.branches.parent[position] < 0:
        # No branch leads here, so that nothing has to dominate it.
        return
    if source is None or not graph.branches.dominates(source, position):
        raise Violation("dominance", f"{instruction} in {block} uses %{used_id}, which does not dominate it")


# ---- arithmetic.


def _same(kind: str) -> Rule:
    """Return the rule: result and operands have one type of this kind."""

    def rule(values: Values, instruction: Instruction) -> None:
        type_id, types = instruction.type_id, values.types
        if type_id not in getattr(values.table, kind):
            raise values.fail(instruction, f"does not compute with {kind}: %{type_id}")
        for value_id in instruction.ids:
            if types.get(value_id) != type_id:
                raise values.fail(instruction, f"takes %{value_id}, of another type than its result")

    return rule


def _float_arithmetic(values: Values, instruction: Instruction) -> None:
    """Check float arithmetic, which drivers must not contract or reorder."""
    _same_floats(values, instruction)
    values.check_exact(instruction)


def _compare(kind: str) -> Rule:
    """Return the rule: a bool from two operands of one type of this kind."""

    def rule(values: Values, instruction: Instruction) -> None:
        left_id, right_id = instruction.ids
        type_id = values.types.get(left_id)
        if instruction.type_id not in values.table.bools or type_id not in getattr(values.table, kind):
            raise values.fail(instruction, f"does not compare {kind}")
        if values.types.get(right_id) != type_id:
            raise values.fail(instruction, f"compares %{left_id} with %{right_id}, of another type")

    return rule


def _test(values: Values, instruction: Instruction) -> None:
    """Check a test of one float."""
    if (
        instruction.type_id not in values.table.bools
        or values.types.get(instruction.ids[0]) not in values.table.floats
    ):
        raise values.fail(instruction, "does not test a float")


def _select(values: Values, instruction: Instruction) -> None:
    """Check a choice between two values."""
    condition_id, true_id, false_id = instruction.ids
    types, type_id = values.types, instruction.type_id
    if types.get(condition_id) not in values.table.bools or type_id not in values.numbers:
        raise values.fail(instruction, f"selects by %{condition_id}, or a %{type_id}")
    if types.get(true_id) != type_id or types.get(false_id) != type_id:
        raise values.fail(instruction, "selects between other types than its result")


def _convert(source: str, target: str, changes_width: bool) -> Rule:
    """Return the rule of a conversion between kinds of numbers."""

    def rule(values: Values, instruction: Instruction) -> None:
        type_id, source_id = instruction.type_id, values.types.get(instruction.ids[0], 0)
        if source_id not in getattr(values, source) or type_id not in getattr(values, target):
            raise values.fail(instruction, f"does not convert {source} to {target}")
        if changes_width and type_id == source_id:
            raise values.fail(instruction, "converts to the same type")

    return rule


def _exact_convert(source: str, target: str, changes_width: bool) -> Rule:
    """Return the rule of a conversion that drivers must not take for nothing."""
    rule = _convert(source, target, changes_width)

    def exact_rule(values: Values, instruction: Instruction) -> None:
        rule(values, instruction)
        values.check_exact(instruction)

    return exact_rule


def _bits_of(values: Values, type_id: int, instruction: Instruction) -> int:
    """Return the size of a number or a vector of numbers."""
    type = values.table.get(type_id, instruction)
    if isinstance(type, Vector):
        return type.count * values.table.number(type.element_id, instruction).width
    if type_id in values.table.narrow or type_id in values.table.bools or not isinstance(type, Number):
        raise values.fail(instruction, f"reinterprets %{type_id}")
    return type.width


def _bitcast(values: Values, instruction: Instruction) -> None:
    """Check a reinterpretation of bits."""
    if isinstance(values.table.get(instruction.type_id, instruction), Pointer):
        _address(values, instruction)
        return
    source_id = values.table.of_value(instruction.ids[0], instruction)
    if source_id == instruction.type_id:
        raise values.fail(instruction, "reinterprets as the same type")
    if _bits_of(values, source_id, instruction) != _bits_of(values, instruction.type_id, instruction):
        raise values.fail(instruction, "reinterprets as another size")


def _address(values: Values, instruction: Instruction) -> None:
    """Check that two words, or an integer of their size, become the address of a structure."""
    types = values.table.types
    source = types.get(values.table.of_value(instruction.ids[0], instruction))
    if isinstance(source, Vector) and source.count == 2 and instruction.opcode == Op.Bitcast:
        is_address = types[source.element_id] == Number("int", 32)
    else:
        is_address = source == Number("int", 64) and instruction.opcode == Op.ConvertUToPtr
    pointer = types.get(instruction.type_id)
    if not is_address or not isinstance(pointer, Pointer):
        raise values.fail(instruction, "makes no pointer of two words")
    is_struct = isinstance(types[pointer.pointee_id], Struct)
    if pointer.storage != StorageClass.PhysicalStorageBuffer or not is_struct:
        raise values.fail(instruction, "makes a pointer to something else than a structure in a buffer")
    values.roots[instruction.result_id] = pointer.pointee_id


def _extended(values: Values, instruction: Instruction) -> None:
    """Check an instruction of GLSL.std.450."""
    set_id, number, *_ = instruction.operands
    arguments = instruction.ids[1:]
    if set_id not in values.imports or GLSL_OPERANDS.get(number) != len(arguments):
        raise values.fail(instruction, f"is number {number} with {len(arguments)} operands")
    allowed = values.table.floats if number in _GLSL_FLOATS else values.table.ints
    is_bits = number in _GLSL_WORDS and values.table.types.get(instruction.type_id) != Number("int", 32)
    if instruction.type_id not in allowed or is_bits:
        raise values.fail(instruction, f"is number {number} of type %{instruction.type_id}")
    for value_id in arguments:
        if values.types.get(value_id) != instruction.type_id:
            raise values.fail(instruction, f"takes %{value_id}, of another type than its result")


# ---- memory.


def _variable(values: Values, instruction: Instruction) -> None:
    """Check a function variable."""
    type = values.table.get(instruction.type_id, instruction)
    storage, *initializer = instruction.operands
    if not isinstance(type, Pointer) or storage != StorageClass.Function or type.storage != storage:
        raise Violation("variable", f"{instruction} has the wrong storage class")
    element_id = type.pointee_id
    while isinstance(element := values.table.types[element_id], Array | Vector):
        element_id = element.element_id
    if isinstance(element, Struct) or element_id in values.table.narrow:
        raise Violation("variable", f"{instruction} holds a type that kernels cannot compute with")
    if initializer and (
        initializer[0] in values.roots or values.types.get(initializer[0]) != type.pointee_id
    ):
        raise Violation("variable", f"{instruction} is initialized with %{initializer[0]}")
    values.roots[instruction.result_id] = instruction.result_id


def _check_access(values: Values, instruction: Instruction, pointer: Pointer, access: list[int]) -> None:
    """Check the memory operands of a load or a store: its alignment through an address, and whether it is volatile."""
    type, wanted = values.table.types[pointer.pointee_id], [0]
    if pointer.storage == StorageClass.PhysicalStorageBuffer and isinstance(type, Number):
        wanted = [MemoryAccess.Aligned, type.width // 8]
    mask, *rest = access or [0]
    if [mask & ~MemoryAccess.Volatile, *rest] != wanted:
        raise values.fail(instruction, f"has memory operands {access}")


def _load(values: Values, instruction: Instruction) -> None:
    """Check a load."""
    pointer_id, *access = instruction.operands
    pointer = values.pointer(pointer_id, instruction)
    _check_access(values, instruction, pointer, access)
    if pointer.pointee_id != instruction.type_id:
        raise values.fail(instruction, f"loads %{instruction.type_id} from memory of %{pointer.pointee_id}")
    if isinstance(values.table.types[pointer.pointee_id], Struct | Array):
        raise values.fail(instruction, "loads a whole array or structure")


def _store(values: Values, instruction: Instruction) -> None:
    """Check a store."""
    pointer_id, value_id, *access = instruction.operands
    pointer = values.pointer(pointer_id, instruction)
    _check_access(values, instruction, pointer, access)
    if values.types.get(value_id) != pointer.pointee_id:
        raise values.fail(instruction, f"stores %{value_id} to memory of %{pointer.pointee_id}")
    if isinstance(values.table.types[pointer.pointee_id], Struct | Array):
        raise values.fail(instruction, "stores a whole array or structure")
    values.check_written(pointer_id, pointer, instruction)


def _copy_memory(values: Values, instruction: Instruction) -> None:
    """Check a copy between two function variables of one type."""
    target_id, source_id = instruction.operands
    target, source = values.pointer(target_id, instruction), values.pointer(source_id, instruction)
    if target != source or target.storage != StorageClass.Function:
        raise values.fail(instruction, "copies between other than two function variables of one type")


def _access_chain(values: Values, instruction: Instruction) -> None:
    """Check a pointer to a part of a variable."""
    base_id, *indices = instruction.ids
    table = values.table
    base = values.pointer(base_id, instruction)
    type_id = base.pointee_id
    for index_id in indices:
        if values.types.get(index_id) not in table.ints:
            raise values.fail(instruction, f"is indexed by %{index_id}")
        type_id = table.member(type_id, table.constants.get(index_id), instruction)
    if table.types.get(instruction.type_id) != Pointer(base.storage, type_id):
        raise values.fail(instruction, f"points to %{type_id}, which its type does not say")
    values.roots[instruction.result_id] = values.roots[base_id]


def _extract(values: Values, instruction: Instruction) -> None:
    """Check the choice of a component."""
    value_id, *indices = instruction.operands
    type_id = values.table.of_value(value_id, instruction)
    for index in indices:
        type_id = values.table.member(type_id, index, instruction)
    if type_id != instruction.type_id:
        raise values.fail(instruction, f"extracts a %{type_id}")


def _construct(values: Values, instruction: Instruction) -> None:
    """Check the making of a vector from numbers."""
    type = values.table.get(instruction.type_id, instruction)
    if not isinstance(type, Vector) or type.count != len(instruction.ids):
        raise values.fail(instruction, f"makes no vector of {len(instruction.ids)} components")
    if any(values.types.get(value_id) != type.element_id for value_id in instruction.ids):
        raise values.fail(instruction, "takes components of another type")


def _multiply_extended(values: Values, instruction: Instruction) -> None:
    """Check a product of two integers as two words."""
    types, table = values.types, values.table
    left_id, right_id = instruction.ids
    type_id = types.get(left_id, 0)
    result = table.get(instruction.type_id, instruction)
    if type_id not in table.ints or types.get(right_id) != type_id or result != Struct((type_id, type_id)):
        raise values.fail(instruction, "does not make two words of two integers")


def _bits(values: Values, instruction: Instruction) -> None:
    """Check an operation on the bits of a word; Vulkan has it for 32 bits only."""
    _same_ints(values, instruction)
    if values.table.types[instruction.type_id] != Number("int", 32):
        raise values.fail(instruction, "does not work on 32 bits")


def _atomic(values: Values, instruction: Instruction) -> None:
    """Check an atomic operation: pointer, scope, orders, then values."""
    pointer_id, scope_id, *rest = instruction.ids
    pointer = values.pointer(pointer_id, instruction)
    type_id = pointer.pointee_id
    is_float = instruction.opcode == Op.AtomicFAddEXT
    if type_id not in (values.table.floats if is_float else values.table.ints):
        raise values.fail(instruction, "does not work on a number of its kind")
    if instruction.opcode != Op.AtomicStore and instruction.type_id != type_id:
        raise values.fail(instruction, "has another type than what it works on")
    orders = 2 if instruction.opcode == Op.AtomicCompareExchange else 1
    check_groups.check_orders(values.table, instruction, scope_id, rest[:orders])
    if any(values.types.get(value_id) != type_id for value_id in rest[orders:]):
        raise values.fail(instruction, "takes values of another type")
    if instruction.opcode == Op.AtomicLoad:
        if pointer.storage in _READ_ONLY:
            raise values.fail(instruction, "reads memory that cannot change")
    else:
        values.check_written(pointer_id, pointer, instruction)


# ---- control.


def _branch_if(values: Values, instruction: Instruction) -> None:
    """Check the condition of a branch."""
    if values.types.get(instruction.operands[0]) not in values.table.bools:
        raise values.fail(instruction, f"branches on %{instruction.operands[0]}")


def _switch(values: Values, instruction: Instruction) -> None:
    """Check the selector of a switch."""
    if values.types.get(instruction.operands[0]) not in values.table.ints:
        raise values.fail(instruction, f"switches on %{instruction.operands[0]}")


def _anything(values: Values, instruction: Instruction) -> None:
    """Accept: blocks and sections have been checked before."""


def _of_table(rule: check_groups.Rule) -> Rule:
    """Return a rule that needs the types only."""
    return lambda values, instruction: rule(values.table, instruction)


_same_floats, _same_ints = _same("floats"), _same("ints")
_RULES: dict[int, Rule] = {
    **dict.fromkeys(
        (
            *(Op.IAdd, Op.ISub, Op.IMul, Op.UDiv, Op.SDiv, Op.UMod, Op.SNegate, Op.Not),
            *(Op.BitwiseAnd, Op.BitwiseOr, Op.BitwiseXor),
            *(Op.ShiftLeftLogical, Op.ShiftRightLogical, Op.ShiftRightArithmetic),
        ),
        _same_ints,
    ),
    **dict.fromkeys((Op.BitCount, Op.BitReverse), _bits),
    Op.UMulExtended: _multiply_extended,
    **dict.fromkeys((Op.FAdd, Op.FSub, Op.FMul, Op.FDiv, Op.FNegate), _float_arithmetic),
    **dict.fromkeys(
        (Op.LogicalAnd, Op.LogicalOr, Op.LogicalEqual, Op.LogicalNotEqual, Op.LogicalNot), _same("bools")
    ),
    **dict.fromkeys(
        (
            *(
                Op.IEqual,
                Op.INotEqual,
                Op.UGreaterThan,
                Op.UGreaterThanEqual,
                Op.ULessThan,
                Op.ULessThanEqual,
            ),
            *(Op.SGreaterThan, Op.SGreaterThanEqual, Op.SLessThan, Op.SLessThanEqual),
        ),
        _compare("ints"),
    ),
    **dict.fromkeys(
        (
            *(Op.FOrdEqual, Op.FOrdNotEqual, Op.FOrdLessThan, Op.FOrdLessThanEqual),
            *(Op.FOrdGreaterThan, Op.FOrdGreaterThanEqual),
            *(Op.FUnordEqual, Op.FUnordNotEqual, Op.FUnordLessThan, Op.FUnordLessThanEqual),
            *(Op.FUnordGreaterThan, Op.FUnordGreaterThanEqual),
        ),
        _compare("floats"),
    ),
    **dict.fromkeys((Op.IsNan, Op.IsInf), _test),
    Op.Select: _select,
    **dict.fromkeys((Op.UConvert, Op.SConvert), _convert("all_ints", "all_ints", True)),
    Op.FConvert: _exact_convert("all_floats", "all_floats", True),
    **dict.fromkeys((Op.ConvertSToF, Op.ConvertUToF), _exact_convert("ints", "floats", False)),
    **dict.fromkeys((Op.ConvertFToS, Op.ConvertFToU), _exact_convert("floats", "ints", False)),
    Op.Bitcast: _bitcast,
    Op.ConvertUToPtr: _address,
    Op.ExtInst: _extended,
    Op.Variable: _variable,
    Op.Load: _load,
    Op.Store: _store,
    Op.CopyMemory: _copy_memory,
    Op.AccessChain: _access_chain,
    Op.CompositeExtract: _extract,
    Op.CompositeConstruct: _construct,
    **dict.fromkeys(
        (
            *(Op.AtomicLoad, Op.AtomicStore, Op.AtomicExchange, Op.AtomicCompareExchange),
            *(Op.AtomicIAdd, Op.AtomicSMin, Op.AtomicUMin, Op.AtomicSMax, Op.AtomicUMax),
            *(Op.AtomicAnd, Op.AtomicOr, Op.AtomicXor, Op.AtomicFAddEXT),
        ),
        _atomic,
    ),
    **{opcode: _of_table(rule) for opcode, rule in check_groups.RULES.items()},
    Op.BranchConditional: _branch_if,
    Op.Switch: _switch,
    **dict.fromkeys(
        (
            *(Op.Branch, Op.Return, Op.Unreachable, Op.SelectionMerge, Op.LoopMerge),
            *(Op.Line, Op.NoLine),
        ),
        _anything,
    ),
}
