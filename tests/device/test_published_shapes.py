"""Shapes of control flow that broke other shader compilers compute what Python computes."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import numba_vulkan as nv
from device import graphicsfuzz_shapes, rust_gpu_shapes

INPUT = np.array([0, 1, 2, 3, 5, 7, 10, 11, 12, 16, 31, 99], np.int32)
SHAPES = {
    name: shape
    for module in (rust_gpu_shapes, graphicsfuzz_shapes)
    for name, shape in inspect.getmembers(module, inspect.isfunction)
}


@pytest.mark.mesa22
@pytest.mark.parametrize("shape", SHAPES)
def test_shape(device, shape):
    function = nv.jit(SHAPES[shape])

    @nv.jit
    def kernel(x, out):
        i = nv.global_id(0)
        if i < out.size:
            out[i] = function(x[i])

    out = np.full(INPUT.size, -99, np.int64)
    kernel.forall(INPUT.size)(INPUT, out)
    assert out.tolist() == [SHAPES[shape](int(v)) for v in INPUT]
