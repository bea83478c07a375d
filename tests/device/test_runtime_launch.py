"""Launches of kernels made by hand."""

from __future__ import annotations

import functools
import struct
import threading
from dataclasses import replace

import numpy as np
import pytest

import numba_vulkan as nv
from device import hand_made
from numba_vulkan import abi
from numba_vulkan.errors import SpirvCodegenError, VulkanSupportError
from numba_vulkan.runtime import Device, MemoryKind, device_array, list_devices, to_device

pytestmark = pytest.mark.mesa22


def random_floats(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(n).astype(np.float32)


def run_saxpy(
    device: Device, kernel, a: float, x: np.ndarray, y: np.ndarray, local_size: int = 64
) -> np.ndarray:
    dx, dy = to_device(x), to_device(y)
    groups = (-(-x.size // local_size), 1, 1)
    push = struct.pack("<fi", a, x.size)
    status = device.run(kernel, groups, {1: dx.buffer, 2: dy.buffer}, push, local_size=(local_size, 1, 1))
    assert status == ()
    return dy.copy_to_host()


def test_arrays_in_the_order_of_the_arguments(device: Device) -> None:
    x, y = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
    dx, dy = to_device(x), to_device(y)
    kernel, push, stream = hand_made.saxpy(), struct.pack("<fi", 2.0, 100), nv.stream()
    device.launch(kernel, (1, 1, 1), [dx, dy], push)
    device.launch_stream(stream, kernel, (1, 1, 1), [dx.buffer, dy], push)
    np.testing.assert_array_equal(dy.copy_to_host(), 1 + 4 * x)
    assert device.run(kernel, (1, 1, 1), [dx, y], push) == ()
    np.testing.assert_array_equal(y, 1 + 2 * x)
    assert device.run(kernel, (2, 1, 1), [x, y], push, local_size=(64, 1, 1)) == ()
    np.testing.assert_array_equal(y, 1 + 4 * x)
    with pytest.raises(ValueError, match="kernel 'saxpy' takes 2 arrays, not 1"):
        device.run(kernel, (1, 1, 1), [x], push)
    with pytest.raises(ValueError, match="binding 2 has no buffer"):
        device.launch(kernel, (1, 1, 1), [dx, None], push)
    for launch in (device.launch, functools.partial(device.launch_stream, stream)):
        with pytest.raises(TypeError, match="kernel 'saxpy' is launched with a NumPy array"):
            launch(kernel, (1, 1, 1), [dx, y], push)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 100_003])
def test_saxpy(device: Device, n: int) -> None:
    x, y = random_floats(n, 1), random_floats(n, 2)
    np.testing.assert_array_equal(run_saxpy(device, hand_made.saxpy(), 0.5, x, y), np.float32(0.5) * x + y)


def test_kernel_sees_what_the_one_before_wrote(device: Device) -> None:
    kernel = hand_made.saxpy()
    x, y = to_device(np.ones(1000, np.float32)), to_device(np.zeros(1000, np.float32))
    push = struct.pack("<fi", 1.0, 1000)
    for _ in range(50):
        device.launch(kernel, (16, 1, 1), {1: x.buffer, 2: y.buffer}, push, local_size=(64, 1, 1))
    np.testing.assert_array_equal(y.copy_to_host(), np.full(1000, 50, np.float32))


@pytest.mark.parametrize(
    ("groups", "local_size"),
    [((1, 1, 1), (1, 1, 1)), ((3, 2, 5), (4, 2, 1)), ((7, 1, 1), (32, 1, 1)), ((1, 9, 1), (1, 2, 32))],
)
def test_grid_is_what_was_asked_for(device: Device, groups: tuple, local_size: tuple) -> None:
    out = to_device(np.zeros(7, np.uint32))
    device.launch(hand_made.grid(), groups, {1: out.buffer}, local_size=local_size)
    assert out.copy_to_host().tolist() == [np.prod(groups) * np.prod(local_size), *local_size, *groups]


def test_one_kernel_with_several_local_sizes(device: Device) -> None:
    kernel = hand_made.grid()
    for size in (1, 2, 4, 2, 1):
        out = to_device(np.zeros(7, np.uint32))
        device.launch(kernel, (2, 1, 1), {1: out.buffer}, local_size=(size, 1, 1))
        assert out.copy_to_host()[:2].tolist() == [2 * size, size]


def test_no_groups_is_no_launch(device: Device) -> None:
    out = to_device(np.zeros(7, np.uint32))
    assert device.run(hand_made.grid(), (3, 0, 1), {1: out.buffer}, local_size=(1, 1, 1)) == ()
    assert not out.copy_to_host().any()


def test_largest_workgroup(device: Device) -> None:
    size = min(device.info.max_local_size[0], device.info.max_local_invocations)
    out = to_device(np.zeros(7, np.uint32))
    device.launch(hand_made.grid(), (1, 1, 1), {1: out.buffer}, local_size=(size, 1, 1))
    assert out.copy_to_host()[0] == size


@pytest.mark.parametrize("kind", list(MemoryKind))
def test_kernels_reach_both_kinds_of_memory(device: Device, kind: MemoryKind) -> None:
    x, y = random_floats(256, 3), random_floats(256, 4)
    bx, by = device.create_buffer(x.nbytes, kind), device.create_buffer(y.nbytes, kind)
    device.upload(bx, x)
    device.upload(by, y)
    device.launch(
        hand_made.saxpy(), (4, 1, 1), {1: bx, 2: by}, struct.pack("<fi", 2.0, 256), local_size=(64, 1, 1)
    )
    out = np.empty_like(y)
    device.download(by, out)
    np.testing.assert_array_equal(out, 2 * x + y)


def test_more_buffers_than_descriptor_sets_are_kept_for(device: Device) -> None:
    kernel = hand_made.saxpy()
    xs = [to_device(np.full(64, i, np.float32)) for i in range(70)]
    ys = [to_device(np.zeros(64, np.float32)) for _ in range(70)]
    for turn in range(2):
        for x, y in zip(xs, ys, strict=True):
            device.launch(
                kernel,
                (1, 1, 1),
                {1: x.buffer, 2: y.buffer},
                struct.pack("<fi", 1.0, 64),
                local_size=(64, 1, 1),
            )
        for i, y in enumerate(ys):
            np.testing.assert_array_equal(y.copy_to_host(), np.full(64, i * (turn + 1), np.float32))


@pytest.mark.needs("storage8", "int8")
def test_bytes(device: Device) -> None:
    data = np.arange(96, dtype=np.uint8) + 200
    array = to_device(data)
    device.launch(hand_made.increment_bytes(), (3, 1, 1), {1: array.buffer}, local_size=(32, 1, 1))
    np.testing.assert_array_equal(array.copy_to_host(), data + np.uint8(1))


def test_threads_share_a_device(device: Device) -> None:
    kernel = hand_made.saxpy()
    results: dict[int, bool] = {}

    def work(seed: int) -> None:
        x, y = random_floats(5000, seed), random_floats(5000, seed + 100)
        found = [run_saxpy(device, kernel, seed, x, y) for _ in range(20)]
        results[seed] = all(np.array_equal(one, np.float32(seed) * x + y) for one in found)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == dict.fromkeys(range(6), True)


# ---------------------------------------------------------------- status block


@pytest.mark.parametrize("count", [33, 40, 256, 257, 3000])
def test_parameters_behind_the_status_words(device: Device, count: int) -> None:
    parameters = np.arange(1000, 1000 + count, dtype=np.int32)
    parameters[0], parameters[1] = 77, count - 1
    kernel = hand_made.report(count)
    status = device.run(kernel, (1, 1, 1), {}, parameters.tobytes(), local_size=(1, 1, 1))
    assert len(status) == abi.STATUS_WORDS
    assert (status[0], status[1], status[4]) == (77, 0, 1000 + count - 1)


def test_first_report_wins_and_is_reset(device: Device) -> None:
    kernel = hand_made.report(33)
    parameters = np.zeros(33, np.int32)
    parameters[0], parameters[1] = 5, 32
    status = device.run(kernel, (8, 1, 1), {}, parameters.tobytes(), local_size=(8, 1, 1))
    assert status[0] == 5
    assert 0 <= status[1] < 64
    parameters[0] = 0
    assert device.run(kernel, (8, 1, 1), {}, parameters.tobytes(), local_size=(8, 1, 1)) == ()
    parameters[0] = 9
    assert device.run(kernel, (1, 1, 1), {}, parameters.tobytes(), local_size=(1, 1, 1))[0] == 9


# ---------------------------------------------------------------- what is refused


def assert_says(error: BaseException, *parts: object) -> None:
    assert [str(part) for part in parts if str(part) not in str(error)] == [], str(error)


@pytest.mark.parametrize("local_size", [(0, 1, 1), (1, -1, 1), (1, 1)])
def test_local_size_must_be_positive(device: Device, local_size: tuple) -> None:
    with pytest.raises(ValueError, match="kernel 'grid': local size") as raised:
        device.launch(hand_made.grid(), (1, 1, 1), {1: device_array(7).buffer}, local_size=local_size)
    assert_says(raised.value, local_size)


def test_local_size_beyond_the_device(device: Device) -> None:
    info = device.info
    for size in ((info.max_local_size[0] + 1, 1, 1), (info.max_local_invocations, 2, 1)):
        with pytest.raises(VulkanSupportError) as raised:
            device.launch(hand_made.grid(), (1, 1, 1), {1: device_array(7).buffer}, local_size=size)
        assert_says(raised.value, size, info.max_local_size, info.max_local_invocations, info.name)


def test_groups_beyond_the_device(device: Device) -> None:
    groups = (1, device.info.max_groups[1] + 1, 1)
    with pytest.raises(VulkanSupportError) as raised:
        device.launch(hand_made.grid(), groups, {1: device_array(7).buffer}, local_size=(1, 1, 1))
    assert_says(raised.value, groups, device.info.max_groups)
    with pytest.raises(ValueError, match="counts of at least 0"):
        device.launch(hand_made.grid(), (1, -1, 1), {1: device_array(7).buffer}, local_size=(1, 1, 1))


def test_buffer_beyond_the_range(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device.logical, "info", replace(device.info, max_storage_buffer_range=1024))
    with pytest.raises(VulkanSupportError) as raised:
        device.launch(
            hand_made.grid(), (1, 1, 1), {1: device_array(2048, np.uint8).buffer}, local_size=(1, 1, 1)
        )
    assert_says(raised.value, "binding 1", "2048 bytes", "1024 bytes", "split the array")


def test_more_buffers_than_the_device_binds(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "info", replace(device.info, max_storage_buffers=1))
    with pytest.raises(VulkanSupportError, match=r"uses 2 buffers, but .* allows 1 in one kernel"):
        device.check_support(hand_made.saxpy())


def test_missing_buffer(device: Device) -> None:
    with pytest.raises(ValueError, match="kernel 'grid': binding 1 has no buffer"):
        device.launch(hand_made.grid(), (1, 1, 1), {}, local_size=(1, 1, 1))


def test_buffer_of_another_device(device: Device) -> None:
    other = Device(device.info)
    buffer = other.create_buffer(28)
    with pytest.raises(ValueError, match="copy the array to that device"):
        device.launch(hand_made.grid(), (1, 1, 1), {1: buffer}, local_size=(1, 1, 1))


def test_wrong_length_of_parameters(device: Device) -> None:
    with pytest.raises(ValueError, match="takes 8 bytes of parameters, not 4"):
        device.launch(hand_made.saxpy(), (1, 1, 1), {}, b"1234", local_size=(1, 1, 1))


def test_missing_capability(device: Device) -> None:
    missing = [name for name in ("float64", "storage8") if not getattr(device.info, name)]
    capabilities = {"float64": "Float64", "storage8": "StorageBuffer8BitAccess"}
    others = [info.name for info in list_devices() if info.float64]
    for name in missing:
        kernel = replace(hand_made.grid(), capabilities=("Shader", capabilities[name]))
        with pytest.raises(VulkanSupportError) as raised:
            device.launch(kernel, (1, 1, 1), {1: device_array(7).buffer}, local_size=(1, 1, 1))
        assert_says(raised.value, "kernel 'grid'", name, capabilities[name], device.info.name, *others)
    if not missing:
        device.check_support(replace(hand_made.grid(), capabilities=("Shader", *capabilities.values())))


def test_missing_subgroup_operations(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = replace(hand_made.grid(), capabilities=("Shader", "GroupNonUniformShuffle"))
    device.check_support(kernel)
    monkeypatch.setattr(device, "info", replace(device.info, subgroup_shuffle=False))
    with pytest.raises(VulkanSupportError, match="needs subgroup_shuffle"):
        device.check_support(kernel)


def test_unknown_capability_is_our_fault(device: Device) -> None:
    with pytest.raises(SpirvCodegenError, match="capability Kernel, which the runtime does not know"):
        device.check_support(replace(hand_made.grid(), capabilities=("Kernel",)))
