"""Running random programs: as plain Python, as kernels, and again and again while they shrink."""

from __future__ import annotations

import itertools
import linecache
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np

import numba_vulkan as nv
from differential.programs import INPUTS, SLOTS, Program

__all__ = [
    "COUNT",
    "Inputs",
    "PlainPackage",
    "compiled",
    "difference",
    "inputs_of",
    "plain_outputs",
    "shrunk",
    "written",
]

COUNT = 16  # invocations
_SHRINK_TRIES = 400
_EDGES = (0, 1, -1, 2, 7, -8, 100, -1000, 2**31 - 1, -(2**31), 2**32 + 5, 2**62, -(2**63), 2**63 - 1)
_names = itertools.count()


@dataclass(frozen=True)
class Inputs:
    """Arguments of a program: those it reads, then its two outputs as they are before."""

    read: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]
    out: np.ndarray
    real_out: np.ndarray


def inputs_of(seed: int) -> Inputs:
    """Return the arguments for the program of a seed."""
    rng = random.Random(f"inputs {seed}")
    data = [
        rng.choice((rng.choice(_EDGES), rng.randrange(-50, 50), rng.randrange(-(2**63), 2**63)))
        for _ in range(INPUTS)
    ]
    small = [rng.choice((rng.randrange(-9, 9), rng.randrange(-(2**31), 2**31))) for _ in range(INPUTS)]
    positive = [rng.choice((rng.randrange(9), rng.randrange(2**32))) for _ in range(INPUTS)]
    reals = [rng.randrange(-800, 800) / 8 for _ in range(INPUTS)]
    read = (
        np.array(data, np.int64),
        np.array(small, np.int32),
        np.array(positive, np.uint32),
        np.array(reals, np.float32),
        rng.randrange(-1000, 1000),
    )
    out = np.arange(COUNT * SLOTS, dtype=np.int64).reshape(COUNT, SLOTS) * 7 - 900
    return Inputs(read, out, np.zeros((COUNT, SLOTS), np.float32))


class PlainPackage:
    """Stands for the package while a kernel runs as plain Python, as the invocation ``current``."""

    def __init__(self) -> None:
        self.current = 0

    def jit(self, function: Callable) -> Callable:
        return function

    def global_id(self, axis: int) -> int:
        return self.current


def _wrap(bits: int, signed: bool) -> Callable[[int], int]:
    mask, sign = (1 << bits) - 1, (1 << (bits - 1)) if signed else 0

    def cast(x: int) -> int:
        return ((x & mask) ^ sign) - sign

    return cast


def plain_outputs(program: Program, inputs: Inputs) -> tuple[np.ndarray, np.ndarray]:
    """Run every invocation as plain Python."""
    package = PlainPackage()
    namespace = {
        "nv": package,
        "int64": _wrap(64, True),
        "int32": _wrap(32, True),
        "uint32": _wrap(32, False),
        "float32": np.float32,
        "truncated": int,
    }
    exec(compile(program.text(), f"<program {program.seed}>", "exec"), namespace)
    *arrays, scalar = inputs.read
    reads = [array.astype(object) for array in arrays[:3]] + [arrays[3]]
    out, real_out = inputs.out.astype(object), inputs.real_out.copy()
    with np.errstate(all="ignore"):
        for package.current in range(COUNT):
            namespace["kernel"](*reads, scalar, out, real_out)
    return out.astype(np.int64), real_out


def compiled(program: Program) -> nv.dispatcher.VulkanDispatcher:
    """Return the program as a kernel; its text can be seen in messages and debuggers."""
    name = f"<program {program.seed} of fuzzing, number {next(_names)}>"
    text = program.text()
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {
        "nv": nv,
        "int64": numba.int64,
        "int32": numba.int32,
        "uint32": numba.uint32,
        "float32": numba.float32,
        "truncated": numba.int64,
    }
    exec(compile(text, name, "exec"), namespace)
    return namespace["kernel"]


def difference(kernel: nv.dispatcher.VulkanDispatcher, program: Program, inputs: Inputs) -> str:
    """Say how the kernel on the selected device differs from plain Python; nothing if it does not."""
    expected = plain_outputs(program, inputs)
    found = (inputs.out.copy(), inputs.real_out.copy())
    try:
        kernel.forall(COUNT)(*inputs.read, *found)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    for name, right, wrong in zip(("out", "real_out"), expected, found, strict=True):
        # Nothing is said about which NaN an operation returns; equal_nan costs a conversion of integers to floats.
        same = (right == wrong) | ((right != right) & (wrong != wrong))
        if not same.all():
            where = tuple(np.argwhere(~same)[0].tolist())
            count = int((~same).sum())
            return (
                f"{name}{list(where)}: plain Python {right[where]!r}, device {wrong[where]!r}; {count} differ"
            )
    return ""


def shrunk(program: Program, inputs: Inputs) -> tuple[Program, str]:
    """Return a smaller program that still differs on the selected device in the same way, and how it differs."""
    reason = difference(compiled(program), program, inputs)
    kind = reason.split(":")[0].split("[")[0]
    tries = 0
    progress = True
    while progress and tries < _SHRINK_TRIES:
        progress = False
        for candidate in program.smaller():
            tries += 1
            if tries > _SHRINK_TRIES:
                break
            try:
                found = difference(compiled(candidate), candidate, inputs)
            except Exception:  # a part that the rest needs is missing
                continue
            if found.split(":")[0].split("[")[0] == kind:
                program, reason, progress = candidate, found, True
                break
    return program, reason


def written(program: Program, inputs: Inputs, reason: str, device: str, folder: Path) -> Path:
    """Write what is needed to repeat a failure."""
    read = "\n".join(
        f"#   {name} = {array.tolist() if hasattr(array, 'tolist') else array}"
        for name, array in zip(("data", "small", "positive", "reals", "a"), inputs.read, strict=True)
    )
    path = folder / f"numba-vulkan-failure-program-{program.seed}-{device}.py"
    path.write_text(
        f"# Program {program.seed}, floats={program.floats}, on {device}: {reason}\n{read}\n\n{program.text()}"
    )
    return path
