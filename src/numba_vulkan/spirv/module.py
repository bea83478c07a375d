"""A module under construction: ids and the sections that SPIR-V orders, each a list of words."""

from __future__ import annotations

from array import array

from ._tables import (
    MAGIC,
    AddressingModel,
    Capability,
    Decoration,
    ExecutionMode,
    ExecutionModel,
    MemoryModel,
    Op,
)

__all__ = ["VERSION", "Module", "instruction", "text_words"]

# SPIR-V 1.5 is what Vulkan 1.2 takes; it has float controls and 8- and 16-bit storage without extensions.
VERSION = 0x00010500


def instruction(opcode: int, *operands: int) -> tuple[int, ...]:
    """Return the words of an instruction."""
    return (opcode | (len(operands) + 1) << 16, *operands)


def text_words(text: str) -> tuple[int, ...]:
    """Return a string as words: UTF-8, ended by a zero byte, padded with zeros."""
    data = text.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    return tuple(int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4))


class Module:
    """The sections of one compute shader.

    Attributes
    ----------
    capabilities : set of int
        What the module declares; whoever writes something that needs a capability adds it.
    extensions : set of str
        The SPIR-V extensions that it uses.
    declarations : list of int
        Types, constants and global variables.
    function : list of int
        The body of the function ``main``, without OpFunction and OpFunctionEnd.
    variables : list of int
        Ids of the global variables, the interface of the entry point.
    addressing : int
        The addressing model.
    """

    def __init__(self) -> None:
        self.capabilities: set[int] = {Capability.Shader}
        self.declarations: list[int] = []
        self.function: list[int] = []
        self.variables: list[int] = []
        self.extensions: set[str] = set()
        self.addressing: int = AddressingModel.Logical
        self._imports: dict[str, int] = {}
        self._strings: dict[str, int] = {}
        self._string_words: list[int] = []
        self._names: list[int] = []
        self._decorations: list[int] = []
        self._modes: list[tuple[int, ...]] = []
        self._bound = 1

    def new_id(self) -> int:
        """Return an unused id."""
        result = self._bound
        self._bound = result + 1
        return result

    def declare(self, opcode: int, *operands: int) -> int:
        """Add a type, which is what takes its id first; return the id."""
        result = self.new_id()
        self.declarations += instruction(opcode, result, *operands)
        return result

    def declare_value(self, opcode: int, type_id: int, *operands: int) -> int:
        """Add a constant or a global variable and return its id."""
        result = self.new_id()
        self.declarations += instruction(opcode, type_id, result, *operands)
        return result

    def declare_variable(self, pointer_id: int, storage: int) -> int:
        """Add a global variable, which joins the interface of the entry point."""
        result = self.declare_value(Op.Variable, pointer_id, storage)
        self.variables.append(result)
        return result

    def decorate(self, target_id: int, decoration: int, *literals: int) -> None:
        """Decorate an id."""
        self._decorations += instruction(Op.Decorate, target_id, decoration, *literals)

    def decorate_all(self, target_ids: list[int], decoration: int) -> None:
        """Give many ids one decoration without literals."""
        head = Op.Decorate | 3 << 16
        for target_id in target_ids:
            self._decorations += (head, target_id, decoration)

    def decorate_member(self, struct_id: int, member: int, decoration: int, *literals: int) -> None:
        """Decorate a member of a structure."""
        self._decorations += instruction(Op.MemberDecorate, struct_id, member, decoration, *literals)

    def name(self, target_id: int, text: str) -> None:
        """Name an id, for people who read the disassembly."""
        self._names += instruction(Op.Name, target_id, *text_words(text))

    def string(self, text: str) -> int:
        """Return the id of a string, for OpLine."""
        if text not in self._strings:
            self._strings[text] = self.new_id()
            self._string_words += instruction(Op.String, self._strings[text], *text_words(text))
        return self._strings[text]

    def import_set(self, name: str) -> int:
        """Return the id of an imported set of extended instructions."""
        if name not in self._imports:
            self._imports[name] = self.new_id()
        return self._imports[name]

    def set_mode(self, mode: int, *literals: int) -> None:
        """Set an execution mode of the entry point."""
        self._modes.append((mode, *literals))

    def keep_special_floats(self, width: int) -> None:
        """Declare that NaN, infinities and the sign of zero matter in floats of this width."""
        self.capabilities.add(Capability.SignedZeroInfNanPreserve)
        self.set_mode(ExecutionMode.SignedZeroInfNanPreserve, width)

    def decorate_no_contraction(self, target_ids: list[int]) -> None:
        """Forbid that these operations are fused or reordered."""
        self.decorate_all(target_ids, Decoration.NoContraction)

    def to_bytes(self, function_id: int, void_id: int, function_type_id: int) -> bytes:
        """Put the sections together; ``function_id`` is the id of ``main``."""
        words = array("I", (MAGIC, VERSION, 0, self._bound, 0))
        head: list[int] = []
        for capability in sorted(self.capabilities):
            head += instruction(Op.Capability, capability)
        for name in sorted(self.extensions):
            head += instruction(Op.Extension, *text_words(name))
        for name, set_id in self._imports.items():
            head += instruction(Op.ExtInstImport, set_id, *text_words(name))
        head += instruction(Op.MemoryModel, self.addressing, MemoryModel.GLSL450)
        entry = (ExecutionModel.GLCompute, function_id, *text_words("main"), *self.variables)
        head += instruction(Op.EntryPoint, *entry)
        for mode in self._modes:
            head += instruction(Op.ExecutionMode, function_id, *mode)
        begin = instruction(Op.Function, void_id, function_id, 0, function_type_id)
        sections = (head, self._string_words, self._names, self._decorations, self.declarations)
        for section in (*sections, begin, self.function, instruction(Op.FunctionEnd)):
            words.extend(section)
        return words.tobytes()
