"""Names for the state of a function's source: of it, of what it calls, and of the constants that these use."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from . import precision, primitives
from .sources.real import ByPrecision
from .table import symbol_parts

__all__ = ["digest_of_files", "source_digest"]

# What the texts of sources mean is written in these.
_MEANING = tuple(Path(str(module.__file__)) for module in (precision, primitives))


@cache
def source_digest(symbol: str) -> str:
    """Return a name for everything that the source of a function reaches, in its precision."""
    function, width = symbol_parts(symbol)
    is_double = width == "f64"
    digest = hashlib.sha256(digest_of_files(*_MEANING).encode())
    reached = _reached(function.source(width), is_double)
    for source in sorted(reached, key=lambda f: (f.__module__, f.__name__)):
        digest.update(_text(source).encode())
        digest.update(repr(_constants(source, is_double)).encode())
    return digest.hexdigest()[:32]


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


@cache
def _lines(file: str) -> list[str]:
    return Path(file).read_text(encoding="utf-8").splitlines()


def _text(function: FunctionType) -> str:
    """Return the lines of a function of a module: up to the next line that is not indented."""
    lines, first = _lines(function.__code__.co_filename), function.__code__.co_firstlineno
    last = first
    while last < len(lines) and (not lines[last] or lines[last][0] in " )"):
        last += 1
    return "\n".join(lines[first - 1 : last]).rstrip()


def _globals(function: FunctionType, is_double: bool) -> dict[str, Any]:
    """Return the globals that a source names, as they are in one precision."""
    found = {
        name: function.__globals__[name]
        for name in function.__code__.co_names
        if name in function.__globals__
    }
    return {
        name: (value.double if is_double else value.single) if isinstance(value, ByPrecision) else value
        for name, value in found.items()
    }


def _constants(function: FunctionType, is_double: bool) -> list[tuple[str, Any]]:
    found = _globals(function, is_double)
    return sorted((name, value) for name, value in found.items() if not callable(value))


def _reached(function: Any, is_double: bool) -> set[FunctionType]:
    """Return a source and the sources that it calls in one precision."""
    reached: set[FunctionType] = set()
    waiting = [function]
    while waiting:
        current = waiting.pop()
        if isinstance(current, FunctionType) and current not in reached and precision.is_source(current):
            reached.add(current)
            waiting += _globals(current, is_double).values()
    return reached
