"""Arrays of globals and closures."""

import numpy as np
import pytest
from numba.core.errors import NumbaError

import numba_vulkan as nv

PRIMES = np.array([2, 3, 5, 7, 11, 13], np.int64)
WEIGHTS = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))


@nv.jit
def weighted(x, out):
    i = nv.global_id(0)
    if i < out.size:
        total = np.float32(0)
        for k in range(3):
            total += WEIGHTS[i % 2, k] * x[k]
        out[i] = total + PRIMES[i % PRIMES.size] + PRIMES[-1]


@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_global_arrays(device):
    x, out = np.array([1, 10, 100], np.float32), np.zeros(12, np.float32)
    weighted.forall(12)(x, out)
    i = np.arange(12)
    np.testing.assert_array_equal(out, (WEIGHTS @ x)[i % 2] + PRIMES[i % 6] + 13)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint64", "float32"])
def test_closures_of_every_type(device, dtype):
    table = np.array([0, 1, 100, 3], dtype)[::-1]

    @nv.jit
    def reads(out):
        i = nv.global_id(0)
        if i < out.size:
            out[i] = table[i]

    out = np.zeros(4, dtype)
    reads.forall(4)(out)
    np.testing.assert_array_equal(out, table)


def test_the_array_is_that_of_the_first_compilation(device):
    table = np.arange(3)

    @nv.jit
    def reads(out):
        out[nv.global_id(0)] = table[1]

    for value in (1, 1):
        reads[1, 1](out := np.zeros(1, np.int64))
        assert out[0] == value
        table[1] = 50


def test_a_global_array_is_not_written(device):
    @nv.jit
    def writes(out):
        PRIMES[0] = out[0]

    with pytest.raises(NumbaError, match="readonly"):
        writes[1, 1](np.zeros(1, np.int64))
