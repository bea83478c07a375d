"""Arrays reached by address: chosen where the limits of bindings end, and the same results in both ways.

`make test-addresses` runs tests of everything that kernels do with memory with `NUMBA_VULKAN_ADDRESSES=1` as well.
"""

from dataclasses import replace

import numpy as np
import pytest

import numba_vulkan as nv

pytestmark = [pytest.mark.mesa22, pytest.mark.needs("buffer_addresses")]


def ways(kernel) -> list[bool]:
    """Return for each compiled variant of a kernel whether it reaches arrays by address."""
    return [compiled.variant.addressed for compiled in kernel._compiled.values()]


def summing(count: int):
    names = [f"a{k}" for k in range(count)]
    source = (
        f"def kernel(out, {', '.join(names)}):\n    i = nv.global_id(0)\n"
        f"    if i < out.size:\n        out[i] = {' + '.join(f'{name}[i]' for name in names)}\n"
    )
    namespace = {"nv": nv}
    exec(source, namespace)
    return nv.jit(namespace["kernel"])


@pytest.mark.parametrize("kind", ["host", "device", "graph", "stream"])
def test_more_arrays_than_the_device_binds(device, kind):
    limited = nv.get_device(replace(device.info, max_storage_buffers=5))
    kernel, arrays = summing(7), [np.arange(50, dtype=np.int64) << k for k in range(7)]
    expected = sum(arrays)
    out = np.zeros(50, np.int64)
    if kind == "host":
        for _ in range(3):
            kernel.forall(50, device=limited)(out, *arrays)
    else:
        target = nv.to_device(out, limited)
        taken = [nv.to_device(a, limited) for a in arrays]
        if kind == "graph":
            with nv.record(limited) as graph:
                kernel.forall(50)(target, *taken)
            graph.launch()
        elif kind == "stream":
            stream = nv.stream(limited)
            kernel.forall(50, stream=stream)(target, *taken)
            stream.synchronize()
        else:
            for _ in range(20):  # natively after some
                kernel.forall(50)(target, *taken)
        out = target.copy_to_host()
    np.testing.assert_array_equal(out, expected)
    assert ways(kernel) == [True]


def test_arrays_beyond_the_range_of_a_binding(device, monkeypatch):
    monkeypatch.delenv("NUMBA_VULKAN_ADDRESSES", raising=False)
    limited = nv.get_device(replace(device.info, max_storage_buffer_range=1024))
    kernel = summing(2)
    for size in (64, 1000, 64, 5000):
        a, b = np.arange(size, dtype=np.float32), np.full(size, 3, np.float32)
        out = np.zeros(size, np.float32)
        kernel.forall(size, device=limited)(out, a, b)
        np.testing.assert_array_equal(out, a + b)
        target = nv.to_device(out * 0, limited)
        kernel.forall(size)(target, nv.to_device(a, limited), nv.to_device(b, limited))
        np.testing.assert_array_equal(target.copy_to_host(), a + b)
    assert sorted(ways(kernel)) == [False, True]


@pytest.mark.parametrize("limit", ["max_storage_buffers", "max_storage_buffer_range"])
def test_devices_without_addresses_say_both_numbers(device, limit):
    limited = nv.get_device(
        replace(device.info, buffer_addresses=False, **{limit: 2 if limit[-1] == "s" else 512})
    )
    out, a = np.zeros(200, np.float32), np.ones(200, np.float32)
    with pytest.raises(nv.VulkanSupportError, match="offers no addresses of buffers") as caught:
        summing(3).forall(200, device=limited)(out, a, a + 1, a + 2)
    numbers = ("4 buffers", "allows 2") if limit[-1] == "s" else ("800 bytes", "reach 512 bytes")
    assert all(number in str(caught.value) for number in numbers), caught.value


def test_many_parameters_lie_in_front_of_the_addresses(device, monkeypatch):
    monkeypatch.setenv("NUMBA_VULKAN_ADDRESSES", "1")

    @nv.jit
    def kernel(numbers, x, out):
        i = nv.global_id(0)
        if i < out.size:
            total = x[i]
            for number in numbers:
                total += number
            if total < 0:
                raise ValueError("negative", total)
            out[i] = total

    numbers = tuple(range(60))
    x, out = np.arange(10), np.zeros(10, np.int64)
    kernel.forall(10)(numbers, x, out)
    np.testing.assert_array_equal(out, x + sum(numbers))
    assert ways(kernel) == [True]
    with pytest.raises(ValueError, match="negative"):
        kernel.forall(10)(numbers, x - 10000, out)


def test_prints_lie_behind_the_addresses(device, monkeypatch, capfd):
    @nv.jit
    def kernel(x, y):
        i = nv.global_id(0)
        if i < x.size:
            y[i] += x[i]
            print("element", i, y[i])

    x, y = np.arange(3), np.full(3, 10)
    for way in ("0", "1"):
        monkeypatch.setenv("NUMBA_VULKAN_ADDRESSES", way)
        kernel.forall(3, local_size=4 << int(way))(x, y)  # another plan
        nv.synchronize()
        assert sorted(capfd.readouterr().out.split("\n")) == ["", *(f"element {i} {y[i]}" for i in range(3))]
    np.testing.assert_array_equal(y, 10 + 2 * x)
    assert ways(kernel) == [False, True]


def test_overlapping_arrays(device, monkeypatch):
    monkeypatch.setenv("NUMBA_VULKAN_ADDRESSES", "1")

    @nv.jit
    def shift(source, target):
        for k in range(target.size):
            target[k] = source[k] + 1

    x = np.arange(20, dtype=np.int32)
    shift[1, 1](x[:-1], x[1:])
    np.testing.assert_array_equal(x, np.arange(20))
    assert ways(shift) == [True]


@pytest.mark.slow
def test_arrays_beyond_the_range_of_this_device(device):
    """256 MiB, where devices bind 128 MiB; written and checked on the device."""
    if device.info.max_storage_buffer_range >= 1 << 28 or device.info.max_buffer_bytes < 1 << 29:
        pytest.skip("the device binds more, or allocates less")
    count = (1 << 28) // 4 + 4096

    @nv.jit
    def fill(x):
        for k in range(nv.global_id(0), x.size, nv.local_size(0) * nv.num_groups(0)):
            x[k] = k ^ 0x5A5A5A

    @nv.jit
    def count_wrong(x, wrong):
        for k in range(nv.global_id(0), x.size, nv.local_size(0) * nv.num_groups(0)):
            if x[k] != k ^ 0x5A5A5A:
                nv.atomic.add(wrong, 0, 1)

    x, wrong = nv.device_array(count, np.int32), nv.to_device(np.zeros(1, np.int32))
    fill[64, 64](x)
    count_wrong[64, 64](x, wrong)
    assert wrong[0] == 0
    for k in (0, (1 << 27) // 4, count - 1):
        assert x[k] == k ^ 0x5A5A5A
    assert ways(fill) == [True]
    del x
    device.trim()
