"""Indices computed in 64 bits, as Numba types them, and in 32 bits reach the same placeholders and elements."""

import numpy as np

import numba_vulkan as nv


@nv.jit
def matmul_64(a, b, c):
    i, j = nv.global_id(0), nv.global_id(1)
    if i < c.shape[0] and j < c.shape[1]:
        total = np.float32(0)
        for tile in range(0, a.shape[1], 8):
            for k in range(tile, min(tile + 8, a.shape[1])):
                total += a[i, k] * b[k, j]
        c[i, j] = total


@nv.jit
def matmul_32(a, b, c):
    i, j = np.int32(nv.global_id(0)), np.int32(nv.global_id(1))
    if i < np.int32(c.shape[0]) and j < np.int32(c.shape[1]):
        total = np.float32(0)
        inner = np.int32(a.shape[1])
        for tile in range(np.int32(0), inner, np.int32(8)):
            for k in range(tile, np.int32(min(tile + np.int32(8), inner))):
                total += a[i, k] * b[k, j]
        c[i, j] = total


def test_tiled_matmul(device):
    rng = np.random.default_rng(4)
    a = rng.integers(-8, 8, (37, 29)).astype(np.float32)
    b = rng.integers(-8, 8, (29, 41)).astype(np.float32)
    for kernel in (matmul_64, matmul_32):
        c = np.zeros((37, 41), np.float32)
        kernel.forall(c.shape)(a, b, c)
        np.testing.assert_array_equal(c, a @ b)


@nv.jit
def sum_64(x, out):
    i = nv.global_id(0)
    total = 0
    for k in range(i, x.size, nv.local_size(0) * nv.num_groups(0)):
        total += x[k]
    out[i] = total


@nv.jit
def sum_32(x, out):
    i = np.int32(nv.global_id(0))
    total = np.int32(0)
    stride = np.int32(nv.local_size(0) * nv.num_groups(0))
    for k in range(i, np.int32(x.size), stride):
        total = np.int32(total + x[k])
    out[i] = total


def test_grid_stride_sum(device):
    x = np.arange(10_007, dtype=np.int32) % 1013
    for kernel in (sum_64, sum_32):
        out = np.zeros(5 * 64, np.int32)
        kernel[5, 64](x, out)
        np.testing.assert_array_equal(out, [x[k::320].sum() for k in range(320)])
