"""The compiled functions of the library, each as LLVM assembly that needs nothing but placeholders.

A wheel brings them along; in a source checkout each is compiled when it is first called for, and kept in the cache
folder. Either way the name of a file says which sources and which compiler it comes from.
"""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from .. import settings
from .digests import source_digest

__all__ = ["assembly", "file_name", "install_compiler"]

SHIPPED = Path(__file__).parent / "compiled"
_log = logging.getLogger("numba_vulkan")
_compilers: list[tuple[Callable[[str], str], Callable[[], str]]] = []
_known: dict[str, str] = {}


def install_compiler(compile_symbol: Callable[[str], str], identity: Callable[[], str]) -> None:
    """Set what makes a function that is neither known nor in a file.

    Parameters
    ----------
    compile_symbol : callable
        From a symbol to LLVM assembly.
    identity : callable
        Returns a name for the compiler, another one whenever it may compile otherwise.
    """
    _compilers[:] = [(compile_symbol, identity)]


def assembly(symbol: str) -> str:
    """Return the LLVM assembly of one function; the caller holds Numba's compiler lock."""
    found = _known.get(symbol)
    if found is None:
        name = file_name(symbol)
        found = _read(SHIPPED / name) or _read(_cache() / name) or _compiled(symbol, _cache() / name)
        _known[symbol] = found
    return found


def file_name(symbol: str) -> str:
    """Return the name of the file of a function: its symbol, its sources, its compiler."""
    return f"{symbol.removeprefix('nv.math.')}-{source_digest(symbol)[:16]}-{_compilers[0][1]()[:16]}.ll"


def _cache() -> Path:
    return settings.cache_folder() / "math"


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""


@cache
def _tell_once() -> None:
    _log.warning(
        "compiling math functions, each once: they are kept in %s (an installed wheel brings them along)",
        _cache(),
    )


def _compiled(symbol: str, file: Path) -> str:
    _tell_once()
    text = _compilers[0][0](symbol)
    _keep(file, text)
    return text


def _keep(file: Path, text: str) -> None:
    """Write a file in one step; a folder that cannot be written is left alone."""
    temporary = ""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as stream:
            temporary = stream.name
            stream.write(text)
        Path(temporary).replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
