"""Functions specialised for functions, dtypes and shapes that they are given; tuples of mixed types, unrolled."""

import numpy as np
from numba import literal_unroll

import numba_vulkan as nv


@nv.jit
def twice(x):
    return 2 * x


@nv.jit
def thrice(x):
    return 3 * x


@nv.jit
def apply(function, x):
    return function(x)


@nv.jit
def made(shape, dtype):
    result = np.zeros(shape, dtype)
    result[-1] = 300
    return result


@nv.jit
def specialised(out):
    def inner(x):
        return x + out[0]

    out[0] = apply(twice, 4) + apply(thrice, 5)
    out[1] = made(3, np.int32).sum()
    out[2] = made((2, 2), np.uint8)[1, 1]
    out[3] = inner(1) + (lambda x: x * 7)(3)


def test_functions_dtypes_and_shapes_as_arguments(device):
    out = np.zeros(4, np.int64)
    specialised[1, 1](out)
    np.testing.assert_array_equal(out, [23, 300, 300 - 256, 45])


@nv.jit
def sum_of_all(arrays, numbers, out):
    for a in literal_unroll(arrays):
        out[0] += a.sum()
    for number in literal_unroll(numbers):
        out[1] += np.int64(number)


def test_tuples_of_mixed_types(device):
    out = np.zeros(2, np.int64)
    arrays = (np.arange(3), np.arange(4, dtype=np.int8), np.ones((2, 2), np.int32)[:, ::-1])
    sum_of_all[1, 1](arrays, (1, np.int8(2), np.float32(3.5), True), out)
    np.testing.assert_array_equal(out, [13, 7])
