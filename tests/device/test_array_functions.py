"""Functions of NumPy and Python that take arrays: numbers out of them, views, and what they write; as NumPy does."""

import enum

import numpy as np
import pytest
from numba.core.errors import NumbaError

import numba_vulkan as nv
from device.against_python import check, function_of


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


PARAMETERS = "x, y, m, big, c, f, out, n, t"


def arguments():
    return (
        np.arange(1, 7, dtype=np.float32),
        np.arange(6, 0, -1).astype(np.float32) / 2,
        np.arange(12, dtype=np.int32).reshape(3, 4),
        np.arange(24, dtype=np.int16).reshape(2, 3, 4),
        np.array([1 + 2j, 3 - 1j, -2 + 0.5j], np.complex64),
        np.zeros(12, np.float32),
        np.zeros(8, np.int64),
        5,
        (4, 5, 6),
    )


VIEWS = [
    "out[:4] = np.fliplr(m)[0]\nout[4:] = np.flipud(m)[0]",
    "out[:4] = np.flip(m, 0)[0]\nout[4:] = np.flip(m, (0, 1))[0]",
    "f[:6] = np.flip(x)\nnp.flip(x)[:2] = 9\nout[0] = np.flip(x[3:3]).size",
    "out[:3] = np.swapaxes(m, 0, 1)[1]\nout[3:6] = m.swapaxes(0, -1)[2]\nout[6] = big.swapaxes(0, 2)[3, 1, 1]",
    "out[0] = np.moveaxis(big, 0, 2)[1, 2, 1]\nout[1] = np.moveaxis(big, -1, 0)[3, 1, 2]",
    "f[:6] = np.expand_dims(x, 0)[0]\nout[0] = np.expand_dims(m, 1).shape[1] + np.expand_dims(m, -1).shape[2]",
    "f[:6] = np.squeeze(x[None, :], axis=0)\nout[0] = m[:, None].squeeze(1)[1, 2]",
    "f[:6] = np.atleast_1d(x)\nf[6:] = np.atleast_2d(x)[0]\nout[0] = np.atleast_3d(x).ndim + np.atleast_3d(m).shape[2]",
    "for i, v in np.ndenumerate(x):\n    out[0] += i[0] * v",
    "for (i, j), v in np.ndenumerate(m):\n    out[1] += i * v + j",
    "for v in m.flat:\n    out[0] += v\nfor v in x[::2].flat:\n    out[1] += v\nm.flat[5] = 3\nout[2] = m.flat[6]",
    "out[:3] = np.diag(m)\nout[3:6] = m.diagonal() + np.diagonal(m.T)\nout[6] = np.trace(m) + m.trace()",
    "np.fill_diagonal(m, 7)\nnp.fill_diagonal(m[:, 1:], x[:3].astype(np.int32))",
]
NUMBERS = [
    "out[0] = np.clip(n, 1, 3)\nf[0] = np.clip(x[0], np.float32(2), np.float32(4))",
    "f[:6] = np.clip(x, np.float32(2), np.float32(4)) + x.clip(y, y + y)\nout[:4] = np.clip(m[1], 5, None)",
    "np.clip(m[0], 2, 3, out[:4])\nnp.clip(m[0], None, 2, out=out[4:])",
    "f[:6] = np.round(x) + np.around(y)\nf[6] = np.round(y[0])\nout[:4] = m[0].round()\nf[7:10] = y[:3].round()",
    "out[0] = np.ptp(m)\nf[0] = np.ptp(x)\nf[1] = np.average(x)\nf[2] = np.average(x, weights=y)",
    "f[0] = np.vdot(x, y) + np.inner(x, y)\nc[0] = np.vdot(c, c[::-1])",
    "f[0] = np.linalg.norm(x) + np.linalg.norm(x, 1) + np.linalg.norm(x, ord=2)\nf[1] = np.linalg.norm(m)",
    "f[0] = np.linalg.norm(x, np.inf)\nf[1] = np.linalg.norm(x - y, -np.inf)\nf[2] = np.linalg.norm(c)",
    "out[0] = np.array_equal(x, y)\nout[1] = np.array_equal(x, x + 0)\nout[2] = np.array_equal(x, m)",
    "for k in range(8):\n    out[k] = np.searchsorted(x, k) * 10 + np.searchsorted(x, k, side='right')",
    "x[4:] = np.nan\nout[0] = np.searchsorted(x, np.nan)\nout[1] = np.searchsorted(x, np.nan, 'right')",
    "for k in range(8):\n    f[k] = np.interp(k - 0.25, x, y) + np.interp(k, x, y)",
    "out[0] = np.ndim(m) + np.size(m) + np.shape(m)[1]",
    "out[0] = any(x > 3) + all(x > 0) + any(t) + all((n > 3, n < 7)) + any((n > 9, False)) + all(()) + any(m[0])",
    "out[0] = 3 in x\nout[1] = n not in m\nout[2] = 99 in m\nout[3] = 4 in x + x",
    "for v in reversed(t):\n    out[0] = out[0] * 10 + v",
    "out[0] = np.iinfo(np.int32).max + np.iinfo(np.int8).min + np.iinfo(m.dtype).bits\nout[1] = np.iinfo(np.int64).min",
    "f[0] = np.finfo(np.float32).eps\nf[1] = np.finfo(x.dtype).max\nf[2] = np.finfo(np.float32).tiny",
    "out[0] = m.dtype == np.int32\nout[1] = m.dtype != x.dtype",
    "out[0] = int(Level.HIGH) + bool(Level.LOW) + float(Level.HIGH)\nout[1] = Level.HIGH > n\nout[2] = x[Level.LOW]",
]
DTYPES = [
    "out[:6] = x.astype(int)\nc[:] = x[:3].astype(complex)",
    "f[:6] = m.astype(float)[0, 0] / 3 + x.astype(bool) + (x * y).astype('f4')",
    "f[:4] = np.zeros(4, float) + np.ones(4, dtype=int) + np.full(4, 3, bool)",
    "f[0] = np.array((1, 2), float)[1] / 3 + np.empty(3, 'i2').size + np.zeros(3, dtype='f4')[1]",
    "f[0] = m.sum(dtype=float) + x.mean(dtype=float) + np.sum(m, dtype='f8')\nf[1:5] = m.sum(axis=0, dtype=float)",
    "out[:6] = x.view('i4')",
]
WRITES = [
    "np.copyto(x, y)\nnp.copyto(f, np.float32(3))",
    "np.outer(x[:3], y[:4], f.reshape(3, 4))\nout[:4] = np.outer(m[0], m[1])[2]",
    "out[:3] = np.matmul(m, m[0])\nnp.dot(x[:2].reshape(1, 2), y[:2], f[:1])\nnp.matmul(m[:1], m[0], out=m[2, :1])",
    "a = np.array((1, 2.5, n), np.float32)\nf[:3] = a\nb = np.array((1, n))\nout[:2] = b * 2",
    "a = np.array((x[0], x[1]))\na[0] += 1\nf[:2] = a\nout[0] = np.array((1, n), dtype=np.int8).sum()",
]


@pytest.mark.parametrize("body", [*VIEWS, *NUMBERS, *WRITES, *DTYPES])
@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_as_numpy(device, body):
    check(function_of(body, PARAMETERS, Level=Level), arguments, rtol=1e-6)


REFUSED = [
    ("out[0] = np.flip(m + 1)[0, 0]", "needs an array in memory"),
    ("out[0] = np.squeeze(m[None])[0, 0]", "needs an axis in kernels"),
    ("out[0] = m.diagonal(1)[0]", "main diagonal"),
    ("out[0] = m.T.flat[1]", "loop over np.ndindex"),
    ("f[:6] = np.round(x, 1)", "rounds to whole numbers"),
    ("np.dot(m, m[0], out[:3])", "has the type of the product"),
    ("e = x * y\nnp.copyto(x, y)\nf[0] = e[0]", "line 3 writes to an array before"),
    ("e = m[0] * 2\nnp.clip(m[1], 1, 2, m[0])\nout[0] = e[0]", "line 3 writes to an array before"),
    ("out[0] = np.expand_dims(m, 3)[0, 0]", "must be a constant from -3 to 2"),
]


@pytest.mark.parametrize(("body", "text"), REFUSED)
def test_what_is_refused(device, body, text):
    with pytest.raises(NumbaError) as caught:
        nv.jit(function_of(body, PARAMETERS))[1, 1](*arguments())
    assert text in str(caught.value)


@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_own_memory_of_the_dtypes_of_python(device):
    @nv.jit
    def kernel(out):
        shared, wide = nv.shared.array(4, float), nv.shared.array(3, "i8")
        own, narrow = nv.local.array(4, int), nv.local.array(3, "f4")
        shared[0], wide[0], own[0], narrow[0] = 1.5, 2**40, 2**33, 0.25
        out[0] = shared[0] + narrow[0]
        out[1] = (wide[0] + own[0]) >> 33

    out = np.zeros(2)
    kernel[1, 1](out)
    assert list(out) == [1.75, 2**7 + 1]


def test_squeezing_more_than_one_element(device):
    with pytest.raises(ValueError, match="axis 0, which squeeze takes away, has 3 elements"):
        nv.jit(function_of("out[0] = m.squeeze(0)[2]", PARAMETERS))[1, 1](*arguments())
