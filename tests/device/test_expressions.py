"""Operations on whole arrays: element by element where they are used, with broadcasting and overlap."""

import math

import numpy as np
import pytest
from numba.core.errors import NumbaError

import numba_vulkan as nv
from device.against_python import check, function_of


def arguments():
    rng = np.random.default_rng(3)
    return (
        rng.integers(-50, 50, 8).astype(np.int32),
        rng.integers(1, 9, 8).astype(np.int32),
        np.arange(1, 13, dtype=np.int32).reshape(3, 4),
        (rng.standard_normal(8) * 8).astype(np.float32),
        np.zeros((4, 8), np.float32),
    )


STATEMENTS = [
    "out[0] = a + b",
    "out[0, 1:4] = a[:3] * b[5:] - a[-3:]",
    "out[0] = a // b\nout[1] = a % b\nout[2] = a & b\nout[3] = a | ~b",
    "out[0] = a << (b & np.int32(3))\nout[1] = a >> b\nout[2] = -a\nout[3] = a ^ b",
    "out[0] = a < b\nout[1] = a == a[::-1]\nout[2] = (a > 0) & (b != 3)\nout[3] = a >= b",
    "out[0] = f * f + f\nout[1] = f / np.float32(4)\nout[2] = f - f[::-1]\nout[3] = f * a[0]",
    "out[:, :4] = m[0] + m[1:2] * 2",
    "out[:3, :4] = m + m[:, :1]\nout[3, :4] = m.T[:, 0] + m[2]",
    "out[:3, :4] = m[:, 1].reshape(3, 1) * m[0]",
    "e = a * b\nfor i in range(len(e)):\n    out[0, i] = e[i] + e.shape[0] + e.size",
    "e = (m - m[0, 0]) * m\nfor i in range(3):\n    out[0, i] = e[i, -1]\n    out[1, i] = e[i, 1] * e.ndim",
    "a += b\nout[0] = a",
    "a[1:4] *= 3\nm[1] -= m[0]\nm[:, 1] += m[:, 2]\nm[2:] //= 2",
    "m += m * 0 + 1\nm.T[1:3] *= 2\nf /= 2\na **= 2",
    "a[1:] = a[:-1] + a[1:]\nb[:-1] = b[1:] * 2",
    "m[1:] = m[:-1] * 2\na[:] = a * a - a",
    "out[0] = (a - b) ** 2\nout[1] = f ** 2",
    "np.add(a, b, a)\nnp.multiply(a, 2, b)\nout[0] = a\nout[1] = b",
    "s = a[2] + 1\nout[0] = a * s\nout[1] = 2 * a + np.int32(3)",
    "out[0] = a.copy()\nout[1] = (f * np.float32(3)).astype(np.int32)\nout[2] = b.astype(np.float32) / np.float32(8)",
    "c = f.astype(np.int16)\nout[0] = c * c\nout[1, 0] = a.astype(np.bool_).sum()",
    "row = m[1]\nrow += 5\nout[0, :4] = row",
    "out[0] = np.sqrt(np.abs(f))\nout[1] = np.maximum(f, f[::-1]) + np.minimum(a, 2)\nout[2] = np.sign(a) * f",
    "out[0, 0] = np.sqrt(f * f).sum() > np.floor(f)[1]\nout[1:3, :4] = np.add(m[:, 0:1], m[0])[1]",
    "e = np.add(a, b)\nout[0] = e * np.negative(e)\nout[1] = np.where(np.isnan(f), a, np.floor(f))",
]


@pytest.mark.mesa22
@pytest.mark.parametrize("statements", STATEMENTS)
@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_operations(device, statements):
    check(function_of(statements, "a, b, m, f, out"), arguments)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_wrap_in_their_own_width(device, dtype):
    info = np.iinfo(dtype)

    def make():
        a = np.array([info.min, info.max, 3, info.max // 2, 7], dtype)
        return a, a[::-1].copy(), np.zeros((5, 5), np.int64 if dtype != "uint64" else np.uint64)

    body = "out[0] = a + b\nout[1] = a * b\nout[2] = a - b\nout[3] = a < b\nout[4] = b & a"
    check(function_of(body, "a, b, out"), make)


@nv.jit
def distances(points, centre, out):
    i = nv.global_id(0)
    if i < points.shape[0]:
        out[i] = math.sqrt(((points[i] - centre) ** 2).sum())


@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_distances(device):
    rng = np.random.default_rng(0)
    points, centre = rng.random((50, 3), np.float32), rng.random(3, np.float32)
    out = np.zeros(50, np.float32)
    distances.forall(50)(points, centre, out)
    np.testing.assert_allclose(out, np.sqrt(((points - centre) ** 2).sum(axis=1)), rtol=1e-6)


@pytest.mark.parametrize("shapes", [((3,), (4,)), ((2, 3), (2,)), ((2, 3), (3, 3))])
def test_shapes_that_do_not_go_together(device, shapes):
    arrays = [np.zeros(shape, np.int32) for shape in shapes]
    out = np.zeros(arrays[0].shape, np.int32)
    with pytest.raises(ValueError, match="could not be broadcast together") as caught:
        nv.jit(function_of("out[...] = a + b", "a, b, out"))[1, 1](*arrays, out)
    for shape in shapes:
        assert str(shape) in str(caught.value)


@pytest.mark.parametrize("statement", ["a[:] = a[::-1] + 1", "a[1:-1] = a[2:] + a[:-2]", "m += m[0]"])
def test_what_would_need_a_copy_raises(device, statement):
    a, m = np.arange(8), np.ones((3, 4), np.int32)
    with pytest.raises(ValueError, match="overlap"):
        nv.jit(function_of(statement, "a, m"))[1, 1](a, m)
    np.testing.assert_array_equal(a, np.arange(8))


STALE = [
    "e = a + b\na[0] = 100\nout[0] = e[0]",
    "e = a + b\nfor i in range(3):\n    out[i] = e[i]\n    a[i + 1] = 0",
    "e = a + b\nv = a[1:]\nfor i in range(3):\n    v[i] = e[i]",
    "fill_from(a, b)",
    "e = a.copy()\na[0] = 9\nout[0] = e[0]",
    "e = (a + 1).astype(np.int8)\na[0] = 9\nout[0] = e[0]",
    "e = a + 1\na[0] = 9\nout[0] = e.sum()",
    "e = a + b\nb += 1\nout[:3] = e[:3] if False else e[0]",
    "e = a * 2\nd = e + b\na[1] = 5\nout[0] = d.sum()",
    "e = a * 2\nchange(a)\nout[0] = e[0]",
    "e = a * 2\nnv.barrier()\nout[0] = e[0]",
    "e = a * 2\nif b[0] > 0:\n    e = a * 2\nout[0] = e[0]",
]


@nv.jit
def fill_from(a, b):
    e = a * 2
    for i in range(b.size):
        b[i] = e[i]


@nv.jit
def change(a):
    a[0] = 1


@pytest.mark.parametrize("body", STALE)
def test_operations_whose_arrays_change_before_they_are_used(device, body):
    kernel = nv.jit(function_of(body, "a, b, out", change=change, fill_from=fill_from))
    with pytest.raises(NumbaError, match=r"whole arrays"):
        kernel[1, 1](np.arange(5), np.arange(5), np.zeros(5))


@nv.jit
def into_another(a, out):
    e = a * 2
    for i in range(out.size):
        out[i] = e[i]


def test_arrays_that_must_not_share_memory(device):
    a, out = np.arange(5), np.zeros(5, np.int64)
    into_another[1, 1](a, out)
    np.testing.assert_array_equal(out, a * 2)
    with pytest.raises(nv.KernelArgumentError, match="share memory, but an operation on whole arrays"):
        into_another[1, 1](a[:3], a[2:])
    np.testing.assert_array_equal(a, np.arange(5))


def test_choices(device):
    def make():
        m = np.arange(12, dtype=np.int32).reshape(3, 4) - 5
        return m, np.zeros((3, 4), np.float32), np.zeros(6, np.int64), np.arange(4, dtype=np.complex64) * 1j

    body = """
f[...] = np.where(m > 0, m, np.float32(0.5))
out[0] = np.where(m[0] == m, m, 7).sum()
out[1] = np.where(out[0] > 3, 5, 6)
m[:] = np.where(m % 2 == 0, m, -m)
z[:] = np.where(m[1] < 1, z, z * np.complex64(2 + 1j))
out[2] = np.count_nonzero(m)
out[3:] = np.count_nonzero(m > 0, axis=1)
"""
    check(function_of(body, "m, f, out, z"), make)


def test_parts_of_operations(device):
    def make():
        m = np.arange(12, dtype=np.int32).reshape(3, 4)
        return m, np.arange(24, dtype=np.float32).reshape(2, 3, 4), np.zeros((6, 4), np.float32)

    body = """
out[0] = (m + m[0])[-1] * 2
out[1] = (m.T @ m)[1]
out[2] = (c + np.float32(1))[1, 2]
out[3:] = (c * c)[0]
e = c - c[0]
for i in range(3):
    out[0, i] += e[1][i].sum() + e[1, i, 2] + e[1][i][1]
out[0, 3] = c.sum(axis=0)[1].max()
"""
    check(function_of(body, "m, c, out"), make)
    with pytest.raises(ValueError, match="needs a copy"):
        nv.jit(function_of("m[0] = (m * np.int32(2))[1]", "m"))[1, 1](np.zeros((3, 4), np.int32))
    with pytest.raises(NumbaError, match="slice the arrays in it instead"):
        nv.jit(function_of("m[0, :1] = (m * np.int32(2))[1, :1]", "m"))[1, 1](np.zeros((3, 4), np.int32))
