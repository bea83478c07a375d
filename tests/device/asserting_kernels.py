"""Kernels with assertions, in a module whose asserts pytest does not rewrite."""

import numba_vulkan as nv


@nv.jit
def picky(x, out):
    i = nv.global_id(0)
    if i < x.size:
        if x[i] < 0:
            raise ValueError("a negative element")
        assert x[i] < 100
        out[i] = x[i] + 1
