"""Atomic operations on every type, in buffers and in shared memory, against NumPy."""

import numpy as np
import pytest

import numba_vulkan as nv

INTEGERS = ["int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
BITWISE = ["and_", "or_", "xor"]


def wrapped(function):
    def run(old, value):
        with np.errstate(over="ignore"):
            return function(old, value)

    return run


NEW_VALUES = {
    "add": wrapped(lambda old, value: old + value),
    "sub": wrapped(lambda old, value: old - value),
    "min": np.minimum,
    "max": np.maximum,
    "nanmin": np.fmin,
    "nanmax": np.fmax,
    "and_": lambda old, value: old & value,
    "or_": lambda old, value: old | value,
    "xor": lambda old, value: old ^ value,
    "exch": lambda old, value: value,
    "inc": lambda old, limit: np.where(old >= limit, 0, old + old.dtype.type(1)).astype(old.dtype),
    "dec": lambda old, limit: np.where((old == 0) | (old > limit), limit, old - old.dtype.type(1)).astype(
        old.dtype
    ),
}


def skip_without_type(device, dtype):
    if np.dtype(dtype).itemsize == 8 and not device.info.int64_atomics:
        pytest.skip("the device has no 64-bit atomic operations")


def values_of(dtype, seed):
    random = np.random.default_rng(seed)
    if dtype.kind == "f":
        values = random.normal(0, 10, 96).astype(dtype)
        values[::16], values[1::16], values[2::32] = np.nan, np.inf, 0
        return values
    info = np.iinfo(dtype)
    values = random.integers(info.min, info.max, 96, dtype, endpoint=True)
    values[::8], values[1::8], values[2::16] = random.integers(0, 5, 12), info.max, info.min
    return values


def in_buffer(name):
    operation = getattr(nv.atomic, name)

    @nv.jit
    def kernel(x, values, old):
        i = nv.global_id(0)
        old[i] = operation(x, i, values[i])

    return kernel


def in_shared(name, dtype):
    operation = getattr(nv.atomic, name)

    @nv.jit
    def kernel(x, values, old):
        part = nv.shared.array((4, 8), dtype)
        t = nv.local_id(0)
        i = nv.global_id(0)
        part[t // 8, t % 8] = x[i]
        nv.barrier()
        old[i] = operation(part, (t // 8 - 4, t % 8), values[i])
        nv.barrier()
        x[i] = part[t // 8, t % 8]

    return kernel


def cases():
    for name in NEW_VALUES:
        for dtype in INTEGERS + (FLOATS if name not in (*BITWISE, "inc", "dec") else []):
            yield name, dtype


@pytest.mark.mesa22
@pytest.mark.parametrize("place", ["buffer", "shared"])
@pytest.mark.parametrize(("name", "dtype"), list(cases()))
def test_new_and_old_values(device, name, dtype, place):
    dtype = np.dtype(dtype)
    skip_without_type(device, dtype)
    x, values = values_of(dtype, 1), np.roll(values_of(dtype, 2), 3)
    expected = NEW_VALUES[name](x, values)
    before, old = x.copy(), np.zeros_like(x)
    kernel = in_buffer(name) if place == "buffer" else in_shared(name, dtype.type)
    kernel[3, 32](x, values, old)
    np.testing.assert_array_equal(old, before)
    np.testing.assert_array_equal(x, expected)


@nv.jit
def compare_and_swap(x, expected, values, old):
    i = nv.global_id(0)
    old[i] = nv.atomic.cas(x, i, expected[i], values[i])


@nv.jit
def load_and_store(x, out):
    i = nv.global_id(0)
    nv.atomic.store(out, -1 - i, nv.atomic.load(x, i))


@pytest.mark.mesa22
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_cas_load_and_store(device, dtype):
    dtype = np.dtype(dtype)
    skip_without_type(device, dtype)
    x, values = values_of(dtype, 3), values_of(dtype, 4)
    expected = np.where(np.arange(96) % 3 == 0, x, x + dtype.type(1))
    before, old = x.copy(), np.zeros_like(x)
    compare_and_swap[3, 32](x, expected, values, old)
    np.testing.assert_array_equal(old, before)
    is_same = before.view(f"u{dtype.itemsize}") == expected.view(f"u{dtype.itemsize}")
    np.testing.assert_array_equal(x, np.where(is_same, values, before))
    load_and_store[3, 32](x, old)
    np.testing.assert_array_equal(old, x[::-1])


@nv.jit
def sum_of(x, total, extremes):
    i = nv.global_id(0)
    if i < x.size:
        nv.atomic.add(total, 0, x[i])
        nv.atomic.min(extremes, 0, x[i])
        nv.atomic.max(extremes, -1, x[i])


@pytest.mark.mesa22
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_everyone_changes_one_element(device, dtype):
    skip_without_type(device, dtype)
    largest = 3 if dtype == "float16" else 1000  # sums of float16 are exact up to 2048
    x = np.random.default_rng(5).integers(0, largest, 1000).astype(dtype)
    total, extremes = np.zeros(1, dtype), np.array([10_000, 0], dtype)
    sum_of.forall(1000)(x, total, extremes)
    assert total[0] == x.sum()
    np.testing.assert_array_equal(extremes, [x.min(), x.max()])


@nv.jit
def add_and_read(x, total, out):
    i = nv.global_id(0)
    out[i] = total[1 + i] + nv.atomic.add(total, 0, x[i])
    total[1 + i] = out[i]


def test_floats_are_read_and_written_beside_atomic_operations(device):
    x = np.ones(64, np.float32)
    total, out = np.full(65, 0.5, np.float32), np.zeros(64, np.float32)
    add_and_read[2, 32](x, total, out)
    assert total[0] == 64.5
    np.testing.assert_array_equal(np.sort(out), 1 + np.arange(64))
    np.testing.assert_array_equal(total[1:], out)


@nv.jit
def histogram(x, counts):
    part = nv.shared.array(32, np.int32)
    t = nv.local_id(0)
    if t < 32:
        part[t] = 0
    nv.barrier()
    for i in range(nv.global_id(0), x.size, nv.local_size(0) * nv.num_groups(0)):
        nv.atomic.add(part, x[i], 1)
    nv.barrier()
    if t < 32:
        nv.atomic.add(counts, t, part[t])


@pytest.mark.mesa22
def test_histogram(device):
    x = np.random.default_rng(6).integers(0, 32, 5000).astype(np.uint8)
    counts = np.zeros(32, np.int32)
    histogram[4, 64](x, counts)
    np.testing.assert_array_equal(counts, np.bincount(x, minlength=32))


@nv.jit
def single_pass_sum(x, partial, ticket, out):
    part = nv.shared.array(64, np.int32)
    last = nv.shared.array(1, np.int32)
    t = nv.local_id(0)
    total = np.int32(0)
    for i in range(nv.global_id(0), x.size, 64 * nv.num_groups(0)):
        total += x[i]
    part[t] = total
    nv.barrier()
    half = 32
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        nv.barrier()
        half //= 2
    if t == 0:
        partial[nv.group_id(0)] = part[0]
        nv.fence_device()
        last[0] = nv.atomic.add(ticket, 0, 1) == nv.num_groups(0) - 1
        nv.fence_device()
    nv.barrier()
    if last[0] != 0 and t == 0:
        total = np.int32(0)
        for group in range(nv.num_groups(0)):
            total += partial[group]
        out[0] = total


@pytest.mark.mesa22
def test_last_workgroup_finishes(device):
    x = np.random.default_rng(7).integers(-99, 99, 20_000).astype(np.int32)
    for _ in range(5):
        out, ticket = np.zeros(1, np.int32), np.zeros(1, np.uint32)
        single_pass_sum[16, 64](x, np.zeros(16, np.int32), ticket, out)
        assert out[0] == x.sum()
        assert ticket[0] == 16


@nv.jit
def add_to_views(x, values, old):
    i, j = nv.global_id(0), nv.global_id(1)
    old[j, i] = nv.atomic.add(x, (j - x.shape[0], i), values[j, i])


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
@pytest.mark.parametrize("view", ["C", "F", "steps", "slice"])
def test_views(device, dtype, view):
    skip_without_type(device, dtype)
    whole = np.arange(2 * 8 * 12).reshape(16, 12).astype(dtype)
    views = {
        "C": lambda a: a[:8, :12],
        "F": lambda a: np.asfortranarray(a[:8, :6]),
        "steps": lambda a: a[::2, ::-3],
        "slice": lambda a: a[3:11, 1:9],
    }
    base = whole.copy()
    x = views[view](base)
    before, values = x.copy(), np.random.default_rng(9).integers(0, 50, x.shape).astype(dtype)
    old = np.zeros(x.shape, dtype)
    add_to_views[(x.shape[1], 1), (1, x.shape[0])](x, values, old)
    np.testing.assert_array_equal(old, before)
    np.testing.assert_array_equal(x, before + values)
    if view != "F":
        expected = whole.copy()
        views[view](expected)[...] += values
        np.testing.assert_array_equal(base, expected)


@nv.jit
def add_to_a_view_of_shared(values, out):
    part = nv.shared.array((3, 16), np.float32)
    t = nv.local_id(0)
    for row in range(3):
        part[row, t] = 0
    nv.barrier()
    odd = part[1][1::2]
    nv.atomic.add(odd, t % 8 - 8, values[t])
    nv.barrier()
    for row in range(3):
        out[row, t] = part[row, t]


def test_views_of_shared_arrays(device):
    values, out = np.arange(16, dtype=np.float32), np.ones((3, 16), np.float32)
    add_to_a_view_of_shared[1, 16](values, out)
    expected = np.zeros((3, 16), np.float32)
    expected[1, 1::2] = values.reshape(2, 8).sum(0)
    np.testing.assert_array_equal(out, expected)


def complex_kernel(name, dtype, shared):
    operation = getattr(nv.atomic, name)

    @nv.jit
    def in_buffer(x, values, old):
        i = nv.global_id(0)
        old[i] = operation(x, i % 4 - 4, values[i])

    @nv.jit
    def in_shared(x, values, old):
        part = nv.shared.array(4, dtype)
        i = nv.global_id(0)
        if i < 4:
            part[i] = x[i]
        nv.barrier()
        old[i] = operation(part, i % 4, values[i])
        nv.barrier()
        if i < 4:
            x[i] = part[i]

    return in_shared if shared else in_buffer


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", ["add", "sub"])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_numbers(device, dtype, name, shared):
    if dtype is np.complex128:
        skip_without_type(device, np.float64)
    x = (np.arange(4) + 2j).astype(dtype)
    values = (np.arange(32) * (1 - 3j)).astype(dtype)
    total = values.reshape(8, 4).sum(0)
    expected = x + total if name == "add" else x - total
    old = np.zeros_like(values)
    complex_kernel(name, dtype, shared)[1, 32](x, values, old)
    np.testing.assert_array_equal(x, expected)
    assert {o.real for o in old[::4]} >= {0.0}


@nv.jit
def count_halves(x, p):
    nv.atomic.add(x, p, np.float16(1))


def test_the_other_half_of_a_word_stays(device):
    x = np.array([1.5, -0.0, 65504, np.nan, 3], np.float16)
    for p in (4, 1, 0):
        count_halves[2, 32](x, p)
    np.testing.assert_array_equal(x, np.array([65.5, 64, 65504, np.nan, 67], np.float16))


@nv.jit
def halves_in_dynamic_memory(values, out):
    part = nv.shared.array(0, np.float16)
    t = nv.local_id(0)
    part[t] = t
    nv.barrier()
    nv.atomic.max(part, (t + 1) % 32, values[t])
    nv.barrier()
    out[t] = part[t]


def test_halves_in_dynamic_memory(device):
    values, out = np.full(32, 7.5, np.float16), np.zeros(32, np.float16)
    halves_in_dynamic_memory[1, 32, 0, 64](values, out)
    np.testing.assert_array_equal(out, np.maximum(np.arange(32), 7.5))


# ---------------------------------------------------------------- bad input


def test_what_does_not_work_is_refused(device):
    x, one = np.zeros(4, np.float32), np.ones(4, np.float32)
    with pytest.raises(Exception, match=r"atomic\.xor does not work on elements of type float32"):
        in_buffer("xor")[1, 4](x, one, one)
    with pytest.raises(Exception, match=r"atomic\.add does not work on elements of type int8"):
        in_buffer("add")[1, 4](x.astype(np.int8), one, one)
    for name in ("min", "exch", "inc"):
        with pytest.raises(Exception, match=rf"atomic\.{name} does not work on elements of type complex64"):
            in_buffer(name)[1, 4](x.astype(np.complex64), one, one)
    for value in (one * 1j, np.ones((4, 4), np.float32)):
        with pytest.raises(
            Exception, match=r"atomic\.add on elements of type float32 does not take .* as a value"
        ):
            in_buffer("add")[1, 4](x, value, one)
    x.flags.writeable = False
    with pytest.raises(Exception, match=r"atomic\.add writes to a read-only array"):
        in_buffer("add")[1, 4](x, one, one)


def test_64_bits_where_the_device_lacks_them(device):
    if device.info.int64_atomics:
        pytest.skip("the device has 64-bit atomic operations")
    x = np.zeros(4, np.int64)
    with pytest.raises(nv.VulkanUnsupportedError, match=r"needs int64_atomics, which the device lacks"):
        in_buffer("add")[1, 4](x, x, x)


@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_float64_where_the_device_lacks_it(device):
    if device.info.float64:
        pytest.skip("the device has float64")
    x = np.zeros(4)
    with pytest.raises(nv.VulkanUnsupportedError, match=r"needs float64, which the device lacks"):
        in_buffer("add")[1, 4](x, x, x)
