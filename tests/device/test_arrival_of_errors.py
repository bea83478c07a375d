"""What kernels raise arrives once, at the next synchronisation, when that has done its own work."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import numba_vulkan as nv
from device.test_runtime_devices import run_python
from numba_vulkan.runtime import Device

pytestmark = pytest.mark.mesa22


@nv.jit
def fails(x, number):
    if x[0] < 0:
        raise ValueError("failed", number)
    x[0] = -1


@nv.jit
def fails_without_arrays(number):
    if number > 0:
        raise KeyError(number)


@nv.jit
def double(x, out):
    i = nv.global_id(0)
    if i < out.size:
        out[i] = 2 * x[i]


@nv.jit
def doubles_below(x, out, limit):
    i = nv.global_id(0)
    if i < out.size:
        if x[i] >= limit:
            raise IndexError(limit)
        out[i] = 2 * x[i]


def failing_array() -> nv.runtime.DeviceArray:
    return nv.to_device(np.full(4, -1, np.int32))


def hosts(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Arguments of a launch; those that overlap or have gaps never become a plan."""
    if kind == "overlapping":
        both = np.arange(20, dtype=np.int32)
        return both[:10], both[10:]
    if kind == "gaps":
        return np.arange(10, dtype=np.int32), np.zeros(20, np.int32)[::2]
    return np.arange(10, dtype=np.int32), np.zeros(10, np.int32)


@pytest.mark.parametrize("kind", ["plain", "overlapping", "gaps"])
def test_a_later_launch_keeps_its_results(device: Device, kind: str) -> None:
    for repetition in range(12):
        fails[1, 1](failing_array(), repetition)
        x, out = hosts(kind)
        with pytest.raises(ValueError, match="failed") as caught:
            double.forall(10)(x, out)
        assert caught.value.args == ("failed", repetition)
        assert "of kernel 'fails'" in "".join(caught.value.__notes__)
        np.testing.assert_array_equal(out, 2 * np.arange(10))
        x, out = hosts(kind)
        double.forall(10)(x, out)
        np.testing.assert_array_equal(out, 2 * np.arange(10))


def test_launches_without_arrays(device: Device) -> None:
    fails_without_arrays[1, 1](7)
    with pytest.raises(KeyError) as caught:
        nv.synchronize()
    assert caught.value.args == (7,)
    fails_without_arrays[1, 1](-7)
    fails_without_arrays[1, 1](8)
    x, out = hosts("plain")
    with pytest.raises(KeyError):
        double.forall(10)(x, out)
    np.testing.assert_array_equal(out, 2 * np.arange(10))
    nv.synchronize()


def test_copies_are_made_before_they_raise(device: Device) -> None:
    check_copies_before_errors()


def test_staged_copies_are_made_before_they_raise(staged: Device) -> None:
    check_copies_before_errors()


def check_copies_before_errors() -> None:
    fails[1, 1](array := failing_array(), 1)
    out = np.zeros(4, np.int32)
    with pytest.raises(ValueError, match="failed"):
        array.copy_to_host(out)
    np.testing.assert_array_equal(out, np.full(4, -1))
    fails[1, 1](array, 2)
    with pytest.raises(ValueError, match="failed"):
        array.copy_to_device(np.arange(4))
    np.testing.assert_array_equal(array.copy_to_host(), np.arange(4))
    array[0] = -1
    fails[1, 1](array, 3)
    with pytest.raises(ValueError, match="failed"):
        array[::2] = np.array([-5, 6])
    np.testing.assert_array_equal(array.copy_to_host(), [-5, 1, 6, 3])
    fails[1, 1](array, 4)
    with pytest.raises(ValueError, match="failed"):
        array[0]


def test_several_errors_name_all_their_kernels(device: Device) -> None:
    fails_without_arrays[1, 1](3)
    device.work.finish()
    arrays = [failing_array() for _ in range(2)]
    for number, array in enumerate(arrays):
        fails[1, 1](array, number)
        device.work.finish()
    with pytest.raises(KeyError) as caught:
        device.synchronize()
    raised_in, *others = caught.value.__notes__
    assert "of kernel 'fails_without_arrays'" in raised_in
    assert ["ValueError('failed', 0)" in others[0], "ValueError('failed', 1)" in others[1]] == [True, True]
    assert all("test_arrival_of_errors.py:" in other and "of kernel 'fails'" in other for other in others)
    device.synchronize()


def test_a_launch_that_raises_leaves_earlier_errors_alone(device: Device) -> None:
    for _ in range(12):
        fails[1, 1](failing_array(), 5)
        x, out = hosts("plain")
        with pytest.raises(IndexError) as caught:
            doubles_below.forall(10)(x, out, 9)
        assert caught.value.args == (9,)
        np.testing.assert_array_equal(out[:9], 2 * np.arange(9))
        with pytest.raises(ValueError, match="failed"):
            device.synchronize()
        device.synchronize()


def test_errors_of_streams_keep_results_of_others(device: Device) -> None:
    one, two = nv.stream(), nv.stream()
    array = failing_array()
    fails[1, 1, one](array, 1)
    x, out = hosts("plain")
    double.forall(10, stream=two)(x, out)
    fetched = array.copy_to_host(stream=one)
    with pytest.raises(ValueError, match="failed"):
        one.synchronize()
    two.synchronize()
    np.testing.assert_array_equal(fetched, np.full(4, -1))
    np.testing.assert_array_equal(out, 2 * np.arange(10))
    fails[1, 1, one](array, 2)
    one.finish()
    x, out = hosts("plain")
    with pytest.raises(ValueError, match="failed"):
        double.forall(10)(x, out)
    np.testing.assert_array_equal(out, 2 * np.arange(10))
    one.synchronize()


def test_errors_of_callbacks(device: Device) -> None:
    s, seen = nv.stream(), []

    def fail(number: int) -> None:
        seen.append(number)
        raise LookupError(number)

    x = nv.to_device(np.arange(10, dtype=np.int32), stream=s)
    s.add_callback(lambda: fail(1))
    s.add_callback(lambda: fail(2))
    s.finish()
    # Enqueuing calls what is due, but raises nothing.
    out = np.zeros(10, np.int32)
    double.forall(10, stream=s)(x, out)
    with pytest.raises(LookupError) as caught:
        s.synchronize()
    assert (caught.value.args, seen) == ((1,), [1, 2])
    assert "another callback raised: LookupError(2)" in caught.value.__notes__
    np.testing.assert_array_equal(out, 2 * np.arange(10))
    s.synchronize()
    double.forall(10, stream=s)(x, out)
    s.add_callback(lambda: fail(3))
    with pytest.raises(LookupError):
        device.synchronize()
    assert s.query()


def test_each_error_arrives_in_one_thread(device: Device) -> None:
    """Threads whose own launches are right, while launches of others fail."""
    count, failures, told = 60, [], []
    is_over = threading.Event()

    def tell(error: ValueError) -> None:
        told.append(error.args[1])
        told.extend(int(note.split("ValueError('failed', ")[1].split(")")[0]) for note in error.__notes__[1:])

    def compute() -> None:
        try:
            while not is_over.is_set():
                x, out = hosts("plain")
                try:
                    double.forall(10)(x, out)
                except ValueError as error:
                    tell(error)
                np.testing.assert_array_equal(out, 2 * np.arange(10))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=compute) for _ in range(3)]
    arrays = [failing_array() for _ in range(count)]
    for thread in threads:
        thread.start()
    for number, array in enumerate(arrays):
        fails[1, 1](array, number)
    is_over.set()
    for thread in threads:
        thread.join()
    try:
        device.synchronize()
    except ValueError as error:
        tell(error)
    assert not failures
    assert sorted(told) == list(range(count))


# ---------------------------------------------------------------- errors that nothing collects

AT_EXIT = """
import numpy as np
import numba_vulkan as nv

@nv.jit
def boom(x, number):
    print("went off", number)
    if number > 0:
        raise ValueError("no", number)

@nv.jit
def unlooked(number):
    if number > 0:
        raise ValueError(f"no\\n{number}")

x, stream = nv.to_device(np.zeros(3)), nv.stream()
"""
BOOM = (
    "numba_vulkan: an error of kernel 'boom' (<string>:5) was never collected: ValueError: ('no', 7) "
    "(call nv.synchronize() to have it raised)\n"
)
UNLOOKED = BOOM.replace("'boom' (<string>:5)", "'unlooked' (<string>:11)").replace("('no', 7)", "no 8")


@pytest.mark.parametrize(
    ("launches", "written"),
    [
        ("boom[1, 1](x, 7)", BOOM),
        ("boom[1, 1, stream](x, 7)", BOOM),
        ("boom[1, 1](x, 7); unlooked[1, 1](8)", BOOM + UNLOOKED),
        ("for _ in range(9): boom[1, 1](x, 7)", BOOM),
        ("with nv.record() as graph: boom[1, 1](x, 7)\ngraph.launch()", BOOM),
        ("boom[1, 1](x, 0)", ""),
        ("boom[1, 1](x, 7)\ntry: nv.synchronize()\nexcept ValueError: pass", ""),
    ],
)
def test_errors_that_nothing_collects_are_written_at_exit(
    device: Device, launches: str, written: str
) -> None:
    done = run_python(AT_EXIT + launches, device)
    assert (done.stderr, done.returncode) == (written, 0)
    assert ("went off 7\n" in done.stdout) == (launches != "boom[1, 1](x, 0)")


CALLBACK = """
def fail():
    raise LookupError("callback\\nof a stream")

x.copy_to_host(stream=stream)
stream.add_callback(fail)
"""
LOST = (
    "numba_vulkan: an exception of a stream's callback was never collected: LookupError: callback of a stream "
    "(call stream.synchronize() to have it raised)\n"
)


def test_exceptions_of_callbacks_that_nothing_collects(device: Device) -> None:
    endings = {
        "": LOST,
        "stream.finish(); del stream": LOST,
        "boom[1, 1](x, 7)": BOOM + LOST,
    }
    for ending, written in endings.items():
        done = run_python(AT_EXIT + CALLBACK + ending, device)
        assert (done.stderr, done.returncode) == (written, 0)
    done = run_python(AT_EXIT + CALLBACK + "del stream", device)
    assert "in fail" in done.stderr
    assert done.stderr.endswith("LookupError: callback\nof a stream\n")


def test_errors_at_exit_come_after_the_one_that_ended_the_process(device: Device) -> None:
    done = run_python(AT_EXIT + "boom[1, 1](x, 7)\nraise SystemExit('end')", device)
    assert (done.stderr, done.returncode) == ("end\n" + BOOM, 1)
