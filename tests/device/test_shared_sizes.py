"""Shared arrays whose size a launch decides: by a scalar argument, or as dynamic shared memory."""

import numpy as np
import pytest

import numba_vulkan as nv


def values_of(dtype, count):
    values = np.random.default_rng(count).integers(0, 120, count)
    return (values % 2 if dtype == "bool" else values).astype(dtype)


# ---------------------------------------------------------------- lengths that a launch decides


@nv.jit
def sized_by_argument(x, out, n, m):
    part = nv.shared.array((n, m + 1), np.float32)
    small = nv.shared.array(2 * n, np.int16)
    t = nv.local_id(0)
    for column in range(m):
        part[t, column] = x[t, column]
    small[2 * t] = t
    small[2 * t + 1] = 100 + t
    nv.barrier()
    for column in range(m):
        rest = np.float32(small[2 * n - 1 - 2 * t]) + np.float32(part.size)
        out[t, column] = part[n - 1 - t, m - 1 - column] + rest


@pytest.mark.mesa22
@pytest.mark.parametrize("on_device", [False, True])
def test_size_from_a_scalar_argument(device, on_device):
    for n, m in ((16, 3), (32, 5), (16, 3), (7, 1)):
        x = np.random.default_rng(n).integers(0, 99, (n, m)).astype(np.float32)
        for _ in range(3):
            out = np.zeros((n, m), np.float32)
            if on_device:
                device_out = nv.to_device(out, device)
                sized_by_argument[1, n](nv.to_device(x, device), device_out, n, np.int32(m))
                out = device_out.copy_to_host()
            else:
                sized_by_argument[1, n](x, out, n, np.int32(m))
            expected = x[::-1, ::-1] + (100 + np.arange(n)[::-1, None]) + n * (m + 1)
            np.testing.assert_array_equal(out, expected)


def test_size_from_a_scalar_argument_beyond_the_device(device):
    x = np.zeros((1, 1), np.float32)
    with pytest.raises(nv.VulkanSupportError, match=r"shared arrays of kernel 'sized_by_argument' take"):
        sized_by_argument[1, 1](x, x, 10_000_000, 1)


@nv.jit
def sized(x, out, n, m):
    part = nv.shared.array((n, m), np.complex64)
    part[0, 0] = x[0]
    out[0] = part[0, 0].real


@nv.jit
def sized_by_one(x, out, n):
    part = nv.shared.array(n, np.int16)
    part[0] = x[0]
    out[0] = part[0]


HUGE = [
    (2**40, 2**40),
    (2**32, 2**32),
    (2**31, 2**33),
    (-1, 1),
    (-3, -5),
    (-(2**40), 2),
    (2**30, 1),
    (2**63 - 1, 1),
]


@pytest.mark.mesa22
@pytest.mark.parametrize(("n", "m"), HUGE)
def test_sizes_that_no_number_of_elements_has(device, n, m):
    x, out = np.ones(1, np.int32), np.zeros(1, np.int32)
    with pytest.raises(
        nv.VulkanSupportError, match="shared arrays of kernel 'sized' have a negative extent, or take more"
    ):
        sized[1, 1](x, out, n, m)
    with pytest.raises(
        nv.VulkanSupportError,
        match="shared arrays of kernel 'sized_by_one' have a negative extent, or take more",
    ):
        sized_by_one[1, 1](x, out, min(n * abs(m), 2**63 - 1))
    if n in (-1, 2**30):
        with pytest.raises(
            nv.VulkanSupportError,
            match="shared arrays of kernel 'sized_by_one' have a negative extent, or take more",
        ):
            sized_by_one[1, 1](x, out, np.int32(n))
    assert out[0] == 0


@nv.jit
def sized_by_an_extent(x, out):
    part = nv.shared.array(x.shape, np.int32)
    t = nv.local_id(0)
    for row in range(x.shape[0]):
        part[row, t] = x[row, t]
    nv.barrier()
    for row in range(x.shape[0]):
        out[row, t] = part[x.shape[0] - 1 - row, x.shape[1] - 1 - t]


def test_size_from_the_extents_of_an_array(device):
    for shape in ((3, 16), (5, 9)):
        x = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)
        out = np.zeros_like(x)
        sized_by_an_extent[1, shape[1]](x, out)
        np.testing.assert_array_equal(out, x[::-1, ::-1])


# ---------------------------------------------------------------- dynamic shared memory


@nv.jit
def dynamic(x, out):
    words = nv.shared.array(0, np.int32)
    t = nv.local_id(0)
    words[words.size - 1 - t] = x[t]
    nv.barrier()
    out[t] = words[t] + words.shape[0]


@pytest.mark.mesa22
def test_size_given_at_the_launch(device):
    for n in (8, 32, 8):
        x, out = np.arange(n, dtype=np.int32), np.zeros(n, np.int32)
        dynamic[1, n, 0, 4 * n](x, out)
        np.testing.assert_array_equal(out, x[::-1] + n)
        dynamic.forall(n, n, shared_bytes=4 * n)(x, out)
        np.testing.assert_array_equal(out, x[::-1] + n)
    with pytest.raises(nv.VulkanSupportError, match="shared arrays of kernel 'dynamic' take"):
        dynamic[1, 8, 0, 1 << 24](x, out)


NO_BYTES = (
    r"kernel 'dynamic' \(.*test_shared_sizes.py:\d+\) has dynamic .* of 4 bytes, but shared_bytes is 0: pass"
)


@pytest.mark.mesa22
@pytest.mark.parametrize("on_device", [False, True])
def test_a_launch_without_a_size(device, on_device):
    """Every element would be beyond the array; launches with a size before, and their plans, change nothing."""
    x = np.arange(8, dtype=np.int32)
    given = (nv.to_device(x, device), nv.to_device(x, device)) if on_device else (x, x.copy())
    stream = nv.stream(device)
    for _ in range(3):
        for launch in (
            dynamic[1, 8],
            dynamic[1, 8, 0, 0],
            dynamic[1, 8, stream],
            dynamic.forall(8, 8),
            dynamic.forall(8, 8, stream=stream, shared_bytes=0),
        ):
            with pytest.raises(ValueError, match=NO_BYTES):
                launch(*given)
        for _ in range(4):
            dynamic[1, 8, 0, 32](*given)
        out = given[1].copy_to_host() if on_device else given[1]
        np.testing.assert_array_equal(out, x[::-1] + 8)
    stream.synchronize()


@nv.jit
def dynamic_of_two_types(x):
    small = nv.shared.array(0, np.int8)
    large = nv.shared.array(0, np.complex64)
    small[0] = 1
    x[0] = large.size


@nv.jit
def dynamic_in_a_function(x):
    dynamic_of_two_types(x)


@pytest.mark.parametrize("kernel", [dynamic_of_two_types, dynamic_in_a_function])
def test_a_launch_with_room_for_no_element(device, kernel):
    x = np.zeros(1, np.int32)
    for given in (0, 1, 7):
        with pytest.raises(ValueError, match=f"of 8 bytes, but shared_bytes is {given}"):
            kernel[1, 1, 0, given](x)
        with pytest.raises(ValueError, match=f"of 8 bytes, but shared_bytes is {given}"):
            kernel.occupancy("void(int32[::1])", 1, given)
    for given, size in ((8, 1), (15, 1), (16, 2)):
        kernel[1, 1, 0, given](x)
        assert x[0] == size


def test_accesses_beyond_what_the_launch_gave(device):
    """Nothing but bounds checks knows how much a kernel needs."""

    @nv.jit(boundscheck=True)
    def checked(x):
        words = nv.shared.array(0, np.int32)
        words[nv.local_id(0)] = 1
        x[nv.local_id(0)] = words[nv.local_id(0)]

    x = np.zeros(8, np.int32)
    checked[1, 8, 0, 32](x)
    np.testing.assert_array_equal(x, 1)
    with pytest.raises(IndexError):
        checked[1, 8, 0, 28](x)


def test_a_recorded_launch_without_a_size(device):
    x = nv.to_device(np.arange(8, dtype=np.int32), device)
    with nv.record(device) as graph, pytest.raises(ValueError, match=NO_BYTES):
        dynamic[1, 8](x, x)
    assert len(graph) == 0


def test_an_empty_grid_needs_no_size(device):
    x = np.arange(8, dtype=np.int32)
    dynamic[0, 8](x, x)
    dynamic.forall(0, 8, shared_bytes=0)(x, x)
    np.testing.assert_array_equal(x, np.arange(8))


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (-4, ValueError, "shared_bytes must not be less than 0, not -4"),
        (2**32, nv.VulkanSupportError, "shared_bytes is 4294967296, but no device"),
        (2**70, nv.VulkanSupportError, "no device"),
        (32.0, TypeError, "shared_bytes must be an integer, not 32.0"),
        ("32", TypeError, "shared_bytes must be an integer, not '32'"),
        (True, TypeError, "shared_bytes must be an integer, not True"),
        ((32,), TypeError, "shared_bytes must be an integer"),
    ],
)
def test_sizes_that_no_launch_can_have(device, given, error, message):
    x = np.zeros(8, np.int32)
    with pytest.raises(error, match=message):
        dynamic[1, 8, 0, given](x, x)
    with pytest.raises(error, match=message):
        dynamic.forall(8, shared_bytes=given)(x, x)


def too_large(extent):
    @nv.jit
    def kernel(x):
        part = nv.shared.array(extent, np.float32)
        part[0] = x[0]
        x[0] = part[0]

    return kernel


@pytest.mark.parametrize("extent", [-1, 2**31, 2**40])
def test_constant_sizes_that_no_array_has(device, extent):
    with pytest.raises(nv.VulkanUnsupportedError, match="has a negative extent, or more than 2147483647"):
        too_large(extent)[1, 8](np.zeros(8, np.float32))


@nv.jit
def both_kinds(out, static):
    part, rest = nv.shared.array(static, np.int32), nv.shared.array(0, np.int32)
    part[static - 1], rest[rest.size - 1] = 3, 4
    out[0] = part[static - 1] + rest[rest.size - 1]


def test_both_kinds_together_fill_the_memory_of_a_workgroup(device):
    out, most = np.zeros(1, np.int32), device.info.max_shared_memory
    both_kinds[1, 1, 0, 16](out, most // 4 - 4)
    assert out[0] == 7
    with pytest.raises(nv.VulkanSupportError, match=f"take {most + 4} bytes"):
        both_kinds[1, 1, 0, 20](out, most // 4 - 4)


def aliasing(dtype):
    @nv.jit
    def kernel(x, out, bits):
        values = nv.shared.array(0, dtype)
        parts = nv.shared.array((0,), np.uint8)
        t = nv.local_id(0)
        values[t] = x[t]
        nv.barrier()
        out[t] = values[values.size - 1 - t]
        for k in range(bits.shape[1]):
            bits[t, k] = parts[t * bits.shape[1] + k]

    return kernel


@pytest.mark.mesa22
@pytest.mark.parametrize(
    "dtype", ["int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]
)
@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_dynamic_arrays_of_all_types_are_the_same_bytes(device, dtype):
    x = values_of(dtype, 32)
    out, bits = np.zeros_like(x), np.zeros((32, x.itemsize), np.uint8)
    aliasing(np.dtype(dtype).type)[1, 32, None, 32 * x.itemsize](x, out, bits)
    np.testing.assert_array_equal(out, x[::-1])
    np.testing.assert_array_equal(bits, x.view(np.uint8).reshape(32, -1))


@nv.jit
def dynamic_counts(x, out):
    counts = nv.shared.array(0, np.int32)
    sums = nv.shared.array(0, np.float32)
    t = nv.local_id(0)
    if t < 8:
        counts[t] = 0
        sums[8 + t] = 0
    nv.barrier()
    nv.atomic.add(counts, x[t] % 8, 1)
    nv.atomic.add(sums, 8 + x[t] % 8, x[t])
    nv.barrier()
    if t < 8:
        out[0, t] = counts[t]
        out[1, t] = sums[8 + t]


@pytest.mark.mesa22
def test_atomic_operations_on_dynamic_arrays(device):
    x, out = np.random.default_rng(9).integers(0, 50, 64).astype(np.int32), np.zeros((2, 8), np.int32)
    dynamic_counts[1, 64, 0, 64](x, out)
    np.testing.assert_array_equal(out[0], np.bincount(x % 8, minlength=8))
    np.testing.assert_array_equal(out[1], np.bincount(x % 8, x, minlength=8))
