"""``print`` and f-strings in kernels: texts, numbers of every type, formats, order, overflow, and what is refused."""

import collections
import enum
import subprocess
import sys

import numpy as np
import pytest
from numba.core.errors import NumbaError

import numba_vulkan as nv
from numba_vulkan.errors import VulkanPrintWarning

Point = collections.namedtuple("Point", "x y")


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 7


class Colour(enum.Enum):
    RED = 1


def printed(capsys, kernel, *args, count=1):
    kernel[count, 1](*args)
    nv.synchronize()
    return capsys.readouterr().out


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("narrow", [None, "ints"])
def test_integers(device, capsys, dtype, narrow):
    @nv.jit(narrow=narrow)
    def show(a):
        for i in range(a.size):
            print(a[i])

    limits = np.iinfo(
        "int32" if narrow and dtype == "int64" else "uint32" if narrow and dtype == "uint64" else dtype
    )
    a = np.array([0, 1, limits.min, limits.max, limits.max - 1], dtype)
    assert printed(capsys, show, a) == "".join(f"{v}\n" for v in a.tolist())


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_floats_as_python_writes_them(device, capsys, dtype):
    narrow = None if device.info.float64 else "floats"

    @nv.jit(narrow=narrow)
    def show(a):
        for i in range(a.size):
            print(a[i], f"{a[i]:.3f}")

    values = [0.1, 1e-7, -0.0, 1e16, 1.0, np.inf, np.nan, 3.14159, 65504.0][
        : 5 if dtype == "float16" else None
    ]
    a = np.array([v for v in values if abs(v) < 6e4 or dtype != "float16"], dtype)
    shown = a
    if narrow and dtype in ("float64", "complex128"):
        shown = a.astype({"float64": "float32", "complex128": "complex64"}[dtype])
    want = "".join(f"{v!s} {v.item():.3f}\n" for v in shown)
    assert printed(capsys, show, a) == want


def test_other_values(device, capsys):
    @nv.jit(narrow=None if device.info.float64 else "floats")
    def show(flag, t, p, level, when, n):
        print(flag, t, p, level, None, when)
        print((1,), (n, "a'b", None), Point(n, 2), np.int8(-3) < n, "{}", sep=" | ", end="")
        print(end="end\n")
        print()

    when = np.datetime64("2020-02-03T04:05:06", "s")
    out = printed(capsys, show, np.bool_(True), (1, (2.5, False)), Point(3, 4), Level.HIGH, when, 5)
    assert out == (
        "True (1, (2.5, False)) Point(x=3, y=4) 7 None 2020-02-03T04:05:06\n"
        '(1,) | (5, "a\'b", None) | Point(x=5, y=2) | True | {}end\n\n'
    )


WIDTH = 7


def label(i):
    return f"<{i:02d}>"


device_label = nv.jit(label)


def show_formats(i, x):
    print(f"{i} {i!r:>4} {x:8.3f}|{i:<5}|{i:+d} {i:#x} {{}} {x:{WIDTH}.1f}|{x:e} {i=} {'a'!r} {True:d}")
    s = f"[{i}"
    s2 = s + "]"
    print(s2, str(i) + "!", format(x, ".2f"), sep="")
    print(device_label(i))
    if i > 2:
        print(f"only {i}")
    double = lambda k: k * 2  # noqa: E731
    print(double(i), (lambda k: f"{k}?")(i))
    print(f"")  # noqa: F541 - an f-string without parts is a text too


def test_f_strings(device, capsys):
    assert device_label.py_func is label
    printed_by_python = printed_by(show_formats, 12, np.float32(1.25), device_label=label)
    assert printed(capsys, nv.jit(show_formats), 12, np.float32(1.25)) == printed_by_python


def printed_by(function, *args, **replacing):
    """Return what a function prints in Python."""
    lines = []

    def write(*values, sep=" ", end="\n"):
        lines.append(sep.join(map(str, values)) + end)

    space = {**function.__globals__, **replacing, "print": write}
    type(function)(function.__code__, space)(*args)
    return "".join(lines)


def test_lines_of_an_invocation_are_in_order(device, capsys):
    @nv.jit
    def show(out):
        i = nv.global_id(0)
        if i < out.size:
            for k in range(i % 5):
                print(i, k)
            out[i] = i

    out = np.zeros(300, np.int32)
    lines = printed(capsys, show, out, count=300).splitlines()
    seen = collections.defaultdict(list)
    for line in lines:
        i, k = map(int, line.split())
        seen[i].append(k)
    assert seen == {i: list(range(i % 5)) for i in range(300) if i % 5}
    np.testing.assert_array_equal(out, np.arange(300))


def test_launches_that_are_not_waited_for(device, capsys):
    @nv.jit
    def show(a, k):
        i = nv.global_id(0)
        if i == 0:
            print("launch", k, a[0])

    a = nv.to_device(np.array([5, 6], np.int32))
    for k in range(40):
        show.forall(2)(a, k)
    nv.synchronize()
    assert capsys.readouterr().out == "".join(f"launch {k} 5\n" for k in range(40))
    stream = nv.stream()
    show.forall(2, stream=stream)(a, 40)
    stream.synchronize()
    assert capsys.readouterr().out == "launch 40 5\n"
    with nv.record() as graph:
        show.forall(2)(a, 41)
    graph.launch()
    graph.launch()
    a.copy_to_host()
    nv.synchronize()
    assert capsys.readouterr().out == "launch 41 5\n" * 2


def test_repeated_launches_on_host_arrays(device, capsys):
    @nv.jit
    def show(a, k):
        if nv.global_id(0) == 0:
            print(k, a[0])
            a[0] += 1

    a = np.zeros(4, np.int32)
    for k in range(25):
        show.forall(4)(a, k)
        assert capsys.readouterr().out == f"{k} {k}\n"


def test_parameters_beyond_push_constants(device, capsys):
    @nv.jit
    def show(numbers, a):
        print(numbers[0], numbers[39], a[1])

    assert printed(capsys, show, tuple(range(40)), np.arange(2)) == "0 39 1\n"


def test_beside_a_barrier_and_an_exception(device, capsys):
    @nv.jit
    def show(a):
        shared = nv.shared.array(16, np.int32)
        i = nv.local_id(0)
        if i >= 12:
            print("left", i)
            return
        shared[i] = i
        nv.barrier()
        if i == 3:
            print("after", shared[4])
            raise ValueError(f"bad {i} of {a[0]}", i)

    with pytest.raises(ValueError, match="bad 3 of 9") as caught:
        show[1, 16](np.array([9], np.int32))
    assert caught.value.args == ("bad 3 of 9", 3)
    assert sorted(capsys.readouterr().out.splitlines()) == ["after 4", *(f"left {i}" for i in range(12, 16))]


def test_what_finds_no_room_is_counted(device, capsys, monkeypatch):
    monkeypatch.setenv("NUMBA_VULKAN_PRINT_KB", "1")

    @nv.jit
    def show(n):
        if nv.global_id(0) < n:
            print("number", nv.global_id(0))

    with pytest.warns(
        VulkanPrintWarning, match="'show' printed more than 1 KiB: .* NUMBA_VULKAN_PRINT_KB"
    ) as caught:
        lines = printed(capsys, show, 1000, count=1000).splitlines()
    lost = int(str(caught[0].message).split("KiB: ")[1].split()[0])
    assert 50 < len(lines) < 300
    assert len(lines) + lost == 1000
    assert all(line.startswith("number ") for line in lines)
    assert len(printed(capsys, show, 3, count=3).splitlines()) == 3


def test_at_the_end_of_the_process(device):
    source = (
        "import numba_vulkan as nv\n"
        "def show(n):\n    print(f'{n} at the end')\n"
        "kernel = nv.jit(show)\n"
        "for n in range(3):\n    kernel[1, 1](n)\n"
    )
    command = (
        "import sys, linecache; source = sys.argv[1]; linecache.cache['<kernel>'] = (len(source), None, "
        "source.splitlines(True), '<kernel>'); exec(compile(source, '<kernel>', 'exec'))"
    )
    done = subprocess.run([sys.executable, "-c", command, source], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["0 at the end", "1 at the end", "2 at the end"]


def show_many(n, t, x):
    print(
        n,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10,
        11,
        12,
        13,
        14,
        15,
        16,
        17,
        18,
        19,
        20,
        21,
        22,
        23,
        24,
        "x",
        x,
        27,
        28,
        29,
        t,
        31,
        32,
    )
    print(*(1, "a", n))
    print("t", *t, "end")
    print(*t[1], *t)
    print(
        f"{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{x}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n:3}{n!r}{n=} end"
    )
    print("", "!", n > 3 and n < 9, n if n > 3 else -n)
    print("a", n if n > 3 else -n, sep="-", end="|\n")
    print(f"{n!s:6}|{n!r:<6}|{n:6}|{x!s:>8}|{n=:>4}")
    print(repr(n), repr("a"), ascii("é"), hex(n), oct(n), bin(n), str(n))


def test_many_parts_and_values_out_of_tuples(device, capsys):
    args = (5, (1, (2, True)), np.float32(0.5))
    assert printed(capsys, nv.jit(show_many), *args) == printed_by(show_many, *args)


def show_members(level, colour):
    print(
        level, colour, f"{level} {level!r} {level:>3d}|{colour!r:>20}|{colour!s}", (level, colour), Level.LOW
    )


def test_members_of_enumerations(device, capsys):
    args = (Level.HIGH, Colour.RED)
    assert printed(capsys, nv.jit(show_members), *args) == printed_by(show_members, *args)


# ---- what is refused


def test_what_is_no_text(device):
    @nv.jit
    def arrays(a):
        print("a:", a)

    @nv.jit
    def records(a):
        print(a)

    @nv.jit
    def keywords(a):
        print(*a.shape, sep="")

    @nv.jit
    def bad_format(a):
        print(f"{a[0]:.2q}")

    @nv.jit
    def other_keyword(a):
        print(a[0], flush=True)

    @nv.jit
    def separator(a):
        print(a[0], sep=a[1])

    @nv.jit
    def chosen(a):
        s = "yes"
        if a[0] > 0:
            s = "no"
        print(s)

    a = np.zeros(3, np.int32)
    for kernel, argument, text in (
        (arrays, a, "not of whole arrays: print their elements in a loop"),
        (records, np.zeros((), [("x", "i4")])[()], "not of records: print their fields"),
        (keywords, a, "calls with *args and keywords"),
        (bad_format, a, "the format '.2q' does not fit"),
        (other_keyword, a, "has the keywords sep and end, not flush"),
        (separator, a, "sep of print must be a constant text"),
        (chosen, a, "chosen at run time: print in each branch"),
    ):
        with pytest.raises(NumbaError) as caught:
            kernel.forall(1)(argument)
        assert text in str(caught.value)
        assert "test_print.py" in str(caught.value)
        assert "print" in str(caught.value)
