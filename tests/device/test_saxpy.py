"""The first kernel of every user, on NumPy and device arrays."""

import numpy as np
import pytest

import numba_vulkan as nv


@nv.jit
def saxpy(a, x, y):
    i = nv.global_id(0)
    if i < x.size:
        y[i] = a * x[i] + y[i]


@pytest.mark.mesa22
@pytest.mark.parametrize("n", [1, 127, 128, 129, 1000, 70_001])
def test_numpy_arrays(device, n):
    x = np.arange(n, dtype=np.float32)
    y = np.linspace(-1, 1, n, dtype=np.float32)
    expected = np.float32(2.5) * x + y
    saxpy.forall(n)(np.float32(2.5), x, y)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(x, np.arange(n, dtype=np.float32))


@pytest.mark.mesa22
def test_device_arrays_stay_on_the_device(device):
    x = np.arange(1000, dtype=np.float32)
    y = np.ones(1000, dtype=np.float32)
    dx, dy = nv.to_device(x), nv.to_device(y)
    for _ in range(3):
        saxpy.forall(1000)(np.float32(0.5), dx, dy)
    assert (y == 1).all()
    np.testing.assert_array_equal(dy.copy_to_host(), 1 + x * np.float32(1.5))


def test_mixed_numpy_and_device_arrays(device):
    x = nv.to_device(np.arange(64, dtype=np.float32))
    y = np.zeros(64, dtype=np.float32)
    saxpy.forall(64)(np.float32(1), x, y)
    np.testing.assert_array_equal(y, np.arange(64))


def test_compiled_kernel_can_be_inspected(device):
    from numba import float32

    compiled = saxpy.compile((float32, float32[::1], float32[::1]))
    assert "define void @nv_kernel" in compiled.llvm_ir
    assert compiled.spirv[:4] == b"\x03\x02\x23\x07"
    assert "Shader" in compiled.capabilities
    assert "Int64" not in compiled.capabilities
    assert compiled.written_bindings == {3}
