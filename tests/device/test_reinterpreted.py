"""Parts of complex arrays, arrays viewed with another dtype, and arrays without axes."""

import numpy as np
import pytest

import numba_vulkan as nv
from numba_vulkan import VulkanUnsupportedError

pytestmark = pytest.mark.mesa22
NUMBERS = np.arange(12).reshape(3, 4) * (1 + 0.5j) - 3


def run(body, *arguments):
    """The arguments after the kernel and after Python; each array keeps its layout."""
    ours, expected = (
        [a.copy(order="K") if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2)
    )
    body(*expected)
    nv.jit(body)[1, 1](*ours)
    return ours, expected


def check(body, *arguments):
    for ours, expected in zip(*run(body, *arguments), strict=True):
        if isinstance(expected, np.ndarray):
            assert ours.tobytes() == expected.tobytes()


# ---- parts


def write_parts(z, x):
    z.real[1:, ::2] = 3
    z.imag.T[:] += 1
    z.imag[0] = x
    z.real[2, 1] = z.imag[1, 1] + z.real[0, 0]


def assign_parts(z, x):
    z.real = x
    z.imag = 2


def exchange_parts(z, x):
    z.real[1:] = z.imag[:-1]
    z.imag[:] = z.real


def reduce_parts(z, x):
    x[0] = z.real.sum()
    x[1] = np.imag(z).max()
    x[2] = np.abs(z.real - 1).sum() + (z * z).imag.min()
    x[3] = (z * z.conj()).real.mean()


@pytest.mark.parametrize("body", [write_parts, assign_parts, exchange_parts, reduce_parts])
@pytest.mark.parametrize(
    "dtype", [np.complex64, pytest.param(np.complex128, marks=pytest.mark.needs("float64"))]
)
def test_parts_are_views(device, body, dtype):
    z = NUMBERS.astype(dtype)
    x = np.arange(4, dtype=z.real.dtype)
    for given in (z, np.asfortranarray(z)):
        check(body, given, x)
    if body is not exchange_parts:
        with_gaps = np.repeat(z, 2, axis=1)
        ours, expected = with_gaps.copy(), with_gaps.copy()
        body(expected[::-1, ::2], x.copy())
        nv.jit(body)[1, 1](ours[::-1, ::2], x.copy())
        assert ours.tobytes() == expected.tobytes()


def test_parts_in_records(device):
    records = np.recarray(5, [("flag", np.uint8), ("z", np.complex64), ("n", np.int16)])
    records.fill(0)
    records["z"] = np.arange(5) * (2 - 1j)

    def halve(records):
        records.z.imag[:] = records.z.real / 2
        records["z"].real[1::2] = -1

    check(halve, records)


def test_parts_of_real_arrays(device):
    def parts(x, out):
        x.real[1] = 5
        out[0] = x.real
        out[1] = x.imag
        out[2] = (x + 1).real + np.imag(x)

    for dtype in (np.float32, np.int16, np.uint32):
        check(parts, np.arange(4, dtype=dtype), np.ones((3, 4), dtype))


@pytest.mark.parametrize(
    ("operation", "dtype"),
    [
        ("np.abs(z)", np.float32),
        ("np.conj(z)", np.complex64),
        ("z.conj() * z", np.complex64),
        ("np.real(z) + np.imag(z)", np.float32),
        ("z.conjugate().imag", np.float32),
    ],
)
def test_functions_of_complex_arrays(device, operation, dtype):
    namespace = {"np": np}
    exec(f"def body(z, out):\n    out[:] = {operation}\n", namespace)
    z = (NUMBERS * 2).astype(np.complex64)
    (_, ours), (_, expected) = run(namespace["body"], z, np.zeros(z.shape, dtype))
    np.testing.assert_allclose(ours, expected, rtol=3e-7)


@pytest.mark.parametrize("deg", [False, True])
def test_angles_of_arrays(device, deg):
    def angles(z, out):
        out[:] = np.angle(z)

    def degrees(z, out):
        out[:] = np.angle(z, deg=True)

    z = NUMBERS.astype(np.complex64)
    (_, ours), (_, expected) = run(degrees if deg else angles, z, np.zeros(z.shape, np.float32))
    np.testing.assert_allclose(ours, expected, rtol=3e-7)


def test_parts_that_cannot_be_assigned(device):
    def assign(z, value):
        z.real = value

    def assign_imaginary(x):
        x.imag[0] = 1

    with pytest.raises(VulkanUnsupportedError, match=r"cannot be assigned to \.real"):
        nv.jit(assign)[1, 1](np.zeros(2, np.complex64), 1j)
    with pytest.raises(VulkanUnsupportedError, match="no memory"):
        nv.jit(assign_imaginary)[1, 1](np.zeros(2, np.float32))


# ---- other dtypes

BYTES = np.arange(48, dtype=np.uint8) * 37 % 251
DTYPES = [
    *(np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.float16, np.float32),
    *(np.int64, np.uint64, np.complex64, "M8[s]", "m8[ns]"),
]


def through_views_of(dtype):
    def through(x, y):
        a, b = x.view(dtype), y.view(dtype)
        for i in range(0, len(a), 2):
            b[i] = a[i]

    return through


@pytest.mark.parametrize("number", range(len(DTYPES)))
def test_dtypes_are_viewed_as_others(device, number):
    given = DTYPES[number]
    for wanted in map(np.dtype, DTYPES[number % 4 :: 4]):
        x = BYTES & 1 if np.bool_ in (given, wanted) else BYTES
        check(through_views_of(wanted), x.view(given), np.zeros(48, np.uint8).view(given))


@pytest.mark.needs("float64")
@pytest.mark.parametrize("wanted", [np.int64, np.uint8, np.complex128, np.float32])
def test_float64_is_viewed(device, wanted):
    wanted = np.dtype(wanted)

    def through(x, y):
        y.view(wanted)[:] = x.view(wanted)

    check(through, np.arange(6.0), np.zeros(6))


def test_elements_beside_those_that_a_view_writes_stay(device):
    def each(x):
        i = nv.global_id(0)
        if i < 3:
            x.view(np.uint8)[5 * i + 1] = i + 1

    x = np.full(5, -1, np.int32)
    nv.jit(each).forall(3)(x)
    expected = np.full(20, 255, np.uint8)
    expected[[1, 6, 11]] = 1, 2, 3
    assert x.tobytes() == expected.tobytes()


def test_views_see_what_the_array_writes(device):
    def both(x, out):
        bits = x.view(np.int32)
        x[0] = 1.5
        out[0] = bits[0]
        bits[1] = 0x40000000
        out[1] = np.int32(x[1])
        nv.atomic.add(bits, 2, 7)
        out[2] = bits[2]

    x, out = np.zeros(4, np.float32), np.zeros(3, np.int32)
    nv.jit(both)[1, 1](x, out)
    assert out.tolist() == [0x3FC00000, 2, 7]


def test_views_of_arrays_that_kernels_make(device):
    table, large = np.array([1.5, -2.5], np.float32), np.arange(100, dtype=np.float32)

    def made(out):
        local = np.empty(3, np.int16)
        local[:] = -1
        local.view(np.uint8)[1] = 3
        shared = nv.shared.array(5, np.uint8)
        for k in range(4):
            shared[k] = k + 1
        out[0] = local[0]
        out[1] = shared[:4].view(np.int32)[0]
        out[2] = table.view(np.int32)[1]
        out[3] = large.view(np.uint8)[4 * 7 + 3]

    out = np.zeros(4, np.int32)
    nv.jit(made)[1, 1](out)
    assert out.tolist() == [0x03FF, 0x04030201, table.view(np.int32)[1], large.view(np.uint8)[31]]


def test_shared_arrays_of_a_size_that_the_launch_tells(device):
    def made(n, out):
        shared = nv.shared.array(n, np.int16)
        for k in range(n):
            shared[k] = k
        out[0] = shared.view(np.int32)[n // 2 - 1]

    out = np.zeros(1, np.int32)
    nv.jit(made)[1, 1](10, out)
    assert out[0] == 9 << 16 | 8


def test_views_as_records(device):
    kind = np.dtype([("a", np.uint8), ("b", np.float32), ("c", np.int16)])

    def swap(x, out):
        records = x.view(kind)
        out[0] = records[0].b + records[1].c
        records[0] = records[1]
        records[1].c = -2

    def as_bytes(records, out):
        out[0] = records.view(np.uint8)[8]

    records = np.array([(1, 2.5, 3), (4, 5.5, 6)], kind)
    given, out = records.view(np.uint8).copy(), np.zeros(1, np.float32)
    nv.jit(swap)[1, 1](given, out)
    assert out[0] == 8.5
    assert given.view(kind).tolist() == [(4, 5.5, 6), (4, 5.5, -2)]
    nv.jit(as_bytes)[1, 1](records, out)
    assert out[0] == records.view(np.uint8)[8]


def other_size(x, out):
    out[0] = x.view(np.int64)[0, 0]


def test_views_that_numpy_refuses_raise(device):
    kernel, out = nv.jit(other_size), np.zeros(1, np.int64)
    x = np.zeros((2, 7), np.int32)
    for given, message in ((x, "must divide"), (x[:, ::2], "contiguous")):
        with pytest.raises(ValueError, match=message):
            kernel[1, 1](given, out)
    with pytest.raises(VulkanUnsupportedError, match=r"test_reinterpreted.py|last axis"):
        kernel[1, 1](np.asfortranarray(x[:, :6]), out)

    def of_operation(x, out):
        out[0] = (x + x).view(np.int64)[0]

    with pytest.raises(VulkanUnsupportedError, match="no bytes to view"):
        nv.jit(of_operation)[1, 1](np.zeros(2, np.float32), out)


def test_views_of_64_bits_under_narrow(device):
    """The bytes are the host's in every mode; an int64 of 32 bits is the low half."""

    def views(x, out):
        out[0] = x.view(np.int32)[1]
        out[1] = x.view(np.int64)[1] >> 1

    x, out = np.array([2**40 + 5, 6]), np.zeros(2, np.int64)
    for narrow in (None, "ints", "floats", True):
        nv.jit(views, narrow=narrow)[1, 1](x.view(np.float64), out)
        assert out.tolist() == [256, 3]


# ---- without axes


def computed(x, out):
    out[0] = x + 1
    out[1] = -x
    out[2] = np.maximum(x, 2) * x
    out[3] = x.item() + x[()]
    out[4] = x.reshape((1,))[0]
    out[5:] = x


def set_element(x, out):
    x[()] = 7
    x[...] += out[0]
    out[0] = x.sum() + x.size + x.ndim
    out[1] = out[1:2].reshape(())[()] + out[:1].item()


@pytest.mark.parametrize("body", [computed, set_element])
def test_arrays_without_axes(device, body):
    for dtype in (np.float32, np.int64, np.uint8):
        check(body, np.array(3, dtype), np.arange(8).astype(dtype))


def test_item_of_more_than_one_element_raises(device):
    def item(x, out):
        out[0] = x.item()

    for shape in ((2,), (0,), (1, 3)):
        with pytest.raises(ValueError, match="size 1"):
            nv.jit(item)[1, 1](np.zeros(shape, np.float32), np.zeros(1, np.float32))
