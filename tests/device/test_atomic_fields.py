"""Atomic operations on fields of records, in buffers and in shared memory, whatever lies beside them; against NumPy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import numba_vulkan as nv
from device.test_atomics import NEW_VALUES, cases, skip_without_type, values_of

GROUP = 32


def record_of(dtype: np.dtype) -> np.dtype:
    """A record in which a field of a type has neighbours of 1 and 2 bytes, and stands in a record and an array too."""
    inner = np.dtype([("c", np.int8), ("x", dtype)], align=True)
    fields = [
        ("a", np.uint8),
        ("x", dtype),
        ("b", np.int16),
        ("r", inner),
        ("v", dtype, (2, 3)),
        ("f", np.float32),
    ]
    return np.dtype(fields, align=True)


def filled(records: np.ndarray) -> np.ndarray:
    """Fill all fields but those of the type that the test is about."""
    k = np.arange(records.size)
    records["a"], records["b"], records["r"]["c"], records["f"] = k, -k, k + 1, k / 4
    return records


def of_field(operation):
    @nv.jit
    def kernel(a, values, old):
        i = nv.global_id(0)
        old[i] = operation(a.x, i, values[i])
        a[i].b += 1
        a[i].r.c -= 1

    return kernel


def of_nested(operation):
    @nv.jit
    def kernel(a, values, old):
        i = nv.global_id(0)
        old[i] = operation(a["r"]["x"], i - a.size, values[i])
        a[i].b += 1
        a[i].r.c -= 1

    return kernel


def of_array_in_record(operation):
    @nv.jit
    def kernel(a, values, old):
        i = nv.global_id(0)
        old[i] = operation(a[i].v, (i % 2, -1), values[i])
        a[i].b += 1
        a[i].r.c -= 1

    return kernel


def of_view(operation):
    @nv.jit
    def kernel(a, values, old):
        i = nv.global_id(0)
        view = a[::-1].v[:, :, ::-1].T
        old[i] = operation(view, (0, i % 2, a.size - 1 - i), values[i])
        a[i].b += 1
        a[i].r.c -= 1

    return kernel


def in_shared(operation, record):
    @nv.jit
    def kernel(a, values, old):
        part = nv.shared.array((2, 16), record)
        i, t = nv.global_id(0), nv.local_id(0)
        p = t // 16, t % 16
        part[p] = a[i]
        nv.barrier()
        q = t // 16 - 2, t % 16
        old[i] = operation(part.x, q, values[i])
        nv.barrier()
        part[p].b += 1
        part[p].r.c -= 1
        nv.barrier()
        a[i] = part[p]

    return kernel


# Each place with the field and, where that is an array, the element that each record's invocation changes.
K = np.arange(3 * GROUP)
PLACES = {
    "field": (of_field, lambda a: a["x"], ...),
    "nested": (of_nested, lambda a: a["r"]["x"], ...),
    "array": (of_array_in_record, lambda a: a["v"], (K, K % 2, 2)),
    "view": (of_view, lambda a: a["v"], (K, K % 2, 2)),
    "shared": (in_shared, lambda a: a["x"], ...),
}


def places_and_cases():
    """All operations and types on a field, and each of them at one of the other places in turn."""
    others = [place for place in PLACES if place != "field"]
    for k, (name, dtype) in enumerate(cases()):
        yield name, dtype, "field"
        yield name, dtype, others[(k + k // 4) % len(others)]


def assert_fields_equal(found: np.ndarray, expected: np.ndarray) -> None:
    """Compare field by field: NumPy takes records with NaN for different."""
    for name in expected.dtype.names or ():
        assert_fields_equal(found[name], expected[name])
    if expected.dtype.names is None:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.mesa22
@pytest.mark.parametrize(("name", "dtype", "place"), list(places_and_cases()))
def test_new_and_old_values(device, name, dtype, place):
    dtype = np.dtype(dtype)
    skip_without_type(device, dtype)
    make, field_of, changed = PLACES[place]
    operation, record = getattr(nv.atomic, name), record_of(dtype)
    kernel = make(operation, record) if place == "shared" else make(operation)
    x, values = values_of(dtype, 1), np.roll(values_of(dtype, 2), 3)
    a = filled(np.zeros(3 * GROUP, record))
    a["x"], a["r"]["x"], a["v"] = x, x, x[:, None, None]
    old, expected = np.zeros_like(x), a.copy()
    kernel[3, GROUP](a, values, old)
    field_of(expected)[changed] = NEW_VALUES[name](x, values)
    expected["b"] += 1
    expected["r"]["c"] -= 1
    np.testing.assert_array_equal(old, x)
    assert_fields_equal(a, expected)


# ---------------------------------------------------------------- what many invocations change


MIXED = np.dtype(
    [
        ("n", np.int64),
        ("u", np.uint32),
        ("h", np.float16),
        ("x", np.float64),
        ("c", np.int32),
        ("f", np.float32),
    ],
    align=True,
)


@nv.jit
def change(a, p, i):
    nv.atomic.add(a.n, p, 1 << 33)
    nv.atomic.inc(a.u, p, 1000)
    nv.atomic.add(a.h, p, 1)
    nv.atomic.add(a.x, p, 0.5)
    nv.atomic.min(a.c, p, -i)
    nv.atomic.max(a.f, p, i)


@nv.jit
def change_in_buffer(a):
    i = nv.global_id(0)
    change(a, i % a.size, i)


@nv.jit
def change_in_shared(a):
    part = nv.shared.array(4, MIXED)
    t = nv.local_id(0)
    if t < 4:
        part[t] = a[t]
    nv.barrier()
    change(part, t % 4, t)
    nv.barrier()
    if t < 4:
        a[t] = part[t]


@pytest.mark.parametrize("kernel", [change_in_buffer, change_in_shared])
def test_fields_of_all_types_at_once(device, kernel):
    skip_without_type(device, np.int64)
    a = np.zeros(4, MIXED)
    kernel[1, 64](a)
    assert a["n"].tolist() == [16 << 33] * 4
    assert a["u"].tolist() == a["h"].tolist() == [16] * 4
    assert a["x"].tolist() == [8] * 4
    assert a["c"].tolist() == [-60, -61, -62, -63]
    assert a["f"].tolist() == [60, 61, 62, 63]


COMPLEX = np.dtype([("a", np.uint8), ("z", np.complex64), ("w", np.complex128), ("b", np.uint8)], align=True)


@nv.jit
def add_complex(a):
    i = nv.global_id(0)
    nv.atomic.add(a.z, i % 3, 1 - 2j)
    nv.atomic.sub(a.w, i % 3 - 3, 2 + 1j)


@nv.jit
def add_complex64(a):
    i = nv.global_id(0)
    nv.atomic.add(a.z, i % 3, 1 - 2j)


def test_complex_fields(device):
    wide = device.info.int64_atomics
    a = np.zeros(3, COMPLEX)
    (add_complex if wide else add_complex64)[3, 16](a)
    assert a["z"].tolist() == [16 - 32j] * 3
    assert a["w"].tolist() == [-32 - 16j if wide else 0] * 3


@nv.jit
def load_store_and_swap(a, found):
    i = nv.global_id(0)
    found[i] = nv.atomic.cas(a.n, i, i, -1)
    nv.atomic.store(a.x, a.size - 1 - i, nv.atomic.load(a.f, i) + 0.5)
    a[i].f = nv.atomic.load(a.n, i)


def test_load_store_and_swap(device):
    skip_without_type(device, np.int64)
    a, found = np.zeros(32, MIXED), np.zeros(32, np.int64)
    a["n"], a["f"] = np.arange(32) // 2 * 2, np.arange(32)
    load_store_and_swap[1, 32](a, found)
    np.testing.assert_array_equal(found, np.arange(32) // 2 * 2)
    np.testing.assert_array_equal(a["n"], np.where(np.arange(32) % 2, found, -1))
    np.testing.assert_array_equal(a["x"], np.arange(32)[::-1] + 0.5)
    np.testing.assert_array_equal(a["f"], a["n"])


ORDER = np.dtype([("k", np.uint8), ("m", np.int16), ("n", np.int64), ("h", np.float16)], align=True)


@nv.jit
def read_what_was_written(a, b, out):
    i = nv.global_id(0)
    a[i].k = i + 1
    b[i] = a[i]
    a[i].m = -i
    a[i].n = i
    nv.atomic.add(a.n, i, 1 << 40)
    b[i].m = a[i].m - 1
    out[i] = a[i].k + a[i].m + a[i].n + b[i].k + b[i].m
    a[i].n = 7
    out[i] += nv.atomic.exch(a.n, i, 9) + a[i].n


@pytest.mark.parametrize("same", [False, True])
def test_accesses_of_several_widths_keep_their_order(device, same):
    skip_without_type(device, np.int64)
    a, out = np.zeros(64, ORDER), np.zeros(64, np.int64)
    b = a if same else np.zeros(64, ORDER)
    read_what_was_written[2, 32](a, b, out)
    i = np.arange(64)
    m = -i - 1 if same else -i
    np.testing.assert_array_equal(out, (i + 1) * 2 + m + (i + (1 << 40)) + (-i - 1) + 16)
    np.testing.assert_array_equal(a["n"], np.full(64, 9))
    np.testing.assert_array_equal(b["m"], -i - 1)
    np.testing.assert_array_equal(b["k"], i + 1)


@nv.jit
def sum_of_many(a, b, c, d, e, f):
    i = nv.global_id(0)
    if i < f.size:
        nv.atomic.add(f.n, i % 2, a[i] + b[i] + c[i] + d[i] + e[i])
        f[i].k = i


@pytest.mark.needs("buffer_addresses")
def test_arrays_reached_by_address(device):
    skip_without_type(device, np.int64)
    limited = nv.get_device(replace(device.info, max_storage_buffers=5))
    f = np.zeros(32, ORDER)
    sum_of_many.forall(32, device=limited)(*(np.full(32, 1 << k) for k in range(30, 35)), f)
    assert f["n"].tolist() == [16 * (31 << 30)] * 2 + [0] * 30
    np.testing.assert_array_equal(f["k"], np.arange(32))


# ---------------------------------------------------------------- shared memory that several types share


@nv.jit
def counts_in_dynamic_memory(wide, words, old):
    large, small, halves = (
        nv.shared.array(0, np.uint64),
        nv.shared.array(0, np.int32),
        nv.shared.array(0, np.float16),
    )
    t = nv.local_id(0)
    if t < 4:
        large[t] = t
    if 8 <= t < 12:
        small[t] = t
    nv.barrier()
    nv.atomic.add(large, t % 4, 1 << 33)
    old[t] = nv.atomic.sub(small, 8 + t % 3, 2)
    nv.atomic.max(halves, 22, t)
    nv.barrier()
    if t < 4:
        wide[t] = large[t]
        words[t] = small[8 + t]


def test_dynamic_memory(device):
    skip_without_type(device, np.int64)
    wide, words, old = np.zeros(4, np.uint64), np.zeros(4, np.int32), np.zeros(48, np.int32)
    counts_in_dynamic_memory[1, 48, 0, 48](wide, words, old)
    assert wide.tolist() == [(12 << 33) + t for t in range(4)]
    assert words[:3].tolist() == [8 - 32, 9 - 32, 10 - 32]
    assert words[3] == np.array([47, 0], np.float16).view(np.int32)[0]
    for k in range(3):
        assert sorted(old[k::3]) == list(range(8 + k - 30, 8 + k + 1, 2))


@nv.jit(narrow="ints")
def counts_in_narrow_shared(out):
    part = nv.shared.array(3, np.int64)
    t = nv.local_id(0)
    if t < 3:
        part[t] = -t
    nv.barrier()
    nv.atomic.add(part, t % 3, 1)
    nv.barrier()
    if t < 3:
        out[t] = part[t] + nv.atomic.load(part, 2 - t)


def test_shared_memory_where_integers_are_narrow(device):
    """Its elements are 64 bits wide and computed in 32, which no atomic operation does."""
    with pytest.raises(
        nv.VulkanUnsupportedError, match=r"element of 64 bits.*computes 64-bit types in 32 bits"
    ):
        counts_in_narrow_shared[1, 30](np.zeros(3, np.int64))


# ---------------------------------------------------------------- bad input


def test_packed_fields_are_refused(device):
    a = np.zeros(4, [("a", np.uint8), ("x", np.int32)])
    with pytest.raises(nv.VulkanUnsupportedError, match=r"(?s)multiples of their size.*align=True"):
        of_sum_of_x[1, 4](a)


@nv.jit
def of_sum_of_x(a):
    nv.atomic.add(a.x, 0, 1)


def test_wide_fields_where_the_device_lacks_them(device):
    if device.info.int64_atomics:
        pytest.skip("the device has 64-bit atomic operations")
    with pytest.raises(nv.VulkanUnsupportedError, match=r"needs int64_atomics, which the device lacks"):
        of_sum_of_x[1, 4](np.zeros(4, [("x", np.int64)]))
