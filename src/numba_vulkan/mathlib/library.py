"""The compiled functions of the library, each as LLVM assembly that needs nothing but placeholders."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path

from .. import abi, settings

__all__ = ["assembly", "install_compiler"]

_FOLDER = Path(__file__).parent
_compilers: list[Callable[[str], str]] = []
_known: dict[str, str] = {}


def install_compiler(compile_symbol: Callable[[str], str]) -> None:
    """Set what makes a function that is neither known nor in the cache: from its symbol to LLVM assembly."""
    _compilers[:] = [compile_symbol]


def assembly(symbol: str) -> str:
    """Return the LLVM assembly of one function; the caller holds Numba's compiler lock."""
    found = _known.get(symbol)
    if found is None:
        found = _known[symbol] = _cached(symbol) or _compiled(symbol)
    return found


def _compiled(symbol: str) -> str:
    text = _compilers[0](symbol)
    _keep(_file(symbol), text)
    return text


def _cached(symbol: str) -> str:
    try:
        return _file(symbol).read_text(encoding="utf-8")
    except OSError:
        return ""


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


def _file(symbol: str) -> Path:
    return settings.cache_folder() / "math" / _fingerprint() / f"{symbol}.ll"


@cache
def _fingerprint() -> str:
    """Return a name for these sources and the compilers that they go through."""
    digest = hashlib.sha256()
    for file in sorted(_FOLDER.rglob("*.py")):
        digest.update(file.read_bytes())
    digest.update(abi.prelude().encode())
    digest.update(repr([version(name) for name in ("numba", "llvmlite")]).encode())
    return digest.hexdigest()[:32]
