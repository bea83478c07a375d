"""Random programs of array operations leave what NumPy leaves, or raise where a copy would be needed."""

import numpy as np

import numba_vulkan as nv
from device.against_python import function_of
from differential.array_programs import PARAMETERS, array_program

# What the kernel language refuses instead of giving a wrong value.
_REFUSAL = "overlap in a way that needs a copy"


def is_refused(function, got):
    """Run a program; return whether it raised because an assignment would have needed a copy."""
    try:
        nv.jit(function)[1, 1](*got)
    except ValueError as error:
        if _REFUSAL not in str(error):
            raise
        return True
    return False


def arguments(seed):
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(-(2**31), 2**31 - 1, 8).astype(np.int32) for _ in range(2))
    return a, b, rng.integers(-9, 9, (3, 4)).astype(np.int32), np.zeros(8, np.int64)


def test_array_programs(device, program_count, program_seed):
    count = max(program_count // 30, 5)
    agreed = 0
    for seed in range(program_seed, program_seed + count):
        body = array_program(seed)
        function = function_of(body, PARAMETERS)
        expected, got = arguments(seed), arguments(seed)
        with np.errstate(all="ignore"):
            function(*expected)
        if is_refused(function, got):
            continue
        agreed += 1
        for e, g in zip(expected, got, strict=True):
            np.testing.assert_array_equal(g, e, err_msg=f"seed {seed}:\n{body}")
    assert agreed >= count // 2
