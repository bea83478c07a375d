"""How a kernel's 64-bit types are computed: `Mode`, and the values of ``@jit(narrow=…)`` that stand for one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Mode", "choice_of", "computed_dtype", "mode_of", "name_of"]


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


_CHOICES: tuple[tuple[object, Mode], ...] = (
    (None, Mode()),
    (False, Mode()),
    ("ints", Mode(ints=True)),
    ("floats", Mode(floats=True)),
    (True, Mode(ints=True, floats=True)),
)


def choice_of(narrow: object) -> object:
    """Return one of the choices of ``narrow``: None, False, 'ints', 'floats' or True.

    Raises
    ------
    ValueError
        If it is none of them; the message says what each of them means.
    """
    for choice, _ in _CHOICES:
        if narrow is choice or (isinstance(narrow, str) and narrow == choice):
            return choice
    raise ValueError(
        f"narrow={narrow!r} is none of the choices: None (exact, but float64 in float32 where the device lacks it), "
        f"False (exact, or refused), 'ints' (integers in 32 bits), 'floats' (float64 in float32), True (both)"
    )


def mode_of(choice: object) -> Mode:
    """Return the mode that a choice of ``narrow`` stands for."""
    return next(mode for known, mode in _CHOICES if known is choice or known == choice)


def name_of(mode: Mode) -> str:
    """Return the choice of ``narrow`` that a mode comes from, as it is written in a kernel's decorator."""
    return next(f"narrow={choice!r}" for choice, known in _CHOICES if known == mode)


def computed_dtype(dtype: np.dtype, mode: Mode) -> np.dtype:
    """Return the type in which a kernel computes with elements of ``dtype``; arrays keep theirs in every mode.

    Parameters
    ----------
    dtype : numpy.dtype
        The type of an array or a scalar.
    mode : Mode
        What the kernel gives up.
    """
    narrows = mode.ints if dtype.kind in "iu" else mode.floats
    return np.dtype(f"{dtype.kind}4") if dtype.itemsize == 8 and dtype.kind in "iuf" and narrows else dtype
