"""Build wheels with the math functions compiled: hatchling, preceded by our own front end.

Compiled functions are LLVM assembly for the versions of Numba and llvmlite that the wheel requires. An editable
install and a source distribution need neither; a source checkout compiles each function when it is first called for.
"""

from __future__ import annotations

import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

from hatchling.build import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
)
from hatchling.build import build_wheel as build_plain_wheel
from hatchling.build import get_requires_for_build_wheel as get_requires_for_plain_wheel

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

ROOT = Path(__file__).resolve().parent.parent
COMPILED = ROOT / "src" / "numba_vulkan" / "mathlib" / "compiled"


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Return what building a wheel needs: what the package needs, as it compiles its own functions."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        dependencies = tomllib.load(file)["project"]["dependencies"]
    return [*get_requires_for_plain_wheel(config_settings), *dependencies]


def build_wheel(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Compile the math functions and build a wheel with them."""
    sys.path.insert(0, str(ROOT / "src"))
    from numba_vulkan import mathbuild  # noqa: PLC0415 - an editable install builds without what it imports

    try:
        mathbuild.write_all(COMPILED)
        return build_plain_wheel(wheel_directory, config_settings, metadata_directory)
    finally:
        shutil.rmtree(COMPILED, ignore_errors=True)
