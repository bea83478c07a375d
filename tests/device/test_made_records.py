"""Shared, local and global arrays of records."""

from __future__ import annotations

import numpy as np
import pytest

import numba_vulkan as nv
from device.record_data import BYTES, COUNTER, MIXED, WIDE, filled


def _exchanging(dtype):
    @nv.jit
    def exchanges(a, b, totals):
        i, own = nv.global_id(0), nv.local_id(0)
        shared = nv.shared.array(16, dtype)
        count = nv.shared.array(1, COUNTER)
        if own == 0:
            count[0].n = 0
        shared[own] = a[i]
        shared[own].n = own
        nv.barrier()
        nv.atomic.add(count.n, 0, own)
        mine = nv.local.array(3, dtype)
        mine[1] = shared[15 - own]
        mine[1].x += 1
        mine[1].f = mine[1].f + np.uint8(1)
        mine[1].v[2] = mine[1].v[0]
        empty = np.zeros((2, 1), dtype)
        empty[1, 0].x = mine[1].x
        mine[1].d = mine[1].d + empty[0, 0].d + empty[1, 0].x - mine[1].x
        nv.barrier()
        b[i] = mine[1]
        numbers = np.empty(4, np.complex64)
        numbers[own % 4] = 1j
        b[i].z = b[i].z + numbers[own % 4]
        totals[nv.group_id(0)] = count[0].n

    return exchanges


@WIDE
@pytest.mark.parametrize("align", [False, True])
def test_shared_and_local_arrays_of_records(device, align):
    dtype = np.dtype(MIXED, align=align)
    a, b, totals = filled(dtype, 32), np.zeros(32, dtype), np.zeros(2, np.int32)
    _exchanging(dtype)[2, 16](a, b, totals)
    w = a.reshape(2, 16)[:, ::-1].reshape(-1).copy()
    w["n"] = np.tile(np.arange(16)[::-1], 2)
    w["x"] += 1
    w["f"] += 1
    w["v"][:, 2] = w["v"][:, 0]
    w["z"] += 1j
    np.testing.assert_array_equal(b, w)
    np.testing.assert_array_equal(totals, [120, 120])


@nv.jit
def sizes_dynamic(out):
    records = nv.shared.array(0, BYTES)
    numbers = nv.shared.array(0, np.complex64)
    own = nv.local_id(0)
    records[own].c = own
    nv.barrier()
    if own == 0:
        out[0], out[1] = records.size, numbers.size
        out[2] = records[1].c + records[3].c


def test_dynamic_shared_arrays_of_records(device):
    out = np.zeros(3, np.int64)
    sizes_dynamic[1, 4, None, 64](out)
    np.testing.assert_array_equal(out, [64 // BYTES.itemsize, 8, 4])


# ---------------------------------------------------------------- globals


TABLE = filled(np.dtype(MIXED), 5)
ONE = filled(np.dtype(MIXED, align=True), 2)[1]


@nv.jit
def reads_globals(o):
    i = nv.global_id(0)
    if i < o.size:
        o[i] = TABLE[i].x + ONE.x + ONE.v[1] + TABLE.v[i, 2] + nv.const.array_like(TABLE)[i].n


def test_global_records(device):
    o = np.zeros(5, np.float32)
    reads_globals.forall(5)(o)
    expected = TABLE["x"] + ONE["x"] + ONE["v"][1] + TABLE["v"][:, 2] + TABLE["n"]
    np.testing.assert_array_equal(o, expected.astype(np.float32))


# ---------------------------------------------------------------- device arrays


@nv.jit
def doubles(x):
    i = nv.global_id(0)
    if i < x.size:
        x[i] *= 2


def test_fields_of_device_arrays(device):
    dtype = np.dtype([("x", "f4"), ("v", "f4", (2,)), ("p", [("a", "i2"), ("b", "i2")])])
    h = filled(dtype, 6)
    d, w = nv.to_device(h), h.copy()
    np.testing.assert_array_equal(d["v"].copy_to_host(), h["v"])
    np.testing.assert_array_equal(d["p"]["b"][::2].copy_to_host(), h["p"]["b"][::2])
    doubles.forall(6)(d["x"])
    doubles.forall(3)(d[1::2]["v"][:, 1])
    d["p"]["a"] = 7
    d["v"][0] = [8, 9]
    d[5] = w[1]
    w["x"] *= 2
    w["v"][1::2, 1] *= 2
    w["p"]["a"] = 7
    w["v"][0] = [8, 9]
    w[5] = h[1]
    np.testing.assert_array_equal(d.copy_to_host(), w)
    with pytest.raises(IndexError, match="no field 'y'"):
        d["y"]
    with pytest.raises(ValueError, match=r"field 'n'.*align=True"):
        nv.device_array(3, [("f", "u1"), ("n", "i4")])["n"]
