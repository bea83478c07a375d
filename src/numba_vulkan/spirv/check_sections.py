"""The order of a module's sections, its entry point, and that ids are defined once and before their use."""

from __future__ import annotations

from dataclasses import dataclass, field

from ._tables import AddressingModel, ExecutionModel, Op
from .decode import Decoded, Instruction, Violation
from .module import text_words

__all__ = ["Sections", "split"]

# Sections in the order of the specification, each with what it may contain; the function comes last.
_ORDER: tuple[tuple[int, ...], ...] = (
    (Op.Capability,),
    (Op.Extension,),
    (Op.ExtInstImport,),
    (Op.MemoryModel,),
    (Op.EntryPoint,),
    (Op.ExecutionMode,),
    (Op.String,),
    (Op.Name,),
    (Op.Decorate, Op.MemberDecorate),
    (
        *(Op.TypeVoid, Op.TypeBool, Op.TypeInt, Op.TypeFloat, Op.TypeVector),
        *(Op.TypeArray, Op.TypeRuntimeArray),
        *(Op.TypeStruct, Op.TypePointer, Op.TypeFunction),
        *(Op.ConstantTrue, Op.ConstantFalse, Op.Constant, Op.ConstantComposite, Op.ConstantNull),
        *(Op.SpecConstantTrue, Op.SpecConstantFalse, Op.SpecConstant, Op.SpecConstantComposite),
        *(Op.Variable, Op.Line, Op.NoLine),
    ),
)
_RANKS = {opcode: rank for rank, opcodes in enumerate(_ORDER) for opcode in opcodes}
_GLOBALS = len(_ORDER) - 1
_NOT_IN_FUNCTIONS = {Op.Function, Op.FunctionEnd, Op.FunctionParameter} | (
    _RANKS.keys() - {Op.Variable, Op.Line, Op.NoLine}
)
# These may name ids that come later: the function, and what is decorated.
_NAMING = frozenset({Op.EntryPoint, Op.ExecutionMode, Op.Name, Op.Decorate, Op.MemberDecorate})


@dataclass
class Sections:
    """A module by sections.

    Attributes
    ----------
    defined : dict
        The instruction that defines each id.
    globals : list of Instruction
        Types, constants and global variables.
    body : list of Instruction
        What lies between OpFunction and OpFunctionEnd.
    addressing : int
        The addressing model.
    """

    capabilities: list[int] = field(default_factory=list[int])
    imports: set[int] = field(default_factory=set[int])
    entries: list[Instruction] = field(default_factory=list[Instruction])
    modes: list[Instruction] = field(default_factory=list[Instruction])
    decorations: list[Instruction] = field(default_factory=list[Instruction])
    globals: list[Instruction] = field(default_factory=list[Instruction])
    defined: dict[int, Instruction] = field(default_factory=dict[int, Instruction])
    function: Instruction = field(default_factory=lambda: Instruction(Op.Nop, 0, 0, [], []))
    body: list[Instruction] = field(default_factory=list[Instruction])
    addressing: int = AddressingModel.Logical


def split(module: Decoded) -> Sections:
    """Return the sections of a module with one function.

    Raises
    ------
    Violation
        If something stands where it must not, is missing, or an id is defined twice or not at all.
    """
    sections = Sections()
    begin = next((k for k, i in enumerate(module.instructions) if i.opcode == Op.Function), None)
    if begin is None:
        raise Violation("sections", "the module has no function")
    head, rest = module.instructions[:begin], module.instructions[begin:]
    _define(sections, module.instructions)
    _split_head(sections, head)
    sections.function, sections.body = rest[0], rest[1:-1]
    for instruction in sections.body:
        if instruction.opcode in _NOT_IN_FUNCTIONS:
            raise Violation("sections", f"{instruction} stands in the function")
    if rest[-1].opcode != Op.FunctionEnd:
        raise Violation("sections", "the function does not end")
    _check_entry(sections, module)
    return sections


def _define(sections: Sections, instructions: list[Instruction]) -> None:
    """Note where each id is defined."""
    defined = sections.defined
    for instruction in instructions:
        result_id = instruction.result_id
        if result_id:
            if result_id in defined:
                raise Violation("single definition", f"id %{result_id} is defined by {instruction} again")
            defined[result_id] = instruction


def _split_head(sections: Sections, head: list[Instruction]) -> None:
    """Sort what precedes the function; ids must be defined before they are used."""
    known: set[int] = set()
    rank = 0
    lists: dict[int, list[Instruction]] = {
        Op.EntryPoint: sections.entries,
        Op.ExecutionMode: sections.modes,
        Op.Decorate: sections.decorations,
        Op.MemberDecorate: sections.decorations,
    }
    models: list[Instruction] = []
    lists[Op.MemoryModel] = models
    for instruction in head:
        opcode = instruction.opcode
        own = _RANKS.get(opcode, -1)
        if own < rank:
            raise Violation("sections", f"{instruction} stands after a section that follows its own")
        rank = own
        seen = sections.defined if opcode in _NAMING else known
        used = [*instruction.ids, instruction.type_id] if instruction.type_id else instruction.ids
        for used_id in used:
            if used_id not in seen:
                raise Violation("definition before use", f"{instruction} uses %{used_id}, not defined before")
        known.add(instruction.result_id)
        if opcode == Op.Capability:
            sections.capabilities.append(instruction.operands[0])
        elif opcode == Op.ExtInstImport:
            sections.imports.add(_checked_import(instruction))
        elif rank == _GLOBALS:
            sections.globals.append(instruction)
        elif opcode in lists:
            lists[opcode].append(instruction)
    if len(models) != 1:
        raise Violation("sections", "there must be one OpMemoryModel")
    sections.addressing = models[0].operands[0]


def _checked_import(instruction: Instruction) -> int:
    """Return the id of an imported set, of which there is one."""
    if tuple(instruction.operands) != text_words("GLSL.std.450"):
        raise Violation("sections", f"{instruction} imports another set than GLSL.std.450")
    return instruction.result_id


def _check_entry(sections: Sections, module: Decoded) -> None:
    """Check the entry point and its list of variables."""
    if len(sections.entries) != 1:
        raise Violation("entry point", f"there are {len(sections.entries)} of them")
    (entry,) = sections.entries
    name = text_words("main")
    if entry.operands[0] != ExecutionModel.GLCompute or tuple(entry.operands[2 : 2 + len(name)]) != name:
        raise Violation("entry point", "it is no compute shader of the name main")
    if entry.operands[1] != sections.function.result_id:
        raise Violation("entry point", f"%{entry.operands[1]} is not the function")
    for mode in sections.modes:
        if mode.operands[0] != sections.function.result_id:
            raise Violation("entry point", f"OpExecutionMode names %{mode.operands[0]}, not the function")
    listed = entry.operands[2 + len(name) :]
    variables = {i.result_id for i in sections.globals if i.opcode == Op.Variable}
    if len(listed) != len(set(listed)) or set(listed) != variables:
        wrong = sorted(set(listed) ^ variables)
        raise Violation("interface", f"the entry point must list each global variable once; wrong: {wrong}")
    if module.bound < 1 or module.bound - 1 < max(sections.defined):
        raise Violation("bound", f"the bound is {module.bound}")
