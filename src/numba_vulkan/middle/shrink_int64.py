"""Compute 64-bit integers that are provably small in 32 bits, on devices that have both.

Ids and extents are below 2**31, and so is much of what follows from them: counters of loops, remainders, masked
values. Such a value is computed as a word, which is read as signed, or as unsigned if the value may reach 2**31; where
64 bits are needed the word is extended.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Block, Constant, Function, Instruction, Undef, Value, constant
from ..llvmir.types import I1, I32, I64
from .int64.intervals import FULL, Range, constant_range
from .int64.ranges import signed_ranges
from .intrinsics import intrinsic_stem
from .passes import Context
from .rewriting import replace_uses

__all__ = ["run"]


def run(function: Function, context: Context) -> None:
    """Shrink what is known to be small."""
    if not any(i.type is I64 for i in function.instructions()):
        return
    shrinking = _Shrinking(function)
    if shrinking.words or shrinking.ranges:
        shrinking.rewrite(function)


class _Shrinking:
    """The state of one run.

    Attributes
    ----------
    ranges : dict
        What is known of the size of 64-bit values.
    low_only : set
        Values of which nobody sees more than the low word, small or not.
    words : dict
        The word that stands for each small value; for extensions of words, the word itself.
    replacements : dict
        What stands for instructions that are gone.
    """

    def __init__(self, function: Function) -> None:
        self.ranges: dict[Value, Range] = signed_ranges(function)
        self.words: dict[Value, Value] = {}
        self.replacements: dict[Value, Value] = {}
        small = {value for value in self.ranges if self._fits(value)}
        self.low_only = _low_only(function, small)
        for instruction in function.instructions():
            if instruction in self.low_only or instruction in small:
                self._shrink(instruction)

    # ---- what is known

    def range(self, value: Value) -> Range:
        """Return the interval of a 64-bit operand."""
        return constant_range(value) if isinstance(value, Constant) else self.ranges.get(value, FULL)

    def are_signed(self, *values: Value) -> bool:
        """Whether values are those of their low words read as signed."""
        return all(r.low >= -(2**31) and r.high < 2**31 for r in map(self.range, values))

    def are_unsigned(self, *values: Value) -> bool:
        """Whether values are those of their low words read as unsigned."""
        return all(r.low >= 0 and r.high < 2**32 for r in map(self.range, values))

    def _fits(self, value: Value) -> bool:
        return self.are_signed(value) or self.are_unsigned(value)

    def _shrink(self, instruction: Instruction) -> None:
        """Make the word of a small value, still without operands, if its operation can be done in words."""
        opcode, operands = instruction.opcode, instruction.operands
        if opcode in ("zext", "sext") and operands[0].type is I32:
            self.words[instruction] = operands[0]
            return
        form = _FORMS.get(intrinsic_stem(instruction.callee) if opcode == "call" else opcode)
        word_opcode = form(self, instruction) if form else None
        if word_opcode is not None:
            detail = f"{word_opcode}.i32" if opcode == "call" else None
            word = Instruction(opcode if opcode == "call" else word_opcode, I32, detail=detail)
            word.name, word.location, word.targets = (
                instruction.name,
                instruction.location,
                instruction.targets,
            )
            instruction.name = ""
            self.words[instruction] = word

    # ---- rewriting

    def resolved(self, value: Value) -> Value:
        """Return what will stand for a value."""
        while value in self.replacements:
            value = self.replacements[value]
        return value

    def rewrite(self, function: Function) -> None:
        """Replace what the words stand for, and use them."""
        for block in function.blocks:
            self._rewrite_block(block)
        self._complete_phis(function)
        replace_uses(function, self.replacements)

    def _rewrite_block(self, block: Block) -> None:
        phis = list(block.phis())
        rewritten: list[Instruction] = [phi for phi in phis if phi not in self.words]
        b = Builder(rewritten)
        small = [phi for phi in phis if phi in self.words]
        rewritten += [word for phi in small if isinstance(word := self.words[phi], Instruction)]
        for phi in small:
            self._extend(b, phi)
        for instruction in block.instructions[len(phis) :]:
            b.location = instruction.location
            word = self.words.get(instruction)
            if isinstance(word, Instruction) and instruction.opcode not in ("zext", "sext"):
                word.operands = self._low_operands(b, instruction)
                b.emit(word)
                self._extend(b, instruction)
            elif isinstance(word, Instruction) and instruction.operands[0].type is not I32:
                word.operands = list(instruction.operands)
                b.emit(word)
                self._extend(b, instruction)
            else:
                use = _USES.get(instruction.opcode)
                value = use(self, b, instruction) if use else None
                if value is None:
                    rewritten.append(instruction)
                else:
                    self.replacements[instruction] = value
        block.instructions = rewritten

    def _low_operands(self, b: Builder, instruction: Instruction) -> list[Value]:
        """Return the low words of the operands; beyond 31 bits to the right there is nothing but signs."""
        words = [self.low(b, operand) for operand in instruction.operands]
        if instruction.opcode == "ashr" and _distance(instruction) >= 32:
            words[1] = b.i32(31)
        return words

    def _extend(self, b: Builder, value: Instruction) -> None:
        """Emit the 64-bit value for those who need it; dead where nobody does."""
        b.location = value.location
        opcode = "zext" if self.range(value).low >= 0 else "sext"
        self.replacements[value] = b.emit(Instruction(opcode, I64, [self.words[value]]))

    def low(self, b: Builder, value: Value) -> Value:
        """Return the low word of an operand."""
        if value.type is not I64:
            return value
        if isinstance(value, Undef):
            return Undef(I32)
        return self.words.get(value) or b.cast("trunc", value, I32)

    def _complete_phis(self, function: Function) -> None:
        """Fill in the operands; what has no word is cut where it comes from."""
        for phi, word in self.words.items():
            if not isinstance(phi, Instruction) or phi.opcode != "phi":
                continue
            assert isinstance(word, Instruction)
            for value, source in zip(phi.operands, phi.targets, strict=True):
                b = Builder([], source.terminator.location)
                word.operands.append(self.low(b, value))
                source.instructions[-1:-1] = b.instructions


# Operations whose result has a low word that depends on the low words of the operands alone.
_LOW_OF_LOW = frozenset(("add", "sub", "mul", "and", "or", "xor", "select", "phi", "shl"))


def _low_only(function: Function, small: set[Value]) -> set[Value]:
    """Return the 64-bit values of which nobody sees more than the low word, given which are small as they are."""
    found: set[Value] = {
        i
        for i in function.instructions()
        if i.type is I64 and i.opcode in _LOW_OF_LOW and (i.opcode != "shl" or _distance(i) < 32)
    }
    pending = [i for i in function.instructions() if i not in found and i.opcode != "trunc"]
    while pending:
        for operand in pending.pop().operands:
            if operand in found:
                assert isinstance(operand, Instruction)
                found.discard(operand)
                if operand not in small:  # the word of a small one is made from words
                    pending.append(operand)
    return found


# ---- which operation of words has the low word of a result; None if there is none

_Form = Callable[[_Shrinking, Instruction], str | None]


def _same(s: _Shrinking, i: Instruction) -> str | None:
    return i.opcode


def _shift_left(s: _Shrinking, i: Instruction) -> str | None:
    return "shl" if _distance(i) < 32 else None


def _distance(shift: Instruction) -> int:
    distance = shift.operands[1]
    return distance.value if isinstance(distance, Constant) else 64


def _shift_right(s: _Shrinking, i: Instruction) -> str | None:
    value, distance = i.operands[0], _distance(i)
    if s.are_unsigned(value) and distance < 32:
        return "lshr"
    is_sign = isinstance(i.operands[1], Constant) and distance < 64
    return "ashr" if i.opcode == "ashr" and s.are_signed(value) and (distance < 32 or is_sign) else None


def _division(signed: str, unsigned: str) -> _Form:
    def form(s: _Shrinking, i: Instruction) -> str | None:
        if s.are_unsigned(*i.operands):
            return unsigned
        if i.opcode != signed or not s.are_signed(*i.operands):
            return None
        dividend, divisor = map(s.range, i.operands)
        # The smallest word divided by -1 has no quotient.
        return signed if dividend.low > -(2**31) or divisor.low > -1 or divisor.high < -1 else None

    return form


def _extremum(signed: str, unsigned: str) -> _Form:
    def form(s: _Shrinking, i: Instruction) -> str | None:
        if s.are_unsigned(*i.operands):
            return unsigned
        return signed if intrinsic_stem(i.callee) == signed and s.are_signed(*i.operands) else None

    return form


def _extension(s: _Shrinking, i: Instruction) -> str | None:
    return i.opcode


_FORMS: dict[str, _Form] = {
    **dict.fromkeys(("add", "sub", "mul", "and", "or", "xor", "select", "phi"), _same),
    **dict.fromkeys(("zext", "sext"), _extension),
    "shl": _shift_left,
    "lshr": _shift_right,
    "ashr": _shift_right,
    **dict.fromkeys(("sdiv", "udiv"), _division("sdiv", "udiv")),
    **dict.fromkeys(("srem", "urem"), _division("srem", "urem")),
    **dict.fromkeys(("llvm.smin", "llvm.umin"), _extremum("llvm.smin", "llvm.umin")),
    **dict.fromkeys(("llvm.smax", "llvm.umax"), _extremum("llvm.smax", "llvm.umax")),
}


# ---- users of small values that produce none; None keeps the instruction

_Use = Callable[[_Shrinking, Builder, Instruction], Value | None]
_UNSIGNED = {"slt": "ult", "sle": "ule", "sgt": "ugt", "sge": "uge"}
_SIGNED = {unsigned: signed for signed, unsigned in _UNSIGNED.items()}


def _compare(s: _Shrinking, b: Builder, i: Instruction) -> Value | None:
    left, right = i.operands
    if left.type is I32:
        return _compare_words(s, i)
    if left.type is not I64:
        return None
    known = _decided(i.predicate, s.range(left), s.range(right))
    if known is not None:
        return constant(I1, known)
    predicate = i.predicate
    if s.are_signed(left, right):
        pass  # the order of words is that of the values, read as unsigned too
    elif s.are_unsigned(left, right):
        predicate = _UNSIGNED.get(predicate, predicate)
    else:
        return None
    return b.icmp(predicate, s.low(b, left), s.low(b, right))


def _compare_words(s: _Shrinking, i: Instruction) -> Value | None:
    """Decide a comparison of words that are what is left of small values, such as whether an index is negative."""
    ranges = [_range_of_word(s, operand) for operand in i.operands]
    if None in ranges or i.predicate[0] == "u":
        return None
    left, right = ranges
    assert left is not None
    assert right is not None
    known = _decided(i.predicate, left, right)
    return None if known is None else constant(I1, known)


def _range_of_word(s: _Shrinking, word: Value) -> Range | None:
    """Return the interval of a word read as signed, if it is a constant or the low word of a value that fits."""
    if isinstance(word, Constant):
        return Range(word.signed, word.signed)
    if isinstance(word, Instruction) and word.opcode == "trunc" and s.are_signed(word.operands[0]):
        return s.range(word.operands[0])
    return None


def _choose(s: _Shrinking, b: Builder, i: Instruction) -> Value | None:
    """Follow a decided comparison."""
    condition = s.resolved(i.operands[0])
    return i.operands[2 - condition.value] if isinstance(condition, Constant) else None


def _add(s: _Shrinking, b: Builder, i: Instruction) -> Value | None:
    """Drop what a decided comparison has made 0: the extent that is added to a negative index."""
    left, right = (s.resolved(operand) for operand in i.operands)
    if right is not i.operands[1] and right is constant(I32, 0):
        return i.operands[0]
    return i.operands[1] if left is not i.operands[0] and left is constant(I32, 0) else None


def _decided(predicate: str, x: Range, y: Range) -> bool | None:
    """Return what a comparison gives if the intervals of its operands decide it."""
    if predicate in ("eq", "ne"):
        return predicate == "ne" if x.high < y.low or y.high < x.low else None
    if predicate in _SIGNED:
        if x.low < 0 or y.low < 0:
            return None
        predicate = _SIGNED[predicate]
    if predicate in ("sgt", "sge"):
        x, y, predicate = y, x, {"sgt": "slt", "sge": "sle"}[predicate]
    if predicate == "slt":
        return True if x.high < y.low else False if x.low >= y.high else None
    return True if x.high <= y.low else False if x.low > y.high else None


def _truncate(s: _Shrinking, b: Builder, i: Instruction) -> Value | None:
    word = s.words.get(i.operands[0])
    return None if word is None else b.cast("trunc", word, i.type)


def _to_float(s: _Shrinking, b: Builder, i: Instruction) -> Value | None:
    value = i.operands[0]
    if value not in s.words:
        return None
    if s.are_signed(value) and (i.opcode == "sitofp" or s.range(value).low >= 0):
        return b.cast("sitofp", s.low(b, value), i.type)
    return b.cast("uitofp", s.low(b, value), i.type) if s.are_unsigned(value) else None


def _call(s: _Shrinking, b: Builder, i: Instruction) -> None:
    """Let an element's index be a word."""
    if (
        i.callee.startswith(("nv.load.", "nv.store."))
        and i.operands[1] in s.words
        and s.are_signed(i.operands[1])
    ):
        _, kind, element, _ = i.callee.split(".")
        i.detail = (abi.load_name if kind == "load" else abi.store_name)(element, "i32")
        i.operands[1] = s.low(b, i.operands[1])


def _address(s: _Shrinking, b: Builder, i: Instruction) -> None:
    i.operands = [s.low(b, o) if o in s.words and s.are_signed(o) else o for o in i.operands]


_USES: dict[str, _Use] = {
    "icmp": _compare,
    "select": _choose,
    "add": _add,
    "trunc": _truncate,
    "sitofp": _to_float,
    "uitofp": _to_float,
    "call": _call,
    "getelementptr": _address,
}
