"""Types, sizes and numbers for tests of the classic programs of workgroups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

INTEGERS = [np.int32, np.uint8, np.int16, np.uint64]
TYPES = [*INTEGERS, np.float32, np.float64]
GROUPS = [1, 7, 32, 100, 128]
SIZES = [1, 97, 1001]


FEW_GROUPS = [7, 100]


def types_and_groups(groups: Sequence[Any] = GROUPS, few: Sequence[Any] = FEW_GROUPS) -> pytest.MarkDecorator:
    """Let a test take each type that the device computes in, and one of them in workgroups of all sizes."""
    cases = [(dtype, group) for dtype in TYPES for group in (groups if dtype is np.int32 else few)]
    return pytest.mark.parametrize(("dtype", "group"), [_case(*case) for case in cases])


def _case(dtype: type, group: Any) -> Any:
    needs = [pytest.mark.needs("float64")] if dtype is np.float64 else []
    return pytest.param(dtype, group, id=f"{dtype.__name__}-{group}", marks=needs)


def numbers(dtype: Any, shape: Any, seed: int = 0) -> np.ndarray:
    """Return small numbers, whose sums are exact in all types."""
    return np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)


def wide(dtype: Any) -> Any:
    """The type in which NumPy sums, which the kernels are given too: of 64 bits, but for float32."""
    return {"i": np.int64, "u": np.uint64, "f": dtype}[np.dtype(dtype).kind]
