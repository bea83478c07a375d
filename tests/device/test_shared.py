"""Shared arrays and barriers, against NumPy."""

import numpy as np
import pytest

import numba_vulkan as nv

DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "timedelta64[s]",
]


def values_of(dtype, count):
    values = np.random.default_rng(count).integers(0, 120, count)
    if dtype.startswith("complex"):
        return (values * (1 - 2j)).astype(dtype)
    return (values % 2 if dtype == "bool" else values).astype(dtype)


def reversing(dtype):
    @nv.jit
    def reverse(x, out):
        part = nv.shared.array(64, dtype)
        t = nv.local_id(0)
        i = nv.global_id(0)
        part[t] = x[i]
        nv.barrier()
        out[i] = part[-1 - t]

    return reverse


@pytest.mark.mesa22
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_every_dtype(device, dtype):
    x = values_of(dtype, 192)
    out = np.zeros_like(x)
    reversing(np.dtype(dtype) if dtype[0] == "t" else np.dtype(dtype).type)[3, 64](x, out)
    np.testing.assert_array_equal(out, x.reshape(3, 64)[:, ::-1].ravel())


@nv.jit
def several(x, out):
    first = nv.shared.array(64, np.int32)
    second = nv.shared.array(dtype=np.int16, shape=64)
    third = nv.shared.array(64, np.int32)
    t = nv.local_id(0)
    first[t] = x[t]
    second[t] = 2 * x[t]
    third[t] = 3 * x[t]
    nv.syncthreads()
    out[t] = first[63 - t] + second[63 - t] + third[63 - t]


def test_arrays_are_apart(device):
    x = np.arange(64, dtype=np.int32)
    out = np.zeros(64, np.int32)
    several[1, 64](x, out)
    np.testing.assert_array_equal(out, 6 * x[::-1])


TILE = 8


@nv.jit
def transpose(x, out):
    tile = nv.shared.array((TILE, TILE + 1), np.float32)
    row, column = nv.local_id(1), nv.local_id(0)
    first_row, first_column = TILE * nv.group_id(1), TILE * nv.group_id(0)
    if first_row + row < x.shape[0] and first_column + column < x.shape[1]:
        tile[row, column] = x[first_row + row, first_column + column]
    nv.barrier()
    if first_column + row < x.shape[1] and first_row + column < x.shape[0]:
        out[first_column + row, first_row + column] = tile[column, row]


@pytest.mark.mesa22
def test_two_axes_and_computed_extents(device):
    x = np.arange(21 * 13, dtype=np.float32).reshape(21, 13)
    out = np.zeros((13, 21), np.float32)
    transpose[(2, 3), (8, 8)](x, out)
    np.testing.assert_array_equal(out, x.T)


@nv.jit
def reversed_value(size, value, t):
    part = nv.shared.array((size, 2), np.int32)
    nv.barrier()
    part[t, 0] = value
    part[t, 1] = size
    nv.barrier()
    return part[size - 1 - t, 0] + part.shape[0] * part[t, 1] + part.size


@nv.jit
def uses_function(out):
    t = nv.local_id(0)
    out[t] = reversed_value(32, t * t, t)
    out[t] += reversed_value(32, t, t)


def test_array_of_a_device_function(device):
    out = np.zeros(32, np.int64)
    uses_function[1, 32](out)
    t = np.arange(31, -1, -1)
    np.testing.assert_array_equal(out, t**2 + t + 2 * (32 * 32 + 64))


@nv.jit
def tree_sum(x, out):
    part = nv.shared.array(256, np.float32)
    t = nv.local_id(0)
    i = nv.global_id(0)
    total = np.float32(0)
    while i < x.size:
        total += x[i]
        i += nv.local_size(0) * nv.num_groups(0)
    part[t] = total
    nv.barrier()
    n = nv.local_size(0)
    while n > 1:
        half = (n + 1) // 2
        if t + half < n:
            part[t] += part[t + half]
        nv.barrier()
        n = half
    if t == 0:
        out[nv.group_id(0)] = part[0]


@pytest.mark.mesa22
@pytest.mark.parametrize("local_size", [1, 7, 64, 100, 128])
def test_tree_sum(device, local_size):
    x = np.random.default_rng(1).integers(0, 100, 10_007).astype(np.float32)
    out = np.zeros(5, np.float32)
    tree_sum[5, local_size](x, out)
    assert out.sum() == x.sum()


@nv.jit
def hillis_steele(x, out):
    part = nv.shared.array((2, 128), np.int32)
    t = nv.local_id(0)
    now = 0
    part[now, t] = x[t]
    nv.barrier()
    step = 1
    while step < 128:
        value = part[now, t]
        if t >= step:
            value += part[now, t - step]
        now = 1 - now
        part[now, t] = value
        nv.barrier()
        step *= 2
    out[t] = part[now, t]


@nv.jit
def blelloch(x, out):
    part = nv.shared.array(128, np.int32)
    t = nv.local_id(0)
    part[2 * t] = x[2 * t]
    part[2 * t + 1] = x[2 * t + 1]
    step = 1
    pairs = 64
    while pairs > 0:
        nv.barrier()
        if t < pairs:
            last = step * (2 * t + 2) - 1
            part[last] += part[last - step]
        step *= 2
        pairs //= 2
    nv.barrier()
    if t == 0:
        part[127] = 0
    pairs = 1
    while pairs < 128:
        step //= 2
        nv.barrier()
        if t < pairs:
            last = step * (2 * t + 2) - 1
            value = part[last - step]
            part[last - step] = part[last]
            part[last] += value
        pairs *= 2
    nv.barrier()
    out[2 * t] = part[2 * t]
    out[2 * t + 1] = part[2 * t + 1]


@pytest.mark.mesa22
def test_scans(device):
    x = np.random.default_rng(2).integers(-50, 50, 128).astype(np.int32)
    out = np.zeros_like(x)
    hillis_steele[1, 128](x, out)
    np.testing.assert_array_equal(out, np.cumsum(x))
    blelloch[1, 64](x, out)
    np.testing.assert_array_equal(out, np.cumsum(x) - x)


@nv.jit
def matmul(a, b, out):
    tile_a = nv.shared.array((TILE, TILE), np.float32)
    tile_b = nv.shared.array((TILE, TILE), np.float32)
    row, column = nv.local_id(1), nv.local_id(0)
    i, j = nv.global_id(1), nv.global_id(0)
    total = np.float32(0)
    for first in range(0, a.shape[1], TILE):
        tile_a[row, column] = a[i, first + column] if i < a.shape[0] and first + column < a.shape[1] else 0
        tile_b[row, column] = b[first + row, j] if j < b.shape[1] and first + row < b.shape[0] else 0
        nv.barrier()
        for k in range(TILE):
            total += tile_a[row, k] * tile_b[k, column]
        nv.barrier()
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


@pytest.mark.mesa22
def test_tiled_matmul(device):
    random = np.random.default_rng(3)
    a = random.integers(-9, 9, (19, 30)).astype(np.float32)
    b = random.integers(-9, 9, (30, 21)).astype(np.float32)
    out = np.zeros((19, 21), np.float32)
    matmul[(3, 3), (8, 8)](a, b, out)
    np.testing.assert_array_equal(out, a @ b)


@nv.jit
def bitonic_sort(x):
    part = nv.shared.array(128, np.uint32)
    t = nv.local_id(0)
    part[t] = x[t]
    nv.barrier()
    size = 2
    while size <= 128:
        step = size // 2
        while step > 0:
            other = t ^ step
            if other > t and (part[t] > part[other]) == ((t & size) == 0):
                part[t], part[other] = part[other], part[t]
            nv.barrier()
            step //= 2
        size *= 2
    x[t] = part[t]


@pytest.mark.mesa22
def test_bitonic_sort(device):
    x = np.random.default_rng(4).integers(0, 2**32, 128, dtype=np.uint32)
    expected = np.sort(x)
    bitonic_sort[1, 128](x)
    np.testing.assert_array_equal(x, expected)


@nv.jit
def blur(x, out):
    part = nv.shared.array(64 + 2, np.int32)
    t = nv.local_id(0)
    i = nv.global_id(0)
    part[t + 1] = x[min(i, x.size - 1)]
    if t == 0:
        part[0] = x[max(i - 1, 0)]
    if t == 63:
        part[65] = x[min(i + 1, x.size - 1)]
    nv.barrier()
    if i < x.size:
        out[i] = part[t] + 2 * part[t + 1] + part[t + 2]


def test_stencil_with_halo(device):
    x = np.random.default_rng(5).integers(0, 99, 200).astype(np.int32)
    out = np.zeros_like(x)
    blur.forall(200, 64)(x, out)
    padded = np.pad(x, 1, mode="edge")
    np.testing.assert_array_equal(out, padded[:-2] + 2 * x + padded[2:])


@nv.jit
def life(x, out):
    cells = nv.shared.array((10, 10), np.uint8)
    row, column = nv.local_id(1), nv.local_id(0)
    for r in range(row, 10, 8):
        for c in range(column, 10, 8):
            i = (8 * nv.group_id(1) + r - 1) % x.shape[0]
            j = (8 * nv.group_id(0) + c - 1) % x.shape[1]
            cells[r, c] = x[i, j]
    nv.barrier()
    around = -np.int32(cells[row + 1, column + 1])
    for r in range(3):
        for c in range(3):
            around += np.int32(cells[row + r, column + c])
    out[nv.global_id(1), nv.global_id(0)] = around == 3 or (around == 2 and cells[row + 1, column + 1] == 1)


def test_game_of_life(device):
    x = np.random.default_rng(6).integers(0, 2, (16, 24)).astype(np.uint8)
    out = np.zeros_like(x)
    life[(3, 2), (8, 8)](x, out)
    around = sum(np.roll(x, (r, c), (0, 1)) for r in (-1, 0, 1) for c in (-1, 0, 1)) - x
    np.testing.assert_array_equal(out, (around == 3) | ((around == 2) & (x == 1)))


@nv.jit
def counted(x, out):
    t = nv.local_id(0)
    for k in range(3):
        out[3 * k, t] = nv.syncthreads_count(x[k, t] > 50)
        out[3 * k + 1, t] = nv.syncthreads_and(x[k, t] > 50)
        out[3 * k + 2, t] = nv.syncthreads_or(x[k, t] > 50)


@pytest.mark.mesa22
def test_barriers_that_count(device):
    x = np.random.default_rng(7).integers(0, 100, (3, 64)).astype(np.int32)
    x[1], x[2] = 51, 50
    out = np.zeros((9, 64), np.int64)
    counted[1, 64](x, out)
    is_large = x > 50
    expected = np.stack([is_large.sum(1), is_large.all(1), is_large.any(1)], axis=1).ravel()
    np.testing.assert_array_equal(out, np.repeat(expected[:, None], 64, axis=1))


@nv.jit
def until_nothing_changes(x, rounds):
    part = nv.shared.array(64, np.int32)
    t = nv.local_id(0)
    part[t] = x[t]
    nv.barrier()
    while True:
        value = max(part[t], part[max(t - 1, 0)])
        nv.barrier()
        changes = value != part[t]
        part[t] = value
        rounds[t] += 1
        if not nv.syncthreads_or(changes):
            break
    x[t] = part[t]


@pytest.mark.mesa22
def test_loop_until_nothing_changes(device):
    x = np.random.default_rng(8).permutation(64).astype(np.int32)
    expected, rounds = np.maximum.accumulate(x), np.zeros(64, np.int32)
    until_nothing_changes[1, 64](x, rounds)
    np.testing.assert_array_equal(x, expected)
    assert (rounds == rounds[0]).all()


# ---------------------------------------------------------------- bad input


@nv.jit
def too_large(out):
    part = nv.shared.array(1 << 20, np.float32)
    part[nv.local_id(0)] = 1
    nv.barrier()
    out[0] = part[0]


def test_more_than_the_device_shares(device):
    with pytest.raises(
        nv.VulkanSupportError, match=r"shared arrays of kernel 'too_large' take 4194304 bytes"
    ):
        too_large[1, 64](np.zeros(1, np.float32))


@nv.jit
def sized_by_data(sizes, out):
    part = nv.shared.array(sizes[0], np.float32)
    part[nv.local_id(0)] = 1
    nv.barrier()
    out[0] = part[0]


def test_shape_that_nobody_knows_before_the_launch(device):
    with pytest.raises(
        nv.VulkanUnsupportedError, match=r"test_shared\.py:\d+: the shape of a shared array must be known"
    ):
        sized_by_data[1, 64](np.array([64], np.int32), np.zeros(1, np.float32))


@nv.jit
def of_float_shape(x):
    part = nv.shared.array(2.5, np.float32)
    x[0] = part[0]


@nv.jit
def of_text(x):
    part = nv.shared.array(4, "U5")
    x[0] = part[0]


def test_shapes_and_dtypes_that_are_none(device):
    x = np.zeros(4, np.float32)
    with pytest.raises(
        Exception, match="shape of a shared array is an integer or a tuple of them, not a float64"
    ):
        of_float_shape[1, 4](x)
    with pytest.raises(
        Exception, match=r"dtype of a shared array is a type|shared arrays of .* not supported"
    ):
        of_text[1, 4](x)


@nv.jit
def fill_workgroup(x):
    part = nv.shared.array(1, np.int32)
    t = nv.local_id(0) + nv.local_size(0) * (nv.local_id(1) + nv.local_size(1) * nv.local_id(2))
    if t == 0:
        part[0] = 0
    nv.barrier()
    nv.atomic.add(part, 0, 1)
    nv.barrier()
    x[t] = part[0]


def test_the_largest_workgroups(device):
    most, sizes = device.info.max_local_invocations, device.info.max_local_size
    shapes = [(min(most, sizes[0]), 1, 1), (1, min(most, sizes[1]), 1), (1, 1, min(most, sizes[2]))]
    for shape in shapes:
        count = max(shape)
        x = np.zeros(count, np.int32)
        fill_workgroup[1, shape](x)
        assert (x == count).all()


def test_host_calls_are_refused(device):
    for function, arguments in ((nv.barrier, ()), (nv.syncthreads, ()), (nv.shared.array, (1, np.int32))):
        with pytest.raises(RuntimeError, match="can only be called inside a kernel"):
            function(*arguments)
