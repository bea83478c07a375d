"""Functions specialised for functions, dtypes and shapes that they are given; tuples of mixed types, unrolled."""

import numba
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


# 30 integers and as many floats: a loop that asks in each round which of the two it is.
MANY = tuple(np.float32(k + 0.5) if k % 2 else k for k in range(60))


@nv.jit
def sum_of_many(out):
    for number in literal_unroll(MANY):
        out[0] += np.float32(number)


def test_a_long_tuple_of_mixed_types_leaves_no_search(device):
    out = np.zeros(1, np.float32)
    sum_of_many[1, 1](out)
    assert out[0] == sum(MANY)
    text = sum_of_many.compile((numba.float32[::1],)).llvm_ir
    assert "switch" not in text
    assert " br " not in text


@nv.jit
def members(x, y, out):
    i = nv.global_id(0)
    if i < out.size:
        out[i] = (x[i] in (1, -1, 300)) * 100 + (y[i] in (1, -1)) * 10 + (x[i] in (y[i], y[i] + y[i]))


def test_integers_among_others(device):
    x = np.array([1, -1, 300, 0, 2, 2**32 - 1], np.int64)
    y = np.array([1, 2**64 - 1, 150, 0, 2, 2**32 - 1], np.uint64)
    out = np.zeros(6, np.int64)
    members.forall(6)(x, y, out)
    np.testing.assert_array_equal(out, [111, 100, 101, 1, 1, 1])
