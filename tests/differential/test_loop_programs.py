"""Random loops around floats leave what Python leaves, with what GPUs get: unrolled, carried, left by one branch."""

from __future__ import annotations

import random

import numpy as np
import pytest

import numba_vulkan as nv
from device.against_python import function_of
from differential.loop_programs import PARAMETERS, loop_program

NUMBERS = (0.0, -0.0, 0.5, 1.5, -2.0, 1e15, np.inf, np.nan)
TABLE = np.array([1.5, -2, 0.25, 3], np.float32)


def arguments(rng: random.Random) -> tuple:
    x = np.array([rng.choice(NUMBERS) for _ in range(4)], np.float32)
    integers = rng.choice((-3, 0, 2)), rng.choice((0, 1, 3, 4, 5, 8, 13)), rng.choice((1, 2, -1, 5))
    return x, TABLE, *integers


def outputs() -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(8, np.float32), np.zeros(1, np.int64)


@pytest.mark.parametrize("waits", "10")
def test_loop_programs(device, program_count, program_seed, monkeypatch, waits):
    monkeypatch.setenv("NUMBA_VULKAN_LOADS_WAIT", waits)
    for seed in range(program_seed, program_seed + max(program_count // 10, 5)):
        body = loop_program(seed)
        function = function_of(body, PARAMETERS)
        kernel, rng = nv.jit(function), random.Random(seed)
        for _ in range(4):
            given, expected, got = arguments(rng), outputs(), outputs()
            try:
                # Devices may take what is smaller than any normal number for 0.
                with np.errstate(all="ignore", under="raise"):
                    function(*given, *expected)
            except FloatingPointError:
                continue
            kernel[1, 1](*given, *got)
            for g, e in zip(got, expected, strict=True):
                np.testing.assert_array_equal(g, e, err_msg=f"seed {seed}: {given}\n{body}")
                is_number = ~np.isnan(e)
                np.testing.assert_array_equal(
                    np.signbit(g)[is_number], np.signbit(e)[is_number], err_msg=body
                )
