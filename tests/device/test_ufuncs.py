"""Every universal function of NumPy that Numba knows, on single numbers of every kind that it has a loop for."""

from __future__ import annotations

import numpy as np
import pytest
from numba.np import ufunc_db

import numba_vulkan as nv

UFUNCS = sorted(ufunc_db.get_ufuncs(), key=lambda ufunc: ufunc.__name__)
TYPES = {"i": "int32", "l": "int64", "L": "uint64", "f": "float32", "d": "float64", "F": "complex64"}
TYPES |= {"D": "complex128", "?": "bool"}
REALS = [0.5, -0.5, 1.0, -1.25, 2.0, 0.0, 7.0, -3.0, 0.75, 0.1, 2.5, -2.5]
# What NumPy defines by a domain of its own.
INTEGERS = [1, 2, 3, 7, 0, 5, 12, 100, 9, 4, 6, 8]


def operands(kind: str, seed: int) -> np.ndarray:
    order = np.random.default_rng(seed)
    if kind in "fd":
        return order.permutation(np.array(REALS, TYPES[kind]))
    if kind in "FD":
        return (order.permutation(REALS) + 1j * order.permutation(REALS)).astype(TYPES[kind])
    values = np.array(INTEGERS)
    if kind in "il":
        values = values * np.where(np.arange(values.size) % 3 == 0, -1, 1)
    return order.permutation(values).astype(TYPES[kind])


def loops() -> list[tuple[np.ufunc, str, str]]:
    """The loops of each function over the kinds of numbers above."""
    rows = []
    for ufunc in UFUNCS:
        for loop in ufunc_db.get_ufunc_info(ufunc):
            given, result = loop.split("->")
            # NumPy itself refuses these for bools.
            is_refused = given[0] == "?" and ufunc in (np.negative, np.positive, np.subtract)
            if set(given + result) <= set(TYPES) and ufunc is not np.isnat and not is_refused:
                rows.append((ufunc, given, result))
    return rows


LOOPS = loops()


def kernel_of(ufunc: np.ufunc, operands: int, results: int):
    given = [f"x{k}" for k in range(operands)]
    stored = [f"r{k}" for k in range(results)]
    source = f"""def kernel({", ".join(given + stored)}):
    i = nv.global_id(0)
    if i < x0.size:
        {", ".join(f"{r}[i]" for r in stored)} = ufunc({", ".join(f"{x}[i]" for x in given)})
"""
    namespace = {"nv": nv, "ufunc": ufunc}
    exec(source, namespace)
    return nv.jit(namespace["kernel"])


def needs_float64(ufunc: np.ufunc, kinds: str) -> bool:
    return ufunc is np.float_power or not set(kinds).isdisjoint("dD")


@pytest.mark.parametrize(
    ("ufunc", "given", "result"), LOOPS, ids=lambda value: getattr(value, "__name__", value)
)
def test_loop(device, device_info, ufunc, given, result):
    if needs_float64(ufunc, given + result) and not device_info.float64:
        pytest.skip("the device has no float64")
    columns = [operands(kind, seed) for seed, kind in enumerate(given)]
    if ufunc in (np.power, np.left_shift, np.right_shift, np.ldexp) and given[1] in "ilL":
        columns[1] = np.abs(columns[1]) % 7
    # NumPy's integer of an infinity, and a denormal, which some drivers flush.
    if ufunc in (np.reciprocal, np.spacing) and given in "ilLfd":
        columns[0][columns[0] == 0] = 1
    with np.errstate(all="ignore"):
        expected = ufunc(*columns)
    expected = list(expected) if isinstance(expected, tuple) else [expected]
    got = [np.zeros_like(column) for column in expected]
    kernel_of(ufunc, len(columns), len(got)).forall(columns[0].size)(*columns, *got)
    for mine, theirs in zip(got, expected, strict=True):
        if mine.dtype.kind in "fc":
            rtol = 8 * np.finfo(mine.dtype).eps
            np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol if ufunc not in EXACT else 0)
        else:
            np.testing.assert_array_equal(mine, theirs)


EXACT = (
    np.add,
    np.subtract,
    np.floor,
    np.ceil,
    np.trunc,
    np.rint,
    np.fmod,
    np.remainder,
    np.nextafter,
    np.spacing,
)


@pytest.mark.mesa22
@pytest.mark.parametrize(
    "dtype", [np.complex64, pytest.param(np.complex128, marks=pytest.mark.needs("float64"))]
)
def test_quotients_of_complex_numbers_are_those_of_numpy(device, dtype):
    """They have its bits and raise nothing, also for zero."""
    parts = np.array([0, -0.0, 1, -2, np.inf, np.nan, 1e30, 1e-30], np.empty(0, dtype).real.dtype)
    numbers = np.empty(parts.size**2, dtype)
    numbers.real, numbers.imag = np.repeat(parts, parts.size), np.tile(parts, parts.size)
    x, y = np.repeat(numbers, numbers.size), np.tile(numbers, numbers.size)

    @nv.jit
    def quotients(x, y, out):
        i = nv.global_id(0)
        if i < x.size:
            out[0, i], out[1, i] = np.true_divide(x[i], y[i]), np.reciprocal(y[i])

    out = np.zeros((2, x.size), dtype)
    quotients.forall(x.size)(x, y, out)
    with np.errstate(all="ignore"):
        expected = np.array([np.true_divide(x, y), np.reciprocal(y)])
    found, wanted = out.view(parts.dtype), expected.view(parts.dtype)
    np.testing.assert_array_equal(found, wanted)
    is_number = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found)[is_number], np.signbit(wanted)[is_number])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_reciprocals_and_signs_of_integers(device, dtype):
    limits = np.iinfo(dtype)
    x = np.array([1, 2, 3, limits.max, limits.min or 7, limits.max - 1], dtype)

    @nv.jit
    def functions(x, reciprocals, signs):
        i = nv.global_id(0)
        if i < x.size:
            reciprocals[i], signs[i] = np.reciprocal(x[i]), np.signbit(x[i])

    reciprocals, signs = np.zeros_like(x), np.zeros(x.size, bool)
    functions.forall(x.size)(x, reciprocals, signs)
    np.testing.assert_array_equal(reciprocals, np.reciprocal(x))
    np.testing.assert_array_equal(signs, x < 0)
