"""Arrays that an invocation makes for itself."""

import numpy as np
import pytest
from numba.core.errors import NumbaError

import numba_vulkan as nv
from device.against_python import check, function_of

WIDTH = 3
DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32"]


@pytest.mark.mesa22
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_element_type(device, dtype):
    body = f"""
a = np.zeros(9, np.{dtype if dtype != "bool" else "bool_"})
for k in range(x.size):
    a[x[k] % 9] = v[k]
for k in range(9):
    out[k] = a[k]
b = np.ones((2, 3), np.{dtype if dtype != "bool" else "bool_"})
b[1, 1:] = a[3:5]
for i in range(2):
    for j in range(3):
        out[9 + 3 * i + j] = b[i, j]
"""

    def make():
        v = np.array([5, 0, 100, 3, 77, 1], dtype)
        return np.array([3, 8, 4, 12, 1, 0], np.int32), v, np.zeros(15, dtype)

    check(function_of(body, "x, v, out"), make)


@nv.jit
def counts(x, out):
    i = nv.global_id(0)
    if i < x.shape[0]:
        bins = np.zeros(WIDTH + 1, np.int32)
        for value in x[i]:
            bins[value & WIDTH] += 1
        out[i] = bins


def test_a_table_of_each_invocation(device):
    x = np.random.default_rng(0).integers(0, 100, (300, 20)).astype(np.int32)
    out = np.zeros((300, 4), np.int32)
    counts.forall(300)(x, out)
    np.testing.assert_array_equal(out, [np.bincount(row & 3, minlength=4) for row in x])


@nv.jit
def make_pair(shape, value):
    return np.full(shape, value), nv.local.array(shape, np.int32)


@nv.jit
def local_arrays_of_functions(out):
    i = nv.global_id(0)
    if i < out.shape[0]:
        a, b = make_pair(4, i)
        c, d = make_pair(4, 2 * i)
        b[:] = a
        d[:] = c
        larger = b if i % 2 else d
        out[i, 0] = (a + c).sum() - larger[2]
        e = np.empty((2, 2), np.int32)
        e[...] = i
        out[i, 1] = e.T.sum()


def test_each_call_makes_an_array(device):
    out = np.zeros((10, 2), np.int64)
    local_arrays_of_functions.forall(10)(out)
    i = np.arange(10)
    np.testing.assert_array_equal(out, np.stack([12 * i - np.where(i % 2, i, 2 * i), 4 * i], axis=1))


def test_arrays_made_in_a_loop(device):
    body = """
for k in range(4):
    a = np.zeros(3, np.int32)
    a[k % 3] += k
    out[k] = a.sum() * 10 + a[k % 3]
"""
    check(function_of(body, "out"), lambda: (np.zeros(4, np.int64),))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("a = np.zeros(n, np.int32)\nout[0] = a[0]", "must be constant"),
        ("a = np.zeros(1 << 20, np.int32)\na[n] = 1\nout[0] = a[0]", "cannot make an array of 1048576"),
        (
            "a = np.zeros(3, np.int32)\nfor k in range(n):\n    b = np.ones(3, np.int32)\n    b[k] = a[k] + a[0]\n"
            "    a = b\nout[0] = a[0]",
            "kept for its next iteration",
        ),
        ("out[0] = nv.atomic.add(np.zeros(3, np.int32), 0, 1)", "belongs to one invocation"),
    ],
)
def test_what_cannot_be_made(device, body, message):
    with pytest.raises(NumbaError, match=message) as caught:
        nv.jit(function_of(body, "n, out"))[1, 1](5, np.zeros(1, np.int64))
    assert "<string>:" in str(caught.value)
