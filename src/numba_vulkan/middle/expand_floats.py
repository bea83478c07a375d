"""Express float operations that drivers get wrong through integer operations on the bits and through comparisons.

Rounding to integers is done on the bits: llvmpipe rounds halves and large float64 values wrongly, Intel's driver loses
the sign of zero, others flush denormals before they look at them. Signs are flipped, cleared and copied as bits for
the same reason. SPIR-V leaves open what its minimum, maximum and NaN tests do with NaN and signed zeros.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Constant, Function, Instruction, Value, constant
from ..llvmir.types import I1, I32, FloatType, IntType
from . import literal_zeros
from .bits_of_floats import MANTISSA_BITS, FloatBits, float_type
from .float64_words import cut_f32, words_to_f32_bits
from .intrinsics import intrinsic_stem
from .passes import Context
from .rewriting import Rule, rewrite, unsupported

__all__ = ["run"]

# The bits of 2.0**27 + 1.
_SPLITTER = 0x41A0000002000000


def run(function: Function, context: Context) -> None:
    """Leave arithmetic, ordered and unordered comparisons, conversions, sqrt and fma."""
    rewrite(function, _rule_of, context)


def _rule_of(instruction: Instruction) -> Rule | None:
    opcode = instruction.opcode
    if opcode == "call":
        name = instruction.callee
        return _CALLS.get(intrinsic_stem(name) if name.startswith("llvm.") else name)
    if opcode == "fcmp":
        return _PREDICATES.get(instruction.predicate)
    return _OPCODES.get(opcode) or literal_zeros.rule_of(instruction)


# ---- signs


def _negate(b: Builder, instruction: Instruction, context: Context) -> Value:
    bits = FloatBits(b, instruction.operands[0])
    return bits.as_float(bits.apply("xor", bits.value, bits.sign_bit))


def _absolute(b: Builder, call: Instruction, context: Context) -> Value:
    bits = FloatBits(b, call.operands[0])
    return bits.as_float(bits.magnitude())


def _copy_sign(b: Builder, call: Instruction, context: Context) -> Value:
    magnitude, sign = (FloatBits(b, operand) for operand in call.operands)
    return magnitude.as_float(b.binary("or", magnitude.magnitude(), sign.sign()))


# ---- NaN and classes


def _either_is_nan(b: Builder, left: Value, right: Value) -> Value:
    tests = [FloatBits(b, v).is_nan() for v in dict.fromkeys((left, right)) if not _is_number(v)]
    if not tests:
        return constant(I1, 0)
    return tests[0] if len(tests) == 1 else b.binary("or", tests[0], tests[1])


def _is_number(value: Value) -> bool:
    """Return whether a value is known to be no NaN."""
    if not isinstance(value, Constant):
        return False
    bits = float_type(value).bits
    infinity = (1 << (bits - 1)) - (1 << MANTISSA_BITS[bits])
    return value.value & ((1 << (bits - 1)) - 1) <= infinity


def _unordered(b: Builder, compare: Instruction, context: Context) -> Value:
    return _either_is_nan(b, *compare.operands)


def _ordered(b: Builder, compare: Instruction, context: Context) -> Value:
    return b.negate(_either_is_nan(b, *compare.operands))


def _always(value: int) -> Rule:
    def rule(b: Builder, compare: Instruction, context: Context) -> Value:
        return constant(I1, value)

    return rule


def _is_class(b: Builder, call: Instruction, context: Context) -> Value:
    """Test the bits against the ranges of the wanted classes."""
    value, mask = call.operands
    assert isinstance(mask, Constant)
    bits = FloatBits(b, value)
    infinity, sign = bits.infinity, bits.sign_bit
    smallest_normal = 1 << bits.mantissa_bits
    first_quiet = infinity + (smallest_normal >> 1)
    # The first number of each class by magnitude, and LLVM's mask bits of the class: positive, negative.
    classes = (
        (0, 0x040, 0x020),
        (1, 0x080, 0x010),
        (smallest_normal, 0x100, 0x008),
        (infinity, 0x200, 0x004),
        (infinity + 1, 0x001, 0x001),
        (first_quiet, 0x002, 0x002),
    )
    wanted = [(first, bool(mask.value & positive)) for first, positive, _ in classes]
    negative = [(first, bool(mask.value & flag)) for first, _, flag in classes]
    if [flag for _, flag in wanted] == [flag for _, flag in negative]:
        return _in_ranges(bits, bits.magnitude(), wanted, sign)
    wanted += [(first + sign, flag) for first, flag in negative]
    return _in_ranges(bits, bits.value, wanted, 2 * sign)


def _in_ranges(bits: FloatBits, value: Value, wanted: list[tuple[int, bool]], end: int) -> Value:
    """Return whether a value lies in the wanted ones of consecutive ranges, given by their first numbers."""
    b = bits.builder
    result: Value = constant(I1, 0)
    starts = [*wanted, (end, False)]
    position = 0
    while position < len(wanted):
        low, is_wanted = starts[position]
        position += 1
        while starts[position][1] is is_wanted and position < len(wanted):
            position += 1
        if is_wanted:
            offset = bits.apply("sub", value, low)
            result = b.binary(
                "or", b.icmp("ule", offset, bits.constant(starts[position][0] - low - 1)), result
            )
    return result


# ---- minimum and maximum


def _extremum(predicate: str, merge: str, propagates_nan: bool) -> Rule:
    """Return the rule of a minimum or maximum.

    Parameters
    ----------
    predicate : str
        The comparison that prefers the left operand.
    merge : str
        What joins the bits of equal operands, which differ at most in the sign of zero: -0.0 is less than 0.0.
    propagates_nan : bool
        Whether a NaN is the result, or the other operand.
    """

    def rule(b: Builder, call: Instruction, context: Context) -> Value:
        left, right = call.operands
        left_bits, right_bits = FloatBits(b, left), FloatBits(b, right)
        merged = left_bits.as_float(b.binary(merge, left_bits.value, right_bits.value))
        # With a NaN both comparisons are false and the result is the right operand.
        result = b.select(b.fcmp(predicate, left, right), left, right)
        result = b.select(b.fcmp("oeq", left, right), merged, result)
        doubtful = left if propagates_nan else right
        if _is_number(doubtful):
            return result
        return b.select(FloatBits(b, doubtful).is_nan(), left, result)

    return rule


# ---- rounding to integers


def _rounding(
    increment: Callable[[FloatBits, Value, Value], Value], below_one: Callable[[FloatBits], Value]
) -> Rule:
    """Return the rule of a rounding.

    Parameters
    ----------
    increment : callable
        ``(bits, fraction mask, distance)``: what is added to the bits before those of the fraction are cleared; a
        carry into the exponent is right as it is.
    below_one : callable
        The bits of the result for magnitudes less than one.
    """

    def rule(b: Builder, call: Instruction, context: Context) -> Value:
        bits = FloatBits(b, call.operands[0])
        magnitude = bits.magnitude()
        # How many bits of the mantissa belong to the integer; meaningful from 1.0 up to where there is no fraction.
        exponent = bits.apply(
            "sub", bits.apply("lshr", magnitude, bits.mantissa_bits), bits.one >> bits.mantissa_bits
        )
        distance = bits.apply("and", exponent, bits.type.bits - 1)
        fraction = b.binary("lshr", bits.constant((1 << bits.mantissa_bits) - 1), distance)
        raised = b.binary("add", bits.value, increment(bits, fraction, distance))
        rounded = b.binary("and", raised, bits.apply("xor", fraction, -1))
        is_small = b.icmp("ult", magnitude, bits.constant(bits.one))
        rounded = b.select(is_small, below_one(bits), rounded)
        integer_from = bits.one + (bits.mantissa_bits << bits.mantissa_bits)
        is_integer = b.icmp("uge", magnitude, bits.constant(integer_from))
        return bits.as_float(b.select(is_integer, bits.value, rounded))

    return rule


def _add_nothing(bits: FloatBits, fraction: Value, distance: Value) -> Value:
    return bits.constant(0)


def _add_if_negative(bits: FloatBits, fraction: Value, distance: Value) -> Value:
    return bits.apply("and", fraction, bits.apply("ashr", bits.value, bits.type.bits - 1))


def _add_if_positive(bits: FloatBits, fraction: Value, distance: Value) -> Value:
    negative = bits.apply("ashr", bits.value, bits.type.bits - 1)
    return bits.apply("and", fraction, bits.apply("xor", negative, -1))


def _add_half(bits: FloatBits, fraction: Value, distance: Value) -> Value:
    """Add half of the last place of the integer."""
    return bits.apply("lshr", bits.apply("add", fraction, 1), 1)


def _add_half_to_even(bits: FloatBits, fraction: Value, distance: Value) -> Value:
    """Add just less than half of the last place, and the rest of it if the integer is odd."""
    places = bits.apply("sub", bits.constant(bits.mantissa_bits), distance)
    places = bits.apply("and", places, bits.type.bits - 1)
    odd = bits.apply("and", bits.apply("lshr", bits.value, places), 1)
    return bits.apply("add", bits.apply("lshr", fraction, 1), odd)


def _signed_zero(bits: FloatBits) -> Value:
    return bits.sign()


def _minus_one_below_zero(bits: FloatBits) -> Value:
    below = bits.builder.icmp("ugt", bits.value, bits.constant(bits.sign_bit))
    return bits.builder.select(below, bits.constant(bits.sign_bit | bits.one), bits.sign())


def _one_above_zero(bits: FloatBits) -> Value:
    above = bits.builder.icmp("sgt", bits.value, bits.constant(0))
    return bits.builder.select(above, bits.constant(bits.one), bits.sign())


def _one_from_half(predicate: str) -> Callable[[FloatBits], Value]:
    def below_one(bits: FloatBits) -> Value:
        half = bits.constant(bits.one - (1 << bits.mantissa_bits))
        far = bits.builder.icmp(predicate, bits.magnitude(), half)
        return bits.builder.select(far, bits.apply("or", bits.sign(), bits.one), bits.sign())

    return below_one


_round_to_even = _rounding(_add_half_to_even, _one_from_half("ugt"))


# ---- other


def _multiply_and_add(b: Builder, call: Instruction, context: Context) -> Value:
    """Round twice: nothing is contracted unless the user asks for it."""
    factor, other, addend = call.operands
    return b.binary("fadd", b.binary("fmul", factor, other), addend)


def _fused_multiply_add(b: Builder, call: Instruction, context: Context) -> None:
    """Keep it where it is known to round once."""
    if not context.profile.has_fused_fma:
        raise unsupported(
            "LLVM's fma needs a fused multiply-add, which the device lacks: call nv.math.fma", call, context
        )


def _product_error(b: Builder, call: Instruction, context: Context) -> Value:
    """Subtract a rounded product from the exact one; Dekker's way has the same bits as the fused operation."""
    left, right, product = call.operands
    if context.profile.has_fused_fma:
        return _fused(b, left, right, _minus(b, product))
    return _dekker(b, left, right, product)


def _minus(b: Builder, value: Value) -> Value:
    """Negate a number in the middle of the range; processors do it on the way, unlike an operation on the bits."""
    return b.emit(Instruction("fneg", value.type, [value]))


def _fused(b: Builder, left: Value, right: Value, addend: Value) -> Value:
    return b.call(f"llvm.fma.f{float_type(addend).bits}", addend.type, left, right, addend)


def _dekker(b: Builder, left: Value, right: Value, product: Value) -> Value:
    (left_head, left_tail), (right_head, right_tail) = _halves(b, left), _halves(b, right)
    error = b.binary("fsub", b.binary("fmul", left_head, right_head), product)
    error = b.binary("fadd", error, b.binary("fmul", left_head, right_tail))
    error = b.binary("fadd", error, b.binary("fmul", left_tail, right_head))
    return b.binary("fadd", error, b.binary("fmul", left_tail, right_tail))


def _add_product(b: Builder, call: Instruction, context: Context) -> Value:
    addend, left, right = call.operands
    if context.profile.has_fused_fma:
        return _fused(b, left, right, addend)
    return b.binary("fadd", addend, b.binary("fmul", left, right))


def _residual(b: Builder, call: Instruction, context: Context) -> Value:
    """Subtract a product from a number that it is near to, of which the rounded product leaves an exact rest."""
    n, q, d = call.operands
    if context.profile.has_fused_fma:
        return _fused(b, _minus(b, q), d, n)
    product = b.binary("fmul", q, d)
    return b.binary("fsub", b.binary("fsub", n, product), _dekker(b, q, d, product))


def _halves(b: Builder, value: Value) -> tuple[Value, Value]:
    """Split a float into two whose products with such halves are exact."""
    bits = FloatBits(b, value)
    if bits.type.bits == 32:
        # 24 bits are two times 12.
        head = bits.as_float(bits.apply("and", bits.value, -1 << 12))
    else:
        # 53 bits are two times 26 and a sign: the tail may be negative.
        scaled = b.binary("fmul", value, constant(bits.float, _SPLITTER))
        head = b.binary("fsub", scaled, b.binary("fsub", scaled, value))
    return head, b.binary("fsub", value, head)


def _reinterpret(b: Builder, call: Instruction, context: Context) -> Value:
    type = call.type
    assert isinstance(type, IntType | FloatType)
    return b.cast("bitcast", call.operands[0], type)


def _odd_bits(b: Builder, call: Instruction, context: Context) -> Value:
    """Cut a float64 to float32 in integers: SPIR-V leaves open how it rounds."""
    value = call.operands[0]
    if isinstance(value, Constant):
        return constant(I32, cut_f32(value.value))
    words = (b.call(name, I32, value) for name in (abi.LOW_F64, abi.HIGH_F64))
    return words_to_f32_bits(b, *words, to_odd=True)


def _remainder(b: Builder, instruction: Instruction, context: Context) -> Value:
    raise unsupported(
        "LLVM's frem is not available in kernels: call math.fmod, or write %", instruction, context
    )


_CALLS: dict[str, Rule] = {
    **dict.fromkeys((*abi.BITS, *abi.FROM_BITS), _reinterpret),
    **dict.fromkeys(abi.PRODUCT_ERROR.values(), _product_error),
    abi.ODD_BITS: _odd_bits,
    **dict.fromkeys(abi.ADD_PRODUCT.values(), _add_product),
    **dict.fromkeys(abi.RESIDUAL.values(), _residual),
    "llvm.fabs": _absolute,
    "llvm.copysign": _copy_sign,
    "llvm.is.fpclass": _is_class,
    "llvm.fmuladd": _multiply_and_add,
    "llvm.fma": _fused_multiply_add,
    "llvm.minnum": _extremum("olt", "or", propagates_nan=False),
    "llvm.maxnum": _extremum("ogt", "and", propagates_nan=False),
    "llvm.minimumnum": _extremum("olt", "or", propagates_nan=False),
    "llvm.maximumnum": _extremum("ogt", "and", propagates_nan=False),
    "llvm.minimum": _extremum("olt", "or", propagates_nan=True),
    "llvm.maximum": _extremum("ogt", "and", propagates_nan=True),
    "llvm.trunc": _rounding(_add_nothing, _signed_zero),
    "llvm.floor": _rounding(_add_if_negative, _minus_one_below_zero),
    "llvm.ceil": _rounding(_add_if_positive, _one_above_zero),
    "llvm.round": _rounding(_add_half, _one_from_half("uge")),
    "llvm.roundeven": _round_to_even,
    "llvm.rint": _round_to_even,
    "llvm.nearbyint": _round_to_even,
}
_PREDICATES: dict[str, Rule] = {
    "uno": _unordered,
    "ord": _ordered,
    "true": _always(1),
    "false": _always(0),
}
_OPCODES: dict[str, Rule] = {"fneg": _negate, "frem": _remainder}
