"""Compute 64-bit integers as pairs of 32-bit words, for devices that have no 64-bit integers.

Blocks are visited so that definitions come before their uses. Each 64-bit value gets a pair of words; what has no
64-bit part stays as it is. A variable or a table of 64-bit integers becomes one of low words and one of high words.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import abi
from ..errors import SpirvCodegenError
from ..llvmir.model import (
    Aggregate,
    Block,
    Constant,
    Function,
    GlobalArray,
    Instruction,
    Undef,
    Value,
    constant,
)
from ..llvmir.printing import print_instruction
from ..llvmir.types import F64, I1, I32, I64, PTR, ArrayType, FloatType, Type, array_type
from .blocks import blocks_in_order
from .int64.arithmetic import absolute, add, bitwise, compare, multiply, select, subtract
from .int64.conversions import from_float, to_float
from .int64.division import QuotientAndRemainder, divide_signed, divide_unsigned
from .int64.intervals import FULL, Range, constant_range
from .int64.ranges import signed_ranges
from .int64.shifts import shift
from .int64.words import Pair, WordBuilder, pair_of_constant, sign_extended
from .intrinsics import intrinsic_stem
from .passes import Context
from .rewriting import location_text

__all__ = ["run"]


def run(function: Function, context: Context) -> None:
    """Leave no 64-bit integer, and no block that control cannot reach."""
    _Split(function, context).run()


class _Split:
    """The state of one run.

    Attributes
    ----------
    pairs : dict
        The words of each 64-bit value; the two addresses for each address of 64-bit integers.
    replacements : dict
        What stands for the narrow result of an instruction that took 64-bit operands.
    last : dict
        For each block of the original function the block that now ends as it did.
    ranges : dict
        What is known of the size of 64-bit values.
    phis : list
        The phis of the original function, and the one or two that stand for each; operands are filled in at the end.
    divisions : dict
        Divisions of the current block by signedness and operands: a quotient and a remainder share one.
    """

    def __init__(self, function: Function, context: Context) -> None:
        self.function = function
        self.context = context
        self.pairs: dict[Value, Pair] = {}
        self.replacements: dict[Value, Value] = {}
        self.last: dict[Block, Block] = {}
        self.phis: list[tuple[Instruction, list[Instruction]]] = []
        self.divisions: dict[tuple[bool, Value, Value], QuotientAndRemainder] = {}
        self.ranges: dict[Value, Range] = {}

    def run(self) -> None:
        """Rewrite the function."""
        self.ranges = signed_ranges(self.function)
        _split_tables(self)
        in_order = blocks_in_order(self.function)
        self.function.blocks = [part for block in in_order for part in self._split_block(block)]
        self._complete_phis()

    def pair(self, value: Value) -> Pair:
        """Return the words of a 64-bit operand, or its two addresses."""
        if isinstance(value, Constant | Undef):
            return pair_of_constant(value)
        return self.pairs[value]

    def narrow(self, value: Value) -> Value:
        """Return what stands for an operand that is no 64-bit integer; of one that is, the low word."""
        if value.type is I64:
            return self.pair(value).low
        return self.replacements.get(value, value)

    def range(self, value: Value) -> Range:
        """Return what is known of the size of a 64-bit operand."""
        return constant_range(value) if isinstance(value, Constant) else self.ranges.get(value, FULL)

    def is_word(self, value: Value) -> bool:
        """Whether a 64-bit operand is known to be that of its low word read as signed."""
        known = self.range(value)
        return known.low >= -(2**31) and known.high < 2**31

    def is_unsigned_word(self, value: Value) -> bool:
        """Whether a 64-bit operand is known to be that of its low word read as unsigned."""
        known = self.range(value)
        return known.low >= 0 and known.high < 2**32

    def compare(self, b: WordBuilder, predicate: str, left: Value, right: Value) -> Value:
        """Compare two 64-bit operands."""
        x, y = self.pair(left), self.pair(right)
        if self.is_word(left) and self.is_word(right):
            # Unsigned order is that of the words too: negative values go to the top of either range.
            return b.icmp(predicate, x.low, y.low)
        return compare(b, predicate, x, y)

    def fault(self, instruction: Instruction) -> SpirvCodegenError:
        """Return the error for an instruction that no rule splits."""
        where = location_text(instruction.location, self.context)
        return SpirvCodegenError(f"{where}: no rule splits '{print_instruction(instruction, self.function)}'")

    def _split_block(self, block: Block) -> list[Block]:
        original = block.instructions
        block.instructions = []
        b = WordBuilder(block)
        self.divisions.clear()
        phis = [instruction for instruction in original if instruction.opcode == "phi"]
        for phi in phis:
            self._split_phi(b, phi)
        for phi in phis:
            self._extend_phi(b, phi)
        for instruction in original[len(phis) :]:
            b.location = instruction.location
            if self._concerns_int64(instruction):
                self._split_instruction(b, instruction)
            else:
                instruction.operands = [self.narrow(operand) for operand in instruction.operands]
                b.instructions.append(instruction)
        self.last[block] = b.block
        return b.blocks

    def _concerns_int64(self, instruction: Instruction) -> bool:
        """Whether a 64-bit integer, or the address of one, is result or operand of an instruction."""
        if instruction.type is I64 or (
            isinstance(instruction.detail, Type) and _scalar(instruction.detail) is I64
        ):
            return True
        pairs = self.pairs
        return any(operand.type is I64 or operand in pairs for operand in instruction.operands)

    def _split_instruction(self, b: WordBuilder, instruction: Instruction) -> None:
        rule = _RULES.get(instruction.opcode)
        result = rule(self, b, instruction) if rule else None
        if result is None:
            raise self.fault(instruction)
        if isinstance(result, Pair):
            self.pairs[instruction] = result = self._tightened(b, instruction, result)
            _name(instruction, result)
        else:
            self.replacements[instruction] = result

    def _tightened(self, b: WordBuilder, instruction: Instruction, pair: Pair) -> Pair:
        """Return a pair with a high word that says how small the value is; the one it had may then be dead."""
        if self.is_unsigned_word(instruction):
            return Pair(pair.low, b.i32(0))
        return sign_extended(b, pair.low) if self.is_word(instruction) and not pair.is_sign_extended else pair

    # ---- phis

    def _split_phi(self, b: WordBuilder, phi: Instruction) -> None:
        b.location = phi.location
        if phi.type is not I64:
            b.instructions.append(phi)
            self.phis.append((phi, [phi]))
            return
        count = 1 if self.is_word(phi) or self.is_unsigned_word(phi) else 2
        words = [b.emit(Instruction("phi", I32)) for _ in range(count)]
        self.pairs[phi] = Pair(words[0], words[-1])
        self.phis.append((phi, words))

    def _extend_phi(self, b: WordBuilder, phi: Instruction) -> None:
        """Emit what the phi of a small value needs besides its low word."""
        if phi.type is I64:
            b.location = phi.location
            pair = self.pairs[phi]
            self.pairs[phi] = pair = self._tightened(b, phi, pair)
            _name(phi, pair)

    def _complete_phis(self) -> None:
        """Fill in the operands, now that all values have words, and the blocks they come from."""
        last = self.last
        for phi, words in self.phis:
            incoming = [(v, s) for v, s in zip(phi.operands, phi.targets, strict=True) if s in last]
            targets = [last[source] for _, source in incoming]
            for position, word in enumerate(words):
                if phi.type is I64:
                    word.operands = [self.pair(value)[position] for value, _ in incoming]
                else:
                    word.operands = [self.narrow(value) for value, _ in incoming]
                word.targets = list(targets)


def _name(instruction: Instruction, pair: Pair) -> None:
    """Name the words after the value, unless they have a name."""
    if instruction.name:
        for word, suffix in zip(pair, ("low", "high"), strict=True):
            if isinstance(word, Instruction) and not word.name:
                word.name = f"{instruction.name}.{suffix}"


# ---- rules: emit what stands for an instruction; None if there is no such form

_Result = Pair | Value | None
_Rule = Callable[[_Split, WordBuilder, Instruction], _Result]


def _of_two(split: Callable[[WordBuilder, Pair, Pair], Pair]) -> _Rule:
    def rule(s: _Split, b: WordBuilder, instruction: Instruction) -> _Result:
        left, right = instruction.operands
        return split(b, s.pair(left), s.pair(right))

    return rule


def _bitwise(s: _Split, b: WordBuilder, instruction: Instruction) -> _Result:
    left, right = instruction.operands
    return bitwise(b, instruction.opcode, s.pair(left), s.pair(right))


def _shift(s: _Split, b: WordBuilder, instruction: Instruction) -> _Result:
    value, distance = instruction.operands
    return shift(b, instruction.opcode, s.pair(value), s.pair(distance).low)


def _division(is_signed: bool, part: int) -> _Rule:
    def rule(s: _Split, b: WordBuilder, instruction: Instruction) -> _Result:
        dividend, divisor = instruction.operands
        key = (is_signed, dividend, divisor)
        if key not in s.divisions:
            divide = divide_signed if is_signed else divide_unsigned
            s.divisions[key] = divide(b, s.pair(dividend), s.pair(divisor))
        return s.divisions[key][part]

    return rule


def _compare(s: _Split, b: WordBuilder, instruction: Instruction) -> _Result:
    return s.compare(b, instruction.predicate, *instruction.operands)


def _select(s: _Split, b: WordBuilder, instruction: Instruction) -> _Result:
    condition, if_true, if_false = instruction.operands
    return select(b, s.narrow(condition), s.pair(if_true), s.pair(if_false))


def _freeze(s: _Split, b: WordBuilder, instruction: Instruction) -> _Result:
    pair = s.pair(instruction.operands[0])
    return Pair(b.freeze(pair.low), b.freeze(pair.high))


def _truncate(s: _Split, b: WordBuilder, instruction: Instruction) -> _Result:
    return b.cast("trunc", s.narrow(instruction.operands[0]), instruction.type)


def _zero_extend(s: _Split, b: WordBuilder, instruction: Instruction) -> _Result:
    return Pair(b.cast("zext", s.narrow(instruction.operands[0]), I32), b.i32(0))


def _sign_extend(s: _Split, b: WordBuilder, instruction: Instruction) -> _Result:
    value = s.narrow(instruction.operands[0])
    if value.type is I1:
        word = b.cast("sext", value, I32)
        return Pair(word, word)
    return sign_extended(b, value if value.type is I32 else b.cast("sext", value, I32))


def _from_float(s: _Split, b: WordBuilder, instruction: Instruction) -> _Result:
    return from_float(b, instruction.opcode, s.narrow(instruction.operands[0]))


def _to_float(s: _Split, b: WordBuilder, instruction: Instruction) -> _Result:
    assert isinstance(instruction.type, FloatType)
    value = instruction.operands[0]
    if s.is_word(value) and (instruction.opcode == "sitofp" or s.range(value).low >= 0):
        return b.cast("sitofp", s.pair(value).low, instruction.type)
    return to_float(b, instruction.opcode, s.pair(value), instruction.type)


def _bitcast(s: _Split, b: WordBuilder, instruction: Instruction) -> _Result:
    value = instruction.operands[0]
    if value.type is F64:
        return _words_of_double(s, b, value)
    return b.call(abi.JOIN_F64, F64, *s.pair(value)) if instruction.type is F64 else None


def _words_of_double(s: _Split, b: WordBuilder, value: Value) -> Pair:
    value = s.narrow(value)
    return Pair(b.call(abi.LOW_F64, I32, value), b.call(abi.HIGH_F64, I32, value))


def _call(s: _Split, b: WordBuilder, call: Instruction) -> _Result:
    rule = _CALLS.get(call.callee) or _CALLS.get(intrinsic_stem(call.callee))
    return rule(s, b, call) if rule else None


def _join(s: _Split, b: WordBuilder, call: Instruction) -> _Result:
    low, high = call.operands
    return Pair(s.narrow(low), s.narrow(high))


def _low(s: _Split, b: WordBuilder, call: Instruction) -> _Result:
    return s.pair(call.operands[0]).low


def _high(s: _Split, b: WordBuilder, call: Instruction) -> _Result:
    return s.pair(call.operands[0]).high


def _bits_of_double(s: _Split, b: WordBuilder, call: Instruction) -> _Result:
    return _words_of_double(s, b, call.operands[0])


def _double_of_bits(s: _Split, b: WordBuilder, call: Instruction) -> _Result:
    return b.call(abi.JOIN_F64, F64, *s.pair(call.operands[0]))


def _absolute(s: _Split, b: WordBuilder, call: Instruction) -> _Result:
    return absolute(b, s.pair(call.operands[0]))


def _extremum(predicate: str) -> _Rule:
    def rule(s: _Split, b: WordBuilder, call: Instruction) -> _Result:
        left, right = call.operands
        return select(b, s.compare(b, predicate, left, right), s.pair(left), s.pair(right))

    return rule


_CALLS: dict[str, _Rule] = {
    abi.JOIN_I64: _join,
    abi.LOW_I64: _low,
    abi.HIGH_I64: _high,
    abi.BITS_F64: _bits_of_double,
    abi.FROM_BITS_F64: _double_of_bits,
    "llvm.abs": _absolute,
    "llvm.smin": _extremum("slt"),
    "llvm.smax": _extremum("sgt"),
    "llvm.umin": _extremum("ult"),
    "llvm.umax": _extremum("ugt"),
}


# ---- switch


def _switch(s: _Split, b: WordBuilder, switch: Instruction) -> _Result:
    """Switch on the low word if all cases have one high word, else on the number of the case that holds."""
    scrutinee = s.pair(switch.operands[0])
    cases = [pair_of_constant(constant(I64, case)) for case in switch.indices]
    if len({case.high for case in cases}) == 1:
        values = tuple(case & 0xFFFFFFFF for case in switch.indices)
        other = next(number for number in range(len(values) + 1) if number not in values)
        matches = b.icmp("eq", scrutinee.high, cases[0].high)
        selector = b.select(matches, scrutinee.low, b.i32(other))
    else:
        values = tuple(range(len(cases)))
        selector = b.i32(len(cases))
        for number, case in enumerate(cases):
            selector = b.select(compare(b, "eq", scrutinee, case), b.i32(number), selector)
    return b.emit(Instruction("switch", switch.type, [selector], detail=values, targets=switch.targets))


# ---- memory: an address of 64-bit integers is a pair of addresses of words


def _scalar(type: Type) -> Type:
    while isinstance(type, ArrayType):
        type = type.element
    return type


def _words_type(type: Type) -> Type:
    """Return the type of the low or the high words of an i64 or of an array of them."""
    return array_type(_words_type(type.element), type.count) if isinstance(type, ArrayType) else I32


def _alloca(s: _Split, b: WordBuilder, alloca: Instruction) -> _Result:
    type = _words_type(alloca.element)
    return Pair(b.alloca(type), b.alloca(type))


def _address(s: _Split, b: WordBuilder, step: Instruction) -> _Result:
    base, *indices = step.operands
    words = [s.narrow(index) for index in indices]
    if base not in s.pairs:
        operands = [s.narrow(base), *words]
        return b.emit(Instruction("getelementptr", PTR, operands, detail=step.element, flags=step.flags))
    if _scalar(step.element) is not I64:
        return None
    type = _words_type(step.element)

    def of_word(address: Value) -> Value:
        return b.emit(Instruction("getelementptr", PTR, [address, *words], detail=type, flags=step.flags))

    return Pair(*map(of_word, s.pairs[base]))


def _load(s: _Split, b: WordBuilder, load: Instruction) -> _Result:
    addresses = s.pairs.get(load.operands[0])
    if addresses is None or load.type is not I64:
        return None
    return Pair(b.load(addresses.low, I32), b.load(addresses.high, I32))


def _store(s: _Split, b: WordBuilder, store: Instruction) -> _Result:
    value, address = store.operands
    addresses = s.pairs.get(address)
    if addresses is None or value.type is not I64:
        return None
    words = s.pair(value)
    b.store(words.low, addresses.low)
    return b.store(words.high, addresses.high)


def _split_tables(s: _Split) -> None:
    """Split the constant tables of 64-bit integers."""
    tables = s.function.globals
    for table in list(tables.values()):
        if _scalar(table.initializer.type) is I64:
            del tables[table.name]
            halves = [
                GlobalArray(PTR, f"{table.name}.{name}", _table_words(table.initializer, word))
                for word, name in enumerate(("low", "high"))
            ]
            tables.update((half.name, half) for half in halves)
            s.pairs[table] = Pair(*halves)


def _table_words(value: Value, word: int) -> Value:
    if isinstance(value, Aggregate):
        elements = tuple(_table_words(element, word) for element in value.elements)
        return Aggregate(_words_type(value.type), elements)
    assert isinstance(value, Constant | Undef)
    return pair_of_constant(value)[word]


_RULES: dict[str, _Rule] = {
    "add": _of_two(add),
    "sub": _of_two(subtract),
    "mul": _of_two(multiply),
    "udiv": _division(False, 0),
    "urem": _division(False, 1),
    "sdiv": _division(True, 0),
    "srem": _division(True, 1),
    "and": _bitwise,
    "or": _bitwise,
    "xor": _bitwise,
    "shl": _shift,
    "lshr": _shift,
    "ashr": _shift,
    "icmp": _compare,
    "select": _select,
    "freeze": _freeze,
    "trunc": _truncate,
    "zext": _zero_extend,
    "sext": _sign_extend,
    "fptosi": _from_float,
    "fptoui": _from_float,
    "sitofp": _to_float,
    "uitofp": _to_float,
    "bitcast": _bitcast,
    "call": _call,
    "switch": _switch,
    "alloca": _alloca,
    "getelementptr": _address,
    "load": _load,
    "store": _store,
}
