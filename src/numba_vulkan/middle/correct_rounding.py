"""Quotients, reciprocals and square roots that are the nearest floats whatever the driver makes of them.

Where the driver does not round them so, its approximations are refined with fused multiply-adds: what one lacks is
known exactly, and adding that rounds once (Markstein). Numbers of moderate size take this way as they are. All others
go through a branch in which operands are scaled to [1, 4) and exponents are put back as integers; operands that are
zero, infinite, no number or denormal, and denormal quotients, keep the driver's result there.

Square roots of float64 are right already where float32 ones are not, but slow: they too start from the driver's inverse
root of float32. Inverses of float32 take one step where a probe has shown that it leads to the nearest float, which it
does for all but 48 mantissas whatever the driver found. How that and the constants were found:
tests/unit/test_correct_rounding.py tries all mantissas of reciprocals, and the quotients and roots that are nearest to
the middle of two floats.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from .. import abi
from ..kernel import TargetProfile
from ..llvmir.build import Builder
from ..llvmir.model import Block, Constant, Function, Instruction, Location, Value, constant
from ..llvmir.types import F32, F64, I32, PTR
from .blocks import copy_of, split_block
from .eliminate_dead import has_effect
from .passes import Context
from .rewriting import Rule, replace_uses, rewrite

__all__ = ["run"]

# How many operations share a branch: on the usual way they need none, on the rare one all of them take long.
_MOST_IN_A_BRANCH = 8
# How many instructions may lie between two of them, which both ways have.
_MOST_BETWEEN = 48

_ONE, _HALF = 0x3F800000, 0x3F000000
_MANTISSA = 0x7FFFFF
_SIGN_AND_MANTISSA = 0x807FFFFF
_SIGN = 0x80000000
_INFINITY = 0x7F800000
# Between 2**-62 and 2**62 neither quotients nor what they lack overflow or become denormal.
_LEAST, _LARGEST = 0x20800000, 0x5E800000
# A little more than 2**-48: 1 / d just above the middle of two floats, as for d just below a power of two, needs it.
_ABOVE_MIDDLE = 0x27808000
# float64: some numbers, 2**256 and 2**-128, and the upper words of what is between 2**-959 and infinity.
_HALF_64, _ONE_64, _THREE_HALVES, _NAN_64 = 0x3FE0 << 48, 0x3FF0 << 48, 0x3FF8 << 48, 0x7FF8 << 48
_UP, _DOWN = 0x4FF0 << 48, 0x37F0 << 48
_LEAST_WORD, _WORDS = 0x04000000, 0x7BE00000


def run(function: Function, context: Context) -> None:
    """Leave quotients and square roots that the driver rounds correctly, and approximations that are corrected."""
    profile = context.profile
    if profile.corrects_rounding:
        correction = _Correction(function, profile)
        for block in list(function.blocks):
            correction.block(block)
        replace_uses(function, correction.replacements)
    rewrite(function, _rule_of, context)


class _Correction:
    """The state of one run on a device whose results are corrected."""

    def __init__(self, function: Function, profile: TargetProfile) -> None:
        self.function = function
        self.profile = profile
        self.replacements: dict[Value, Value] = {}

    def block(self, block: Block) -> None:
        """Correct the operations of one block, which is split behind each stretch of them."""
        start = 0
        while (stretch := self.stretch(block, start)) is not None:
            block, start = self.corrected(block, *stretch), 0

    def stretch(self, block: Block, start: int) -> tuple[int, int] | None:
        """Return where the next operations are that can share a branch: the first, and what follows the last one.

        What lies between them is computed on both ways, so it has no effect.
        """
        first = end = count = 0
        for position in range(start, len(block.instructions)):
            instruction = block.instructions[position]
            if self.rule_of(instruction) is not None:
                first, end, count = (first if count else position), position + 1, count + 1
            is_boundary = has_effect(instruction) or instruction.type is PTR or position - end > _MOST_BETWEEN
            if count and (is_boundary or count == _MOST_IN_A_BRANCH):
                break
        return (first, end) if count else None

    def rule_of(self, instruction: Instruction) -> _Correcting | None:
        """Return what corrects an instruction."""
        if instruction.opcode == "fdiv" and instruction.type is F32:
            return None if self.profile.rounds_division else _QUOTIENTS[self.profile.inverts_in_one_step]
        if instruction.opcode == "call" and not self.profile.rounds_sqrt:
            return _SQUARE_ROOTS.get(instruction.callee)
        return None

    def corrected(self, block: Block, first: int, end: int) -> Block:
        """Put both ways in the place of some instructions; return the block behind them."""
        after = split_block(self.function, block, end)
        stretch = block.instructions[first:-1]
        location = stretch[0].location
        del block.instructions[first:]  # with the branch that the split has left
        rare = Block(f"{block.name}.rare")
        self.function.blocks.insert(self.function.blocks.index(after), rare)
        usual, careful = _Way(block, location), _Way(rare, location)
        flags: list[Value] = []
        for instruction in stretch:
            rule = self.rule_of(instruction)
            if rule is None:
                usual.copy(instruction)
                careful.copy(instruction)
                continue
            value, is_ordinary = rule.usual(usual.b, usual.operands(instruction))
            flags.append(is_ordinary)
            usual.values[instruction] = value
            careful.values[instruction] = rule.rare(careful.b, careful.operands(instruction))
        are_ordinary = flags[0]
        for flag in flags[1:]:
            are_ordinary = usual.b.binary("and", are_ordinary, flag)
        usual.b.branch_if(are_ordinary, after, rare)
        careful.b.branch(after)
        phis: list[Instruction] = []
        for i in stretch:
            operands = [usual.values[i], careful.values[i]]
            phis.append(Instruction("phi", i.type, operands, targets=[block, rare], location=i.location))
            self.replacements[i] = phis[-1]
        after.instructions[:0] = phis
        return after


class _Way:
    """One of the two ways that instructions are computed.

    Attributes
    ----------
    b : Builder
        Writes it.
    values : dict
        What stands for each instruction.
    """

    def __init__(self, block: Block, location: Location | None) -> None:
        self.b = Builder(block.instructions, location)
        self.values: dict[Value, Value] = {}

    def operands(self, instruction: Instruction) -> list[Value]:
        """Return the operands of an instruction on this way."""
        self.b.location = instruction.location
        return [self.values.get(operand, operand) for operand in instruction.operands]

    def copy(self, instruction: Instruction) -> None:
        """Compute the same."""
        copy = copy_of(instruction)
        copy.operands = self.operands(instruction)
        self.values[instruction] = self.b.emit(copy)


class _Correcting(NamedTuple):
    """How an operation is corrected: the usual result and whether it is good, and the result for any operands."""

    usual: Callable[[Builder, list[Value]], tuple[Value, Value]]
    rare: Callable[[Builder, list[Value]], Value]


def _float(bits: int) -> Constant:
    return constant(F32, bits)


def _fma(b: Builder, left: Value, right: Value, addend: Value) -> Value:
    return b.call("llvm.fma.f32", F32, left, right, addend)


def _negated(b: Builder, value: Value) -> Value:
    return b.emit(Instruction("fneg", value.type, [value]))


def _bits(b: Builder, value: Value) -> Value:
    return b.cast("bitcast", value, I32)


def _from_bits(b: Builder, bits: Value) -> Value:
    return b.cast("bitcast", bits, F32)


def _exponent(b: Builder, bits: Value) -> Value:
    return b.binary("and", b.binary("lshr", bits, b.i32(23)), b.i32(0xFF))


def _is_normal(b: Builder, exponent: Value) -> Value:
    return b.icmp("ult", b.binary("sub", exponent, b.i32(1)), b.i32(254))


def _near_one(b: Builder, bits: Value) -> Value:
    """Return the number with these bits, scaled to a magnitude in [1, 2)."""
    return _from_bits(b, b.binary("or", b.binary("and", bits, b.i32(_SIGN_AND_MANTISSA)), b.i32(_ONE)))


def _is_moderate(b: Builder, value: Value) -> Value:
    return b.binary("and", b.fcmp("ogt", value, _float(_LEAST)), b.fcmp("olt", value, _float(_LARGEST)))


# ---- quotients


def _nearest_reciprocal(b: Builder, in_one_step: bool, d: Value) -> Value:
    """Return the nearest float to a reciprocal; the driver's may be off by three units."""
    minus_d, one = _negated(b, d), _float(_ONE)
    r = b.binary("fdiv", one, d)
    r = _fma(b, r, _fma(b, minus_d, r, one), r)
    if in_one_step:
        return r
    lack = b.binary("fadd", _fma(b, minus_d, r, one), _float(_ABOVE_MIDDLE))
    return _fma(b, r, lack, r)


def _refined_quotient(b: Builder, in_one_step: bool, n: Value, d: Value) -> Value:
    r = _nearest_reciprocal(b, in_one_step, d)
    q = b.binary("fmul", n, r)
    return _fma(b, _fma(b, _negated(b, d), q, n), r, q)


def _usual_quotient(in_one_step: bool, b: Builder, operands: list[Value]) -> tuple[Value, Value]:
    sizes = [_is_moderate(b, b.call("llvm.fabs.f32", F32, operand)) for operand in operands]
    return _refined_quotient(b, in_one_step, *operands), b.binary("and", *sizes)


def _scaled_quotient(in_one_step: bool, b: Builder, operands: list[Value]) -> Value:
    """Return a quotient of any two numbers."""
    plain = b.binary("fdiv", *operands)
    n_bits, d_bits = (_bits(b, operand) for operand in operands)
    n, d = _near_one(b, n_bits), _near_one(b, d_bits)
    q = _refined_quotient(b, in_one_step, n, d)
    n_exponent, d_exponent = _exponent(b, n_bits), _exponent(b, d_bits)
    difference = b.binary("sub", n_exponent, d_exponent)
    q_bits = _bits(b, q)
    exponent = b.binary("add", _exponent(b, q_bits), difference)
    result = b.binary("add", q_bits, b.binary("shl", difference, b.i32(23)))
    infinity = b.binary("or", b.binary("and", q_bits, b.i32(_SIGN)), b.i32(_INFINITY))
    result = b.select(b.icmp("sgt", exponent, b.i32(254)), infinity, result)
    is_ordinary = b.binary("and", _is_normal(b, n_exponent), _is_normal(b, d_exponent))
    is_ordinary = b.binary("and", is_ordinary, b.icmp("sgt", exponent, b.i32(0)))
    return b.select(is_ordinary, _from_bits(b, result), plain)


# ---- square roots


def _refined_root(b: Builder, x: Value) -> Value:
    """Return the nearest float to a square root; the driver's inverse root may be off by four units."""
    inverse = b.call(abi.INVERSE_ROOT, F32, x)
    root, half = b.binary("fmul", x, inverse), b.binary("fmul", _float(_HALF), inverse)
    lack = _fma(b, _negated(b, half), root, _float(_HALF))
    root, half = _fma(b, root, lack, root), _fma(b, half, lack, half)
    return _fma(b, _fma(b, _negated(b, root), root, x), half, root)


def _usual_root(b: Builder, operands: list[Value]) -> tuple[Value, Value]:
    (x,) = operands
    return _refined_root(b, x), _is_moderate(b, x)


def _scaled_root(b: Builder, operands: list[Value]) -> Value:
    """Return the square root of any number."""
    (operand,) = operands
    plain = b.call("llvm.sqrt.f32", F32, operand)
    bits = _bits(b, operand)
    # An even power of two leaves the root as a power; the rest lies in [1, 4).
    distance = b.binary("sub", _exponent(b, bits), b.i32(127))
    odd = b.binary("and", distance, b.i32(1))
    mantissa = b.binary("and", bits, b.i32(_MANTISSA))
    scaled = b.binary("or", mantissa, b.binary("add", b.i32(_ONE), b.binary("shl", odd, b.i32(23))))
    root = _refined_root(b, _from_bits(b, scaled))
    power = b.binary("shl", b.binary("ashr", distance, b.i32(1)), b.i32(23))
    is_ordinary = b.icmp("ult", b.binary("sub", bits, b.i32(0x00800000)), b.i32(0x7F000000))
    return b.select(is_ordinary, _from_bits(b, b.binary("add", _bits(b, root), power)), plain)


def _rough_inverse_root(b: Builder, word: Value) -> Value:
    """Return 1 / sqrt(x) within 2**-20, given the upper word of a float64."""
    # An even power of two is put back into the exponent; the rest, in [1, 4), is a float32.
    rest = b.binary("xor", b.binary("and", word, b.i32(0x1FFFFF)), b.i32(0x100000))
    rest = b.binary("add", b.binary("shl", rest, b.i32(3)), b.i32(_ONE))
    inverse = _bits(b, b.call(abi.INVERSE_ROOT, F32, _from_bits(b, rest)))
    # Rounded so, the inverse root of a number just below four is a half, from which its root comes out right.
    inverse = b.binary("lshr", b.binary("add", inverse, b.i32(2)), b.i32(3))
    power = b.binary("lshr", b.binary("add", word, b.i32(0x100000)), b.i32(1))
    power = b.binary("and", power, b.i32(0x7FF00000))
    high = b.binary("sub", b.binary("add", inverse, b.i32(0x58000000)), power)
    return b.call(abi.JOIN_F64, F64, b.i32(0), high)


def _refined_double_root(b: Builder, x: Value, word: Value) -> Value:
    """Return the nearest float64 to the square root of a number from 2**-959 on; one step cubes the error.

    Negative numbers give some number, unlike those of float32, whose inverse root is none.
    """

    def fma(left: Value, right: Value, addend: Value) -> Value:
        return b.call("llvm.fma.f64", F64, left, right, addend)

    half_one = constant(F64, _HALF_64)
    inverse = _rough_inverse_root(b, word)
    root, half = b.binary("fmul", x, inverse), b.binary("fmul", half_one, inverse)
    lack = fma(_negated(b, root), half, half_one)
    lack = fma(b.binary("fmul", constant(F64, _THREE_HALVES), lack), lack, lack)
    root, half = fma(root, lack, root), fma(half, lack, half)
    return fma(fma(_negated(b, root), root, x), half, root)


def _usual_double_root(b: Builder, operands: list[Value]) -> tuple[Value, Value]:
    (x,) = operands
    word = b.call(abi.HIGH_F64, I32, x)
    is_ordinary = b.icmp("ult", b.binary("sub", word, b.i32(_LEAST_WORD)), b.i32(_WORDS))
    return _refined_double_root(b, x, word), is_ordinary


def _scaled_double_root(b: Builder, operands: list[Value]) -> Value:
    """Return the square root of any number.

    The driver's own would do, but NVIDIA's 580 seems to compute it on both ways then: 3.08 ps instead of 1.30.
    """
    (x,) = operands
    one, word = constant(F64, _ONE_64), b.call(abi.HIGH_F64, I32, x)
    is_small = b.icmp("ult", word, b.i32(_LEAST_WORD))
    scaled = b.binary("fmul", x, b.select(is_small, constant(F64, _UP), one))
    root = _refined_double_root(b, scaled, b.call(abi.HIGH_F64, I32, scaled))
    root = b.binary("fmul", root, b.select(is_small, constant(F64, _DOWN), one))
    # Negative zero, infinity and NaN are their own roots.
    special = b.select(b.fcmp("olt", x, constant(F64, 0)), constant(F64, _NAN_64), x)
    return b.select(b.icmp("uge", word, b.i32(0x7FF00000)), special, root)


# By whether one step makes inverses right.
_QUOTIENTS = {
    in_one_step: _Correcting(partial(_usual_quotient, in_one_step), partial(_scaled_quotient, in_one_step))
    for in_one_step in (False, True)
}
_SQUARE_ROOTS = {
    "llvm.sqrt.f32": _Correcting(_usual_root, _scaled_root),
    "llvm.sqrt.f64": _Correcting(_usual_double_root, _scaled_double_root),
}


# ---- reciprocals and roots of numbers that the math library knows to be of moderate size


def _reciprocal(b: Builder, call: Instruction, context: Context) -> Value:
    (d,) = call.operands
    profile = context.profile
    if call.type is F32 and profile.corrects_rounding and not profile.rounds_division:
        return _nearest_reciprocal(b, profile.inverts_in_one_step, d)
    return b.binary("fdiv", _one(call), d)


def _one(call: Instruction) -> Constant:
    return _float(_ONE) if call.type is F32 else constant(F64, _ONE_64)


def _root(b: Builder, call: Instruction, context: Context) -> Value:
    (x,) = call.operands
    profile = context.profile
    if not profile.corrects_rounding or profile.rounds_sqrt:
        return b.call("llvm.sqrt.f32" if call.type is F32 else "llvm.sqrt.f64", call.type, x)
    if call.type is F32:
        return _refined_root(b, x)
    return _refined_double_root(b, x, b.call(abi.HIGH_F64, I32, x))


def _approximate_reciprocal(b: Builder, call: Instruction, context: Context) -> Value:
    return b.binary("fdiv", _one(call), call.operands[0])


_RULES: dict[str, Rule] = {
    **dict.fromkeys(abi.APPROXIMATE_RECIPROCAL.values(), _approximate_reciprocal),
    **dict.fromkeys(abi.RECIPROCAL.values(), _reciprocal),
    **dict.fromkeys(abi.ROOT.values(), _root),
}


def _rule_of(instruction: Instruction) -> Rule | None:
    return _RULES.get(instruction.callee) if instruction.opcode == "call" else None
