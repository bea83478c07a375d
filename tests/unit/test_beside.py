"""A call that is made in a thread while another function works."""

from __future__ import annotations

import threading

import pytest

from numba_vulkan.runtime.beside import beside


def test_both_are_done_at_one_time() -> None:
    begun, goes_on = threading.Event(), threading.Event()
    threads: list[threading.Thread] = []

    def call() -> None:
        threads.append(threading.current_thread())
        begun.set()
        assert goes_on.wait(10)

    def work() -> None:
        assert begun.wait(10)
        threads.append(threading.current_thread())
        goes_on.set()

    assert beside(call, work) is None
    assert threads[0] is not threads[1] is threading.current_thread()


def _raise(error: BaseException) -> None:
    raise error


def test_what_the_call_raises_is_raised_behind_the_work() -> None:
    done: list[int] = []
    with pytest.raises(MemoryError, match="none"):
        beside(lambda: _raise(MemoryError("none")), lambda: done.append(1))
    assert done == [1]


def test_what_the_work_raises_is_returned_behind_the_call() -> None:
    done: list[int] = []
    failure = beside(lambda: done.append(1), lambda: _raise(KeyboardInterrupt()))
    assert isinstance(failure, KeyboardInterrupt)
    assert done == [1]


def test_the_call_is_made_here_where_there_are_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading.Thread, "start", lambda _: _raise(RuntimeError("can't start new thread")))
    done: list[int] = []
    assert beside(lambda: done.append(1), lambda: done.append(2)) is None
    assert done == [1, 2]
