"""Loops that load, in all the forms in which rounds are counted: what is unrolled runs as often as it is written."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from types import FunctionType, SimpleNamespace

import numpy as np
import pytest

import numba_vulkan as nv

STARTS, ENDS, STEPS = (-2, 0, 1), (-3, 0, 1, 3, 4, 5, 8, 9, 13), (1, 3, -1)


def over_range(x, a, b, s, out):
    t = np.int64(7)
    for k in range(a, b, s):
        t = t * 3 + x[k % 64]
    out[nv.global_id(0)] = t


def upwards(x, a, b, s, out):
    t = np.int64(7)
    k = a
    while k < b:
        t = t * 3 + x[k % 64]
        k += abs(s)
    out[nv.global_id(0)] = t


def up_to(x, a, b, s, out):
    t = np.int64(7)
    k = a
    while k <= b:
        t = t * 3 + x[k % 64]
        k += 2
    out[nv.global_id(0)] = t


def downwards(x, a, b, s, out):
    t = np.int64(7)
    k = b
    while k > a:
        k -= 1
        t = t * 3 + x[k % 64]
    out[nv.global_id(0)] = t


def until_met(x, a, b, s, out):
    t = np.int64(7)
    k = a
    while k != max(a, b):
        t = t * 3 + x[k % 64]
        k += 1
    out[nv.global_id(0)] = t


def with_exits(x, a, b, s, out):
    t = np.int64(7)
    for k in range(a, b, s):
        v = x[k % 64]
        if v > 900:
            break
        if v > 0:
            t = t * 3 + x[v % 64]
    out[nv.global_id(0)] = t


def with_stores(x, a, b, s, out):
    for k in range(a, b, s):
        out[0] = out[0] * 3 + x[k % 64]


def in_python(function: Callable) -> FunctionType:
    """The function as Python runs it for one invocation."""
    names = SimpleNamespace(global_id=lambda axis: 0)
    return FunctionType(function.__code__, {**function.__globals__, "nv": names})


FORMS = (over_range, upwards, up_to, downwards, until_met, with_exits, with_stores)


@pytest.mark.mesa22
@pytest.mark.parametrize("function", FORMS)
def test_forms_of_loops(function: Callable, device):
    x = np.random.default_rng(3).integers(-1000, 1000, 64).astype(np.int32)
    kernel, plain = nv.jit(function), in_python(function)
    for a, b, s in product(STARTS, ENDS, STEPS):
        got, expected = np.full(1, 5, np.int64), np.full(1, 5, np.int64)
        kernel[1, 1](x, a, b, s, got)
        with np.errstate(all="ignore"):
            plain(x, a, b, s, expected)
        assert got[0] == expected[0], (a, b, s)
