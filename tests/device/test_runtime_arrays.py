"""Device arrays and copies: the bytes of the host, there and back."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan.runtime import (
    Device,
    DeviceArray,
    MemoryKind,
    device_array,
    device_array_like,
    synchronize,
    to_device,
)
from numba_vulkan.runtime.memory import heap_bytes

pytestmark = pytest.mark.mesa22

DTYPES = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", "M8[s]")
SHAPES = ((), (0,), (1,), (3,), (1000,), (3, 5), (2, 0, 4), (2, 3, 4, 5))


def sample(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """An array of bytes that are all different from their neighbours, as elements of a type."""
    count = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    data = np.random.default_rng(count).integers(0, 2 if dtype == "?" else 256, count).astype(np.uint8)
    return data.view(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_bytes_survive(device: Device, shape: tuple[int, ...], dtype: str) -> None:
    host = sample(shape, dtype)
    array = to_device(host)
    assert (array.shape, array.dtype, array.device) == (shape, np.dtype(dtype), device)
    back = array.copy_to_host()
    assert (back.shape, back.dtype) == (shape, np.dtype(dtype))
    assert back.tobytes() == host.tobytes()


def test_structured_elements(device: Device) -> None:
    host = np.zeros(5, [("a", "i2"), ("b", "f8")])
    host["a"], host["b"] = np.arange(5), np.linspace(0, 1, 5)
    assert to_device(host).copy_to_host().tobytes() == host.tobytes()


@pytest.mark.parametrize(
    "host",
    [
        np.arange(24, dtype=np.float32).reshape(4, 6).T,
        np.arange(24, dtype=np.int16)[::-3],
        np.asfortranarray(np.arange(60, dtype=np.int64).reshape(3, 4, 5)),
        np.broadcast_to(np.float64(3), (4, 5)),
    ],
    ids=["transposed", "reversed", "fortran", "broadcast"],
)
def test_host_arrays_of_any_layout(device: Device, host: np.ndarray) -> None:
    array = to_device(host)
    assert array.is_contiguous
    np.testing.assert_array_equal(array.copy_to_host(), host)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [*SHAPES, (63,), (64,), (65,)], ids=str)
def test_bytes_survive_staging(staged: Device, shape: tuple[int, ...], dtype: str) -> None:
    host = sample(shape, dtype)
    array = to_device(host)
    assert not array.buffer.is_mapped
    assert array.copy_to_host().tobytes() == host.tobytes()


def test_staging_of_other_layouts(staged: Device) -> None:
    host = np.arange(77, dtype=np.float64).reshape(7, 11)
    array = to_device(host.T)
    np.testing.assert_array_equal(array.copy_to_host(), host.T)
    out = np.empty((7, 11)).T
    staged.download(array.buffer, out)
    np.testing.assert_array_equal(out, host.T)


def test_copies_at_an_offset(device: Device) -> None:
    check_offsets(device)


def test_staged_copies_at_an_offset(staged: Device) -> None:
    check_offsets(staged)


def check_offsets(device: Device) -> None:
    buffer = device.create_buffer(400)
    device.upload(buffer, np.zeros(100, np.uint32))
    device.upload(buffer, np.arange(50, dtype=np.uint32), 40)
    out = np.empty(60, np.uint32)
    device.download(buffer, out, 4)
    np.testing.assert_array_equal(out, np.r_[np.zeros(9), np.arange(50), 0].astype(np.uint32))


def test_copies_must_fit(device: Device) -> None:
    buffer = device.create_buffer(16)
    with pytest.raises(ValueError, match="20 bytes at offset 0 do not fit a buffer of 16 bytes"):
        device.upload(buffer, np.zeros(5, np.float32))
    with pytest.raises(ValueError, match="8 bytes at offset 12 do not fit a buffer of 16 bytes"):
        device.download(buffer, np.zeros(2, np.float32), 12)
    with pytest.raises(ValueError, match="at offset -4"):
        device.upload(buffer, np.zeros(1, np.float32), -4)


# ---------------------------------------------------------------- DeviceArray


def test_attributes(device: Device) -> None:
    array = device_array((3, 4), np.float64)
    assert (array.ndim, array.size, array.nbytes, len(array)) == (2, 12, 96, 3)
    assert (array.strides, array.element_strides, array.offset) == ((32, 8), (4, 1), 0)
    assert array.is_contiguous
    assert repr(array) == f"DeviceArray(shape=(3, 4), dtype=float64, device={device.info.name!r})"
    assert device_array(5).shape == (5,)
    assert device_array(5).dtype == np.float64
    assert device_array([np.int64(2), 3]).shape == (2, 3)
    with pytest.raises(TypeError, match="0-d"):
        len(device_array(()))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_strides_are_those_of_numpy(device: Device, shape: tuple[int, ...]) -> None:
    if 0 not in shape:
        assert device_array(shape, np.int16).strides == np.empty(shape, np.int16).strides


def test_array_like(device: Device) -> None:
    host = np.zeros((2, 3), np.int16)
    for like in (device_array_like(host), device_array_like(to_device(host))):
        assert isinstance(like, DeviceArray)
        assert (like.shape, like.dtype, like.device) == ((2, 3), np.dtype(np.int16), device)
    other = Device(device.info)
    assert device_array_like(device_array_like(host, other)).device is other


def test_numpy_conversion(device: Device) -> None:
    array = to_device(np.arange(6, dtype=np.int32).reshape(2, 3))
    np.testing.assert_array_equal(np.asarray(array), np.arange(6).reshape(2, 3))
    assert np.asarray(array, np.float64).dtype == np.float64
    np.testing.assert_array_equal(np.asarray(array) + 1, np.arange(1, 7).reshape(2, 3))
    with pytest.raises(ValueError, match="without a copy"):
        np.array(array, copy=False)


def test_copy_to_device(device: Device) -> None:
    array = device_array((2, 2), np.float32)
    assert array.copy_to_device([[1, 2], [3, 4]]) is array
    np.testing.assert_array_equal(array.copy_to_host(), np.array([[1, 2], [3, 4]], np.float32))
    with pytest.raises(ValueError, match=r"shape \(4,\) cannot be copied to one of shape \(2, 2\)"):
        array.copy_to_device(np.zeros(4))


def test_copy_to_host_into_an_array(device: Device) -> None:
    array = to_device(np.arange(6, dtype=np.int32).reshape(2, 3))
    out = np.empty((2, 3), np.int32)
    assert array.copy_to_host(out) is out
    np.testing.assert_array_equal(out, np.arange(6).reshape(2, 3))
    with pytest.raises(ValueError, match=r"out has shape \(3, 2\) and type int32, but .* shape \(2, 3\)"):
        array.copy_to_host(np.empty((3, 2), np.int32))
    with pytest.raises(ValueError, match=r"type int64, but .* type int32"):
        array.copy_to_host(np.empty((2, 3), np.int64))
    for unusable in (np.empty((2, 6), np.int32)[:, ::2], np.frombuffer(bytes(24), np.int32).reshape(2, 3)):
        with pytest.raises(ValueError, match="C-contiguous and writable"):
            array.copy_to_host(unusable)


def test_unusable_shapes_and_types(device: Device) -> None:
    with pytest.raises(ValueError, match=r"shape \(2, -1\) has a negative extent"):
        device_array((2, -1))
    with pytest.raises(TypeError):
        device_array(2.5)
    with pytest.raises(TypeError, match="Python objects"):
        device_array(2, object)


# What drivers say of their largest buffer: less than the memory, more, or that there is no limit.
@pytest.mark.parametrize("largest", [None, 1 << 20, 1 << 40, 1 << 62, (1 << 64) - 1])
def test_more_memory_than_there_is(device: Device, largest: int | None) -> None:
    if largest is not None:
        device = Device(replace(device.info, max_buffer_bytes=largest))
    heaps = {kind: heap_bytes(device.logical, kind) for kind in MemoryKind}
    for kind, heap in heaps.items():
        most = min(heap, device.info.max_buffer_bytes)
        wanted = (most // 16 + 1) * 16
        with pytest.raises(MemoryError, match=f"can allocate {most} bytes of memory at once, not {wanted}"):
            DeviceArray.of_kind(device, wanted, np.uint8, kind)
    for size in (1 << 50, 1 << 62, 1 << 63, 1 << 70):
        with pytest.raises(MemoryError, match=f"not {size}"):
            device_array(size, np.uint8, device)


def test_out_of_memory_has_sizes(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise MemoryError("vkAllocateMemory failed: VK_ERROR_OUT_OF_DEVICE_MEMORY (-2)")

    kept, released = device_array(4096, np.uint8), device_array(5 << 20, np.uint8)
    del released
    gc.collect()
    with monkeypatch.context() as patch:
        patch.setattr(device.logical.functions, "vkAllocateMemory", fail, raising=False)
        with pytest.raises(MemoryError) as raised:
            device_array(3 << 20, np.uint8)
    assert f"{3 << 20} bytes could not be allocated" in str(raised.value)
    assert "bytes are in use" in str(raised.value)
    assert "were pooled and have been released" in str(raised.value)
    assert kept.nbytes == 4096
    assert f"{heap_bytes(device.logical, MemoryKind.DEVICE)} bytes in all" in str(raised.value)
    assert device_array(4096, np.uint8).nbytes == 4096


def test_memory_is_released(device: Device) -> None:
    functions = device.logical.functions
    destroyed: list[int] = []
    destroy = functions.vkDestroyBuffer

    def count(handle: int, buffer: int, allocator: object) -> None:
        destroyed.append(buffer)
        destroy(handle, buffer, allocator)

    functions.vkDestroyBuffer = count
    try:
        array = device_array(1000)
        reference, handle = weakref.ref(array.buffer), array.buffer.handle
        del array
        gc.collect()
        assert reference() is None
        assert handle not in destroyed
        device.trim()
        assert handle in destroyed
    finally:
        functions.vkDestroyBuffer = destroy


def test_synchronize(device: Device) -> None:
    synchronize()
    synchronize(device)
    device.synchronize()


def test_truth_is_that_of_the_only_element(device: Device) -> None:
    assert nv.to_device(np.array([3]))
    assert not nv.to_device(np.array(0))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(nv.to_device(np.zeros(2)))


def test_masked_arrays_do_not_lose_their_mask(device: Device) -> None:
    with pytest.raises(TypeError, match=r"filled\(value\)"):
        nv.to_device(np.ma.masked_array([1, 2], [True, False]))


@pytest.mark.parametrize("name", ["sum", "min", "max", "mean"])
def test_reductions_on_the_host(device: Device, name: str) -> None:
    host = np.arange(24, dtype=np.int32).reshape(2, 3, 4) % 7
    function = getattr(np, name)
    for h, d in ((host, to_device(host)), (host[:, ::2], to_device(host)[:, ::2])):
        method = getattr(d, name)
        for got in (function(d), method()):
            assert got == function(h)
            assert got.dtype == function(h).dtype
        for options in ({"axis": 1}, {"axis": (0, 2)}, {"axis": 0, "keepdims": True}):
            np.testing.assert_array_equal(function(d, **options), function(h, **options))
            np.testing.assert_array_equal(method(**options), function(h, **options))
        np.testing.assert_array_equal(method(0), function(h, 0))
        out = np.zeros(h.shape[1:], function(h, axis=0).dtype)
        assert function(d, axis=0, out=out) is out
        np.testing.assert_array_equal(out, function(h, axis=0))
        with pytest.raises(TypeError):
            method(axes=0)
    assert to_device(host).sum(dtype=np.float64).dtype == np.float64
    assert np.max(to_device(host), initial=50, where=host > 3) == 50


def test_comparisons_for_equality(device: Device) -> None:
    host, other = sample((3, 5), "i2"), sample((3, 5), "i2")
    other[1, 2] += 1
    left, right = to_device(host), to_device(other)
    pairs = ((left, right, other), (left, other, other), (left, right[1], other[1]), (left, 3, 3))
    for a, b, expected in (*pairs, (left[::2, 1:], right[::2, 1:], other[::2, 1:])):
        h = a.copy_to_host()
        for got, wanted in ((a == b, h == expected), (a != b, h != expected)):
            assert isinstance(got, np.ndarray)
            assert got.dtype == np.bool_
            np.testing.assert_array_equal(got, wanted)
        np.testing.assert_array_equal(b == a, expected == h)
    assert (left == left.copy()).all()
    assert (to_device(np.float32(2)) == to_device(np.float32(2))) is np.True_
    nan = to_device(np.full(2, np.nan))
    assert not (nan == nan).any()
    with pytest.raises(ValueError, match="ambiguous"):
        bool(left == right)
    with pytest.raises(ValueError, match="broadcast"):
        _ = left == to_device(np.zeros(7, np.int16))


def test_sets_and_dicts_hold_arrays_by_identity(device: Device) -> None:
    left, right = (to_device(np.arange(4)) for _ in range(2))
    assert len({left, right, left}) == 2
    assert {left: 1, right: 2}[right] == 2
    left.fill(9)
    assert left in {left, right}
