"""Files of at most 500 lines, functions of at most 60: what is longer does more than one thing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "tools", "tests", "benchmarks", "examples")
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60

# Path from the root, or path::function, with the reason. An entry that is not needed any more fails the test.
EXEMPT_FILES: dict[str, str] = {
    "src/numba_vulkan/mathlib/sources/coefficients.py": "written by tools/fit_math.py",
    "src/numba_vulkan/runtime/binding/vk.py": "generated from the Vulkan registry",
    "src/numba_vulkan/spirv/_tables.py": "generated from the SPIR-V grammar",
}
EXEMPT_FUNCTIONS: dict[str, str] = {}


def sources() -> list[Path]:
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Qualified names and lengths of the functions of a file, the docstring not counted."""

    def visit(node: ast.AST, prefix: str) -> Iterator[tuple[str, int]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}"
                if not isinstance(child, ast.ClassDef):
                    yield name, function_lines(child)
                yield from visit(child, f"{name}.")
            else:
                yield from visit(child, prefix)

    yield from visit(ast.parse(path.read_text()), "")


def function_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    lines = node.end_lineno - node.lineno + 1
    if ast.get_docstring(node, clean=False) is not None:
        lines -= node.body[0].end_lineno - node.body[0].lineno + 1
    return lines


@pytest.fixture(scope="module")
def long_files() -> dict[str, int]:
    lengths = {relative(path): len(path.read_text().splitlines()) for path in sources()}
    return {name: lines for name, lines in lengths.items() if lines > MAX_FILE_LINES}


@pytest.fixture(scope="module")
def long_functions() -> dict[str, int]:
    lengths = {
        f"{relative(path)}::{name}": lines
        for path in sources()
        if relative(path) not in EXEMPT_FILES
        for name, lines in functions(path)
    }
    return {name: lines for name, lines in lengths.items() if lines > MAX_FUNCTION_LINES}


def test_sources_are_found():
    assert any(path.is_relative_to(ROOT / "src" / "numba_vulkan") for path in sources())


def test_files_are_short(long_files):
    assert {name: lines for name, lines in long_files.items() if name not in EXEMPT_FILES} == {}


def test_functions_are_short(long_functions):
    assert {name: lines for name, lines in long_functions.items() if name not in EXEMPT_FUNCTIONS} == {}


def test_exemptions_are_needed(long_files, long_functions):
    unused = [name for name in EXEMPT_FILES if (ROOT / name).exists() and name not in long_files]
    unused += [name for name in EXEMPT_FUNCTIONS if name not in long_functions]
    assert unused == []
