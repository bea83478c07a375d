"""Streams, pinned arrays, events and recorded graphs."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan.errors import VulkanSupportError
from numba_vulkan.runtime import (
    Device,
    Event,
    event,
    event_elapsed_time,
    get_device,
    list_devices,
    pinned_array,
    record,
    stream,
)

pytestmark = pytest.mark.mesa22


@nv.jit
def add(x, y, out, count):
    i = nv.global_id(0)
    if i < out.size:
        out[i] = x[i] + y[i] + count


@nv.jit
def demanding(x, limit):
    i = nv.global_id(0)
    if i < x.size:
        if x[i] > limit:
            raise ValueError("too large")
        x[i] += 1


@pytest.mark.parametrize("pinned", [False, True])
def test_chunks_through_streams(device: Device, pinned: bool) -> None:
    n, streams, results = 5000, [stream() for _ in range(3)], []
    for k in range(12):
        s = streams[k % 3]
        host = pinned_array(n, np.int64) if pinned else np.empty(n, np.int64)
        host[:] = np.arange(n) * k
        x = nv.to_device(host, stream=s)
        y = nv.device_array(n, np.int64)
        if k % 2:
            add[-(-n // 64), 64, s](x, x, y, k)
        else:
            add.forall(n, stream=s)(x, x, y, k)
        out = pinned_array(n, np.int64) if pinned else np.empty(n, np.int64)
        assert y.copy_to_host(out, stream=s) is out
        results.append(out)
    for s in streams:
        s.synchronize()
        assert s.query()
    for k, out in enumerate(results):
        np.testing.assert_array_equal(out, 2 * np.arange(n) * k + k)


def test_numpy_arguments_on_a_stream(device: Device) -> None:
    s = stream()
    x, out = np.arange(100), np.zeros((10, 20), np.int64)
    with s.auto_synchronize():
        for k in range(5):
            add.forall(100, stream=s)(x, x, out[:, ::2].reshape(-1) if k < 0 else out.reshape(-1)[:100], k)
    np.testing.assert_array_equal(out.reshape(-1)[:100], 2 * x + 4)
    assert not out.reshape(-1)[100:].any()
    every_other = np.zeros(200, np.int64)
    add.forall(100, stream=s)(x, x, every_other[::2], 1)
    s.synchronize()
    np.testing.assert_array_equal(every_other[::2], 2 * x + 1)
    assert not every_other[1::2].any()


def test_arrays_go_between_streams_and_launches_without_one(device: Device) -> None:
    n, one, two = 1000, stream(), stream()
    x, y = nv.to_device(np.ones(n, np.int32)), nv.to_device(np.zeros(n, np.int32))
    for _ in range(20):
        add.forall(n, stream=one)(x, y, y, 0)
        add.forall(n, stream=two)(x, y, y, 1)
        add.forall(n)(x, y, y, 2)
    np.testing.assert_array_equal(y.copy_to_host(), np.full(n, 20 * 6))
    for _ in range(15):
        add.forall(n)(x, y, y, 0)
    add.forall(n, stream=one)(x, y, y, 0)
    np.testing.assert_array_equal(y.copy_to_host(), np.full(n, 20 * 6 + 16))
    y.copy_to_device(np.zeros(n), stream=two)
    add.forall(n)(x, y, y, 3)
    np.testing.assert_array_equal(
        y[10:20].copy_to_host(stream=one) * 0 + y[10:20].copy_to_host(), np.full(10, 4)
    )
    device.synchronize()


def test_errors_of_streams(device: Device) -> None:
    one, two = stream(), stream()
    bad, good = nv.to_device(np.full(5, 9, np.int32)), nv.to_device(np.zeros(5, np.int32))
    demanding.forall(5, stream=one)(bad, 5)
    demanding.forall(5, stream=two)(good, 5)
    with pytest.raises(ValueError, match="too large") as caught:
        one.synchronize()
    assert "'demanding'" in "".join(caught.value.__notes__)
    one.synchronize()
    two.synchronize()
    device.synchronize()
    demanding.forall(5, stream=one)(bad, 5)
    with pytest.raises(ValueError, match="too large"):
        device.synchronize()
    one.synchronize()
    np.testing.assert_array_equal(good.copy_to_host(), np.ones(5))


def test_streams_that_are_dropped(device: Device) -> None:
    x = nv.to_device(np.ones(1000, np.int32))
    for k in range(30):
        s = stream()
        add.forall(1000, stream=s)(x, x, x, -1)
        del s
        if k % 7 == 0:
            gc.collect()
    np.testing.assert_array_equal(x.copy_to_host(), np.ones(1000))


def test_streams_that_are_dropped_with_all_they_use(device: Device) -> None:
    opened = Device(device.info)
    fetched, seen = np.zeros(1000, np.int32), []

    def enqueue() -> weakref.ref:
        s = stream(opened)
        x = nv.to_device(np.ones(1000, np.int32), opened, s)
        for _ in range(50):
            add.forall(1000, stream=s)(x, x, x, -1)
        x.copy_to_host(fetched, stream=s)
        s.add_callback(lambda: seen.append(int(fetched[0])))
        return weakref.ref(x.buffer)

    released = [enqueue() for _ in range(3)]
    gc.collect()
    assert [each() for each in released] == [None] * 3
    assert (seen, fetched.tolist()) == ([1] * 3, [1] * 1000)
    opened.trim()
    assert (opened.memory_info().pooled_bytes, list(opened.streams)) == (0, [])


def test_streams_of_another_device(device: Device) -> None:
    other = stream(Device(device.info))
    x = nv.to_device(np.ones(4, np.int32))
    with pytest.raises(ValueError, match="stream"):
        add.forall(4, stream=other)(x, x, x, 0)
    with pytest.raises(ValueError, match="stream"):
        x.copy_to_host(stream=other)
    with pytest.raises(ValueError, match="stream"):
        x.copy_to_device(np.ones(4), stream=other)
    with pytest.raises(TypeError, match="stream"):
        add[1, 4, 7](x, x, x, 0)
    if device.info.timestamp_bits:
        with pytest.raises(ValueError, match="stream"):
            event().record(other)


def test_pinned_arrays(device: Device) -> None:
    array = pinned_array((3, 4), np.float32)
    assert (array.shape, array.dtype, array.flags.c_contiguous) == ((3, 4), np.float32, True)
    array[:] = np.arange(12).reshape(3, 4)
    row = array[1]
    del array
    gc.collect()
    device.trim()
    np.testing.assert_array_equal(row, [4, 5, 6, 7])
    s = stream()
    there = nv.to_device(row, stream=s)
    s.synchronize()
    np.testing.assert_array_equal(there.copy_to_host(), row)
    assert pinned_array(0).shape == (0,)
    with pytest.raises(ValueError, match="negative"):
        pinned_array(-1)


def test_events(device: Device) -> None:
    if not device.info.timestamp_bits:
        with pytest.raises(VulkanSupportError, match="timestamps"):
            event()
        return
    x = nv.to_device(np.ones(100_000, np.int32))
    start, middle, end = event(), event(), event()
    assert start.record() is start
    for _ in range(20):
        add.forall(x.size)(x, x, x, 0)
    middle.record()
    end.record()
    end.synchronize()
    assert end.query()
    assert middle.query()
    first = start.elapsed_time(middle)
    assert 0 < first < 60_000
    assert event_elapsed_time(start, end) >= first
    s = stream()
    start.record(s)
    add.forall(x.size, stream=s)(x, x, x, 0)
    end.record(s)
    assert start.elapsed_time(end) > 0
    with pytest.raises(ValueError, match="record"):
        start.elapsed_time(Event(device))
    others = [info for info in list_devices() if info.index != device.info.index and info.timestamp_bits]
    if others:
        with pytest.raises(ValueError, match="clocks differ"):
            start.elapsed_time(event(others[0]))


def test_recorded_graphs(device: Device) -> None:
    n = 300
    x, y, z = (nv.to_device(np.full(n, v, np.int64)) for v in (1, 2, 0))
    for _ in range(20):
        add.forall(n)(x, y, z, 0)
    with record() as graph:
        add.forall(n)(x, y, z, 5)
        add.forall(n)(z, x, y, 1)
        add.forall(n)(y, y, x, -1)
    np.testing.assert_array_equal(z.copy_to_host(), np.full(n, 3))
    assert len(graph) == 3
    hx, hy, hz = 1, 2, 3
    for turn in range(10):
        graph.launch()
        hz = hx + hy + 5
        hy = hz + hx + 1
        hx = 2 * hy - 1
        if turn % 3 == 0:
            add.forall(n)(x, y, z, turn)
            hz = hx + hy + turn
    for array, expected in ((x, hx), (y, hy), (z, hz)):
        np.testing.assert_array_equal(array.copy_to_host(), np.full(n, expected))


def test_what_graphs_refuse(device: Device) -> None:
    x = nv.to_device(np.ones(4, np.int32))
    with record() as empty:
        pass
    with pytest.raises(ValueError, match="no launches"):
        empty.launch()
    with pytest.raises(ValueError, match="device arrays only"), record() as graph:
        add.forall(4)(np.ones(4, np.int32), x, x, 0)
    with record() as graph:
        add.forall(4)(x, x, x, 0)
        with pytest.raises(ValueError, match="one at a time"), record():
            pass
    with pytest.raises(ValueError, match="recorded once"), graph:
        pass
    add.forall(4)(x, x, x, 0)
    graph.launch()
    np.testing.assert_array_equal(x.copy_to_host(), np.full(4, 4))


AT_ONCE = {
    "copy_to_host": lambda x: x.copy_to_host(),
    "copy_to_device": lambda x: x.copy_to_device(np.zeros(4, np.int32)),
    "fill": lambda x: x.fill(3),
    "assignment": lambda x: x.__setitem__(0, 5),
    "assigned view": lambda x: x.__setitem__(np.s_[::2], np.zeros(2, np.int32)),
    "element": lambda x: x[0],
    "copy": lambda x: x.copy(),
    "strided copy": lambda x: x[::2].copy_to_host(),
    "copy on a stream": lambda x: x.copy_to_device(np.zeros(4, np.int32), stream=stream()),
    "event": lambda x: Event(x.device).record() if x.device.info.timestamp_bits else x.fill(3),
}


@pytest.mark.parametrize("case", AT_ONCE)
def test_graphs_refuse_what_acts_at_once(device: Device, case: str) -> None:
    x = nv.to_device(np.ones(4, np.int32))
    with record() as graph:
        add.forall(4)(x, x, x, 0)
        with pytest.raises(ValueError, match="before or after `with"):
            AT_ONCE[case](x)
    assert len(graph) == 1
    np.testing.assert_array_equal(x.copy_to_host(), np.ones(4))
    AT_ONCE[case](x)


def test_graphs_refuse_launches_that_they_cannot_record(device: Device) -> None:
    x, s = nv.to_device(np.ones(4, np.int32)), stream()
    on_stream = add.forall(4, stream=s)
    for _ in range(20):  # with plans, and native code where there is some
        on_stream(x, x, x, 0)
        x.copy_to_device(np.ones(4, np.int32))
    with record() as earlier:
        add.forall(4)(x, x, x, 0)
    with record() as graph:
        with pytest.raises(ValueError, match=r"kernel 'add'.* on a stream: leave the stream out"):
            on_stream(x, x, x, 0)
        with pytest.raises(ValueError, match=r"kernel 'add'.*copy NumPy arguments first"):
            add.forall(4)(np.ones(4, np.int32), x, x, 0)
        with pytest.raises(ValueError, match="launches of graphs act at once"):
            earlier.launch()
    assert len(graph) == 0
    np.testing.assert_array_equal(x.copy_to_host(), np.ones(4))
    on_stream(x, x, x, 0)
    np.testing.assert_array_equal(x.copy_to_host(), np.full(4, 2))


def test_graphs_of_two_devices(device: Device) -> None:
    others = [info for info in list_devices() if info.index != device.info.index]
    if not others:
        pytest.skip("needs two devices")
    other = get_device(others[0])
    x, far = (nv.to_device(np.ones(4, np.int32), d) for d in (device, other))
    configured = add.forall(4)
    for _ in range(20):
        configured(far, far, far, 0)
    far.copy_to_device(np.ones(4, np.int32))
    with record(device) as graph:
        with pytest.raises(ValueError, match=r"kernel 'add'.*record there with nv.record\(device\)"):
            configured(far, far, far, 0)
        far.copy_to_device(np.full(4, 2, np.int32))  # of no concern to the graph
        with record(other) as second:
            configured(far, far, far, 0)
            configured(x, x, x, 0)
        configured(x, x, x, 0)
    assert (len(graph), len(second)) == (2, 1)
    configured(far, far, far, 0)
    second.launch()
    graph.launch()
    np.testing.assert_array_equal(far.copy_to_host(), np.full(4, 8))
    np.testing.assert_array_equal(x.copy_to_host(), np.full(4, 4))


def test_graphs_are_recorded_where_each_launch_is_waited_for(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_VULKAN_SYNC", "1")
    x = nv.to_device(np.ones(4, np.int32))
    with record() as graph:
        add.forall(4)(x, x, x, 0)
    graph.launch()
    np.testing.assert_array_equal(x.copy_to_host(), np.full(4, 2))


def test_errors_of_graphs(device: Device) -> None:
    bad = nv.to_device(np.full(3, 9, np.int32))
    with record() as graph:
        demanding.forall(3)(bad, 5)
    device.synchronize()
    for _ in range(2):
        graph.launch()
        with pytest.raises(ValueError, match="too large"):
            device.synchronize()
    device.synchronize()


def test_other_threads_launch_while_a_graph_is_recorded(device: Device) -> None:
    x, y = (nv.to_device(np.zeros(8, np.int32)) for _ in range(2))
    add.forall(8)(x, x, y, 1)

    def work() -> None:
        add.forall(8)(x, x, y, 7)

    with record() as graph:
        add.forall(8)(x, x, x, 1)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert len(graph) == 1
    np.testing.assert_array_equal(y.copy_to_host(), np.full(8, 7))
    np.testing.assert_array_equal(x.copy_to_host(), np.zeros(8))


VIEWS = {
    "every other": np.s_[::2],
    "columns": np.s_[:, 3:9],
    "reversed": np.s_[::-1, ::-2],
    "a column": np.s_[:, 5],
    "transposed": None,
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("pinned", [False, True])
def test_views_with_gaps_on_streams(device: Device, view: str, pinned: bool) -> None:
    s, whole = stream(), np.arange(600, dtype=np.int16).reshape(30, 20)

    def pick(array):
        return array.T if VIEWS[view] is None else array[VIEWS[view]]

    x = nv.to_device(whole)
    expected = pick(whole)
    out = pinned_array(expected.shape, np.int16) if pinned else np.zeros(expected.shape, np.int16)
    assert pick(x).copy_to_host(out, stream=s) is out
    new = pinned_array(expected.shape, np.int16) if pinned else np.zeros(expected.shape, np.int16)
    new[...] = -expected
    pick(x).copy_to_device(new, stream=s)
    between = nv.device_array(expected.shape, np.int16).copy_to_device(pick(x), stream=s)
    s.synchronize()
    np.testing.assert_array_equal(out, expected)
    pick(whole)[...] = -expected
    np.testing.assert_array_equal(x.copy_to_host(), whole)
    np.testing.assert_array_equal(between.copy_to_host(), new)


def test_host_arrays_of_any_layout_on_streams(device: Device) -> None:
    s, host = stream(), np.arange(60.0).reshape(6, 10)
    x = nv.device_array((10, 6)).copy_to_device(host.T, stream=s)
    y = nv.device_array((6, 5)).copy_to_device(host[::-1, ::2], stream=s)
    z = nv.device_array((6, 10)).copy_to_device(np.broadcast_to(host[0], (6, 10)), stream=s)
    s.synchronize()
    np.testing.assert_array_equal(x.copy_to_host(), host.T)
    np.testing.assert_array_equal(y.copy_to_host(), host[::-1, ::2])
    np.testing.assert_array_equal(z.copy_to_host(), np.broadcast_to(host[0], (6, 10)))


def test_pinned_memory_of_another_device(device: Device) -> None:
    for info in list_devices():
        pinned = pinned_array(5, np.int32, info)
        pinned[:] = range(5)
        s = stream()
        x = nv.to_device(pinned, device, s)
        x.copy_to_host(pinned[::-1].copy(), stream=s)
        s.synchronize()
        assert x.copy_to_host().tolist() == [0, 1, 2, 3, 4]


def test_repeated_launches_on_a_stream(device: Device) -> None:
    s, n = stream(), 200
    x, y = nv.to_device(np.arange(n)), nv.to_device(np.zeros(n, np.int64))
    launch = add.forall(n, stream=s)
    for k in range(20):
        launch(x, y, y, k)
    launch(x[::2], y[:100], y[100:], 1)
    launch(x, y, y, True)
    for k in range(80):  # more than are remembered
        out = nv.device_array(n, np.int64)
        launch(x, x, out, k)
        if k % 20 == 0:
            s.synchronize()
            np.testing.assert_array_equal(out.copy_to_host(), 2 * np.arange(n) + k)
    s.synchronize()
    expected = 20 * np.arange(n) + sum(range(20))
    expected[100:] = np.arange(n)[::2] + expected[:100] + 1
    np.testing.assert_array_equal(y.copy_to_host(), expected + np.arange(n) + 1)
    risky = demanding.forall(3, stream=s)
    for limit in (5, 5, 5, 0):
        risky(nv.to_device(np.ones(3, np.int64)), limit)
    with pytest.raises(ValueError, match="too large"):
        s.synchronize()


def test_configurations_on_a_stream_are_kept_with_it(device: Device) -> None:
    s, n = stream(), 256
    kernel = nv.jit(add.py_func)
    x, y = (nv.to_device(np.ones(n, np.int32)) for _ in range(2))
    for _ in range(12):
        kernel[2, 128, s](x, y, y, 0)
        kernel.forall(n, stream=s)(x, y, y, 0)
    assert kernel[2, 128, s]._plans is kernel[2, 128, s]._plans
    assert len(kernel[2, 128, s]._plans) == len(kernel.forall(n, stream=s)._plans) == 1
    assert kernel[2, 128, stream()]._plans is not kernel[2, 128, s]._plans
    assert kernel[2, 128]._plans is not kernel[2, 128, s]._plans
    assert kernel[2, 128, 0, 16] is kernel[2, 128, 0, 16] is not kernel[2, 128]
    s.synchronize()
    np.testing.assert_array_equal(y.copy_to_host(), np.full(n, 25))
    gone = weakref.ref(s)
    x.copy_to_host()
    del s
    gc.collect()
    assert gone() is None
