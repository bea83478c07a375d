"""Waiting by asking again and again, which is sooner told than a sleeping thread is woken."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

__all__ = ["OF_GPUS", "OF_PROCESSORS", "Polling", "poll"]

# A nap, as a part of the time that has passed.
_NAP = 1 / 128
_yield = getattr(os, "sched_yield", partial(time.sleep, 0))


@dataclass(frozen=True)
class Polling:
    """For how long a thread asks without a break, until when with naps, and whether it lets others go first."""

    tight_ns: int
    napping_ns: int
    yields: bool


# An H200 answers by 25 µs sooner than it wakes a thread after a tiny kernel, by 300 µs after milliseconds. Without a
# break at first, as CUDA waits.
OF_GPUS = Polling(tight_ns=10_000_000, napping_ns=50_000_000, yields=False)
# A thread that sleeps lets a processor sleep, and waking one takes longer than a small kernel: launch and wait takes 75
# to 90 µs on llvmpipe with sleep and 40 to 45 without. Later, asking would take time from the kernel.
OF_PROCESSORS = Polling(tight_ns=200_000, napping_ns=200_000, yields=True)


def poll(asks: Callable[[], bool], polling: Polling) -> bool:
    """Ask until the answer is yes, and return whether it was before the time was over."""
    start, now = time.perf_counter_ns(), time.perf_counter_ns
    while True:
        if asks():
            return True
        passed = now() - start
        if passed > polling.tight_ns:
            if passed > polling.napping_ns:
                return False
            time.sleep(passed * _NAP * 1e-9)
        elif polling.yields:
            _yield()
