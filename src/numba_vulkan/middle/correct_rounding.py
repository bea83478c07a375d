"""Float32 quotients, reciprocals and square roots that are the nearest floats whatever the driver makes of them.

Where the driver does not round them so, its approximations are refined with fused multiply-adds: what one lacks is
known exactly, and adding that rounds once (Markstein). Numbers of moderate size take this way as they are. All others
go through a branch in which operands are scaled to [1, 4) and exponents are put back as integers; operands that are
zero, infinite, no number or denormal, and denormal quotients, keep the driver's result there.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import abi
from ..kernel import TargetProfile
from ..llvmir.build import Builder
from ..llvmir.model import Block, Constant, Function, Instruction, Value, constant
from ..llvmir.types import F32, F64, I32
from .blocks import split_block
from .passes import Context
from .rewriting import Rule, replace_uses, rewrite

__all__ = ["run"]

_ONE, _HALF = 0x3F800000, 0x3F000000
_MANTISSA = 0x7FFFFF
_SIGN_AND_MANTISSA = 0x807FFFFF
_SIGN = 0x80000000
_INFINITY = 0x7F800000
# Between 2**-62 and 2**62 neither quotients nor what they lack overflow or become denormal.
_LEAST, _LARGEST = 0x20800000, 0x5E800000
# What a reciprocal just below a power of two lacks.
_TIE = 0x33800000  # 2**-24


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
        """Correct the operations of one block, which is split behind each."""
        position = 0
        while position < len(block.instructions):
            instruction = block.instructions[position]
            position += 1
            correct = self.rule_of(instruction)
            if correct is not None:
                block, position = self.corrected(block, position - 1, correct), 0

    def rule_of(self, instruction: Instruction) -> _Correct | None:
        """Return what corrects an instruction."""
        if instruction.type is not F32:
            return None
        if instruction.opcode == "fdiv":
            return None if self.profile.rounds_division else _divide
        is_root = instruction.opcode == "call" and instruction.callee == "llvm.sqrt.f32"
        return _square_root if is_root and not self.profile.rounds_sqrt else None

    def corrected(self, block: Block, position: int, correct: _Correct) -> Block:
        """Put both ways in the place of an instruction; return the block behind them."""
        instruction = block.instructions[position]
        after = split_block(self.function, block, position + 1)
        del block.instructions[position:]  # with the branch that the split has left
        rare = Block(f"{block.name}.rare")
        self.function.blocks.insert(self.function.blocks.index(after), rare)
        b = Builder(block.instructions, instruction.location)
        careful = Builder(rare.instructions, instruction.location)
        value, is_ordinary, other = correct(b, careful, instruction)
        b.branch_if(is_ordinary, after, rare)
        careful.branch(after)
        phi = Instruction("phi", F32, [value, other], targets=[block, rare], location=instruction.location)
        after.instructions.insert(0, phi)
        self.replacements[instruction] = phi
        return after


_Correct = Callable[[Builder, Builder, Instruction], tuple[Value, Value, Value]]
"""Emit the usual way and the rare one: the result of the former, whether it is good, and that of the latter."""


def _float(bits: int) -> Constant:
    return constant(F32, bits)


def _fma(b: Builder, left: Value, right: Value, addend: Value) -> Value:
    return b.call("llvm.fma.f32", F32, left, right, addend)


def _negated(b: Builder, value: Value) -> Value:
    return b.emit(Instruction("fneg", F32, [value]))


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


def _refined_reciprocal(b: Builder, d: Value) -> tuple[Value, Value]:
    """Return a reciprocal within half a unit, and what that before the last step lacked.

    The result is the nearest float unless that is `_TIE`: 1 / d is just above the middle of two floats then, and the
    step comes out on the middle and goes to the lower one, which is even.
    """
    minus_d, one = _negated(b, d), _float(_ONE)
    r = b.binary("fdiv", one, d)
    r = _fma(b, r, _fma(b, minus_d, r, one), r)
    lack = _fma(b, minus_d, r, one)
    return _fma(b, r, lack, r), lack


def _refined_quotient(b: Builder, n: Value, d: Value, r: Value) -> Value:
    minus_d = _negated(b, d)
    q = b.binary("fmul", n, r)
    for _ in range(2):
        q = _fma(b, _fma(b, minus_d, q, n), r, q)
    return q


def _nearest_reciprocal(b: Builder, d: Value) -> Value:
    """Return the nearest float to a reciprocal; only that of a number just below a power of two is at a tie."""
    r, lack = _refined_reciprocal(b, d)
    # A reciprocal that lacks this much is the next float for other numbers too.
    is_tie = b.fcmp("oeq", lack, _float(_TIE))
    assert isinstance(r, Instruction)
    before = r.operands[2]
    return b.select(is_tie, _from_bits(b, b.binary("add", _bits(b, before), b.i32(1))), r)


def _divide(b: Builder, careful: Builder, division: Instruction) -> tuple[Value, Value, Value]:
    n, d = division.operands
    r, lack = _refined_reciprocal(b, d)
    q = _refined_quotient(b, n, d, r)
    sizes = [_is_moderate(b, b.call("llvm.fabs.f32", F32, operand)) for operand in (n, d)]
    is_ordinary = b.binary("and", b.binary("and", *sizes), b.fcmp("une", lack, _float(_TIE)))
    return q, is_ordinary, _scaled_quotient(careful, division)


def _scaled_quotient(b: Builder, division: Instruction) -> Value:
    """Return a quotient of any two numbers."""
    plain = b.emit(Instruction("fdiv", F32, list(division.operands)))
    n_bits, d_bits = (_bits(b, operand) for operand in division.operands)
    n, d = _near_one(b, n_bits), _near_one(b, d_bits)
    q = _refined_quotient(b, n, d, _nearest_reciprocal(b, d))
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


def _square_root(b: Builder, careful: Builder, call: Instruction) -> tuple[Value, Value, Value]:
    (x,) = call.operands
    return _refined_root(b, x), _is_moderate(b, x), _scaled_root(careful, x)


def _scaled_root(b: Builder, operand: Value) -> Value:
    """Return the square root of any number."""
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


# ---- reciprocals and roots of numbers that the math library knows to be of moderate size


def _reciprocal(b: Builder, call: Instruction, context: Context) -> Value:
    (d,) = call.operands
    profile = context.profile
    if call.type is F32 and profile.corrects_rounding and not profile.rounds_division:
        return _nearest_reciprocal(b, d)
    one = _float(_ONE) if call.type is F32 else constant(F64, 0x3FF0 << 48)
    return b.binary("fdiv", one, d)


def _root(b: Builder, call: Instruction, context: Context) -> Value:
    (x,) = call.operands
    profile = context.profile
    if call.type is F32 and profile.corrects_rounding and not profile.rounds_sqrt:
        return _refined_root(b, x)
    return b.call("llvm.sqrt.f32" if call.type is F32 else "llvm.sqrt.f64", call.type, x)


_RULES: dict[str, Rule] = {
    **dict.fromkeys(abi.RECIPROCAL.values(), _reciprocal),
    **dict.fromkeys(abi.ROOT.values(), _root),
}


def _rule_of(instruction: Instruction) -> Rule | None:
    return _RULES.get(instruction.callee) if instruction.opcode == "call" else None
