"""Python's cyclic garbage collector while this package makes objects by the thousand."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["age_objects", "collection_paused"]


def age_objects() -> None:
    """Let the collector take all objects for old ones without looking at them.

    What imports have made stays, but the collector would look at it up to three times, each time longer, as soon as it
    runs: 50 ms after those of a first kernel. Objects that somebody has frozen are left alone.
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


@contextmanager
def collection_paused() -> Iterator[None]:
    """Keep Python's cyclic garbage collector from running during a compilation.

    A compilation makes hundreds of thousands of objects that live until its end, and the collector looks at all of them
    again and again: it was half of the time to structure 5 700 blocks.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
