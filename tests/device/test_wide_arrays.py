"""Arrays of more than 2**31 - 1 elements, whose positions kernels compute with 64 bits."""

import numpy as np
import pytest
from numba.core.errors import NumbaError

import numba_vulkan as nv
from numba_vulkan.dispatcher import arguments
from numba_vulkan.runtime import MemoryKind
from numba_vulkan.runtime.memory import heap_bytes

pytestmark = [pytest.mark.mesa22, pytest.mark.needs("buffer_addresses")]


@pytest.fixture
def few_are_many(monkeypatch):
    """Take arrays of more than fifty elements for ones of more than 2**31 - 1."""
    monkeypatch.setattr(arguments, "_LARGEST_INDEX", 50)


@nv.jit
def uses(m, small, out):
    i = nv.global_id(0)
    if i < m.shape[0]:
        row = m[i]
        total = 0
        for v in row[::-1]:
            total += v
        for j in range(len(row)):
            total += m[i, -1 - j] * j
        out[i] = total + m.T[0, i] + m.size + m[i, 2:5].size + small[i % 3] + m[..., None].shape[2]
        row[1:3] = 7
        m[i, -4] = i


@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
@pytest.mark.parametrize("view", ["whole", "columns reversed", "Fortran order"])
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "complex64"]
)
def test_elements_views_and_iteration(device, few_are_many, dtype, view):
    matrix, small = (np.arange(200).reshape(10, 20) % 3).astype(dtype), np.arange(3)
    if view == "Fortran order":
        matrix = np.asfortranarray(matrix)
    elif view != "whole":
        matrix = matrix[:, ::-1]
    kind = np.complex64 if dtype == "complex64" else np.float32
    expected, after = np.zeros(10, kind), matrix.copy()
    for i in range(10):
        terms = (after[i].astype(kind) * (20 - np.arange(20))).sum()
        expected[i] = terms + kind(after.T[0, i]) + 200 + 3 + small[i % 3] + 1
        after[i, 1:3], after[i, -4] = 7, i
    out = np.zeros(10, kind)
    uses.forall(10)(matrix, small, out)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(matrix, after)
    assert "wide" in str(list(uses._lowered)[-1][0])


def test_bounds_device_functions_and_reshapes(device, few_are_many):
    @nv.jit
    def at(x, k):
        return x[k]

    @nv.jit(boundscheck=True)
    def kernel(x, beyond, out):
        out[0] = at(x, -1) + x.reshape(-1, 10)[2, 3] + x.ravel()[60] + x.strides[0] + x.nbytes
        out[1] = x[beyond]

    x, out = np.arange(100, dtype=np.int32), np.zeros(2, np.int64)
    kernel[1, 1](x, 99, out)
    np.testing.assert_array_equal(out, [99 + 23 + 60 + 4 + 400, 99])
    with pytest.raises(
        IndexError, match=r"index 100 is out of bounds for axis 0 of an array of shape \(100,\)"
    ):
        kernel[1, 1](x, 100, out)


def test_one_array_or_another(device, few_are_many):
    @nv.jit
    def kernel(large, small, flag, out):
        out[0] = (large if flag else small)[2]

    large, small, out = np.arange(100), np.arange(10) * 7, np.zeros(1, np.int64)
    for flag, expected in ((True, 2), (False, 14)):
        kernel[1, 1](large, small, flag, out)
        assert out[0] == expected


@pytest.mark.parametrize("dtype", ["int32", "uint32", "float32", "complex64"])
def test_atomic_operations(device, few_are_many, dtype):
    @nv.jit
    def kernel(x, y):
        i = nv.global_id(0)
        if i < y.size:
            nv.atomic.add(x, (i % 3, -1 - i % 7), y[i])
            nv.atomic.sub(x, (9, 9), y[i])

    x, y = np.ones((10, 10), dtype), np.arange(200).astype(dtype)
    expected, i = x.copy(), np.arange(200)
    np.add.at(expected, (i % 3, -1 - i % 7), y)
    expected[9:, 9] -= y.sum(dtype=dtype)
    kernel.forall(200)(x, y)
    np.testing.assert_array_equal(x, expected)


@pytest.mark.needs("int64_atomics")
def test_atomic_operations_on_64_bits(device, few_are_many):
    @nv.jit
    def kernel(x, seen):
        i = nv.global_id(0)
        if i < 200:
            nv.atomic.max(x, i % 50, i)
            seen[i] = nv.atomic.cas(x, 99, 0, i + 1)

    x, seen = np.zeros(100, np.int64), np.zeros(200, np.int64)
    kernel.forall(200)(x, seen)
    np.testing.assert_array_equal(x[:50], np.arange(150, 200))
    assert x[99] > 0
    assert (seen == 0).sum() == 1


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("y[:] = x[:10] + 1", "operations on whole arrays"),
        ("x[:] = y", "assignments of arrays and tuples"),
        ("x[:3] = (1, 2, 3)", "assignments of arrays and tuples"),
    ],
)
def test_what_is_refused(device, few_are_many, source, what):
    namespace = {"nv": nv}
    exec(f"def kernel(x, y):\n    {source}\n", namespace)
    with pytest.raises(NumbaError, match=f"{what} are not supported for arrays of more than"):
        nv.jit(namespace["kernel"])[1, 1](np.arange(100), np.arange(10))


def test_what_is_refused_by_the_launch(device, few_are_many):
    @nv.jit(narrow="ints")
    def narrow(x):
        x[0] = 1

    @nv.jit
    def records(x):
        x[0].a = 1

    with pytest.raises(nv.KernelArgumentError, match="computes indices in 32 bits"):
        narrow[1, 1](np.arange(100))
    with pytest.raises(nv.KernelArgumentError, match="records are not supported for arrays of more than"):
        records[1, 1](np.zeros(100, [("a", np.int32), ("b", np.int8)]))


@pytest.mark.slow
def test_more_than_two_billion_elements(device):
    """Few of them are touched, so that processors need little memory."""
    count = 2**31 + 10
    # llvmpipe of Mesa 22.3 has 2 GiB of memory.
    if min(device.info.max_buffer_bytes, heap_bytes(device.logical, MemoryKind.DEVICE)) < count + 16:
        pytest.skip("the device has no such buffers")

    @nv.jit
    def touch(x, places):
        i = nv.global_id(0)
        if i < places.size:
            x[places[i]] = i + 1
            x[-1] = 99

    @nv.jit
    def read(x, places, out):
        i = nv.global_id(0)
        if i < places.size:
            out[i] = x[places[i]]

    x = nv.device_array(count, np.int8)
    places = np.array([0, 1, 2**30, 2**31 - 2, 2**31 - 1, 2**31, 2**31 + 1, 2**31 + 8])
    out = np.zeros(8, np.int64)
    touch.forall(8)(x, places)
    read.forall(8)(x, places, out)
    np.testing.assert_array_equal(out, np.arange(1, 9))
    assert (x[count - 1], x[2**31]) == (99, 6)
    read.forall(3)(x[2**31 :], np.array([0, 1, 9]), out)
    np.testing.assert_array_equal(out[:3], [6, 7, 99])
    del x
    device.trim()
