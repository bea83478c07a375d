"""Sums, extremes and the like over arrays, views and operations on arrays."""

import numpy as np
import pytest

import numba_vulkan as nv
from device.against_python import check, function_of

METHODS = ["sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all"]
pytestmark = pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")


def body_of(name):
    return f"""
out[0] = a.{name}()
out[1] = np.{name}(m)
out[2] = m[:, 1].{name}()
out[3] = np.{name}(m.T[::2])
out[4] = (a[1:] * 2 - a[:-1]).{name}()
out[5] = np.{name}(m > 0)
"""


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("dtype", ["int32", "uint8", "float32"])
def test_reductions(device, name, dtype):
    def make():
        rng = np.random.default_rng(7)
        low = 0 if dtype == "uint8" else -9
        return rng.integers(low, 9, 7).astype(dtype), rng.integers(low, 5, (3, 4)).astype(dtype), np.zeros(6)

    body = body_of(name)
    if name in ("mean", "var", "std"):
        body = body.replace("np.mean(m > 0)", "0").replace("np.var(m > 0)", "0").replace("np.std(m > 0)", "0")
    check(function_of(body, "a, m, out"), make, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int32", "uint16", "int8"])
def test_sums_of_integers_are_exact(device, dtype):
    info = np.iinfo(dtype)

    def make():
        return np.array([info.max, info.min, info.max, 5], dtype), np.zeros(
            4, "uint64" if info.min == 0 else "int64"
        )

    check(
        function_of("out[0] = a.sum()\nout[1] = np.prod(a)\nout[2] = a.max()\nout[3] = a.argmin()", "a, out"),
        make,
    )


@pytest.mark.parametrize(
    "name",
    ["min", "max", "argmin", "argmax"]
    + ["nan" + n for n in ("sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax")],
)
def test_nan(device, name):
    def make():
        a = np.array([3, np.nan, -1, np.nan, 7], np.float32)
        return a, np.array([3, 1, 2], np.int32), np.zeros(3)

    check(
        function_of(f"out[0] = np.{name}(a)\nout[1] = np.{name}(a[2:3])\nout[2] = np.{name}(b)", "a, b, out"),
        make,
        rtol=1e-6,
    )


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_empty_arrays_have_no_extreme(device, name):
    with pytest.raises(ValueError, match=r"empty|zero-size"):
        nv.jit(function_of(f"out[0] = a[:0].{name}()", "a, out"))[1, 1](np.arange(3), np.zeros(1, np.int64))
    check(
        function_of("out[0] = a[:0].sum()\nout[1] = a[:0].prod()\nout[2] = a[:0].all()", "a, out"),
        lambda: (np.arange(3), np.ones(3, np.int64)),
    )


@nv.jit
def row_sums(x, out):
    i = nv.global_id(0)
    if i < x.shape[0]:
        out[i, 0] = x[i].sum()
        out[i, 1] = x[i].argmax()
        out[i, 2] = (x[i] * x[i, ::-1]).sum()


@pytest.mark.mesa22
def test_a_row_for_each_invocation(device):
    x = np.random.default_rng(1).integers(-99, 99, (200, 13)).astype(np.int32)
    out = np.zeros((200, 3), np.int64)
    row_sums.forall(200)(x, out)
    np.testing.assert_array_equal(
        out, np.stack([x.sum(axis=1), x.argmax(axis=1), (x * x[:, ::-1]).sum(axis=1)], axis=1)
    )
