"""Arithmetic, comparisons, conversions and pure intrinsics: a row each, by opcode and type."""

from __future__ import annotations

from collections.abc import Callable

from .. import abi
from ..llvmir.model import Instruction
from ..llvmir.types import F16, F32, F64, I1, I8, I16, I32, I64, Type, VoidType
from ._tables import Decoration, FPRoundingMode, Glsl, Op
from .context import Context
from .selections import BOOL_VALUES, select, select_constants

__all__ = ["BINARY", "CALLS", "COMPARISONS", "CONVERSIONS", "GLSL_CALLS", "OPCODES"]

Handler = Callable[[Context, Instruction], None]

_INTS: tuple[Type, ...] = (I32, I64)
_FLOATS: tuple[Type, ...] = (F32, F64)
_BITS: tuple[tuple[Type, Type], ...] = ((I32, F32), (I64, F64))


def _for_types(rows: dict[str, int], types: tuple[Type, ...]) -> dict[tuple[str, Type], int]:
    """Return the rows for each of ``types``."""
    return {(name, type): opcode for name, opcode in rows.items() for type in types}


# ---- two operands and a result of one type.
BINARY: dict[tuple[str, Type], int] = {
    **_for_types(
        {
            "add": Op.IAdd,
            "sub": Op.ISub,
            "mul": Op.IMul,
            "udiv": Op.UDiv,
            "sdiv": Op.SDiv,
            "urem": Op.UMod,
            "and": Op.BitwiseAnd,
            "or": Op.BitwiseOr,
            "xor": Op.BitwiseXor,
            "shl": Op.ShiftLeftLogical,
            "lshr": Op.ShiftRightLogical,
            "ashr": Op.ShiftRightArithmetic,
        },
        _INTS,
    ),
    **_for_types({"fadd": Op.FAdd, "fsub": Op.FSub, "fmul": Op.FMul, "fdiv": Op.FDiv}, _FLOATS),
    ("and", I1): Op.LogicalAnd,
    ("or", I1): Op.LogicalOr,
    ("xor", I1): Op.LogicalNotEqual,
}

# ---- comparisons, by predicate and type of the operands; ord and uno are rewritten before.
COMPARISONS: dict[tuple[str, Type], int] = {
    **_for_types(
        {
            "eq": Op.IEqual,
            "ne": Op.INotEqual,
            "ugt": Op.UGreaterThan,
            "uge": Op.UGreaterThanEqual,
            "ult": Op.ULessThan,
            "ule": Op.ULessThanEqual,
            "sgt": Op.SGreaterThan,
            "sge": Op.SGreaterThanEqual,
            "slt": Op.SLessThan,
            "sle": Op.SLessThanEqual,
        },
        _INTS,
    ),
    **_for_types(
        {
            "oeq": Op.FOrdEqual,
            "one": Op.FOrdNotEqual,
            "ogt": Op.FOrdGreaterThan,
            "oge": Op.FOrdGreaterThanEqual,
            "olt": Op.FOrdLessThan,
            "ole": Op.FOrdLessThanEqual,
            "ueq": Op.FUnordEqual,
            "une": Op.FUnordNotEqual,
            "ugt": Op.FUnordGreaterThan,
            "uge": Op.FUnordGreaterThanEqual,
            "ult": Op.FUnordLessThan,
            "ule": Op.FUnordLessThanEqual,
        },
        _FLOATS,
    ),
    ("eq", I1): Op.LogicalEqual,
    ("ne", I1): Op.LogicalNotEqual,
}

# ---- conversions, by opcode, type of the operand and type of the result.
_NARROW: tuple[Type, ...] = (I8, I16)
CONVERSIONS: dict[tuple[str, Type, Type], int] = {
    **{("trunc", wide, narrow): Op.UConvert for wide in _INTS for narrow in _NARROW},
    **{("zext", narrow, wide): Op.UConvert for wide in _INTS for narrow in _NARROW},
    **{("sext", narrow, wide): Op.SConvert for wide in _INTS for narrow in _NARROW},
    ("trunc", I64, I32): Op.UConvert,
    ("zext", I32, I64): Op.UConvert,
    ("sext", I32, I64): Op.SConvert,
    **{("bitcast", i, f): Op.Bitcast for i, f in _BITS},
    **{("bitcast", f, i): Op.Bitcast for i, f in _BITS},
    **{("sitofp", i, f): Op.ConvertSToF for i in _INTS for f in _FLOATS},
    **{("uitofp", i, f): Op.ConvertUToF for i in _INTS for f in _FLOATS},
    **{("fptosi", f, i): Op.ConvertFToS for i in _INTS for f in _FLOATS},
    **{("fptoui", f, i): Op.ConvertFToU for i in _INTS for f in _FLOATS},
    **{("fptrunc", f, F16): Op.FConvert for f in _FLOATS},
    **{("fpext", F16, f): Op.FConvert for f in _FLOATS},
    ("fptrunc", F64, F32): Op.FConvert,
    ("fpext", F32, F64): Op.FConvert,
}

# ---- instructions of GLSL.std.450 that are exact, and the driver's approximations.
GLSL_CALLS: dict[str, int] = {
    **{
        f"llvm.{name}.{suffix}": number
        for suffix in ("f32", "f64")
        for name, number in {
            "fabs": Glsl.FAbs,
            "floor": Glsl.Floor,
            "ceil": Glsl.Ceil,
            "trunc": Glsl.Trunc,
            "sqrt": Glsl.Sqrt,
            "fma": Glsl.Fma,
        }.items()
    },
    **{
        f"llvm.{name}.{suffix}": number
        for suffix in ("i32", "i64")
        for name, number in {
            "smin": Glsl.SMin,
            "smax": Glsl.SMax,
            "umin": Glsl.UMin,
            "umax": Glsl.UMax,
        }.items()
    },
    **{
        abi.DRIVER[name]: number
        for name, number in {
            "sin": Glsl.Sin,
            "cos": Glsl.Cos,
            "exp2": Glsl.Exp2,
            "log2": Glsl.Log2,
            "inversesqrt": Glsl.InverseSqrt,
        }.items()
    },
}
GLSL_SET = "GLSL.std.450"


def _negate(context: Context, instruction: Instruction) -> None:
    """Write the negation of a float."""
    value_id = context.operand(instruction.operands[0], instruction)
    context.ids[instruction] = context.write(Op.FNegate, context.types.of(instruction.type), value_id)


def _compare(context: Context, instruction: Instruction) -> None:
    """Write a comparison."""
    left, right = instruction.operands
    opcode = COMPARISONS.get((instruction.predicate, left.type))
    if opcode is None:
        raise context.fault(instruction, f"no comparison {instruction.predicate} of {left.type}")
    left_id, right_id = context.operand(left, instruction), context.operand(right, instruction)
    context.ids[instruction] = context.write(opcode, context.types.of(I1), left_id, right_id)


def _convert(context: Context, instruction: Instruction) -> None:
    """Write a conversion between numbers, or between a number and a bool."""
    value, type = instruction.operands[0], instruction.type
    opcode = CONVERSIONS.get((instruction.opcode, value.type, type))
    types = context.types
    if opcode is not None:
        value_id = context.operand(value, instruction)
        result = context.write(opcode, types.of(type), value_id)
        if type is F16:
            # Without it the driver may round towards zero.
            context.module.decorate(result, Decoration.FPRoundingMode, FPRoundingMode.RTE)
    elif value.type is I1 and (instruction.opcode, type) in BOOL_VALUES:
        true_bits = BOOL_VALUES[instruction.opcode, type]
        result = select_constants(context, type, context.operand(value, instruction), true_bits, 0)
    elif type is I1 and instruction.opcode == "trunc" and value.type in _INTS:
        value_id = context.operand(value, instruction)
        bit = context.write(Op.BitwiseAnd, types.of(value.type), value_id, types.constant(value.type, 1))
        result = context.write(Op.INotEqual, types.of(I1), bit, types.constant(value.type, 0))
    else:
        raise context.fault(instruction, f"no conversion from {value.type} to {type}")
    context.ids[instruction] = result


def _bitcast_call(context: Context, instruction: Instruction) -> None:
    """Write a placeholder that reinterprets bits."""
    value_id = context.operand(instruction.operands[0], instruction)
    context.ids[instruction] = context.write(Op.Bitcast, context.types.of(instruction.type), value_id)


def _glsl_call(context: Context, instruction: Instruction) -> None:
    """Write an instruction of GLSL.std.450."""
    if isinstance(instruction.type, VoidType):
        raise context.fault(instruction, "the intrinsic has no result")
    type_id = context.types.of(instruction.type)
    set_id = context.module.import_set(GLSL_SET)
    ids = [context.operand(value, instruction) for value in instruction.operands]
    context.ids[instruction] = context.write(
        Op.ExtInst, type_id, set_id, GLSL_CALLS[instruction.callee], *ids
    )


# ---- words: integers of 32 bits and the halves of float64.
_WORD_OPERATIONS: dict[str, int] = {"llvm.ctpop.i32": Op.BitCount, "llvm.bitreverse.i32": Op.BitReverse}
_WORD_OF_DOUBLE: dict[str, int] = {abi.LOW_F64: 0, abi.HIGH_F64: 1}


def _word_call(context: Context, instruction: Instruction) -> None:
    """Write an operation of one word."""
    value_id = context.operand(instruction.operands[0], instruction)
    opcode = _WORD_OPERATIONS[instruction.callee]
    context.ids[instruction] = context.write(opcode, context.types.of(I32), value_id)


def _leading_zeros_call(context: Context, instruction: Instruction) -> None:
    """Write the count of leading zeros: 31 minus the position of the highest one, which is -1 in zero."""
    word_id = context.types.of(I32)
    set_id = context.module.import_set(GLSL_SET)
    value_id = context.operand(instruction.operands[0], instruction)
    position_id = context.write(Op.ExtInst, word_id, set_id, Glsl.FindUMsb, value_id)
    context.ids[instruction] = context.write(Op.ISub, word_id, context.types.word(31), position_id)


def _high_product_call(context: Context, instruction: Instruction) -> None:
    """Write the high word of the product of two unsigned words."""
    left_id, right_id = (context.operand(value, instruction) for value in instruction.operands)
    product_id = context.write(Op.UMulExtended, context.types.word_pair(), left_id, right_id)
    context.ids[instruction] = context.write(Op.CompositeExtract, context.types.of(I32), product_id, 1)


def _join_double_call(context: Context, instruction: Instruction) -> None:
    """Write the float64 that two words make."""
    low_id, high_id = (context.operand(value, instruction) for value in instruction.operands)
    words_id = context.write(Op.CompositeConstruct, context.types.vector(2), low_id, high_id)
    context.ids[instruction] = context.write(Op.Bitcast, context.types.of(F64), words_id)


def _word_of_double_call(context: Context, instruction: Instruction) -> None:
    """Write one word of a float64."""
    value_id = context.operand(instruction.operands[0], instruction)
    words_id = context.write(Op.Bitcast, context.types.vector(2), value_id)
    word = _WORD_OF_DOUBLE[instruction.callee]
    context.ids[instruction] = context.write(Op.CompositeExtract, context.types.of(I32), words_id, word)


OPCODES: dict[str, Handler] = {
    "fneg": _negate,
    "icmp": _compare,
    "fcmp": _compare,
    "select": select,
    **dict.fromkeys(sorted({opcode for opcode, _, _ in CONVERSIONS}), _convert),
}
CALLS: dict[str, Handler] = {
    **dict.fromkeys(GLSL_CALLS, _glsl_call),
    **dict.fromkeys((*abi.BITS, *abi.FROM_BITS), _bitcast_call),
    **dict.fromkeys(_WORD_OPERATIONS, _word_call),
    **dict.fromkeys(_WORD_OF_DOUBLE, _word_of_double_call),
    "llvm.ctlz.i32": _leading_zeros_call,
    abi.MULHI_U32: _high_product_call,
    abi.JOIN_F64: _join_double_call,
}
