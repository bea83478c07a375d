"""The native launcher without a device: self-test, cache, refusals; sizes of blocks; runs of strided copies."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numba_vulkan.runtime import context, geometry
from numba_vulkan.runtime.buffer import size_class
from numba_vulkan.runtime.launcher import launcher, native


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NUMBA_VULKAN_CACHE_DIR", str(tmp_path))
    launcher.cache_clear()
    yield tmp_path
    launcher.cache_clear()


def test_launcher_passes_its_self_test(cache_folder: Path) -> None:
    assert launcher() is not None
    files = list((cache_folder / "launcher").iterdir())
    assert [path.suffix for path in files] == [".o"]
    launcher.cache_clear()
    assert launcher() is not None
    assert list((cache_folder / "launcher").iterdir()) == files


def test_damaged_object_code_is_compiled_again(cache_folder: Path) -> None:
    assert launcher() is not None
    (file,) = (cache_folder / "launcher").iterdir()
    content = file.read_bytes()
    for damaged in (b"", content[:-1], content[:40] + b"\0" * 40 + content[80:]):
        file.write_bytes(damaged)
        launcher.cache_clear()
        assert launcher() is not None
        assert file.read_bytes()[32:36] == content[32:36]


def test_launcher_can_be_turned_off(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_VULKAN_NATIVE", "0")
    assert launcher() is None


def test_launcher_that_fails_its_self_test_is_not_used(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "_EXPECTED_CALLS", native._EXPECTED_CALLS[:-1])
    assert launcher() is None


def test_other_pythons_have_no_launcher(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native.sys, "byteorder", "big")
    assert launcher() is None


# ---------------------------------------------------------------- the lock


def test_finalizers_find_the_lock_taken_by_their_own_thread() -> None:
    words = context.new_context()
    lock = context.RecordingLock(words)
    assert lock.try_enter()
    assert words[context.BUSY] == 1
    assert not lock.try_enter()
    lock.leave()
    with lock, lock:
        assert words[context.BUSY] == 2
        assert not lock.try_enter()
    assert words[context.BUSY] == 0
    assert lock.try_enter()
    lock.leave()


# ---------------------------------------------------------------- sizes of blocks


@given(st.integers(1, 1 << 34))
def test_blocks_are_large_enough_and_waste_little(size: int) -> None:
    block = size_class(size)
    assert block >= size
    assert block % 16 == 0
    assert size_class(block) == block
    assert block <= max(256, size * 1.25 + 16)


# ---------------------------------------------------------------- strided copies


@st.composite
def views(draw: st.DrawFn) -> np.ndarray:
    """A view of numbers that say where they lie."""
    shape = draw(st.lists(st.integers(0, 5), min_size=0, max_size=4))
    array = np.arange(math.prod(shape)).reshape(shape)
    array = array.transpose(draw(st.permutations(range(len(shape)))))
    steps = st.sampled_from([slice(None), slice(None, None, -1), slice(1, None), slice(None, None, 2)])
    return array[tuple(draw(steps) for _ in shape)]


@given(views())
def test_runs_cover_every_element_once(array: np.ndarray) -> None:
    strides = tuple(s // 8 for s in array.strides)
    packed = geometry.contiguous_strides(array.shape)
    length, first, second = geometry.common_runs(array.shape, strides, packed)
    start = 0 if not array.size else int(array.reshape(-1)[0])
    found = np.full(array.size, -1)
    for a, b in zip(first, second, strict=True):
        if length:
            found[b : b + length] = start + np.arange(a, a + length)
    np.testing.assert_array_equal(found.reshape(array.shape), array)
    if array.flags.c_contiguous and array.size:
        assert len(first) == 1
    assert geometry.is_contiguous(array.shape, strides) == array.flags.c_contiguous


@given(views())
def test_span_is_where_elements_lie(array: np.ndarray) -> None:
    low, high = geometry.span(array.shape, tuple(s // 8 for s in array.strides))
    if array.size:
        start = int(array.reshape(-1)[0])
        assert (array.min() - start, array.max() - start + 1) == (low, high)
    else:
        assert (low, high) == (0, 0)
