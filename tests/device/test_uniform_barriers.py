"""Barriers in front of which invocations part: results are those of invocations that wait for each other."""

import numpy as np
import pytest

import numba_vulkan as nv


@nv.jit
def early_return(x, out):
    part = nv.shared.array(64, np.int32)
    t = nv.local_id(0)
    i = nv.global_id(0)
    part[t] = 0
    if i >= x.size:
        return
    part[t] = x[i]
    nv.barrier()
    out[i] = part[t] + part[t ^ 1]


@pytest.mark.mesa22
def test_early_return(device):
    x = np.arange(1, 101, dtype=np.int32)
    out = np.full(128, -1, np.int32)
    early_return[2, 64](x, out)
    padded = np.zeros(128, np.int32)
    padded[:100] = x
    np.testing.assert_array_equal(out[:100], (padded + padded.reshape(-1, 2)[:, ::-1].ravel())[:100])
    assert (out[100:] == -1).all()


@nv.jit
def return_with_work(x, out):
    part = nv.shared.array(64, np.int32)
    t = nv.local_id(0)
    if t % 3 == 0:
        part[t] = -x[t]
        out[t] = 7
        return
    if t % 3 == 1:
        part[t] = 2 * x[t]
        out[t] = 8
        return
    part[t] = x[t]
    nv.barrier()
    step = 1
    total = 0
    while step < 64:
        total += part[(t + step) % 64]
        nv.barrier()
        step *= 2
    out[t] = total


@pytest.mark.mesa22
def test_work_before_the_return(device):
    x = np.random.default_rng(1).integers(0, 99, 64).astype(np.int32)
    out = np.zeros(64, np.int32)
    return_with_work[1, 64](x, out)
    t = np.arange(64)
    part = np.select([t % 3 == 0, t % 3 == 1], [-x, 2 * x], x)
    total = sum(np.roll(part, -(2**k)) for k in range(6))
    np.testing.assert_array_equal(out, np.select([t % 3 == 0, t % 3 == 1], [7, 8], total))


@nv.jit
def barrier_in_branch(x, out):
    part = nv.shared.array(64, np.int32)
    t = nv.local_id(0)
    value = 5
    if t < x.size:
        part[t] = x[t]
        nv.barrier()
        value = part[x.size - 1 - t]
        nv.barrier()
        part[t] = value
    out[t] = value + t


@pytest.mark.mesa22
def test_barrier_in_a_branch(device):
    x = np.random.default_rng(2).integers(0, 99, 50).astype(np.int32)
    out = np.zeros(64, np.int32)
    barrier_in_branch[1, 64](x, out)
    np.testing.assert_array_equal(out, np.concatenate([x[::-1], np.full(14, 5)]) + np.arange(64))


@nv.jit
def skipped_rounds(x, out):
    part = nv.shared.array(64, np.int32)
    t = nv.local_id(0)
    total = 0
    for k in range(8):
        part[t] = x[t] * k
        if (t + k) % 4 == 0:
            total += 1000
            continue
        nv.barrier()
        total += part[(t + 1) % 64]
        nv.barrier()
    out[t] = total


@pytest.mark.mesa22
def test_continue_before_a_barrier(device):
    x = np.random.default_rng(3).integers(0, 99, 64).astype(np.int32)
    out = np.zeros(64, np.int32)
    skipped_rounds[1, 64](x, out)
    t, k = np.meshgrid(np.arange(64), np.arange(8), indexing="ij")
    np.testing.assert_array_equal(out, np.where((t + k) % 4 == 0, 1000, np.roll(x, -1)[:, None] * k).sum(1))


@nv.jit
def leaving_the_loop(x, rounds, out):
    part = nv.shared.array(64, np.int32)
    t = nv.local_id(0)
    total = 0
    last = -1
    for k in range(10):
        part[t] = x[t] + k
        if k == rounds[t]:
            total += 10_000 * k
            break
        last = k
        nv.barrier()
        total += part[(t + 1) % 64]
        nv.barrier()
    nv.barrier()
    out[t] = total + 100_000 * (last + k)


@pytest.mark.mesa22
def test_break_before_a_barrier(device):
    random = np.random.default_rng(4)
    x, rounds = random.integers(0, 99, 64).astype(np.int32), random.integers(0, 13, 64).astype(np.int32)
    out = np.zeros(64, np.int32)
    leaving_the_loop[1, 64](x, rounds, out)
    expected = []
    for t in range(64):
        n = (t + 1) % 64
        # Its neighbour's value is that of its last round.
        total = sum(x[n] + min(k, rounds[n]) for k in range(min(10, rounds[t])))
        left = rounds[t] < 10
        expected.append(
            total
            + (10_000 * rounds[t] if left else 0)
            + 100_000 * ((rounds[t] - 1 + rounds[t]) if left else 18)
        )
    np.testing.assert_array_equal(out, expected)


@nv.jit
def helper(part, t, n):
    if t >= n:
        return 0
    nv.barrier()
    return part[n - 1 - t]


@nv.jit
def returns_in_functions(x, out):
    part = nv.shared.array(64, np.int32)
    t = nv.local_id(0)
    part[t] = x[t]
    first = helper(part, t, 40)
    nv.barrier()
    part[t] = first
    out[t] = first + helper(part, t, 20)


def test_return_inside_an_inlined_function(device):
    x = np.random.default_rng(5).integers(1, 99, 64).astype(np.int32)
    out = np.zeros(64, np.int32)
    returns_in_functions[1, 64](x, out)
    first = np.concatenate([x[:40][::-1], np.zeros(24, np.int32)])
    second = np.concatenate([first[:20][::-1], np.zeros(44, np.int32)])
    np.testing.assert_array_equal(out, first + second)


@nv.jit
def nested(x, n, out):
    part = nv.shared.array(64, np.int32)
    t = nv.local_id(0)
    if t >= 60 or n == 0:
        return
    total = 0
    for k in range(n):
        if x[t] > 80:
            out[t] = -k - 1
            return
        part[t] = x[t] + k
        if t % 2 == 0:
            nv.barrier()
            total += part[(t + 2) % 60]
        nv.barrier()
        if x[t] % 5 == 0 and k % 2 == 1:
            total += 1
            continue
        total += part[t] * 2
        nv.barrier()
    out[t] = total


@pytest.mark.mesa22
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_nested(device, n):
    x = np.random.default_rng(6).integers(0, 90, 64).astype(np.int32)
    out = np.zeros(64, np.int32)
    nested[1, 64](x, n, out)
    expected = np.zeros(64, np.int64)
    for t in range(60 if n else 0):
        if x[t] > 80:
            expected[t] = -1
            continue
        for k in range(n):
            # Who has left wrote nothing to its place.
            if t % 2 == 0 and x[(t + 2) % 60] <= 80:
                expected[t] += x[(t + 2) % 60] + k
            expected[t] += 1 if x[t] % 5 == 0 and k % 2 == 1 else 2 * (x[t] + k)
    is_defined = np.array([t % 2 == 1 or x[(t + 2) % 60] <= 80 for t in range(64)])
    np.testing.assert_array_equal(out[is_defined], expected[is_defined])


# ---------------------------------------------------------------- jumps over a barrier out of inner control flow


@nv.jit
def return_out_of_conditions(x, out):
    part = nv.shared.array(64, np.int32)
    t = nv.local_id(0)
    part[t] = 1
    nv.barrier()
    if x[t] > 20:
        if x[t] % 2 == 0:
            out[t] = -1
            return
        out[t] = x[t]
    else:
        out[t] = 100
    nv.barrier()
    part[t] = 2
    nv.barrier()
    out[t] += part[(t + 1) % 64]


@pytest.mark.mesa22
def test_return_out_of_conditions(device):
    x = np.random.default_rng(8).integers(0, 60, 64).astype(np.int32)
    out = np.zeros(64, np.int32)
    return_out_of_conditions[1, 64](x, out)
    has_left = (x > 20) & (x % 2 == 0)
    neighbour = np.where(np.roll(has_left, -1), 1, 2)
    np.testing.assert_array_equal(out, np.where(has_left, -1, np.where(x > 20, x, 100) + neighbour))


@nv.jit
def return_out_of_a_loop(x, n, out):
    part = nv.shared.array(64, np.int32)
    t = nv.local_id(0)
    total = 0
    for k in range(n):
        for j in range(x[t] % 5):
            total += j
            if total > 12:
                out[t] = -k
                return
        part[t] = total
        nv.barrier()
        if part[5] > 100:
            break
        total += k
        nv.barrier()
    out[t] = total


@pytest.mark.mesa22
def test_return_out_of_a_loop(device):
    """The loop around the barrier ends for all alike, whoever has left it before."""
    x = np.random.default_rng(9).integers(0, 60, 64).astype(np.int32)
    out = np.zeros(64, np.int32)
    return_out_of_a_loop[1, 64](x, 4, out)
    np.testing.assert_array_equal(out, [alone_in_a_loop(int(v), 4) for v in x])


def alone_in_a_loop(v, n):
    total = 0
    for k in range(n):
        for j in range(v % 5):
            total += j
            if total > 12:
                return -k
        total += k
    return total


@nv.jit
def break_and_continue(x, n, out):
    part = nv.shared.array(64, np.int32)
    t = nv.local_id(0)
    total = 0
    for k in range(n):
        part[t] = total
        if x[t] > 10 * k:
            if x[t] % 3 == 0:
                total += 1
                continue
            if x[t] % 7 == 1:
                total += 100
                break
            total += 2
        else:
            total += 3
        nv.barrier()
        total += part[t] & 1
        nv.barrier()
    out[t] = total


@pytest.mark.mesa22
def test_break_and_continue_out_of_conditions(device):
    x = np.random.default_rng(10).integers(0, 60, 64).astype(np.int32)
    out = np.zeros(64, np.int32)
    break_and_continue[1, 64](x, 5, out)
    np.testing.assert_array_equal(out, [alone_with_jumps(int(v), 5) for v in x])


def alone_with_jumps(v, n):
    total = 0
    for k in range(n):
        mine = total
        if v > 10 * k:
            if v % 3 == 0:
                total += 1
                continue
            if v % 7 == 1:
                total += 100
                break
            total += 2
        else:
            total += 3
        total += mine & 1
    return total


# ---------------------------------------------------------------- what cannot be made uniform


@nv.jit
def both_ways(x, out):
    t = nv.local_id(0)
    if t < 32:
        out[t] = 1
        nv.barrier()
    else:
        out[t] = 2
        nv.barrier()


def test_refusals_name_the_lines(device):
    x, out = np.zeros(64, np.int32), np.zeros(64, np.int32)
    why = "both ways lead to barriers"
    with pytest.raises(
        nv.VulkanUnsupportedError, match=rf"test_uniform_barriers\.py:\d+: all .*{why}.*barriers\.py:\d+"
    ):
        both_ways[1, 64](x, out)
