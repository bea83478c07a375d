"""Reductions along an axis and products of matrices: expressions, each element computed where it is used."""

import numpy as np
import pytest
from numba.core.errors import NumbaError

import numba_vulkan as nv
from device.against_python import check, function_of

pytestmark = [
    pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning"),
    pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning"),
]
METHODS = ["sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all"]
FUNCTIONS = ["nan" + name for name in ("sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax")]


def arrays(dtype):
    def make():
        rng = np.random.default_rng(3)
        low = 0 if np.dtype(dtype).kind == "u" else -5
        m = rng.integers(low, 6, (3, 4)).astype(dtype)
        c = rng.integers(low, 6, (2, 3, 4)).astype(dtype)
        return m, c, np.zeros((4, 6))

    return make


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, ("int32", "float32", "uint8")[k % 3]) for k, name in enumerate(METHODS)]
    + [("max", "bool"), ("sum", "bool")],
)
def test_axes(device, name, dtype):
    body = f"""
out[0, :4] = m.{name}(axis=0)
out[1, :3] = np.{name}(m, axis=-1)
out[2, :4] = c[1].{name}(0)
e = c.{name}(axis=1)
for j in range(e.shape[1]):
    out[3, j] = e[1, j]
    out[2, j] = e[-2, j]
"""
    check(function_of(body, "m, c, out"), arrays(dtype), rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_axes_without_nan(device, name):
    def make():
        m = np.array([[3, np.nan, -1, 7], [np.nan, 2, 2, 0.5], [1, 9, -3, np.nan]], np.float32)
        return m, np.zeros((2, 4))

    body = f"out[0] = np.{name}(m, axis=0)\nout[1, :3] = np.{name}(m, 1)"
    check(function_of(body, "m, out"), make, rtol=2e-6)


def test_in_expressions(device):
    body = """
out[:3, :4] = (m - m.mean(axis=0)) / (m.std(axis=0) + np.float32(1))
out[3, :3] = (m * m).sum(axis=1) - m.max(axis=1) * np.float32(2)
out[3, 3] = m.sum(axis=0).max()
out[3, 4] = (m.T @ m).sum()
out[3, 5] = m.sum(axis=1)[2]
"""
    check(function_of(body, "m, c, out"), arrays("float32"), rtol=1e-5, atol=1e-6)


def test_options(device):
    body = """
out[:3, :4] = m - m.sum(axis=1, keepdims=True)
out[:1, :4] += m.min(axis=0, keepdims=True)
out[3, :4] = m.var(axis=0, ddof=1)
out[3, 4] = m.std(ddof=2)
out[3, 5] = np.var(m, ddof=12)
out[0, 5] = m.sum(dtype=np.float32)
out[1, 4:] = m[:, :2].prod(axis=0, dtype=np.int16)
out[2, 4] = np.nanstd(m, ddof=1)
"""
    check(function_of(body, "m, c, out"), arrays("int32"), rtol=1e-5)


def test_sums_along_an_axis_are_exact(device):
    def make():
        info = np.iinfo("int64")
        return np.array([[info.max, 5], [info.max, -7], [3, info.min]]), np.zeros(2, np.int64)

    check(function_of("out[:] = m.sum(axis=0)", "m, out"), make)
    check(function_of("out[:] = m.T @ m[:, 1]", "m, out"), make)


def test_variance_of_complex_numbers_is_real(device):
    def make():
        rng = np.random.default_rng(5)
        z = (rng.random((3, 4)) + 1j * rng.random((3, 4))).astype(np.complex64)
        return z, np.zeros(5, np.float32), np.zeros(4, np.complex64)

    body = "out[0] = z.var()\nout[1:] = z.std(axis=0)\nmeans[:] = z.mean(axis=0)"
    check(function_of(body, "z, out, means"), make, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float32", "bool", "complex64"])
def test_products(device, dtype):
    def make():
        rng = np.random.default_rng(11)
        a, b = rng.integers(0, 3, (3, 4)), rng.integers(0, 3, (4, 2))
        out = np.zeros((8, 4), np.result_type(dtype, dtype))
        return a.astype(dtype), b.astype(dtype), out

    body = """
out[0, 0] = np.dot(a[0], b[:, 1])
out[0, 1] = a[1, ::-1] @ b[:, 0]
out[1, :3] = a @ b[:, 0]
out[2, :2] = np.dot(a[2], b)
out[3:6, :2] = a @ b
p = np.dot(a, b)
out[6, :2] = p[1, 0], p[-1, -1]
out[7, :2] = (a[:2] @ a[:2].T @ b[:2])[1, 0]
"""
    check(function_of(body, "a, b, out"), make)


def test_what_does_not_go_together(device):
    f, out = np.ones((2, 3), np.float32), np.zeros(4, np.float32)
    for body in ("out[:2] = f @ out", "out[0] = out @ out[1:]", "out[:3] = np.dot(out, f)"):
        with pytest.raises(ValueError, match=r"different sizes|do not go together: the last axis of"):
            nv.jit(function_of(body, "f, out"))[1, 1](f, out)
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        nv.jit(function_of("out[:] = f.sum(axis=0)", "f, out"))[1, 1](f, out)
    with pytest.raises(ValueError, match="zero-size"):
        nv.jit(function_of("out[:3] = f[:0].max(axis=0)", "f, out"))[1, 1](f, out)
    check(
        function_of("out[:3] = f[:0].sum(axis=0)\nout[3:3] = f[:, :0].max(axis=0)", "f, out"),
        lambda: (f.copy(), np.ones(4, np.float32)),
    )


def test_what_is_overwritten_before_it_is_read(device):
    m = np.arange(12, dtype=np.float32).reshape(3, 4)
    for body in ("m[...] = m - m.mean(axis=0)", "m[0] = m.sum(axis=0)", "m[:, 0] = m @ m[0]"):
        with pytest.raises(ValueError, match="overlap in a way that needs a copy"):
            nv.jit(function_of(body, "m"))[1, 1](m.copy())
    check(
        function_of("m[0] = m[1:].sum(axis=0)\nm[2] = m[:2].max(axis=0) + m[2]", "m"),
        lambda: (m.copy(),),
    )


def test_arrays_that_may_share_memory(device):
    """Both arguments are one array: what is read may be what is written."""
    m = np.arange(12, dtype=np.float32).reshape(3, 4)
    kernel = nv.jit(function_of("a[0] = b.sum(axis=0)", "a, b"))
    with pytest.raises(ValueError, match="needs a copy"):
        kernel[1, 1](m, m)
    kernel[1, 1](m[:1], m[1:])
    np.testing.assert_array_equal(m[0], m[1] + m[2])


@pytest.mark.mesa22
@pytest.mark.parametrize(
    "body",
    [
        "out[0] = m.sum(axis=(0, 2))",
        "out[0] = m.max(axis=(2, -3))",
        "out[0, 0] = m.sum(axis=(0, 1, 2))",
        "out[:, 0] = m.prod(axis=(1, 2))",
        "out[0] = (m * m - m[0, 0, 0]).sum(axis=(0, 2))",
        "s = m.sum(axis=(0, 2), keepdims=True)\nout[0] = m.min(axis=(0, 2))\nout[1, 0] = s[0, 1, 0]",
        "out[0, 0] = m.sum(keepdims=True)[0, 0, 0]",
        "out[1] = (m - m.max(axis=(0, 2), keepdims=True)).sum(axis=(0, -1))",
        "out[0] = m.any(axis=(0, 2))\nout[1, 0] = np.count_nonzero(m, axis=(0, 1))[2]",
        "out[0] = m.var(axis=(0, 2), ddof=1) > 3",
    ],
)
@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_several_axes(device, body):
    check(
        function_of(body, "m, out"),
        lambda: (np.arange(24, dtype=np.int32).reshape(2, 3, 4) % 7 - 2, np.zeros((2, 3), np.int64)),
    )


def test_what_is_refused(device):
    m, out = np.zeros((2, 2)), np.zeros(2)
    for body, text in (
        ("out[0] = m.sum(axis=2)[0]", "sum along axis 2 of an array with 2 axes"),
        ("out[0] = m.sum(axis=n)[0]", "needs axis, ddof and keepdims that are constants"),
        ("out[0] = m.sum(axis=(0, n))[0]", "that are constants"),
        ("out[0] = m.sum(axis=(0, -2))", "one is named twice"),
        ("out[0] = m.argmax(axis=(0, 1))", "argmax takes one axis"),
        ("out[0] = m.min(dtype=np.float32)", "min takes an array, axis and keepdims"),
        ("out[0] = (m.reshape(2, 1, 2) @ m)[0]", "those of vectors and matrices"),
    ):
        with pytest.raises(NumbaError) as caught:
            nv.jit(function_of(body, "m, out, n"))[1, 1](m, out, 1)
        assert text in str(caught.value)


@nv.jit
def normalise(x, out):
    i = nv.global_id(0)
    if i < x.shape[0]:
        deviations = x.std(axis=0)
        means = x.mean(axis=0)
        for j in range(x.shape[1]):
            out[i, j] = (x[i, j] - means[j]) / deviations[j]


@pytest.mark.mesa22
def test_in_every_invocation(device):
    x = np.random.default_rng(1).random((60, 5), np.float32)
    out = np.zeros_like(x)
    normalise.forall(60)(x, out)
    np.testing.assert_allclose(out, (x - x.mean(axis=0)) / x.std(axis=0), rtol=1e-4)
