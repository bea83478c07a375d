"""Random code over integers and floats of all widths gives the same before and after the passes."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from unit.middle_ir import FULL, NO_INT64, assert_legal, function_with, lower, run, same

PROGRAMS = 60
INSTRUCTIONS = 50
INPUTS = 2000
INTEGERS = ("i1", "i8", "i16", "i24", "i32", "i48", "i64")
FLOATS = ("float", "double")
PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
FLOAT_PREDICATES = ("oeq", "one", "olt", "oge", "ord", "uno", "ueq", "une", "ult", "ugt", "true", "false")
SUFFIX = {"float": "f32", "double": "f64"}


class Writer:
    """Writes one program; ``known`` holds what is defined in front of the place that is being written."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.count = 0
        self.known: dict[str, list[str]] = {type: [] for type in (*INTEGERS, *FLOATS)}
        self.known["i64"] += ["%a", "%b"]
        self.known["i32"].append("%c")

    def emit(self, text: str) -> str:
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {text}")
        return name

    def define(self, type: str, text: str) -> None:
        self.known[type].append(self.emit(text))

    def value(self, type: str) -> str:
        rng, known = self.rng, self.known[type]
        if known and rng.random() < 0.85:
            return rng.choice(known[-6:])
        if type == "float":
            return rng.choice(("0.0", "-0.0", "1.5", "-2.5", "0x7FF0000000000000"))
        if type == "double":
            return rng.choice(("0.0", "-0.0", "0.5", "3.0", "1.0e30"))
        bits = int(type[1:])
        return str(rng.choice((0, 1, 2, 3, 7)) % 2**bits) if bits > 1 else rng.choice(("true", "false"))

    def step(self) -> None:
        rng = self.rng
        write: Callable[[], None] = rng.choice(
            (self.arithmetic,) * 3
            + (self.cast,) * 4
            + (
                self.compare,
                self.choose,
                self.shift,
                self.divide,
                self.intrinsic,
                self.of_floats,
                self.convert,
            )
        )
        write()

    def arithmetic(self) -> None:
        type = self.rng.choice(INTEGERS)
        opcode = self.rng.choice(("add", "sub", "mul", "and", "or", "xor"))
        self.define(type, f"{opcode} {type} {self.value(type)}, {self.value(type)}")

    def shift(self) -> None:
        type = self.rng.choice(INTEGERS[1:])
        distance = self.emit(f"urem {type} {self.value(type)}, {type[1:]}")
        self.define(type, f"{self.rng.choice(('shl', 'lshr', 'ashr'))} {type} {self.value(type)}, {distance}")

    def divide(self) -> None:
        type = self.rng.choice(INTEGERS[1:])
        odd = self.emit(f"or {type} {self.value(type)}, 1")
        divisor = self.emit(f"and {type} {odd}, -3")
        self.define(
            type, f"{self.rng.choice(('udiv', 'urem', 'sdiv', 'srem'))} {type} {self.value(type)}, {divisor}"
        )

    def compare(self) -> None:
        type = self.rng.choice(INTEGERS)
        self.define("i1", f"icmp {self.rng.choice(PREDICATES)} {type} {self.value(type)}, {self.value(type)}")

    def choose(self) -> None:
        type = self.rng.choice((*INTEGERS, *FLOATS))
        self.define(
            type, f"select i1 {self.value('i1')}, {type} {self.value(type)}, {type} {self.value(type)}"
        )

    def cast(self) -> None:
        small, large = sorted(self.rng.sample(INTEGERS, 2), key=lambda type: int(type[1:]))
        if self.rng.random() < 0.5:
            self.define(small, f"trunc {large} {self.value(large)} to {small}")
        else:
            self.define(large, f"{self.rng.choice(('zext', 'sext'))} {small} {self.value(small)} to {large}")

    def intrinsic(self) -> None:
        type = self.rng.choice(INTEGERS[1:])
        name = self.rng.choice(
            ("smin", "smax", "umin", "umax", "sadd.sat", "usub.sat", "fshl", "fshr", "ctpop", "ctlz")
        )
        operands = f"{type} {self.value(type)}"
        if name == "ctlz":
            operands += ", i1 false"
        elif name != "ctpop":
            operands += f", {type} {self.value(type)}"
        if name.startswith("fsh"):
            operands += f", {type} {self.value(type)}"
        self.define(type, f"call {type} @llvm.{name}.{type}({operands})")

    def convert(self) -> None:
        integer, real = self.rng.choice(INTEGERS[1:]), self.rng.choice(FLOATS)
        if self.rng.random() < 0.7:
            opcode = self.rng.choice(("sitofp", "uitofp"))
            self.define(real, f"{opcode} {integer} {self.value(integer)} to {real}")
        else:
            bits = "i32" if real == "float" else "i64"
            self.define(bits, f"bitcast {real} {self.quiet(real)} to {bits}")

    def quiet(self, type: str) -> str:
        """A value that is no NaN, whose sign and payload LLVM does not promise."""
        value = self.value(type)
        is_number = self.emit(f"fcmp ord {type} {value}, 0.0")
        return self.emit(f"select i1 {is_number}, {type} {value}, {type} 1.0")

    def of_floats(self) -> None:
        rng, type = self.rng, self.rng.choice(FLOATS)
        left, right = self.value(type), self.value(type)
        kind = rng.randrange(5)
        if kind == 0:
            self.define(type, f"{rng.choice(('fadd', 'fsub', 'fmul', 'fdiv'))} {type} {left}, {right}")
        elif kind == 1:
            self.define("i1", f"fcmp {rng.choice(FLOAT_PREDICATES)} {type} {left}, {right}")
        elif kind == 2:
            name = rng.choice(("floor", "ceil", "trunc", "rint", "round", "fabs"))
            self.define(type, f"call {type} @llvm.{name}.{SUFFIX[type]}({type} {left})")
        elif kind == 3:
            name = rng.choice(("minimum", "maximumnum", "copysign"))
            right = self.quiet(type) if name == "copysign" else right
            self.define(type, f"call {type} @llvm.{name}.{SUFFIX[type]}({type} {left}, {type} {right})")
        else:
            self.define(type, f"fneg {type} {left}")

    def diamond(self, number: int) -> None:
        """Two ways to go on, and phis where they meet."""
        self.lines.append(f"br i1 {self.value('i1')}, label %left{number}, label %right{number}")
        before = {type: list(names) for type, names in self.known.items()}
        merged: list[tuple[str, list[str]]] = [(self.rng.choice((*INTEGERS, *FLOATS)), []) for _ in range(4)]
        for side in ("left", "right"):
            self.lines.append(f"{side}{number}:")
            self.known = {type: list(names) for type, names in before.items()}
            for _ in range(6):
                self.step()
            for type, sources in merged:
                sources.append(f"[ {self.value(type)}, %{side}{number} ]")
            self.lines.append(f"br label %join{number}")
        self.lines.append(f"join{number}:")
        self.known = before
        for type, sources in merged:
            self.define(type, f"phi {type} {', '.join(sources)}")

    def program(self) -> tuple[list[str], list[tuple[str, str]]]:
        """The code, and the values that it ends with."""
        for number in range(4):
            for _ in range(INSTRUCTIONS // 4):
                self.step()
            self.diamond(number)
        return self.lines, [(names[-1], type) for type, names in self.known.items() if names]


def numbers(rng: np.random.Generator, bits: int) -> np.ndarray:
    random_bits = rng.integers(0, 2**64, INPUTS, dtype=np.uint64) >> rng.integers(
        0, 64, INPUTS, dtype=np.uint64
    )
    values = np.where(rng.integers(0, 2, INPUTS) == 1, random_bits, ~random_bits)
    return values if bits == 64 else values.astype(np.uint32)


@pytest.mark.parametrize("part", range(6))
def test_random_programs(program_seed: int, part: int):
    rng = random.Random(program_seed + part)
    data_rng = np.random.default_rng(program_seed + part)
    types = ["i64", "i64", "i32"]
    for _ in range(PROGRAMS // 6):
        code, results = Writer(rng).program()
        data = [numbers(data_rng, 64), numbers(data_rng, 64), numbers(data_rng, 32)]

        reference = run(function_with(code, types, results), data)
        for profile in (FULL, NO_INT64):
            lowered = lower(function_with(code, types, results), profile)
            assert_legal(lowered, profile)
            for k, (expected, actual) in enumerate(zip(reference, run(lowered, data), strict=True)):
                wrong = np.flatnonzero(~same(expected, actual))[:3]
                assert not wrong.size, (
                    "\n".join(code),
                    k,
                    [d[wrong] for d in data],
                    expected[wrong],
                    actual[wrong],
                )
