"""What users may get wrong with arrays, streams, events and memory: the exception, and what it says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan.runtime import Device, list_devices

pytestmark = pytest.mark.mesa22

Case = tuple[Callable[[nv.DeviceArray], object], type[Exception], str]

CASES: dict[str, Case] = {
    "shape up": (lambda x: x.copy_to_device(np.zeros(5)), ValueError, r"shape \(5,\) .* shape \(4,\)"),
    "shape down": (
        lambda x: x.copy_to_host(np.zeros(5, np.float32)),
        ValueError,
        r"shape \(5,\) and type float32, but .* \(4,\) and type float32",
    ),
    "type down": (lambda x: x.copy_to_host(np.zeros(4)), ValueError, "type float64, but .* type float32"),
    "out with gaps": (
        lambda x: x.copy_to_host(np.zeros(8, np.float32)[::2]),
        ValueError,
        r"C-contiguous and writable: .* strides are \(8,\), and it is writable",
    ),
    "out that is read-only": (
        lambda x: x.copy_to_host(np.frombuffer(bytes(16), np.float32)),
        ValueError,
        "it is not writable",
    ),
    "out that is no array": (lambda x: x.copy_to_host([0] * 4), TypeError, "NumPy array, not list"),  # type: ignore[arg-type]
    "no stream": (lambda x: x.copy_to_host(stream=3), TypeError, r"numba_vulkan.stream\(\), not 3"),  # type: ignore[arg-type]
    "no stream up": (lambda x: x.copy_to_device([0] * 4, stream="s"), TypeError, "not 's'"),  # type: ignore[arg-type]
    "negative extent": (lambda x: nv.device_array((2, -3)), ValueError, r"shape \(2, -3\) has a negative"),
    "negative pinned": (lambda x: nv.pinned_array(-1), ValueError, r"shape \(-1,\) has a negative extent"),
    "extent of a float": (lambda x: nv.device_array(2.5), TypeError, "float"),  # type: ignore[arg-type]
    "objects": (lambda x: nv.to_device(np.array([{}])), TypeError, "type object are Python objects"),
    "pinned objects": (lambda x: nv.pinned_array(3, object), TypeError, "type object are Python objects"),
    "beyond the device": (lambda x: nv.device_array(1 << 50, np.int8), MemoryError, "not 1125899906842624"),
    "reshape": (lambda x: x.reshape(3), ValueError, r"size 4 into shape \(3,\)"),
    "reshape of a view": (
        lambda x: x.reshape(2, 2).T.reshape(-1),
        ValueError,
        r"copy it first \(x.copy\(\)\)",
    ),
    "index": (lambda x: x[9], IndexError, "index 9 is out of bounds for axis 0 with size 4"),
    "trim": (lambda x: x.device.trim(-1), ValueError, "cannot be negative, as -1 is"),
    "limit": (lambda x: setattr(x.device, "pool_limit", -5), ValueError, "cannot be negative, as -5 is"),
    "event without record": (
        lambda x: nv.event().record().elapsed_time(nv.event()),
        ValueError,
        r"not recorded: call record\(\) first",
    ),
    "event on no stream": (lambda x: nv.event().record(3), TypeError, "not 3"),  # type: ignore[arg-type]
    "event that is none": (lambda x: nv.event().record().elapsed_time(3), TypeError, "not 3"),  # type: ignore[arg-type]
    "limit of a float": (lambda x: x.device.trim(1.5), TypeError, "must be an integer, not 1.5"),  # type: ignore[arg-type]
    "pinned beyond the device": (
        lambda x: nv.pinned_array((1 << 32, 1 << 32), np.int8),
        MemoryError,
        f"not {1 << 64}",
    ),
    "callback": (lambda x: nv.stream().add_callback(None), TypeError, "no arguments, not None"),  # type: ignore[arg-type]
    "device of a bool": (lambda x: nv.get_device(True), TypeError, "by its index, .* not True"),
    "device of a float": (lambda x: nv.stream(2.5), TypeError, "by its index, .* not 2.5"),  # type: ignore[arg-type]
    "stream on no device": (lambda x: nv.Stream(x.device.info), TypeError, r"get_device\(\), not DeviceInfo"),  # type: ignore[arg-type]
    "event on no device": (lambda x: nv.Event(None), TypeError, r"get_device\(\), not None"),  # type: ignore[arg-type]
    "array on no device": (lambda x: nv.DeviceArray(None, 3, "f4"), TypeError, r"get_device\(\), not None"),  # type: ignore[arg-type]
    "device of no info": (lambda x: nv.Device(0), TypeError, r"list_devices\(\) has returned, not of 0"),  # type: ignore[arg-type]
    "array like a list": (lambda x: nv.device_array_like([1]), TypeError, r"a device array, not \[1\]"),  # type: ignore[arg-type]
    "no stream at first": (
        lambda x: nv.to_device([0], stream=3),
        TypeError,
        r"numba_vulkan.stream\(\), not 3",
    ),  # type: ignore[arg-type]
    "empty graph": (lambda x: nv.record().launch(), ValueError, "holds no launches"),
}


@pytest.mark.parametrize("case", CASES)
def test_misuse(device: Device, case: str) -> None:
    call, kind, message = CASES[case]
    x = nv.to_device(np.zeros(4, np.float32))
    with pytest.raises(kind, match=message):
        call(x)
    assert x.copy_to_host().tolist() == [0] * 4


def test_streams_and_events_of_another_device(device: Device) -> None:
    others = [info for info in list_devices() if info is not device.info and info.name != device.info.name]
    if not others:
        pytest.skip("there is one device only")
    x, foreign = nv.to_device(np.zeros(4)), nv.stream(others[0])
    both = f"'{device.info.name}', but the stream on '{others[0].name}'"
    for call in (
        lambda: x.copy_to_host(stream=foreign),
        lambda: x.copy_to_device(np.zeros(4), stream=foreign),
        lambda: nv.to_device(np.zeros(4), device, foreign),
        lambda: nv.event(device).record(foreign),
    ):
        with pytest.raises(ValueError, match="but the stream on") as caught:
            call()
        assert both in str(caught.value)
    with pytest.raises(ValueError, match="their clocks differ"):
        nv.event(device).record().elapsed_time(nv.event(others[0]).record())
