"""Grids beyond what a device dispatches at once: done in parts, of which kernels notice nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import numba_vulkan as nv


@nv.jit
def places(out):
    x, y, z = nv.global_id(0), nv.global_id(1), nv.global_id(2)
    if x < out.shape[2] and y < out.shape[1] and z < out.shape[0]:
        groups = nv.num_groups(0) + 100 * nv.num_groups(1) + 10000 * nv.num_groups(2)
        group = nv.group_id(0) + 100 * nv.group_id(1) + 10000 * nv.group_id(2)
        out[z, y, x, 0] += nv.local_size(0) * nv.group_id(0) + nv.local_id(0)
        out[z, y, x, 1] += group
        out[z, y, x, 2] += groups


@pytest.fixture
def few_groups(device, monkeypatch):
    """The device, as if it took few workgroups at once."""
    monkeypatch.setattr(device, "info", replace(device.info, max_groups=(3, 2, 2)))
    return device


SIZE = (4, 2, 3)
SHAPES = [(1, 1, 40), (1, 9, 24), (14, 3, 5), (13, 9, 25)]


def expected_places(shape):
    z, y, x = np.indices(shape)
    counts = [-(-n // s) for n, s in zip(shape[::-1], SIZE, strict=True)]
    groups = np.full(shape, counts[0] + 100 * counts[1] + 10000 * counts[2])
    group = x // SIZE[0] + 100 * (y // SIZE[1]) + 10000 * (z // SIZE[2])
    return np.stack([x, group, groups], axis=-1)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["forall", "groups"])
def test_ids_and_counts_are_those_of_the_grid(few_groups, shape, kind):
    out = np.zeros((*shape, 3), np.int64)
    counts = tuple(-(-n // s) for n, s in zip(shape[::-1], SIZE, strict=True))
    configured = places.forall(shape[::-1], SIZE) if kind == "forall" else places[counts, SIZE]
    configured(out)
    np.testing.assert_array_equal(out, expected_places(shape))
    configured(out)
    np.testing.assert_array_equal(out, 2 * expected_places(shape))


def test_device_arrays(few_groups):
    shape = SHAPES[-1]
    out = nv.to_device(np.zeros((*shape, 3), np.int64))
    for _ in range(3):
        places.forall(shape[::-1], SIZE)(out)
    np.testing.assert_array_equal(out.copy_to_host(), 3 * expected_places(shape))


def test_streams(few_groups):
    shape = SHAPES[-1]
    stream = nv.stream(few_groups)
    out = np.zeros((*shape, 3), np.int64)
    places.forall(shape[::-1], SIZE, stream=stream)(out)
    stream.synchronize()
    np.testing.assert_array_equal(out, expected_places(shape))


def test_an_error_names_the_invocation(few_groups):
    @nv.jit
    def check(x):
        i = nv.global_id(0)
        if x[i] < 0:
            raise ValueError("negative")

    x = np.ones(64, np.int32)
    x[57] = -1
    with pytest.raises(ValueError, match="negative") as raised:
        check.forall(64, 4)(x)
    assert "57" in str(raised.value) + "".join(getattr(raised.value, "__notes__", []))


def test_parameters_beyond_push_constants(few_groups):
    @nv.jit
    def add(a, b, c, d, e, f, g, h, i, j, k, m, n, p, out):
        at = nv.global_id(0)
        if at < out.size:
            out[at] = a + b + c + d + e + f + g + h + i + j + k + m + n + p + at + 1000 * nv.num_groups(0)

    values = list(range(14))
    out = np.zeros(50, np.int64)
    add.forall(50, 4)(*values, out)
    np.testing.assert_array_equal(out, sum(values) + np.arange(50) + 13000)


def test_workgroups_share_across_parts(few_groups):
    @nv.jit
    def total(x, out):
        part = nv.shared.array(8, np.int32)
        t = nv.local_id(0)
        part[t] = x[nv.global_id(0)]
        nv.barrier()
        if t == 0:
            s = 0
            for k in range(8):
                s += part[k]
            nv.atomic.add(out, 0, np.int32(s))

    x, out = np.arange(200, dtype=np.int32), np.zeros(1, np.int32)
    total[25, 8](x, out)
    assert out[0] == x.sum()


def test_more_groups_than_every_device_takes(device):
    @nv.jit
    def mark(out):
        i = nv.global_id(0)
        if i < out.size:
            out[i] = i % 251

    n = 16 * 65535 + 1000
    out = nv.to_device(np.zeros(n, np.uint8))
    mark.forall(n, 16)(out)
    np.testing.assert_array_equal(out.copy_to_host(), (np.arange(n) % 251).astype(np.uint8))
    flat = nv.to_device(np.zeros((3, 70000), np.int32))

    @nv.jit
    def rows(out):
        i, j = nv.global_id(1), nv.global_id(0)
        if i < out.shape[1] and j < out.shape[0]:
            out[j, i] = i + j

    rows.forall((3, 70000), (3, 1))(flat)
    np.testing.assert_array_equal(flat.copy_to_host(), np.add.outer(np.arange(3), np.arange(70000)))
