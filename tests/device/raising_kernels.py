"""Kernels that raise, in a module whose asserts pytest does not rewrite."""

import numba_vulkan as nv


class OutOfStock(Exception):
    def __init__(self, item, left, price=0.0):
        super().__init__(item, left, price)
        self.item = item
        self.left = left


@nv.jit
def custom(x):
    i = nv.global_id(0)
    if i < x.size:
        if x[i] < 0:
            raise OutOfStock("pear", x[i], i * 0.5)
        x[i] += 1


@nv.jit
def inner(v, limit):
    if v > limit:
        raise OverflowError("too large", v, limit)
    return v * 2


@nv.jit
def outer(x, limit, out):
    i = nv.global_id(0)
    if i < x.size:
        out[i] = inner(x[i], limit)


@nv.jit
def six_numbers(a, b, c, d, e, f, out):
    raise ValueError(a, b, c, d, e, f)


@nv.jit
def no_arguments(x):
    if x[nv.global_id(0)] == 0:
        raise KeyError
    if x[nv.global_id(0)] == 1:
        raise StopIteration()
    assert x[0] == 2, "neither 0 nor 1 nor 2"


@nv.jit(boundscheck=True)
def pick(x, i, j, out):
    out[0] = x[i, j]


@nv.jit(boundscheck=True)
def pick_row(x, i, out):
    out[0] = x[i][2]
