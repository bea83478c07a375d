"""Grids in which one workgroup does the work of two give what each by itself gives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import numba_vulkan as nv

SIZE = 32


@nv.jit
def guarded(x, y):
    i = nv.global_id(0)
    if i < x.size:
        y[i] = np.float32(2) * x[i] + y[i]


@nv.jit
def returns_early(x, y):
    i = nv.global_id(0)
    if i >= x.size:
        return
    y[i] = x[i] * x[0]


@nv.jit
def unguarded(x, y):
    i = nv.group_id(0) * nv.local_size(0) + nv.local_id(0)
    y[i] = x[i] + np.float32(nv.group_id(0))


@nv.jit
def counts_groups(x, y):
    i = nv.global_id(0)
    if i < x.size:
        y[i] = x[nv.num_groups(0) * nv.local_size(0) - 1 - i] + np.float32(nv.num_groups(0))


@nv.jit
def same_for_all(x, y):
    i = nv.global_id(0)
    if y.size > 7:
        y[i] = x[i] + x[3]


@nv.jit
def reads_what_it_wrote(x, y):
    i = nv.global_id(0)
    if i < x.size:
        y[i] = x[i] + np.float32(1)
        x[i] = y[i] * x[i]
        y[i] += x[i]


PAIRED = [guarded, returns_early, unguarded, counts_groups, same_for_all, reads_what_it_wrote]


@nv.jit
def with_a_loop(x, y):
    i = nv.global_id(0)
    for k in range(x.size):
        y[i] += x[k]


@nv.jit
def with_two_conditions(x, y):
    i = nv.global_id(0)
    if i < x.size and x[i] < np.float32(0.5):
        y[i] = x[i]


@nv.jit
def with_shared_memory(x, y):
    part = nv.shared.array(SIZE, np.float32)
    t = nv.local_id(0)
    part[t] = x[nv.global_id(0)]
    nv.barrier()
    y[nv.global_id(0)] = part[SIZE - 1 - t]


@nv.jit
def with_an_atomic_operation(x, y):
    nv.atomic.add(y, 0, x[nv.global_id(0)])


@nv.jit
def with_an_exception(x, y):
    i = nv.global_id(0)
    if x[i] > np.float32(2):
        raise ValueError("too large")
    y[i] = x[i]


@nv.jit
def with_local_memory(x, y):
    i = nv.global_id(0)
    few = nv.local.array(4, np.float32)
    few[i % 4] = x[i]
    y[i] = few[y.size % 4]


@nv.jit
def without_a_load(x, y):
    y[nv.global_id(0)] = np.float32(1)


@nv.jit
def along_y(x, y):
    y[nv.global_id(1)] = x[nv.global_id(1)]


ALONE = [
    with_a_loop,
    with_two_conditions,
    with_shared_memory,
    with_an_atomic_operation,
    with_an_exception,
    with_local_memory,
    without_a_load,
    along_y,
]


def run(kernel: Callable, groups: int, monkeypatch: pytest.MonkeyPatch, pairs: str, arrays: list[np.ndarray]):
    monkeypatch.setenv("NUMBA_VULKAN_PAIRS", pairs)
    kernel._configured.clear()
    kernel[groups, SIZE](*arrays)
    return arrays


def inputs(size: int) -> list[np.ndarray]:
    rng = np.random.default_rng(size)
    return [rng.random(size, np.float32), rng.random(size, np.float32)]


def is_paired(kernel: Callable) -> bool:
    compiled = list(kernel._compiled.values())
    return any(c.dispatched((4, 1, 1)) == (2, 1, 1) for c in compiled)


@pytest.mark.parametrize("groups", [1, 2, 3, 4, 7, 8])
@pytest.mark.parametrize("kernel", PAIRED, ids=lambda kernel: kernel.__name__)
def test_pairs(device: nv.Device, monkeypatch: pytest.MonkeyPatch, kernel: Callable, groups: int):
    whole = groups * SIZE
    # Where the kernel looks, the last workgroups have nothing to do, or some of their invocations.
    for size in (
        (whole,) if kernel in (unguarded, same_for_all, counts_groups) else (whole, whole - 3, SIZE // 2, 1)
    ):
        expected = run(kernel, groups, monkeypatch, "0", inputs(size))
        got = run(kernel, groups, monkeypatch, "1", inputs(size))
        for e, g in zip(expected, got, strict=True):
            np.testing.assert_array_equal(g, e)
    assert groups == 1 or is_paired(kernel)


@pytest.mark.parametrize("kernel", ALONE, ids=lambda kernel: kernel.__name__)
def test_kernels_that_are_not_paired(device: nv.Device, monkeypatch: pytest.MonkeyPatch, kernel: Callable):
    groups = (1, 4) if kernel is along_y else 4
    size = (1, SIZE) if kernel is along_y else SIZE
    given = inputs(4 * SIZE)
    monkeypatch.setenv("NUMBA_VULKAN_PAIRS", "1")
    kernel[groups, size](*given)
    assert not is_paired(kernel)
    # There is one variant for all grids.
    before = dict(kernel._compiled)
    monkeypatch.setenv("NUMBA_VULKAN_PAIRS", "0")
    kernel[(1, 2) if kernel is along_y else 2, size](*given)
    assert kernel._compiled == before


@pytest.mark.parametrize("extents", [(7, 40), (33, 65), (64, 64)])
def test_two_axes(device: nv.Device, monkeypatch: pytest.MonkeyPatch, extents: tuple[int, int]):
    @nv.jit
    def stencil(x, y):
        j, i = nv.global_id(0), nv.global_id(1)
        if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
            y[i, j] = x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] - np.float32(4) * x[i, j]

    monkeypatch.setenv("NUMBA_VULKAN_PAIRS", "1")
    x = np.random.default_rng(1).random(extents, np.float32)
    y = np.zeros_like(x)
    stencil.forall((extents[1], extents[0]), (8, 4))(x, y)
    c = x[1:-1, 1:-1]
    expected = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - np.float32(4) * c
    np.testing.assert_array_equal(y[1:-1, 1:-1], expected)
    assert not any(edge.any() for edge in (y[0], y[-1], y[:, 0], y[:, -1]))
    assert is_paired(stencil)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.float32, np.int64, np.complex64])
def test_types(device: nv.Device, monkeypatch: pytest.MonkeyPatch, dtype: type):
    @nv.jit
    def reverse(x, y):
        i = nv.global_id(0)
        if i < x.size:
            y[i] = x[x.size - 1 - i]

    monkeypatch.setenv("NUMBA_VULKAN_PAIRS", "1")
    x = np.arange(100).astype(dtype)
    y = np.zeros_like(x)
    reverse[5, SIZE](x, y)
    np.testing.assert_array_equal(y, x[::-1])


def test_launches_on_device_arrays(device: nv.Device, monkeypatch: pytest.MonkeyPatch):
    """Plans, native launches, streams and graphs dispatch as the first launch does."""
    monkeypatch.setenv("NUMBA_VULKAN_PAIRS", "1")
    guarded._configured.clear()
    x, y = (nv.to_device(a) for a in inputs(7 * SIZE - 5))
    expected = x.copy_to_host(), y.copy_to_host()
    for _ in range(20):
        guarded[7, SIZE](x, y)
    stream = nv.stream()
    guarded[7, SIZE, stream](x, y)
    stream.synchronize()
    with nv.record() as graph:
        guarded[7, SIZE](x, y)
    graph.launch()
    total = expected[1]
    for _ in range(22):
        total = np.float32(2) * expected[0] + total
    np.testing.assert_array_equal(y.copy_to_host(), total)
