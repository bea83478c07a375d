"""Structured dtypes and arrays of them, for tests of records."""

from __future__ import annotations

import numpy as np
import pytest

MIXED = [("f", "u1"), ("x", "f4"), ("n", "i2"), ("z", "c8"), ("v", "i2", (3,)), ("d", "f8")]
BYTES = np.dtype([("a", np.uint8), ("b", np.int8), ("c", np.int16), ("d", np.bool_), ("e", np.uint8)])
COUNTER = np.dtype([("f", np.uint8), ("n", np.int32)], align=True)
WIDE = pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")


def filled(dtype: np.dtype, shape: int | tuple[int, ...], seed: int = 3) -> np.ndarray:
    """Small numbers that every type and every device holds exactly."""
    rng = np.random.default_rng(seed)
    array = np.zeros(shape, dtype)

    def fill(part: np.ndarray) -> None:
        if part.dtype.names:
            for name in part.dtype.names:
                fill(part[name])
        elif part.dtype.kind == "b":
            part[...] = rng.integers(0, 2, part.shape)
        elif part.dtype.kind == "c":
            part[...] = rng.integers(-9, 9, part.shape) + 1j * rng.integers(-9, 9, part.shape)
        else:
            part[...] = rng.integers(0, 100, part.shape).astype(part.dtype)

    fill(array)
    return array
