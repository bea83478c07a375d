"""Math functions that LLVM does not link have the bits that they have where it does."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import numba_vulkan as nv
from device.against_python import function_of
from differential.math_programs import PARAMETERS, math_program
from numba_vulkan.middle import llvm_passes

COUNT = 64
SPECIAL = (0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 1e-40, 1e30, 3.0, -7.5, 88.0, -104.0, 1e5)
OPTIONS = ({}, {}, {"fma": True}, {"fastmath": True}, {"narrow_math": True}, {"narrow": "floats"})


def bits(kernel, seed: int, real: type[np.floating]) -> np.ndarray:
    """The results of a kernel; NaN has one sign and no payload."""
    rng = np.random.default_rng(seed)
    x, y = (
        np.concatenate([rng.choice(SPECIAL, 24), rng.uniform(-3, 3, COUNT - 24)]).astype(real)
        for _ in range(2)
    )
    out = np.zeros((3, COUNT), real)
    kernel[2, COUNT // 2](x, y, rng.integers(-5, 9, COUNT).astype(np.int32), 3, out)
    out[np.isnan(out)] = np.nan
    return out.view(np.uint32 if real is np.float32 else np.uint64)


@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_math_programs(device, program_count, program_seed, monkeypatch):
    linked_by_us = 0
    for seed in range(program_seed, program_seed + max(program_count // 20, 5)):
        rng = random.Random(seed)
        real = rng.choice((np.float32, np.float64)) if device.info.float64 else np.float32
        options = rng.choice(OPTIONS)
        body = math_program(seed)
        function = function_of(body, PARAMETERS, math=math, real=real)
        kernel = nv.jit(**options)(function)
        got = bits(kernel, seed, real)
        linked_by_us += any("@nv.math." in compiled.llvm_ir for compiled in kernel._compiled.values())
        with monkeypatch.context() as patch:
            patch.setattr(llvm_passes, "gains_in_llvm", lambda function, is_combined: True)
            expected = bits(nv.jit(**options)(function), seed, real)
        np.testing.assert_array_equal(got, expected, err_msg=f"seed {seed}: {options} {real}\n{body}")
    assert linked_by_us
