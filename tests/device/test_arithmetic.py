"""Integer arithmetic as NumPy and Numba's CPU target do it, at the edges of the types."""

import functools
import itertools

import numba
import numpy as np
import pytest

import numba_vulkan as nv

EDGES = {
    t: sorted(
        {
            0,
            1,
            2,
            3,
            7,
            *(v for v in (-1, -2, -7) if info.min < 0),
            info.min,
            info.max,
            info.max // 2,
            info.min // 2,
        }
    )
    for t, info in ((t, np.iinfo(t)) for t in ("int32", "uint32", "int64", "uint64"))
}


def pairs(dtype):
    a, b = zip(*itertools.product(EDGES[dtype], repeat=2), strict=True)
    return np.array(a, dtype), np.array(b, dtype)


def body_add(x, y):
    return x + y


def body_sub(x, y):
    return x - y


def body_mul(x, y):
    return x * y


def body_floordiv(x, y):
    return x // y


def body_mod(x, y):
    return x % y


def body_divmod(x, y):
    q, r = divmod(x, y)
    return q * 3 + r


def body_and(x, y):
    return x & y


def body_or(x, y):
    return x | y


def body_xor(x, y):
    return x ^ y


def body_min(x, y):
    return min(x, y)


def body_max(x, y):
    return max(x, y)


def body_lt(x, y):
    return x < y


def body_ge(x, y):
    return x >= y


def body_eq(x, y):
    return x == y


def body_neg(x, y):
    return -x


def body_invert(x, y):
    return ~x


def body_abs(x, y):
    return abs(x)


BODIES = [value for name, value in list(globals().items()) if name.startswith("body_")]


@functools.cache  # the front end runs once for all devices
def both_targets(body):
    """Return a kernel and the reference on Numba's CPU target, both applying ``body`` element by element."""
    scalar = numba.njit(error_model="numpy")(body)

    @nv.jit
    def kernel(x, y, out):
        i = nv.global_id(0)
        if i < x.size:
            out[i] = scalar(x[i], y[i])

    @numba.njit(error_model="numpy")
    def reference(x, y, out):
        for i in range(x.size):
            out[i] = scalar(x[i], y[i])

    return kernel, reference


@pytest.mark.parametrize("dtype", EDGES)
@pytest.mark.parametrize("body", BODIES, ids=lambda b: b.__name__[5:])
def test_integer_operators(device, body, dtype):
    kernel, reference = both_targets(body)
    x, y = pairs(dtype)
    if body in (body_floordiv, body_mod, body_divmod) and dtype in ("int32", "int64"):
        # The quotient does not exist; Numba's CPU target stops the process there on some machines.
        keep = ~((x == np.iinfo(dtype).min) & (y == -1))
        x, y = x[keep], y[keep]
    out, expected = np.zeros_like(x), np.zeros_like(x)
    reference(x, y, expected)
    kernel.forall(x.size)(x, y, out)
    np.testing.assert_array_equal(out, expected)


@nv.jit
def quotient_of_smallest(x, y, out):
    i = nv.global_id(0)
    if i < x.size:
        out[i, 0] = x[i] // y[i]
        out[i, 1] = x[i] % y[i]


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_smallest_divided_by_minus_one_wraps_as_in_numpy(device, dtype):
    smallest = np.iinfo(dtype).min
    out = np.zeros((2, 2), np.int64)
    quotient_of_smallest.forall(2)(np.array([smallest, -7], dtype), np.array([-1, -1], dtype), out)
    if dtype == "int64":
        np.testing.assert_array_equal(out, [[smallest, 0], [7, 0]])
    else:
        # Numba computes int32 // int32 in int64, where the quotient exists.
        np.testing.assert_array_equal(out, [[2**31, 0], [7, 0]])


DIVISORS = (
    1,
    2,
    3,
    5,
    7,
    36,
    64,
    641,
    65536,
    65537,
    1000003,
    2**30,
    2**31 - 1,
    2**31,
    2**32 + 1,
    2**40,
    2**62,
    2**63 - 1,
)


@functools.cache
def divided_by(divisor):
    @nv.jit
    def kernel(x, out):
        i = nv.global_id(0)
        if i < x.size:
            out[i, 0] = x[i] // divisor
            out[i, 1] = x[i] % divisor
            # What is known of the dividend makes its type smaller.
            out[i, 2] = (i - 9) // divisor
            out[i, 3] = (i - 9) % divisor

    return kernel


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("divisor", DIVISORS)
def test_divisors_that_are_known(device, divisor, dtype):
    info = np.iinfo(dtype)
    near = [k * divisor + d for k in (-3, -2, -1, 0, 1, 2, 3) for d in (-1, 0, 1)]
    edges = [info.min, info.min + 1, info.max, info.max - 1, *range(-5, 6)]
    x = np.array([v for v in near + edges if info.min <= v <= info.max], dtype)
    out = np.zeros((x.size, 4), np.int64)
    divided_by(divisor).forall(x.size)(x, out)
    i = np.arange(x.size) - 9
    wide = x.astype(np.int64)
    expected = np.stack([wide // divisor, wide % divisor, i // divisor, i % divisor], axis=1)
    np.testing.assert_array_equal(out, expected)


@nv.jit
def grows(x, out):
    i = nv.global_id(0)
    if i < x.size:
        out[i, 0] = x[i] + 1 > x[i]
        out[i, 1] = x[i] * 2 // 2 == x[i]
        out[i, 2] = x[i] - 1 < x[i]


def test_overflow_wraps_also_where_it_is_compared(device):
    x = np.array([0, 5, 2**63 - 1, -(2**63), 2**62], np.int64)
    out = np.zeros((x.size, 3), bool)
    grows.forall(x.size)(x, out)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(out, np.stack([x + 1 > x, x * 2 // 2 == x, x - 1 < x], axis=1))


@nv.jit
def powers(x, n, out):
    i = nv.global_id(0)
    if i < x.size:
        out[i, 0] = x[i] ** n[i]
        out[i, 1] = x[i] ** 3
        out[i, 2] = pow(x[i], n[i])


def test_integer_powers_wrap_as_in_numpy(device):
    x = np.array([0, 1, -1, 2, -3, 10, 123456789, 3], np.int64)
    n = np.array([0, 70000, 70001, 63, 40, 18, 9, 100000], np.int64)
    out = np.zeros((x.size, 3), np.int64)
    powers.forall(x.size)(x, n, out)
    np.testing.assert_array_equal(out[:, 0], x**n)
    np.testing.assert_array_equal(out[:, 1], x**3)
    np.testing.assert_array_equal(out[:, 2], x**n)


@pytest.mark.parametrize("unsigned", [np.uint8, np.uint32, np.uint64])
def test_powers_with_unsigned_exponents(device, unsigned):
    x = np.array([3, -7, 2, 0, 1], np.int64)
    n = np.array([5, 3, 63, 0, 200], unsigned)
    out = np.zeros((5, 3), np.int64)
    powers.forall(x.size)(x, n, out)
    np.testing.assert_array_equal(out[:, 0], x ** n.astype(np.int64))


@nv.jit
def float_powers(x, n, out):
    i = nv.global_id(0)
    if i < x.size:
        out[i] = x[i] ** n[i]


def test_float_to_an_integer_power(device):
    x = np.array([2, -3, 0.5, 1.5], np.float32)
    n = np.array([10, 3, -2, 0], np.int32)
    out = np.zeros(4, np.float32)
    float_powers.forall(4)(x, n, out)
    np.testing.assert_array_equal(out, [1024, -27, 4, 1])


@nv.jit
def shifts(x, k, left, right):
    i = nv.global_id(0)
    if i < x.size:
        left[i] = x[i] << k[i]
        right[i] = x[i] >> k[i]


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_shifts_by_the_width_or_more_are_as_in_numpy(device, dtype):
    amounts = [0, 1, 31, 32, 33, 63, 64, 65, 1000]
    values = EDGES[dtype]
    x = np.array([v for v in values for _ in amounts], dtype)
    k = np.array(amounts * len(values), dtype)
    left, right = np.zeros_like(x), np.zeros_like(x)
    shifts.forall(x.size)(x, k, left, right)
    np.testing.assert_array_equal(left, x << k)
    np.testing.assert_array_equal(right, x >> k)


@nv.jit
def small_types(x, out):
    i = nv.global_id(0)
    if i < x.size:
        out[i] = x[i] * x[i] + x[i]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
def test_stores_into_small_types_wrap(device, dtype):
    info = np.iinfo(dtype)
    x = np.arange(info.min, info.max + 1, max(1, (info.max - info.min) // 997)).astype(dtype)
    out = np.zeros_like(x)
    small_types.forall(x.size)(x, out)
    wide = x.astype(np.int64)
    np.testing.assert_array_equal(out, (wide * wide + wide).astype(dtype))


EDGES_OF_A_WORD = [
    2**31,
    2**31 + 1,
    3000000000,
    2**32 - 1,
    2**32,
    -(2**31),
    -(2**31) - 1,
    2**31 - 1,
    2**30,
    2**33,
]


@pytest.mark.parametrize("factor", EDGES_OF_A_WORD)
def test_factors_at_the_edge_of_a_word(device, factor):
    @nv.jit
    def kernel(x, u, out):
        i = nv.global_id(0)
        if i < x.size:
            out[i, 0] = np.int64(x[i]) * factor
            out[i, 1] = np.int64(u[i]) * factor
            out[i, 2] = np.int64(x[i]) * factor + np.int64(x[i])
            out[i, 3] = factor - np.int64(x[i]) * factor
            out[i, 4] = np.int64(x[i]) << 31

    x = np.array([2, -2, 0, 1, -1, 7, -7, 2**31 - 1, -(2**31), 12345, -12345], np.int32)
    u = x.view(np.uint32)
    out = np.zeros((x.size, 5), np.int64)
    kernel.forall(x.size)(x, u, out)
    wide, unsigned = x.astype(np.int64), u.astype(np.int64)
    expected = [wide * factor, unsigned * factor, wide * factor + wide, factor - wide * factor, wide << 31]
    np.testing.assert_array_equal(out, np.stack(expected, axis=1))


SUMS_OF_PRODUCTS = {
    "x * (2**31 - 1) + x": lambda x, y: x * (2**31 - 1) + x,
    "x * (2**31 + 1) - x": lambda x, y: x * (2**31 + 1) - x,
    "x * 3 + x * (2**31 - 3)": lambda x, y: x * 3 + x * (2**31 - 3),
    "(x << 30) + (x << 30)": lambda x, y: (x << 30) + (x << 30),
    "x * 5 * 2**29 - x * 2**29": lambda x, y: x * 5 * 2**29 - x * 2**29,
    "(y >> 40) * (2**31 - 1) + (y >> 40)": lambda x, y: (y >> 40) * (2**31 - 1) + (y >> 40),
}


@pytest.mark.parametrize("text", SUMS_OF_PRODUCTS)
def test_products_that_add_up_to_the_edge_of_a_word(device, text):
    """NVIDIA's compiler joins the products, and then takes 2**31 for a signed word."""
    x = np.array([2, -2, 0, 1, -1, 7, -7, 2**31 - 1, -(2**31), 12345, -12345], np.int32)
    y = x.astype(np.int64) << 39
    source = "def kernel(x, y, out):\n    i = nv.global_id(0)\n    if i < x.size:\n"
    # Loaded twice, so that LLVM joins them too late to see it.
    source += f"        out[i] = {text.replace('x', 'np.int64(x[i])').replace('y', 'y[i]')}\n"
    namespace = {"nv": nv, "np": np}
    exec(source, namespace)
    out = np.zeros(x.size, np.int64)
    nv.jit(namespace["kernel"]).forall(x.size)(x, y, out)
    np.testing.assert_array_equal(out, SUMS_OF_PRODUCTS[text](x.astype(np.int64), y))


@nv.jit
def compare_mixed(s, u, out):
    i = nv.global_id(0)
    if i < s.size:
        out[i, 0] = s[i] < u[i]
        out[i, 1] = s[i] <= u[i]
        out[i, 2] = s[i] > u[i]
        out[i, 3] = u[i] >= s[i]
        out[i, 4] = u[i] == s[i]
        out[i, 5] = s[i] != u[i]
        out[i, 6] = u[i] < s[i]


@pytest.mark.parametrize(
    "types", [("int64", "uint64"), ("int32", "uint64"), ("int8", "uint32"), ("int64", "uint8")]
)
def test_signed_and_unsigned_integers_are_compared_exactly(device, types):
    signed, unsigned = (np.iinfo(t) for t in types)
    s_values = [signed.min, -1, 0, 1, signed.max - 31, signed.max]
    u_values = [0, 1, unsigned.max // 2, unsigned.max // 2 + 1, unsigned.max - 1, unsigned.max]
    s = np.array([v for v in s_values for _ in u_values], types[0])
    u = np.array(u_values * len(s_values), types[1])
    out = np.zeros((s.size, 7), bool)
    compare_mixed.forall(s.size)(s, u, out)
    a, b = s.astype(object), u.astype(object)
    expected = np.stack([a < b, a <= b, a > b, b >= a, b == a, a != b, b < a], axis=1).astype(bool)
    np.testing.assert_array_equal(out, expected)
