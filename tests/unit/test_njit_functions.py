"""Functions under `numba.njit` in kernels, next to their use on the CPU."""

from __future__ import annotations

import numba
import numpy as np
from numba import types

import numba_vulkan as nv
from numba_vulkan.frontend import entry
from numba_vulkan.frontend.types import array_type


@numba.njit
def successor(value):
    return value + np.float32(1)


@numba.njit
def on_cpu(x):
    for i in range(x.size):
        x[i] = successor(x[i])


@nv.jit
def kernel(x):
    i = nv.global_id(0)
    if i < x.size:
        x[i] = successor(x[i])


def test_a_function_that_ran_on_the_cpu_before_is_compiled_for_the_kernel():
    """Numba's CPU target, once it is in use, wants the address of a function that kernels name."""
    x = np.zeros(3, np.float32)
    on_cpu(x)
    assert x.tolist() == [1, 1, 1]
    lowered = entry.lower(kernel, (array_type(np.dtype(np.float32), 1, "C", False),))
    assert any("successor" in module and "fadd" in module for module in lowered.modules)
    assert types.float32 in successor.signatures[0]
