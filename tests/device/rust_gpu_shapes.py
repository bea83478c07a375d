"""The shapes of rust-gpu's control-flow tests, written anew: functions of a small number that is not negative."""

# The shapes are the point, also where Python could say it shorter.
# ruff: noqa: RET505, RET507, RET508, F841

from __future__ import annotations


def if_(v: int) -> int:
    r = 0
    if v > 3:
        r = 1
    return r


def if_else(v: int) -> int:
    r = 0
    if v % 2:
        r = v
    else:
        r = -v
    return r


def if_else_if_else(v: int) -> int:
    r = 0
    if v > 10:
        r = 1
    elif v > 2:
        r = 2
    else:
        r = 3
    return r


def if_if(v: int) -> int:
    r = 0
    if v > 2:
        if v % 2:
            r = v
        r += 1
    return r


def ifx2(v: int) -> int:
    r = 0
    if v > 2:
        r += 1
    if v > 5:
        r += 10
    return r


def if_return_else(v: int) -> int:
    r = 0
    if v > 6:
        return 50
    else:
        r = v
    return r


def if_return_else_return(v: int) -> int:
    r = 0
    if v > 6:
        return 50
    else:
        return v


def if_while(v: int) -> int:
    r = 0
    if v > 2:
        while r < v:
            r += 3
    return r


def loop_(v: int) -> int:
    r = 0
    while True:
        r += 1
        if r * r > v:
            break
    return r


def while_(v: int) -> int:
    r = 0
    while r < v:
        r += 2
    return r


def while_break(v: int) -> int:
    r = 0
    while r < v:
        break
    return r


def while_continue(v: int) -> int:
    r = 0
    while r < v:
        r += 1
        continue
    return r


def while_return(v: int) -> int:
    r = 0
    while r < v:
        return 7
    return r


def while_if_break(v: int) -> int:
    r = 0
    while r < v:
        r += 1
        if r % 5 == 4:
            break
    return r


def while_if_break_else_break(v: int) -> int:
    r = 0
    while r < v:
        r += 1
        if r == v:
            break
        else:
            break
    return r


def while_if_break_if_break(v: int) -> int:
    r = 0
    while r < v:
        r += 1
        if r == 9:
            break
        if r * 2 == v:
            break
    return r


def while_if_continue(v: int) -> int:
    r = 0
    while r < v:
        r += 1
        if r % 2:
            continue
        r += 3
    return r


def while_if_continue_else_continue(v: int) -> int:
    r = 0
    while r < v:
        if r % 2:
            r += 1
            continue
        else:
            r += 3
            continue
    return r


def while_while(v: int) -> int:
    r = 0
    while r < v:
        k = 0
        while k < 3:
            k += 1
        r += k
    return r


def while_while_break(v: int) -> int:
    r = 0
    while r < v:
        while r < 20:
            break
        r += 2
    return r


def while_while_if_break(v: int) -> int:
    r = 0
    while r < v:
        while r < 20:
            r += 1
            if r % 4 == 0:
                break
        r += 2
    return r


def while_while_continue(v: int) -> int:
    r = 0
    while r < v:
        while r % 3 != 0:
            r += 1
            continue
        r += 1
    return r


def while_while_if_continue(v: int) -> int:
    r = 0
    while r < v:
        k = 0
        while k < 4:
            k += 1
            if k == 2:
                continue
            r += 1
        r += 1
    return r


def for_range(v: int) -> int:
    r = 0
    for k in range(v):
        r += k
    return r


def for_range_signed(v: int) -> int:
    r = 0
    for k in range(-3, v - 8):
        r += k * k
    return r


def for_with_step(v: int) -> int:
    r = 0
    for k in range(v, -1, -3):
        r = r * 2 + k
    return r


def defer(v: int) -> int:
    r = 0
    while True:
        if v < 5:
            break
        r = v
        break
    r += 1
    return r


def match_in_loop_that_returns(v: int) -> int:
    r = 0
    k = v
    while True:
        if k == 0:
            return r
        elif k == 1:
            r += 5
        elif k % 2 == 0:
            r += 2
            k //= 2
            continue
        k -= 1
    return r


def option_of_an_iterator(v: int) -> int:
    r = 0
    k = 0
    while True:
        has_next = k < v
        value = k if has_next else 0
        k += 1
        if not has_next:
            break
        if value % 3 == 1:
            continue
        r += value
    return r
