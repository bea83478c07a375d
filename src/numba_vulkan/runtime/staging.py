"""Copies between host arrays and memory that the host cannot reach, in pieces through buffers that it can.

While the device copies some pieces, threads fill or empty the buffers of others; only the caller waits for the device.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager

import numpy as np

from .buffer import Buffer
from .copying import copy_host, start_copy, thread_count
from .memory import MemoryKind

__all__ = ["STAGING_BYTES", "Staging"]

# Smaller pieces cost more submissions, larger ones more memory.
STAGING_BYTES = 8 << 20
# Pieces of one copy that are given to the device at a time.
_UNDER_WAY = 3


class Staging:
    """Staged copies of one device.

    Parameters
    ----------
    create_buffer : callable
        Makes a buffer of a size and a kind.
    copy : callable
        Starts a copy on the device: source, offset, target, offset, size in bytes; returns a number to wait for.
    await_copy : callable
        Waits for such a number.
    """

    def __init__(
        self,
        create_buffer: Callable[[int, MemoryKind], Buffer],
        copy: Callable[[Buffer, int, Buffer, int, int], int],
        await_copy: Callable[[int], None],
    ) -> None:
        self._create_buffer = create_buffer
        self._copy = copy
        self._await_copy = await_copy

    def upload(self, data: np.ndarray, buffer: Buffer, offset_bytes: int) -> None:
        """Copy bytes into a buffer; returns when they may change, which may be before they have arrived."""
        if data.size <= STAGING_BYTES:
            staging, view = self._staging(data.size)
            copy_host(view, data)
            self._copy(staging, 0, buffer, offset_bytes, data.size)
            return
        under_way: deque[int] = deque()

        def send(staging: Buffer, piece: np.ndarray, start: int) -> None:
            under_way.append(self._copy(staging, 0, buffer, offset_bytes + start, piece.size))

        with _copies() as filling:
            for start, piece in _pieces(data):
                if len(under_way) == _UNDER_WAY:
                    self._await_copy(under_way.popleft())
                staging, view = self._staging(piece.size)
                filling.append((start_copy(view, piece), staging, piece, start))
                if len(filling) > thread_count():
                    _finish(filling, send)
            while filling:
                _finish(filling, send)

    def download(self, buffer: Buffer, offset_bytes: int, data: np.ndarray) -> None:
        """Copy from a buffer into an array of bytes."""
        under_way: deque[tuple[int, Buffer, np.ndarray, np.ndarray]] = deque()
        is_small = data.size <= STAGING_BYTES
        with _copies() as emptying:

            def fetch() -> None:
                serial, staging, view, piece = under_way.popleft()
                self._await_copy(serial)
                if is_small:
                    copy_host(piece, view)
                    return
                emptying.append((start_copy(piece, view), staging, piece, 0))
                if len(emptying) > thread_count():
                    _finish(emptying)

            for start, piece in _pieces(data):
                if len(under_way) == _UNDER_WAY:
                    fetch()
                staging, view = self._staging(piece.size)
                serial = self._copy(buffer, offset_bytes + start, staging, 0, piece.size)
                under_way.append((serial, staging, view, piece))
            while under_way:
                fetch()
            while emptying:
                _finish(emptying)

    def _staging(self, size_bytes: int) -> tuple[Buffer, np.ndarray]:
        staging = self._create_buffer(size_bytes, MemoryKind.HOST)
        return staging, staging.view((size_bytes,), np.dtype(np.uint8))


# A copy that another thread makes; the staging buffer, which must live so long; the piece of host memory and its place.
_Copies = deque[tuple[Future[None], Buffer, np.ndarray, int]]


@contextmanager
def _copies() -> Iterator[_Copies]:
    """Return a queue of copies; none of them is under way any more afterwards, whatever happens."""
    copies: _Copies = deque()
    try:
        yield copies
    finally:
        futures = [future for future, *_ in copies]
        for future in futures:
            future.cancel()
        wait(futures)


def _finish(copies: _Copies, then: Callable[[Buffer, np.ndarray, int], None] | None = None) -> None:
    future, staging, piece, start = copies[0]
    future.result()
    copies.popleft()
    if then is not None:
        then(staging, piece, start)


def _pieces(data: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    for start in range(0, data.size, STAGING_BYTES):
        yield start, data[start : start + STAGING_BYTES]
