"""Launches from several threads at once: each gets its own results and its own errors."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import numba_vulkan as nv


@nv.jit
def copy_below(x, out, limit):
    i = nv.global_id(0)
    if i < x.size:
        if i == limit:
            raise ValueError("at the limit")
        out[i] = x[i]


def test_errors_reach_the_thread_that_launched(device):
    def outcomes(thread: int) -> list[str]:
        x = np.arange(1000 + thread, dtype=np.int32)
        found = []
        for repetition in range(40):
            out = np.zeros_like(x)
            try:
                copy_below.forall(x.size)(x, out, 5 if repetition % 2 else -1)
            except ValueError as error:
                found.append(str(error))
            else:
                np.testing.assert_array_equal(out, x)
                found.append("")
        return found

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(outcomes, range(4)))
    assert results == [["", "at the limit"] * 20] * 4
