"""Kernels with long chains and deep nests of branches equal plain Python.

llvmpipe computes wrong values, or ends the process, where more than 79 branches lie in each other as Mesa nests them.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import numba_vulkan as nv
from differential.long_programs import SHAPES, kernel_text, random_lines
from differential.program_runs import PlainPackage

X = np.array(
    [*range(0, 100, 3), -40000, -3, 101, 119, 145, 199, 250, 299, 300, 398, 399, 400, 10**6], np.int64
)
REALS = (np.arange(X.size) / 8 - 2).astype(np.float32)


@functools.cache
def kernel_of(text: str) -> nv.dispatcher.VulkanDispatcher:
    namespace: dict = {"nv": nv, "np": np}
    exec(compile(text, "<long kernel>", "exec"), namespace)
    return namespace["kernel"]


def outputs() -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(X.size, np.int64), np.zeros(X.size, np.float32)


@functools.cache
def expected_of(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Run the text as plain Python, one invocation after the other."""
    package = PlainPackage()
    out, real_out = outputs()
    namespace: dict = {"nv": package, "np": np}
    exec(compile(text, "<long kernel>", "exec"), namespace)
    with np.errstate(all="ignore"):
        for package.current in range(X.size):
            namespace["kernel"](X, REALS, out, real_out)
    return out, real_out


def compare(text: str) -> np.ndarray:
    out, real_out = outputs()
    kernel_of(text).forall(X.size)(X, REALS, out, real_out)
    expected, real_expected = expected_of(text)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(real_out, real_expected)
    return expected


@pytest.mark.mesa22
@pytest.mark.parametrize("name", SHAPES)
def test_shape(device, name):
    expected = compare(kernel_text(SHAPES[name]))
    assert np.unique(expected).size > 10


@pytest.mark.parametrize("failing", [0, 50, 99, -1])
def test_100_asserts(device, failing):
    lines = [f"assert t != {k + 1000}, {k}" for k in range(100)]
    x = X.copy()
    x[5] = 1000 + failing if failing >= 0 else 5
    out, real_out = outputs()
    kernel = kernel_of(kernel_text(lines))
    if failing >= 0:
        with pytest.raises(AssertionError, match=f"^{failing}\n"):
            kernel.forall(x.size)(x, REALS, out, real_out)
    else:
        kernel.forall(x.size)(x, REALS, out, real_out)
    reached = np.arange(x.size) != (5 if failing >= 0 else -1)
    np.testing.assert_array_equal(out, np.where(reached, x * 3, 0))


@pytest.mark.parametrize("size", [90, 89, 50, 20])
def test_90_checked_accesses(device, size):
    lines = [f"n += table[{k}] * {k + 1}" for k in range(90)]
    text = kernel_text(lines, options="(boundscheck=True)").replace("(x, reals", "(table, x, reals")
    table = np.arange(size)
    out, real_out = outputs()
    if size < 90:
        with pytest.raises(IndexError, match=f"index {size} "):
            kernel_of(text).forall(X.size)(table, X, REALS, out, real_out)
        assert not out.any()
    else:
        kernel_of(text).forall(X.size)(table, X, REALS, out, real_out)
        np.testing.assert_array_equal(out, X * 3 + sum(k * (k + 1) for k in range(90)))


def test_random_long_programs(device, program_numbers, program_seed):
    for number in program_numbers:
        if number % 50 == 0:
            compare(kernel_text(random_lines(program_seed + number)))
