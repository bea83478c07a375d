"""What recording shares with native code: words that say what the open batch has bound and when buffers were used.

Native code holds Python's global lock while it runs and takes no other: it records only while `BUSY` is 0, which it is
whenever no thread holds the device's lock.
"""

from __future__ import annotations

import ctypes
import threading
from types import TracebackType

__all__ = [
    "BARRIER",
    "BEGIN_INFO",
    "BUFFER_EPOCH",
    "BUFFER_SERIAL",
    "BUSY",
    "COMMANDS",
    "COMPLETED",
    "CONTEXT_WORDS",
    "COUNT",
    "DEVICE",
    "EPOCH",
    "FUNCTIONS",
    "HOST_BARRIER",
    "IN_STREAM",
    "LIMIT",
    "MAX_BATCH",
    "PIECE_NS",
    "PIPELINE",
    "QUEUE",
    "RAMP",
    "RESULT",
    "RING",
    "RING_SIZE",
    "SEMAPHORE",
    "SERIAL",
    "SET",
    "SIGNAL",
    "SUBMIT_INFOS",
    "RecordingLock",
    "Words",
    "address_of",
    "new_buffer_record",
    "new_context",
    "new_words",
    "word_of",
]

# Signed words of 64 bits. Python reads and writes a memory view in half the time that an array of ctypes takes.
Words = memoryview

# Batches of 1, 2, 4 … launches after each synchronisation: a lone launch starts at once, many cost little each.
MAX_BATCH = 64
# Command buffers: four batches are in flight at most while one is open. Batch n uses number n modulo this.
RING_SIZE = 5
# The host waits in pieces, so that Ctrl-C is seen.
PIECE_NS = 100_000_000

# COMMANDS: the VkCommandBuffer that is open, 0 if none is. BUSY: how many times the lock is held. SERIAL: number of the
# batch that is open or will be next. COMPLETED: the last batch known to be done. EPOCH: number of the last barrier.
# COUNT, LIMIT: launches in the open batch, and with how many it is submitted. PIPELINE, SET: what is bound in it.
# RAMP: the limit of the next batch. RESULT: what a failed call of native code returned.
COMMANDS, BUSY, SERIAL, COMPLETED, EPOCH, COUNT, LIMIT, PIPELINE, SET, RAMP, RESULT = range(11)
# What never changes: handles, addresses of what Vulkan's functions are given, and the functions.
DEVICE, QUEUE, SEMAPHORE, BEGIN_INFO, BARRIER, HOST_BARRIER, SIGNAL = range(11, 18)
RING = 18
SUBMIT_INFOS = RING + RING_SIZE
FUNCTIONS = {
    name: SUBMIT_INFOS + RING_SIZE + i
    for i, name in enumerate(
        (
            "vkBeginCommandBuffer",
            "vkEndCommandBuffer",
            "vkQueueSubmit",
            "vkGetSemaphoreCounterValue",
            "vkWaitSemaphores",
            "vkCmdPipelineBarrier",
            "vkCmdBindPipeline",
            "vkCmdBindDescriptorSets",
            "vkCmdPushConstants",
            "vkCmdDispatch",
        )
    )
}
CONTEXT_WORDS = max(FUNCTIONS.values()) + 1

# Of a buffer: the last batch that uses it; twice the number of the barrier before its last use, plus one if that wrote.
BUFFER_SERIAL, BUFFER_EPOCH = range(2)
# A value of BUFFER_EPOCH that looks like a conflict to every launch: a stream uses the buffer.
IN_STREAM = 1 << 62


def new_words(count: int) -> Words:
    """Return words that are 0."""
    return memoryview((ctypes.c_int64 * count)()).cast("B").cast("q")


def address_of(words: Words) -> int:
    """Return where native code finds words."""
    return ctypes.addressof(words.obj)  # type: ignore[arg-type]


def word_of(handle: int) -> int:
    """Return the word that has the bits of a handle of Vulkan."""
    return ctypes.c_int64(handle).value


def new_context() -> Words:
    """Return the context of a device on which nothing was recorded."""
    context = new_words(CONTEXT_WORDS)
    context[SERIAL] = context[EPOCH] = context[RAMP] = 1
    return context


def new_buffer_record() -> Words:
    """Return the record of a buffer that nothing has used."""
    return new_words(2)


class RecordingLock:
    """The lock of a device, which one thread may take several times; keeps native code away while it is held.

    Parameters
    ----------
    context : array of int64
        The device's words.

    Attributes
    ----------
    methods : tuple of callable
        Take and give back the lock, for those who count `BUSY` themselves.
    """

    __slots__ = ("_context", "_lock", "methods")

    def __init__(self, context: Words) -> None:
        self._context = context
        self._lock = threading.RLock()
        self.methods = self._lock.acquire, self._lock.release

    def __enter__(self) -> None:
        self._lock.acquire()
        self._context[BUSY] += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._context[BUSY] -= 1
        self._lock.release()

    def try_enter(self) -> bool:
        """Take the lock if nobody holds it, not even this thread.

        For finalizers: they run anywhere, also amid changes that this thread is making under the lock.
        """
        if self._context[BUSY] or not self._lock.acquire(blocking=False):
            return False
        self._context[BUSY] += 1
        return True

    def leave(self) -> None:
        """Give back what `try_enter` took."""
        self._context[BUSY] -= 1
        self._lock.release()
