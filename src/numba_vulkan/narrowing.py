"""How a kernel's 64-bit types are computed: `Mode`."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Mode"]


@dataclass(frozen=True)
class Mode:
    """What a kernel gives up of its 64-bit types.

    Parameters
    ----------
    ints : bool
        Compute integers in 32 bits. False: exact, natively or as pairs of words.
    floats : bool
        Compute float64 as float32.
    """

    ints: bool = False
    floats: bool = False
