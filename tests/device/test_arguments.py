"""What a launch may pass: tuples, named tuples, None, enumerations, NumPy scalars, defaults; and in what number."""

import enum
from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest

import numba_vulkan as nv

Line = namedtuple("Line", "scale shift")


class Problem(NamedTuple):
    line: Line
    data: tuple
    mask: object


class Mode(enum.IntEnum):
    ADD = 1
    MULTIPLY = 2


class Level(enum.Enum):
    LOW = 1
    HIGH = 20


@nv.jit(narrow="floats")
def linear(x, line, out):
    i = nv.global_id(0)
    if i < x.size:
        out[i] = x[i] * line[0] + line[1]


@pytest.mark.parametrize(
    "line", [(2, 3), (2, 0.5), Line(2, 3), Line(np.float32(2), np.uint8(3)), (True, np.int16(-3))]
)
def test_tuples_of_scalars(device, line):
    x, out = np.arange(7, dtype=np.float32), np.zeros(7, np.float32)
    linear.forall(7)(x, line, out)
    np.testing.assert_array_equal(out, x * np.float32(line[0]) + np.float32(line[1]))


@nv.jit
def total(arrays, out):
    i = nv.global_id(0)
    if i < out.size:
        for a in arrays:
            out[i] += a[i]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_tuples_of_arrays(device, count):
    arrays = tuple(np.arange(9, dtype=np.int32) * 10**k for k in range(count))
    out = np.zeros(9, np.int32)
    total.forall(9)(arrays, out)
    np.testing.assert_array_equal(out, sum(arrays))
    total.forall(9)(tuple(nv.to_device(a) for a in arrays), device_out := nv.to_device(out))
    np.testing.assert_array_equal(device_out.copy_to_host(), 2 * sum(arrays))


def test_a_tuple_of_arrays_that_share_memory(device):
    x = np.arange(9, dtype=np.int32)
    total.forall(9)((x, x[::-1].copy(), x), x)
    assert x.shape == (9,)


@nv.jit
def masked(value, mask, i):
    if mask is None:
        return value
    return value if mask[i] else -1


@nv.jit
def nested(problem, extra, out):
    i = nv.global_id(0)
    if i < out.size:
        value = problem.data[0][i] * problem.line.scale + problem.line.shift
        value = masked(value, problem.mask, i)
        out[i] = value + extra[1][0] + problem.data[1][1][i, 0]
        problem.data[0][i] = -5


@pytest.mark.parametrize("has_mask", [False, True])
def test_nested_tuples(device, has_mask):
    n = 6
    data, grid = np.arange(n, dtype=np.int32), np.arange(2 * n, dtype=np.int16).reshape(n, 2)
    mask = np.arange(n) % 2 == 0 if has_mask else None
    out = np.zeros(n, np.int32)
    expected = data * 3 + 1
    if has_mask:
        expected = np.where(mask, expected, -1)
    nested.forall(n)(Problem(Line(3, 1), (data, ((), grid)), mask), (None, (100,)), out)
    np.testing.assert_array_equal(out, expected + 100 + grid[:, 0])
    assert (data == -5).all()


@nv.jit
def modes(x, mode, level, out):
    i = nv.global_id(0)
    if i < x.size:
        out[i] = x[i] + 2 if mode == Mode.ADD else x[i] * 3
        if level == Level.HIGH:
            out[i] += 100


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("level", Level)
def test_enumerations(device, mode, level):
    x, out = np.arange(5), np.zeros(5, np.int64)
    modes.forall(5)(x, mode, level, out)
    expected = (x + 2 if mode == Mode.ADD else x * 3) + 100 * (level == Level.HIGH)
    np.testing.assert_array_equal(out, expected)


@nv.jit
def defaults(x, out, factor=3, negate=False, offset=None):
    i = nv.global_id(0)
    if i < x.size:
        value = x[i] * factor
        if offset is not None:
            value += offset
        out[i] = -value if negate else value


@pytest.mark.parametrize(
    ("args", "kws", "expected"),
    [
        ((), {}, [0, 3, 6]),
        ((5,), {}, [0, 5, 10]),
        ((), {"negate": True}, [0, -3, -6]),
        ((), {"offset": 7, "factor": np.int16(2)}, [7, 9, 11]),
    ],
)
def test_defaults_and_keywords(device, args, kws, expected):
    for _ in range(3):  # later launches follow the plan of the first
        out = np.zeros(3, np.int64)
        defaults.forall(3)(np.arange(3), out, *args, **kws)
        np.testing.assert_array_equal(out, expected)


@nv.jit
def sum_of(first, *rest):
    result = first
    for value in rest:
        result += value
    return result


@nv.jit
def variadic(out, *arrays):
    i = nv.global_id(0)
    if i < out.size:
        out[i] = sum_of(arrays[0][i], arrays[1][i]) + sum_of(1, 2, 3) + sum_of(arrays[2][i], 0)


def test_any_number_of_arguments(device):
    arrays = [np.arange(4, dtype=np.int32) * 10**k for k in range(3)]
    out = np.zeros(4, np.int32)
    variadic.forall(4)(out, *arrays)
    np.testing.assert_array_equal(out, sum(arrays) + 6)


def kernel_of(count, parameter, term):
    names = [f"p{k}" for k in range(count)]
    terms = " + ".join(term.format(name) for name in names)
    source = (
        f"def kernel(out, {', '.join(names)}):\n    i = nv.global_id(0)\n"
        f"    if i < out.size:\n        out[i] = {terms}\n"
    )
    namespace = {"nv": nv}
    exec(source, namespace)
    return nv.jit(namespace["kernel"])


@pytest.mark.parametrize("count", [10, 40, 100])
def test_many_scalars(device, count):
    values = [k * 37 % 11 - 5 for k in range(count)]
    out = np.zeros(3, np.int64)
    kernel_of(count, "s", "{0} * (i + 1)").forall(3)(out, *values)
    np.testing.assert_array_equal(out, sum(values) * np.arange(1, 4))


@pytest.mark.parametrize("count", [7, 31, 80])
def test_many_arrays(device, count):
    arrays = [np.arange(5, dtype=np.int32) + k for k in range(count)]
    out = np.zeros(5, np.int32)
    launch = kernel_of(count, "a", "{0}[i]").forall(5)
    if count + 1 > device.info.max_storage_buffers and not device.info.buffer_addresses:
        with pytest.raises(nv.VulkanSupportError, match=str(device.info.max_storage_buffers)):
            launch(out, *arrays)
    else:
        launch(out, *arrays)
        np.testing.assert_array_equal(out, sum(arrays))


@pytest.mark.parametrize(
    ("value", "name"), [((1, [2]), "line[1]"), (Line("x", 2), "line.scale"), ((1, (2, {})), "line[1][1]")]
)
def test_what_a_tuple_must_not_contain(device, value, name):
    with pytest.raises(nv.KernelArgumentError) as caught:
        linear.forall(3)(np.zeros(3), value, np.zeros(3))
    assert f"'{name}'" in str(caught.value)


def test_members_of_integer_enumerations_are_numbers(device):
    @nv.jit(narrow="floats")
    def numbers(mode, out):
        out[0] = int(mode) + int(Mode.ADD)
        out[1] = float(mode) / 4

    out = np.zeros(2, np.float32)
    numbers[1, 1](Mode.MULTIPLY, out)
    assert out.tolist() == [3, 0.5]
