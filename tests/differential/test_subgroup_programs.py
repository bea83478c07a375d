"""Random kernels with subgroup operations where invocations part: results where they are promised, else agreement."""

import numpy as np
import pytest

from differential import subgroup_programs


@pytest.mark.needs("subgroup_arithmetic")
def test_programs_of_subgroups(device, program_count, program_seed):
    for seed in range(program_seed, program_seed + max(program_count // 40, 6)):
        kernel = subgroup_programs.kernel_of(seed)
        x = np.random.default_rng(seed).integers(0, 100, subgroup_programs.SIZE).astype(np.int32)
        for n in (0, 3):
            out = np.zeros((subgroup_programs.ROWS, subgroup_programs.SIZE), np.int64)
            kernel[1, subgroup_programs.SIZE](x, n, out)
            expected = subgroup_programs.expected_of(seed, x, n, device.info.subgroup_size)
            assert (out == expected).all(), f"n = {n}\n{subgroup_programs.source_of(seed)}\n{out - expected}"
