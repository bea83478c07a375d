"""``@jit(narrow=…)``: what each choice computes, what it needs of a device, and what it refuses."""

import math
import warnings

import numpy as np
import pytest
from numba import float32, float64, int64, uint64
from numba.cpython.unsafe.numbers import leading_zeros, trailing_zeros

import numba_vulkan as nv
from numba_vulkan.narrowing import Mode, computed_dtype

CHOICES = (None, "ints", "floats", True)


def mixed(a, b, n, out):
    i = nv.global_id(0)
    if i < a.size:
        total = 0
        for k in range(1, n):
            total += a[i] * k // 3 - b[i] % k + (a[i] >> 2) + (b[i] << 1) + (a[i] & 0xFF00) + min(a[i], b[i])
            if a[i] > b[i] and total != -(2**63):
                total ^= k
        out[i] = total


@pytest.mark.parametrize("narrow", CHOICES)
def test_integers_that_fit_are_the_same_in_every_mode(device, narrow):
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-1000, 1000, 300) for _ in range(2))
    expected, out = np.zeros_like(a), np.full_like(a, -1)
    for i in range(a.size):
        x, y, total = int(a[i]), int(b[i]), 0
        for k in range(1, 6):
            total += x * k // 3 - y % k + (x >> 2) + (y << 1) + (x & 0xFF00) + min(x, y)
            if x > y:
                total ^= k
        expected[i] = total
    kernel = nv.jit(mixed, narrow=narrow)
    kernel.forall(a.size)(a, b, 6, out)
    np.testing.assert_array_equal(out, expected)
    kernel = kernel.compile((int64[::1], int64[::1], int64, int64[::1]))
    assert ("Int64" in kernel.capabilities) == (device.info.int64 and narrow not in ("ints", True))


@pytest.mark.parametrize("narrow", CHOICES)
def test_loops_with_steps_known_at_run_time_in_every_mode(device, narrow):
    """Several rounds run at once, as long as no counter overflows the width that it is computed in."""

    def strided(x, sums):
        first = i = nv.global_id(0)
        total = 0
        while i < x.size:
            total += x[i]
            i += sums.size
        sums[first] = total

    x, sums = np.arange(1000), np.zeros(8, np.int64)
    nv.jit(strided, narrow=narrow)[1, 8](x, sums)
    np.testing.assert_array_equal(sums, x.reshape(-1, 8).sum(axis=0))


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_elements_wrap_to_32_bits(device, dtype):
    @nv.jit(narrow="ints")
    def triple(x, out):
        i = nv.global_id(0)
        if i < x.size:
            out[i] = x[i] + x[i] + x[i]

    word = np.dtype(f"{np.dtype(dtype).kind}4")
    x = np.array([0, 1, 2**31 - 1, 2**31, 2**32 + 5, 2**62 + 7, 2**63 - 1], np.uint64).astype(dtype)
    out = np.zeros_like(x)
    triple.forall(x.size)(x, out)
    np.testing.assert_array_equal(out, (x.astype(word) * word.type(3)).astype(dtype))


@pytest.mark.parametrize("narrow", CHOICES)
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_bits_are_counted_in_64_bits_in_every_mode(device, narrow, dtype):
    def counts(x, out):
        i = nv.global_id(0)
        if i < x.size:
            out[0, i] = leading_zeros(x[i])
            out[1, i] = trailing_zeros(x[i])

    x = np.array([0, 1, 12, 2**31, 2**32, 5 << 40, 2**63 - 1, -1, -(2**63)]).astype(dtype)
    out = np.zeros((2, x.size), np.int64)
    nv.jit(counts, narrow=narrow).forall(x.size)(x, out)
    bits = [f"{number & (2**64 - 1):064b}" for number in x.tolist()]
    np.testing.assert_array_equal(out[0], [len(b) - len(b.lstrip("0")) for b in bits])
    np.testing.assert_array_equal(out[1], [len(b) - len(b.rstrip("0")) for b in bits])


def shifts(x, distance, out):
    i = nv.global_id(0)
    if i < x.size:
        out[0, i] = x[i] << distance[i]
        out[1, i] = x[i] >> distance[i]
        out[2, i] = np.int64(np.int32(x[i]))
        out[3, i] = np.int64(np.int8(x[i]))
        out[4, i] = x[i] < 0


def test_shifts_in_32_bits_are_those_of_int32(device):
    distance = np.array([0, 1, 31, 32, 33, 63, 64, 5], np.int64)
    x = np.array([1, -1, -7, 9, -9, -(2**31), 2**31 - 1, 1 << 20])
    out = np.zeros((5, x.size), np.int64)
    nv.jit(shifts, narrow="ints").forall(x.size)(x, distance, out)
    word, by = x.astype(np.int32), distance.astype(np.int32)
    expected = [word << by, word >> by, word, x.astype(np.int8), word < 0]
    np.testing.assert_array_equal(out, np.array([e.astype(np.int64) for e in expected]))


@nv.jit(narrow=True)
def with_floats(x, y, out):
    i = nv.global_id(0)
    if i < x.size:
        out[i] = x[i] * 0.1 + y[i] / 3


def test_everything_narrowed_needs_no_feature(device):
    x, y, out = np.arange(50.0), np.arange(50, dtype=np.int64), np.zeros(50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with_floats.forall(50)(x, y, out)
    one, tenth = np.float32(1), np.float32(0.1)
    # Float32 division is not correctly rounded by every driver.
    np.testing.assert_allclose(out, x.astype("f4") * tenth + y.astype("f4") / (3 * one), rtol=3e-7)
    assert (out == out.astype(np.float32)).all()
    compiled = with_floats.compile((float64[::1], int64[::1], float64[::1]))
    assert set(compiled.capabilities) <= {"Shader", "SignedZeroInfNanPreserve"}


@pytest.mark.needs("float64")
def test_integers_narrowed_keep_float64_exact(device):
    @nv.jit(narrow="ints")
    def third(x, bits, out, large):
        i = nv.global_id(0)
        if i < x.size:
            out[i] = x[i] / 3.0
            word = np.float64(x[i]).view(np.int64)
            bits[i] = word
            if word > 3 << 60:  # constants are compared in all their bits, too
                large[i] = 1

    x = np.array([0.1, -2.5, 1e300, -0.0])
    out, bits, large = np.zeros_like(x), np.zeros(4, np.int64), np.zeros(4, np.int8)
    third.forall(4)(x, bits, out, large)
    np.testing.assert_array_equal(out, x / 3)
    np.testing.assert_array_equal(bits, x.view(np.int64))
    np.testing.assert_array_equal(large, x.view(np.int64) > 3 << 60)


# ---- what is refused


@pytest.mark.parametrize(
    ("value", "dtype"), [(2**31, "int32"), (-(2**31) - 1, "int32"), (np.uint64(2**32), "uint32")]
)
@pytest.mark.parametrize("narrow", ["ints", True])
def test_scalars_beyond_32_bits(device, value, dtype, narrow):
    @nv.jit(narrow=narrow)
    def fill(x, value):
        x[nv.global_id(0)] = value

    x = np.zeros(1, np.int64)
    with pytest.raises(
        OverflowError, match=rf"'value'.*'fill'.*{int(value)} .*{dtype}.*narrow={narrow!r}.*exact"
    ):
        fill[1, 1](x, value)
    assert x[0] == 0
    fill[1, 1](x, 2**31 - 1)
    assert x[0] == 2**31 - 1


def test_constants_beyond_32_bits(device):
    @nv.jit(narrow="ints")
    def scaled(x):
        i = nv.global_id(0)
        if i < x.size:
            x[i] = i * 3000000000

    with pytest.raises(
        nv.VulkanUnsupportedError, match=r"test_narrow.py:\d+.*3000000000.*narrow='ints'.*None"
    ):
        scaled.forall(1)(np.zeros(1, np.int64))


def test_shifts_out_of_the_word(device):
    @nv.jit(narrow="ints")
    def packed(x):
        i = nv.global_id(0)
        if i < x.size:
            x[i] = (x[i] << 40) | 1

    with pytest.raises(
        nv.VulkanUnsupportedError, match=r"test_narrow.py:\d+.*shifting by 40 places.*narrow='ints'"
    ):
        packed.forall(1)(np.zeros(1, np.int64))


@pytest.mark.parametrize("narrow", ["floats", True])
def test_bits_of_narrowed_floats(device, narrow):
    @nv.jit(narrow=narrow)
    def trick(x, out):
        i = nv.global_id(0)
        if i < x.size:
            out[i] = x[i].view(np.int64) >> 1

    with pytest.raises(nv.VulkanUnsupportedError, match=r"test_narrow.py:\d+.*bits of a float64"):
        trick.forall(1)(np.zeros(1), np.zeros(1, np.int64))


@pytest.mark.parametrize("narrow", ["x", 2, "Ints", [1]])
def test_other_choices(device, narrow):
    with pytest.raises(ValueError, match=r"None.*False.*'ints'.*'floats'.*True"):
        nv.jit(narrow=narrow)(lambda x: None)


# ---- settings and warnings


def test_the_default_is_a_setting(device, monkeypatch):
    def fill(x, value):
        x[nv.global_id(0)] = value

    x = np.zeros(1, np.int64)
    exact = nv.jit(fill)
    exact[1, 1](x, 2**40)
    assert x[0] == 2**40
    monkeypatch.setenv("NUMBA_VULKAN_NARROW", "ints")
    exact[1, 1](x, 2**41)
    assert x[0] == 2**41
    with pytest.raises(OverflowError):
        nv.jit(fill)[1, 1](x, 2**41)
    nv.jit(fill, narrow=False)[1, 1](x, 2**42)
    assert x[0] == 2**42
    monkeypatch.setenv("NUMBA_VULKAN_NARROW", "integers")
    with pytest.raises(ValueError, match=r"NUMBA_VULKAN_NARROW.*ints"):
        nv.jit(fill)[1, 1](x, 1)


@pytest.mark.needs("float64")
def test_slow_float64_is_warned_of_once(device, monkeypatch):
    @nv.jit
    def scaled(x):
        i = nv.global_id(0)
        if i < x.size:
            x[i] = x[i] * 0.1

    monkeypatch.setattr(type(device.info), "slow_float64", property(lambda info: True))
    x = np.ones(3, np.float32)
    with pytest.warns(
        nv.VulkanPerformanceWarning, match=r"'scaled'.*from .*test_narrow.py:\d+ on.*np.float32"
    ):
        scaled.forall(3)(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled.forall(3)(x.astype(np.float64))
        nv.jit(scaled.py_func, narrow="floats").forall(3)(x)


def test_gpus_made_for_computing_are_not_slow(device_info):
    def slow(name, kind="discrete"):
        fields = {f: getattr(device_info, f) for f in device_info.__dataclass_fields__}
        return nv.DeviceInfo(**fields | {"name": name, "kind": kind, "float64": True}).slow_float64

    assert slow("NVIDIA GeForce RTX 4090")
    assert slow("NVIDIA RTX A3000")
    assert slow("Intel(R) UHD Graphics", "integrated")
    assert not slow("NVIDIA H200")
    assert not slow("NVIDIA A100-SXM4-40GB")
    assert not slow("AMD Instinct MI250X")
    assert not slow("llvmpipe", "cpu")


def test_computed_dtypes(device):
    everything = Mode(ints=True, floats=True)
    assert computed_dtype(np.dtype("u8"), everything) == np.uint32
    assert computed_dtype(np.dtype("f8"), everything) == np.float32
    assert computed_dtype(np.dtype("i2"), everything) == np.int16
    assert computed_dtype(np.dtype("f8"), Mode(ints=True)) == np.float64
    assert computed_dtype(np.dtype("M8[s]"), everything) == np.dtype("M8[s]")


def test_signatures_of_every_mode(device):
    signature = (float32[::1], uint64[::1], uint64)

    def weighted(x, counts, n):
        i = nv.global_id(0)
        if i < x.size:
            x[i] = counts[i] % n

    for narrow in CHOICES:
        compiled = nv.jit(weighted, narrow=narrow).compile(signature)
        assert compiled.variant.profile.mode == Mode(narrow in ("ints", True), narrow in ("floats", True))


@nv.jit(narrow="floats")
def signs_of_narrow(y, x, out):
    i = nv.global_id(0)
    if i < y.size:
        out[0, i] = math.atan2(y[i], x[i])
        out[1, i] = np.signbit(x[i])
        out[2, i] = math.copysign(2.0, x[i] * 1.5)


@pytest.mark.mesa22
def test_signs_of_narrow_values(device):
    """LLVM asks the bits of a float64 for its sign, which a float32 has as well."""
    x = np.array([-1.0, -1, 0.0, -0.0, 3, -4])
    y = np.array([0.0, -0.0, 1, -1, 2, -3])
    out = np.zeros((3, 6))
    signs_of_narrow.forall(6)(y, x, out)
    np.testing.assert_allclose(out[0], np.arctan2(y, x), rtol=3e-7)
    np.testing.assert_array_equal(out[1], np.signbit(x))
    np.testing.assert_array_equal(out[2], np.copysign(2.0, x))


@nv.jit(narrow="ints")
def field_of_a_record(r, out):
    out[0] = r.x


@pytest.mark.parametrize("place", ["x", "inner.y"])
def test_records_among_the_arguments_must_fit(device, place):
    record = np.zeros(1, np.dtype([("x", np.int64), ("inner", [("y", np.uint64, 2)])]))
    out = np.zeros(1, np.int64)
    record["x"] = 7
    field_of_a_record[1, 1](record[0], out)
    assert out[0] == 7
    if place == "x":
        record["x"] = 2**31
    else:
        record["inner"]["y"][0, 1] = 2**32
    with pytest.raises(OverflowError, match=rf"argument 'r\.{place}' of kernel .* does not fit"):
        field_of_a_record[1, 1](record[0], out)
