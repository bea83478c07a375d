"""Make shared arrays of words arrays of 64-bit elements where atomic operations work on such.

A shared array is one variable, which cannot be declared a second time with other elements, as a buffer is. What reaches
a word of it then reaches half of an element: stores are made of atomic operations, so that the other half stays.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import abi
from ..llvmir.build import Builder
from ..llvmir.model import Block, Constant, Function, Instruction, Value, constant
from ..llvmir.types import I1, I32, I64, VOID
from .passes import Context
from .retrying import Retrying
from .rewriting import REMOVED, Rule, replace_uses, rewrite

__all__ = ["run"]

_WORDS = abi.workgroup_name("i32")
_OF_WIDE, _ATOMIC = ".i64", abi.ATOMICS
_ALL, _NONE = constant(I32, -1), constant(I32, 0)
_LOADS = (abi.load_name("i32"), abi.load_name("i32", "i64"))
_STORES = (abi.store_name("i32"), abi.store_name("i32", "i64"))


def run(function: Function, context: Context) -> None:
    """Leave no shared array of words with atomic operations on elements of 64 bits."""
    calls = function.calls()
    wide = {i.operands[0] for i in calls if i.callee.startswith(_ATOMIC) and i.callee.endswith(_OF_WIDE)}
    declared = [i.operands[0] for i in calls if i.callee == _WORDS]
    concerned = frozenset(binding for binding in declared if binding in wide)
    if not concerned:
        return
    replacements: dict[Value, Value] = {}
    for block in list(function.blocks):
        _replace_changes(function, block, concerned, replacements)
    replace_uses(function, replacements)

    def rule_of(i: Instruction) -> Rule | None:
        is_concerned = i.opcode == "call" and i.operands and i.operands[0] in concerned
        return _RULES.get(i.callee) if is_concerned else None

    rewrite(function, rule_of, context)


# ---- halves


def _place(b: Builder, word: Value) -> tuple[Value, Value]:
    """Return the index of the element that a word is half of, and whether it is the high half."""
    word = b.cast("trunc", word, I32)
    if isinstance(word, Constant):
        return b.i32(word.value >> 1), constant(I1, word.value & 1)
    return b.binary("lshr", word, b.i32(1)), b.icmp("ne", b.binary("and", word, b.i32(1)), b.i32(0))


def _joined(b: Builder, is_high: Value, half: Value, other: Value) -> Value:
    """Return the element that has one half here and the other one there."""
    return b.call(abi.JOIN_I64, I64, b.select(is_high, other, half), b.select(is_high, half, other))


def _halves(b: Builder, is_high: Value, element: Value) -> tuple[Value, Value]:
    """Return the half that is meant, and the other one."""
    low, high = b.call(abi.LOW_I64, I32, element), b.call(abi.HIGH_I64, I32, element)
    return b.select(is_high, high, low), b.select(is_high, low, high)


# ---- what needs no loop


def _declare(b: Builder, call: Instruction, context: Context) -> None:
    call.detail = abi.workgroup_name("i64")
    call.operands[1] = b.binary("lshr", b.binary("add", call.operands[1], b.i32(1)), b.i32(1))


def _load(b: Builder, call: Instruction, context: Context) -> Value:
    index, is_high = _place(b, call.operands[1])
    name = abi.load_name("i64") if call.callee in _LOADS else call.callee.replace(".i32", _OF_WIDE)
    return _halves(b, is_high, b.call(name, I64, call.operands[0], index))[0]


def _store(b: Builder, call: Instruction, context: Context) -> Value:
    binding, word, value = call.operands
    index, is_high = _place(b, word)
    _change(b, "and", binding, index, _joined(b, is_high, _NONE, _ALL))
    _change(b, "or", binding, index, _joined(b, is_high, value, _NONE))
    return REMOVED


def _change_bits(operation: str, neutral: Constant) -> Rule:
    """Return the rule of an operation on bits, which leaves the other half as it is for a neutral value there."""

    def rule(b: Builder, call: Instruction, context: Context) -> Value:
        binding, word, value = call.operands
        index, is_high = _place(b, word)
        old = _change(b, operation, binding, index, _joined(b, is_high, value, neutral))
        return REMOVED if call.type is VOID else _halves(b, is_high, old)[0]

    return rule


def _change(b: Builder, operation: str, binding: Value, index: Value, value: Value) -> Value:
    return b.call(abi.atomic_name(operation, "i64"), I64, binding, index, value)


_RULES: dict[str, Rule] = {
    _WORDS: _declare,
    **dict.fromkeys((*_LOADS, *(abi.atomic_name(name, "i32") for name in ("load", abi.ATOMIC_PEEK))), _load),
    **dict.fromkeys(_STORES, _store),
    **{abi.atomic_name(name, "i32"): _change_bits(name, _NONE) for name in ("or", "xor")},
    abi.atomic_name("and", "i32"): _change_bits("and", _ALL),
    abi.WORD_AND: _change_bits("and", _ALL),
    abi.WORD_OR: _change_bits("or", _NONE),
}

# ---- what needs a loop

_NewHalf = Callable[[Builder, Value, list[Value]], Value]


def _extremum(predicate: str) -> _NewHalf:
    def rule(b: Builder, old: Value, values: list[Value]) -> Value:
        return b.select(b.icmp(predicate, old, values[0]), old, values[0])

    return rule


_NEW_HALVES: dict[str, _NewHalf] = {
    **dict.fromkeys(("store", "exchange", "cas", abi.ATOMIC_SWAP), lambda b, old, values: values[-1]),
    "add": lambda b, old, values: b.binary("add", old, values[0]),
    **{f"{sign}min": _extremum(f"{sign}lt") for sign in "su"},
    **{f"{sign}max": _extremum(f"{sign}gt") for sign in "su"},
}
_CHANGES = {abi.atomic_name(operation, "i32"): operation for operation in _NEW_HALVES}


def _replace_changes(
    function: Function, block: Block, concerned: frozenset[Value], replacements: dict[Value, Value]
) -> None:
    """Write the changes of words in a block, and in what is split from it, as loops that change elements."""
    position = 0
    while position < len(block.instructions):
        call = block.instructions[position]
        position += 1
        if call.opcode == "call" and call.callee in _CHANGES and call.operands[0] in concerned:
            block, position = _write_loop(function, block, position - 1, replacements), 0


def _write_loop(function: Function, block: Block, position: int, replacements: dict[Value, Value]) -> Block:
    """Write one change as a loop; return the block behind it."""
    call = block.instructions[position]
    operation, (binding, word, *values) = _CHANGES[call.callee], call.operands
    b = Builder(placed := [], call.location)
    index, is_high = _place(b, word)
    block.instructions[position:position] = placed
    # What the operation orders, the loop must too.
    orders = operation in abi.ORDERING_ATOMICS
    first = "load" if orders else abi.ATOMIC_PEEK
    loop = Retrying(function, block, position + len(placed), [binding, index], "i64", first)
    half, other = _halves(loop.b, is_high, loop.old)
    if len(values) > 1:
        loop.stop_unless(loop.b.icmp("eq", half, values[0]))
    new = _NEW_HALVES[operation](loop.b, half, values)
    loop.finish(_joined(loop.b, is_high, new, other), "cas" if orders else abi.ATOMIC_SWAP)
    replacements[call] = half
    return loop.after
