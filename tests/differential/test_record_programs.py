"""Random programs over random records leave what NumPy leaves, whatever the places of the fields."""

import numpy as np
import pytest

import numba_vulkan as nv
from device.against_python import function_of
from device.record_data import filled
from differential.record_programs import PARAMETERS, record_program

COUNT = 7


def kernel_of(function):
    body = nv.jit(function)

    @nv.jit
    def kernel(a, b, out):
        i = nv.global_id(0)
        if i < out.size:
            body(i, a, b, out)

    return kernel


@pytest.mark.filterwarnings("ignore::numba_vulkan.VulkanPrecisionWarning")
def test_record_programs(device, program_count, program_seed):
    for seed in range(program_seed, program_seed + max(program_count // 10, 5)):
        dtype, body = record_program(seed)
        function = function_of(body, PARAMETERS)
        got, expected = (
            (filled(dtype, COUNT, seed), filled(dtype, COUNT, seed + 1), np.zeros(COUNT, np.float64))
            for _ in range(2)
        )
        kernel_of(function).forall(COUNT)(*got)
        for i in range(COUNT):
            function(i, *expected)
        for g, e in zip(got, expected, strict=True):
            np.testing.assert_array_equal(g, e, err_msg=f"seed {seed}: {dtype}\n{body}")
