"""Exceptions of kernels: classes, texts, numbers computed at run time, indices out of bounds, division by zero."""

import collections
import enum
import subprocess
import sys

import numpy as np
import pytest
from numba.core.errors import NumbaError

import numba_vulkan as nv
from device import raising_kernels
from device.against_python import function_of


def test_a_class_of_the_user_with_numbers(device):
    x = np.array([3, 4, -7, 5], np.int32)
    kernel = nv.jit(raising_kernels.custom.py_func, narrow=None if device.info.float64 else "floats")
    with pytest.raises(raising_kernels.OutOfStock) as caught:
        kernel.forall(4)(x)
    assert caught.value.args == ("pear", -7, 1.0)
    assert caught.value.left == -7
    assert "raised in 'custom'" in caught.value.__notes__[0]
    assert "raising_kernels.py:18) by invocation (2, 0, 0)" in caught.value.__notes__[0]
    # The other invocations finish.
    np.testing.assert_array_equal(x, [4, 5, -7, 6])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"])
def test_numbers_of_every_integer_type(device, dtype):
    largest = np.iinfo(dtype).max
    with pytest.raises(OverflowError) as caught:
        raising_kernels.outer.forall(2)(np.array([0, largest], dtype), np.int8(3), np.zeros(2, dtype))
    assert caught.value.args == ("too large", largest, 3)


@pytest.mark.parametrize("narrow", [None, "ints", "floats"])
def test_negative_numbers(device, narrow):
    narrow = narrow if device.info.float64 else "floats"
    kernel = nv.jit(raising_kernels.six_numbers.py_func, narrow=narrow)
    values = (-5, np.int8(-6), np.float32(0.25), -1.5, True, np.uint32(7))
    with pytest.raises(ValueError, match="-5") as caught:
        kernel[1, 1](*values, np.zeros(1))
    assert caught.value.args == (-5, -6, 0.25, -1.5, True, 7)


class Level(enum.IntEnum):
    HIGH = 3


class OutOfRange(Exception):
    def __init__(self, value, limit=9, *, unit=""):
        super().__init__(value, limit, unit)


Pair = collections.namedtuple("Pair", "x y")


@nv.jit
def raises_its_own(*values):
    raise KeyError("own", *values)


RAISED = [
    ("raise ValueError(*t)", (1, (2, 3))),
    ("raise ValueError('a', *t[1], n)", ("a", 2, 3, 5)),
    ("raise ValueError(*(n, 'b', (n, 'c')))", (5, "b", (5, "c"))),
    ("raise ValueError(t, None, level, pair)", ((1, (2, 3)), None, Level.HIGH, Pair(5, 2))),
    ("raise OutOfRange(n, limit=7)", (5, 7, "")),
    ("raise OutOfRange(limit=7, value=n)", (5, 7, "")),
    ("raise OutOfRange(value=1)", (1, 9, "")),
    ("e = ValueError('later', *t[1])\nif n > 3:\n    raise e", ("later", 2, 3)),
    ("raises_its_own(n, 2)", ("own", 5, 2)),
    ("assert n > 7, (n, 'small')", ((5, "small"),)),
    ("e = ValueError('kept', n)\nif n > 3:\n    raise e", ("kept", 5)),
]
# From Python 3.12 a choice right before a short `raise` is compiled to two of them, which is right and no choice.
RAISE_REFUSED = [
    ("raise ValueError(n, n, n, n, n, n, n)", "up to 6 numbers of 64 bits, and these are more"),
    (
        "text = 'a' if n > 3 else 'b'\nm = n * n + n\nraise ValueError(text, m)",
        "not a text that is chosen at run time",
    ),
    ("raise ValueError('a') from None", "leave `from` out"),
    ("raise OutOfRange(n, unit='m')", "not with the keyword unit"),
    ("kind = ValueError if n else KeyError\nm = n * n + n\nraise kind(m)", "whose class is known"),
    ("raise n", "whose class is known"),
    ("raise 'text'", "subclasses of Exception, not a value of type str"),
    ("raise SystemExit(n)", "subclasses of Exception, not SystemExit"),
    ("raise KeyboardInterrupt", "subclasses of Exception, not KeyboardInterrupt"),
]


def raising(body):
    return nv.jit(
        function_of(
            f"pair = Pair(n, 2)\n{body}",
            "n, t, level",
            OutOfRange=OutOfRange,
            Pair=Pair,
            raises_its_own=raises_its_own,
        )
    )


@pytest.mark.parametrize(("body", "arguments"), RAISED)
def test_arguments_are_kept(device, body, arguments):
    raising(body)[1, 1](5, (1, (2, 3)), Level.HIGH)
    with pytest.raises((ValueError, KeyError, AssertionError, OutOfRange)) as caught:
        nv.synchronize()
    assert caught.value.args == arguments
    assert [type(a) for a in caught.value.args] == [type(a) for a in arguments]


@pytest.mark.parametrize(("body", "text"), RAISE_REFUSED)
def test_what_cannot_be_raised(device, body, text):
    with pytest.raises(NumbaError) as caught:
        raising(body)[1, 1](5, (1, (2, 3)), Level.HIGH)
    assert text in str(caught.value)


def test_arguments_that_are_no_numbers(device):
    @nv.jit
    def whole(a):
        raise ValueError("all of", a)

    with pytest.raises(NumbaError, match="take texts and up to 6 numbers"):
        whole[1, 1](np.zeros(3, np.int32))


@pytest.mark.parametrize(("value", "kind"), [(0, KeyError), (1, StopIteration), (3, AssertionError)])
def test_exceptions_without_arguments_and_assert(device, value, kind):
    with pytest.raises(kind) as caught:
        raising_kernels.no_arguments[1, 1](np.full(1, value, np.int32))
    assert caught.value.args == (("neither 0 nor 1 nor 2",) if value == 3 else ())
    raising_kernels.no_arguments[1, 1](np.full(1, 2, np.int32))


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ((3, 0), "index 3 is out of bounds for axis 0 of an array of shape (3, 4)"),
        ((0, -5), "index -5 is out of bounds for axis 1 of an array of shape (3, 4)"),
        ((0, 2**32), f"index {2**32} is out of bounds for axis 1"),
        ((np.uint64(2**63 + 1), 0), f"index {2**63 + 1} is out of bounds for axis 0"),
        ((np.int8(-4), 0), "index -4 is out of bounds for axis 0"),
    ],
)
def test_indices_out_of_bounds(device, index, message):
    x, out = np.arange(12, dtype=np.int32).reshape(3, 4), np.zeros(1, np.int32)
    for given in ((2, 3), (-3, -4), (np.uint8(1), np.int16(-1))):
        raising_kernels.pick[1, 1](x, *given, out)
        assert out[0] == x[given]
    with pytest.raises(IndexError) as caught:
        raising_kernels.pick[1, 1](x, *index, out)
    assert message in str(caught.value)
    assert "raised in 'pick'" in caught.value.__notes__[0]
    assert out[0] == x[1, -1]


def test_rows_out_of_bounds(device):
    x, out = np.arange(6, dtype=np.int32).reshape(2, 3), np.zeros(1, np.int32)
    raising_kernels.pick_row[1, 1](x, -1, out)
    assert out[0] == 5
    with pytest.raises(
        IndexError, match=r"index 2 is out of bounds for axis 0 of an array of shape \(2, 3\)"
    ):
        raising_kernels.pick_row[1, 1](x, 2, out)
    with pytest.raises(IndexError, match=r"index 2 is out of bounds for axis 0 of an array of shape \(2,\)"):
        raising_kernels.pick_row[1, 1](x[:, :2], 0, out)


CHECKED = """
import numpy as np
import numba_vulkan as nv

@nv.jit
def reads(x, i, out):
    out[0] = x[i]

try:
    reads.forall(1, device={device!r})(np.zeros(3, np.int32), 5, np.zeros(1, np.int32))
except IndexError as error:
    print(error)
"""


def test_the_environment_turns_bounds_checks_on(device, monkeypatch):
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    code = CHECKED.format(device=device.info.name)
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True
    )
    assert run.stdout == "index 5 is out of bounds for axis 0 of an array of shape (3,)\n"


@pytest.mark.parametrize("operation", ["a // b", "a % b", "divmod(a, b)[0]"])
@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8])
def test_integer_division_by_zero(device, operation, kind):
    namespace = {}
    exec(f"def divides(a, b, out):\n    out[0] = {operation}\n", namespace)
    out = np.full(1, 7, np.int64)
    nv.jit(namespace["divides"])[1, 1](kind(3), kind(0), out)
    assert out[0] == 0
    strict = nv.jit(namespace["divides"], error_model="python")
    with pytest.raises(ZeroDivisionError):
        strict[1, 1](kind(3), kind(0), out)
    strict[1, 1](kind(7), kind(2), out)
    assert out[0] == eval(operation, {"a": 7, "b": 2})


def test_float_division_by_zero(device):
    def divides(a, b, out):
        out[0] = a / b

    out = np.zeros(1, np.float32)
    nv.jit(divides)[1, 1](np.float32(1), np.float32(0), out)
    assert out[0] == np.inf
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        nv.jit(divides, error_model="python")[1, 1](np.float32(1), np.float32(0), out)


def test_what_is_raised_inside_names_the_line_of_the_user(device):
    @nv.jit
    def helper(a):
        return a[:0].max()

    @nv.jit
    def direct(a):
        a[0] = 1
        a[1] = np.dot(a, a[1:])

    @nv.jit
    def nested(a):
        a[0] = helper(a)

    first = test_what_is_raised_inside_names_the_line_of_the_user.__code__.co_firstlineno
    for kernel, name, line in ((direct, "direct", 8), (nested, "helper", 3)):
        with pytest.raises(ValueError, match=r"different sizes|zero-size") as caught:
            kernel[1, 1](np.zeros(4, np.int32))
        assert f"'{name}' ({__file__}:{first + line})" in caught.value.__notes__[0]
