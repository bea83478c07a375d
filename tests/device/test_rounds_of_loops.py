"""Loops of which a round uses what the one before has computed, and that several conditions end."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import numba_vulkan as nv
from device.against_python import check

LIMITS = np.array([0, 1, 2, 3, 7, 50], np.int32)
STARTS = np.array([0.0, -0.0, 0.25, -0.75, 1.5, 1e19, np.inf, np.nan], np.float32)


def escape(limits, starts, out):
    for a in range(limits.size):
        for b in range(starts.size):
            r, i, n = starts[b], np.float32(0.5), 0
            while n < limits[a] and r * r + i * i <= np.float32(4):
                r, i = r * r - i * i + starts[b], np.float32(2) * r * i + np.float32(0.3)
                n += 1
            out[a, b, 0] = n
            out[a, b, 1] = r


def shifted(limits, starts, out):
    for a in range(limits.size):
        for b in range(starts.size):
            x, y, z = starts[b], np.float32(0.5), np.float32(0)
            for _ in range(limits[a]):
                z = x * x - y * y
                out[a, b, 0] = z * z
                x, y = y, z
            out[a, b, 1] = z


def with_continue(limits, starts, out):
    for a in range(limits.size):
        for b in range(starts.size):
            x, total, n = starts[b], np.float32(0), 0
            while n < limits[a]:
                n += 1
                scaled = x * np.float32(3) + np.float32(1)
                total += scaled
                if n % 3 == 0:
                    x = np.float32(0.125)
                    total -= x * np.float32(3) + np.float32(1)
                    continue
                x = scaled / np.float32(7)
                total -= x * np.float32(3) + np.float32(1)
            out[a, b, 0] = total
            out[a, b, 1] = x


def three_conditions(limits, starts, out):
    for a in range(limits.size):
        for b in range(starts.size):
            x, n = starts[b], 0
            while n < limits[a] and x * x < np.float32(1e30) and not (n > 4 and x < np.float32(0)):
                x = np.float32(1) - x * np.float32(1.75)
                n += 1
            out[a, b, 0] = n
            out[a, b, 1] = x


def rows(limits, starts, out):
    for a in range(limits.size):
        for b in range(starts.size):
            n, total = 0, 0
            while n < limits[a]:
                total += n * limits[a] - (n + 1) * limits[a] + n * n
                n += 1
            out[a, b, 0] = total
            out[a, b, 1] = n


@pytest.mark.parametrize("loop", [escape, shifted, with_continue, three_conditions, rows])
def test_rounds(device: nv.Device, loop: Callable[..., None]):
    check(loop, lambda: (LIMITS, STARTS, np.zeros((LIMITS.size, STARTS.size, 2), np.float32)))
