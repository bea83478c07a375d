"""Views of arrays inside kernels: slices, partial indices, transposes, reshapes, iteration, and assignments."""

import numpy as np
import pytest
from numba.core.errors import NumbaError

import numba_vulkan as nv
from device.against_python import check, function_of

LAYOUTS = {
    "C": lambda a: a,
    "F": np.asfortranarray,
    "transposed": lambda a: np.ascontiguousarray(a.T).T,
    "every other column": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "reversed": lambda a: a[::-1].copy()[::-1],
    "inner block": lambda a: np.pad(a, 2)[(slice(2, -2),) * a.ndim],
}

SLICES = [
    "1:5", "5:1", ":", "::2", "1::3", "::-1", "5:1:-2", "-3:", ":-3", "-20:20", "20:-20:-1", "3:3", "-1:-5:-1",
    "2:100:3", "100::-3", ":0:-1", "8:", "9:", "-9:2", "::100", "::-100",
]  # fmt: skip


@pytest.mark.mesa22
@pytest.mark.parametrize("part", SLICES)
def test_slices_of_one_axis(device, part):
    body = f"""
v = a[{part}]
out[0] = v.size
out[1] = v.ndim
for i in range(v.size):
    out[2 + i] = v[i] * 10 + v[-1 - i]
w = a[{part}][1:][::-1]
out[15] = len(w)
for x in w:
    out[14] = out[14] * 3 + x
"""
    check(
        function_of(body, "a, out"),
        lambda: (np.arange(1, 10, dtype=np.int32), np.zeros(20, np.int64)),
    )


def test_slices_with_bounds_and_steps_known_at_run_time(device):
    bounds = [
        (a, b, s)
        for a in (-12, -3, 0, 4, 12)
        for b in (-12, -2, 0, 5, 2**40)
        for s in (-(2**40), -3, -1, 1, 2)
    ]
    body = """
for k in range(bounds.shape[0]):
    v = a[bounds[k, 0] : bounds[k, 1] : bounds[k, 2]]
    total = v.size
    for x in v:
        total = total * 7 + x
    out[k] = total
    w = a[bounds[k, 0] : bounds[k, 1]]
    total = w.size
    for x in w:
        total = total * 7 + x
    out[k] += total * 1000
"""
    check(
        function_of(body, "a, bounds, out"),
        lambda: (np.arange(1, 10), np.array(bounds, np.int64), np.zeros(len(bounds), np.int64)),
    )


def test_a_step_of_zero(device):
    @nv.jit
    def steps(a, step):
        a[::step] = 1

    a = np.zeros(4, np.int32)
    with pytest.raises(ValueError, match="slice step cannot be zero") as caught:
        steps[1, 1](a, 0)
    assert "'steps'" in caught.value.__notes__[0]
    assert "test_views.py" in caught.value.__notes__[0]


PARTS = [
    "1", "-1", "1, 2", "0:2", "1, ::2", ":, 1", "..., 0", "0, ..., 1", "...", "::-1, ::-1", ":, None, 1", "None, 1",
    "None", "1:, :2, -1", ":, :, ::-2", "1, None, :, 2", "-1, 1:3, 0:4:3",
]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("part", PARTS)
def test_views_of_three_axes(device, layout, part):
    shape = np.zeros((3, 4, 5))[eval(f"np.index_exp[{part}]")].shape
    loops = "".join(f"{'    ' * k}for i{k} in range({n}):\n" for k, n in enumerate(shape))
    index = ", ".join(f"i{k}" for k in range(len(shape)))
    body = f"""
v = a[{part}]
n = 0
for axis in range({len(shape)}):
    out[n] = v.shape[axis]
    n += 1
{loops}{"    " * len(shape)}out[n] = v[{index}]
{"    " * len(shape)}n += 1
b[{part}] = 7
b[{part}][..., 0] = 3
"""

    def arguments():
        a = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
        return LAYOUTS[layout](a), LAYOUTS[layout](np.zeros_like(a)), np.full(80, -1)

    if not shape:
        body = body.replace("v.shape[axis]", "0").replace("[..., 0] = 3", " = 3")
    check(function_of(body, "a, b, out"), arguments)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_transposes(device, layout):
    body = """
t = a.T
u = a.transpose(1, 0, 2)
w = a.transpose((2, 0, 1))
n = 0
for i in range(a.shape[0]):
    for j in range(a.shape[1]):
        for k in range(a.shape[2]):
            out[n, 0] = t[k, j, i]
            out[n, 1] = u[j, i, k]
            out[n, 2] = w[k, i, j]
            n += 1
out[n, 0] = t.shape[0] * 100 + u.shape[0] * 10 + w.shape[1]
a.T[1, :, 0] = 9
"""

    def arguments():
        return LAYOUTS[layout](np.arange(24, dtype=np.int16).reshape(2, 3, 4)), np.zeros((30, 3), np.int32)

    check(function_of(body, "a, out"), arguments)


def test_reshapes(device):
    body = """
m = a.reshape(3, 4)
n = a.reshape((2, -1, 2))
r = m.ravel()
s = a[1::2].reshape(3, 2)
t = m[1:].reshape(-1)
k = 0
for i in range(3):
    for j in range(4):
        out[k] = m[i, j] + 100 * n[k // 6, k % 6 // 2, k % 2] + 10000 * r[k]
        k += 1
out[k] = n.shape[1]
out[k + 1] = s[2, 1] + 100 * s[0, 1]
out[k + 2] = t[3] * 1000 + t.size
m[2, :] = 5
r[0] = 77
s[1, 1] = 66
"""
    check(function_of(body, "a, out"), lambda: (np.arange(12), np.zeros(20, np.int64)))


@pytest.mark.parametrize("shape", ["(5, 2)", "(-1, 5)", "(-1, -1)", "(-2, 6)"])
def test_reshapes_of_the_wrong_size(device, shape):
    with pytest.raises(ValueError, match="cannot reshape"):
        nv.jit(function_of(f"a.reshape({shape})[0, 0] = 1", "a"))[1, 1](np.zeros(12, np.int32))


@pytest.mark.parametrize("use", ["a.T.ravel()[0]", "a[:, 1:].reshape(6)[0]"])
def test_reshapes_that_need_a_copy(device, use):
    with pytest.raises(NumbaError, match="would need a copy"):
        nv.jit(function_of(f"a[0, 0] = {use}", "a"))[1, 1](np.zeros((2, 4), np.int32))


def test_iteration(device):
    body = """
n = 0
for v in a:
    out[n] = v
    n += 1
for i, v in enumerate(a[::-1]):
    out[n] = v * 10 + i
    n += 1
for x, y in zip(a, b[1:]):
    out[n] = x * 100 + y
    n += 1
for v in reversed(a):
    out[n] = v
    n += 1
for k in reversed(range(3, 15, 4)):
    out[n] = k
    n += 1
for row in m:
    for v in row:
        out[n] = v
        n += 1
    row[0] = 50
for row, other in zip(m.T, m[::-1].T):
    out[n] = row[0] * 10 + other[0]
    n += 1
for row in m:
    row[1:] = row[0]
"""
    check(
        function_of(body, "a, b, m, out"),
        lambda: (
            np.array([4, 1, 3], np.int32),
            np.array([9, 8, 7, 6], np.uint8),
            np.arange(6, dtype=np.int32).reshape(2, 3),
            np.zeros(40, np.int64),
        ),
    )


@nv.jit
def fill(v, value):
    for i in range(v.shape[0]):
        v[i] = value


@nv.jit
def second_half(v):
    return v[v.size // 2 :]


@nv.jit
def views_and_functions(a):
    i = nv.global_id(0)
    if i < a.shape[0]:
        fill(a[i], i)
        fill(second_half(a[i]), 10 * i)
        fill(a[i, 1::4], -1)


def test_views_passed_to_and_returned_by_functions(device):
    a = np.zeros((50, 8), np.int32)
    views_and_functions.forall(50)(a)
    expected = np.repeat(np.arange(50)[:, None], 8, axis=1)
    expected[:, 4:] *= 10
    expected[:, 1::4] = -1
    np.testing.assert_array_equal(a, expected)


ASSIGNMENTS = [
    "a[1:3] = b[4:6]",
    "a[:] = b",
    "a[...] = b[::-1]",
    "a[::2] = 5",
    "a[2:5] = (1, 2, 3)",
    "a[3:] = c[3:]",
    "m[1, :] = b[:4]",
    "m[:, 1] = b[:3]",
    "m[:] = b[1:5]",
    "m[...] = b[:3].reshape(3, 1)",
    "m[1:] = m[0]",
    "m[:, :2] = m[:, 2:]",
    "m.T[:] = b[2:5]",
    "m[2:3, :] = b[:4].reshape(1, 1, 4)",
    "a[2:2] = b[3:3]",
    # of what they overwrite
    "a[1:] = a[:-1]",
    "a[:-1] = a[1:]",
    "a[::-1][1:] = a[::-1][:-1]",
    "a[::-1][:-1] = a[::-1][1:]",
    "a[4:] = a[:4]",
    "a[:4] = a[7:3:-1]",
    "m[1:] = m[:-1]",
    "m[:-1] = m[1:]",
    "m[1:, 1:] = m[:-1, :-1]",
    "m[:-1, 1:] = m[1:, :-1]",
    "m[1:, :-1] = m[:-1, 1:]",
    "a[1::2] = a[::2]",
    "a[:] = a",
    "m[::-1][1:] = m[::-1][:-1]",
    "m.T[1:] = m.T[:-1]",
]


@pytest.mark.mesa22
@pytest.mark.parametrize("statement", ASSIGNMENTS)
def test_assignments_to_views(device, statement):
    def arguments():
        rng = np.random.default_rng(1)
        return (
            np.arange(1, 9, dtype=np.int32),
            rng.integers(-100, 100, 8, np.int16),
            (rng.standard_normal(8) * 50).astype(np.float32),
            np.arange(12, dtype=np.uint8).reshape(3, 4),
        )

    check(function_of(statement, "a, b, c, m"), arguments)


@pytest.mark.parametrize(
    ("statement", "shapes"),
    [
        ("a[:3] = a[:4]", "(4,) to a part of an array of shape (3,)"),
        ("a[:2] = (1, 2, 3)", "(3,) to a part of an array of shape (2,)"),
        ("m[:] = a[:3]", "(3,) to a part of an array of shape (3, 4)"),
        ("m[0] = m", "(3, 4) to a part of an array of shape (4,)"),
        ("m[:, 0] = m[0]", "(4,) to a part of an array of shape (3,)"),
    ],
)
def test_assignments_of_other_shapes(device, statement, shapes):
    with pytest.raises(ValueError, match="cannot assign") as caught:
        nv.jit(function_of(statement, "a, m"))[1, 1](np.arange(8), np.zeros((3, 4), np.int32))
    assert shapes in str(caught.value)


def test_assignments_that_need_a_copy_are_refused(device):
    a = np.arange(8)
    with pytest.raises(ValueError, match="overlap"):
        nv.jit(function_of("a[:] = a[::-1]", "a"))[1, 1](a)
    np.testing.assert_array_equal(a, np.arange(8))


def test_indices_that_are_arrays_of_no_axis(device):
    body = "out[0] = a[k] * 10 + a[m[0, None]][0]"
    with pytest.raises(NumbaError, match="index"):
        nv.jit(function_of(body, "a, k, m, out"))[1, 1](
            np.arange(5), np.array(3), np.array([1]), np.zeros(1, np.int64)
        )
    check(
        function_of("out[0] = a[k] * 10", "a, k, out"),
        lambda: (np.arange(5), np.array(3), np.zeros(1, np.int64)),
    )
