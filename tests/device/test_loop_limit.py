"""Loops that run for long are right, or an error says that the driver ended them; never a wrong value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan.runtime import Device

pytestmark = pytest.mark.mesa22
BELOW, BEYOND = 30_000, 100_000


def counted(n, out):
    total = 0
    for k in range(n[nv.global_id(0)]):
        total += k
    out[nv.global_id(0)] = total


def with_break(n, out):
    left = n[nv.global_id(0)]
    total = 0
    while left > 0:
        left -= 1
        if left * 7 == 3:
            break
        total += 1
    out[nv.global_id(0)] = total


def with_return(n, out):
    total = 0
    while True:
        total += 1
        if total >= n[nv.global_id(0)]:
            out[nv.global_id(0)] = total
            return


def nested(n, out):
    total = 0
    for k in range(n[nv.global_id(0)] // 100):
        for j in range(100):
            if j == k:
                break
            total += 1
    out[nv.global_id(0)] = total


def with_else(n, out):
    total = 1
    for k in range(n[nv.global_id(0)]):
        if k == 1_000_000:
            break
    else:
        total = 2
    out[nv.global_id(0)] = total


def two_loops(n, out):
    total = 0
    for k in range(n[nv.global_id(0)] // 2):
        total += k
    for k in range(n[nv.global_id(0)] // 2):
        total -= k // 2
    out[nv.global_id(0)] = total


def with_bare_return(n, out):
    total = 0
    while True:
        total += 1
        out[nv.global_id(0)] = total
        if total >= n[nv.global_id(0)]:
            return


def with_inner_return(n, out):
    total = 0
    for _ in range(n[nv.global_id(0)]):
        while True:
            total += 1
            out[nv.global_id(0)] = total
            if total % 3 == 0:
                break
            if total > n[nv.global_id(0)]:
                return


def in_two_branches(n, out):
    total = 0
    if nv.global_id(0) % 2:
        while total < n[nv.global_id(0)]:
            total += 1
    else:
        while total < n[nv.global_id(0)]:
            total += 1 + (out[nv.global_id(0)] & 1)
    out[nv.global_id(0)] = total


KERNELS = {
    kernel.__name__: kernel
    for kernel in (
        counted,
        with_break,
        with_return,
        nested,
        with_else,
        two_loops,
        with_bare_return,
        with_inner_return,
        in_two_branches,
    )
}


def expected(kernel: Callable[..., None], n: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    out = np.zeros(len(n), np.int64)
    for lane in range(len(n)):
        monkeypatch.setattr(nv, "global_id", lambda axis, lane=lane: lane)
        kernel(n, out)
    monkeypatch.undo()
    return out


@pytest.mark.parametrize("name", KERNELS)
def test_short_loops_are_right(device: Device, name: str, monkeypatch: pytest.MonkeyPatch):
    n = np.array([3, BELOW, 1, 500, 0, 101, 200, 7], np.int64)
    out = np.zeros(8, np.int64)
    nv.jit(KERNELS[name]).forall(8, local_size=8, device=device)(n, out)
    np.testing.assert_array_equal(out, expected(KERNELS[name], n, monkeypatch))


@pytest.mark.parametrize("name", KERNELS)
def test_long_loops_are_right_or_reported(device: Device, name: str, monkeypatch: pytest.MonkeyPatch):
    n = np.array([3, BEYOND, 1, 500, 0, 101, 200, 7], np.int64)
    out = np.zeros(8, np.int64)
    launch = nv.jit(KERNELS[name]).forall(8, local_size=8, device=device)
    if device.profile.loop_limit:
        with pytest.raises(
            nv.KernelLoopLimitError, match=f"'{name}' .*ended a loop before its condition did"
        ):
            launch(n, out)
    else:
        launch(n, out)
        np.testing.assert_array_equal(out, expected(KERNELS[name], n, monkeypatch))
