"""Every ``NUMBA_VULKAN_*`` environment variable: name, type, default, meaning. Read when used, never at import."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

__all__ = ["SETTINGS", "Setting", "cache_folder", "driver_files", "feature_set", "flag", "narrow_choice"]


T = TypeVar("T")


_NO = dict.fromkeys(("0", "false", "no", "off"), False)
_YES = dict.fromkeys(("1", "true", "yes", "on"), True)


def _one_of(choices: Mapping[str, T]) -> Callable[[str], T]:
    """Return what reads one of some words, in any case."""

    def read(text: str) -> T:
        word = text.strip().lower()
        if word not in choices:
            raise ValueError(f"the choices are {', '.join(filter(None, choices))}")
        return choices[word]

    return read


flag = _one_of({"": False, **_NO, **_YES})


def count(text: str) -> int:
    """Read a number that is not negative."""
    if not text.strip().isdecimal():
        raise ValueError("it must be a whole number, 0 or more")
    return int(text)


def feature_set(text: str) -> frozenset[str]:
    """Read a comma-separated list of names."""
    return frozenset(word.strip() for word in text.split(",") if word.strip())


# The values of ``@jit(narrow=…)``.
narrow_choice = _one_of(
    {**dict.fromkeys(("", "none"), None), **_NO, **_YES, "ints": "ints", "floats": "floats"}
)


@dataclass(frozen=True)
class Setting(Generic[T]):
    """One environment variable, ``NUMBA_VULKAN_`` + ``suffix``."""

    suffix: str
    default: T
    read: Callable[[str], T]
    meaning: str

    @property
    def name(self) -> str:
        """The name of the variable."""
        return f"NUMBA_VULKAN_{self.suffix}"

    def value(self) -> T:
        """Read the variable now.

        Raises
        ------
        ValueError
            If its text cannot be read; the message names the variable and what it can be.
        """
        text = os.environ.get(self.name)
        if text is None:
            return self.default
        try:
            return self.read(text)
        except ValueError as error:
            raise ValueError(f"{self.name}={text!r} cannot be read ({self.meaning}): {error}") from error


device = Setting("DEVICE", "", str, "index or part of the name of the default device")
validate = Setting("VALIDATE", False, flag, "run spirv-val on every module before a driver sees it")
dump = Setting("DUMP", "", str, "folder that receives every stage and pass of each kernel")
disable = Setting(
    "DISABLE", frozenset[str](), feature_set, "features to hide from kernels, such as int64,float64"
)
debug = Setting(
    "DEBUG",
    0,
    _one_of({"": 0, "0": 0, "1": 1, "2": 2}),
    "1: open devices with Vulkan's validation layer; 2: synchronization checks too",
)
narrow = Setting[object](
    "NARROW", None, narrow_choice, "what @jit(narrow=None) means: ints, floats, true, false"
)
warnings = Setting("WARNINGS", True, flag, "0 silences precision and performance warnings")
cache_dir = Setting("CACHE_DIR", "", str, "folder of the caches; the user's cache folder by default")
pool_mb = Setting("POOL_MB", 1024, count, "MiB of released device memory kept for reuse")
print_kb = Setting("PRINT_KB", 1024, count, "KiB for what the kernels of a launch print")
sync = Setting("SYNC", False, flag, "wait for each launch, so that its errors are raised by it")
addresses = Setting("ADDRESSES", False, flag, "reach every array by its address instead of by a binding")
wide = Setting("WIDE", False, flag, "count the elements of every array with 64 bits")
native = Setting("NATIVE", True, flag, "0 records launches in Python instead of native code")
staged = Setting("STAGED", False, flag, "copy through staging buffers everywhere, as discrete GPUs need it")
pairs = Setting(
    "PAIRS",
    None,
    flag,
    "1: two workgroups' work is done by one wherever it can be, 0: nowhere; by default in large grids on GPUs",
)
loads_wait = Setting(
    "LOADS_WAIT",
    None,
    flag,
    "1: unroll loops and do work in pairs as for GPUs, 0: as for CPUs; by default as the device",
)
robust = Setting("ROBUST", False, flag, "open devices with robustBufferAccess")

SETTINGS: tuple[Setting[object], ...] = tuple(
    value for value in list(globals().values()) if isinstance(value, Setting)
)


def cache_folder() -> Path:
    """Return the folder of all caches: `cache_dir`, or ``numba_vulkan`` in the user's cache folder."""
    chosen = cache_dir.value()
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "numba_vulkan"


def driver_files() -> str:
    """Return what restricts the drivers that the Vulkan loader looks for, as ``NAME=value``; empty if nothing does."""
    names = ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")
    return next((f"{name}={os.environ[name]}" for name in names if os.environ.get(name)), "")
