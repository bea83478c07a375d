"""Variables that hold one array or another."""

import numpy as np
import pytest

import numba_vulkan as nv


@nv.jit
def choose(a, b, flags, out, sizes):
    i = nv.global_id(0)
    if i < out.size:
        c = a if flags[i] else b
        out[i] = c[i]
        sizes[i] = c.size
        c[i] = -1


@pytest.mark.mesa22
@pytest.mark.parametrize("dtype", ["int8", "int32", "float32", "int64"])
@pytest.mark.parametrize("part", [slice(None), slice(None, None, 2)])
def test_a_choice_of_each_invocation(device, dtype, part):
    a, b = np.arange(40, dtype=dtype)[part], (np.arange(50) + 50).astype(dtype)
    flags = np.arange(20) % 3 == 0
    out, sizes = np.zeros(20, dtype), np.zeros(20, np.int32)
    expected = np.where(flags, a[:20], b[:20])
    choose.forall(20)(a, b, flags, out, sizes)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(sizes, np.where(flags, a.size, b.size))
    np.testing.assert_array_equal(a[:20] == -1, flags)
    np.testing.assert_array_equal(b[:20] == -1, ~flags)


@nv.jit
def larger(a, b):
    return a if a.size > b.size else b


@nv.jit
def swap_in_a_loop(a, b, rounds):
    i = nv.global_id(0)
    source, target = a, b
    for _ in range(rounds):
        target[i] = source[i] * 2
        source, target = target, source
    larger(a[:i], b[i:])[0] += 100


def test_arrays_that_swap_in_a_loop(device):
    for rounds in range(4):
        a, b = np.array([3], np.int32), np.array([5], np.int32)
        swap_in_a_loop[1, 1](a, b, rounds)
        expected = [[3, 105], [3, 106], [12, 106], [12, 124]][rounds]
        assert [a[0], b[0]] == expected


@nv.jit
def views_of_one_array(x, out):
    i = nv.global_id(0)
    if i < out.size:
        row = x[0] if i % 2 == 0 else x[1, ::-1]
        out[i] = row[i]


def test_a_choice_between_views(device):
    x = np.arange(20, dtype=np.int32).reshape(2, 10)
    out = np.zeros(10, np.int32)
    views_of_one_array.forall(10)(x, out)
    np.testing.assert_array_equal(out, np.where(np.arange(10) % 2 == 0, x[0], x[1, ::-1]))


def test_one_of_two_chosen_by_a_remainder(device):
    """LLVM switches on a boolean here."""

    @nv.jit
    def choose(x, y, n, out):
        out[0] = (x, y)[n % 2][1]

    for n in (2, 5):
        x, y, out = np.arange(3), np.arange(3) + 10, np.zeros(1, np.int64)
        choose[1, 1](x, y, n, out)
        assert out[0] == (x, y)[n % 2][1]
