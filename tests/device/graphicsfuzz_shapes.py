"""Themes of GraphicsFuzz's control-flow tests in Vulkan's conformance suite, written anew; see rust_gpu_shapes."""

# The shapes are the point, also where Python could say it shorter.
# ruff: noqa: RET504, RET505, SIM102, B007

from __future__ import annotations

import numba


@numba.njit
def helper(k: int) -> int:
    if k > 5:
        return k - 5
    elif k == 2:
        return 9
    return k + 1


@numba.njit
def looping(k: int) -> int:
    for j in range(k % 8):
        if j * j > k:
            return j
    while k > 3:
        k -= 4
        if k == 2:
            return 100
    return k


def continue_and_merge(v: int) -> int:
    r = 0
    for a in range(4):
        for b in range(4):
            if a * b > v:
                continue
            r += 1
        if r > 9:
            continue
        r += 10
    return r


def control_flow_switch(v: int) -> int:
    r = 0
    for k in range(v % 7):
        c = (v + k) % 5
        if c == 0:
            r += 1
        elif c == 1:
            break
        elif c == 2:
            r += 3
            continue
        elif c == 3:
            return -r
        r += 20
    return r


def do_while_false_loops(v: int) -> int:
    r = 0
    while True:
        while True:
            r += v
            if v < 0:
                continue
            break
        break
    return r


def do_while_loop_in_conditionals(v: int) -> int:
    r = 0
    if v > 1:
        if v > 4:
            while True:
                r += 1
                if r * 3 > v:
                    break
        else:
            while True:
                r += 2
                if r > v:
                    break
    return r


def early_return_and_loop(v: int) -> int:
    r = 0
    if v == 3:
        return -1
    for k in range(v):
        if k == 9:
            return k
        r += k
    return r


def for_loop_in_switch_with_return(v: int) -> int:
    r = 0
    if v % 4 == 0:
        r = 1
    elif v % 4 == 1:
        for k in range(v + 1):
            if k == 5:
                return 77
            r += 1
    elif v % 4 == 2:
        return 5
    return r


def for_with_ifs_and_return(v: int) -> int:
    r = 0
    for k in range(12):
        if k > v:
            if k % 2:
                return r
        if k == 10:
            return -5
        r += k
    return r


def loops_ifs_continues_call(v: int) -> int:
    r = 0
    k = 0
    while k < v:
        k += 1
        if k % 3 == 0:
            continue
        if helper(k) > 6:
            continue
        r += helper(r)
    return r


def nested_for_loops_with_return(v: int) -> int:
    r = 0
    for a in range(5):
        for b in range(a, 6):
            for c in range(2):
                if a + b + c == v:
                    return a * 100 + b * 10 + c
                r -= 1
    return r


def pow_undefined_replaced_by_loop(v: int) -> int:
    r = 0
    k = 1
    for _ in range(5):
        k = k * v % 1000
        if k == 0:
            break
    r = k
    return r


def return_before_end_of_loop(v: int) -> int:
    r = 0
    while True:
        r += 2
        if r > v:
            return r
        if r > 40:
            break
    return r


def return_in_loop_in_function(v: int) -> int:
    r = 0
    r = helper(v)
    for k in range(3):
        r += looping(r + k)
    return r


def several_discard_calls_in_loop(v: int) -> int:
    r = 0
    for k in range(6):
        if k == v:
            return helper(k)
        if k * 2 == v:
            return looping(k)
        r += 1
    return r


def switch_case_with_fallthrough(v: int) -> int:
    r = 0
    c = v % 4
    if c == 0 or c == 1:
        if c == 0:
            r += 1
        r += 10
    elif c == 3:
        r += 100
    r += 1000
    return r


def switch_in_loop_with_break_of_both(v: int) -> int:
    r = 0
    k = v
    while k > 0:
        if k % 5 == 4:
            k -= 1
        elif k % 5 == 3:
            break
        else:
            k -= 2
        r += k
    return r


def two_loops_back_to_back(v: int) -> int:
    r = 0
    for k in range(v):
        r += 1
        if r == 8:
            break
    for k in range(r):
        r += k
    return r


def two_nested_infinite_loops(v: int) -> int:
    r = 0
    while True:
        while True:
            r += 1
            if r % 3 == 0:
                break
            if r > v:
                return r
        if r > 2 * v:
            break
    return r


def unreachable_loops(v: int) -> int:
    r = 0
    if v > 1000:
        while True:
            while True:
                r += 1
                if r > 5:
                    break
            r += 2
            if r > 90:
                break
    r += v
    return r


def while_inside_switch(v: int) -> int:
    r = 0
    if v % 3 == 0:
        while r < v:
            r += 4
    elif v % 3 == 1:
        while True:
            r += 5
            if r > v:
                break
    else:
        r = -v
    return r


def conditional_return_in_infinite_while(v: int) -> int:
    r = 0
    while True:
        if v < 5:
            r += 1
        if r > v or v >= 5:
            return r
    return r


def loop_with_two_continues_to_one_head(v: int) -> int:
    r = 0
    k = 0
    while k < 10:
        k += 1
        if k == v:
            continue
        if k % 4 == v % 4:
            r += 1
            continue
        r += 100
    return r


def merge_of_loop_and_selection(v: int) -> int:
    r = 0
    for k in range(5):
        if v > k:
            if v % 2:
                r += 1
                break
            r += 2
        else:
            break
    return r
