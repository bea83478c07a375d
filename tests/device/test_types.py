"""float16, complex numbers, dates and times, and small elements: arrays and scalars, to the bit of NumPy's."""

import warnings

import numpy as np
import pytest
from numba import complex64, types

import numba_vulkan as nv

HALVES = np.arange(1 << 16).astype(np.uint16).view(np.float16)


def bits_equal(x, y):
    """Whether arrays have the same bits, but for the payloads of NaN."""
    both_nan = np.isnan(x) & np.isnan(y)
    unsigned = f"u{x.itemsize}"
    return bool(((x.view(unsigned) == y.view(unsigned)) | both_nan).all())


# ---- float16


@nv.jit
def copies_first_to_last(source, target):
    target[target.size - 1] = source[0]


@nv.jit
def copies(source, target):
    i = nv.global_id(0)
    if i < source.size:
        target[i] = source[i]


@pytest.mark.mesa22
def test_every_half_becomes_its_float(device):
    out = np.zeros(HALVES.size, np.float32)
    copies.forall(out.size)(HALVES, out)
    assert bits_equal(out, HALVES.astype(np.float32))


@pytest.mark.mesa22
def test_copying_halves_keeps_every_bit(device):
    out = np.zeros_like(HALVES)
    copies.forall(out.size)(HALVES, out)
    np.testing.assert_array_equal(out.view(np.uint16), HALVES.view(np.uint16))


def roundings(dtype):
    """Numbers at, next to and between all halves, and beyond them."""
    positive = np.sort(HALVES[(HALVES >= 0) & np.isfinite(HALVES)]).astype(dtype)
    between = (positive[:-1] + positive[1:]) / 2
    info = np.finfo(dtype)
    odd = np.array([65519.99, 65520, 65536, 1e30, info.tiny, info.smallest_subnormal, np.inf, np.nan], dtype)
    low, high = np.nextafter(between, dtype(0)), np.nextafter(between, dtype(np.inf))
    numbers = np.concatenate([positive, between, low, high, odd])
    return np.concatenate([numbers, -numbers])


@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
@pytest.mark.parametrize(
    ("dtype", "narrow"), [(np.float32, None), (np.float64, None), (np.float64, "floats")]
)
def test_numbers_round_to_the_nearest_half(device, dtype, narrow):
    """Once, even where float64 is computed in float32."""
    numbers = roundings(dtype)
    out = np.zeros(numbers.size, np.float16)
    nv.jit(copies.py_func, narrow=narrow).forall(out.size)(numbers, out)
    with np.errstate(over="ignore"):
        assert bits_equal(out, numbers.astype(np.float16))


# Just above the middle between 1 and the next half, and just above that between the two smallest ones: float32 is too
# short to tell.
ABOVE_MIDDLE = (1 + 2.0**-11 + 2.0**-40, 2.0**-25 * (1 + 2.0**-40))


@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
@pytest.mark.parametrize("narrow", [None, "floats"])
def test_scalars_and_constants_round_to_the_nearest_half_once(device, narrow):
    first, second = ABOVE_MIDDLE

    @nv.jit(narrow=narrow)
    def rounded(x, out):
        out[0], out[1] = x, first
        out[2] = np.float16(second)

    out = np.zeros(3, np.float16)
    for number in ABOVE_MIDDLE:
        rounded[1, 1](number, out)
        np.testing.assert_array_equal(out, np.array([number, first, second], np.float16))


@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_shared_and_local_float64_become_halves(device):
    @nv.jit
    def through(x, out):
        i = nv.local_id(0)
        shared, local = nv.shared.array(4, np.float64), nv.local.array(4, np.float64)
        shared[i] = x[i]
        local[i] = x[i]
        nv.barrier()
        out[0, i] = shared[3 - i]
        out[1, i] = local[i]
        x[i] = 0
        out[2, i] = x[i]

    x, out = np.array([1.5, -0.1, 1e4, 6e-8]), np.zeros((3, 4), np.float16)
    expected = x.astype(np.float16)
    through[1, 4](x, out)
    np.testing.assert_array_equal(out, [expected[::-1], expected, np.zeros(4)])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.uint64])
def test_integers_become_halves(device, dtype):
    info = np.iinfo(dtype)
    numbers = [info.min, info.max, 0, 1, 2047, 2048, 2049, 2051, 4098, 65519, 65520, -2049, -65519]
    numbers = np.array([n for n in numbers if info.min <= n <= info.max], dtype)
    out = np.zeros(numbers.size, np.float16)
    copies.forall(out.size)(numbers, out)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(out, numbers.astype(np.float16))


@nv.jit
def half_arithmetic(x, y, scale, out, flags):
    i = nv.global_id(0)
    if i < x.size:
        out[0, i] = x[i] * y[i] + scale
        out[1, i] = max(x[i], y[i])
        out[2, i] = -x[i] / y[i]
        out[3, i] = np.float16(0.1)
        out[4, i] = 7
        flags[0, i] = x[i] < y[i]
        flags[1, i] = x[i] == y[i]
        flags[2, i] = x[i] != y[i]
        if x[i]:
            flags[3, i] = 1
        flags[4, i] = np.int32(x[i])
        flags[5, i] = float(x[i]) * np.float32(1000)


def test_halves_are_computed_as_float32(device):
    rng = np.random.default_rng(3)
    x, y = (rng.standard_normal(200).astype(np.float16) for _ in range(2))
    x[:4], y[:4] = [0, np.nan, 1, 5.7], [0, 1, np.nan, 5.7]
    out, flags = np.zeros((5, 200), np.float16), np.zeros((6, 200), np.int32)
    scale = np.float16(0.3)
    with np.errstate(invalid="ignore", divide="ignore"):
        half_arithmetic.forall(200)(x, y, scale, out, flags)
        wide = x.astype(np.float32), y.astype(np.float32)
        expected = [wide[0] * wide[1] + np.float32(scale), None, -wide[0] / wide[1], np.float16(0.1), 7]
        np.testing.assert_array_equal(out[1][3:], np.maximum(x, y)[3:])
        for row in (0, 2, 3, 4):
            np.testing.assert_array_equal(out[row], np.broadcast_to(np.float16(expected[row]), 200))
        np.testing.assert_array_equal(flags[:4], [x < y, x == y, x != y, x.astype(bool)])
        np.testing.assert_array_equal(flags[4][3:], x[3:].astype(np.int32))
        np.testing.assert_array_equal(flags[5][3:], (wide[0][3:] * np.float32(1000)).astype(np.int32))


def test_halves_of_strided_and_device_arrays(device):
    grid = np.arange(60, dtype=np.float16).reshape(6, 10)
    out = nv.to_device(np.zeros((3, 5), np.float16))

    @nv.jit
    def doubled(x, out):
        i, j = nv.global_id(0), nv.global_id(1)
        if i < out.shape[0] and j < out.shape[1]:
            out[i, j] = x[i, j] + x[i, j]

    doubled.forall((3, 5))(grid[::2, 9::-2], out)
    np.testing.assert_array_equal(out.copy_to_host(), 2 * grid[::2, 9::-2])
    assert doubled.compile((types.Array(types.float16, 2, "A"), types.float16[:, ::1])).written_bindings == {
        2
    }


# ---- complex numbers


@nv.jit
def complex_arithmetic(a, b, z, out, flags):
    i = nv.global_id(0)
    if i < a.size:
        out[0, i] = a[i] + b[i] * z
        out[1, i] = a[i] / b[i]
        out[2, i] = a[i].conjugate() - b[i].real + b[i].imag * 1j
        out[3, i] = -a[i] * a[i].real
        out[4, i] = complex(np.imag(a[i]), 2.5)
        out[5, i] = np.conj(a[i]) if a[i] == b[i] else a[i] ** 2
        flags[i] = a[i] != b[i]


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_arithmetic(device, dtype):
    rng = np.random.default_rng(1)
    a, b = ((rng.random(50) + 1j * rng.random(50)).astype(dtype) for _ in range(2))
    b[:5] = a[:5]
    z = dtype(1 - 2j)
    out, flags = np.zeros((6, 50), dtype), np.zeros(50, bool)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nv.VulkanPrecisionWarning)
        complex_arithmetic.forall(50)(a, b, z, out, flags)
    expected = [a + b * z, a / b, a.conj() - b.real + b.imag * 1j, -a * a.real, a.imag + 2.5j]
    expected.append(np.where(a == b, a.conj(), a**2))
    tolerance = 1e-15 if dtype is np.complex128 and device.info.float64 else 1e-6
    np.testing.assert_allclose(out, expected, rtol=tolerance, atol=tolerance)
    np.testing.assert_array_equal(flags, a != b)


@pytest.mark.mesa22
@pytest.mark.parametrize(
    "dtype", [np.complex64, pytest.param(np.complex128, marks=pytest.mark.needs("float64"))]
)
def test_complex_elements_keep_every_bit(device, dtype):
    real = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30, 3])
    x = np.empty((7, 7), dtype)
    x.real, x.imag = real[:, None], real
    out = np.zeros((7, 7), dtype)

    @nv.jit
    def copied(x, out):
        i, j = nv.global_id(0), nv.global_id(1)
        if i < x.shape[0] and j < x.shape[1]:
            out[i, j] = x[i, j]

    copied.forall((7, 7))(x[::-1, ::2], out[:, :4])
    np.testing.assert_array_equal(out[:, :4].copy().view(np.uint32), x[::-1, ::2].copy().view(np.uint32))
    assert not out[:, 4:].any()


@pytest.mark.parametrize("value", [2j, 3 - 0.5j, np.complex64(1 + 2j), np.complex128(-1j)])
def test_complex_scalars(device, value):
    @nv.jit
    def parts(z, n, out):
        out[0], out[1], out[2] = z.real, z.imag, n

    out = np.zeros(3, np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nv.VulkanPrecisionWarning)
        parts[1, 1](value, np.int16(-7), out)
    np.testing.assert_array_equal(out, [value.real, value.imag, -7])
    assert parts.compile((complex64, types.int32, types.float32[::1])).interface.block.size_words == 4


# ---- dates and times

DATES = np.array(["2020-01-01", "NaT", "1969-05-05", "2262-04-11T23:47:16.854775807"], "M8[ns]")


@nv.jit
def date_arithmetic(t, u, step, times, dates, flags):
    i = nv.global_id(0)
    if i < t.size:
        times[0, i] = t[i] - u[i]
        times[1, i] = (t[i] - u[i]) // 3
        times[2, i] = abs(-step)
        dates[0, i] = t[i] + step
        dates[1, i] = t[i] - step
        flags[0, i] = t[i] < u[i]
        flags[1, i] = t[i] == u[i]
        flags[2, i] = np.isnat(t[i])
        times[3, i] = max(t[i] - u[i], step)


def test_dates_and_times(device):
    t, u = DATES[:3], np.array(["2021-01-01", "2020-01-01", "NaT"], "M8[ns]")
    step = np.timedelta64(5_000_000_000, "ns")
    times, dates, flags = np.zeros((4, 3), "m8[ns]"), np.zeros((2, 3), "M8[ns]"), np.zeros((3, 3), bool)
    date_arithmetic.forall(3)(t, u, step, times, dates, flags)
    # Python's max, as in Numba: no comparison with NaT holds, so the first one stays.
    larger = np.array([max(a, step) for a in t - u])
    np.testing.assert_array_equal(times, [t - u, (t - u) // 3, np.full(3, step), larger])
    np.testing.assert_array_equal(dates, [t + step, t - step])
    np.testing.assert_array_equal(flags, [t < u, t == u, np.isnat(t)])


@pytest.mark.parametrize("unit", ["D", "s", "ms", "ns"])
def test_units_are_converted(device, unit):
    @nv.jit
    def later(t, step, out):
        i = nv.global_id(0)
        if i < t.size:
            out[i] = t[i] + step

    t, step = np.array(["1999-12-31", "NaT", "2024-02-28"], f"M8[{unit}]"), np.timedelta64(36, "h")
    out = np.zeros(3, (t + step).dtype)
    later.forall(3)(t, step, out)
    np.testing.assert_array_equal(out, t + step)


def test_dates_in_32_bits_are_refused(device):
    kernel = nv.jit(copies.py_func, narrow="ints")
    with pytest.raises(nv.KernelArgumentError, match=r"'source'.*datetime64\[ns\].*narrow='ints'"):
        kernel.forall(4)(DATES, DATES.copy())


# ---- neighbours in one word


@nv.jit
def spread(source, target):
    i = nv.global_id(0)
    if i < target.size:
        target[i] = source[(i * 7) % source.size]


@pytest.mark.mesa22
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.float16])
def test_neighbours_written_at_the_same_time(device, dtype):
    rng = np.random.default_rng(8)
    source = rng.integers(0, 256, 4099 * 2, dtype=np.uint8).view(np.uint16)[:4099]
    source = (
        (source & 1).astype(bool)
        if dtype is np.bool_
        else source.astype(np.dtype(f"u{np.dtype(dtype).itemsize}"))
    )
    source = source.view(dtype)
    target = np.zeros(60_001, dtype)
    spread[235, 256](source, target)
    expected = source[(np.arange(target.size) * 7) % source.size]
    unsigned = f"u{target.itemsize}"
    np.testing.assert_array_equal(target.view(unsigned), expected.view(unsigned))


# ---- what is refused


@pytest.mark.parametrize("dtype", [">f4", ">i8", ">c8", ">M8[s]"])
def test_foreign_byte_order(device, dtype):
    if np.dtype(dtype).isnative:
        dtype = dtype.replace(">", "<")
    with pytest.raises(nv.KernelArgumentError, match=r"'source'.*foreign byte order.*astype"):
        copies.forall(3)(np.zeros(3, dtype), np.zeros(3, np.dtype(dtype).newbyteorder("=")))


@pytest.mark.parametrize("dtype", ["f4", "c8", "M8[s]", "f2"])
def test_elements_off_their_boundaries(device, dtype):
    item = np.dtype(dtype).itemsize
    memory = np.zeros(8 * item + 3, np.uint8)
    unaligned, apart = memory[1 : 1 + 4 * item].view(dtype), memory[4 * item + 3 :].view(dtype)
    numbers = np.array([1, 2, 3, 4]).astype(dtype)
    copies.forall(4)(numbers, unaligned)
    np.testing.assert_array_equal(unaligned, numbers)
    assert memory[0] == 0
    assert (memory[1 + 4 * item :] == 0).all()
    # Two arrays whose memory overlaps lie in one buffer, and not both at multiples of the size of an element.
    whole = memory[: 8 * item].view(dtype)
    expected = apart.copy()
    expected[:] = unaligned
    copies.forall(4)(unaligned, apart)
    np.testing.assert_array_equal(apart, expected)
    copies_first_to_last.forall(1)(whole, unaligned)
    np.testing.assert_array_equal(unaligned[3], np.frombuffer(memory[:item].tobytes(), dtype)[0])


@pytest.mark.parametrize("dtype", [object, "S3", "U2", np.longdouble, np.clongdouble])
def test_types_that_kernels_cannot_hold(device, dtype):
    with pytest.raises(nv.KernelArgumentError, match=r"'source'.*dtype.*float16.*complex64.*datetime64"):
        copies.forall(2)(np.zeros(2, dtype), np.zeros(2))


@pytest.mark.mesa22
@pytest.mark.parametrize("units", ["MD", "YD", "Ms", "WD", "Dh", "sD"])
def test_dates_of_different_units(device, units):
    """Numba converts to the finer unit, months to days by tables."""
    rng = np.random.default_rng(1)
    months = np.concatenate([np.arange(-200, 200), rng.integers(-20000, 20000, 100)]).astype("M8[M]")
    left = months.astype(f"M8[{units[0]}]")
    right = (months.astype("M8[D]") + rng.integers(-40, 40, left.size)).astype(f"M8[{units[1]}]")
    left[5] = right[7] = "NaT"

    @nv.jit
    def compare(left, right, before, equal, distance, back):
        i = nv.global_id(0)
        if i < left.size:
            before[i], equal[i] = left[i] < right[i], left[i] == right[i]
            distance[i], back[i] = left[i] - right[i], right[i] - left[i]

    flags, times = np.zeros((2, left.size), bool), np.zeros((2, left.size), (left - right).dtype)
    compare.forall(left.size)(left, right, *flags, *times)
    np.testing.assert_array_equal(flags, [left < right, left == right])
    np.testing.assert_array_equal(
        times.view(np.int64), [(left - right).view(np.int64), (right - left).view(np.int64)]
    )


def test_operations_on_arrays_of_dates(device):
    dates, months = np.array([3, 5, "NaT"], "M8[D]"), np.array([1, 2, 3], "M8[M]")
    seconds, days = np.array([3, 5, "NaT"], "m8[s]"), np.array([1, 2, 3], "m8[D]")

    def operations(dates, months, seconds, days, times, distances, later):
        times[0] = seconds + days
        times[1] = 2 * seconds - days
        times[2] = seconds[:2].sum()
        distances[:] = dates - months
        later[:] = dates + days

    given = dates, months, seconds, days
    results = [(np.zeros((3, 3), "m8[s]"), np.zeros(3, "m8[D]"), np.zeros(3, "M8[D]")) for _ in range(2)]
    operations(*given, *results[0])
    nv.jit(operations)[1, 1](*given, *results[1])
    for ours, expected in zip(*results[::-1], strict=True):
        assert ours.tobytes() == expected.tobytes()


@pytest.mark.mesa22
@pytest.mark.parametrize("dtype", ["M8[s]", "m8[ns]"])
def test_functions_of_dates_and_times_know_nat(device, dtype):
    def functions(x, y, flags, larger):
        flags[0], flags[1], flags[2] = np.isnan(x), np.isfinite(x), np.isinf(x)
        larger[0], larger[1] = np.maximum(x, y), np.minimum(x, y)
        larger[2], larger[3] = np.fmax(x, y), np.fmin(x, y)

    x, y = np.array([3, -5, "NaT", 7], dtype), np.array([-100, 7, 5, "NaT"], dtype)
    expected, ours = ((np.zeros((3, 4), bool), np.zeros((4, 4), dtype)) for _ in range(2))
    functions(x, y, *expected)
    nv.jit(functions)[1, 1](x, y, *ours)
    for found, wanted in zip(ours, expected, strict=True):
        assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("operation", ["x // x", "x[0] // x[1]"])
def test_operations_that_times_lack_are_refused(device, operation):
    namespace = {"np": np}
    exec(f"def body(x, out):\n    out[:] = {operation}\n", namespace)
    with pytest.raises(nv.VulkanUnsupportedError, match="times"):
        nv.jit(namespace["body"])[1, 1](np.zeros(2, "m8[s]"), np.zeros(2, np.int64))


@pytest.mark.mesa22
@pytest.mark.parametrize(
    "dtype", [np.bool_, np.int16, np.uint16, np.int32, np.uint64, np.float16, np.float32]
)
def test_float_keeps_what_its_argument_holds(device, dtype):
    @nv.jit(narrow="floats")
    def floats(x, out):
        i = nv.global_id(0)
        if i < x.size:
            out[0, i], out[1, i] = float(x[i]), np.conj(x[i])

    x = np.array([25171, 1, 0], np.float64).astype(dtype)
    out = np.zeros((2, 3), np.float32)
    floats.forall(3)(x, out)
    np.testing.assert_array_equal(out, np.broadcast_to(x.astype(np.float32), (2, 3)))
