"""Count what a GPU would execute for each math function: python3 tools/count_math.py [function ...]

Each function is compiled for a device like NVIDIA's and its final IR interpreted for subgroups of random arguments,
those of `benchmarks/math_functions.py`: a block costs a subgroup as often as any of its invocations enters it.
Operations are weighed by their rates there, one for a sum of float32. The second number is the time of a call in
`benchmarks/math_functions.py` that follows: on an H200 its loop takes as long as some 8 or 17 operations. `--save FILE`
keeps counts, `--against FILE` compares.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import float32, float64
from numba.core.compiler_lock import global_compiler_lock

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "benchmarks")]

import math_functions  # noqa: E402

import numba_vulkan as nv  # noqa: E402
from differential import interpreter, placeholders  # noqa: E402
from numba_vulkan import abi, mathbuild  # noqa: E402
from numba_vulkan.frontend import entry  # noqa: E402
from numba_vulkan.frontend.types import argument_type  # noqa: E402
from numba_vulkan.kernel import TargetProfile, Variant  # noqa: E402
from numba_vulkan.llvmir.model import Function, Instruction  # noqa: E402
from numba_vulkan.llvmir.types import F64  # noqa: E402
from numba_vulkan.middle import pipeline  # noqa: E402

PROFILE = TargetProfile(rounds_division=False, rounds_sqrt=False, has_fused_fma=True)
TYPES = {"f32": float32, "f64": float64}
SUBGROUP, SUBGROUPS = 32, 6
FREE = frozenset("bitcast phi load store alloca ret".split())
FREE_PREFIXES = ("nv.load", "nv.store", "nv.param", "nv.id", abi.HIGH_F64, abi.LOW_F64, abi.JOIN_F64)
# What is not one addition of float32; float64 has half the rate, and software for quotients and roots.
WEIGHTS = {
    **dict.fromkeys(("sitofp", "uitofp", "fptosi", "fptoui", "fdiv", abi.INVERSE_ROOT, abi.MULHI_U32), 4),
    "llvm.sqrt.f32": 8,
    "mul": 2,
    **dict.fromkeys(("udiv", "urem", "sdiv"), 24),
}
# Picoseconds of a round of the loop around the call, and of an operation: times of 28 functions on an H200 are within
# 7 % of the sum, but for selects of float64, which take more, and for square roots.
PICOSECONDS = {"f32": (0.27, 0.0317), "f64": (0.53, 0.0295)}
DOUBLE_WEIGHTS = {"fdiv": 24, "llvm.sqrt.f64": 30}


def weight(i: Instruction) -> int:
    """Return what an instruction costs."""
    name = i.callee if i.opcode == "call" else i.opcode
    if name in FREE or name.startswith(FREE_PREFIXES) or name == "fneg":
        return 0
    if any(value.type is F64 for value in (i, *i.operands)):
        return DOUBLE_WEIGHTS.get(name, 2)
    return WEIGHTS.get(name, 1)


class Counting(interpreter.Program):
    """A program that knows which blocks have been entered."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.entered: Counter[int] = Counter()
        self.weights = [sum(map(weight, block.instructions)) for block in function.blocks]
        self.jumps = [self.counting(number, jump) for number, jump in enumerate(self.jumps)]

    def counting(self, number: int, jump: Callable[..., int]) -> Callable[..., int]:
        """Return a terminator that counts."""

        def run(*state: Any) -> int:
            self.entered[number] += 1
            return jump(*state)

        return run

    def cost(self, columns: list[np.ndarray]) -> int:
        """Return the cost of one subgroup."""
        most: Counter[int] = Counter()
        for invocation in range(columns[0].size):
            self.entered.clear()
            memory = {k + 1: column for k, column in enumerate(columns)}
            self.run(memory, {"nv.id.global": (invocation, 0, 0)})
            most |= self.entered
        return sum(self.weights[number] * times for number, times in most.items())


def words(x: np.float64) -> tuple[int, int]:
    """Return the lower and the upper half of a float64."""
    low, high = np.array([x], np.float64).view(np.uint32)
    return int(low), int(high)


# Placeholders of the final IR that random programs have no need for.
PLACEHOLDERS: dict[str, Callable[..., Any]] = {
    abi.INVERSE_ROOT: lambda x: np.float32(1) / np.sqrt(x),
    abi.MULHI_U32: lambda left, right: left * right >> 32,
    abi.LOW_F64: lambda x: words(x)[0],
    abi.HIGH_F64: lambda x: words(x)[1],
    abi.JOIN_F64: lambda low, high: np.array([low, high], np.uint32).view(np.float64)[0],
}


def placeholder(name: str, _kind: str) -> Callable[..., Any]:
    """Return what a placeholder does."""
    return lambda _state, *operands: PLACEHOLDERS[name](*operands)


def compiled(name: str, precision: str) -> Function:
    """Return the final IR of a kernel that calls one function."""
    call = math_functions.CALLS[name][0].replace("value", "x[i]").replace("step", "s[i]")
    call = call.replace("math.atan2(x[i], x[i])", "math.atan2(x[i], s[i])")
    call = call.replace("(x[i], x[i])", "(x[i], s[i])")
    namespace: dict[str, Any] = {"nv": nv, "math": math}
    exec(f"def kernel(x, s, y):\n    i = nv.global_id(0)\n    y[i] = {call}\n", namespace)
    arguments = (argument_type(TYPES[precision][::1]),) * 3
    with global_compiler_lock:
        lowered = entry.lower(nv.jit(namespace["kernel"]), arguments)
        return pipeline.run(lowered, Variant(PROFILE, aliased=False)).function


def counted(name: str, precision: str) -> float:
    """Return the mean cost of a call."""
    program = Counting(compiled(name, precision))
    _, low, high = math_functions.CALLS[name]
    rng = np.random.default_rng(1)
    floats = math_functions.FLOATS[precision]
    costs: list[int] = []
    for _ in range(SUBGROUPS):
        x = rng.uniform(low, high, SUBGROUP).astype(floats)
        second = (
            rng.uniform(low, high, SUBGROUP) if name != "fmod" else np.full(SUBGROUP, (high - low) * 1e-3)
        )
        costs.append(program.cost([x, second.astype(floats), np.zeros(SUBGROUP, floats)]))
    return sum(costs) / len(costs)


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--precision", choices=tuple(TYPES), action="append")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("functions", nargs="*", default=list(math_functions.CALLS))
    options = parser.parse_args()
    mathbuild.install()
    for name in PLACEHOLDERS:
        placeholders.FAMILIES[".".join(name.split(".")[:2])] = placeholder
    before = json.loads(options.against.read_text()) if options.against else {}
    counts: dict[str, float] = {}
    for precision in options.precision or TYPES:
        for name in options.functions:
            key = f"{name} {precision}"
            counts[key] = counted(name, precision)
            loop, operation = PICOSECONDS[precision]
            time = loop + operation * counts[key]
            print(f"{key:14} {counts[key]:8.1f} {time:6.2f} ps {before.get(key, '')}", flush=True)
    if options.save:
        options.save.write_text(json.dumps(before | counts, indent=1) + "\n")


if __name__ == "__main__":
    main()
