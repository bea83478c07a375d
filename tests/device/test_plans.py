"""Launches like earlier ones, of which plans are kept: arrays of every layout, with gaps, and of 64-bit extents."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

import numpy as np
import pytest

import numba_vulkan as nv
from device.unmapped import hide_arrays
from numba_vulkan.runtime import Device

pytestmark = pytest.mark.mesa22


@functools.cache
def add_kernel(path: str):
    """One for each way, which keeps plans, and compiles once for all tests."""

    @nv.jit
    def add(factor, x, out):
        column, row = nv.global_id(0), nv.global_id(1)
        if row < out.shape[0] and column < out.shape[1]:
            out[row, column] = out[row, column] + factor * x[row, column]

    return add


# An array of 6 by 5 elements in 12 by 12 or more.
LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": lambda a: a.reshape(-1)[:30].reshape(6, 5),
    "F": lambda a: a.reshape(-1)[:30].reshape(5, 6).T,
    "every other": lambda a: a[:12:2, :10:2],
    "part": lambda a: a[3:9, 2:7],
    "backwards": lambda a: a[8:2:-1, 9:4:-1],
    "transposed part": lambda a: a[1:6, 2:8].T,
    "one row": lambda a: np.broadcast_to(a[0, :5], (6, 5)),
    "windows": lambda a: np.lib.stride_tricks.as_strided(a, (6, 5), (a.itemsize, a.itemsize)),
}
OVERLAPPING = ("one row", "windows")


@pytest.mark.parametrize("dtype", ["f4", "u1"])
@pytest.mark.parametrize("out_layout", [name for name in LAYOUTS if name not in OVERLAPPING])
def test_numpy_arrays_of_all_layouts(device: Device, path: str, out_layout: str, dtype: str) -> None:
    launch = add_kernel(path).forall((5, 6))
    whole = np.arange(144).reshape(12, 12).astype(dtype)
    for x_layout, k in itertools.product(LAYOUTS, range(12)):
        held = np.full((12, 12), k, dtype)
        expected = held.copy()
        x, wanted = LAYOUTS[x_layout](whole + np.array(k, dtype)), LAYOUTS[out_layout](expected)
        wanted += np.array(3, dtype) * x
        launch(np.dtype(dtype).type(3), x, LAYOUTS[out_layout](held))
        np.testing.assert_array_equal(held, expected, err_msg=f"launch {k} of {x_layout}")


def test_layouts_in_turn(device: Device, path: str) -> None:
    """Arrays that differ in their steps alone, of which some have no plan, with one configuration."""
    launch = add_kernel(path).forall((5, 6))
    held = np.zeros((12, 12), np.float32)
    expected = held.copy()
    whole = np.arange(144, dtype=np.float32).reshape(12, 12)
    for k in range(30):
        for name in ("every other", "part", "backwards", "transposed part"):
            x = LAYOUTS["windows" if k % 3 else "part"](whole)
            launch(np.float32(k), x, LAYOUTS[name](held))
            wanted = LAYOUTS[name](expected)
            wanted += np.float32(k) * x
    np.testing.assert_array_equal(held, expected)


@pytest.mark.parametrize("extent", [12, 300])
def test_layouts_where_the_host_cannot_reach_arrays(
    device: Device, path: str, extent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on discrete GPUs: small arrays in host memory, others by way of copies on the device."""
    hide_arrays(monkeypatch)
    launch = add_kernel(path).forall((extent // 2, extent))
    held = np.zeros((extent, extent), np.float32)
    expected = held.copy()
    x = np.arange(extent * extent, dtype=np.float32).reshape(extent, extent)
    for k in range(12):
        launch(np.float32(k), x.T[:, ::2], held[::-1, 1::2])
        expected[::-1, 1::2] += np.float32(k) * x.T[:, ::2]
    np.testing.assert_array_equal(held, expected)


def test_written_elements_that_lie_on_each_other(device: Device, path: str) -> None:
    """Beside a plan for other steps."""

    @nv.jit
    def store(out, value):
        i, j = nv.global_id(0), nv.global_id(1)
        if i < out.shape[0] and j < out.shape[1]:
            out[i, j] = value

    launch = store.forall((6, 5))
    for k in range(12):
        held = np.zeros((12, 12), np.int32)
        launch(LAYOUTS["part"](held), k)
        assert held.sum() == 30 * k
        launch(LAYOUTS["windows"](held.reshape(-1)[40:].reshape(-1, 1)), 100 + k)
        assert (held.reshape(-1)[40:50] == 100 + k).all()
        assert held.reshape(-1)[50:].sum() == k * (held.reshape(-1)[50:] != 0).sum()


def test_kernels_find_the_steps_of_numpy_arrays(device: Device, path: str) -> None:
    """In every launch, whether a plan serves it or not."""

    @nv.jit
    def steps(x, out):
        out[0], out[1] = x.strides

    launch = steps[1, 1]
    whole = np.zeros((12, 12))
    for name in LAYOUTS:
        x = LAYOUTS[name](whole)
        for _ in range(12):
            out = np.zeros(4, np.int64)[::2]
            launch(x, out)
            assert tuple(out) == x.strides, name


def test_records_with_odd_steps(device: Device, path: str) -> None:
    """Fields whose steps are no multiples of their size, and such that are, with one configuration."""

    @nv.jit
    def double(x, out):
        i = nv.global_id(0)
        if i < out.size:
            out[i] = x[i].value * 2

    packed = np.dtype([("tag", "u1"), ("value", "f4")])
    even = np.dtype([("tag", "u4"), ("value", "f4")])
    launch = double.forall(9)
    for k in range(12):
        for kind in (packed, even):
            x = np.zeros(20, kind)
            x["value"] = np.arange(20) + k
            out = np.zeros((9, 2), np.float32)[:, 1]
            launch(x[1:19:2], out)
            np.testing.assert_array_equal(out, 2 * (np.arange(1, 19, 2) + k))


def test_scalars_that_do_not_fit(device: Device, path: str) -> None:
    @nv.jit
    def store(out, value):
        i = nv.global_id(0)
        if i < out.size:
            out[i] = value

    launch = store.forall(5)
    for k in range(12):
        for value in (k, 2**63 + k, -k):
            held = np.zeros(10, np.uint64)
            launch(held[::2], value)
            assert [int(v) for v in held] == [value % 2**64, 0] * 5


def test_empty_arrays_with_gaps(device: Device, path: str) -> None:
    launch = add_kernel(path).forall((5, 6))
    for _ in range(12):
        held = np.zeros((12, 12), np.float32)
        launch(np.float32(1), held[::2, 4:4], held[6::2, 4:4])
        assert not held.any()


@pytest.mark.needs("int64", "buffer_addresses")
@pytest.mark.parametrize("layout", ["C", "every other", "backwards"])
def test_device_arrays_of_64_bit_extents(
    device: Device, path: str, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parameters of wide arrays come before others; these launches are recorded as all others."""
    monkeypatch.setenv("NUMBA_VULKAN_WIDE", "1")

    @nv.jit
    def scale(x, small, factor, large, out):
        column, row = nv.global_id(0), nv.global_id(1)
        if row < out.shape[0] and column < out.shape[1]:
            out[row, column] = out[row, column] + x[row, column] * factor + small + large

    whole, held = np.arange(144, dtype=np.float32).reshape(12, 12), np.zeros((12, 12), np.float32)
    x, out = nv.to_device(whole), nv.to_device(held)
    view = (lambda a: a[:6, :5]) if layout == "C" else LAYOUTS[layout]
    launch = scale.forall((5, 6))
    for k in range(12):
        for array in (x, x[1:]):
            launch(view(array[:11]), np.int32(k), np.float32(2), k + 1, view(out))
        for array in (whole, whole[1:]):
            wanted = view(held)
            wanted += view(array[:11]) * np.float32(2) + np.float32(2 * k + 1)
    np.testing.assert_array_equal(out.copy_to_host(), held)
    assert (launch._native is not None) == (path == "native" and not device.logical.functions.is_watched)
