"""Device arrays behave as NumPy arrays: views, elements, assignments, copies."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import numba_vulkan as nv
from device.unmapped import hide_arrays
from numba_vulkan.runtime import Device, DeviceArray, device_array, list_devices, to_device

pytestmark = pytest.mark.mesa22

INDICES = (
    np.s_[2:],
    np.s_[::-1],
    np.s_[1:7:2, ::3],
    np.s_[:, -1],
    np.s_[3],
    np.s_[..., 2],
    np.s_[None, 1:3],
    np.s_[:, None, ::-2],
    np.s_[5:2],
    np.s_[::-2, 4:1:-1],
    np.s_[...],
    np.s_[()],
    np.s_[np.int64(2)],
)


@pytest.fixture(params=["mapped", "staged"])
def places(request: pytest.FixtureRequest, device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """The device as it is, and with arrays that the host cannot reach, as on discrete GPUs."""
    if request.param == "staged":
        hide_arrays(monkeypatch)
    monkeypatch.setattr(device.transfer, "_create_buffer", device.create_buffer)
    return device


def sample(dtype: str = "f4") -> np.ndarray:
    return np.arange(80).reshape(8, 10).astype(dtype)


@pytest.mark.parametrize("index", INDICES, ids=str)
@pytest.mark.parametrize("dtype", ["i1", "f4", "c16"])
def test_views(places: Device, index: object, dtype: str) -> None:
    host = sample(dtype)
    view, expected = to_device(host)[index], host[index]
    assert isinstance(view, DeviceArray)
    assert (view.shape, view.dtype) == (expected.shape, expected.dtype)
    if expected.size:
        assert view.strides == expected.strides
    np.testing.assert_array_equal(view.copy_to_host(), expected)
    np.testing.assert_array_equal(view.copy().copy_to_host(), expected)
    np.testing.assert_array_equal(view.T.copy_to_host(), expected.T)
    np.testing.assert_array_equal(view.ravel().copy_to_host(), expected.ravel())


@pytest.mark.parametrize("index", INDICES, ids=str)
@pytest.mark.parametrize("dtype", ["i1", "i2", "f4", "f8"])
def test_assignments(places: Device, index: object, dtype: str) -> None:
    host = sample(dtype)
    array = to_device(host)
    array[index] = 7
    host[index] = 7
    np.testing.assert_array_equal(array.copy_to_host(), host)
    shape = host[index].shape
    values = np.arange(100, 100 + host[index].size).reshape(shape).astype("i4")
    array[index] = values
    host[index] = values
    np.testing.assert_array_equal(array.copy_to_host(), host)
    array[index] = to_device(values[::-1] if values.ndim else values)
    host[index] = values[::-1] if values.ndim else values
    np.testing.assert_array_equal(array.copy_to_host(), host)
    if shape:
        array[index] = to_device(np.array([3], dtype))
        host[index] = 3
        np.testing.assert_array_equal(array.copy_to_host(), host)


def test_elements(places: Device) -> None:
    array, host = to_device(sample()), sample()
    assert array[2, 3] == host[2, 3]
    assert isinstance(array[2, 3], np.float32)
    assert array[-1, -1] == 79
    array[1, 2] = 5
    assert array[1, 2] == 5
    zero = to_device(np.float64(4))
    assert zero[()] == 4.0
    zero[()] = 6
    assert zero.copy_to_host() == 6
    for wrong in [(8, 0), (0, -11), (0, 0, 0)]:
        with pytest.raises(IndexError):
            array[wrong]
    with pytest.raises(IndexError):
        array[1.5]
    with pytest.raises(IndexError):
        array[20] = 1


def test_masks_and_positions_go_through_the_host(device: Device) -> None:
    host = sample()
    array = to_device(host)
    np.testing.assert_array_equal(array[host > 40].copy_to_host(), host[host > 40])
    np.testing.assert_array_equal(array[[3, 1]].copy_to_host(), host[[3, 1]])
    array[host > 40] = -1
    host[host > 40] = -1
    array[:, [0, 2]] = np.ones((8, 2))
    host[:, [0, 2]] = 1
    np.testing.assert_array_equal(array.copy_to_host(), host)


def test_overlapping_assignment(places: Device) -> None:
    array, host = to_device(sample()), sample()
    array[1:] = array[:-1]
    host[1:] = host[:-1].copy()
    np.testing.assert_array_equal(array.copy_to_host(), host)
    array[...] = array[::-1, ::-1]
    np.testing.assert_array_equal(array.copy_to_host(), host[::-1, ::-1])


def test_reshape(places: Device) -> None:
    array, host = to_device(sample()), sample()
    for shape in [(80,), (4, -1), (2, 4, 10), (8, 2, 5)]:
        np.testing.assert_array_equal(array.reshape(*shape).copy_to_host(), host.reshape(shape))
        np.testing.assert_array_equal(array.reshape(shape).copy_to_host(), host.reshape(shape))
    np.testing.assert_array_equal(
        array[:, ::2].reshape(4, 2, 5).copy_to_host(), host[:, ::2].reshape(4, 2, 5)
    )
    with pytest.raises(ValueError, match="copy it first"):
        array.T.reshape(-1)
    with pytest.raises(ValueError, match="cannot reshape"):
        array.reshape(7, 7)
    np.testing.assert_array_equal(array.transpose(1, 0).copy_to_host(), host.T)
    np.testing.assert_array_equal(array.transpose((1, 0)).copy_to_host(), host.T)
    view = array.reshape(-1)
    view[5] = 99
    assert array[0, 5] == 99


def test_iteration_and_conversion(device: Device) -> None:
    host = sample()
    array = to_device(host)
    assert [float(x) for x in to_device(np.arange(3.0))] == [0, 1, 2]
    np.testing.assert_array_equal([row.copy_to_host() for row in array], host)
    with pytest.raises(TypeError, match="0-d"):
        iter(to_device(np.float32(1)))
    for dtype in ("f8", "i2", "?"):
        found = array.astype(dtype)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.copy_to_host(), host.astype(dtype))
    assert array.astype("f4") is not array


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "f4", "i8", "f8", "c16"])
@pytest.mark.parametrize("value", [0, 1, 100])
def test_fill(places: Device, dtype: str, value: int) -> None:
    host = np.zeros((5, 7), dtype)
    array = to_device(host)
    array.fill(value)
    host.fill(value)
    np.testing.assert_array_equal(array.copy_to_host(), host)
    array[1:3, 2:].fill(0)
    host[1:3, 2:].fill(0)
    np.testing.assert_array_equal(array.copy_to_host(), host)


def test_copies(device: Device) -> None:
    array = to_device(sample())
    for other in (copy.deepcopy(array), copy.copy(array), pickle.loads(pickle.dumps(array)), array.copy()):
        array[0, 0] = 0
        other[0, 0] = 5
        assert array[0, 0] == 0
        np.testing.assert_array_equal(other.copy_to_host()[1:], sample()[1:])
    view = pickle.loads(pickle.dumps(array[::2, 1]))
    np.testing.assert_array_equal(view.copy_to_host(), sample()[::2, 1])
    assert view.is_contiguous
    other = device_array(array.shape, np.float64).copy_to_device(array)
    np.testing.assert_array_equal(other.copy_to_host(), array.copy_to_host())


def test_copies_between_devices(device: Device) -> None:
    array = to_device(sample())
    for info in list_devices():
        there = array[1:].copy_to(info)
        assert there.device.info == info
        np.testing.assert_array_equal(there.copy_to_host(), sample()[1:])
        back = device_array(there.shape, there.dtype)
        back[...] = there
        np.testing.assert_array_equal(back.copy_to_host(), sample()[1:])


@pytest.mark.parametrize("count", [2**31 - 1, 2**31])
def test_elements_of_views_at_the_end_of_32_bits(device: Device, count: int) -> None:
    @nv.jit
    def read(x, out):
        out[0] = x[-1]

    small = to_device(np.array([7, 8], np.uint8))
    out = to_device(np.zeros(1, np.uint8))
    read[1, 1](small._view((count,), (0,), 1), out)
    assert out[0] == 8
