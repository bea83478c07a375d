"""What the parts of the emitter share while one kernel is written."""

from __future__ import annotations

import struct

from ..errors import SpirvCodegenError
from ..kernel import KernelInterface, Variant
from ..llvmir.model import Block, Constant, Function, Instruction, Undef, Value
from ..llvmir.types import F16, F32, I32, FloatType, Type
from ._tables import Op
from .module import Module, instruction
from .types import STORAGE_ONLY, Types

__all__ = ["Context"]

# Operations that a driver may change unless they are decorated: it contracts and reorders arithmetic, and takes a
# conversion to float and back for nothing (Mesa does; held by tests/device/test_emit_device.py).
_EXACT = frozenset({Op.FAdd, Op.FSub, Op.FMul, Op.FDiv, Op.FNegate, Op.FConvert}) | {
    *(Op.ConvertSToF, Op.ConvertUToF, Op.ConvertFToS, Op.ConvertFToU)
}


class Context:
    """The state of one emission.

    Attributes
    ----------
    ids : dict
        The id of each value that has one: instructions, constants and constant tables.
    pointees : dict
        What each pointer to a function variable points to.
    zero_variables : dict
        A function variable of each type that holds 0 throughout.
    flipped : set
        The pointers into variables that hold their values flipped (`variables.find_flipped`).
    variables, prologue, code : list of int
        Words of the entry block's variables, of what is read once at its start, and of everything after it.
    no_contraction : list of int
        Results of float arithmetic and conversions.
    block : Block
        The block under construction.
    """

    def __init__(self, function: Function, interface: KernelInterface, variant: Variant) -> None:
        self.function = function
        self.interface = interface
        self.variant = variant
        self.module = Module()
        self.types = Types(self.module, variant.profile)
        self.ids: dict[Value, int] = {}
        self.pointees: dict[Value, Type] = {}
        self.flipped: set[Value] = set()
        self.variables: list[int] = []
        self.prologue: list[int] = []
        self.code: list[int] = []
        self.no_contraction: list[int] = []
        self.block: Block = function.entry
        self.zero_variables: dict[Type, int] = {}
        self._labels: dict[Block, int] = {}

    def fault(self, where: Instruction, problem: str) -> SpirvCodegenError:
        """Return the error for an instruction that the passes before must not leave."""
        what = f"{where.opcode} %{where.name}" if where.name else where.opcode
        if where.opcode == "call":
            what += f" @{where.callee}"
        place = f" ({where.location})" if where.location else ""
        return SpirvCodegenError(
            f"emit: kernel {self.interface.name!r}, block {self.block}, {what}{place}: {problem}"
        )

    def label(self, block: Block) -> int:
        """Return the id of a block's label."""
        found = self._labels.get(block)
        if found is None:
            found = self._labels[block] = self.module.new_id()
        return found

    def operand(self, value: Value, user: Instruction) -> int:
        """Return the id of a value that ``user`` reads."""
        found = self.ids.get(value)
        if found is None:
            found = self.ids[value] = self._constant_operand(value, user)
        return found

    def _constant_operand(self, value: Value, user: Instruction) -> int:
        """Declare a constant; an undefined value is zero, which every driver understands alike."""
        if isinstance(value, Undef):
            bits = 0
        elif isinstance(value, Constant):
            bits = value.value
        elif isinstance(value, Instruction):
            raise self.fault(user, f"reads the result of {value.opcode} %{value.name} before it is written")
        else:
            raise self.fault(user, f"cannot read a {type(value).__name__}")
        if value.type in STORAGE_ONLY:
            return self._converted_constant(value.type, bits)
        return self.types.constant(value.type, bits)

    def _converted_constant(self, type: Type, bits: int) -> int:
        """Convert a constant to a type whose constants only arithmetic on that type would allow."""
        if type is F16:
            (number,) = struct.unpack("<e", bits.to_bytes(2, "little"))
            wide = self.types.constant(F32, int.from_bytes(struct.pack("<f", number), "little"))
        else:
            wide = self.types.constant(I32, bits)
        return self.once(
            Op.FConvert if isinstance(type, FloatType) else Op.UConvert, self.types.of(type), wide
        )

    def once(self, opcode: int, type_id: int, *operands: int) -> int:
        """Write an instruction at the start of the entry block and return its id."""
        result = self.module.new_id()
        self.prologue += instruction(opcode, type_id, result, *operands)
        if opcode in _EXACT:
            self.no_contraction.append(result)
        return result

    def write(self, opcode: int, type_id: int, *operands: int) -> int:
        """Write an instruction with a result and return its id."""
        result = self.module.new_id()
        self.code += (opcode | len(operands) + 3 << 16, type_id, result, *operands)
        if opcode in _EXACT:
            self.no_contraction.append(result)
        return result

    def constant_operand(self, user: Instruction, position: int, meaning: str) -> int:
        """Return the value of an operand that has to be constant."""
        value = user.operands[position]
        if not isinstance(value, Constant):
            raise self.fault(user, f"{meaning} must be a constant")
        return value.value
