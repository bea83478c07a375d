"""Random kernels equal plain Python; wide and deep control flow compiles and runs right."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

import numba_vulkan as nv
from differential.program_runs import PlainPackage, compiled, difference, inputs_of, shrunk, written
from differential.program_writer import random_program
from differential.programs import Program


@functools.lru_cache(maxsize=32)
def program_of(seed: int) -> tuple[Program, nv.dispatcher.VulkanDispatcher]:
    """Return the program of a seed and its kernel, whose front end runs once for all devices."""
    program = random_program(seed, floats=seed % 3 == 0)
    return program, compiled(program)


def test_random_programs_equal_plain_python(device, device_name, program_numbers, program_seed):
    for number in program_numbers:
        program, kernel = program_of(program_seed + number)
        inputs = inputs_of(program.seed)
        found = difference(kernel, program, inputs)
        if found:
            smaller, reason = shrunk(program, inputs)
            path = written(smaller, inputs, reason, device_name, Path())
            pytest.fail(
                f"program {program.seed}: {found}\n\n{program.text()}\n\n"
                f"shrunk, with its inputs in {path.resolve()}: {reason}\n\n{smaller.text()}",
                pytrace=False,
            )


# ---------------------------------------------------------------- sizes


def lines_of_kernel(lines: list[str]) -> str:
    start = [
        "@nv.jit",
        "def kernel(x, out):",
        "    i = nv.global_id(0)",
        "    if i >= out.size:",
        "        return",
    ]
    return "\n".join([*start, *("    " + line for line in lines)]) + "\n"


@functools.cache
def kernel_of(text: str) -> nv.dispatcher.VulkanDispatcher:
    namespace: dict = {"nv": nv}
    exec(compile(text, "<large kernel>", "exec"), namespace)
    return namespace["kernel"]


def both_results(text: str, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Run the text of a kernel on the selected device and as plain Python, one invocation per element."""
    found, expected = np.zeros(x.size, np.int64), np.zeros(x.size, np.int64)
    kernel_of(text).forall(x.size)(x, found)
    package = PlainPackage()
    namespace: dict = {"nv": package}
    exec(compile(text, "<large kernel>", "exec"), namespace)
    for package.current in range(x.size):
        namespace["kernel"](x, expected)
    return found, expected


INPUT = np.array(
    [0, 1, 2, 3, 5, 8, 21, 77, 100, 255, 1000, 4095, 65535, 123456, 9999999, 2**31 - 1], np.int64
)


def test_200_conditions_in_a_row(device):
    lines = ["t = x[i]"]
    for k in range(200):
        # The store keeps LLVM from making a selection of the condition.
        lines += [
            f"if (t >> {k % 7}) & 3 == {k % 4}:",
            f"    t = (t * 3 + {k}) & 0xFFFFFF",
            "    out[i] = t",
        ]
    found, expected = both_results(lines_of_kernel([*lines, "out[i] = out[i] * 7 + t"]), INPUT)
    np.testing.assert_array_equal(found, expected)
    assert np.unique(expected).size > 10


def test_30_conditions_in_each_other(device):
    lines = ["t = x[i]", "n = 0"]
    for k in range(30):
        lines += ["    " * k + f"if t > {k * k}:", "    " * (k + 1) + f"n = n + {k + 1}"]
        lines += ["    " * (k + 1) + f"out[i] = out[i] * 2 + {k}"]
    for k in reversed(range(30)):
        lines += ["    " * k + "else:", "    " * (k + 1) + f"n = n * 2 + {k}"]
    found, expected = both_results(lines_of_kernel([*lines, "out[i] = out[i] * 5 + n"]), INPUT)
    np.testing.assert_array_equal(found, expected)
    assert np.unique(expected).size > 8


def test_40_loops_and_conditions_in_each_other(device):
    """Ten are loops: Python allows no more than 20 blocks in each other."""
    lines = ["t = x[i]", "n = 0"]
    for k in range(40):
        lines += [
            "    " * k
            + (f"for k{k} in range(t % 2 + 1):" if k % 4 == 0 else f"if (t + n) % {k % 7 + 2} != 1:")
        ]
    lines += ["    " * 40 + "n = n + 1"]
    for k in reversed(range(40)):
        if k % 4 == 0:
            lines += ["    " * (k + 1) + f"if n > {200 - k}:", "    " * (k + 2) + "break"]
        else:
            lines += ["    " * k + "else:", "    " * (k + 1) + f"n = n + {k}"]
    found, expected = both_results(lines_of_kernel([*lines, "out[i] = n"]), INPUT)
    np.testing.assert_array_equal(found, expected)
    assert np.unique(expected).size > 3


def test_300_early_returns(device):
    lines = ["t = x[i]"]
    for k in range(300):
        lines += [f"if t == {k}:", f"    out[i] = {k * 7}", "    return", f"t = t - {k % 3}"]
    x = np.arange(0, 640, dtype=np.int64)
    found, expected = both_results(lines_of_kernel([*lines, "out[i] = -t"]), x)
    np.testing.assert_array_equal(found, expected)
    assert np.unique(expected).size > 250
