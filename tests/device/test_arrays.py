"""Arrays of every supported element type, layout and number of dimensions."""

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
    "float32",
    "float64",
]


def sample(dtype, size, seed=0):
    """Return values over the whole range of a type, its ends included."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, size).astype(bool)
    if kind == "f":
        return (rng.standard_normal(size) * 1e3).astype(dtype)
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, size, dtype=dtype, endpoint=True)
    values[:2] = info.min, info.max
    return values


@nv.jit
def copy_1d(x, out):
    i = nv.global_id(0)
    if i < out.size:
        out[i] = x[i]


def needs_float64(dtype, device):
    if dtype == "float64" and not device.info.float64:
        pytest.skip("the device has no float64")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 5, 130])
def test_every_element_type_keeps_its_bits(device, dtype, n):
    needs_float64(dtype, device)
    x = sample(dtype, max(n, 2))[:n]
    out = np.zeros_like(x)
    copy_1d.forall(n)(x, out)
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_element_type_on_the_device(device, dtype):
    needs_float64(dtype, device)
    x = sample(dtype, 37)
    dx, dout = nv.to_device(x), nv.device_array(37, dtype)
    copy_1d.forall(37)(dx, dout)
    np.testing.assert_array_equal(dout.copy_to_host(), x)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16"])
def test_neighbouring_small_elements_are_written_at_the_same_time(device, dtype):
    x = sample(dtype, 4099)
    out = np.zeros_like(x)
    copy_1d.forall(x.size, local_size=64)(x, out)
    np.testing.assert_array_equal(out, x)


@nv.jit
def scale_2d(x, out):
    i, j = nv.global_id(0), nv.global_id(1)
    if i < x.shape[0] and j < x.shape[1]:
        out[i, j] = x[i, j] * 2 + i * 1000 + j


def expected_2d(x):
    i, j = np.indices(x.shape)
    return (x * 2 + i * 1000 + j).astype(x.dtype)


LAYOUTS = {
    "C": lambda a: a,
    "F": np.asfortranarray,
    "transposed": lambda a: np.ascontiguousarray(a.T).T,
    "every other column": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "reversed rows": lambda a: a[::-1].copy()[::-1],
    "both reversed": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "inner block": lambda a: np.pad(a, 3)[3:-3, 3:-3],
}


@pytest.mark.mesa22
@pytest.mark.parametrize("layout_in", LAYOUTS)
@pytest.mark.parametrize("layout_out", LAYOUTS)
def test_layouts(device, layout_in, layout_out):
    base = np.arange(7 * 11, dtype=np.int32).reshape(7, 11)
    x = LAYOUTS[layout_in](base)
    out = LAYOUTS[layout_out](np.zeros_like(base))
    scale_2d.forall((7, 11), local_size=(4, 8))(x, out)
    np.testing.assert_array_equal(out, expected_2d(base))


def test_only_the_elements_of_a_view_are_written_back(device):
    base = np.zeros((6, 6), np.int32)
    out = base[1:5:2, ::3]
    scale_2d.forall((2, 2))(np.ones((2, 2), np.int32), out)
    np.testing.assert_array_equal(out, [[2, 3], [1002, 1003]])
    out[...] = 0
    assert (base == 0).all()


@nv.jit
def sum_4d(x, out):
    if nv.global_id(0) == 0:
        total = 0
        for a in range(x.shape[0]):
            for b in range(x.shape[1]):
                for c in range(x.shape[2]):
                    for d in range(x.shape[3]):
                        total += x[a, b, c, d] * (a + 2 * b + 3 * c + 5 * d)
        out[0] = total


@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_four_dimensions(device, order):
    x = np.arange(2 * 3 * 4 * 5, dtype=np.int32).reshape(2, 3, 4, 5)
    view = np.asfortranarray(x) if order == "F" else np.repeat(x, 2, axis=2)[:, :, ::2] if order == "A" else x
    out = np.zeros(1, np.int64)
    sum_4d.forall(1)(view, out)
    a, b, c, d = np.indices(x.shape)
    assert out[0] == (x * (a + 2 * b + 3 * c + 5 * d)).sum()


@nv.jit
def describe(x, out):
    if nv.global_id(0) == 0:
        out[0] = x.ndim
        out[1] = x.size
        out[2] = len(x)
        out[3] = x.itemsize
        out[4] = x.nbytes
        for axis in range(x.ndim):
            out[5 + axis] = x.shape[axis]
            out[8 + axis] = x.strides[axis]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["int16", "int64"])
def test_what_an_array_knows_of_itself(device, layout, dtype):
    x = LAYOUTS[layout](np.arange(12, dtype=dtype).reshape(3, 4))
    out = np.zeros(10, np.int64)
    describe.forall(1)(x, out)
    np.testing.assert_array_equal(
        out, [x.ndim, x.size, len(x), x.itemsize, x.nbytes, *x.shape, 0, *x.strides]
    )


@nv.jit
def zero_dimensional(x, out):
    out[()] = x[()] * 2 + x.ndim


def test_zero_dimensional_arrays(device):
    out = np.array(0, np.int32)
    zero_dimensional[1, 1](np.array(21, np.int32), out)
    assert out[()] == 42


@nv.jit
def shape_of(x, out):
    if nv.global_id(0) == 0:
        out[0] = x.shape[0]
        out[1] = x.shape[1]
        out[2] = x.size


@pytest.mark.parametrize("shape", [(0, 5), (4, 0), (0, 0)])
def test_empty_arrays(device, shape):
    out = np.full(3, -1, np.int32)
    shape_of.forall(1)(np.zeros(shape, np.float32), out)
    np.testing.assert_array_equal(out, [*shape, 0])


@nv.jit
def negative_index(x, out):
    i = nv.global_id(0)
    if i < x.size:
        out[i] = x[-1 - i]
        out[-1 - i] = x[i]


def test_negative_indices_count_from_the_end(device):
    x = np.arange(1, 4, dtype=np.int32)
    out = np.zeros(3, np.int32)
    negative_index.forall(3)(x, out)
    np.testing.assert_array_equal(out, x[::-1])


@nv.jit
def index_types(x, a, b, c, out):
    i = nv.global_id(0)
    if i == 0:
        out[0] = x[a[0]] + x[b[0]] + x[c[0]]


@pytest.mark.parametrize(
    "types", [("int8", "uint8", "int16"), ("uint16", "int32", "uint32"), ("int64", "uint64", "int64")]
)
def test_indices_of_every_integer_type(device, types):
    x = np.arange(10, dtype=np.int32) ** 2
    indices = [np.array([k + 3], t) for k, t in enumerate(types)]
    out = np.zeros(1, np.int32)
    index_types.forall(1)(x, *indices, out)
    assert out[0] == 9 + 16 + 25


@nv.jit
def shift_left(source, target):
    i = nv.global_id(0)
    if i < target.size:
        target[i] = source[i] + 100


def test_the_same_array_twice_shares_one_buffer(device):
    x = np.arange(50, dtype=np.int32)
    shift_left.forall(50)(x, x)
    np.testing.assert_array_equal(x, np.arange(50) + 100)


def test_overlapping_views_share_one_buffer(device):
    x = np.arange(300, dtype=np.int32)
    shift_left.forall(100)(x[:100], x[150:250])
    expected = np.arange(300)
    expected[150:250] = np.arange(100) + 100
    np.testing.assert_array_equal(x, expected)
    # One invocation, so that the order of reads and writes is that of Python.
    y = np.arange(10, dtype=np.int32)
    cascade[1, 1](y[:-1], y[1:])
    np.testing.assert_array_equal(y, np.full(10, 0) + np.arange(10) * 1)


@nv.jit
def cascade(source, target):
    for k in range(target.size):
        target[k] = source[k] + 1


def test_overlapping_views_of_different_types(device):
    x = np.zeros(8, np.int32)
    halves = x.view(np.int16)
    both[1, 1](x, halves)
    expected = np.zeros(8, np.int32)
    expected[0] = 0x00010002
    expected.view(np.int16)[4] = 7
    np.testing.assert_array_equal(x, expected)


@nv.jit
def both(words, halves):
    words[0] = 0x00010002
    halves[4] = 7


def test_read_only_arrays_are_read(device):
    x = np.arange(5, dtype=np.int32)
    x.flags.writeable = False
    out = np.zeros(5, np.int32)
    copy_1d.forall(5)(x, out)
    np.testing.assert_array_equal(out, x)
    broadcast = np.broadcast_to(np.int32(7), 5)
    copy_1d.forall(5)(broadcast, out)
    np.testing.assert_array_equal(out, [7] * 5)
