"""Conversions between all numbers: right where the number fits, one result on every device where it does not."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import numba_vulkan as nv
from differential.hidden_features import run_hiding
from differential.integer_expressions import BOUNDS, EDGES

INTEGERS = tuple(BOUNDS)
FLOATS = ("float16", "float32", pytest.param("float64", marks=pytest.mark.needs("float64")))
BITS = {"float16": 16, "float32": 32, "float64": 64}


@nv.jit
def convert(source, target):
    i = nv.global_id(0)
    if i < source.size:
        target[i] = source[i]


def converted(numbers: Sequence[float], source: str, target: str) -> list[float]:
    found = np.zeros(len(numbers), target)
    with np.errstate(over="ignore"):
        convert.forall(len(numbers))(np.array(numbers, source), found)
    return found.tolist()


# ---- from integers to floats


def near_powers() -> list[int]:
    """Return integers at, next to and between the floats of each size."""
    found: set[int] = set()
    for p in (1 << k for k in range(65)):
        for distance in (0, 1, 2, p >> 11, p >> 12, 3 * (p >> 12), p >> 24, p >> 25, 3 * (p >> 24), p >> 53):
            found |= {p + distance, p - distance}
    return sorted(found | {-n for n in found})


def any_integer(name: str) -> st.SearchStrategy[int]:
    low, high = BOUNDS[name]
    edges = [n for n in (*near_powers(), *EDGES[name]) if low <= n <= high]
    return st.integers(low, high) | st.sampled_from(sorted(set(edges)))


@pytest.mark.mesa22
@pytest.mark.parametrize("real", FLOATS)
@pytest.mark.parametrize("integer", INTEGERS)
def test_integers_become_floats(device, integer, real):
    """Rounded once, to nearest, ties to even."""
    compare_integers(integer, real)


def compare_integers(integer: str, real: str) -> None:
    low, high = BOUNDS[integer]

    def compare(numbers: Sequence[int]) -> None:
        with np.errstate(over="ignore"):
            expected = np.array(numbers, integer).astype(real).tolist()
        assert converted(numbers, integer, real) == expected

    compare([n for n in (*near_powers(), *EDGES[integer]) if low <= n <= high])
    given(st.lists(any_integer(integer), min_size=1, max_size=50))(compare)()


# ---- from floats to integers


def truncated(number: float, name: str) -> int:
    """Return what a float becomes, as NumPy has it on x86; `frontend.conversions` says it in words."""
    low, high = BOUNDS[name]
    bits = (high - low).bit_length()
    whole = math.trunc(number) if math.isfinite(number) else None
    if bits < 32:
        whole = truncated(number, "int32")
    elif low == 0:
        half = 1 << (bits - 1)
        if number >= half:
            rest = math.inf if whole is None else number - half
            return truncated(rest, f"int{bits}") % (1 << bits) ^ half
        whole = truncated(number, f"int{bits}")
    elif whole is None or not low <= whole <= high:
        whole = low
    return (whole - low) % (1 << bits) + low


def edges_of(real: str) -> list[float]:
    """Return floats at and next to the powers of two, and special ones."""
    kind, info = np.dtype(real).type, np.finfo(real)
    with np.errstate(over="ignore"):
        powers = np.array([2.0**k * f for k in range(-3, 67) for f in (1, 1.25, 1.5, 1.999)]).astype(kind)
        found = [*powers, *np.nextafter(powers, kind(0)), *np.nextafter(powers, kind(math.inf))]
    found += [0.0, 0.999, info.tiny, info.smallest_subnormal, info.max, math.inf]
    return [s * nearest(float(x), real) for x in found for s in (1, -1)] + [math.nan]


@pytest.mark.mesa22
@pytest.mark.parametrize("integer", INTEGERS)
@pytest.mark.parametrize("real", FLOATS)
def test_floats_become_integers(device, real, integer):
    """Those that do not fit as well."""
    compare_floats(real, integer)


def compare_floats(real: str, integer: str) -> None:
    def compare(numbers: Sequence[float]) -> None:
        assert converted(numbers, real, integer) == [truncated(number, integer) for number in numbers]

    compare(edges_of(real))
    low, high = BOUNDS[integer]
    largest = float(np.finfo(real).max)
    within = st.floats(max(float(low), -largest), min(float(high), largest))
    given(
        st.lists(
            st.floats(width=BITS[real]) | within.map(lambda x: nearest(x, real)), min_size=1, max_size=50
        )
    )(compare)()


def nearest(number: float, real: str) -> float:
    with np.errstate(over="ignore"):
        return float(np.dtype(real).type(number))


# ---- from floats to floats


@pytest.mark.mesa22
@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
@pytest.mark.parametrize("source", BITS)
@pytest.mark.parametrize("target", BITS)
def test_floats_become_floats(device, source, target):
    """Rounded once, to nearest, ties to even; to no more than float32 where float64 is computed in that.

    A driver that flushes denormals of float32 may take one that it converts for a zero too, as NVIDIA 580 does.
    """
    smallest = np.finfo("f4").tiny if source == "float32" and device.info.probes.flushes_denormals else 0

    def compare(numbers: Sequence[float]) -> None:
        given_numbers, found = np.array(numbers, source), np.zeros(len(numbers), target)
        with np.errstate(over="ignore"):
            convert.forall(found.size)(given_numbers, found)
            between = (
                given_numbers if device.info.float64 or target != "float64" else given_numbers.astype("f4")
            )
            expected = between.astype(target)
        unsigned = f"u{found.itemsize}"
        both_nan = np.isnan(found) & np.isnan(expected)
        zeros = np.copysign(expected.dtype.type(0), expected)
        expected = np.where((np.abs(given_numbers) < smallest) & (found == 0), zeros, expected)
        np.testing.assert_array_equal(found.view(unsigned)[~both_nan], expected.view(unsigned)[~both_nan])
        assert (np.isnan(given_numbers) == np.isnan(found)).all()

    numbers = st.floats(width=BITS[source])
    around = st.tuples(st.floats(width=BITS[target]), st.sampled_from((0.5, 1.5, 2**-40, 1 + 2**-40))).map(
        lambda pair: nearest(pair[0] * (1 + pair[1] * 2.0 ** -(10 if target == "float16" else 23)), source)
    )
    compare(edges_of(source))
    given(st.lists(numbers | around, min_size=1, max_size=50))(compare)()


HIDDEN = """
from differential.test_conversions import BITS, compare_floats, compare_integers
for integer in ("int64", "uint64"):
    for real in [real for real in BITS if real != "float64" or device.info.float64]:
        compare_floats(real, integer)
        compare_integers(integer, real)
"""


@pytest.mark.needs("int64")
def test_conversions_of_hidden_int64(device):
    assert run_hiding("int64", device, HIDDEN) == ""


@pytest.mark.parametrize("name", INTEGERS)
def test_reference_equals_numpy_where_numbers_fit(name):
    low, high = BOUNDS[name]
    fitting = [x for x in edges_of("float64") if math.isfinite(x) and low <= math.trunc(x) <= high]
    assert len(fitting) > 20
    assert [truncated(x, name) for x in fitting] == np.array(fitting).astype(name).tolist()


def test_rounding_to_integers_follows_the_same_rule(device):
    @nv.jit
    def rounded(x, out):
        i = nv.global_id(0)
        if i < x.size:
            out[0, i] = math.floor(x[i])
            out[1, i] = math.ceil(x[i])
            out[2, i] = math.trunc(x[i])
            out[3, i] = round(x[i])
            out[4, i] = int(x[i])

    x = np.array([2.5, -2.5, 3e9, 1e30, -1e30, math.inf, math.nan], np.float32)
    out = np.zeros((5, x.size), np.int64)
    rounded.forall(x.size)(x, out)
    smallest = -(2**63)
    assert out[:, :3].tolist() == [
        [f(n) for n in (2.5, -2.5, 3e9)] for f in (math.floor, math.ceil, math.trunc, round, int)
    ]
    assert (out[:, 3:] == smallest).all()
