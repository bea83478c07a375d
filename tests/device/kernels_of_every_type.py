"""Kernels over all types and kinds of memory, run under one choice of ``narrow`` after the other."""

from __future__ import annotations

import math
import warnings

import numpy as np

import numba_vulkan as nv

__all__ = ["MODES", "capabilities_under"]

# False differs from None in what it refuses only.
MODES = (None, "ints", "floats", True)
NUMBERS = ("i1", "u2", "i8", "u8", "f2", "f8")
OTHERS = ("c8", "c16", "?", "M8[s]", "m8[s]")


def scaled(x, y, factor, out):
    i = nv.global_id(0)
    if i < out.size:
        out[i] = x[i] * factor + y[i]


def counted(x, y, factor, out):
    i = nv.global_id(0)
    if i < out.size:
        total = x[i]
        for k in range(x.size):
            total += y[k] % 3 + int(factor)
        out[i] = total


def shared(x, y, factor, out):
    part = nv.shared.array(32, x.dtype)
    own = nv.local.array(4, x.dtype)
    i = nv.local_id(0)
    part[i] = x[i]
    own[i % 4] = y[i]
    nv.barrier()
    out[i] = part[31 - i] + own[i % 4]


def raising(x, y, factor, out):
    i = nv.global_id(0)
    if x[i] > y[i] + 100:
        raise ValueError(factor)
    out[i] = int(x[i]) // 7 + max(x[i], y[i])


def functions(x, y, factor, out):
    i = nv.global_id(0)
    out[i] = math.exp(x[i] / 100) + math.floor(y[i] + 0.5) - math.sqrt(float(x[i]) ** 2)


def copied(x, y, factor, out):
    i = nv.global_id(0)
    if i < out.size:
        out[i] = x[i] if x[i] == y[i] else factor


def capabilities_under(narrow: object) -> set[str]:
    """Run all kernels that a mode takes; return the capabilities of all their modules."""
    found: set[str] = set()
    kernels = [nv.jit(f, narrow=narrow) for f in (scaled, counted, shared, raising, functions)]
    for name in NUMBERS:
        x = np.arange(32).astype(name)
        for kernel in kernels:
            kernel[1, 32](x, x[::-1], x[2], x.copy())
    exact_ints = narrow not in ("ints", True)
    other = nv.jit(copied, narrow=narrow)
    for name in OTHERS:
        if exact_ints or name[0] not in "Mm":
            x = np.arange(32).astype(name)
            other[1, 32](x, x[::-1], x[1], x.copy())
    for kernel in (*kernels, other):
        for compiled in kernel._compiled.values():
            found |= set(compiled.capabilities)
    return found


def main() -> None:
    """Print what the modes need, and what the validation layer says."""
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", nv.VulkanPrecisionWarning)
    warnings.simplefilter("ignore", nv.VulkanPerformanceWarning)
    for narrow in MODES:
        print(narrow, *sorted(capabilities_under(narrow)))
    print(nv.runtime.validation_messages())
