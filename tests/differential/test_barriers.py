"""Random kernels whose invocations part in front of barriers compute what each invocation computes alone."""

import numpy as np
import pytest

import numba_vulkan as nv
from differential import barrier_programs


@pytest.mark.mesa22
def test_programs_with_barriers(device, program_count, program_seed):
    count = max(program_count // 16, 10)
    refused = 0
    for seed in range(program_seed, program_seed + count):
        kernel = barrier_programs.kernel_of(seed)
        x = np.random.default_rng(seed).integers(0, 100, barrier_programs.SIZE).astype(np.int32)
        for n in (0, 1, 3):
            out = np.zeros((4, barrier_programs.SIZE), np.int64)
            try:
                kernel[1, barrier_programs.SIZE](x, n, out)
            except nv.VulkanUnsupportedError as error:
                if "must reach the same barriers" not in str(error):
                    raise
                refused += 1
                break
            expected = barrier_programs.expected_of(seed, x, n)
            assert (out == expected).all(), f"n = {n}\n{barrier_programs.source_of(seed)}\n{out - expected}"
    print(f"{count - refused} of {count} programs ran")
    assert refused < count * 0.9
