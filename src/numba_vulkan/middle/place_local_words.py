"""Make the arrays of an invocation that hold values of several types variables, once accesses move their words."""

from __future__ import annotations

from .. import abi
from ..llvmir.model import Function
from .passes import Context
from .place_locals import place

__all__ = ["run"]


def run(function: Function, context: Context) -> None:
    """Turn accesses to local arrays of words into loads and stores of variables."""
    place(function, context, lambda element: element == abi.WORDS)
