"""Arrays of records: fields, columns, nested records and arrays, whole records, and neighbours that share words."""

from __future__ import annotations

import numpy as np
import pytest

import numba_vulkan as nv
from device.record_data import BYTES, COUNTER, MIXED, WIDE, filled

PARTICLE = np.dtype(
    [("id", np.int32), ("pos", np.float32, (3,)), ("alive", np.bool_), ("mass", np.float64)], align=True
)
# Fields at odd offsets, of all sizes; 79 bytes.
PACKED = np.dtype(
    [
        ("p", [("f", np.uint8), ("x", np.float32), ("q", [("a", np.int64), ("v", np.float64, (2,))])]),
        ("m", np.bool_),
        ("n", np.int16),
        ("z", np.complex64),
        ("w", np.complex128),
        ("h", np.float16),
        ("v", np.int16, (3,)),
        ("u", np.uint64),
    ]
)
ALIGNED = np.dtype(
    [
        ("p", np.dtype([("f", np.uint8), ("x", np.float32)], align=True)),
        ("m", np.bool_),
        ("n", np.int16),
        ("v", np.float32, (2, 3)),
        ("z", np.complex64),
        ("u", np.uint64),
        ("r", np.dtype([("a", np.int8), ("b", np.int32)], align=True), (2,)),
        ("t", "M8[s]"),
    ],
    align=True,
)
SECOND = np.timedelta64(1, "s")


# ---------------------------------------------------------------- fields


@nv.jit
def changes_fields(a, b, o):
    i = nv.global_id(0)
    if i < a.size:
        r = a[i]
        r.p.x = r.p.x * 2 + r.p.f
        r["n"] = r.n + 1
        r.m = not r.m
        r.v[1] = r.v[0] + r["v"][2]
        r.u = r.u + np.uint64(1 << 40)
        a[i].p.q.v[0] = r.p.q.v[1] + 1
        r.z = r.z * 2
        r.w = r.w + 1j
        r.h = r.h / np.float16(2)
        b[i] = a[i]
        o[i] = r.p["q"].a


@pytest.mark.mesa22
@WIDE
def test_fields_at_odd_places(device):
    a, b, o = filled(PACKED, 9), np.zeros(9, PACKED), np.zeros(9, np.int64)
    a["p"]["q"]["a"] += 1 << 40
    w = a.copy()
    w["p"]["x"] = w["p"]["x"] * 2 + w["p"]["f"]
    w["n"] += 1
    w["m"] = ~w["m"]
    w["v"][:, 1] = w["v"][:, 0] + w["v"][:, 2]
    w["u"] += np.uint64(1 << 40)
    w["p"]["q"]["v"][:, 0] = w["p"]["q"]["v"][:, 1] + 1
    w["z"] *= 2
    w["w"] += 1j
    w["h"] /= np.float16(2)
    changes_fields.forall(9)(a, b, o)
    np.testing.assert_array_equal(a, w)
    np.testing.assert_array_equal(b, w)
    np.testing.assert_array_equal(o, w["p"]["q"]["a"])


@nv.jit
def reads_columns(a, s, o):
    i = nv.global_id(0)
    if i < a.size:
        x = a.p.x
        o[i] = x[i] + a["n"][i] + a.v[i, 1, 2] + a.r[i][1].b + a[i].r[1].b + s.n + s.v[1, 1]
        a.u[i] = a.u[i] + np.uint64(1)
        a[i].v[0] = a[i].v[1]
        a[i].r[1] = a[i].r[0]
        a.r[i, 0].b = 7
        a.t[i] += SECOND


@WIDE
def test_columns_nested_arrays_and_records_as_arguments(device):
    a, o, s = filled(ALIGNED, 9), np.zeros(9), filled(ALIGNED, 2)[1]
    w = a.copy()
    expected = w["p"]["x"] + w["n"] + w["v"][:, 1, 2] + 2 * w["r"][:, 1]["b"] + s["n"] + s["v"][1, 1]
    w["u"] += np.uint64(1)
    w["v"][:, 0] = w["v"][:, 1]
    w["r"][:, 1] = w["r"][:, 0]
    w["r"][:, 0]["b"] = 7
    w["t"] += SECOND
    reads_columns.forall(9)(a, s, o)
    np.testing.assert_array_equal(o, expected)
    np.testing.assert_array_equal(a, w)


@nv.jit
def assigns_columns(a, x):
    if nv.global_id(0) == 0:
        a.p.x[:] = x
        a["n"] = 3
        a.m[1:] = True
        a[0].v[:, 1] = x[0]
        a[1].v = x[:3]
        a[2].v = 5
        a.v[3, 1] = (1, 2, 3)
        a.p.x[1:] = a.p.x[:-1] + a.n[1:]


def test_columns_are_views(device):
    a, x = filled(ALIGNED, 5), np.arange(5, dtype=np.float32)
    w = a.copy()
    w["p"]["x"] = x
    w["n"] = 3
    w["m"][1:] = True
    w["v"][0][:, 1] = x[0]
    w["v"][1] = x[:3]
    w["v"][2] = 5
    w["v"][3, 1] = (1, 2, 3)
    w["p"]["x"][1:] = w["p"]["x"][:-1] + w["n"][1:]
    assigns_columns.forall(1)(a, x)
    np.testing.assert_array_equal(a, w)


@nv.jit
def doubles(x, o):
    i = nv.global_id(0)
    if i < x.size:
        o[i] = x[i] * 2
        x[i] = o[i]


@WIDE
@pytest.mark.parametrize("name", ["x", "n", "f", "z", "u"])
@pytest.mark.parametrize("align", [False, True])
def test_columns_of_the_host_as_arguments(device, name, align):
    fields = [("f", np.uint8), ("x", np.float32), ("n", np.int16), ("z", np.complex64), ("u", np.uint64)]
    a = filled(np.dtype(fields, align=align), 6)
    w = a.copy()
    o = np.zeros(3, a.dtype[name])
    w[name][1::2] = (w[name][1::2] * 2).astype(o.dtype)
    doubles.forall(3)(a[name][1::2], o)
    np.testing.assert_array_equal(o, w[name][1::2])
    np.testing.assert_array_equal(a, w)


# ---------------------------------------------------------------- whole records


@nv.jit
def reverses(source, target):
    i = nv.global_id(0)
    if i < source.size:
        target[i] = source[source.size - 1 - i]


LARGE = np.dtype([("k", np.int8), ("values", np.float32, (40,)), ("last", np.int16)])


@pytest.mark.parametrize(
    "dtype",
    [PACKED, ALIGNED, BYTES, LARGE, PARTICLE],
    ids=["packed", "aligned", "bytes", "large", "particle"],
)
def test_whole_records(device, dtype):
    a = filled(dtype, 7)
    b = np.zeros(7, dtype)
    reverses.forall(7)(a, b)
    np.testing.assert_array_equal(b, a[::-1])
    d, e = nv.to_device(a), nv.device_array(9, dtype)
    reverses.forall(5)(d[1:6], e[2:7])
    np.testing.assert_array_equal(e.copy_to_host()[2:7], a[1:6][::-1])


@nv.jit
def shifts(a, n):
    if nv.global_id(0) == 0:
        a[1:n] = a[: n - 1]
        a[n:] = a[0]


def test_slices_of_records(device):
    a = filled(PACKED, 9)
    w = a.copy()
    w[1:5] = w[:4].copy()
    w[5:] = w[0]
    shifts.forall(1)(a, 5)
    np.testing.assert_array_equal(a, w)


@nv.jit
def swap(r, s):
    kept = r.id
    r.id = s.id
    s.id = kept
    return r


@nv.jit
def passes_records(a, flag):
    i = nv.global_id(0)
    if i < a.size // 2:
        r = swap(a[i], a[a.size - 1 - i])
        r.mass += 1
        s = a[i] if flag else a[a.size - 1 - i]
        s.alive = True
        for q in a[i : i + 1]:
            q.pos[2] = q.id


@WIDE
@pytest.mark.parametrize("flag", [True, False])
def test_records_passed_to_functions_and_chosen(device, flag):
    a = filled(PARTICLE, 8)
    a["id"] = np.arange(8)
    w = a.copy()
    w["id"] = w["id"][::-1]
    w["mass"][:4] += 1
    w["alive"][slice(4) if flag else slice(4, 8)] = True
    w["pos"][:4, 2] = w["id"][:4]
    passes_records.forall(4)(a, flag)
    np.testing.assert_array_equal(a, w)


@nv.jit
def sums(a, o):
    if nv.global_id(0) == 0:
        total = 0
        for r in a:
            total += r.n
        for i, r in enumerate(a):
            total += i * r.f
        for r, q in zip(a, a[::-1]):  # noqa: B905 - Numba knows no strict=
            total += r.n * q.f
        o[0] = total
        o[1] = a.x.sum() + a["n"].max() + np.argmin(a.x) + a[2].v.sum() + len(a)
        o[2] = a.itemsize + a.strides[0] + a.x.strides[0] + a.x.itemsize + a.nbytes


@WIDE
def test_loops_over_records_that_differ_in_their_places_only(device):
    for align in (False, True):
        a, o = filled(np.dtype(MIXED, align=align), 7), np.zeros(3)
        sums.forall(1)(a, o)
        f, n = a["f"].astype(int), a["n"].astype(int)
        assert o[0] == (n + np.arange(7) * f + n * f[::-1]).sum()
        assert o[1] == a["x"].sum() + n.max() + a["x"].argmin() + a[2]["v"].sum() + 7
        assert o[2] == 3 * a.itemsize + 4 + a.nbytes


@nv.jit
def chooses(a, b, o):
    i = nv.global_id(0)
    if i < o.size:
        r = a[i] if i % 2 else b[i]
        o[i] = r.x


def test_records_of_two_arrays_chosen_at_run_time(device):
    dtype = np.dtype([("f", np.uint8), ("x", np.float32), ("g", np.uint8, (3,))])
    memory = np.zeros(8 * 8 + 3, np.uint8)
    a, b = filled(dtype, 8), memory[3:].view(dtype)
    b["x"] = 3.5
    o = np.zeros(8, np.float32)
    chooses.forall(8)(a, b, o)
    np.testing.assert_array_equal(o, np.where(np.arange(8) % 2, a["x"], b["x"]))


def test_record_arrays_of_the_host(device):
    a = filled(PARTICLE, 6).view(np.recarray)
    b = np.zeros((3, 2), PARTICLE)
    reverses.forall(6)(a, b.reshape(-1))
    np.testing.assert_array_equal(b.reshape(-1), np.asarray(a)[::-1])


# ---------------------------------------------------------------- words that neighbours share


@nv.jit
def writes_parts(a):
    i = nv.global_id(0)
    if i < 5 * a.size:
        r = a[i // 5]
        field = i % 5
        if field == 0:
            r.a = i
        elif field == 1:
            r.b = -i
        elif field == 2:
            r.c = i * 7
        elif field == 3:
            r.d = i % 2 == 0
        else:
            r.e = i + 1


@pytest.mark.mesa22
def test_neighbouring_fields_written_at_the_same_time(device):
    a = np.full(3000, 255, np.uint8)[: 500 * BYTES.itemsize].view(BYTES)
    k = np.arange(500) * 5
    w = a.copy()
    w["a"], w["b"], w["c"] = k.astype(np.uint8), (-(k + 1)).astype(np.int8), ((k + 2) * 7).astype(np.int16)
    w["d"], w["e"] = (k + 3) % 2 == 0, (k + 5).astype(np.uint8)
    writes_parts.forall(2500)(a)
    np.testing.assert_array_equal(a, w)


@nv.jit
def counts(a, k):
    i = nv.global_id(0)
    if i < k:
        nv.atomic.add(a.n, i % 4, 1)
        nv.atomic.add(a["x"], i % 4, np.float32(0.5))
        nv.atomic.max(a[0].v, i % 3, i)


def test_atomic_operations_on_fields(device):
    dtype = np.dtype(
        [("f", np.uint8), ("n", np.int32), ("x", np.float32), ("v", np.uint32, (3,))], align=True
    )
    a = np.zeros(4, dtype)
    counts.forall(64)(a, 64)
    np.testing.assert_array_equal(a["n"], [16] * 4)
    np.testing.assert_array_equal(a["x"], [8] * 4)
    np.testing.assert_array_equal(a["v"][0], [63, 61, 62])


# ---------------------------------------------------------------- 64-bit integers in 32 bits


@nv.jit(narrow="ints")
def counts_narrow(a):
    i = nv.global_id(0)
    if i < a.size:
        a[i].u = a[i].u + np.uint64(1)
        a[i].s = a[i].s - 2
        a.u[i] = a.u[i] + np.uint64(1)


@nv.jit(narrow="ints", boundscheck=True)
def reads_narrow(a, o):
    i = nv.global_id(0)
    if i < a.size:
        o[i] = a[i].s


@pytest.mark.parametrize("align", [False, True])
def test_narrowed_integers(device, align):
    dtype = np.dtype([("f", "u1"), ("u", "u8"), ("g", "u2"), ("s", "i8")], align=align)
    a = filled(dtype, 7)
    a["u"], a["s"] = 3_000_000_000, [1, -1, 5, 3 - 2**31, 7, 8, 9]
    w = a.copy()
    w["u"] += np.uint64(2)
    w["s"] -= 2
    counts_narrow.forall(7)(a)
    np.testing.assert_array_equal(a, w)
    o = np.zeros(7, np.int64)
    reads_narrow.forall(7)(a, o)
    np.testing.assert_array_equal(o, a["s"])
    a["s"][3] = 2**40 + 5
    with pytest.raises(OverflowError, match=str(2**40 + 5)):
        reads_narrow.forall(7)(a, o)


# ---------------------------------------------------------------- errors


WITH_TEXT = np.dtype([("a", np.int32), ("name", "U3")])
TEXTS = np.zeros(2, WITH_TEXT)
ONE = filled(COUNTER, 2)[1]


@nv.jit
def makes_texts():
    nv.shared.array(4, WITH_TEXT)


@nv.jit
def reads_texts(o):
    o[0] = TEXTS[0].a


@nv.jit
def writes_global():
    ONE.n = 3


@nv.jit
def returns_ones():
    np.ones(3, COUNTER)


@nv.jit
def reads_wrong_field(a, o):
    o[0] = a[0].velocity


@nv.jit
def writes_field(a, value):
    a.id = value


@nv.jit
def adds_to_packed(a):
    nv.atomic.add(a.n, 0, 1)


@nv.jit
def copies_other(a, b):
    a[0] = b[0]


PACKED_COUNT = np.dtype([("f", np.uint8), ("n", np.int32)])


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("kernel", "args", "message"),
    [
        (
            reads_wrong_field,
            (np.zeros(1, PARTICLE), np.zeros(1)),
            "no field 'velocity'.*id, pos, alive, mass",
        ),
        (writes_field, (np.zeros(1, PARTICLE)[0], 1), "field 'id'.*read-only"),
        (writes_field, (read_only(np.zeros(1, PARTICLE)), 1), "field 'id'.*read-only"),
        (writes_field, (np.zeros(1, PARTICLE), 1j), "complex128.*cannot be assigned to field 'id'"),
        (adds_to_packed, (np.zeros(1, PACKED_COUNT),), "multiples.*align=True"),
        (makes_texts, (), "field 'name'.*text.*nv.shared.array"),
        (reads_texts, (np.zeros(1),), "field 'name'.*text.*TEXTS"),
        (writes_global, (), "field 'n'.*read-only"),
        (returns_ones, (), "np.ones"),
        (copies_other, (np.zeros(1, PARTICLE), np.zeros(1, PACKED_COUNT)), "cannot be assigned to records"),
    ],
    ids="field record array type atomic shared global write ones records".split(),
)
def test_errors_name_field_and_line(device, kernel, args, message):
    with pytest.raises(Exception, match=f"(?s){message}") as caught:
        kernel.forall(1)(*args)
    assert "test_records.py" in str(caught.value)
