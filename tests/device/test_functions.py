"""Functions called from kernels, overloads, tuples, ranges and Python control flow."""

import collections

import numba
import numpy as np
import pytest
from numba.core.errors import NumbaError
from numba.extending import overload

import numba_vulkan as nv
from device.against_python import function_of


@nv.jit
def first_larger(x, limit):
    for k in range(x.size):
        if x[k] > limit:
            return k, x[k]
    return -1, limit


@nv.jit
def search(x, y, limits, where, found):
    i = nv.global_id(0)
    if i < limits.size:
        where[i, 0], found[i, 0] = first_larger(x, limits[i])
        where[i, 1], found[i, 1] = first_larger(y, limits[i])


def test_a_function_with_arrays_serves_all_bindings(device):
    x, y = np.arange(10, dtype=np.int32), np.arange(10, dtype=np.int32)[::-1].copy()
    limits = np.array([-5, 3, 8, 9, 100], np.int32)
    where, found = np.zeros((5, 2), np.int32), np.zeros((5, 2), np.int32)
    search.forall(5)(x, y, limits, where, found)
    np.testing.assert_array_equal(where, [[0, 0], [4, 0], [9, 0], [-1, -1], [-1, -1]])
    np.testing.assert_array_equal(found, [[0, 9], [4, 9], [9, 9], [9, 9], [100, 100]])
    assert len(first_larger.overloads) == 1


@numba.njit
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@nv.jit
def gcds(a, b, out):
    i = nv.global_id(0)
    if i < a.size:
        out[i] = gcd(a[i], b[i])


def test_functions_of_numba_are_compiled_again(device):
    a = np.array([12, 18, 7, 1071], np.int64)
    b = np.array([18, 12, 5, 462], np.int64)
    out = np.zeros(4, np.int64)
    gcds.forall(4)(a, b, out)
    np.testing.assert_array_equal(out, np.gcd(a, b))


def twice(x):
    raise NotImplementedError


def thrice(x):
    raise NotImplementedError


@overload(twice, target="vulkan")
def ol_twice(x):
    return lambda x: x * 2


@overload(thrice)
def ol_thrice(x):
    def impl(x):
        return x * 3

    return impl


@nv.jit
def overloaded(out):
    i = nv.global_id(0)
    if i < out.size:
        out[i] = twice(i) * 100 + thrice(i)


def test_overloads_for_this_target_and_for_all(device):
    out = np.zeros(5, np.int32)
    overloaded.forall(5)(out)
    np.testing.assert_array_equal(out, np.arange(5) * 203)


OFFSETS = (10, 20, 30)
SCALE = 7


@nv.jit
def constants_and_tuples(out):
    i = nv.global_id(0)
    if i < out.size:
        a, b, c = OFFSETS
        pair = (a + i, b * c)
        total = 0
        for offset in OFFSETS:
            total += offset
        out[i] = pair[0] + pair[1] + total * SCALE + OFFSETS[i % 3]


def test_tuples_and_global_constants(device):
    out = np.zeros(7, np.int64)
    constants_and_tuples.forall(7)(out)
    i = np.arange(7)
    np.testing.assert_array_equal(out, 10 + i + 600 + 60 * 7 + np.array(OFFSETS)[i % 3])


def test_closures_capture_their_variables(device):
    def scaled_by(factor):
        @nv.jit
        def kernel(x):
            i = nv.global_id(0)
            if i < x.size:
                x[i] *= factor

        return kernel

    for factor in (3, 5):
        x = np.arange(4, dtype=np.int32)
        scaled_by(factor).forall(4)(x)
        np.testing.assert_array_equal(x, np.arange(4) * factor)


@nv.jit
def loops(n, out):
    i = nv.global_id(0)
    if i >= out.shape[0]:
        return
    up = 0
    for k in range(2, n[i], 3):
        if k == 11:
            continue
        if k > 20:
            break
        up += k
    else:
        up += 1000
    down = 0
    for k in range(n[i], -n[i], -4):
        down = down * 3 + k
    spin = 0
    while True:
        spin += 1
        if spin * spin > n[i] or (spin > 3 and n[i] < 5):
            break
    out[i, 0] = up
    out[i, 1] = down
    out[i, 2] = spin


def loops_in_python(n):
    up = 0
    for k in range(2, n, 3):
        if k == 11:
            continue
        if k > 20:
            break
        up += k
    else:
        up += 1000
    down = 0
    for k in range(n, -n, -4):
        down = down * 3 + k
    spin = 0
    while True:
        spin += 1
        if spin * spin > n or (spin > 3 and n < 5):
            break
    return up, down, spin


def test_loops_of_every_shape(device):
    n = np.array([0, 1, 5, 12, 20, 21, 30, 50], np.int32)
    out = np.zeros((n.size, 3), np.int64)
    loops.forall(n.size)(n, out)
    np.testing.assert_array_equal(out, [loops_in_python(int(k)) for k in n])


@nv.jit
def swap_values(x):
    i = nv.global_id(0)
    if i < x.size:
        a, b, c = 1, 2, 3
        for _ in range(x[i]):
            a, b, c = b, c, a
        x[i] = a * 100 + b * 10 + c


def test_values_that_rotate_through_a_loop(device):
    x = np.arange(7, dtype=np.int32)
    swap_values.forall(7)(x)
    np.testing.assert_array_equal(x, [[123, 231, 312][k % 3] for k in range(7)])


@nv.jit
def strided_sum(x, out):
    i = nv.global_id(0)
    total = 0
    while i < x.size:
        total += x[i]
        i += nv.local_size(0) * nv.num_groups(0)
    out[nv.global_id(0)] = total


@nv.jit
def strided_last(x, out):
    i = nv.global_id(0)
    last = -1
    while True:
        if i >= x.size:
            break
        last = x[i]
        i += nv.local_size(0) * nv.num_groups(0)
    out[nv.global_id(0)] = last


@nv.jit
def first_beyond(x, limits, out):
    i = nv.global_id(0)
    if i < limits.size:
        found = 0
        for k in range(x.size):
            found = x[k] * 2
            if found > limits[i]:
                break
        out[i] = found


def test_ragged_loops(device):
    """Invocations of a subgroup leave a loop at different times and keep what they read last."""
    for n in (63, 64, 65, 321, 1000, 1001, 1010, 1023):
        x = np.arange(n, dtype=np.int32) % 97 + 1
        for groups, size in ((1, 32), (3, 7), (5, 64), (2, 100)):
            stride = groups * size
            out = np.zeros(stride, np.int32)
            strided_sum[groups, size](x, out)
            np.testing.assert_array_equal(out, [x[k::stride].sum() for k in range(stride)])
            strided_last[groups, size](x, out)
            np.testing.assert_array_equal(out, [[-1, *x[k::stride]][-1] for k in range(stride)])
    limits = np.arange(0, 200, 3, dtype=np.int32)
    out = np.zeros_like(limits)
    first_beyond.forall(limits.size)(np.arange(1, 90, dtype=np.int32), limits, out)
    np.testing.assert_array_equal(out, np.minimum(limits // 2 * 2 + 2, 178))


def total(*numbers):
    result = 0
    for number in numbers:
        result += number
    return result


Defaults = collections.namedtuple("Defaults", "x y z", defaults=(7,))
MADE = [
    "g = lambda v, w=2, z=9: v * w + z\nout[0] = g(3, 4)\nout[1] = g(3, z=1)\nout[2] = g(w=1, v=7)\nout[3] = g(3)",
    "for i in range(3):\n    g = lambda v, i=i: v * i\n    out[i] = g(5)",
    "def g(v, w=n):\n    def h(u, s):\n        return u - s\n    return h(v, w) + v\nout[0] = g(w=1, v=2)",
    "k = n\nk += 1\ng = lambda v, w=k: v * w\nk += 1\nout[0] = g(2)\nout[1] = k",
    "if (k := n * 2) > 5:\n    out[0] = k\nwhile (k := k - 1) > 2:\n    out[1] += k",
    "if (z := x[0] + 1) > 1 and (w := z * 2) > 2:\n    out[0] = w + z",
    "if (k := n * 2) > 5:\n    g = lambda v: v + k\n    out[0] = g(1)",
    "a = b = n\nx[0] = x[1] = c = 5\nout[1] = a + b + c",
    "for k, v in enumerate(x, start=2):\n    out[0] += k * v\nout[1] = sum((1, 2), start=3)",
    "np.multiply(x, 2, out=x)\nnp.negative(x[:2], out=x[2:])\nout[0] = total() + total(n, 2)",
    "d = Defaults(1, 2)\nout[0] = d.z + d[1] + len(d)\nd = Defaults(y=1, x=2, z=n)\nout[1] = d.z + d[1] * 3",
    "match n:\n    case 1 | 5 if n > 2:\n        out[0] = 1\n    case k:\n        out[0] = k",
]
MADE_REFUSED = [
    ("def g(v, *, w=2):\n    return v * w\nout[0] = g(3, w=2)", "no arguments by keyword alone"),
    ("def g(*v):\n    return v\nout[0] = g(x)[0][0]", "take no *args"),
    ("def g(v, w):\n    return v * w\nout[0] = g(3, u=2)", "cannot be called with the keyword u"),
    ("def g(v):\n    h = lambda u, s=1: u - s\n    return h(v)\nout[0] = g(3)", "made inside functions"),
    ("a, *b = (1, 2, 3)\nout[0] = a", "assignments with a star"),
    ("match (n, 1):\n    case (5, k):\n        out[0] = k", "patterns that look into a value"),
    ("out[0] = abs(**{'x': n})", "calls with **kwargs"),
]


@pytest.mark.parametrize("body", MADE)
def test_arguments_and_assignments_in_expressions(device, body):
    function = function_of(body, "n, x, out", Defaults=Defaults, total=total)

    def arguments():
        return 5, np.arange(4, dtype=np.int32), np.zeros(4, np.int64)

    expected, got = arguments(), arguments()
    function(*expected)
    function.__globals__["total"] = nv.jit(total)
    nv.jit(function)[1, 1](*got)
    for e, g in zip(expected[1:], got[1:], strict=True):
        np.testing.assert_array_equal(g, e)


@pytest.mark.parametrize(("body", "text"), MADE_REFUSED)
def test_what_numba_would_misunderstand(device, body, text):
    with pytest.raises(NumbaError) as caught:
        nv.jit(function_of(body, "n, x, out"))[1, 1](5, np.zeros(4, np.int32), np.zeros(4, np.int64))
    assert text in str(caught.value)
