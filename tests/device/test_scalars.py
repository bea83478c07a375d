"""Scalar arguments of every type, and parameter blocks of every size."""

import numpy as np
import pytest

import numba_vulkan as nv


@nv.jit
def store(value, out):
    if nv.global_id(0) == 0:
        out[0] = value


CASES = [
    (True, "bool"),
    (np.bool_(False), "bool"),
    (np.int8(-128), "int8"),
    (np.uint8(255), "uint8"),
    (np.int16(-32768), "int16"),
    (np.uint16(65535), "uint16"),
    (np.int32(-(2**31)), "int32"),
    (np.uint32(2**32 - 1), "uint32"),
    (np.int64(-(2**63)), "int64"),
    (np.uint64(2**64 - 1), "uint64"),
    (-(2**62) - 3, "int64"),
    (2**63 + 5, "uint64"),
    (np.float32(1.1), "float32"),
    (np.float32("nan"), "float32"),
    (np.float32(-0.0), "float32"),
]


@pytest.mark.mesa22
@pytest.mark.parametrize(("value", "dtype"), CASES)
def test_scalars_arrive(device, value, dtype):
    out = np.zeros(1, dtype)
    store.forall(1)(value, out)
    assert out.tobytes() == np.array([value], dtype).tobytes()


@pytest.mark.needs("float64")
@pytest.mark.parametrize("value", [1.1, -0.0, 1e300, float("inf"), np.float64(2) / 3])
def test_float64_scalars_arrive(device, value):
    out = np.zeros(1, np.float64)
    store.forall(1)(value, out)
    assert out.tobytes() == np.array([value]).tobytes()


@nv.jit
def many(a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, x, y, z, out):
    if nv.global_id(0) == 0:
        total = a + b + c + d + e + f + g + h + i + j + k + m + n + o + p + q
        out[0] = total + x[0] + y[0, 0] + z[0, 0, 0]
        out[1] = x.size + y.size + z.size


@pytest.mark.mesa22
def test_parameters_beyond_push_constants(device):
    values = [np.int64(7**k) for k in range(16)]
    x = np.arange(3, dtype=np.int64)
    y = np.arange(10, dtype=np.int64).reshape(2, 5)
    z = np.arange(24, dtype=np.int64).reshape(2, 3, 4)[:, ::2]
    out = np.zeros(2, np.int64)
    many.forall(1)(*values, x + 1, y + 2, z + 3, out)
    assert out[0] == sum(7**k for k in range(16)) + 1 + 2 + 3
    assert out[1] == 3 + 10 + 16


@nv.jit
def with_default(out, value=5):
    out[0] = value


def test_keyword_and_default_arguments(device):
    out = np.zeros(1, np.int32)
    with_default[1, 1](out)
    assert out[0] == 5
    with_default[1, 1](value=9, out=out)
    assert out[0] == 9
