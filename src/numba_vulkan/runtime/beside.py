"""A call that is made in a thread while this one does something else."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

__all__ = ["beside"]


def beside(call: Callable[[], object], work: Callable[[], object]) -> BaseException | None:
    """Make a call, which leaves Python's global lock alone, in a thread while work is done in this one.

    Raises what the call raises. What the work raises is returned, for the caller to raise when it has taken care of
    what the call has made.
    """
    raised: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:
            raised.append(error)

    thread = Thread(target=run, name="numba_vulkan", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # at the interpreter's end there are no new threads
        call()
    failure: BaseException | None = None
    try:
        work()
    except BaseException as error:
        failure = error
    if thread.ident is not None:
        thread.join()
    if raised:
        raise raised.pop()
    return failure
