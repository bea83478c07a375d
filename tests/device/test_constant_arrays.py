"""Arrays of globals and closures."""

import gc
from dataclasses import replace

import numpy as np
import pytest
from numba.core.errors import NumbaError

import numba_vulkan as nv

PRIMES = np.array([2, 3, 5, 7, 11, 13], np.int64)
WEIGHTS = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))


@nv.jit
def weighted(x, out):
    i = nv.global_id(0)
    if i < out.size:
        total = np.float32(0)
        for k in range(3):
            total += WEIGHTS[i % 2, k] * x[k]
        out[i] = total + PRIMES[i % PRIMES.size] + PRIMES[-1]


@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_global_arrays(device):
    x, out = np.array([1, 10, 100], np.float32), np.zeros(12, np.float32)
    weighted.forall(12)(x, out)
    i = np.arange(12)
    np.testing.assert_array_equal(out, (WEIGHTS @ x)[i % 2] + PRIMES[i % 6] + 13)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint64", "float32"])
def test_closures_of_every_type(device, dtype):
    table = np.array([0, 1, 100, 3], dtype)[::-1]

    @nv.jit
    def reads(out):
        i = nv.global_id(0)
        if i < out.size:
            out[i] = table[i]

    out = np.zeros(4, dtype)
    reads.forall(4)(out)
    np.testing.assert_array_equal(out, table)


def test_the_array_is_that_of_the_first_compilation(device):
    table = np.arange(3)

    @nv.jit
    def reads(out):
        out[nv.global_id(0)] = table[1]

    for value in (1, 1):
        reads[1, 1](out := np.zeros(1, np.int64))
        assert out[0] == value
        table[1] = 50


def test_a_global_array_is_not_written(device):
    @nv.jit
    def writes(out):
        PRIMES[0] = out[0]

    with pytest.raises(NumbaError, match="is a global array, and those are constant in kernels"):
        writes[1, 1](np.zeros(1, np.int64))


# ---- arrays that are too large for a table


RNG = np.random.default_rng(11)
LARGE = RNG.standard_normal((60, 100)).astype(np.float32)
LARGE_PAIR = (np.arange(3000), np.asfortranarray(RNG.integers(-9, 9, (30, 40)).astype(np.int16)))
TYPES = (
    "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128 "
    "datetime64[us] timedelta64[ns]"
).split()


def of_type(dtype: str, count: int) -> np.ndarray:
    """Return an array with all kinds of bits that a type can have, but for NaN."""
    data = RNG.integers(0, 256, count * np.dtype(dtype).itemsize, np.uint8)
    if dtype == "bool":
        return data < 100
    made = data.view(dtype)
    is_nan = {"f": np.isnan, "c": np.isnan, "m": np.isnat, "M": np.isnat}.get(made.dtype.kind)
    return made if is_nan is None else np.where(is_nan(made), np.zeros(1, dtype), made)


@pytest.mark.mesa22
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_every_type(device, dtype):
    if dtype in ("float64", "complex128") and not device.info.float64:
        table = RNG.integers(-1000, 1000, 700).astype(dtype)
    else:
        table = of_type(dtype, 700)

    @nv.jit
    def reads(out):
        i = nv.global_id(0)
        if i < out.size:
            out[i] = nv.const.array_like(table)[-1 - i]

    out = np.zeros(700, dtype)
    reads.forall(700)(out)
    np.testing.assert_array_equal(out, table[::-1])


@pytest.mark.parametrize("align", [False, True])
def test_records(device, align):
    dtype = np.dtype([("flag", bool), ("count", np.int16), ("value", np.float32)], align=align)
    table = np.zeros(40, dtype)
    table["flag"], table["count"] = np.arange(40) % 3 == 0, np.arange(40) * -7
    table["value"] = np.arange(40) / np.float32(3)

    @nv.jit
    def reads(out):
        i = nv.global_id(0)
        if i < out.size:
            record = table[39 - i]
            out[i] = record.value + np.float32(record.count) if record.flag else table.value[i]

    out = np.zeros(40, np.float32)
    reads.forall(40)(out)
    r = table[::-1]
    expected = np.where(r["flag"], r["value"] + r["count"].astype(np.float32), table["value"])
    np.testing.assert_array_equal(out, expected)


@nv.jit
def large_at(i, j):
    return LARGE[i, j]


@pytest.mark.parametrize("kind", ["host", "device", "stream", "graph"])
def test_device_functions_views_and_every_kind_of_launch(device, kind):
    @nv.jit
    def reads(x, out):
        i = nv.global_id(0)
        if i < out.size:
            row = LARGE[i % 60]
            first, second = LARGE_PAIR
            out[i] = row[::-1][3] + large_at(i % 7, 5) * x[i] + np.float32(first[i] + second[i % 30, i % 40])

    i = np.arange(500)
    x = RNG.integers(-4, 4, 500).astype(np.float32)
    sums = (LARGE_PAIR[0][i] + LARGE_PAIR[1][i % 30, i % 40]).astype(np.float32)
    expected = LARGE[i % 60, 96] + LARGE[i % 7, 5] * x + sums
    if kind == "host":
        for _ in range(12):
            out = np.zeros(500, np.float32)
            reads.forall(500)(x, out)
    else:
        target, taken = nv.to_device(np.zeros(500, np.float32)), nv.to_device(x)
        if kind == "graph":
            with nv.record() as graph:
                reads.forall(500)(taken, target)
            graph.launch()
        elif kind == "stream":
            stream = nv.stream()
            reads.forall(500, stream=stream)(taken, target)
            stream.synchronize()
        else:
            for _ in range(20):
                reads.forall(500)(taken, target)
        out = target.copy_to_host()
    np.testing.assert_array_equal(out, expected)


def test_equal_arrays_are_uploaded_once_and_released(device):
    table = np.arange(1 << 18, dtype=np.float32)

    def made():
        @nv.jit
        def reads(out):
            out[0] = table[out.size] + table.copy()[7]

        return reads

    out = nv.to_device(np.zeros(5, np.float32))
    kernels = [made() for _ in range(3)]
    gc.collect()
    before = device.memory_info().used_bytes
    for kernel in kernels:
        kernel[1, 1](out)
        kernel[1, 2](out)
    assert out[0] == 12
    used = device.memory_info().used_bytes - before
    assert table.nbytes <= used < 2 * table.nbytes
    del kernel, kernels
    for _ in range(2):  # pipelines and their slots, which refer to each other, go after their kernel
        gc.collect()
    assert device.memory_info().used_bytes - before < table.nbytes


def test_a_large_array_is_that_of_the_first_compilation(device):
    table = np.arange(1000)

    @nv.jit
    def reads(out):
        out[0] = table[out.size]

    reads[1, 1](out := np.zeros(3, np.int64))
    table[3] = 50
    reads[1, 1](out)
    assert out[0] == 3


def test_constant_arrays_beyond_the_range_of_a_binding(device):
    limited = nv.get_device(replace(device.info, max_storage_buffer_range=1024))
    table = RNG.integers(-9, 9, 2000).astype(np.int32)

    @nv.jit
    def reads(out):
        i = nv.global_id(0)
        if i < out.size:
            out[i] = table[1999 - i]

    out = np.zeros(100, np.int32)
    reads.forall(100, device=limited)(out)
    np.testing.assert_array_equal(out, table[1999:1899:-1])
    assert [compiled.variant.addressed for compiled in reads._compiled.values()] == [True]


def test_what_is_no_constant(device):
    @nv.jit
    def likes(x):
        x[0] = nv.const.array_like(x)[1]

    @nv.jit
    def writes(x):
        LARGE[0, 0] = x[0]

    with pytest.raises(NumbaError, match="takes an array of a global or a closure"):
        likes[1, 1](np.zeros(3))
    with pytest.raises(NumbaError, match="is a global array, and those are constant in kernels"):
        writes[1, 1](np.zeros(3, np.float32))
    with pytest.raises(RuntimeError, match="array_like"):
        nv.const.array_like(LARGE)


def test_a_barrier_may_depend_on_a_constant_array(device):
    """All invocations of a workgroup read the same there, whatever the kernel writes."""
    limits = np.array([3, 5, 4, 8, 2], np.int32)

    @nv.jit
    def kernel(x, out):
        lane, group = nv.local_id(0), nv.group_id(0)
        shared = nv.shared.array(8, np.int64)
        for k in range(limits[group]):
            shared[lane] = x[lane] * k
            nv.barrier()
            out[group, lane] += shared[7 - lane]
            nv.barrier()

    x, out = np.arange(8), np.zeros((5, 8), np.int64)
    kernel[5, 8](x, out)
    np.testing.assert_array_equal(out, x[::-1] * (limits * (limits - 1) // 2)[:, None])
