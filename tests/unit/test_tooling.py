"""Rules about the sources that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "numba_vulkan"

# Module prefix: the only files or folders of the package that may import it.
IMPORTERS = {
    "numba_vulkan.runtime.binding": ("runtime",),
    "os.environ": ("settings.py",),
}
# Patterns are written so that they do not match themselves.
FORBIDDEN_TEXT = {
    "a path of somebody's machine": re.compile(r"(?<![\w.])/(?:home|root|work|Users)/\w"),
    "the host of a registry or mirror": re.compile(
        r"\b(?:[\w-]+\.)*(?:debian|ubuntu|pypi|pythonhosted|npmjs|nodesource)\.(?:org|com)\b"
    ),
}


def package_files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def project_files() -> list[Path]:
    """Every file that belongs to the project, found without git, which a user's machine may lack."""
    folders = ("src", "tests", "tools", "benchmarks", "examples", "docs", ".ci")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    found += [path for path in ROOT.iterdir() if path.suffix in (".md", ".toml", ".yaml", ".yml")]
    found += [ROOT / "LICENSE", ROOT / "Makefile", ROOT / ".gitignore"]
    return [path for path in found if path.is_file() and "__pycache__" not in path.parts]


def imported_names(path: Path) -> set[str]:
    """Modules a file imports, `a` and `a.b` for `from a import b`, and attribute chains such as os.environ."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = absolute_module(path, node)
            names.add(module)
            names.update(f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names.add(f"{node.value.id}.{node.attr}")
    return names


def absolute_module(path: Path, node: ast.ImportFrom) -> str:
    """The module that an import names, with the leading dots of a relative one replaced."""
    if node.level == 0:
        return node.module
    folders = path.relative_to(PACKAGE.parent).parent.parts
    base = ".".join(folders[: len(folders) - node.level + 1])
    return f"{base}.{node.module}" if node.module else base


@pytest.mark.parametrize("module", IMPORTERS)
def test_module_is_used_only_by(module):
    allowed = [PACKAGE / name for name in IMPORTERS[module]]
    offenders = [
        path.relative_to(PACKAGE).as_posix()
        for path in package_files()
        if any(name == module or name.startswith(f"{module}.") for name in imported_names(path))
        and not any(path == place or place in path.parents for place in allowed)
    ]
    assert offenders == []


def test_environment_is_not_read_by_getenv():
    offenders = [path.name for path in package_files() if {"os.getenv", "os.environb"} & imported_names(path)]
    assert offenders == []


def test_variables_are_declared_in_settings():
    from numba_vulkan import settings

    declared = {setting.name for setting in settings.SETTINGS}
    pattern = re.compile(r"\bNUMBA_VULKAN_[A-Z][A-Z0-9_]*[A-Z0-9]\b")
    used = {name: path.name for path in package_files() for name in pattern.findall(path.read_text())}
    assert {name: used[name] for name in used.keys() - declared} == {}


def test_settings_are_documented_in_the_readme():
    from numba_vulkan import settings

    readme = (ROOT / "README.md").read_text()
    assert [setting.name for setting in settings.SETTINGS if f"`{setting.name}`" not in readme] == []


@pytest.mark.parametrize("what", FORBIDDEN_TEXT)
def test_no_file_names(what):
    offenders = []
    for path in project_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        lines = enumerate(text.splitlines(), 1)
        offenders += [
            f"{path.relative_to(ROOT)}:{n}" for n, line in lines if FORBIDDEN_TEXT[what].search(line)
        ]
    assert offenders == []


def test_import_directions():
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
