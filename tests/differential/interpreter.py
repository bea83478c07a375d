"""Run a function of the small IR for one invocation, exactly, and watch that structured code keeps its structure."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from differential import semantics
from differential.placeholders import DTYPES, placeholder
from differential.semantics import InterpreterError, Operation, Pointer
from differential.structure_watch import StructureWatch
from numba_vulkan import abi
from numba_vulkan.llvmir.model import (
    Aggregate,
    Block,
    Constant,
    Function,
    GlobalArray,
    Instruction,
    Undef,
    Value,
)
from numba_vulkan.llvmir.types import VOID, ArrayType, StructType, Type, VectorType

__all__ = ["InterpreterError", "Program", "State", "StepLimitError", "interpret"]

Memory = dict[int, NDArray[Any]]


class StepLimitError(InterpreterError):
    """The program ran for more steps than it was given."""


@dataclass
class State:
    """What an invocation can see and leave behind.

    Attributes
    ----------
    memory : dict of array
        The buffer of each binding; written in place.
    ids : mapping
        Three numbers for each of `abi.ID_PLACEHOLDERS`.
    params : sequence of int
        The words of the parameter block.
    stores : list of tuple
        Each store to a buffer in order: binding, index, value.
    status : int
        The code that was reported first, 0 for none; ``payload`` has the words put after it.
    result : object
        What the function returned.
    steps : int
        Instructions executed.
    """

    memory: Memory
    ids: Mapping[str, Sequence[int]]
    params: Sequence[int]
    stores: list[tuple[int, int, Any]] = field(default_factory=list)
    status: int = 0
    payload: dict[int, int] = field(default_factory=dict)
    result: Any = None
    steps: int = 0
    views: dict[tuple[int, str], NDArray[Any]] = field(default_factory=dict)

    def elements(self, binding: int, element: str) -> NDArray[Any]:
        """Return a buffer as elements of one kind."""
        key = (binding, element)
        if key not in self.views:
            self.views[key] = self.memory[binding].reshape(-1).view(DTYPES[element])
        return self.views[key]


Registers = list[Any]
Step = Callable[[Registers, State], None]


def interpret(
    function: Function,
    memory: Memory | None = None,
    ids: Mapping[str, Sequence[int]] | None = None,
    params: Sequence[int] = (),
    max_steps: int = 1_000_000,
) -> State:
    """Run a function without arguments for one invocation.

    Parameters
    ----------
    function : Function
        At any stage: with phis or without; if it has merge annotations, they are watched.
    memory : dict of array, optional
        The buffer of each binding; written in place.
    ids : mapping, optional
        Three numbers for each of `abi.ID_PLACEHOLDERS`; 0 for ids and 1 for sizes if they are missing.
    params : sequence of int
        The 32-bit words of the parameter block.
    max_steps : int
        Instructions after which to give up.

    Returns
    -------
    State
        What the invocation left behind.

    Raises
    ------
    StepLimitError
        If it ran for too long.
    InterpreterError
        If it did something undefined or unknown, or left the structure that it declares.
    """
    return Program(function).run(memory or {}, ids or {}, params, max_steps)


class Program:
    """A function prepared to run many times."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.slots: dict[Value, int] = {}
        self.initial: Registers = []
        self.index = {block: number for number, block in enumerate(function.blocks)}
        self.is_structured = any(block.merge is not None for block in function.blocks)
        for argument in function.arguments:
            self.slot(argument)
        self.code = [self.straight(block) for block in function.blocks]
        self.jumps = [self.jump(block) for block in function.blocks]
        self.moves = [self.phi_moves(block) for block in function.blocks]

    def run(
        self,
        memory: Memory,
        ids: Mapping[str, Sequence[int]],
        params: Sequence[int] = (),
        max_steps: int = 1_000_000,
        arguments: Sequence[Any] = (),
    ) -> State:
        """Run once; see `interpret`."""
        state = State(memory, ids, params)
        with np.errstate(all="ignore"):
            for _ in self._walk(state, max_steps, arguments):
                pass
        return state

    def run_group(
        self,
        memory: Memory,
        ids: Sequence[Mapping[str, Sequence[int]]],
        params: Sequence[int],
        order: random.Random,
        max_steps: int = 1_000_000,
        together: bool = False,
    ) -> list[State]:
        """Run the invocations of a workgroup, one after the other up to the next barrier, each time in a new order.

        Those that have ended are waited for by nobody, unless all have to reach the same barriers ``together``.
        """
        views: dict[tuple[int, str], NDArray[Any]] = {}
        states = [State(memory, own, params, views=views) for own in ids]
        running = [self._walk(state, max_steps, ()) for state in states]
        with np.errstate(all="ignore"):
            while running:
                order.shuffle(running)
                places = [next(invocation, None) for invocation in running]
                if together and len(set(places)) > 1:
                    raise InterpreterError("invocations of a workgroup wait at different barriers")
                running = [i for i, place in zip(running, places, strict=True) if place is not None]
        return states

    def _walk(self, state: State, max_steps: int, arguments: Sequence[Any]) -> Iterator[tuple[int, int]]:
        """Run one invocation; stop at each barrier and say which it is."""
        registers = list(self.initial)
        registers[: len(arguments)] = arguments
        watch = StructureWatch() if self.is_structured else None
        number, blocks = 0, self.function.blocks
        while number >= 0:
            if watch is not None:
                watch.enter(blocks[number])
            first, *others = self.code[number]
            state.steps += sum(map(len, others), len(first) + 1)
            if state.steps > max_steps:
                raise StepLimitError(f"{self.function.name} ran for more than {max_steps} steps")
            for step in first:
                step(registers, state)
            for position, piece in enumerate(others):
                yield number, position
                for step in piece:
                    step(registers, state)
            source, number = number, self.jumps[number](registers, state)
            if number >= 0 and (moves := self.moves[number]):
                values = [registers[place] for _, place in moves[source]]
                for (place, _), value in zip(moves[source], values, strict=True):
                    registers[place] = value

    # ---- preparation

    def slot(self, value: Value) -> int:
        """Return the register of a value; those of constants are filled before the program runs."""
        if value not in self.slots:
            self.slots[value] = len(self.initial)
            self.initial.append(_constant_value(value))
        return self.slots[value]

    def straight(self, block: Block) -> list[list[Step]]:
        """Prepare the instructions of a block but phis and the terminator, in pieces between barriers."""
        pieces: list[list[Step]] = [[]]
        for instruction in block.instructions[:-1]:
            if instruction.opcode == "call" and instruction.callee.startswith(abi.BARRIER):
                pieces.append([])
            elif instruction.opcode != "phi":
                pieces[-1].append(self.step(instruction))
        return pieces

    def step(self, instruction: Instruction) -> Step:
        """Prepare one instruction."""
        place = self.slot(instruction)
        sources = [self.slot(operand) for operand in instruction.operands]
        if instruction.opcode == "call" and instruction.callee.startswith("nv."):
            call = placeholder(instruction.callee)

            def run_call(registers: Registers, state: State) -> None:
                registers[place] = call(state, *[registers[source] for source in sources])

            return run_call
        operation = _operation(instruction)
        if len(sources) == 2:
            left, right = sources

            def run_two(registers: Registers, state: State) -> None:
                registers[place] = operation(registers[left], registers[right])

            return run_two

        def run(registers: Registers, state: State) -> None:
            registers[place] = operation(*[registers[source] for source in sources])

        return run

    def jump(self, block: Block) -> Callable[[Registers, State], int]:
        """Prepare a terminator: it returns the number of the next block, -1 at the end."""
        last = block.terminator
        targets = [self.index[target] for target in last.targets]
        sources = [self.slot(operand) for operand in last.operands]
        if last.opcode == "br" and not sources:
            return lambda registers, state: targets[0]
        if last.opcode == "br":
            condition = sources[0]
            return lambda registers, state: targets[0] if registers[condition] else targets[1]
        if last.opcode == "switch":
            cases = dict(zip(last.indices, targets[1:], strict=True))
            return lambda registers, state: cases.get(registers[sources[0]], targets[0])
        if last.opcode == "ret":

            def leave(registers: Registers, state: State) -> int:
                state.result = registers[sources[0]] if sources else None
                return -1

            return leave

        def fail(registers: Registers, state: State) -> int:
            raise InterpreterError(f"{last.opcode} executed in block {block}")

        return fail

    def phi_moves(self, block: Block) -> dict[int, list[tuple[int, int]]]:
        """Return for each predecessor which registers its edge copies: to, from."""
        moves: dict[int, list[tuple[int, int]]] = {}
        for phi in block.phis():
            for source, value in dict(zip(phi.targets, phi.operands, strict=True)).items():
                moves.setdefault(self.index[source], []).append((self.slot(phi), self.slot(value)))
        return moves


def _constant_value(value: Value) -> Any:
    if isinstance(value, Constant):
        data = value.value.to_bytes(semantics.size_of(value.type), "little")
        return semantics.decode(value.type, data)
    if isinstance(value, Undef):
        return None if value.type is VOID else semantics.zero_of(value.type)
    if isinstance(value, Aggregate):
        return tuple(_constant_value(element) for element in value.elements)
    if isinstance(value, GlobalArray):
        initializer = value.initializer
        return Pointer(bytearray(semantics.encode(initializer.type, _constant_value(initializer))), 0)
    return None


# ---- operations


def _operation(instruction: Instruction) -> Operation:
    """Return the function of operand values that an instruction is."""
    opcode = instruction.opcode
    for table in (semantics.INTEGER_OPERATIONS, semantics.CASTS, _STRUCTURAL):
        if opcode in table:
            return table[opcode](instruction)
    if opcode in semantics.FLOAT_OPERATIONS:
        return semantics.FLOAT_OPERATIONS[opcode]
    if opcode == "call":
        prefix, _, rest = instruction.callee.partition(".")
        name = rest.partition(".")[0]
        if prefix == "llvm" and name in semantics.INTRINSICS:
            return semantics.INTRINSICS[name](instruction)
        raise InterpreterError(f"unknown function {instruction.callee}")
    raise InterpreterError(f"unknown operation {opcode}")


def _icmp(instruction: Instruction) -> Operation:
    predicate = instruction.predicate
    compare = semantics.INTEGER_PREDICATES[predicate[-2:]]
    if predicate[0] == "s":
        bits = instruction.operands[0].type.bits  # type: ignore[attr-defined]
        return lambda left, right: int(compare(semantics.signed(left, bits), semantics.signed(right, bits)))
    return lambda left, right: int(compare(left, right))


def _fcmp(instruction: Instruction) -> Operation:
    compare = semantics.FLOAT_PREDICATES[instruction.predicate]
    return lambda left, right: int(compare(left, right))


def _alloca(instruction: Instruction) -> Operation:
    size = semantics.size_of(instruction.element)
    # A pattern that shows up when a program reads what it has not written.
    return lambda: Pointer(bytearray(b"\xcd" * size), 0)


def _load(instruction: Instruction) -> Operation:
    type, size = instruction.type, semantics.size_of(instruction.type)

    def load(pointer: Pointer) -> Any:
        _check_bounds(pointer, size)
        return semantics.decode(type, pointer.buffer[pointer.offset : pointer.offset + size])

    return load


def _store(instruction: Instruction) -> Operation:
    type = instruction.operands[0].type
    size = semantics.size_of(type)

    def store(value: Any, pointer: Pointer) -> None:
        _check_bounds(pointer, size)
        pointer.buffer[pointer.offset : pointer.offset + size] = semantics.encode(type, value)

    return store


def _check_bounds(pointer: Pointer, size: int) -> None:
    if not 0 <= pointer.offset <= len(pointer.buffer) - size:
        raise InterpreterError(
            f"access at offset {pointer.offset} of a variable of {len(pointer.buffer)} bytes"
        )


def _getelementptr(instruction: Instruction) -> Operation:
    element = instruction.element
    widths = [operand.type.bits for operand in instruction.operands[1:]]  # type: ignore[attr-defined]

    def step(pointer: Pointer, *indices: int) -> Pointer:
        places = [semantics.signed(i, bits) for i, bits in zip(indices, widths, strict=True)]
        offset = pointer.offset + places[0] * semantics.size_of(element)
        inner: Type = element
        for place in places[1:]:
            if isinstance(inner, StructType):
                offset += semantics.member_offset(inner, place)
                inner = inner.members[place]
            else:
                assert isinstance(inner, ArrayType | VectorType)
                inner = inner.element
                offset += place * semantics.size_of(inner)
        return Pointer(pointer.buffer, offset)

    return step


def _extractvalue(instruction: Instruction) -> Operation:
    def extract(value: Any) -> Any:
        for index in instruction.indices:
            value = value[index]
        return value

    return extract


def _insertvalue(instruction: Instruction) -> Operation:
    def insert(value: Any, part: Any, path: tuple[int, ...] = instruction.indices) -> Any:
        if not path:
            return part
        place = path[0]
        return (*value[:place], insert(value[place], part, path[1:]), *value[place + 1 :])

    return insert


_STRUCTURAL: dict[str, Callable[[Instruction], Operation]] = {
    "icmp": _icmp,
    "fcmp": _fcmp,
    "fneg": lambda instruction: lambda value: -value,
    "select": lambda instruction: lambda condition, yes, no: yes if condition else no,
    "freeze": lambda instruction: lambda value: value,
    "alloca": _alloca,
    "load": _load,
    "store": _store,
    "getelementptr": _getelementptr,
    "extractvalue": _extractvalue,
    "insertvalue": _insertvalue,
}
