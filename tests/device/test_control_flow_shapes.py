"""Shapes of control flow that are hard to bring into SPIR-V's structured form, each with fixed results."""

import numpy as np

import numba_vulkan as nv

N = 8


def results(kernel):
    """Run a kernel over the numbers 0 to 7, one invocation each."""
    out = np.full(N, -99, np.int64)
    kernel.forall(N)(np.arange(N, dtype=np.int64), out)
    return out.tolist()


@nv.jit
def return_in_nested_loop(x, out):
    i = nv.global_id(0)
    if i < out.size:
        for a in range(5):
            for b in range(5):
                if a * b == x[i] * 2:
                    out[i] = a * 10 + b
                    return
        out[i] = -1


def test_return_in_nested_loop(device):
    assert results(return_in_nested_loop) == [0, 12, 14, 23, 24, -1, 34, -1]


@nv.jit
def break_from_endless_loop_in_for(x, out):
    i = nv.global_id(0)
    if i < out.size:
        total = 0
        for a in range(4):
            n = x[i]
            while True:
                n += a + 1
                if n % 3 == 0:
                    break
                total += n
                if n > 20:
                    break
            total = total * 2 + n
        out[i] = total


def test_break_from_endless_loop_in_for(device):
    assert results(break_from_endless_loop_in_for) == [186, 495, 524, 387, 572, 567, 588, 637]


@nv.jit
def continue_of_the_outer_loop(x, out):
    i = nv.global_id(0)
    if i < out.size:
        count = 0
        for a in range(2, 30):
            for b in range(2, a):
                if a % b == 0:
                    break
            else:
                count += a
                continue
            if a > 10 + x[i]:
                break
            count -= 1
        out[i] = count


def test_continue_of_the_outer_loop_via_else(device):
    assert results(continue_of_the_outer_loop) == [23, 23, 35, 35, 34, 33, 49, 49]


@nv.jit
def conditions_that_share_branches(x, out):
    i = nv.global_id(0)
    if i < out.size:
        a = x[i]
        r = 0
        if (a > 1 and a < 4) or (a > 5 and a != 6):
            r += 1
        if a == 0 or (a > 2 and (a < 5 or a == 7)):
            r += 10
        if not (a < 3 or a > 6) and (a % 2 == 0 or a == 3):
            r += 100
        r += 1000 if (a > 3 and a < 6) or a == 1 else 2000
        out[i] = r


def test_conditions_that_share_branches(device):
    assert results(conditions_that_share_branches) == [2010, 1000, 2001, 2111, 1110, 1000, 2100, 2011]


@nv.jit
def chains_like_switches(x, out):
    i = nv.global_id(0)
    if i < out.size:
        state = x[i]
        r = 0
        for _ in range(6):
            if state == 0:
                state = 3
            elif state == 1 or state == 2:
                r += 10
                state = 5
                continue
            elif state == 3:
                r += 100
                state = 1
            elif state == 4:
                break
            elif state == 5:
                r += 1
                state = 4
            elif state == 6:
                out[i] = -r
                return
            else:
                state -= 5
            r += 1000
        out[i] = r + state


def test_chains_like_switches(device):
    assert results(chains_like_switches) == [3115, 1015, 1015, 2115, 4, 1005, 0, 2015]


@nv.jit
def values_of_a_loop_used_after_it(x, out):
    i = nv.global_id(0)
    if i < out.size:
        last = -1
        a = -5
        b = 0
        for a in range(x[i]):
            b = a * a
            last = b - a
            if last > 10:
                break
        out[i] = a * 10000 + b * 100 + last


def test_values_of_a_loop_used_after_it(device):
    assert results(values_of_a_loop_used_after_it) == [-50001, 0, 10100, 20402, 30906, 41612, 41612, 41612]


@nv.jit
def two_exits_with_different_values(x, out):
    i = nv.global_id(0)
    if i < out.size:
        n = x[i] * 3 + 1
        r = 0
        steps = 0
        while steps < 9:
            if n % 5 == 0:
                r = n + 1000
                break
            if n == 7:
                r = steps + 2000
                break
            n = n // 2 if n % 2 == 0 else n * 3 + 1
            steps += 1
        else:
            r = -n
        out[i] = r * 100 + steps


def test_two_exits_with_different_values(device):
    assert results(two_exits_with_different_values) == [
        -91,
        -391,
        200000,
        101000,
        104001,
        -191,
        -5191,
        104007,
    ]


@nv.jit
def loop_without_condition_at_its_head(x, out):
    i = nv.global_id(0)
    if i < out.size:
        a = x[i]
        n = 0
        while True:
            n += 1
            a = a * 5 % 13
            if a < 3:
                n += 100
            if a == 1 or n > 300:
                break
        out[i] = n * 100 + a


def test_loop_without_condition_at_its_head(device):
    assert results(loop_without_condition_at_its_head) == [
        30300,
        10401,
        31202,
        30902,
        30107,
        10301,
        30104,
        30109,
    ]


@nv.jit
def rotating_values(x, out):
    i = nv.global_id(0)
    if i < out.size:
        a, b, c, d = 1, 2, 3, 4
        for k in range(x[i]):
            a, b, c, d = b, c, d, a
            if k == 4:
                b, d = d, b
        out[i] = ((a * 10 + b) * 10 + c) * 10 + d


def test_rotating_values(device):
    assert results(rotating_values) == [1234, 2341, 3412, 4123, 1234, 2143, 1432, 4321]


@nv.jit
def swaps_through_a_loop(x, out):
    i = nv.global_id(0)
    if i < out.size:
        a, b = 1, x[i]
        for k in range(6):
            a, b = b, a + b
            if (k + x[i]) % 3 == 0:
                a, b = b, a
        out[i] = a * 1000 + b


def test_swaps_through_a_loop(device):
    assert results(swaps_through_a_loop) == [3004, 19011, 11030, 27037, 55032, 23063, 51070, 91053]


@nv.jit
def nested_loops_that_share_their_exit(x, out):
    i = nv.global_id(0)
    if i < out.size:
        a = 0
        b = 0
        found = False
        while a < 6 and not found:
            b = 0
            while b < 6 and not found:
                if a * 6 + b == x[i] * x[i]:
                    found = True
                else:
                    b += 1
            if not found:
                a += 1
        out[i] = a * 10 + b + (100 if found else 0)


def test_nested_loops_that_share_their_exit(device):
    assert results(nested_loops_that_share_their_exit) == [100, 101, 104, 113, 124, 141, 66, 66]


@nv.jit
def return_in_else_of_a_loop(x, out):
    i = nv.global_id(0)
    if i < out.size:
        r = 0
        for a in range(1, 4):
            for b in range(x[i]):
                if b == a + 1:
                    r += a
                    break
            else:
                out[i] = r - 100 * a
                return
            r += 10
        out[i] = r


def test_return_in_else_of_a_loop(device):
    assert results(return_in_else_of_a_loop) == [-100, -100, -100, -189, -277, 36, 36, 36]


@nv.jit
def break_of_two_loops_by_a_flag(x, out):
    i = nv.global_id(0)
    if i < out.size:
        r = 0
        for a in range(5):
            stop = False
            for b in range(5):
                r += b
                if a + b == x[i]:
                    stop = True
                    break
                if b == 3:
                    continue
                r += 10
            if stop:
                break
            r += 100
        else:
            r = -r
        out[i] = r * 10 + a


def test_break_of_two_loops_by_a_flag(device):
    assert results(break_of_two_loops_by_a_flag) == [0, 110, 230, 360, 400, 1901, 3402, 4903]


@nv.jit
def first_pair(x, limit):
    for a in range(6):
        if a == limit:
            return a, -1
        for b in range(a):
            if a * b > limit:
                return a, b
            if a + b == x:
                break
        else:
            continue
        if a == 3:
            return -a, 0
    return 0, 0


@nv.jit
def function_that_returns_from_everywhere(x, out):
    i = nv.global_id(0)
    if i < out.size:
        a, b = first_pair(x[i], 9 - x[i])
        c, d = first_pair(5, a + 4)
        out[i] = ((a * 10 + b) * 10 + c) * 10 + d


def test_function_that_returns_from_everywhere(device):
    assert results(function_that_returns_from_everywhere) == [
        4270,
        4270,
        4170,
        -2991,
        -2991,
        3170,
        2870,
        1870,
    ]


@nv.jit
def step_that_is_data(x, out):
    i = nv.global_id(0)
    if i < out.size:
        total = 0
        v = x[i]
        for k in range(v % 5, v % 5, (v & 3) * 2 - 3):
            total += k + 1000
        for k in range(v, 3, (v & 3) * 2 - 3):
            total = total * 4 + k
        out[i] = total


def test_empty_range_with_a_step_that_is_data(device):
    """LLVM proves the first loop empty; what it leaves of its body must go."""
    assert results(step_that_is_data) == [0, 0, 2, 0, 4, 24, 0, 0]


@nv.jit
def loop_that_cannot_be_left_but_by_return(x, out):
    i = nv.global_id(0)
    if i < out.size:
        n = x[i]
        while True:
            if n > 9:
                out[i] = n
                return
            for k in range(3):
                n += k
                if n == 8:
                    out[i] = -n
                    return
            n += 1


def test_loop_that_cannot_be_left_but_by_return(device):
    assert results(loop_that_cannot_be_left_but_by_return) == [-8, -8, 10, -8, -8, -8, 10, -8]


@nv.jit
def store_in_both_arms_and_after(x, out):
    i = nv.global_id(0)
    if i < out.size:
        for k in range(4):
            if (x[i] >> k) & 1:
                out[i] = out[i] * 2
                if k == 2:
                    break
            else:
                out[i] = out[i] + k
                if k == 1:
                    continue
            out[i] = out[i] + 1


def test_stores_stay_in_order(device):
    assert results(store_in_both_arms_and_after) == [-90, -189, -188, -386, -194, -392, -390, -786]
