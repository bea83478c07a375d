"""Names for the state of a function's source: of the files that it and what it calls are written in."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from . import precision, primitives
from .sources import coefficients, constants, real
from .sources.real import ByPrecision
from .table import symbol_parts

__all__ = ["digest_of_files", "source_digest"]

_SHARED = tuple(
    Path(str(module.__file__)) for module in (coefficients, constants, real, precision, primitives)
)


@cache
def source_digest(symbol: str) -> str:
    """Return a name for all files that the source of a function reaches."""
    function, width = symbol_parts(symbol)
    files = {Path(f.__code__.co_filename) for f in _reached(function.source(width))}
    return digest_of_files(*files, *_SHARED)


@cache
def digest_of_files(*files: Path) -> str:
    """Return a name for the contents of files."""
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.name):
        digest.update(_content_digest(file))
    return digest.hexdigest()[:32]


@cache
def _content_digest(file: Path) -> bytes:
    return hashlib.sha256(file.read_bytes()).digest()


def _reached(function: Any) -> set[FunctionType]:
    """Return a source and the sources that it calls."""
    reached: set[FunctionType] = set()
    waiting = [function]
    while waiting:
        current = waiting.pop()
        if isinstance(current, FunctionType) and current not in reached and precision.is_source(current):
            reached.add(current)
            for name in current.__code__.co_names:
                value = current.__globals__.get(name)
                waiting += [value.single, value.double] if isinstance(value, ByPrecision) else [value]
    return reached
