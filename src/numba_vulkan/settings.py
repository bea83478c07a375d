"""Every ``NUMBA_VULKAN_*`` environment variable: name, type, default, meaning. Read when used, never at import."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

__all__ = ["SETTINGS", "Setting", "cache_folder", "driver_files", "feature_set", "flag", "narrow_choice"]


T = TypeVar("T")


def flag(text: str) -> bool:
    """Read a yes/no variable: empty, ``0``, ``false`` and ``no`` mean no."""
    return text.strip().lower() not in ("", "0", "false", "no")


def feature_set(text: str) -> frozenset[str]:
    """Read a comma-separated list of names."""
    return frozenset(word.strip() for word in text.split(",") if word.strip())


_NARROW_CHOICES: dict[str, object] = {
    **dict.fromkeys(("", "none"), None),
    **dict.fromkeys(("0", "false", "no"), False),
    **dict.fromkeys(("1", "true", "yes"), True),
    "ints": "ints",
    "floats": "floats",
}


def narrow_choice(text: str) -> object:
    """Read a value of ``@jit(narrow=…)``."""
    word = text.strip().lower()
    if word not in _NARROW_CHOICES:
        raise ValueError("the choices are none, false, ints, floats and true")
    return _NARROW_CHOICES[word]


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
            If its text cannot be read; the message names the variable.
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
    "DEBUG", 0, int, "1: open devices with Vulkan's validation layer; 2: synchronization checks too"
)
narrow = Setting[object](
    "NARROW", None, narrow_choice, "what @jit(narrow=None) means: ints, floats, true, false"
)
warnings = Setting("WARNINGS", True, flag, "0 silences precision and performance warnings")
cache_dir = Setting("CACHE_DIR", "", str, "folder of the caches; the user's cache folder by default")
pool_mb = Setting("POOL_MB", 1024, int, "MiB of released device memory kept for reuse")
print_kb = Setting("PRINT_KB", 1024, int, "KiB for what the kernels of a launch print")
sync = Setting("SYNC", False, flag, "wait for each launch, so that its errors are raised by it")
addresses = Setting("ADDRESSES", False, flag, "reach every array by its address instead of by a binding")
native = Setting("NATIVE", True, flag, "0 records launches in Python instead of native code")
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
